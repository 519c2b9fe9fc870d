"""Small inputs for the command, and a way to run it."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.servers.judge_server import JudgeServer
from verifaible.config import Settings
from verifaible.errors import UserError, VerifaibleError
from verifaible.judge.cli import judge
from verifaible.judge.folder import JudgeFolder, find_folder

CONTEXT = """From [https://api.coins.example/hype]: src_1
{"hyperliquid": {"usd": 36.36, "usd_market_cap": 9846288000, "usd_24h_change": -5.8}}

From [https://desk.example/october]: src_2
Hyperliquid closed October 2025 with $308.4 billion in perpetual volume, down from $321.6 billion in September.
Open interest stood at $8.02 billion on 31 October 2025. The HLP vault held $401 million. Its consensus, HyperBFT, is derived from HotStuff, the validators say.

OKX lists HYPE... OKX will list HYPE spot on 4 November 2025. Source: https://wire.example/okx
"""
FIRST = """## Hyperliquid

Hyperliquid closed October 2025 with $308.4 billion in perpetual volume (src_2). Open interest stood at $9.90 billion on
31 October 2025 (src_2). The HLP vault held $401 million. Traders like the product a lot (src_2). I would buy it.
The order book matches trades on chain, and a bridge to Arbitrum holds the deposits (src_2).
"""
SECOND = """Validators run a consensus called HyperBFT, which is derived from HotStuff (src_2). HYPE trades at $36.36 (src_1). The team is excellent, and the chain never halts (src_2).
OKX will list HYPE spot on 4 November 2025 (src_7).
"""
QUERY = "Where does Hyperliquid stand?"
#: Everything that must be the same in a rerun.
SAME = (
    "claims.jsonl",
    "answers.jsonl",
    "tables.json",
    "report.md",
    "report.html",
    "answers.csv",
    "claims.csv",
)


def trace(context: str, answer: str, **span: Any) -> dict[str, Any]:
    """A trace as the public harness writes it."""
    messages = [{"role": "system", "content": "You are an analyst."}, {"role": "user", "content": context}]
    made = {
        "name": "Cyrpto Final Response",
        "context.span_id": "s1",
        "end_time": "2025-11-04T09:30:00+00:00",
        "attributes.input.value": {"messages": messages},
        "attributes.output.value": {"choices": [{"message": {"content": answer}}]},
        **span,
    }
    return {"session_id": "one", "traces": [{"trace_id": "t1", "spans": [made]}]}


def write_input(
    folder: Path,
    answers: Mapping[str, Sequence[str]],
    *,
    queries: Sequence[str] = (QUERY,),
    context: str = CONTEXT,
) -> Path:
    """A table with the answers of each model to the queries, and a trace for each beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "answers.csv"
    columns = [name for model in answers for name in (f"{model}_response", f"{model}_chat_id")]
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["query", "tags", *columns])
        for number, query in enumerate(queries):
            row = [query, "Market"]
            for model, said in answers.items():
                row += [said[number], f"{model}-{number}"]
                place = folder / "output" / model / "traces" / f"{model}-{number}.json"
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(json.dumps(trace(context, said[number])), encoding="utf-8")
            writer.writerow(row)
    return table


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its status."""

    status: int
    out: str
    err: str


class Command:
    """The command line in a home of its own."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = home
        self._monkeypatch = monkeypatch
        monkeypatch.setenv("VERIFAIBLE_HOME", str(home))
        monkeypatch.setenv("VERIFAIBLE_API_KEY", "sk-test")
        monkeypatch.delenv("VERIFAIBLE_BASE_URL", raising=False)

    def __call__(self, *arguments: str | Path | int) -> Ran:
        """Run ``verifaible judge ...``; a typed error becomes its sentence and its status, as in a shell."""
        result = CliRunner().invoke(judge, [str(each) for each in arguments])
        if isinstance(result.exception, VerifaibleError):
            status = 2 if isinstance(result.exception, UserError) else 1
            return Ran(status, result.stdout, f"{result.stderr}{result.exception}\n")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    def at(self, server: JudgeServer | str) -> None:
        """Ask this server, or this address, from now on."""
        url = server if isinstance(server, str) else server.base_url
        self._monkeypatch.setenv("VERIFAIBLE_BASE_URL", url)

    def done(self, *arguments: str | Path | int) -> JudgeFolder:
        """The same for a run that ends well: its folder."""
        result = self(*arguments)
        assert result.status == 0, result.err
        (line,) = [line for line in result.err.splitlines() if line.startswith("Results: ")]
        return JudgeFolder(Path(line.removeprefix("Results: ")))

    def latest(self) -> JudgeFolder:
        return find_folder(Settings(), "latest")


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command(tmp_path / "home", monkeypatch)
