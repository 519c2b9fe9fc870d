"""What each number of a sentence goes with: subject, metric, period, manner, and the words beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from verifaible.factcheck.numbers.quantities import Quantity
from verifaible.factcheck.rules.lexicon import Name, metric_units, names_of
from verifaible.factcheck.plain_words import QUALIFIERS, content_words, denial, direction, forecast
from verifaible.factcheck.rules.reading import Manner
from verifaible.factcheck.rules.tag_metrics import Spot, measured, noun_behind
from verifaible.factcheck.rules.tags import Tags

_RESPECTIVELY: Final = re.compile(r"\brespectively\b|分别", re.IGNORECASE)
_TITLE_END: Final = re.compile(r": |\s[-–—|]\s|\.\.\. ?")
#: What tells that a number is an earlier one, or another's.
_COMPARED: Final = re.compile(
    r"(?:\b(?:previously|formerly|earlier|prior|once|originally|initially|compared (?:to|with)|versus|vs\b"
    r"|against|than|relative to|used to be|instead of|rather than|unlike|last (?:week|month|year|quarter)'s)"
    r"|此前|之前|前值|原为|原先|上周|上月|去年|相比|高于|低于|而非)[^,;.，。；\d]{0,24}\Z",
    re.IGNORECASE,
)
#: Code points before a number in which such a word may begin.
_COMPARED_WITHIN: Final = 16
_BEFORE_NOW: Final = re.compile(
    r"\s*(?:[A-Z]{2,6} )?(?:(?:a|an|one|two|three|\d+|the) )?"
    r"(?:(?:hour|day|week|month|quarter|year)s? (?:ago|earlier|before|prior|previously)|previously\b"
    r"|(?:the )?(?:previous|prior) (?:day|week|month|quarter|year)|last (?:week|month|quarter|year)\b"
    r"|at launch\b|before the\b)",
    re.IGNORECASE,
)
_POSSESSED: Final = re.compile(
    r"['’]s (?:v\d )?| (?:v\d )?(?:lending |supply |deposit )?(?:pool|market|vault) (?:on|of|at|in) |的",
    re.IGNORECASE,
)
_QUALIFIERS: Final = content_words(" ".join(QUALIFIERS))


@dataclass(frozen=True, slots=True)
class Bound:
    """A number of a sentence with what it goes with.

    ``close`` has the stems of the words that lead up to it and of what it counts, ``around`` those of its
    clause, ``qualifiers`` those of them that narrow what it is of; ``direction`` is that of the words before.
    """

    quantity: Quantity
    subjects: frozenset[str]
    metric: str
    windows: frozenset[str]
    dates: frozenset[str]
    manner: frozenset[Manner]
    close: frozenset[str]
    qualifiers: frozenset[str]
    direction: int
    around: frozenset[str]


class Tagged(Tags):
    """A sentence whose numbers are bound to what they are of."""

    @cached_property
    def bound(self) -> tuple[Bound, ...]:
        """Every number with what it goes with, in order."""
        found: list[Bound] = []
        bases: list[str] = []
        for index, number in enumerate(self.numbers):
            bound, base = self._bind(index, number, bases)
            found.append(bound)
            bases.append(base)
        return tuple(found)

    def _bind(self, index: int, number: Quantity, bases: list[str]) -> tuple[Bound, str]:
        clause = self.clause_of(number.start)
        spot = self._spot(index, number, clause)
        subjects, clear = self._subjects(clause)
        what = measured(self, spot, subjects, bases)
        if what.metric == "ath/change":  # what is "71% below its record" has changed by -71%
            number = replace(number, value=-abs(number.value), signed=True)
        if not subjects and metric_units().get(what.base) == "count" and len(self.unit_names) == 1:
            subjects = self.unit_names
        manner = self._manner(spot)
        several = len(self.numbers) > 1 and _RESPECTIVELY.search(self.text)
        if not clear or not what.certain or several:
            manner.add("unclear")
        windows, dates = self._moments(spot)
        close = content_words(self.masked[spot.lead : number.start])
        if spot.previous > spot.first:  # what leads up to the first number of a clause leads up to all
            close |= content_words(self.masked[spot.first : spot.previous])
        close |= noun_behind(self, number, spot.following)
        around = content_words(self.masked[spot.first : spot.last]) | close
        bound = Bound(
            quantity=number, subjects=subjects, metric=what.metric, windows=windows, dates=dates,
            manner=frozenset(manner), close=close, qualifiers=around & _QUALIFIERS,
            direction=direction(self.text[spot.lead : number.start]), around=around,
        )  # fmt: skip
        return bound, what.base

    def _spot(self, index: int, number: Quantity, clause: int) -> Spot:
        first, last = self.clauses[clause]
        following = self.numbers[index + 1].start if index + 1 < len(self.numbers) else len(self.text)
        before = index - 1
        if before >= 0 and number.mention.role == "range" == self.numbers[before].mention.role:
            before -= 1  # both ends of a range count as one number
        previous = self.numbers[before].end if before >= 0 else 0
        return Spot(index, number, self._hard_start(first, number.start), last, previous, following)

    def _hard_start(self, first: int, start: int) -> int:
        """Where what is said begins, behind a title: "HYPE chart - Site: The price of HYPE is 5"."""
        for match in reversed(list(_TITLE_END.finditer(self.text, first, start))):
            named = any(match.end() <= name.start < start for name in self.names)
            if named and any(match.end() <= metric.start < start for metric in self.metrics):
                return match.end()
        parted = max(self.text.rfind(";", first, start), self.text.rfind("；", first, start))
        return max(first, parted + 1)

    def _subjects(self, clause: int) -> tuple[frozenset[str], bool]:
        """The names that a clause, or the last one before it with names, has; and whether they are one."""
        for at in range(clause, -1, -1):
            names = self.names_in(*self.clauses[at])
            if names:
                assets = {name.value for name in names if name.kind == "asset"}
                return names_of(names), len(assets) <= 1 or self._of_one(names)
        return frozenset(), True

    def _of_one(self, names: tuple[Name, ...]) -> bool:
        """Whether two names name one thing: "Aave's USDC", "the USDC pool on Aave"."""
        return len(names) == 2 and bool(_POSSESSED.fullmatch(self.text, names[0].end, names[1].start))

    def _manner(self, spot: Spot) -> set[Manner]:
        number, clause = spot.number, self.text[spot.first : spot.last]
        lead = self.text[max(0, spot.lead - _COMPARED_WITHIN) : number.start]
        compared = _COMPARED.search(lead) or _BEFORE_NOW.match(self.text, number.end)
        told: dict[Manner, bool] = {
            "forecast": self.forecasts and (forecast(self.text[: number.start]) or forecast(clause)),
            "denied": number.mention.negated or (self.denies and denial(clause)),
            "limit": bool(number.limit),
            "approximate": number.about,
            "earlier": number.mention.earlier or compared is not None,
            "range": number.mention.role == "range",
            "question": self.text.rstrip().endswith(("?", "？")),
        }
        return {manner for manner, holds in told.items() if holds}

    def _moments(self, spot: Spot) -> tuple[frozenset[str], frozenset[str]]:
        """The windows and the dates that go with a number."""
        inside = [period for period in self.periods if spot.first <= period.start < spot.last]
        windows = [period for period in inside if not period.dated]
        before = [each for each in windows if spot.previous <= each.start < spot.number.start]
        goes_on = spot.following < spot.last
        after = [
            each
            for each in windows
            if spot.number.end <= each.start < spot.following
            and not (goes_on and any(each.end <= metric.start < spot.following for metric in self.metrics))
        ]
        counted = before if before and goes_on else before + after
        dates = [period for period in inside if period.dated]
        behind = [period for period in dates if spot.number.end <= period.start < spot.following]
        if len(dates) > 1 and len(behind) == 1 and self._dated_each(spot):
            dates = behind  # "from 5 on 2 May to 3 on 9 May"
        return frozenset(period.value for period in counted), frozenset(period.value for period in dates)

    def _dated_each(self, spot: Spot) -> bool:
        """Whether one date stands behind each number of a clause, and none before the first."""
        numbers = [n for n in self.numbers if spot.first <= n.start < spot.last]
        edges = [number.end for number in numbers] + [spot.last]
        dates = [p.start for p in self.periods if p.dated and spot.first <= p.start < spot.last]
        behind = [sum(edges[at] <= each < edges[at + 1] for each in dates) for at in range(len(numbers))]
        return len(numbers) > 1 and behind == [1] * len(numbers) and len(dates) == len(numbers)
