"""Finding the one value of the sources that the words for an operand name.

Every word of a claim that may tell one value from another must stand in the labels of what is taken, and
exactly one value may remain; else nothing is bound. A stated value must stand where its words say, not just
anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from verifaible.judge.rules.derive_labels import Term, terms_of
from verifaible.judge.rules.derive_math import PERCENT, TIMES
from verifaible.judge.rules.derive_plans import Part, Plan, Span
from verifaible.judge.rules.derive_shelf import Pool, Profile
from verifaible.judge.rules.derive_words import Value, Words
from verifaible.judge.rules.lexicon import Lexicon
from verifaible.judge.rules.plain_words import QUALIFIERS, stem
from verifaible.judge.rules.reading import Reading
from verifaible.text.dimensions import factor_of
from verifaible.text.units import unit_kind

_EARLIER = frozenset(
    map(stem, ("previous", "prior", "prev", "earlier", "ago", "yesterday", "last", "preceding"))
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a claim says of one operand: its own terms, and those of the claim around it."""

    part: Part
    own: tuple[Term, ...]
    around: tuple[Term, ...]
    beside: tuple[Term, ...]


def asked_of(plan: Plan, words: Words, lexicon: Lexicon) -> list[Asked]:
    """What a plan asks for each of its parts."""
    inside = [span for part in plan.parts for span in part.spans]
    outside = _rest(len(words.text), [*inside, (plan.result.start, plan.result.end)])
    unit = plan.result.amount.unit
    around = tuple(_unit_soft(terms_of(words, outside, lexicon, defines=plan.defines), words, unit))
    if plan.defines and not plan.union and plan.shape in ("minus", "quotient", "product", "list"):
        told = {term.key for part in plan.parts for term in terms_of(words, part.spans, lexicon)}
        around = tuple(
            replace(term, soft=True)
            if term.kind == "cjk" and term.key in told
            else _names_result(term, words)
            for term in around
        )
    own = [tuple(_unit_soft(terms_of(words, part.spans, lexicon), words, unit)) for part in plan.parts]
    if plan.shape == "change":
        around = _without_span(around, words)
        own = [_without_span(mine, words) for mine in own]
    if plan.shape == "convert" and plan.parts[0].value:
        around = ()  # words between a value and the same in another unit
    return [
        Asked(part, mine, around, tuple(t for other in own if other is not mine for t in other))
        for part, mine in zip(plan.parts, own, strict=True)
    ]


def _without_span(terms: Sequence[Term], words: Words) -> tuple[Term, ...]:
    """Terms, with how long a change took as one that a source need not say."""
    return tuple(
        replace(term, soft=True)
        if term.kind == "window" and _OVER_TIME.fullmatch(words.text[term.start : term.end])
        else term
        for term in terms
    )


#: How long a change took, as it is told of any.
_OVER_TIME: Final = re.compile(
    r"(?:(?:over|in|within) )?(?:the (?:space|course) of )?(?:an?|one|the (?:past|last)|twelve|12)"
    r"(?: (?:single|past|last))? (?:years?|months?|quarters?|weeks?)"
    r"|(?:the )?(?:previous|prior|preceding) (?:year|quarter|month|week)",
    re.IGNORECASE,
)


def _unit_soft(terms: Sequence[Term], words: Words, unit: str) -> list[Term]:
    """Terms, those soft that only say in what a result is told ("its staked ETH rose by 5 ETH")."""
    return [
        replace(term, soft=True)
        if term.kind == "name" and words.text[term.start : term.end] == unit
        else term
        for term in terms
    ]


def _names_result(term: Term, words: Words) -> Term:
    """A common noun beside a written-out calculation names its result; a name, or a kind, does not."""
    said = words.text[term.start : term.end]
    common = said[:1].islower() or term.start == 0
    told = term.kind == "word" and common and said.lower() not in QUALIFIERS - _OF_RESULTS
    told = told or (term.kind == "cjk" and (len(said) == 1 or bool(_RESULT_ZH.search(said))))
    owned = _OWNED.search(said) or _OWNED.match(words.text, term.end)
    return replace(term, soft=True) if told and not owned else term


_OF_RESULTS: Final = frozenset(("gross", "net", "cumulative"))
_RESULT_ZH: Final = re.compile(
    r"\A(?:单[店位户客]|店均|户均|人均).*|(?:利润|资产|市值|[率额值差]|盈余|缺口|成本|收入|创收|收益|倍数|结余)\Z"
)
_OWNED: Final = re.compile(r"['’]")


