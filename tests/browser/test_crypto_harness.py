"""The whole harness: a model over HTTP, real tools, the offline web, a real store, the command line, the readers."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.browser.bench_process import OWN_CASES, calling, environment, saying
from tests.command_line import run_command
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply
from tests.unit.bench.samples import REPOSITORY
from verifaible.browser.warm import Browser
from verifaible.claims.markers import marks_of
from verifaible.config import Settings
from verifaible.crypto.chat.analyst import tools_of
from verifaible.crypto.chat.conversations import ToolFinished
from verifaible.crypto.chat.turn import Analyst
from verifaible.crypto.query import Switches
from verifaible.crypto.run import Trial, ask, public_text
from verifaible.evidence.sources import SourceTexts
from verifaible.judge.load import read_input
from verifaible.llm.opening import open_model
from verifaible.net.web import Web
from verifaible.schema.verdict import Passage
from verifaible.store.store import Store
from verifaible.text.json_pointer import value_spans
from verifaible.tools.workspace import Workspace

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
QUERY = "How do HYPE and SOL compare, and what did the Fed decide?"
DISSENT = "us_text_002"
USED: dict[str, Any] = {"input_tokens": 1_000, "output_tokens": 50, "cost": 0.01}
TEXT = (
    "Hyperliquid is at $33.46 [src_1#/hyperliquid/usd], its chain holds $1.87 billion [src_2#/60/tvl].\n\n"
    "## The Fed\n\n- Voting against it was Michelle W. Bowman [@v:1] [src_3].\n\n"
    "| Coin | Price |\n|---|---|\n| SOL | $142.87 [src_4#/market_data/current_price/usd] |\n"
)


def research() -> list[tuple[str, JsonObject]]:
    """Data, a page, a citation of it, and more data, one a turn."""
    oracle = OWN_CASES[DISSENT].oracle
    assert oracle is not None
    cite = oracle.steps[-1].arguments
    return [
        ("coingecko_price", {"coins": ["HYPE"]}),
        ("defillama_tvl", {"chain": "Hyperliquid L1", "days": 7}),
        ("web_fetch", {"url": cite["source_url"]}),
        ("verifaible_cite", cite),
        ("coingecko_coin", {"coin": "solana"}),
        ("coingecko_coin", {"coin": "hyperliqid"}),
        ("coingecko_history", {"coin": "SOL", "days": 299}),
    ]


class Model:
    """Calls the tools it was given, one a turn, and then says its text."""

    def __init__(self, steps: Sequence[tuple[str, JsonObject]], text: str = TEXT) -> None:
        self.steps, self.text = steps, text

    def __call__(self, body: JsonObject) -> Reply:
        done = sum(item.get("type") == "function_call_output" for item in body["input"])
        if done < len(self.steps):
            name, arguments = self.steps[done]
            return calling(name, arguments, done, **USED)
        return saying(self.text, **USED)


def outputs(server: OpenAIServer) -> list[str]:
    """What the tools gave, as the last request has it."""
    items = server.requests[-1].body["input"]
    return [item["output"] for item in items if item.get("type") == "function_call_output"]


async def asked(
    tmp_path: Path, browser: Browser, model: Model, switches: Switches | None = None, query: str = QUERY
) -> tuple[Trial, OpenAIServer, Store]:
    with OpenAIServer(model) as server:
        settings = Settings(home=REPOSITORY, store=str(tmp_path / "store"), base_url=server.base_url)
        store = Store.open(settings)
        opened = open_model("some/model", settings)
        try:
            on = switches or Switches()
            context = Workspace(settings, Web.offline(settings), browser, store).context
            each = Analyst(
                opened.client,
                opened.client,
                context,
                lambda api, model: tools_of(context, api, model, preset="react", switches=on),
                "react",
                switches=on,
                now=lambda: NOW,
            )
            trial = await ask(query, each, model="some/model")
        finally:
            await opened.client.aclose()
    return trial, server, store


pytestmark = pytest.mark.slow
in_session = pytest.mark.asyncio(loop_scope="session")


@in_session
async def test_answer_rests_on_sources_that_verify_to_the_byte(
    tmp_path: Path, offline_browser: Browser
) -> None:
    trial, server, store = await asked(tmp_path, offline_browser, Model(research()))
    answer = trial.answer
    assert answer.answer == TEXT.strip()
    assert [source.id for source in answer.sources] == ["src_1", "src_2", "src_3", "src_4", "@v:1"]
    assert [source.kind for source in answer.sources] == ["api", "api", "page", "api", "citation"]
    # every mark of the answer is one of a source
    marks = marks_of(answer)
    assert {source for mark in marks for source in mark.resolved.cites} == {
        each.id for each in answer.sources
    }
    assert not [mark for mark in marks if mark.resolved.broken]
    texts = SourceTexts(store)
    said = {source.id: texts.text(source) for source in answer.sources}
    assert "Michelle W. Bowman" in " ".join(said["src_3"].split())
    assert "Michelle W. Bowman" in " ".join(said["@v:1"].split())
    for mark, path, value in (
        ("src_1", "/hyperliquid/usd", "33.46"),
        ("src_2", "/60/tvl", "1870000000"),
        ("src_4", "/market_data/current_price/usd", "142.87"),
    ):
        source = next(each for each in answer.sources if each.id == mark)
        start, end = value_spans(said[mark])[path]
        assert said[mark][start:end] == value
        where: dict[str, Any] = {
            "source": mark,
            "capture": source.capture,
            "file": source.file,
            "start": start,
            "end": end,
        }
        assert texts.holds(Passage(**where, quote=value, pointer=path))
        assert not texts.holds(Passage(**where, quote=value[:-1] + "9", pointer=path))
    # what failed is told to the model, is no source, and is counted
    assert "Nearest: Hyperliquid (coingecko:hyperliquid, HYPE" in outputs(server)[5]
    assert "Not in the offline archives" in outputs(server)[6]
    assert {each.error_code for each in trial.turn.events if isinstance(each, ToolFinished)} == {
        "",
        "bad_arguments",
        "offline_miss",
    }
    assert trial.usage.cost_usd == pytest.approx(0.01 * len(server.requests))
    # the page was cited since: its text is left out for the model, its mark is not
    folded = outputs(server)[2]
    assert re.match(r"\[src_3\] .+ Write this mark behind each claim", folded)
    assert "left out here, since its page is cited as [@v:1]" in folded


def run(
    tmp_path: Path, *arguments: str, server: OpenAIServer, check: bool = True
) -> subprocess.CompletedProcess[str]:
    variables = environment(tmp_path / "store", VERIFAIBLE_API_KEY="sk-test")
    done = run_command(["crypto", *arguments, *common(server)], environment=variables, folder=REPOSITORY)
    assert not check or done.returncode == 0, done.stderr
    return done


def common(server: OpenAIServer) -> list[str]:
    return [
        "--model",
        "some/model",
        "--web",
        "offline",
        "--base-url",
        server.base_url,
        "--now",
        NOW.isoformat(),
    ]


def table(tmp_path: Path) -> Path:
    path = tmp_path / "queries.csv"
    with path.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(("query", "tags"))
        writer.writerow((QUERY, "Comparative & Performance Analysis"))
        writer.writerow(("오늘 BTC 가격은?", "Market Data & Price Discovery"))
        writer.writerow(("ta and volume", "Trading & Strategy Design"))
    return path


@pytest.mark.nightly
def test_question_on_the_command_line(tmp_path: Path) -> None:
    with OpenAIServer(Model(research()[:3])) as server:
        done = run(tmp_path, "ask", QUERY, "--time-context", server=server)
    assert TEXT.splitlines()[0] in done.stdout
    assert "$142.87 [no evidence] [src_4#" in done.stdout
    assert re.search(
        r"^\[src_1\] price of hyperliquid .*\(capture [0-9a-f]{12}\)$", done.stdout, re.MULTILINE
    )
    assert "2 of 3 numbers rest on stored data; 3 sources" in done.stderr


@pytest.mark.nightly
def test_run_is_killed_goes_on_and_is_read_by_the_judge(tmp_path: Path) -> None:
    out = tmp_path / "run"
    queries = table(tmp_path)
    with OpenAIServer(Model(research()[:2])) as server:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "verifaible.cli",
                "crypto",
                "run",
                str(queries),
                "--output",
                str(out),
                *common(server),
            ],
            cwd=REPOSITORY,
            env=environment(tmp_path / "store", VERIFAIBLE_API_KEY="sk-test"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        lines = out / "trials.jsonl"
        deadline = time.monotonic() + 300
        while not (lines.is_file() and lines.read_bytes().count(b"\n")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = lines.read_bytes().count(b"\n")
        assert before >= 1
        done = run(tmp_path, "run", str(queries), "--output", str(out), "--json", server=server)
        told = json.loads(done.stdout)
        asked_again = len(server.requests)
        again = run(tmp_path, "run", str(queries), "--output", str(out), server=server)
    assert told["answered"] == told["queries"] == 3
    assert len(server.requests) == asked_again  # nothing was left to ask
    assert "3 of 3 queries answered" in again.stdout

    store = Store.open(Settings(home=REPOSITORY, store=str(tmp_path / "store")))
    loaded = read_input(out / "answers.csv", store=store)
    assert [each.answer for each in loaded.answers] == [public_text(TEXT.strip())] * 3
    assert loaded.answers[1].query == "오늘 BTC 가격은?"
    texts = SourceTexts(store)
    for each in loaded.answers:
        assert each.faults == ()
        assert each.answered_at == NOW
        assert [source.id for source in each.sources][:2] == ["src_1", "src_2"]
        assert "33.46" in texts.text(each.sources[0])
