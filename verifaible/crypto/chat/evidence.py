"""What a number of an answer rests on, in lines for a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from verifaible.crypto.chat.conversations import Evidence
from verifaible.errors import VerifaibleError
from verifaible.evidence.given.sources import SourceTexts
from verifaible.schema.analyst import Source
from verifaible.schema.data import Computed, Facets, NumberEvidence
from verifaible.text.json_scan import value_spans

#: Characters of the sealed bytes that are shown on either side of a value.
_AROUND: Final = 60
#: Values of a list that are shown, from its end.
_LISTED: Final = 5


def evidence_of(number: NumberEvidence, found: Evidence, texts: SourceTexts) -> Iterator[str]:
    """What a number rests on: the value in the sealed bytes of its source, or the computation and its inputs.

    Args:
        number: of an answer.
        found: what the tools of the conversation found.
        texts: reads the sources out of the store.
    """
    yield number.status if number.status == "resolved" else f"{number.status}: {number.reason}"
    if number.mark:
        yield from _of_mark(number.mark, number.pointer, found, texts, "")


def _of_mark(mark: str, pointer: str, found: Evidence, texts: SourceTexts, indent: str) -> Iterator[str]:
    computed = next((each for each in found.computed if each.id == mark), None)
    source = next((each for each in found.sources if each.id == mark), None)
    if computed is not None:
        yield from _of_computed(computed, found, texts, indent)
    elif source is not None:
        points = (each for each in found.points if (each.source, each.pointer) == (mark, pointer))
        yield from _of_source(source, pointer, next(points, None), texts, indent)
    else:
        yield f"{indent}[{mark}] is no mark of this conversation."


def _of_computed(computed: Computed, found: Evidence, texts: SourceTexts, indent: str) -> Iterator[str]:
    parameters = ", ".join(f"{name} {value}" for name, value in computed.parameters.items())
    yield (
        f"{indent}[{computed.id}] {computed.function} (version {computed.version}"
        f"{f', {parameters}' if parameters else ''}) = {computed.result}{_facets(computed)}"
    )
    for name, operands in computed.inputs.items():
        more = f" {len(operands)} values, the last of them:" if len(operands) > _LISTED else ""
        yield f"{indent}  {name}:{more}"
        for operand in operands[-_LISTED:]:
            yield from _of_mark(operand.source, operand.pointer, found, texts, f"{indent}    ")


def _of_source(
    source: Source, pointer: str, point: Facets | None, texts: SourceTexts, indent: str
) -> Iterator[str]:
    yield f"{indent}[{source.id}] {source.title} {source.url} (capture {source.capture[:12]})"
    try:
        text = texts.text(source)
        spans = value_spans(text) if pointer else {}
    except (VerifaibleError, ValueError) as error:
        yield f"{indent}{error}"
        return
    if "*" in pointer.split("/"):
        wanted = pointer.split("/")
        fitting = [
            (place, span)
            for place, span in spans.items()
            if len(parts := place.split("/")) == len(wanted)
            and all(want in ("*", part) for want, part in zip(wanted, parts, strict=True))
        ]
        yield f"{indent}{pointer}: {len(fitting)} values, the last of them:"
        for place, (start, end) in fitting[-_LISTED:]:
            yield f"{indent}  {place}: {text[start:end]}"
    elif pointer in spans:
        start, end = spans[pointer]
        around = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
        yield f"{indent}{pointer}: {text[start:end]}{_facets(point) if point else ''}"
        yield f"{indent}in the sealed bytes: …{around[0]}>>{text[start:end]}<<{around[1]}…"
    elif pointer:
        yield f"{indent}{pointer}: there is no value."


def _facets(value: Facets) -> str:
    at = f"{value.at:%Y-%m-%d %H:%M} UTC" if value.at else ""
    told = ", ".join(filter(None, (value.asset, value.field, value.unit, at)))
    return f" ({told})" if told else ""
