"""What a number of an answer rests on: a value in sealed bytes, or a computation and its inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from verifaible.crypto.chat.events import Answered, NumberEvidence
from verifaible.errors import VerifaibleError
from verifaible.evidence.computed.sealed import recompute
from verifaible.evidence.given.sources import SourceTexts
from verifaible.evidence.store.store import Store
from verifaible.schema.analyst import Source
from verifaible.schema.data import Computed
from verifaible.schema.judged import Passage
from verifaible.serve.judged.source import ShownSource, shown_source
from verifaible.serve.runs.timeline import visible
from verifaible.text.json_scan import value_spans

#: Characters beside a value on either side.
_CONTEXT: Final = 320
#: Values of a list that are shown.
_MOST_VALUES: Final = 12
_VALUE_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a pointer names, in the digits of the bytes."""

    pointer: str
    text: str


@dataclass(frozen=True, slots=True)
class Input:
    """What a computation read: ``values`` has the first of ``count``."""

    name: str
    mark: str
    pointer: str
    values: tuple[Value, ...]
    count: int
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What there is to see of a number or a mark.

    Attributes:
        kind: a ``value`` of a source, several ``values``, the ``source`` as a whole, what was ``computed``,
            ``none``: nothing, ``missing``: it is named, and there is no such thing.
        digits: the number as the answer has it; empty where a mark was asked for.
        number: what the answer says of it.
        mark: of the source or the computed value.
        pointer: in the source.
        source: the source, read again from its capture.
        before: of the source, before the value.
        value: the words of the value.
        after: behind it.
        values: where the pointer names several.
        count: how many it names.
        computed: the computation.
        inputs: its inputs.
        recomputed: whether the same came out when it was computed again just now; None where it was not.
        fault: why not.
    """

    kind: Literal["value", "values", "source", "computed", "none", "missing"]
    digits: str = ""
    number: NumberEvidence | None = None
    mark: str = ""
    pointer: str = ""
    source: ShownSource | None = None
    before: str = ""
    value: str = ""
    after: str = ""
    values: tuple[Value, ...] = ()
    count: int = 0
    computed: Computed | None = None
    inputs: tuple[Input, ...] = ()
    recomputed: bool | None = None
    fault: str = ""


class Looking:
    """Looks up what answers of a conversation rest on.

    Args:
        store: where their sources are sealed.
        answers: the answer asked about, and those before it, the last first: a mark holds over turns.
    """

    def __init__(self, store: Store, answers: Sequence[Answered]) -> None:
        self._store = store
        self._texts = SourceTexts(store)
        self._answers = answers
        self._sources = {each.id: each for answer in reversed(answers) for each in answer.sources}
        self._computed = {each.id: each for answer in reversed(answers) for each in answer.computed}

    def number(self, place: int) -> Evidence:
        """What the number at that place of the answer rests on."""
        numbers = self._answers[0].numbers if self._answers else ()
        if not 0 <= place < len(numbers):
            return Evidence("missing")
        number = numbers[place]
        digits = visible(self._answers[0].text[number.start : number.end])
        if not number.mark:
            return Evidence("none", digits, number)
        return self.mark(number.mark, number.pointer, digits=digits, number=number)

    def mark(
        self, mark: str, pointer: str, *, digits: str = "", number: NumberEvidence | None = None
    ) -> Evidence:
        """What a mark means: a computation, or a place in a source."""
        if mark in self._computed:
            return self._of_computed(self._computed[mark], digits, number)
        source = self._sources.get(mark)
        if source is None:
            return Evidence("missing", digits, number, visible(mark), visible(pointer))
        found = self.values(source, pointer)
        if "*" in pointer.split("/") and not found.fault:
            shown = shown_source(self._store, source, (), {})
            return Evidence(
                "values",
                digits,
                number,
                source.id,
                pointer,
                source=shown,
                values=found.values,
                count=found.count,
            )
        shown = self.whole(source, pointer)
        if not shown.marked:
            return Evidence("source", digits, number, source.id, visible(pointer), source=shown)
        return Evidence(
            "value",
            digits,
            number,
            source.id,
            visible(pointer),
            source=shown,
            before=shown.before[-_CONTEXT:],
            value=shown.marked,
            after=shown.after[:_CONTEXT],
        )

    def source(self, mark: str) -> Source | None:
        """The source of that mark; None: there is none."""
        return self._sources.get(mark)

    def whole(self, source: Source, pointer: str, first: int | None = None) -> ShownSource:
        """A source on its page, with the value marked that a pointer names; from ``first``, where given."""
        place = {} if first is None else {"from": first}
        span = self._spans(source).get(pointer) if pointer else None
        if span is None:
            return shown_source(self._store, source, (), place)
        resting = Passage.of(source, self._texts.text(source), *span, pointer=pointer)
        return shown_source(self._store, source, (resting,), {"start": span[0], "end": span[1], **place})

    def values(self, source: Source, pointer: str, name: str = "") -> Input:
        """The values that a pointer names; a part ``*`` of it means each element of a list."""
        try:
            text, spans = self._texts.text(source), self._spans(source)
        except VerifaibleError as error:
            return Input(name, source.id, visible(pointer), (), 0, visible(str(error)))
        parts = ("[0-9]+" if part == "*" else re.escape(part) for part in pointer.split("/"))
        wanted = re.compile("/".join(parts))
        found = [(each, span) for each, span in spans.items() if wanted.fullmatch(each)]
        shown = tuple(
            Value(visible(each), visible(text[start:end][:_VALUE_CHARS]))
            for each, (start, end) in found[:_MOST_VALUES]
        )
        return Input(name, source.id, visible(pointer), shown, len(found))

    def _spans(self, source: Source) -> dict[str, tuple[int, int]]:
        try:
            return value_spans(self._texts.text(source))
        except (ValueError, VerifaibleError):
            return {}

    def _of_computed(self, computed: Computed, digits: str, number: NumberEvidence | None) -> Evidence:
        inputs: list[Input] = []
        for name, operands in computed.inputs.items():
            for operand in operands:
                source = self._sources.get(operand.source)
                other = self._computed.get(operand.source)
                if other is not None:
                    value = Value("", str(other.result))
                    inputs.append(Input(visible(name), other.id, "", (value,), 1))
                elif source is not None:
                    inputs.append(self.values(source, operand.pointer, visible(name)))
                else:
                    inputs.append(
                        Input(visible(name), visible(operand.source), visible(operand.pointer), (), 0)
                    )
        sealed = self._sources.get(computed.id)
        fault = visible(recompute(sealed, self._texts)) if sealed is not None else ""
        return Evidence(
            "computed",
            digits,
            number,
            computed.id,
            computed=computed,
            inputs=tuple(inputs),
            recomputed=None if sealed is None else not fault,
            fault=fault,
        )
