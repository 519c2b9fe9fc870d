"""What a number of an answer rests on: a value in sealed bytes, or a computation and its inputs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from pydantic import ValidationError

from verifaible.crypto.chat.conversations import Answered, Evidence
from verifaible.errors import VerifaibleError
from verifaible.evidence.computation import recompute
from verifaible.evidence.sources import SourceTexts
from verifaible.schema.analyst import Source
from verifaible.schema.data import Computed, Exchange, Facets, NumberEvidence
from verifaible.schema.verdict import Passage
from verifaible.store.store import Store
from verifaible.viewer.passages import SourcePage, source_page

#: Characters beside a value on either side.
_CONTEXT: Final = 320
#: Values of a list that are shown, and characters of each.
_MOST_VALUES, _VALUE_CHARS = 12, 80


@dataclass(frozen=True, slots=True)
class Input:
    """What a computation read: ``values`` has the first of ``count``, each with its pointer."""

    name: str
    mark: str
    pointer: str
    values: tuple[tuple[str, str], ...] = ()
    count: int = 0
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
        context: of the source, before the value, the value, and behind it.
        values: where the pointer names several.
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
    source: SourcePage | None = None
    context: tuple[str, str, str] = ("", "", "")
    values: Input | None = None
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
        self.sources = {each.id: each for each in (*found.sources, *sources)}
        self._computed = {each.id: each for each in (*found.computed, *computed)}
        self._points = {(each.source, each.pointer): each for each in found.points}

    def number(self, place: int) -> Seen:
        """What the number at that place of the answer rests on."""
        if self._answer is None or not 0 <= place < len(self._answer.numbers):
            return Seen("missing")
        number = self._answer.numbers[place]
        seen = self.mark(number.mark, number.pointer) if number.mark else Seen("none")
        return replace(seen, digits=self._answer.text[number.start : number.end], number=number)

    def mark(self, mark: str, pointer: str) -> Seen:
        """What a mark means: a computation, or a place in a source."""
        if mark in self._computed:
            return self._of_computed(self._computed[mark])
        source = self.sources.get(mark)
        if source is None:
            return Seen("missing", mark=mark, pointer=pointer)
        shown = self.page(source, pointer)
        seen = Seen(
            "source",
            mark=source.id,
            pointer=pointer,
            source=shown,
            facets=self._points.get((mark, pointer)),
            exchange=_exchange(shown),
        )
        if shown.marked:
            context = shown.before[-_CONTEXT:], shown.marked, shown.after[:_CONTEXT]
            return replace(seen, kind="value", context=context)
        found = self._values(source, pointer)
        return replace(seen, kind="values", values=found) if found.count else seen

    def page(self, source: Source, pointer: str, first: int | None = None) -> SourcePage:
        """A source on its page, with the value marked that a pointer names; from ``first``, where given."""
        try:
            span = self._texts.spans(source).get(pointer) if pointer else None
        except VerifaibleError:
            span = None
        if span is None:
            return source_page(self._store, source, first=first)
        resting = Passage.of(source, self._texts.text(source), *span, pointer=pointer)
        return source_page(self._store, source, (resting,), span, first)

    def _values(self, source: Source, pointer: str, name: str = "") -> Input:
        """The values that a pointer names; a part ``*`` of it means each element of a list."""
        try:
            text, spans = self._texts.text(source), self._texts.spans(source)
        except VerifaibleError as error:
            return Input(name, source.id, pointer, fault=str(error))
        parts = ("[0-9]+" if part == "*" else re.escape(part) for part in pointer.split("/"))
        wanted = re.compile("/".join(parts))
        exact = [pointer] if pointer in spans else [each for each in spans if wanted.fullmatch(each)]
        shown = [(each, text[slice(*spans[each])][:_VALUE_CHARS]) for each in exact[:_MOST_VALUES]]
        return Input(name, source.id, pointer, tuple(shown), len(exact))

    def _of_computed(self, computed: Computed) -> Seen:
        inputs: list[Input] = []
        for name, operands in computed.inputs.items():
            for operand in operands:
                source, other = self.sources.get(operand.source), self._computed.get(operand.source)
                if other is not None:
                    inputs.append(Input(name, other.id, "", (("", str(other.result)),), 1))
                elif source is not None:
                    inputs.append(self._values(source, operand.pointer, name))
                else:
                    inputs.append(Input(name, operand.source, operand.pointer))
        sealed = self.sources.get(computed.id)
        fault = recompute(sealed, self._texts) if sealed is not None else ""
        return Seen(
            "computed",
            mark=computed.id,
            computed=computed,
            inputs=tuple(inputs),
            facets=computed,
            recomputed=None if sealed is None else not fault,
            fault=fault,
        )


def _exchange(shown: SourcePage) -> Exchange | None:
    """How a source was fetched, as its capture says; None of one that was given."""
    try:
        return Exchange.model_validate_json(dict(shown.provenance).get("exchange", ""))
    except ValidationError:
        return None
