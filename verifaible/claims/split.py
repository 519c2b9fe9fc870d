"""The parts of a sentence that each state something, by one rule.

A sentence is cut where two neighbours could stand in the place of each other, and each states something:
two clauses or two verbs of one subject ("X rose 5 % and Y fell 3 %"), or two values ("at $36, down 5 %",
"with a market cap of $9B"). Nothing is cut inside brackets, quotation marks, names, numbers and dates, in a
condition, nor where one side would state nothing: two facts stay one claim then, none is lost. A list of
names is one claim, and so is a sentence that gives several their values in turn.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from verifaible.claims.facts import Fact, is_measured
from verifaible.claims.verbs import finite_verb
from verifaible.text.language import HAN

#: Words before a colon that say what the rest is about.
LABEL: Final = re.compile(r"\s*[^:：.。!?？,，;；]{1,60}[:：](?=\s|[^\x00-\x7f])\s*")
_PROTECTED: Final = re.compile(
    r"\((?:[^()]|\([^()]*\))*\)|（[^（）]*）|\[[^\[\]]*\]|“[^“”]*”|「[^「」]*」|『[^『』]*』|《[^《》]*》"
    r"|«[^«»]*»|(?<!\w)\"[^\"]*\"(?!\w)"
)
_SEPARATOR: Final = re.compile(
    r"[ \t]*(?:；|;(?!\w))[ \t]*(?:(?:and|but|while|whereas|yet)[ \t]+)?"
    r"|[ \t]+[-–—][ \t]*(?:and|but|while|whereas|yet|though)[ \t]+|—(?:and|but|while|whereas)[ \t]+"
    r"|[ \t]*[,，][ \t]*(?:(?:and|but|while|whereas|although|though|yet|or|plus|with)[ \t]+)?"
    r"|(?<=\S)[ \t]+(?!and[ \t]+an?[ \t]+(?:half|quarter|third)\b(?![ \t]+of\b))"
    r"(?:and|but|while|whereas|with)[ \t]+"
    r"|、|(?<=[\u3400-\u9fff）\d%])(?:和|与|及|以及)(?=\S)",
    re.IGNORECASE,
)
_CONJUNCTION: Final = re.compile(
    r"(?:and|but|while|whereas|although|though|yet|or|with|plus)\b", re.IGNORECASE
)
#: Words that only join a part to what was said.
_LEADS: Final = re.compile(
    r"\s*(?:(?:in summary|in short|in conclusion|overall|however|moreover|furthermore|in addition|meanwhile"
    r"|therefore|notably|finally)\s*[,:]\s*|(?:总体来看|总的来说|总之|综上所述|此外|另外|因此|值得注意的是)\s*[,，:：]\s*"
    r"|(?:and|but|so|yet|or)\s+(?=\w)|(?:但是|但|而|同时|并且|并|且|然而|不过)(?=[^\W_]))",
    re.IGNORECASE,
)
#: Begin a clause that says no more than when, why or on which condition.
_CONDITION: Final = re.compile(
    r"\W*(?:(?:if|when|once|unless|until|because|since|as|given|despite|after|before|assuming|provided|should"
    r"|with|without|due|owing|for|by|in|on|at|according|based|from|under|over|during|through|across|among"
    r"|while|whereas|although|though)(?![^\W_])"
    r"|若|如果|如|一旦|假如|倘若|只要|除非|当|随着|由于|因为|鉴于|在|于|自|截至|截止|据|根据|按照|按|对于|对|从|通过|为了|作为)",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(r"\b(?:between|both)\b(?:(?!\b(?:between|both|and)\b).)*\Z", re.IGNORECASE)
_IN_TURN: Final = re.compile(r"\brespectively\b|分别|分別", re.IGNORECASE)
#: A sentence with more commas than this is a list without an end.
_MOST_GAPS: Final = 150
#: Signs that only hold the parts of a list together.
_LIST_SIGNS: Final = ("、", "和", "与", "及", "以")
_SAYS: Final = re.compile(r"[^\W_]")

#: What a part takes over from the one before it: nothing, its subject, or subject and verb.
_Carried: TypeAlias = Literal["", "subject", "head"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sentence: ``text[start:end]``; ``head`` is what it takes over from the part before it."""

    start: int
    end: int
    head: str = ""


@dataclass(frozen=True, slots=True)
class _Gap:
    start: int
    end: int
    sign: str
    conjunction: str


def parts_of(text: str, facts: Sequence[Fact]) -> tuple[Part, ...]:
    """The parts of a sentence in order; together they hold all of it but signs and connectors between them.

    Args:
        text: the plain sentence.
        facts: those in it (:func:`verifaible.claims.facts.find_facts`).
    """
    return tuple(_without_lead(text, part) for part in _Cutting(text, facts).parts())


def _without_lead(text: str, part: Part) -> Part:
    match = _LEADS.match(text, part.start, part.end)
    said = match and _SAYS.search(text, match.end(), part.end)
    return Part(match.end(), part.end, part.head) if match and said else part


