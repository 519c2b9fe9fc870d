"""``verifaible check`` on an answer whose markers name citations of the store: no page is opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.unit.evidence.samples import QUOTE, add
from verifaible.cli.program import verifaible
from verifaible.config import Settings
from verifaible.store.store import Store

Check = Callable[..., Result]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(Settings(home=tmp_path))


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Check a Markdown answer in a home of its own, without a browser."""
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    monkeypatch.setenv("VERIFAIBLE_BROWSER", str(tmp_path / "no-browser"))
    monkeypatch.delenv("VERIFAIBLE_STORE", raising=False)

    def checked(text: str, *arguments: str) -> Result:
        path = tmp_path / "answer.md"
        path.write_text(text, encoding="utf-8")
        return CliRunner().invoke(verifaible, ["check", str(path), *arguments])

    return checked


def verdicts(done: Result) -> list[tuple[str, list[str]]]:
    claims: list[dict[str, Any]] = json.loads(done.stdout)["claims"]
    return [(each["verdict"], each["citations"]) for each in claims]


def test_each_claim_is_compared_with_the_citation_that_it_marks(store: Store, check: Check) -> None:
    citation, other = (
        add(store),
        add(store, "Other", quote="The rate was 6.1% in March.", url="https://b.example/"),
    )
    defined = f"[@v:1]: {citation.id[:8]}\n[@v:2]: {other.id}\n"
    text = (
        "The rate was 5.33% in February [@v:1]. The rate was 9.4% in March [@v:2]. "
        f"The rate was 6.1% in March [@v:{other.id[:8]}].\n\n{defined}"
    )
    done = check(text, "--json")
    assert done.exit_code == 1, done.output
    assert verdicts(done) == [
        ("supported", [citation.id]),
        ("contradicted", [other.id]),
        ("supported", [other.id]),
    ]
    sources = json.loads(done.stdout)["sources"]
    assert [(each["url"], each["state"]) for each in sources] == [
        (citation.source_url, "read"),
        (other.source_url, "read"),
    ]
    assert json.loads(done.stdout)["claims"][0]["passages"][0]["quote"] in QUOTE


def test_an_id_that_begins_with_digits_alone_is_no_number(store: Store, check: Check) -> None:
    """Of all ids one in 43 begins with eight digits."""
    citation = add(store)
    for number in count():
        if citation.id[:8].isdigit():
            break
        citation = add(store, f"Page {number}", url=f"https://{number}.example/")
    done = check(f"The rate was 5.33% in February [@v:{citation.id[:8]}].", "--json")
    assert verdicts(done) == [("supported", [citation.id])]


def test_an_answer_that_its_citations_support_exits_with_0(store: Store, check: Check) -> None:
    done = check(f"The rate was 5.33% in February [@v:{add(store).id}].")
    assert done.exit_code == 0, done.output


def test_what_ask_writes_behind_a_sentence_is_no_part_of_it(store: Store, check: Check) -> None:
    citation = add(store)
    text = (
        "The rate was 5.33% in February [@v:1]. It was 4.9% before. ⟦no evidence⟧ It was 7% "
        f"[@v:1]. ⟦not in the evidence⟧\n\n[@v:1]: {citation.id}\n"
    )
    done = check(text, "--json")
    claims = [each["claim"]["text"] for each in json.loads(done.stdout)["claims"]]
    assert claims == ["The rate was 5.33% in February", "It was 4.9% before", "It was 7%"]
    assert verdicts(done)[0] == ("supported", [citation.id])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("The rate was 5.33% [@v:1].", ""),
        ("The rate was 5.33% [@v:ffff].", "ffff"),
        ("The rate was 5.33% [@v:1].\n\n[@v:1]: 1f3a\n", "1f3a"),
        ("The rate was 5.33% [@v:1].\n\n[@v:1]: 1f3a\n[@v:1]: 2b4c\n", "defines [@v:1] twice"),
    ],
)
def test_a_marker_that_leads_nowhere_supports_nothing(
    store: Store, check: Check, text: str, fault: str
) -> None:
    add(store)
    done = check(text, "--json")
    assert done.exit_code == 3, done.output
    assert verdicts(done) == [("no_source", [])]
    assert fault in " ".join(json.loads(done.stdout)["faults"])


def test_a_citation_whose_capture_was_changed_supports_nothing(
    store: Store, check: Check, tmp_path: Path
) -> None:
    citation = add(store)
    path = next(tmp_path.rglob(f"{citation.capture.sha256}.wacz"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    done = check(f"The rate was 5.33% in February [@v:{citation.id}].", "--json")
    assert done.exit_code == 3, done.output
    assert verdicts(done) == [("unreadable", [])]
    (source,) = json.loads(done.stdout)["sources"]
    assert source["state"] == "error"
