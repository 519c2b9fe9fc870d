"""The parts of a sentence that each state something, by one rule.

A sentence is cut where two neighbours could stand in the place of each other, and each states something:
two clauses or two verbs of one subject ("X rose 5 % and Y fell 3 %"), two values ("at $36, down 5 %", "with a
market cap of $9B"), or the members of a list ("reported by Reuters, Bloomberg and the FT"; see
:mod:`~verifaible.claims.lists`). Nothing is cut inside brackets, quotation marks, names, numbers and
dates, in a condition, nor where one side would state nothing: two facts stay one claim then, none is lost.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from verifaible.claims.facts import Fact
from verifaible.claims.kinds import is_measured
from verifaible.claims.lists import LABEL, Part, in_turn, members
from verifaible.claims.verbs import finite_verb
from verifaible.claims.words import CONDITIONS_HAN, CONTRASTS, DISCOURSE, DISCOURSE_HAN, SUBORDINATORS
from verifaible.text.language import HAN

PROTECTED = re.compile(
    r"\((?:[^()]|\([^()]*\))*\)|（[^（）]*）|\[[^\[\]]*\]|“[^“”]*”|「[^「」]*」|『[^『』]*』|《[^《》]*》"
    r"|«[^«»]*»|(?<!\w)\"[^\"]*\"(?!\w)"
)
SEPARATOR = re.compile(
    r"[ \t]*(?:；|;(?!\w))[ \t]*(?:(?:and|but|while|whereas|yet)[ \t]+)?"
    r"|[ \t]+[-–—][ \t]*(?:and|but|while|whereas|yet|though)[ \t]+|—(?:and|but|while|whereas)[ \t]+"
    r"|[ \t]*[,，][ \t]*(?:(?:and|but|while|whereas|although|though|yet|or|plus|with)[ \t]+)?"
    r"|(?<=\S)[ \t]+(?!and[ \t]+an?[ \t]+(?:half|quarter|third)\b(?![ \t]+of\b))"
    r"(?:and|but|while|whereas|with)[ \t]+"
    r"|、|(?<=[\u3400-\u9fff）\d%])(?:和|与|及|以及)(?=\S)",
    re.IGNORECASE,
)
CONJUNCTION = re.compile(r"(?:and|but|while|whereas|although|though|yet|or|with|plus)\b", re.IGNORECASE)
LEADS = re.compile(
    rf"\s*(?:(?:{DISCOURSE})\s*[,:，：]\s*|(?:{DISCOURSE_HAN})\s*[,，:：]\s*"
    r"|(?:and|but|so|yet|or)\s+(?=\w)|(?:但是|但|而|同时|并且|并|且|然而|不过)(?=[^\W_]))",
    re.IGNORECASE,
)
#: What the author adds of his own to what he states.
OWN_VIEW = re.compile(
    r"(?:which|that)?\s*\b(?:i|we)\s+(?:think|believe|consider|regard|view|see|expect)\b"
    r"|(?:in|to)\s+(?:my|our)\s+(?:view|opinion|mind|judge?ment)\b|(?:在)?(?:我|我们)(?:认为|觉得|看来)",
    re.IGNORECASE,
)
CONCESSION = re.compile(r"\s*(?:(?:while|whereas|although|though)\s+|虽然|尽管)(?=\S)", re.IGNORECASE)
BETWEEN = re.compile(r"\b(?:between|both)\b((?:(?!\bbetween\b|\bboth\b).)*)\Z", re.IGNORECASE)
THAT = re.compile(r"that\b", re.IGNORECASE)
REPORTS = re.compile(r"\b(?:that|said|says|reported|reports)\b", re.IGNORECASE)

#: What a part takes over from the one before it: nothing, its subject, or subject and verb.
Carried: TypeAlias = Literal["", "subject", "head"]

#: A sentence with more commas than this is a list without an end.
_MOST_GAPS: Final = 150
#: Signs that only hold the parts of a list together.
_LIST_SIGNS: Final = ("、", "和", "与", "及", "以")
_SAYS = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class _Gap:
    start: int
    end: int
    sign: str
    conjunction: str

    @property
    def comma(self) -> bool:
        """Whether a sign parts, not a conjunction alone."""
        return not self.sign.isalpha()


def parts_of(text: str, facts: Sequence[Fact], *, alone: bool = False) -> tuple[Part, ...]:
    """The parts of a sentence in order; together they hold all of it but signs and connectors between them.

    Args:
        text: the plain sentence.
        facts: those in it (:func:`verifaible.claims.facts.find_facts`).
        alone: whether it is a cell or an item, which may be a list and nothing else.
    """
    if listed := in_turn(text, facts):
        return listed
    cutting = _Cutting(text, facts)
    parts = [_without_lead(text, part) for part in cutting.parts()]
    return tuple(each for part in parts for each in members(text, part, facts, cutting.barred, alone=alone))


def _without_lead(text: str, part: Part) -> Part:
    """A part without the words that only join it to what was said."""
    for pattern in (LEADS, CONCESSION):
        if pattern is CONCESSION and (part.start > 3 or part.end >= len(text.rstrip(" .。"))):
            continue
        match = pattern.match(text, part.start, part.end)
        if match and _SAYS.search(text, match.end(), part.end):
            part = Part(match.end(), part.end, part.words, part.head)
    return part


class _Cutting:
    """Cuts one sentence, from left to right."""

    def __init__(self, text: str, facts: Sequence[Fact]) -> None:
        self._text = text
        self._values = [
            fact
            for fact in facts
            if fact.kind == "date" or (fact.kind == "number" and is_measured(text, fact))
        ]
        self._starts = [fact.start for fact in self._values]
        label = LABEL.match(text)
        #: where the words behind a label begin
        self._body = label.end() if label else 0
        self.barred = barred = _inside(text, facts)
        self._gaps = [
            _Gap(match.start(), match.end(), match[0].strip()[:1], _conjunction(match[0]))
            for match in SEPARATOR.finditer(text)
            if match.start() > 0 and match.end() < len(text) and not any(barred[match.start() : match.end()])
        ][:_MOST_GAPS]

    def parts(self) -> list[Part]:
        """The parts."""
        parts: list[Part] = []
        start, head = 0, ""
        for number, gap in enumerate(self._gaps):
            carried = self._carried(start, gap, self._until(number)) if gap.start > start else None
            if carried is None:
                continue
            parts.append(Part(start, gap.start, head=head))
            head = self._head(parts, carried)
            start = gap.end
        parts.append(Part(start, len(self._text), head=head))
        return parts

    def _until(self, number: int) -> int:
        """Where the next gap begins that may part clauses."""
        loose = self._gaps[number].conjunction == "with"
        following = (gap for gap in self._gaps[number + 1 :] if loose or gap.conjunction != "with")
        return next((gap.start for gap in following), len(self._text))

    def _head(self, parts: Sequence[Part], carried: Carried) -> str:
        """What the next part takes over from the last one that had a subject of its own."""
        if not carried:
            return ""
        own = next((part for part in reversed(parts) if not part.head), parts[0])
        words = self._text[max(own.start, self._body if not own.start else 0) : own.end]
        verb = finite_verb(words)
        if verb is None or not words[: verb.start].strip():
            label = self._text[: self._body].strip(":： ")
            return label
        return words[: verb.end if carried == "head" else verb.start].strip(" ,，")

    # --- whether to cut

    def _carried(self, start: int, gap: _Gap, until: int) -> Carried | None:
        """What the part behind a gap takes over; None where the sentence is not cut there."""
        left, right = self._text[max(start, self._body) : gap.start], self._text[gap.end : until]
        if gap.start <= self._body or not (_SAYS.search(left) and _SAYS.search(right)):
            return None
        if OWN_VIEW.match(right):
            return ""
        if gap.sign in (";", "；"):
            verb = finite_verb(right) or finite_verb(self._text[gap.end :])
            return "head" if verb is None else "subject" if verb.bare else ""
        if self._conditional(left):
            concession = gap.comma and CONCESSION.match(left)
            return "" if concession and _is_clause(left[concession.end() :]) and _is_clause(right) else None
        carried: Carried | None = None
        if gap.conjunction != "with" and gap.sign not in _LIST_SIGNS:
            carried = self._clauses(start, left, gap, until)
        return self._added(start, gap, until) if carried is None else carried

    def _conditional(self, left: str) -> bool:
        """Whether a part has begun with a condition, a time or a concession that no comma has ended."""
        first = re.match(r"\W*([^\W_]+)", left)
        begins = (first and first[1].lower() in SUBORDINATORS | CONTRASTS) or re.match(CONDITIONS_HAN, left)
        return bool(begins) and not re.search(r",\s|，", left)

    def _clauses(self, start: int, left: str, gap: _Gap, until: int) -> Carried | None:
        """Coordinated clauses, and verbs with one subject."""
        right = self._text[gap.end : until]
        if THAT.match(right) and gap.conjunction == "and":
            return "head" if REPORTS.search(left) else None
        mine, other = finite_verb(left), finite_verb(right)
        values = bool(self._within(start, gap.start)), bool(self._within(gap.end, until))
        if mine is not None and mine.bare and start <= self._body:
            mine = None  # a noun that looks like a verb: no subject stands before it
        said = mine or (start and gap.comma and values[0])
        if other is None or not said or gap.conjunction == "or":
            return None
        han = gap.sign == "，" or HAN.search(right)
        if not (han or gap.conjunction or all(values) or self._listed(gap)):
            return None
        if han:
            return "subject"
        if other.bare:
            # "Fees were $3M and costs $2M": a plural has no verb in -s
            plural = mine and left[mine.start : mine.end].lower() in ("were", "are", "have")
            return "subject" if mine and not (plural and other.form == "third") else None
        # "as A and B can": the subject of the other verb began before the gap
        begun = not gap.comma and finite_verb(re.split(r"[,，—–;]", left)[-1]) is None
        return None if begun else ""

    def _listed(self, gap: _Gap) -> bool:
        """Whether a clause is one of a list of clauses: ``A is up 5 %, B is flat, and C fell``."""
        following = [each for each in self._gaps if each.start > gap.start][:2]
        if gap.conjunction or not following or following[0].conjunction != "and" or not following[0].comma:
            return False
        until = following[1].start if len(following) > 1 else len(self._text)
        return _is_clause(self._text[following[0].end : until])

    # --- values

    def _within(self, start: int, end: int) -> list[Fact]:
        low, high = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return [each for each in self._values[low:high] if each.end <= end]

    def _added(self, start: int, gap: _Gap, until: int) -> Carried | None:
        """Values that are added to a clause: ``, down 5 %``, ``and fees of $3M``, ``, $5.3M in Q2``."""
        mine, others = self._within(start, gap.start), self._within(gap.end, until)
        right = self._text[gap.end : until]
        if finite_verb(self._text[max(start, self._body) : gap.start]) and not HAN.search(right):
            # a date behind a clause says when that was
            mine, others = ([each for each in side if each.kind == "number"] for side in (mine, others))
        if not mine or not others or (_is_clause(right) and not HAN.search(right)):
            return None
        between = BETWEEN.search(self._text, start, gap.start)
        if between and gap.conjunction == "and" and " and " not in between[1]:
            return None
        return "subject" if gap.sign == "，" else "head"


def _is_clause(text: str) -> bool:
    verb = finite_verb(text)
    return verb is not None and not verb.bare


def _inside(text: str, facts: Sequence[Fact]) -> bytearray:
    """1 for each character that stands in brackets, in a quotation or in a fact."""
    barred = bytearray(len(text))
    closed = [match.span() for match in PROTECTED.finditer(text)]
    for start, end in (*closed, *((fact.start, fact.end) for fact in facts)):
        barred[start:end] = b"\1" * (end - start)
    return barred


def _conjunction(separator: str) -> str:
    match = CONJUNCTION.search(separator)
    return match[0].lower() if match else ""