def _rest(size: int, taken: Sequence[Span]) -> list[Span]:
    found, at = [], 0
    for start, end in sorted(taken):
        if start > at:
            found.append((at, start))
        at = max(at, end)
    if at < size:
        found.append((at, size))
    return found


def bound(asked: Asked, plan: Plan, profiles: Sequence[Profile]) -> list[Profile]:
    """The profiles that an operand's words name best; of one value where the words pick one."""
    relative = bool(asked.part.relative)
    hard = [term for term in asked.own if not (term.soft or (term.kind == "window" and relative))]
    kinds = {term.kind for term in hard}
    around = [
        term
        for term in asked.around
        if not term.soft
        and not (term.kind in ("moment", "window", "name") and term.kind in kinds)
        and not (term.kind == "moment" and asked.part.relative)
    ]
    if plan.defines:
        around = [term for term in around if term.kind in ("name", "moment") and asked.part.value is None]
    inherited: list[Term] = []
    if not hard and asked.part.value is None and not asked.part.relative:
        hard = [term for term in asked.own if term.kind == "word"]  # "amount" is all there is to go by
    if asked.part.value is None and not any(term.kind in ("metric", "word", "cjk") for term in hard):
        inherited = [t for t in asked.beside if t.kind == "metric" and not t.soft and not asked.part.relative]
    needed = hard if plan.union else [*hard, *around]
    wanted = asked.part.value
    named = {term.key for term in (*asked.own, *asked.around, *asked.beside) if term.kind == "name"}
    best: list[tuple[tuple[int, int], Profile]] = []
    narrowed = profiles.narrowed(needed, wanted) if isinstance(profiles, Pool) else profiles
    units: dict[str, bool] = {}
    for profile in narrowed:
        unit = profile.reading.unit
        if unit not in units:
            units[unit] = _unit_may(profile.reading, wanted, plan)
        if not units[unit]:
            continue
        levels = []
        for term in needed:
            levels.append(profile.covers(term))
            if not levels[-1]:
                break
        if (
            0 in levels
            or not _may(profile, asked, named)
            or not all(_inherits(profile, t) for t in inherited)
        ):
            continue
        told = [profile.covers(term) for term in asked.own if term.kind in ("metric", "word", "cjk")]
        mine = sum(told) * 100 // max(1, len(told))
        best.append(((mine, sum(levels)), profile))
    if wanted is None and not needed and not inherited:
        return []
    return _top(asked, best, wanted)


def names_needed(asked: Asked, plan: Plan) -> set[str]:
    """The names that each value must have that :func:`bound` can give."""
    own = {term.key for term in asked.own if term.kind == "name" and not term.soft}
    if own or plan.union or (plan.defines and asked.part.value is not None):
        return own
    return {term.key for term in asked.around if term.kind == "name" and not term.soft}


def _inherits(profile: Profile, term: Term) -> bool:
    """Whether a metric that only the other operand names can be this one's; a part of a total is no total."""
    if profile.covers(term):
        return True
    parts = term.parts - {"total", "overall", "combin"}
    return bool(parts) and parts != term.parts and parts <= profile.own.words


def _may(profile: Profile, asked: Asked, named: set[str]) -> bool:
    """Whether a reading is one that the words can mean: told for now, and of no other name than theirs."""
    reading = profile.reading
    if profile.ago and asked.part.value is None and not asked.part.relative:
        dated = any(
            term.kind == "moment" and (len(term.key) > 2 or profile.own.covers(term)) for term in asked.own
        )
        return dated or any(term.key in _EARLIER for term in asked.own)
    return "unclear" not in reading.manner or reading.kind != "prose" or profile.own.names <= named


def _top(asked: Asked, best: list[tuple[tuple[int, int], Profile]], wanted: Value | None) -> list[Profile]:
    """Of those that can be meant: named best, of the value stated, then best by the words around."""
    if not best:
        return []
    if wanted is not None:
        best = [(score, profile) for score, profile in best if states(profile.reading, wanted)]
    highest = max((score[0] for score, _ in best), default=0)
    group = [(score[1], profile) for score, profile in best if score[0] == highest]
    if wanted is not None:
        alike = [(score, p) for score, p in group if p.reading.unit == wanted.amount.unit]
        group = alike or group
    if any(p.reading.unit == "USD" for _, p in group):
        group = [(s, p) for s, p in group if p.reading.unit == "USD" or not _is_currency(p.reading.unit)]
    if group:
        highest = max(score for score, _ in group)
    left = [profile for score, profile in group if score == highest]
    if len({profile.reading.source.id for profile in left}) == 1:  # sources that disagree stay so
        left = _plainest(left, asked)
    if len({_same(profile.reading) for profile in left}) > 1:
        terms = [*asked.beside, *asked.around]
        scores = [sum(p.covers(term) * (1 if term.soft else 100) for term in terms) for p in left]
        left = [profile for profile, score in zip(left, scores, strict=True) if score == max(scores)]
    return left


