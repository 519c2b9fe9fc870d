"""``verifaible ask``: what it prints of an answer, and what it refuses before it asks anybody."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.unit.check.samples import checked, claimed
from tests.unit.evidence.samples import add
from verifaible.check.ask import Answered
from verifaible.cli.program import verifaible
from verifaible.config import Settings
from verifaible.errors import ConfigError, MissingKey, UnknownModel
from verifaible.schema.run import AgentOutcome
from verifaible.store.store import Store

Run = Callable[..., Result]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(Settings(home=tmp_path))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a home of its own, without keys and without a browser."""
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    monkeypatch.setenv("VERIFAIBLE_BROWSER", str(tmp_path / "no-browser"))
    for name in ("VERIFAIBLE_STORE", "VERIFAIBLE_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("VERIFAIBLE_BASE_URL", raising=False)
    return lambda *arguments: CliRunner().invoke(verifaible, list(map(str, arguments)))


def test_an_answer_as_json_with_a_report(
    run: Run, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    citation = add(store)
    text = "The rate was 5.34% [@v:2]. Asked was 7%."
    claims = (
        claimed("The rate was 5.34%", "not_in_source", text=text, cites=("@v:2",), citations=(citation.id,)),
        claimed("Asked was 7%", "no_source", text=text, cites=()),
    )
    answered = Answered(
        question="Why 7%?",
        model="some/model",
        answer=text,
        checked=checked(text, claims, sources=(), name="answer"),
        citations={"2": citation},
        outcome=AgentOutcome(answer=text, ended_by="answer", rounds=2),
    )

    async def asked(*_: Any, **__: Any) -> Answered:
        return answered

    monkeypatch.setattr("verifaible.client.Verifaible.ask", asked)
    page = tmp_path / "page.html"
    done = run("ask", "Why 7%?", "--model", "some/model", "--json", "--out", page)
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert (told["ok"], told["rounds"], told["numbers"]) == (False, 2, {"2": citation.id})
    assert [each["verdict"] for each in told["claims"]] == ["not_in_source", "no_source"]
    assert (told["summary"]["not_in_source"], told["summary"]["supported"]) == (1, 0)
    assert [each["id"] for each in told["citations"]] == [citation.id]
    assert told["text"] == (
        "The rate was 5.34% [@v:2]. ⟦not in the evidence⟧ Asked was 7%. ⟦no evidence⟧\n\n"
        f"[@v:2]: {citation.id}\n"
    )
    assert "not in the source" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((" ", "--model", "glm-5"), ConfigError, "The question is empty"),
        (("Why?", "--model", "glm-5", "--url", "file:///etc/passwd"), ConfigError, "is not a web address"),
        (("Why?", "--model", "oracle"), ConfigError, "answers only the bench's cases"),
        (("Why?", "--model", "glm-5"), MissingKey, "OPENROUTER_API_KEY"),
        (("Why?", "--model", "no such model"), UnknownModel, "There is no model named"),
        (("Why?", "--model", "glm-5", "--out", "no/such/folder.html"), ConfigError, "does not exist"),
        (
            ("Why?", "--model", "a/b", "--base-url", "http://127.0.0.1:9/v1", "--max-cost", "1"),
            ConfigError,
            "--max-cost would have no effect",
        ),
    ],
)
def test_ask_refuses(run: Run, arguments: tuple[str, ...], error: type[Exception], said: str) -> None:
    done = run("ask", *arguments)
    assert isinstance(done.exception, error), done.output
    assert said in str(done.exception)
