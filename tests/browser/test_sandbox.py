"""Programs in a real Pyodide: results, bounds, and attempts to get out (all of them: ``make escapes``)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from scripts.sandbox_escapes import Canary, attempt
from verifaible.config import Settings
from verifaible.crypto.sandbox.installing import require_pyodide
from verifaible.crypto.sandbox.running import Bounds, ProgramFailed, Sandbox
from verifaible.errors import ConfigError

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
