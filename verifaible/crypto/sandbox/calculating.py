"""The tool ``calculate``: an expression or a small program over values of sealed sources, sealed itself.

Sealed programs can be run again (``verifaible verify --all --programs``).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from pydantic import BaseModel, Field, model_validator

from verifaible.crypto.providers.session import Api
from verifaible.crypto.sandbox.running import PYTHON, ProgramFailed, Ran, Sandbox
from verifaible.errors import InfrastructureError, StoreError, ToolError, UserError
from verifaible.evidence.computation import (
    FORMULA,
    PROGRAM,
    SealedComputed,
    computed_sources,
    read_inputs,
    read_sealed,
    values_of,
)
from verifaible.evidence.sources import SourceTexts
from verifaible.schema.analyst import Source
from verifaible.schema.data import Computed, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.store.store import Store
from verifaible.text.delimited import delimited
from verifaible.tools.toolbox import Tool

#: Runs a program: its code and its inputs as text.
Runner = Callable[[str, Mapping[str, "str | Sequence[str]"]], Awaitable[Ran]]
_VERSION = 1
_NAME: Final = re.compile(r"[^\W\d]\w*")


class CalculateArguments(BaseModel):
    """What to calculate: an expression or a program, and where its inputs stand."""

    expression: str = Field(
        "", description="Arithmetic over the inputs: (new - old) / old * 100, sum(volumes), mean(closes)."
    )
    program: str = Field(
        "",
        description="Instead of an expression: Python with the standard library, no files, no network. An "
        "input is a Decimal, or a list of them. The last expression is the result: one number.",
    )
    inputs: dict[str, Operand] = Field(
        description="By name: source (a mark such as src_3 or calc_1) and pointer (a JSON Pointer; * for "
        "each element of a list; empty for a calc mark).",
        min_length=1,
        max_length=50,
    )
    asset: str = Field("", description="Whose number it is: a ticker, an address, a market.")
    field: str = Field("", description="What it counts: change_7d, total_volume.")
    unit: str = Field("", description="USD, a ticker, per cent; empty for a pure number.")
    at: datetime | None = Field(None, description="The time it is of.")

    @model_validator(mode="after")
    def _one_of_both(self) -> CalculateArguments:
        if bool(self.expression.strip()) == bool(self.program.strip()):
            raise ValueError("give an expression or a program, one of them")
        if wrong := [name for name in self.inputs if not name.isidentifier()]:
            raise ValueError(f"inputs: {wrong[0]!r} is no name; take letters, digits and _")
        if self.expression.strip() and not set(_NAME.findall(self.expression)) & set(self.inputs):
            raise ValueError("the expression uses none of the inputs, so it computes nothing from data")
        return self


def tools(api: Api, run: Runner) -> tuple[Tool[Any], ...]:
    """The tool ``calculate``.

    Args:
        api: of the session: its sources are the inputs, and it seals the result.
        run: runs programs, such as :meth:`Sandbox.run`.
    """

    async def calculate(arguments: CalculateArguments) -> ToolReply:
        facets = Facets(**arguments.model_dump(include=set(Facets.model_fields)))
        inputs = {name: (operand,) for name, operand in arguments.inputs.items()}
        printed = ""
        if arguments.expression.strip():
            told = {"expression": arguments.expression.strip()}
            value = await api.compute(FORMULA, inputs, parameters=told, facets=facets)
        else:
            value, printed = await compute_by_program(api, run, arguments.program, inputs, facets)
        unit = f" {value.unit}" if value.unit else ""
        text = f"[{value.id}] = {value.result}{unit}. Write [{value.id}] behind each claim that rests on it."
        if printed:
            text += "\nPrinted, which is no evidence:\n" + delimited(PROGRAM, printed)
        return ToolReply(text=text)

    return (
        Tool(
            "calculate",
            "Compute a number from numbers of earlier results, so that anybody can compute it again. Use it "
            "for every number that no source states.",
            CalculateArguments,
            calculate,
        ),
    )


async def compute_by_program(
    api: Api, run: Runner, code: str, inputs: Mapping[str, Sequence[Operand]], facets: Facets
) -> tuple[Computed, str]:
    """A value that a program computes from sealed bytes, sealed with the program; and what it printed.

    Raises:
        BadArguments: an input leads to no number.
        ProgramFailed: the program failed, or gave no finite number.
        ProgramsNotHere: the interpreter is not installed.
        InfrastructureError: the store cannot be read or written.
    """
    texts = SourceTexts(api.book.store)
    try:
        captures, values = await asyncio.to_thread(read_inputs, inputs, sources=api.book.sources, texts=texts)
    except StoreError as error:
        raise InfrastructureError(f"The data of a program cannot be read: {error}") from error
    try:
        ran = await run(code, _given(inputs, values))
    except UserError as error:
        raise ProgramsNotHere(
            "No programs can be run here. Use an expression, or leave the number out."
        ) from error
    value = Computed(
        **facets.model_dump(),
        id=api.next_mark(),
        function=PROGRAM,
        version=_VERSION,
        inputs={name: tuple(each) for name, each in inputs.items()},
        parameters={"code": code, "python": ran.python},
        result=_number(ran.result),
    )
    return await api.keep_computed(SealedComputed(computed=value, captures=captures)), ran.output


class ProgramsNotHere(ToolError):
    """Programs need an interpreter that is not installed."""

    code = "programs_not_here"


async def recompute_program(source: Source, texts: SourceTexts, box: Sandbox) -> str:
    """Run the program of a sealed value again.

    Returns:
        What is wrong with the value, in a sentence; empty where the same came out.
    """
    try:
        sealed = read_sealed(source, texts)
        stated = sealed.computed
        if (by := stated.parameters.get("python")) != PYTHON:
            return f"The program in capture {source.capture} was run by {by}, and {PYTHON} is here."
        values = values_of(stated.inputs, sealed.captures, texts)
        ran = await box.run(stated.parameters["code"], _given(stated.inputs, values))
        result = _number(ran.result)
    except (StoreError, ToolError, KeyError) as error:
        return f"The program in capture {source.capture} cannot be run again: {error}"
    if result == stated.result:
        return ""
    return (
        f"The program in capture {source.capture} says {stated.result}, and gives {result}. Rely on neither."
    )


def _given(
    inputs: Mapping[str, Sequence[Operand]], values: Mapping[str, Sequence[Decimal]]
) -> dict[str, str | list[str]]:
    """The inputs of a program as text: a list where a pointer means each element of a list."""
    return {
        name: list(map(str, values[name])) if _is_series(operands) else str(values[name][0])
        for name, operands in inputs.items()
    }


def _is_series(operands: Sequence[Operand]) -> bool:
    return len(operands) != 1 or "*" in operands[0].pointer.split("/")


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ProgramFailed(
            f"The result {text[:40]} is no finite number. Correct the program and call again."
        )
    return number


async def program_faults(store: Store) -> list[str]:
    """Run the programs of a store again: a sentence for each value that its program does not give.

    Raises:
        ConfigError: there are programs, and their interpreter is not there.
        StoreError: the store cannot be read.
    """
    captures = [
        item.sha256 for entry in store.custody.entries() for item in entry.items if item.kind == "capture"
    ]
    found = (
        await recompute_program(source, SourceTexts(store), Sandbox())
        for source, function in computed_sources(store, dict.fromkeys(captures))
        if function == PROGRAM
    )
    return [fault async for fault in found if fault]
