"""The two operands of a comparison or a change, as the words of a claim name them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from verifaible.judge.rules.derive_bind import Asked, bound, single, spelled_out
from verifaible.judge.rules.derive_labels import Term
from verifaible.judge.rules.derive_plans import Part, Plan
from verifaible.judge.rules.derive_prose import moments_over, shifted, words_at
from verifaible.judge.rules.derive_shelf import Profile
from verifaible.judge.rules.derive_words import Words

_AGO: Final = {
    "year": re.compile(
        r"year(?:'s)? (?:earlier|ago|before|prior)|prior[- ]year|previous year|last year|上年|去年"
    ),
    "quarter": re.compile(
        r"quarter (?:earlier|ago|before)|previous quarter|prior quarter|last quarter|上季|上一季"
    ),
    "month": re.compile(r"month (?:earlier|ago|before)|previous month|prior month|last month|上月|上个月"),
    "week": re.compile(r"week (?:earlier|ago|before)|previous week|prior week|last week|上周"),
    "period": re.compile(r"previous|prior|last (?:week|month|quarter)|上[周月季期个]"),
}
_CUES: Final = (
    (
        "year",
        re.compile(
            r"year[- ](?:over|on)[- ]year|\byoy\b|\by/y\b|同比|year (?:earlier|ago)|上年同期|去年同期"
        ),
    ),
    ("quarter", re.compile(r"quarter[- ](?:over|on)[- ]quarter|\bqoq\b|\bq/q\b|quarter (?:earlier|ago)")),
    ("month", re.compile(r"month[- ](?:over|on)[- ]month|\bmom\b|\bm/m\b|month (?:earlier|ago)")),
    ("week", re.compile(r"week[- ](?:over|on)[- ]week|\bwow\b|\bw/w\b|week (?:earlier|ago)")),
    ("period", re.compile(r"环比|sequentially")),
)
_LEVELS: Final = frozenset(("ath", "atl", "high", "low"))


def two(asked: list[Asked], plan: Plan, words: Words, profiles: Sequence[Profile]) -> list[Profile]:
    """The two operands of a plan, in its order; empty where either is not the only one of its name."""
    first, second = _dated_apart(asked, plan)
    if plan.shape == "change" and not first.own and first.part.relative:
        later = single(bound(second, plan, profiles))
        earlier = _earlier(second, plan, profiles, later, first.part.relative) if later else None
        return [earlier, later] if earlier and later else []
    relative = next((name for name, pattern in _CUES if pattern.search(words.masked)), "")
    if relative and plan.shape == "change":  # a date that stands alone is that of the later one
        first = replace(first, around=tuple(term for term in first.around if term.kind != "moment"))
    second, first = _priced(second, first), _priced(first, second)
    groups = [bound(first, plan, profiles), bound(second, plan, profiles)]
    operands = [single(group) for group in groups]
    one, two = operands
    if one is None or two is None or one.reading is two.reading:
        return []
    if not plan.defines and not (_parallel(first, one, two, words) and _parallel(second, two, one, words)):
        return []
    if relative and plan.shape == "change" and not _apart(one, two, relative):
        return []
    return [one, two]


def _dated_apart(asked: list[Asked], plan: Plan) -> tuple[Asked, Asked]:
    """Two operands of a change whose two dates stand beside them: the earlier and the later one's."""
    first, second = asked
    dates = [term for term in first.around if term.kind == "moment" and not term.soft]
    dated = any(term.kind == "moment" for each in asked for term in each.own)
    if plan.shape != "change" or len(dates) != 2 or dated:
        return first, second
    around = tuple(term for term in first.around if term not in dates)
    return (
        replace(first, own=(*first.own, dates[0]), around=around),
        replace(second, own=(*second.own, dates[1]), around=around),
    )


def _priced(asked: Asked, other: Asked) -> Asked:
    """What trades at so much below its high is a price."""
    metrics = {term.key for term in other.own if term.kind == "metric"}
    has = any(term.kind in ("metric", "word", "cjk") and not term.soft for term in asked.own)
    if metrics & _LEVELS and not has and asked.part.spans:
        price = Term("metric", "price", frozenset(("price",)), 0, 0)
        return replace(asked, own=(*asked.own, price), beside=())
    return asked


def _earlier(
    asked: Asked, plan: Plan, profiles: Sequence[Profile], later: Profile, relative: str
) -> Profile | None:
    """The value of the same name that much earlier."""
    plain = tuple(term for term in asked.own if term.kind != "moment")
    around = tuple(term for term in asked.around if term.kind != "moment")
    same = Asked(Part(asked.part.spans, relative=relative), plain, around, ())
    told = {term.key for term in asked.own if term.kind == "moment"}
    there = [p for p in profiles if p.reading is not later.reading and _apart(p, later, relative, told)]
    return single(bound(same, plan, there))


def _apart(earlier: Profile, later: Profile, relative: str, told: Collection[str] = ()) -> bool:
    """Whether one reading is of the period that much before that of the other, or of what is told of it."""
    since = _own_moments(later) or told or moments_over(later.reading)
    wanted = {before for moment in since if (before := shifted(moment, relative))}
    moments = _own_moments(earlier)
    if wanted and moments:
        return any(_meet(one, other) for one in wanted for other in moments)
    return bool(_AGO[relative].search(words_at(earlier.reading)))


def _own_moments(profile: Profile) -> set[str]:
    return {moment for moment in profile.own.moments if moment[:2] in ("19", "20") or moment[:1] in "QH"}


def _meet(one: str, other: str) -> bool:
    """Whether two periods are one; of a quarter or a half, one may go without its year."""
    return one == other or (min(len(one), len(other)) == 2 and one[-2:] == other[-2:])


def _parallel(asked: Asked, mine: Profile, other: Profile, words: Words) -> bool:
    """Whether what a part leaves unsaid is as in the other part.

    ``Aave's TVL is twice that of Lido``: of Lido no metric is named, so the reading must have Aave's.
    """
    if asked.part.value is not None:
        return True
    own = [term for term in asked.own if not term.soft and term.kind != "window"]
    if any(term.kind in ("metric", "cjk") or _common(term, words) for term in own):
        return True
    if mine.first and spelled_out(mine, asked):
        return True
    missing = _groups(
        [
            t
            for t in asked.beside
            if not t.soft and t.kind not in ("moment", "window") and not mine.all.covers(t)
        ]
    )
    mine_only = _groups([term for term in own if not other.all.covers(term)])
    return missing <= max(mine_only, 0) or not asked.beside


def _common(term: Term, words: Words) -> bool:
    """Whether a word is a common noun, which says what is measured; a name says of what."""
    return term.kind == "word" and words.text[term.start : term.start + 1].islower()


def _groups(terms: Sequence[Term]) -> int:
    """How many runs of neighbouring words some terms make."""
    runs, last = 0, -9
    for term in sorted(terms, key=lambda term: term.start):
        if term.start - last > 1:
            runs += 1
        last = term.end
    return runs
