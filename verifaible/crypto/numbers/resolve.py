"""Every number of an answer, with the place in the data that it rests on, or why it rests on none.

The answerer writes behind each number a mark: ``[src_2#/bitcoin/usd]``, a source and a JSON Pointer in it, or
``[calc_1]``, a computed value. A number is resolved if the value there is the one written, in the digits and
the scale shown, and if nothing that the sentence says of it (asset, field, unit, date) contradicts what the
data say that the value is. Nothing is guessed: a number without a mark is not looked for in the data.

A number needs no mark where it states no value: in a date, a length of time, a name, a list's numbering;
where the question has it; or where it is a parameter of a computed value (the 14 of an RSI).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation

from verifaible.crypto.chat.events import NumberEvidence
from verifaible.crypto.numbers.facets import Field, Stated, asset_of, contradictions
from verifaible.crypto.numbers.sentences import Spoken, spoken_numbers
from verifaible.judge.numbers.quantities import quantities
from verifaible.judge.rules.lexicon import Lexicon
from verifaible.schema.data import Computed, DataPoint, Facets
from verifaible.text.markers import DataMark, find_data_marks


def resolve_numbers(
    answer: str,
    points: Iterable[DataPoint],
    computed: Iterable[Computed] = (),
    *,
    prompt: str = "",
    at: datetime | None = None,
    names: Mapping[str, Sequence[str]] | None = None,
) -> tuple[NumberEvidence, ...]:
    """What each number of an answer rests on, in order.

    Args:
        answer: its text, with the marks.
        points: the numbers that the tools showed (``Api.points``).
        computed: the values that were computed (``Api.computed``).
        prompt: the question: its numbers need no mark.
        at: when it was asked: what "today" is.
        names: further names of the assets in the data, by asset.
    """
    data = _Data(points, computed, names or {})
    marks = find_data_marks(answer)
    text = answer
    for mark in marks:
        text = text[: mark.start] + " " * (mark.end - mark.start) + text[mark.end :]
    spoken = list(spoken_numbers(text, data.lexicon, at=at, topic=prompt))
    places = _places(spoken, marks)
    known = {each.value for each in quantities(prompt)} | data.parameters
    found = []
    for number in spoken:
        place = places.get(number.start)
        if place is not None:
            found.append(data.evidence(number, *place))
        elif number.states_value and number.bound.quantity.value not in known:
            found.append(
                NumberEvidence(
                    start=number.start,
                    end=number.end,
                    status="none",
                    reason="No mark behind it says which data it is from.",
                )
            )
    return tuple(found)


def _places(spoken: Sequence[Spoken], marks: Sequence[DataMark]) -> dict[int, tuple[str, str]]:
    """The place that is named for a number, by where the number begins.

    A mark is of the number before it; one that names several places, of as many numbers before it.
    """
    found: dict[int, tuple[str, str]] = {}
    for mark in marks:
        before = [number.start for number in spoken if number.end <= mark.start]
        for start, place in zip(reversed(before), reversed(mark.places), strict=False):
            if start in found:
                break
            found[start] = place
    return found


class _Data:
    """The data of an answer by their places."""

    def __init__(
        self, points: Iterable[DataPoint], computed: Iterable[Computed], names: Mapping[str, Sequence[str]]
    ) -> None:
        self.lexicon = Lexicon()
        values: dict[tuple[str, str], tuple[Facets, Decimal]] = {
            (each.source, each.pointer): (each, each.value) for each in points
        }
        for value in computed:
            for pointer in ("", "/computed/result"):
                values[value.id, pointer] = (value, value.result)
        for facets, _ in values.values():
            known = asset_of(facets.asset, self.lexicon)
            for name in (known, *names.get(facets.asset, ())):
                self.lexicon.define(name, facets.asset)
        self.parameters = set(_numbers(each for value in computed for each in value.parameters.values()))
        self._stated = {
            place: Stated(facets, value, asset_of(facets.asset, self.lexicon), Field.of(facets.field))
            for place, (facets, value) in values.items()
        }
        self._fields = {stated.field for stated in self._stated.values()}
        self._sources = {source for source, _ in values}

    def evidence(self, number: Spoken, mark: str, pointer: str) -> NumberEvidence:
        """What a number with a mark rests on."""
        stated = self._stated.get((mark, pointer))
        if stated is None:
            reason = f"No tool gave a number at {pointer or 'this mark'} of {mark}."
            if mark in self._sources and not pointer:
                reason = f"The mark names {mark}, and not the place of the number in it."
        else:
            reason = " ".join(contradictions(number, stated, self._fields))
        return NumberEvidence(
            start=number.start,
            end=number.end,
            status="none" if stated is None else "wrong" if reason else "resolved",
            mark=mark,
            pointer=pointer,
            reason=reason,
        )


def _numbers(words: Iterable[str]) -> Iterable[Decimal]:
    for each in words:
        try:
            yield Decimal(each)
        except InvalidOperation:
            continue
