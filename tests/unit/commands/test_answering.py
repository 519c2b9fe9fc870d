"""``verifaible answer``, and what ``verifaible ask`` refuses before it asks anybody."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.unit.evidence.samples import add
from verifaible.cli import verifaible
from verifaible.commands.answering import MAX_BYTES
from verifaible.config import Settings
from verifaible.errors import ConfigError, MissingKey, UnknownModel
from verifaible.evidence.store.store import Store

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
    return lambda *arguments, given=None: CliRunner().invoke(
        verifaible, list(map(str, arguments)), input=given
    )


def test_supported_answer(run: Run, store: Store, tmp_path: Path) -> None:
    citation = add(store)
    path = tmp_path / "answer.md"
    path.write_text(f"The rate was 5.33% [@v:1]. Good.\n\n[@v:1]: {citation.id[:8]}\n", encoding="utf-8")
    done = run("answer", path)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "supported\t0-26\t\tThe rate was 5.33% [@v:1].",
        "no_facts\t27-32\t\tGood.",
    ]
    assert done.stderr == "2 sentences: 1 supported, 1 nothing to support\n"
    # the check went into the history
    assert [check.kind for check in store.checks(citation.id)] == ["rehash"]


def test_answer_from_standard_input_as_json_with_a_page(run: Run, store: Store, tmp_path: Path) -> None:
    citation = add(store)
    page = tmp_path / "page.html"
    arguments = ("answer", "-", "--citation", f"2={citation.id[:6]}", "--question", "Why 7%?", "--json")
    done = run(*arguments, "--out", page, given="The rate was 5.34% [@v:2]; asked was 7%.\n[@v:2]: ffff\n")
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert told["ok"] is False
    (sentence,) = told["sentences"]
    assert (sentence["state"], sentence["missing"]) == ("partly", ["5.34%"])
    assert [(fact["raw"], fact["held"], fact["asked"]) for fact in sentence["facts"]] == [
        ("5.34%", False, False),
        ("7%", False, True),
    ]
    assert [each["id"] for each in told["citations"]] == [citation.id]
    assert "not in the evidence: 5.34%" in page.read_text(encoding="utf-8")


def test_citation_that_does_not_verify(run: Run, store: Store, tmp_path: Path) -> None:
    citation = add(store)
    path = next(tmp_path.rglob(f"{citation.capture.sha256}.wacz"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    text = f"The rate was 5.33% [@v:{citation.id}]."
    done = run("answer", "-", given=text)
    assert done.exit_code == 1
    assert done.stdout.startswith("broken\t")
    assert f"The citation {citation.id} does not verify: error." in done.stdout
    done = run("answer", "-", "--no-verify", given=text)
    assert (done.exit_code, done.stdout[:9]) == (0, "supported")


@pytest.mark.parametrize("number", ["1", "abcd", "zz", "12345678901234567890"])
def test_marker_that_leads_nowhere(run: Run, number: str) -> None:
    done = run("answer", "-", given=f"The rate was 5.33% [@v:{number}].")
    assert done.exit_code == 1
    assert done.stdout.startswith("broken\t")


def test_answer_that_says_nothing_is_no_fault(run: Run) -> None:
    assert run("answer", "-", given="I could not find it.").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (("-",), " \n", "contains no text"),
        (("-",), b"\xff\xfe\x00", "is not UTF-8 text"),
        (("-",), "a" * 500_001, "has more than 500,000 bytes"),
        (("nowhere.md",), "", "cannot be read"),
        ((".",), "", "cannot be read"),
        (("-", "--citation", "1"), "5", "give the number of a marker and an id"),
        (("-", "--citation", "a=1f3a"), "5", "give the number of a marker and an id"),
        (("-", "--citation", "1=xyz"), "5", "give the number of a marker and an id"),
        (("-", "--citation", "1=1f3a", "--citation", "1=2b4c"), "5", "is given twice"),
        (("-", "--out", "no/such/folder.html"), "5", "its folder does not exist"),
        (("-",), "A.\n[@v:1]: 1f3a\n[@v:1]: 2b4c\n", "defines [@v:1] twice"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], given: str | bytes, said: str) -> None:
    done = run("answer", *arguments, given=given)
    assert isinstance(done.exception, ConfigError)  # the program exits with 2
    assert said in str(done.exception)
    assert done.stdout == ""


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


def test_a_long_text_is_called_long_where_it_is_cut_within_a_letter(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    path.write_text("a" * (MAX_BYTES - 1) + "中", encoding="utf-8")
    done = run("answer", path)
    assert isinstance(done.exception, ConfigError)
    assert "more than 500,000 bytes" in str(done.exception)


def test_a_text_without_evidence_makes_no_store(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "answer.md"
    path.write_text("The rate was 5.33% [@v:1].\n", encoding="utf-8")
    place = tmp_path / "nowhere"
    monkeypatch.setenv("VERIFAIBLE_STORE", str(place))
    assert run("answer", path).exit_code == 1
    assert not place.exists()
