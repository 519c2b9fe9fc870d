"""Programs in a real Pyodide: results, bounds, and attempts to get out (all of them: ``make escapes``)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from scripts.sandbox_escapes import Canary, attempt
from tests.unit.crypto.working import offline_data
from verifaible.config import Settings
from verifaible.crypto.sandbox.calculating import compute_by_program, recompute_program
from verifaible.crypto.sandbox.running import Bounds, ProgramFailed, Sandbox, require_pyodide
from verifaible.errors import ConfigError
from verifaible.evidence.computation import read_sealed
from verifaible.evidence.sources import SourceTexts
from verifaible.schema.data import Facets, Operand

pytestmark = pytest.mark.slow


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def box() -> AsyncIterator[Sandbox]:
    try:
        require_pyodide(Settings())
    except ConfigError as error:
        pytest.skip(str(error))
    async with Sandbox(Settings(), Bounds(seconds=5)) as opened:
        yield opened


@pytest.fixture(scope="module")
def canary() -> Iterator[Canary]:
    made = Canary()
    yield made
    made.close()


async def test_a_program_is_exact_and_says_the_same_every_time(box: Sandbox) -> None:
    code = "import random, time, statistics\nprint(len(rows))\nstatistics.mean(rows) + scale + Decimal(random.random()) * 0 + time.time_ns() * 0\nresult = sum(rows) * scale\nprint(random.random(), hash('x'), time.time())"
    ran = await box.run(code + "\nresult", {"rows": ["0.1", "0.2"], "scale": "3"})
    assert ran.result == "0.9"
    assert ran.output.startswith("2\n")
    assert ran == await box.run(code + "\nresult", {"rows": ["0.1", "0.2"], "scale": "3"})


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1\n1 / 0", r"ZeroDivisionError: .* \(line 2\)"),
        ("'text'", "no number"),
        ("def f(:", "SyntaxError"),
    ],
)
async def test_a_failing_program_says_where(code: str, said: str, box: Sandbox) -> None:
    with pytest.raises(ProgramFailed, match=said):
        await box.run(code, {})


@pytest.mark.parametrize(
    "name",
    ["files of the machine", "fetch by the bridge", "a loop without end", "memory", "C functions by ctypes"],
)
async def test_an_attempt_to_get_out_fails(name: str, box: Sandbox, canary: Canary) -> None:
    assert not (await attempt(box, name, canary)).escaped


async def test_a_sealed_program_is_run_again_and_a_changed_result_is_seen(
    box: Sandbox, tmp_path: Path
) -> None:
    data = offline_data(tmp_path)
    await data("coingecko_markets", limit=5)
    inputs = {"prices": (Operand(source="src_1", pointer="/*/current_price"),)}
    code = "import statistics\nstatistics.median(prices)"
    value, _ = await compute_by_program(data.api, box.run, code, inputs, Facets(field="median"))
    source = next(each for each in data.book.sources if each.id == value.id)
    texts = SourceTexts(data.store)
    assert await recompute_program(source, texts, box) == ""
    sealed = read_sealed(source, texts)
    wrong = sealed.computed.model_copy(update={"result": value.result + 1, "id": "calc_9"})
    await data.api.keep_computed(sealed.model_copy(update={"computed": wrong}))
    assert "says" in await recompute_program(data.book.sources[-1], texts, box)