def _plainest(left: list[Profile], asked: Asked) -> list[Profile]:
    """Of one source: what is named in full, and where no date is asked for, what is told as of now."""
    if len({_same(profile.reading) for profile in left}) > 1:
        left = [profile for profile in left if spelled_out(profile, asked)] or left
        longest = max(len(profile.first) for profile in left)
        if left[0].reading.kind != "prose" and spelled_out(left[0], asked):
            left = [profile for profile in left if len(profile.first) == longest]
    if len({_same(profile.reading) for profile in left}) > 1 and not _dated(asked):
        left = [profile for profile in left if not profile.dated] or left
    return left


def _dated(asked: Asked) -> bool:
    return any(term.kind == "moment" for term in (*asked.own, *asked.around, *asked.beside))


def spelled_out(profile: Profile, asked: Asked) -> bool:
    """Whether the first label is named in full: "income before taxes" is not "income tax expense"."""
    said = asked.own
    if not any(term.kind in ("metric", "word", "cjk") for term in said):
        said = (*asked.beside, *asked.around)  # "Revenue in 2019 was twice that of 2018"
    told = {part for term in said for part in (term.key, *term.parts)}
    return profile.reading.kind in ("row", "json") and bool(profile.first) and profile.first <= told


def _is_currency(unit: str) -> bool:
    """Whether a unit is money or a coin: of a price in several, the one in dollars is meant."""
    return unit_kind(unit) == "money" or bool(re.fullmatch(r"[A-Z]{3,5}", unit))


def single(group: Sequence[Profile]) -> Profile | None:
    """The profile of a group whose readings all state one value; None where there is none, or several."""
    values = {_same(profile.reading) for profile in group}
    return group[0] if len(values) == 1 else None


def _same(reading: Reading) -> tuple[Decimal, str]:
    return reading.value, reading.unit


def in_own_unit(reading: Reading) -> tuple[Decimal, str]:
    """A reading's value and unit as they are written: basis points are read in percentage points."""
    if reading.mention is not None and reading.mention.unit == "bp":
        return reading.value * 100, "bp"
    return reading.value, reading.unit


def states(reading: Reading, value: Value) -> bool:
    """Whether a reading states a value that a claim gives for an operand, rounded as the claim rounds."""
    factor = factor_of(reading.unit, value.amount.unit) if reading.unit and value.amount.unit else Decimal(1)
    if factor is None:
        if unit_kind(reading.unit) not in ("count", "") or unit_kind(value.amount.unit) not in ("count", ""):
            return False
        factor = Decimal(1)
    slack = value.amount.half if value.amount.half > reading.digits or value.loose else Decimal(0)
    gap = abs(abs(reading.value * factor) - abs(value.amount.value))
    return gap <= slack or gap == 0


def _unit_may(reading: Reading, wanted: Value | None, plan: Plan) -> bool:
    """Whether a reading's unit can be that of an operand, as far as the claim tells."""
    unit = reading.unit
    if unit == TIMES:
        return False
    stated = {
        value.amount.unit for value in (plan.result, *(part.value for part in plan.parts if part.value))
    }
    money = {each for each in stated if unit_kind(each) == "money"}
    if money and unit_kind(unit) == "money" and unit not in money:
        return False
    if plan.shape == "convert":
        return wanted is None or factor_of(unit, wanted.amount.unit) is not None
    claimed = wanted.amount.unit if wanted else ""
    levels = plan.shape == "change" and not (plan.result.percent or plan.result.multiple)
    if not wanted and (levels or plan.shape in ("list", "mean", "gap")):
        claimed = plan.result.amount.unit
    if not claimed or unit == claimed:
        return True if unit not in PERCENT or claimed else _takes_percent(wanted, plan)
    if claimed in PERCENT:
        return unit in PERCENT
    joined = factor_of(unit, claimed) is not None or unit_kind(unit) == "count"
    return not unit or (joined and unit_kind(claimed) != "money")


def _takes_percent(wanted: Value | None, plan: Plan) -> bool:
    """Whether a percentage can be an operand where the claim states no unit for it."""
    return wanted is None or plan.result.percent or plan.shape == "product"
