"""Programs in the sandbox: results, bounds, sealed programs run again, and every attempt to get out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.sandbox_escapes import ATTEMPTS, Canary, attempt
from tests.unit.crypto.working import offline_data
from verifaible.crypto.sandbox.calculating import compute_by_program, recompute_program
from verifaible.crypto.sandbox.running import Bounds, ProgramFailed, Sandbox
from verifaible.evidence.computation import read_sealed
from verifaible.evidence.sources import SourceTexts
from verifaible.schema.data import Facets, Operand

BOX = Sandbox(Bounds(seconds=3, memory_bytes=64 << 20))


@pytest.fixture(scope="module")
def canary() -> Iterator[Canary]:
    made = Canary()
    yield made
    made.close()


async def test_a_program_is_exact_and_says_the_same_every_time() -> None:
    code = "import random, time, statistics\nprint(len(rows), random.random(), hash('x'), time.time())\nsum(rows) * scale"
    ran = await BOX.run(code, {"rows": ["0.1", "0.2"], "scale": "3"})
    assert ran.result == "0.9"
    assert ran.output.startswith("2 ")
    assert ran == await BOX.run(code, {"rows": ["0.1", "0.2"], "scale": "3"})


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1\n1 / 0", r"ZeroDivisionError: .* \(line 2\)"),
        ("'text'", "no number"),
        ("def f(:", "SyntaxError"),
        ("x = []\nwhile True: x.append(bytearray(8 << 20))", "MemoryError"),
        ("while True: pass", "ended after 3 s"),
        ("import os\nos._exit(0)", "cannot be read"),
        ("import os\nos.write(2, b'{')\n1", "cannot be read"),
    ],
)
async def test_a_failing_program_says_why(code: str, said: str) -> None:
    with pytest.raises(ProgramFailed, match=said):
        await BOX.run(code, {})


async def test_output_is_bounded_and_says_that_it_was_cut() -> None:
    ran = await BOX.run("print('x' * 10**6)\n1", {})
    assert (len(ran.output), ran.cut, ran.result) == (BOX.bounds.output_bytes, True, "1")


@pytest.mark.parametrize("name", ATTEMPTS)
async def test_an_attempt_to_get_out_fails(name: str, canary: Canary) -> None:
    assert not (await attempt(BOX, name, canary)).escaped


async def test_a_sealed_program_is_run_again_and_a_changed_result_is_seen(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    await data("coingecko_markets", limit=5)
    inputs = {"prices": (Operand(source="src_1", pointer="/*/current_price"),)}
    code = "import statistics\nstatistics.median(prices)"
    value, _ = await compute_by_program(data.api, BOX.run, code, inputs, Facets(field="median"))
    source = next(each for each in data.book.sources if each.id == value.id)
    texts = SourceTexts(data.store)
    assert await recompute_program(source, texts, BOX) == ""
    sealed = read_sealed(source, texts)
    wrong = sealed.computed.model_copy(update={"result": value.result + 1, "id": "calc_9"})
    await data.api.keep_computed(sealed.model_copy(update={"computed": wrong}))
    assert "says" in await recompute_program(data.book.sources[-1], texts, BOX)
    other = {**value.parameters, "python": "another"}
    old = sealed.computed.model_copy(update={"parameters": other, "id": "calc_10"})
    await data.api.keep_computed(sealed.model_copy(update={"computed": old}))
    assert "was run by another" in await recompute_program(data.book.sources[-1], texts, BOX)
