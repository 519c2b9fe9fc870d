"""The two operands of a comparison or a change, as the words of a claim name them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from verifaible.judge.rules.derive_bind import Asked, bound, single
from verifaible.judge.rules.derive_frames import Part, Plan
from verifaible.judge.rules.derive_labels import Term
from verifaible.judge.rules.derive_shelf import Profile, words_at
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
    second, first = _priced(second, first), _priced(first, second)
    groups = [bound(first, plan, profiles), bound(second, plan, profiles)]
    operands = [single(group) for group in groups]
    one, two = operands
    if one is None or two is None or one.reading is two.reading:
        return []
    if not plan.defines and not (_parallel(first, one, two) and _parallel(second, two, one)):
        return []
    relative = next((name for name, pattern in _CUES if pattern.search(words.masked)), "")
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
    there = [p for p in profiles if p.reading is not later.reading and _apart(p, later, relative)]
    return single(bound(same, plan, there))


def _apart(earlier: Profile, later: Profile, relative: str) -> bool:
    """Whether one reading is of the period that much before that of the other."""
    wanted = {shifted for moment in _own_moments(later) if (shifted := _shifted(moment, relative))}
    moments = _own_moments(earlier)
    if wanted and moments:
        return bool(wanted & moments)
    return bool(_AGO[relative].search(words_at(earlier.reading)))


def _own_moments(profile: Profile) -> set[str]:
    return {moment for moment in profile.own.moments if moment[:2] in ("19", "20")}


def _shifted(moment: str, relative: str) -> str:
    """A period that much earlier; empty where it is not known."""
    year = moment[:4]
    if relative == "year":
        return f"{int(year) - 1}{moment[4:]}"
    if (quarter := re.fullmatch(r"(\d{4})-Q(\d)", moment)) and relative in ("quarter", "period"):
        number = int(quarter[1]) * 4 + int(quarter[2]) - 2
        return f"{number // 4}-Q{number % 4 + 1}"
    if (month := re.fullmatch(r"(\d{4})-(\d\d)", moment)) and relative in ("month", "period"):
        number = int(month[1]) * 12 + int(month[2]) - 2
        return f"{number // 12}-{number % 12 + 1:02d}"
    return ""


def _parallel(asked: Asked, mine: Profile, other: Profile) -> bool:
    """Whether what a part leaves unsaid is as in the other part.

    ``Aave's TVL is twice that of Lido``: of Lido no metric is named, so the reading must have Aave's.
    """
    if asked.part.value is not None:
        return True
    own = [term for term in asked.own if not term.soft and term.kind != "window"]
    if any(term.kind in ("metric", "word", "cjk") for term in own) and not all(t.kind == "word" for t in own):
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


def _groups(terms: Sequence[Term]) -> int:
    """How many runs of neighbouring words some terms make."""
    runs, last = 0, -9
    for term in sorted(terms, key=lambda term: term.start):
        if term.start - last > 1:
            runs += 1
        last = term.end
    return runs
