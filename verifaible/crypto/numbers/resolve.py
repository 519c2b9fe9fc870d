"""Every number of an answer, with the place in the data that it rests on, or why it rests on none.

The answerer writes behind each number a mark: ``[src_2#/bitcoin/usd]``, a source and a JSON Pointer in it, or
``[calc_1]``, a computed value. A number is resolved if the value there is the one written, in the digits and
the scale shown, and if nothing that the sentence says of it (asset, field, unit, date) contradicts what the
data say that the value is. Nothing is guessed: a number without a mark is not looked for in the data, and
what no tool declared is no evidence.

A number needs no mark where it states no value: in a date, a length of time, a name, a list's numbering;
where the question has it; or where it is a parameter of a computed value (the 14 of an RSI).

A number that is marked with a text, the words of a page or of news, has no JSON Pointer and so lacks evidence
of what it is. Its value is compared all the same: one that its text does not say is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from verifaible.crypto.assets.names import Names
from verifaible.crypto.numbers.facets import Field, Stated, asset_of, contradictions
from verifaible.crypto.numbers.sentences import Spoken, spoken_numbers
from verifaible.crypto.providers.json_values import in_one
from verifaible.crypto.providers.session import Api
from verifaible.evidence.computation import FORMULA, PROGRAM
from verifaible.evidence.sources import SourceTexts
from verifaible.schema.analyst import Source
from verifaible.schema.data import Computed, DataPoint, Facets, NumberEvidence
from verifaible.text.compare import compare
from verifaible.text.markers import DataMark, find_data_marks
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity


class AnswerData:
    """The data of an answer: what tools declared of their numbers, and what was computed from them."""

    def __init__(self, points: Iterable[DataPoint], computed: Sequence[Computed]) -> None:
        self.names = Names()
        self.parameters = frozenset(_numbers(computed))
        values: dict[tuple[str, str], tuple[Facets, Decimal]] = {
            (each.source, each.pointer): (each, each.value) for each in points
        }
        for value in computed:
            for pointer in ("", "/computed/result"):
                values[value.id, pointer] = (value, value.result)
        assets = dict.fromkeys(facets.asset for facets, _ in values.values())
        for asset in assets:
            self.names.define(asset_of(asset, self.names), asset)
        self._assets = {asset: asset_of(asset, self.names) for asset in assets}
        #: What stands at a mark and a pointer in its source.
        self.stated = {place: self._declared(*each) for place, each in values.items()}
        #: What else a sentence can name.
        self.fields = frozenset(each.field for each in self.stated.values())

    def _declared(self, facets: Facets, value: Decimal) -> Stated:
        value, written = in_one(value, facets.unit)
        unit = self.names.resolve(written, symbol=True)
        return Stated(
            value=value,
            asset=self._assets[facets.asset],
            unit_asset=unit if self.names.kind(unit) == "asset" else "",
            unit=written,
            field=Field.of(facets.field),
            day=facets.at.astimezone(UTC).date() if facets.at else None,
        )


def _numbers(computed: Iterable[Computed]) -> Iterator[Decimal]:
    for value in computed:
        # what a model wrote to be computed is no parameter: "84000" would excuse that number everywhere
        for each in () if value.function in (FORMULA, PROGRAM) else value.parameters.values():
            try:
                yield Decimal(each)
            except InvalidOperation:
                continue


#: A character that no reader sees (zero width space).
_NOTHING: Final = "\u200b"

#: A share in words that can be an ordinal, too.
_SHARE: Final = re.compile(
    r"\b(?:an?|one) (?:third|quarter|fourth|fifth|sixth|eighth|tenth)\s*\Z|\bhalf\s*\Z"
)


def resolve_numbers(
    answer: str,
    points: Iterable[DataPoint],
    computed: Sequence[Computed] = (),
    *,
    prompt: str = "",
    at: datetime | None = None,
) -> tuple[NumberEvidence, ...]:
    """What each number of an answer rests on, in order.

    Args:
        answer: its text, with the marks.
        points: the numbers that the tools declared (``Api.points``).
        computed: the values that were computed (``Api.computed``).
        prompt: the question: its numbers need no mark.
        at: when it was asked: what "today" is.
    """
    data = AnswerData(points, computed)
    marks = find_data_marks(answer)
    text = answer
    for mark in marks:  # as if neither it nor the blank before it were there: no character moves
        start = mark.start - (answer[mark.start - 1 : mark.start] == " ")
        before = text[:start]
        if _SHARE.search(before):  # what has a mark is a share, and no ordinal
            before = before.rstrip() + " of"
        text = before + _NOTHING * (mark.end - len(before)) + text[mark.end :]
    spoken = list(_up_to_marks(answer, marks, spoken_numbers(text, data.names, at=at, topic=prompt)))
    places = _places(spoken, marks)
    known = {each.scaled_value for each in find_quantities(prompt)} | data.parameters
    found = []
    for number in spoken:
        if number.start in places:
            found.append(_evidence(number, data, *places[number.start]))
        elif number.states_value and number.quantity.scaled_value not in known:
            reason = "No mark behind it says which data it is from."
            found.append(NumberEvidence(start=number.start, end=number.end, status="none", reason=reason))
    return tuple(found)


def _up_to_marks(answer: str, marks: Sequence[DataMark], spoken: Iterable[Spoken]) -> Iterator[Spoken]:
    """Numbers that end where their mark begins, though a unit may stand behind it ("5M [src_1#/a] coins")."""
    for number in spoken:
        inside = [mark.start for mark in marks if number.start < mark.start < number.end]
        yield replace(number, end=len(answer[: inside[0]].rstrip())) if inside else number


def _places(spoken: Sequence[Spoken], marks: Sequence[DataMark]) -> dict[int, tuple[str, str]]:
    """The place that is named for a number, by where the number begins.

    A mark is of the number before it; one that names several places, of as many numbers before it.
    """
    found: dict[int, tuple[str, str]] = {}
    for mark in marks:
        before = [
            each.start
            for each in spoken
            if each.end <= mark.start and (each.states_value or each.end + 1 >= mark.start)
        ]
        for start, place in zip(reversed(before), reversed(mark.places), strict=False):
            if start in found:
                break
            found[start] = place
    return found


def _evidence(number: Spoken, data: AnswerData, mark: str, pointer: str) -> NumberEvidence:
    stated = data.stated.get((mark, pointer))
    if stated is not None:
        reason = " ".join(contradictions(number, stated, data.fields))
    elif pointer or mark.startswith("calc_"):
        reason = f"No tool gave a number at {pointer or 'this mark'} of {mark}."
    else:
        reason = f"The mark names {mark}, and not the place of the number in it."
    return NumberEvidence(
        start=number.start,
        end=number.end,
        status="none" if stated is None else "wrong" if reason else "resolved",
        mark=mark,
        pointer=pointer,
        reason=reason,
    )


def checked_numbers(text: str, *, prompt: str, api: Api) -> tuple[NumberEvidence, ...]:
    """What the numbers of an answer rest on, those marked with a text compared with its words.

    Args:
        text: the answer, with its marks.
        prompt: the question.
        api: has the data that its tools showed and computed.

    Raises:
        StoreError: a source cannot be read, or was changed.
    """
    found = resolve_numbers(text, api.points, api.computed, prompt=prompt, at=api.as_of or api.now)
    texts = SourceTexts(api.book.store)
    sources = {each.id: each for each in api.book.sources}
    claimed = {each.start: each for each in find_quantities(text)}
    return tuple(
        _compared(each, claimed[each.start], texts.text(sources[each.mark]))
        if each.start in claimed and in_words(each, api.book.sources)
        else each
        for each in found
    )


def in_words(number: NumberEvidence, sources: Sequence[Source]) -> bool:
    """Whether a number is marked with a text, in which no pointer leads to it."""
    marked = number.status == "none" and not number.pointer
    return marked and any(each.id == number.mark and not each.file.endswith(".json") for each in sources)


def _compared(number: NumberEvidence, claimed: Quantity, words: str) -> NumberEvidence:
    likeness = {compare(claimed, each) for each in find_quantities(words)}
    if not likeness & {"same", "open"}:
        reason = f"{number.mark} is a text, and does not say this number."
        return number.model_copy(update={"status": "wrong", "reason": reason})
    said = "says this number" if "same" in likeness else "says a number like this"
    reason = f"{number.mark} is a text that {said}; of what it says it was not compared."
    return number.model_copy(update={"reason": reason})
