"""What sums and averages are over: listed things, or the days, months and years of a range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from verifaible.anchoring.dates import find_dates
from verifaible.judge.rules.derive_bind import Asked, bound, single
from verifaible.judge.rules.derive_labels import Term
from verifaible.judge.rules.derive_plans import Part, Plan
from verifaible.judge.rules.derive_shelf import Profile
from verifaible.judge.rules.derive_words import Words
from verifaible.judge.rules.periods import Period, find_periods, implies

_JOINED: Final = re.compile(r"\s*(?:-|–|—|to|through|until|至|到)\s*", re.IGNORECASE)
_QUARTERS: Final = re.compile(
    r"(?:the )?(first|last|前)\s?(two|three|four|[234二三四两])\s?(?:个)?(?:quarters"
    r"|季度)(?: of)? ?(\d{4})",
    re.IGNORECASE,
)
_COUNTS: Final = {"two": 2, "three": 3, "four": 4, "二": 2, "两": 2, "三": 3, "四": 4}


def listed(asked: Sequence[Asked], plan: Plan, words: Words, profiles: Sequence[Profile]) -> list[Profile]:
    """The operands of a sum or an average, in order; empty where one is not the only one of its name."""
    if span := _range_of(words):
        return _over_range(asked, plan, profiles, *span)
    dated = [item for item in asked if _only_moments(item)]
    named = [item for item in asked if item not in dated and (_hard(item) or item.part.value)]
    if (
        not named and dated
    ):  # "average total assets over 2018 and 2019": words said of any figure are its name
        named = [item for item in asked if item not in dated and any(t.kind == "word" for t in item.own)]
    valued = [item for item in named if item.part.value is not None]
    if len(valued) >= 2:
        named = valued
    dropped = tuple(term for item in asked if item not in dated and item not in named for term in item.own)
    own_date = len(named) == 1 and any(term.kind == "moment" for term in named[0].own)
    if len(named) == 1 and len(dated) >= 2 - own_date:
        items = _each_date(named[0], dated)
    else:
        moments = tuple(term for item in dated for term in item.own)
        items = [replace(item, around=(*item.around, *moments)) for item in named]
    if len(items) < 2:
        return []
    found = []
    for item in items:
        operand = single(bound(item, plan, profiles))
        if operand is None:
            return []
        found.append(operand)
    if not all(term.soft or any(operand.covers(term) for operand in found) for term in dropped):
        return []
    return found if len({(p.reading.source.id, p.reading.start) for p in found}) == len(found) else []


def _hard(item: Asked) -> list[Term]:
    return [term for term in item.own if not term.soft]


def _only_moments(item: Asked) -> bool:
    hard = _hard(item)
    return bool(hard) and item.part.value is None and all(term.kind == "moment" for term in hard)


def _each_date(base: Asked, dated: Sequence[Asked]) -> list[Asked]:
    """The thing that is named once, at each of the dates; its own date is one of them."""
    plain = tuple(term for term in base.own if term.kind != "moment")
    items = [replace(each, own=(*plain, *each.own)) for each in dated]
    return [base, *items] if len(plain) != len(base.own) else items


def _range_of(words: Words) -> tuple[str, str] | None:
    """The first and the last date of a range that a claim names."""
    if match := _QUARTERS.search(words.text):
        count = _COUNTS.get(match[2].lower()) or int(match[2])
        first = 1 if match[1].lower() in ("first", "前") else 5 - count
        return f"{match[3]}-Q{first}", f"{match[3]}-Q{first + count - 1}"
    mentions = find_dates(words.text)
    for one, other in pairwise(mentions):
        if (one.start, one.end) == (other.start, other.end):
            begins, ends = (find_periods(_iso(mention.readings[0])) for mention in (one, other))
            if begins and ends:
                return begins[0].value, ends[0].value
    dates = [period for period in words.periods if period.dated]
    for before, after in pairwise(dates):
        if _JOINED.fullmatch(words.text, before.end, after.start) and _alike(before, after):
            return before.value, after.value
    return None


def _iso(value: object) -> str:
    year, month, day = (getattr(value, name) for name in ("year", "month", "day"))
    return f"{year}-{month:02d}-{day:02d}" if year and month and day else ""


def _alike(one: Period, other: Period) -> bool:
    return len(one.value) == len(other.value) and one.value[:2] in ("19", "20")


def _over_range(
    asked: Sequence[Asked], plan: Plan, profiles: Sequence[Profile], first: str, last: str
) -> list[Profile]:
    """What is named once at every date of a range for which its source has a line."""
    own = tuple(term for item in asked for term in item.own if term.kind != "moment")
    around = tuple(term for term in asked[0].around if term.kind != "moment")
    whole = Asked(Part(tuple(s for item in asked for s in item.part.spans)), own, around, ())
    inside: dict[str, list[Profile]] = {}
    for profile in profiles:
        if moment := _moment_in(profile, first, last):
            inside.setdefault(moment, []).append(profile)
    if first not in inside or last not in inside:
        return []
    found = []
    for moment in sorted(inside):
        operand = single(bound(whole, plan, inside[moment]))
        if operand is None:
            return []
        found.append(operand)
    sources = {profile.reading.source.id for profile in found}
    return found if len(found) >= 2 and len(sources) == 1 else []


def _moment_in(profile: Profile, first: str, last: str) -> str:
    moments = [m for m in profile.own.moments if len(m) == len(first) and first <= m <= last]
    if len(moments) != 1 or not implies(moments[0], moments[0]):
        return ""
    return moments[0]
