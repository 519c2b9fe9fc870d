"""A computed value as evidence: what it was computed from by hash, so that anybody can compute it again.

It is sealed as any source (:mod:`verifaible.evidence.given.given`); its JSON is a :class:`SealedComputed`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Final, Literal

from pydantic import ValidationError

from verifaible.errors import BadArguments, IntegrityError, StoreError
from verifaible.evidence.computed.functions import FUNCTIONS, compute
from verifaible.evidence.computed.values import read_data, values_at
from verifaible.evidence.given.given import PROVENANCE
from verifaible.evidence.given.sources import SourceTexts
from verifaible.schema.analyst import Source
from verifaible.schema.base import Record
from verifaible.schema.data import Computed, Facets, Operand
from verifaible.store.store import Store

#: Where the result stands in the JSON; an operand without a pointer means it.
RESULT: Final = "/computed/result"
#: The function of a value that a Python program computed; its parameters are ``code`` and ``pyodide``.
PROGRAM: Final = "program"


class InputCapture(Record):
    """Which bytes an input was read from: the SHA-256 of the capture, and the file in it."""

    capture: str
    file: str


class SealedComputed(Record):
    """The JSON of a computed source: the value, and the captures of its inputs by their marks."""

    format: Literal[1] = 1
    computed: Computed
    captures: dict[str, InputCapture]


def computed_from(
    mark: str,
    function: str,
    inputs: Mapping[str, Sequence[Operand]],
    parameters: Mapping[str, str],
    facets: Facets,
    *,
    sources: Sequence[Source],
    texts: SourceTexts,
) -> SealedComputed:
    """Compute a value from the sealed bytes of sources.

    Args:
        mark: what it is called.
        function: a name of :data:`~verifaible.evidence.computed.functions.FUNCTIONS`; the newest version.
        inputs: what each input of it reads.
        parameters: its other parameters; those left out are sealed with their defaults.
        facets: what the result counts.
        sources: those that the operands name.
        texts: reads them.

    Raises:
        BadArguments: an operand leads to no source or number, or the function has no result for them.
        StoreError: a source cannot be read, or was changed.
    """
    captures, values = read_inputs(inputs, sources=sources, texts=texts)
    version = max((number for name, number in FUNCTIONS if name == function), default=1)
    found = FUNCTIONS.get((function, version))
    parameters = {**(found.defaults if found else {}), **parameters}
    result = compute(function, values, parameters, version)
    return SealedComputed(
        computed=Computed(
            **facets.model_dump(include=set(Facets.model_fields)),
            id=mark,
            function=function,
            version=version,
            inputs={name: tuple(each) for name, each in inputs.items()},
            parameters=parameters,
            result=result,
        ),
        captures=captures,
    )


def read_inputs(
    inputs: Mapping[str, Sequence[Operand]], *, sources: Sequence[Source], texts: SourceTexts
) -> tuple[dict[str, InputCapture], dict[str, list[Decimal]]]:
    """The captures that the operands name by mark, and the values of each input.

    Arguments and errors are those of :func:`computed_from`.
    """
    by_mark = {source.id: source for source in sources}
    named = dict.fromkeys(operand.source for each in inputs.values() for operand in each)
    if unknown := [name for name in named if name not in by_mark]:
        raise BadArguments(
            f"There is no source {', '.join(unknown)} in this answer. Point to one that a tool gave."
        )
    captures = {name: InputCapture(capture=by_mark[name].capture, file=by_mark[name].file) for name in named}
    return captures, values_of(inputs, captures, texts)


def read_sealed(source: Source, texts: SourceTexts) -> SealedComputed:
    """A computed source as it was sealed.

    Raises:
        IntegrityError: the capture is gone or changed, or holds no computed value.
    """
    try:
        return SealedComputed.model_validate_json(texts.text(source))
    except ValidationError as error:
        raise IntegrityError(
            f"The capture {source.capture} holds no computed value. Restore it from a copy of the store."
        ) from error


def recompute(source: Source, texts: SourceTexts) -> str:
    """Compute a sealed value again from the captures of its inputs.

    Returns:
        What is wrong with it, in a sentence; empty where the same came out.
    """
    try:
        sealed = read_sealed(source, texts)
        stated = sealed.computed
        if missing := {each.source for part in stated.inputs.values() for each in part} - set(
            sealed.captures
        ):
            raise IntegrityError(f"It does not say which captures {', '.join(sorted(missing))} are.")
        values = values_of(stated.inputs, sealed.captures, texts)
        result = compute(stated.function, values, stated.parameters, stated.version)
    except (StoreError, BadArguments) as error:
        return f"The computed value in capture {source.capture} cannot be computed again: {error}"
    if result == stated.result:
        return ""
    told = ", ".join(f"{name} {value}" for name, value in stated.parameters.items())
    return (
        f"The computed value in capture {source.capture} ({stated.id}, {stated.function} version "
        f"{stated.version}{f', {told}' if told else ''}) says {stated.result}, and its inputs give {result}. "
        "Rely on neither: have the question answered again."
    )


def values_of(
    inputs: Mapping[str, Sequence[Operand]], captures: Mapping[str, InputCapture], texts: SourceTexts
) -> dict[str, list[Decimal]]:
    """The values of each input, from the captures by mark; errors are those of :func:`computed_from`."""
    data = {
        name: read_data(texts.text(Source(id=name, kind="api", capture=each.capture, file=each.file)))
        for name, each in captures.items()
    }
    return {
        name: [
            value
            for operand in operands
            for value in values_at(data[operand.source], operand.pointer or RESULT)
        ]
        for name, operands in inputs.items()
    }


# --- all values of a store


def computed_faults(store: Store, captures: Iterable[str]) -> Iterator[str]:
    """A sentence for each computed value that its sealed inputs do not give; programs are not run.

    Arguments are those of :func:`computed_sources`.
    """
    texts = SourceTexts(store)
    for source, function in computed_sources(store, captures):
        if function != PROGRAM and (fault := recompute(source, texts)):
            yield fault


def programs_note(store: Store, captures: Iterable[str]) -> str:
    """How many values programs computed, and what runs those again; empty where there are none."""
    programs = sum(function == PROGRAM for _, function in computed_sources(store, captures))
    return (
        f"{programs} values are of programs, which only `verifaible verify --all --programs` runs again."
        if programs
        else ""
    )


def computed_sources(store: Store, captures: Iterable[str]) -> Iterator[tuple[Source, str]]:
    """The computed values among captures, each with the name of its function; empty where it is unreadable.

    Args:
        store: the store.
        captures: the SHA-256 of captures of sources; those of another kind are passed over, and so is one
            that is gone or changed, which is told with the files.
    """
    for sha256 in captures:
        try:
            with store.open_sealed(sha256) as reader:
                said = json.loads(reader.read(PROVENANCE)) if PROVENANCE in reader.names() else {}
        except (StoreError, ValueError, RecursionError):
            continue
        if said.get("kind") != "computed":
            continue
        source = Source(id=sha256, kind="computed", capture=sha256, file=said["searched"])
        function = ""
        with suppress(StoreError):
            function = read_sealed(source, SourceTexts(store)).computed.function
        yield source, function
