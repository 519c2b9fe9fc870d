"""What a number of an answer rests on: a value in sealed bytes, or a computation and its inputs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from pydantic import ValidationError

from verifaible.crypto.chat.conversations import Answered, Evidence, NumberEvidence
from verifaible.errors import VerifaibleError
from verifaible.evidence.computation import recompute
from verifaible.evidence.sources import SourceTexts
from verifaible.schema.analyst import Source
from verifaible.schema.data import Computed, Exchange, Facets
from verifaible.schema.verdict import Passage
from verifaible.store.store import Store
from verifaible.viewer.judged.source import ShownSource, shown_source
from verifaible.viewer.runs.timeline import visible

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
class Seen:
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
        facets: what the value counts, by the tool that gave it or by the computation.
        exchange: how the source was fetched, where we fetched it.
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
    facets: Facets | None = None
    exchange: Exchange | None = None


class Looking:
    """Looks up what an answer of a conversation rests on.

    Args:
        store: where its sources are sealed.
        found: what the tools of the conversation have found.
        answer: the answer; None where its turn has none, of which only marks can be asked.
    """

    def __init__(self, store: Store, found: Evidence, answer: Answered | None) -> None:
        self._store = store
        self._texts = SourceTexts(store)
        self._answer = answer
        sources, computed = (answer.sources, answer.computed) if answer else ((), ())
        self._sources = {each.id: each for each in (*found.sources, *sources)}
        self._computed = {each.id: each for each in (*found.computed, *computed)}
        self._points = {(each.source, each.pointer): each for each in found.points}

    def number(self, place: int) -> Seen:
        """What the number at that place of the answer rests on."""
        if self._answer is None or not 0 <= place < len(self._answer.numbers):
            return Seen("missing")
        number = self._answer.numbers[place]
        digits = visible(self._answer.text[number.start : number.end])
        if not number.mark:
            return Seen("none", digits, number)
        return self.mark(number.mark, number.pointer, digits=digits, number=number)

    def mark(
        self, mark: str, pointer: str, *, digits: str = "", number: NumberEvidence | None = None
    ) -> Seen:
        """What a mark means: a computation, or a place in a source."""
        if mark in self._computed:
            return self._of_computed(self._computed[mark], digits, number)
        source = self._sources.get(mark)
        if source is None:
            return Seen("missing", digits, number, visible(mark), visible(pointer))
        shown = self.whole(source, pointer)
        seen = Seen(
            "source",
            digits,
            number,
            source.id,
            visible(pointer),
            source=shown,
            facets=self._points.get((mark, pointer)),
            exchange=_exchange(shown),
        )
        if shown.marked:
            return replace(
                seen,
                kind="value",
                before=shown.before[-_CONTEXT:],
                value=shown.marked,
                after=shown.after[:_CONTEXT],
            )
        found = self.values(source, pointer)
        if found.count:
            return replace(seen, kind="values", values=found.values, count=found.count)
        return seen

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
            text, spans = self._texts.text(source), self._texts.spans(source)
        except VerifaibleError as error:
            return Input(name, source.id, visible(pointer), (), 0, visible(str(error)))
        if pointer in spans:
            found = [(pointer, spans[pointer])]
        else:
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
            return self._texts.spans(source)
        except VerifaibleError:
            return {}

    def _of_computed(self, computed: Computed, digits: str, number: NumberEvidence | None) -> Seen:
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
        return Seen(
            "computed",
            digits,
            number,
            computed.id,
            computed=computed,
            inputs=tuple(inputs),
            facets=computed,
            recomputed=None if sealed is None else not fault,
            fault=fault,
        )


def _exchange(shown: ShownSource) -> Exchange | None:
    """How a source was fetched, as its capture says; None of one that was given."""
    try:
        return Exchange.model_validate_json(dict(shown.provenance).get("exchange", ""))
    except ValidationError:
        return None
