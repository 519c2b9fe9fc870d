"""What is opened is closed: many citations gain no descriptor, and each command does with few of them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from tests.browser.bench_process import calling, saying
from tests.browser.conftest import REPOSITORY
from tests.browser.test_mcp_transports import CITE, POPULATION, QUOTE, environment
from tests.kit.marks import nightly
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply
from tests.unit.judge.commanded import FIRST, write_input
from verifaible import Verifaible
from verifaible.config import Settings

#: What a process of Python has open at its start, with pipes for its streams, and 64 more.
_MOST = 8 + 64
FEW = ("/bin/sh", "-c", f'ulimit -Sn {_MOST} && exec "$0" "$@"')
PROGRAM = (*FEW, sys.executable, "-m", "verifaible.cli")


def held() -> int:
    """How many descriptors this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def run(home: Path, *arguments: str, **more: str) -> str:
    done = subprocess.run(
        [*PROGRAM, *arguments],
        env=environment(home, **more),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("times", [8, nightly(200)])
async def test_citations_gain_no_descriptor(tmp_path: Path, times: int) -> None:
    before = held()
    settings = Settings(home=REPOSITORY, store=str(tmp_path / "store"))
    async with Verifaible(settings, web="offline") as house:
        await house.cite(POPULATION, quote=QUOTE)
        warm = held()
        for _ in range(times // 4):
            await asyncio.gather(*(house.cite(POPULATION, quote=QUOTE) for _ in range(4)))
        assert held() <= warm + 4  # connections that the index keeps for those who ask at once
    assert held() <= before
    assert house.store.count() == times + 1
    house.store.close()


def _cite(home: Path) -> None:
    run(home, "cite", POPULATION, "--quote", QUOTE, "--web", "offline")


def _ask(home: Path) -> None:
    def answer(body: JsonObject) -> Reply:
        done = sum(item.get("type") == "function_call_output" for item in body["input"])
        return calling("verifaible_cite", CITE, done) if done < 3 else saying(f"{QUOTE} [@v:1].")

    with OpenAIServer(answer) as server:
        told = {"VERIFAIBLE_BASE_URL": server.base_url, "VERIFAIBLE_API_KEY": "sk-test"}
        run(home, "ask", "How many?", "--model", "some/model", "--web", "offline", **told)


def _bench(home: Path) -> None:
    cases = [part for name in ("cn_text_001", "us_table_001") for part in ("--case", name)]
    run(home, "bench", "--model", "oracle", *cases, "--output", str(home / "runs"))


def _judge(home: Path) -> None:
    table = write_input(home / "input", {"gpt5": [FIRST] * 3}, queries=["One?", "Two?", "Three?"])
    run(home, "judge", "run", str(table), "--offline", "--output", str(home / "judged"))


def _serve(home: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0"],
        env=environment(home),
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()

            def status(_: int) -> int:
                with urllib.request.urlopen(address, timeout=60) as answer:
                    answer.read()
                    return int(answer.status)

            with ThreadPoolExecutor(16) as readers:
                assert set(readers.map(status, range(100))) == {200}
        finally:
            process.terminate()


async def _mcp(home: Path) -> None:
    command, *arguments = *PROGRAM, "mcp", "--web", "offline"
    server = StdioServerParameters(
        command=command, args=arguments, env=environment(home), cwd=str(REPOSITORY)
    )
    async with Client(server) as client:
        for _ in range(5):
            result = await client.call_tool("verifaible_cite", CITE)
            assert not result.is_error, json.dumps(result.model_dump(mode="json"))


@pytest.mark.nightly
@pytest.mark.parametrize("door", [_cite, _judge, _serve, nightly(_ask), nightly(_bench)])
def test_a_command_does_with_64_descriptors(tmp_path: Path, door: Callable[[Path], None]) -> None:
    door(tmp_path)


@pytest.mark.nightly
async def test_an_mcp_server_does_with_64_descriptors(tmp_path: Path) -> None:
    await _mcp(tmp_path)
