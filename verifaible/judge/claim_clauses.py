"""The parts of a sentence that each state something, by rule.

A sentence is cut between coordinated clauses ("X rose 5 % and Y fell 3 %", "；", "，而"), between a clause
and the values that follow it ("at $36, down 5 %", "with a market cap of $9B"), and in lists of values with
their names. ``respectively`` and ``分别`` are resolved. Nothing is cut inside brackets, quotation marks,
names, numbers and dates, nor where one side would state nothing: then two facts stay one claim, and none is
lost.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from verifaible.answers.facts import Found
from verifaible.judge.claim_kinds import is_measured
from verifaible.judge.claim_listed import in_turn
from verifaible.judge.claim_part import Part
from verifaible.judge.claim_patterns import (
    BETWEEN,
    CHANGE,
    COMPARED,
    CONCESSION,
    CONJUNCTION,
    COUNTED,
    DEPENDENT,
    FUNCTION_WORDS,
    HAN,
    LABEL,
    LEADS,
    LED_BY,
    OWN_VIEW,
    PREPOSITION,
    PROTECTED,
    REPORTS,
    SEPARATOR,
    SPAN,
    THAT,
    TIMES,
    WITH_VALUE,
)
from verifaible.judge.claim_verbs import Verb, finite_verb
from verifaible.judge.claim_words import (
    ADDERS,
    CONDITIONS_HAN,
    CONTRASTS,
    ENTITIES_HAN,
    JOINS_HAN,
    SUBJECTS_HAN,
    SUBORDINATORS,
    VERBS_HAN,
)

#: What a part takes over from the one before it: nothing, its subject, or subject and verb.
Carried: TypeAlias = Literal["", "subject", "head"]

_SHARED_VERBS: Final = ("goes", "went", "are", "is", "was", "were")
_LONGEST_HEAD: Final = 80
#: A sentence with more commas than this is a list without an end.
_MOST_GAPS: Final = 150
_SUBJECT_WORDS: Final = 9
#: Signs that only hold the parts of a list together.
_LIST_SIGNS: Final = ("、", "和", "与", "及", "以")


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


def parts_of(text: str, facts: Sequence[Found]) -> tuple[Part, ...]:
    """The parts of a sentence in order; together they hold all of it but signs and connectors between them.

    Args:
        text: the plain sentence.
        facts: those in it (:func:`verifaible.answers.facts.find_facts`).
    """
    listed = in_turn(text, facts)
    if listed:
        return listed
    return tuple(_without_lead(text, part) for part in _Cutting(text, facts).parts())


def _without_lead(text: str, part: Part) -> Part:
    """A part without the words that only join it to what was said."""
    for pattern in (LEADS, CONCESSION):
        if pattern is CONCESSION and (part.start > 3 or part.end >= len(text.rstrip(" .。"))):
            continue
        match = pattern.match(text, part.start, part.end)
        if match and re.search(r"[^\W_]", text[match.end() : part.end]):
            part = Part(match.end(), part.end, part.words, part.head)
    return part


class _Cutting:
    """Cuts one sentence, from left to right."""

    def __init__(self, text: str, facts: Sequence[Found]) -> None:
        self._text = text
        closed = [match.span() for match in PROTECTED.finditer(text)]
        self._closed = closed
        self._values = [
            fact
            for fact in facts
            if fact.kind == "date" or (fact.kind == "number" and is_measured(text, fact))
        ]
        self._value_starts = [fact.start for fact in self._values]
        self._all_numbers = [fact for fact in self._values if fact.kind == "number"]
        self._number_starts = [fact.start for fact in self._all_numbers]
        label = LABEL.match(text)
        #: where the words behind a label begin
        self._body = label.end() if label else 0
        barred = _inside(len(text), closed, facts)
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
            until = self._until(number)
            carried = self._cut(start, gap, until) if gap.start > start else None
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
            return label or self._first_words(words)
        han = re.search(r"于|在|自|将|已|共|" + VERBS_HAN, words) if HAN.search(words) else None
        subject = han.start() if han and han.start() else verb.start
        return words[: verb.end if carried == "head" else subject].strip(" ,，")

    def _first_words(self, words: str) -> str:
        """How a part without a verb that we know begins: up to a relative clause, or to its first digit."""
        end = re.search(r",\s*(?:which|who|whose|where)\b|[,，]?\s*[$€£¥~≈]?\d", words)
        found = words[: end.start()].strip(" ,，") if end else ""
        return found if len(found) <= _LONGEST_HEAD else ""

    # --- whether to cut

    def _cut(self, start: int, gap: _Gap, until: int) -> Carried | None:
        """What the part behind a gap takes over; None where the sentence is not cut there."""
        left, right = self._text[max(start, self._body) : gap.start], self._text[gap.end : until]
        carried: Carried | None = None
        if gap.start <= self._body or not re.search(r"[^\W_]", right):
            pass
        elif OWN_VIEW.match(right) and re.search(r"[^\W_]", left):
            carried = ""
        elif gap.sign in _LIST_SIGNS:
            carried = "head" if self._items(start, gap, until) else None
        elif gap.sign in (";", "；"):
            carried = self._taken(gap.end, right) if re.search(r"[^\W_]", left) else None
        elif self._conditional(left):
            carried = self._behind_concession(left, gap, right)
        elif HAN.search(left[-12:] + right[:12]) and gap.sign in (",", "，"):
            carried = self._cut_han(left, right, start, gap, until)
        elif gap.conjunction == "with":
            carried = self._behind_with(start, gap, until)
        else:
            carried = self._joined(start, left, gap, until)
        return carried

    def _behind_with(self, start: int, gap: _Gap, until: int) -> Carried | None:
        """``, with a market cap of $9B``."""
        if self._has_value(start, gap.start) and self._with_value(gap, until):
            return "subject"
        return self._added(start, gap, until) if gap.comma else None

    def _joined(self, start: int, left: str, gap: _Gap, until: int) -> Carried | None:
        mine, other = finite_verb(left), finite_verb(self._text[gap.end : until])
        if mine is None and start and gap.comma and gap.conjunction and other and not other.bare:
            return "" if self._has_value(start, gap.start) else None  # "..., a 22 % increase, while Y fell"
        carried: Carried | None = None
        if mine and (not mine.bare or self._goes_on(left)) and left[mine.end :].strip():
            carried = self._clauses(start, left, mine, gap, until)
        if carried is None:
            carried = self._added(start, gap, until)
        return "head" if carried is None and self._labelled(start, gap, until) else carried

    def _labelled(self, start: int, gap: _Gap, until: int) -> bool:
        """Whether two neighbours behind a label, without a verb, both give a value and say of what."""
        left, right = self._text[max(start, self._body) : gap.start], self._text[gap.end : until]
        if not self._body or not gap.comma or gap.conjunction or finite_verb(left) or finite_verb(right):
            return False
        return all(
            self._named_value(*span) for span in ((max(start, self._body), gap.start), (gap.end, until))
        )

    def _named_value(self, start: int, end: int) -> bool:
        values = [each for each in self._values[slice(*self._among(start, end))] if each.end <= end]
        words = self._text[start:end]
        for each in values:
            words = words.replace(each.raw, " ", 1)
        named = [word for word in re.findall(r"[^\W\d_]{3,}", words) if not FUNCTION_WORDS.fullmatch(word)]
        return bool(values and named)

    def _taken(self, at: int, right: str) -> Carried:
        verb = finite_verb(right) or finite_verb(self._text[at:])
        return "" if verb and not verb.bare else "subject" if verb else "head"

    def _conditional(self, left: str) -> bool:
        """Whether a part has begun with a condition, a time or a concession that no comma has ended."""
        if re.match(CONDITIONS_HAN, left):
            return not re.search(r"[,，]", left)
        first = re.match(r"\W*([^\W_]+)", left)
        word = first[1].lower() if first else ""
        return word in (SUBORDINATORS | CONTRASTS) and not re.search(r"[,，]\s", left)

    def _behind_concession(self, left: str, gap: _Gap, right: str) -> Carried | None:
        """``While X rose, Y fell``: both are stated."""
        if gap.sign not in (",", "，") or not CONCESSION.match(left):
            return None
        verb, other = finite_verb(CONCESSION.sub("", left, count=1)), finite_verb(right)
        return "" if verb and not verb.bare and other and not other.bare else None

    def _clauses(self, start: int, left: str, mine: Verb, gap: _Gap, until: int) -> Carried | None:
        """Coordinated clauses, and verbs with one subject."""
        right = self._text[gap.end : until]
        if THAT.match(right) and gap.conjunction == "and":
            return "head" if REPORTS.search(left) else None
        other = finite_verb(right)
        values = (self._has_value(start, gap.start), self._has_value(gap.end, until))
        loose = gap.conjunction in ("", "plus") and not all(values) and not self._listed(gap, other)
        if other is None or gap.conjunction == "or" or loose:
            return None
        if other.bare:
            plural = left[mine.start : mine.end].lower() in ("were", "are", "have") and other.form == "third"
            return "subject" if _alike(mine, other, values=any(values)) and not plural else None
        subject = right[: other.start]
        # "as A and B can": the subject of the other verb began before the gap
        begun = not gap.comma and finite_verb(re.split(r"[,，—–;]", left)[-1]) is None
        long = len(re.findall(r"[^\W_]+", subject)) > _SUBJECT_WORDS
        return None if begun or long or DEPENDENT.match(subject) else ""

    def _listed(self, gap: _Gap, other: Verb | None) -> bool:
        """Whether a clause is one of a list of clauses: ``A is up 5 %, B is flat, and C fell``."""
        if other is None or other.bare or gap.conjunction:
            return False
        following = [each for each in self._gaps if each.start > gap.start][:2]
        if not following or following[0].conjunction != "and" or not following[0].comma:
            return False
        until = following[1].start if len(following) > 1 else len(self._text)
        last = finite_verb(self._text[following[0].end : until])
        return last is not None and not last.bare

    def _goes_on(self, left: str) -> bool:
        """Whether a part whose verb has no subject takes it over from the part before it."""
        return not self._text[self._body :].startswith(left)

    # --- values

    def _has_value(self, start: int, end: int) -> bool:
        return any(fact.end <= end for fact in self._values[slice(*self._among(start, end))])

    def _numbers(self, start: int, end: int) -> list[Found]:
        low = bisect_left(self._number_starts, start)
        high = bisect_left(self._number_starts, end)
        return [each for each in self._all_numbers[low:high] if each.end <= end]

    def _added(self, start: int, gap: _Gap, until: int) -> Carried | None:
        """Values that are added to a clause: ``, down 5 %``, ``and fees of $3M``, ``, $5.3M in Q2``."""
        right = self._text[gap.end : until]
        if not self._numbers(start, gap.start) or not self._numbers(gap.end, until):
            return None
        first = re.match(r"[^\W_]+", right)
        if gap.conjunction == "" and (
            (first and first[0].lower() in ADDERS)
            or LED_BY.match(right)
            or CHANGE.match(right)
            or COMPARED.match(right)
        ):
            return "subject"
        between = BETWEEN.search(self._text, start, gap.start)
        if between and gap.conjunction == "and" and " and " not in between[1]:
            return None
        return "head" if self._items(start, gap, until) else None

    def _items(self, start: int, gap: _Gap, until: int) -> bool:
        """Whether two neighbours in a list both have a name, or a preposition's, with a value."""
        mine, others = self._numbers(start, gap.start), self._numbers(gap.end, until)
        if not mine or not others:
            return False
        bracketed = self._in_brackets(others[0])
        verb = finite_verb(self._text[gap.end : until])
        clause = verb is not None and not verb.bare and not HAN.search(self._text)
        if clause or bracketed != self._in_brackets(mine[-1]):
            return False
        named = self._text[gap.end : others[0].start].rstrip("(（ ")
        if bracketed or (named and not FUNCTION_WORDS.fullmatch(named)):
            return bool(named) and not FUNCTION_WORDS.fullmatch(named)
        behind = PREPOSITION.match(self._text, others[0].end, until)
        before = PREPOSITION.match(self._text, mine[-1].end, gap.start)
        if behind and before:
            return before[1].lower() in (behind[1].lower(), *_SHARED_VERBS)
        if self._counted(mine[-1], gap.start) and self._counted(others[0], until):
            return True
        spans = (SPAN.match(self._text, mine[-1].end), SPAN.match(self._text, others[0].end))
        return all(spans) or all(
            self._dated(low, high) for low, high in ((start, gap.start), (gap.end, until))
        )

    def _counted(self, number: Found, until: int) -> bool:
        """Whether nothing but what it counts stands behind a number: ``12M USDC``, ``340M circulating``."""
        word = COUNTED.match(self._text, number.end, until)
        if word is None or word[1].lower() in TIMES or FUNCTION_WORDS.fullmatch(word[1]):
            return False
        return re.fullmatch(r"\s*(?:[(（].*[)）])?\s*[.。]?\s*", self._text[word.end() : until]) is not None

    def _dated(self, start: int, end: int) -> bool:
        return any(fact.kind == "date" for fact in self._values[slice(*self._among(start, end))])

    def _among(self, start: int, end: int) -> tuple[int, int]:
        return bisect_left(self._value_starts, start), bisect_left(self._value_starts, end)

    def _in_brackets(self, fact: Found) -> bool:
        return any(start < fact.start and fact.end < end for start, end in self._closed)

    def _with_value(self, gap: _Gap, until: int) -> bool:
        numbers = self._numbers(gap.end, until)
        named = WITH_VALUE.match(self._text, gap.end, until)
        return bool(numbers and named and named.end() <= numbers[0].start + 1)

    # --- Chinese

    def _cut_han(self, left: str, right: str, start: int, gap: _Gap, until: int) -> Carried | None:
        values = (self._has_value(start, gap.start), self._has_value(gap.end, until))
        says = (bool(re.search(VERBS_HAN, left)), bool(re.search(VERBS_HAN, right)))
        joined = re.match(JOINS_HAN, right)
        rest = right[joined.end() :] if joined else right
        named = re.match(rf"\s*(?:{ENTITIES_HAN}|[A-Z])", rest) is not None
        carried: Carried = "" if named else "subject"
        own = re.match(rf"\s*(?:{SUBJECTS_HAN})", rest) is not None
        if joined:
            cut = (values[0] or says[0]) and (values[1] or says[1])
        elif all(values):
            number = self._numbers(gap.end, until)
            alone = number and FUNCTION_WORDS.fullmatch(self._text[gap.end : number[0].start] or " ")
            cut = not alone or bool(re.search(VERBS_HAN, self._text[number[0].end : until]))
        else:
            cut = any(values) and all(says) and own
        return carried if cut else None


def _inside(length: int, closed: Sequence[tuple[int, int]], facts: Sequence[Found]) -> bytearray:
    """1 for each character that stands in brackets, in a quotation or in a fact."""
    barred = bytearray(length)
    for start, end in (*closed, *((fact.start, fact.end) for fact in facts)):
        barred[start:end] = b"\1" * (end - start)
    return barred


def _conjunction(separator: str) -> str:
    match = CONJUNCTION.search(separator)
    return match[0].lower() if match else ""


def _alike(mine: Verb, other: Verb, *, values: bool) -> bool:
    """Whether two verbs can have one subject: forms that go together, not a list of participles."""
    forms = {mine.form, other.form}
    if forms in ({"third"}, {"past"}, {"aux"}, {"aux", "third"}):
        return True
    return forms in ({"aux", "past"}, {"third", "past"}) and values
