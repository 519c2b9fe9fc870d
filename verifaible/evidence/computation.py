"""A computed value as evidence: what it was computed from by hash, so that anybody can compute it again.

It is sealed as any source (:mod:`verifaible.evidence.sources`); its JSON is a :class:`SealedComputed`. What a
value is computed by is a function with a version (:mod:`verifaible.evidence.functions`), an expression
(:mod:`verifaible.text.arithmetic`), or a program. Its inputs are numbers out of sealed JSON by JSON Pointers
(RFC 6901), in all their digits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, DecimalException, InvalidOperation, localcontext
from typing import Any, Final, Literal, TypeAlias

from pydantic import ValidationError

from verifaible.errors import BadArguments, IntegrityError, StoreError
from verifaible.evidence.functions import FUNCTIONS
from verifaible.evidence.sources import PROVENANCE, SourceTexts
from verifaible.schema.analyst import Source
from verifaible.schema.base import Record
from verifaible.schema.data import Computed, Facets, Operand
from verifaible.store.store import Store
from verifaible.text.arithmetic import CONTEXT, Amount, evaluate
from verifaible.text.json_pointer import value_at

#: The function whose parameter ``expression`` is arithmetic over the inputs.
FORMULA: Final = "formula"
#: Where the result stands in the JSON; an operand without a pointer means it.
RESULT: Final = "/computed/result"
#: The function of a value that a Python program computed; its parameters are ``code`` and ``python``.
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
        function: a name of :data:`~verifaible.evidence.functions.FUNCTIONS`; the newest version.
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
        named = {each.source for part in stated.inputs.values() for each in part}
        if missing := named - set(sealed.captures):
            raise IntegrityError(f"It does not say which captures {', '.join(sorted(missing))} are.")
        values = values_of(stated.inputs, sealed.captures, texts)
        result = compute(stated.function, values, stated.parameters, stated.version)
    except (StoreError, BadArguments) as error:
        return f"The computed value in capture {source.capture} cannot be computed again: {error}"
    if result == stated.result:
        return ""
    told = "".join(f", {name} {value}" for name, value in stated.parameters.items())
    return (
        f"The computed value in capture {source.capture} ({stated.id}, {stated.function} version "
        f"{stated.version}{told}) says {stated.result}, and its inputs give {result}. "
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


def recompute_all(store: Store, captures: Iterable[str]) -> tuple[list[str], str]:
    """Compute every value among captures again; arguments are those of :func:`computed_sources`.

    Returns:
        A sentence for each that its sealed inputs do not give, and a note of how many values programs
        computed, which are not run here; empty where there are none.
    """
    texts = SourceTexts(store)
    found = list(computed_sources(store, captures))
    faults = [recompute(source, texts) for source, function in found if function != PROGRAM]
    programs = len(found) - len(faults)
    note = f"{programs} values are of programs, which only `verifaible verify --all --programs` runs again."
    return [*filter(None, faults)], note if programs else ""


def computed_sources(store: Store, captures: Iterable[str]) -> Iterator[tuple[Source, str]]:
    """The computed values among captures, each with the name of its function; empty where it is unreadable.

    Args:
        store: the store.
        captures: the SHA-256 of captures of sources; those of another kind are passed over, and so is one
            that is gone or changed, which is told with the files.
    """
    texts = SourceTexts(store)
    for sha256 in captures:
        try:
            with store.open_sealed(sha256) as reader:
                said = json.loads(reader.read(PROVENANCE)) if PROVENANCE in reader.names() else {}
        except (StoreError, ValueError, RecursionError):
            continue
        if said.get("kind") == "computed":
            source, function = Source(id=sha256, kind="computed", capture=sha256, file=said["searched"]), ""
            with suppress(StoreError):
                function = read_sealed(source, texts).computed.function
            yield source, function


# --- computing


def compute(
    function: str,
    inputs: Mapping[str, Sequence[Decimal]],
    parameters: Mapping[str, str],
    version: int = 1,
) -> Decimal:
    """What a function gives.

    Args:
        function: its name.
        inputs: the values of each of its inputs, in order.
        parameters: its other parameters, as text.
        version: its version.

    Raises:
        BadArguments: there is no such function, an input or parameter is missing, unknown or does not fit,
            or the arithmetic has no result (a division by zero, say).
    """
    if (function, version) == (FORMULA, 1):
        amounts = {name: tuple(map(Amount, values)) for name, values in inputs.items()}
        return evaluate(parameters.get("expression", ""), amounts).value
    found = FUNCTIONS.get((function, version))
    if found is None:
        known = ", ".join(sorted(name for name, _ in FUNCTIONS))
        raise BadArguments(f"There is no function {function} of version {version}. There are: {known}.")
    if set(inputs) != set(found.inputs):
        raise BadArguments(f"{function} reads {', '.join(found.inputs)}, and was given {', '.join(inputs)}.")
    if unknown := set(parameters) - set(found.parameters):
        raise BadArguments(
            f"{function} has no parameter {', '.join(sorted(unknown))}. It has: "
            f"{', '.join(found.parameters) or 'none'}."
        )
    for name in found.single:
        if len(inputs[name]) != 1:
            raise BadArguments(
                f"{function} reads one value as {name}, and {len(inputs[name])} were given. Point to one."
            )
    with localcontext(CONTEXT):
        try:
            told = {name: found.parameters[name](value) for name, value in parameters.items()}
            read = [inputs[name][0] if name in found.single else tuple(inputs[name]) for name in found.inputs]
            return found.call(*read, **told)
        except (DecimalException, ValueError, TypeError) as error:
            raise BadArguments(
                f"{function} has no result for these values ({type(error).__name__}). Check them: a value "
                "that is divided by may not be 0, and one whose logarithm is taken must be positive."
            ) from error


# --- numbers out of JSON


#: What a JSON text holds, its numbers as :class:`~decimal.Decimal`.
Data: TypeAlias = "Decimal | bool | str | list[Data] | dict[str, Data] | None"


def read_data(text: str) -> Data:
    """The data of a JSON text.

    Raises:
        BadArguments: it is none.
    """
    try:
        data: Data = json.loads(text.removeprefix("\ufeff"), parse_int=Decimal, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:  # 1e9999999999999999999 is too large
        raise BadArguments(
            "This source is no JSON, so nothing in it has a JSON Pointer. Point into another source."
        ) from error
    return data


def values_at(data: Any, pointer: str) -> tuple[Decimal, ...]:
    """The numbers that a pointer leads to; a part ``*`` means each element of a list, in order.

    A text that is nothing but a number (``"84210.5"``; ``"0x1a"`` as in JSON-RPC) is that number.

    Raises:
        BadArguments: it leads to nothing, or to what is no number.
    """
    if pointer and not pointer.startswith("/"):
        raise BadArguments(f"{pointer!r} is no JSON Pointer. It begins with /, as in /prices/0/1.")
    first, *others = re.split(r"/\*(?=/|\Z)", pointer)
    try:
        reached: list[Any] = [value_at(data, first)]
        for part in others:
            if not all(isinstance(each, list) for each in reached):
                raise KeyError("*")
            reached = [value_at(each, part) for elements in reached for each in elements]
    except KeyError as error:
        raise BadArguments(
            f"The source has nothing at {pointer} ({error.args[0]!r} is not there). Check the pointer."
        ) from error
    return tuple(_number(each, pointer) for each in reached)


def _number(value: object, pointer: str) -> Decimal:
    if isinstance(value, Decimal):
        return value
    if isinstance(value, str):
        try:
            number = Decimal(int(value, 16)) if value[:2].lower() == "0x" else Decimal(value)
        except (InvalidOperation, ValueError):
            number = Decimal("NaN")
        if number.is_finite():
            return number
    raise BadArguments(f"The source has no number at {pointer}. Point to a number.")
