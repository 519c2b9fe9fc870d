"""The tool ``calculate``: expressions and programs over sealed values become sealed values themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.unit.crypto.working import Data, offline_data
from verifaible.crypto.sandbox.calculating import tools
from verifaible.crypto.sandbox.running import ProgramFailed, Ran
from verifaible.errors import ConfigError
from verifaible.evidence.audit import audit
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Toolbox


class Told:
    """Runs no program: gives what it is made with, and keeps what it was given."""

    def __init__(self, result: str | Exception = "42") -> None:
        self.result = result
        self.given: list[tuple[str, Mapping[str, str | Sequence[str]]]] = []

    async def __call__(self, code: str, inputs: Mapping[str, str | Sequence[str]]) -> Ran:
        self.given.append((code, inputs))
        if isinstance(self.result, Exception):
            raise self.result
        return Ran(self.result, "by the way", cut=False, python="1.0")


async def calculated(data: Data, run: Told, **arguments: Any) -> ToolReply:
    await data("coingecko_markets", limit=5)
    return await Toolbox(tools(data.api, run)).call("calculate", json.dumps(arguments))


PRICES = {
    "btc": {"source": "src_1", "pointer": "/0/current_price"},
    "all": {"source": "src_1", "pointer": "/*/current_price"},
}


async def test_an_expression_is_sealed_without_a_program_and_counts_on(tmp_path: Path) -> None:
    data, run = offline_data(tmp_path), Told()
    reply = await calculated(
        data, run, expression="btc / sum(all) * 100", inputs=PRICES, field="share", unit="per cent"
    )
    (value,) = data.api.computed
    assert reply.text.startswith(f"[calc_1] = {value.result} per cent.")
    assert 0 < value.result < 100
    assert (value.function, value.field, run.given) == ("formula", "share", [])
    again = {"first": {"source": "calc_1", "pointer": ""}}
    reply = await calculated(data, run, expression="first - 0.5", inputs=again)
    assert float(data.api.computed[1].result) == pytest.approx(float(value.result) - 0.5)
    assert "computed" not in str(audit(data.store).faults)


async def test_a_program_gets_the_sealed_values_and_is_sealed_with_its_result(tmp_path: Path) -> None:
    data, run = offline_data(tmp_path), Told("1.25")
    reply = await calculated(data, run, program="max(all) - btc", inputs=PRICES, asset="BTC", unit="USD")
    (value,) = data.api.computed
    ((code, given),) = run.given
    assert code == "max(all) - btc"
    assert isinstance(given["btc"], str)
    assert isinstance(given["all"], list)
    assert given["btc"] in given["all"]
    assert value.result == Decimal("1.25")
    assert value.parameters == {"code": code, "python": "1.0"}
    assert "[calc_1] = 1.25 USD" in reply.text
    assert "no evidence" in reply.text
    assert any(source.id == "calc_1" for source in data.book.sources)
    found = audit(data.store)
    assert not found.faults
    assert any("1 values are of programs" in note for note in found.notes)


@pytest.mark.parametrize(
    ("result", "arguments", "code"),
    [
        ("nan", {"program": "x", "inputs": PRICES}, "program_failed"),
        ("many", {"program": "x", "inputs": PRICES}, "program_failed"),
        (ProgramFailed("It failed. Try again."), {"program": "x", "inputs": PRICES}, "program_failed"),
        (ConfigError("no interpreter"), {"program": "x", "inputs": PRICES}, "programs_not_here"),
        ("1", {"program": "x", "expression": "btc", "inputs": PRICES}, "bad_arguments"),
        ("1", {"inputs": PRICES}, "bad_arguments"),
        ("1", {"expression": "84000", "inputs": PRICES}, "bad_arguments"),
        ("1", {"program": "x", "inputs": {}}, "bad_arguments"),
        ("1", {"program": "x", "inputs": {"a b": PRICES["btc"]}}, "bad_arguments"),
        ("1", {"program": "x", "inputs": {"a": {"source": "src_9", "pointer": "/0"}}}, "bad_arguments"),
        ("1", {"program": "x", "inputs": {"a": {"source": "src_1", "pointer": "/0/id"}}}, "bad_arguments"),
    ],
)
async def test_what_gives_no_number_seals_nothing(
    result: str | Exception, arguments: dict[str, Any], code: str, tmp_path: Path
) -> None:
    data = offline_data(tmp_path)
    reply = await calculated(data, Told(result), **arguments)
    assert reply.error_code == code
    assert not data.api.computed
    assert str(tmp_path) not in reply.text


async def test_a_mark_is_given_once_though_a_computation_failed_in_an_earlier_turn(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    assert (await calculated(data, Told(), expression="btc / 0", inputs=PRICES)).error_code
    await calculated(data, Told(), expression="btc * 2", inputs=PRICES)
    (before,) = data.api.computed
    later = replace(data.api, computed=list(data.api.computed))
    assert before.id == "calc_2"
    assert later.next_mark() == "calc_3"