class _Cutting:
    """Cuts one sentence, from left to right."""

    def __init__(self, text: str, facts: Sequence[Fact]) -> None:
        self._text = text
        self._values = [each for each in facts if each.kind == "date" or is_measured(text, each)]
        self._starts = [fact.start for fact in self._values]
        label = LABEL.match(text)
        #: where the words behind a label begin
        self._body = label.end() if label else 0
        whole = [match.span() for match in _PROTECTED.finditer(text)]
        whole += [(fact.start, fact.end) for fact in facts]
        barred = bytearray(len(text))
        for start, end in whole:
            barred[start:end] = b"\1" * (end - start)
        self._gaps = [
            _Gap(match.start(), match.end(), match[0].strip()[:1], _conjunction(match[0]))
            for match in (() if _IN_TURN.search(text) else _SEPARATOR.finditer(text))
            if match.start() > 0 and match.end() < len(text) and not any(barred[match.start() : match.end()])
        ][:_MOST_GAPS]

    def parts(self) -> list[Part]:
        """The parts."""
        parts: list[Part] = []
        start, head = 0, ""
        ends = [*(gap.start for gap in self._gaps[1:]), len(self._text)]
        for gap, until in zip(self._gaps, ends, strict=False):
            carried = self._carried(start, gap, until) if gap.start > start else None
            if carried is not None:
                parts.append(Part(start, gap.start, head))
                head = self._head(parts, carried)
                start = gap.end
        return [*parts, Part(start, len(self._text), head)]

    def _head(self, parts: Sequence[Part], carried: _Carried) -> str:
        """What the next part takes over from the last one that had a subject of its own."""
        if not carried:
            return ""
        own = next((part for part in reversed(parts) if not part.head), parts[0])
        words = self._text[max(own.start, self._body if not own.start else 0) : own.end]
        verb = finite_verb(words)
        if verb is None or not words[: verb.start].strip():
            return self._text[: self._body].strip(":： ")
        return words[: verb.end if carried == "head" else verb.start].strip(" ,，")

    def _carried(self, start: int, gap: _Gap, until: int) -> _Carried | None:
        """What the part behind a gap takes over; None where the sentence is not cut there."""
        left, right = self._text[max(start, self._body) : gap.start], self._text[gap.end : until]
        if gap.start <= self._body or not (_SAYS.search(left) and _SAYS.search(right)):
            return None
        if gap.sign in (";", "；"):
            verb = finite_verb(right) or finite_verb(self._text[gap.end :])
            return "head" if verb is None else "subject" if verb.bare else ""
        if _CONDITION.match(left) and not re.search(r",\s|，", left):
            return None
        carried: _Carried | None = None
        if gap.conjunction not in ("with", "or") and gap.sign not in _LIST_SIGNS:
            carried = self._clauses(start, left, right, gap, until)
        return self._added(start, gap, until) if carried is None else carried

    def _clauses(self, start: int, left: str, right: str, gap: _Gap, until: int) -> _Carried | None:
        """Coordinated clauses, and verbs with one subject."""
        mine, other = finite_verb(left), finite_verb(right)
        values = bool(self._within(start, gap.start)), bool(self._within(gap.end, until))
        if mine is not None and mine.bare and start <= self._body:
            mine = None  # a noun that looks like a verb: no subject stands before it
        comma = not gap.sign.isalpha()
        if other is None or not (mine or (start and comma and values[0])):
            return None
        if gap.sign == "，" or HAN.search(right):
            return "subject"
        if not (gap.conjunction or all(values)):
            return None
        if other.bare:
            return "subject" if mine else None
        # "as A and B can": the subject of the other verb began before the gap
        begun = not comma and finite_verb(re.split(r"[,，—–;]", left)[-1]) is None
        return None if begun else ""

    def _added(self, start: int, gap: _Gap, until: int) -> _Carried | None:
        """Values that are added to a clause: ``, down 5 %``, ``and fees of $3M``, ``, $5.3M in Q2``."""
        mine, others = self._within(start, gap.start), self._within(gap.end, until)
        right = self._text[gap.end : until]
        han = HAN.search(right) is not None
        if not han and finite_verb(self._text[max(start, self._body) : gap.start]):
            # a date behind a clause says when that was
            mine, others = ([each for each in side if each.kind == "number"] for side in (mine, others))
        verb = finite_verb(right)
        if not mine or not others or (verb and not verb.bare and not han):
            return None
        if gap.conjunction == "and" and _BETWEEN.search(self._text, start, gap.start):
            return None
        return "subject" if gap.sign == "，" else "head"

    def _within(self, start: int, end: int) -> list[Fact]:
        low, high = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return [each for each in self._values[low:high] if each.end <= end]


def _conjunction(separator: str) -> str:
    match = _CONJUNCTION.search(separator)
    return match[0].lower() if match else ""
