"""``verifaible list`` and ``show``: what is in the store, by the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.unit.evidence.samples import NOW, add, check
from verifaible.cli.program import verifaible
from verifaible.errors import CitationNotFound, ConfigError
from verifaible.store.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))
    return Store(tmp_path / "store")


def call(*words: str) -> Result:
    return CliRunner().invoke(verifaible, list(words), catch_exceptions=False)


def rows(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_list_finds_all_words_newest_first(store: Store) -> None:
    first = add(store, "全国人口", quote="人口为 140489 万人")
    second = add(store, "人口 again", quote="人口为 140828 万人")
    add(store, "Something else")
    found = call("list", "人口", "--json")
    assert found.exit_code == 0
    by_age = [row.id for row in store.rows(query="人口", newest_first=True)]
    assert [row["id"] for row in rows(found)] == by_age
    assert {first.id, second.id} == set(by_age)
    assert [row["id"] for row in rows(call("list", "人口", "140489", "--json"))] == [first.id]
    assert len(rows(call("list", "人口", "--limit", "1", "--json"))) == 1


def test_list_is_newest_first_with_day_claim_and_both_verdicts(store: Store) -> None:
    made = [add(store, f"Claim {number}") for number in range(3)]
    store.add_check(check(made[0], "changed"))
    lines = [line.split("\t") for line in call("list").stdout.splitlines()]
    assert [line[0] for line in lines] == [row.id for row in store.rows(newest_first=True)]
    (first,) = [line for line in lines if line[0] == made[0].id]
    assert first[1:4] == ["2026-03-02 08:00", "Claim 0", "capture: changed · live: not checked"]
    assert call("list", "--limit", "2").stdout.splitlines() == call("list").stdout.splitlines()[:2]


def test_an_empty_list_says_where_it_looked(store: Store) -> None:
    for words, said in (((), "There is no citation in "), (("x",), "There is no citation that matches in ")):
        listed = call("list", *words)
        assert (listed.exit_code, listed.stdout) == (0, "")
        assert listed.stderr.startswith(said) and "verifaible cite" in listed.stderr


def test_a_list_never_shows_what_an_index_behind_the_log_says(store: Store) -> None:
    add(store)
    call("list")
    other = Store(Path(store.location))
    added = add(other, "Behind the index")
    assert added.id in call("list").stdout


def test_filters(store: Store) -> None:
    made = [add(store, f"Claim {number}") for number in range(2)]
    store.add_check(check(made[0], "moved"))
    found = call("list", "claim", "--verdict", "moved", "--type", "text", "--json")
    assert [row["id"] for row in rows(found)] == [made[0].id]
    assert call("list", "claim", "--type", "table", "--json").stdout == ""
    assert call("list", "claim", "--since", "2099-01-01", "--json").stdout == ""
    assert call("list", "claim", "--verdict", "nonsense").exit_code == 2
    with pytest.raises(ConfigError, match="2026-03-02"):
        call("list", "claim", "--since", "yesterday")


def test_show_tells_what_there_is_to_know(store: Store) -> None:
    citation = add(store, "The rate", check=None)
    store.add_check(check(citation, "verified"))
    store.add_check(check(citation, "changed", NOW + timedelta(days=1)))
    shown = call("show", citation.id[:6])
    assert shown.exit_code == 0
    for part in (
        citation.id,
        "claim     The rate",
        "verdict   changed",
        f"evidence  {citation.anchor.text}",
        "https://statistics.example/release#:~:text=",
        f"captures/{citation.capture.sha256}.wacz",
        "verified  m",
    ):
        assert part in shown.stdout, part
    told = json.loads(call("show", "latest", "--json").stdout)
    assert (told["id"], told["verdict"]) == (citation.id, "changed")
    assert [each["verdict"] for each in told["checks"]] == ["verified", "changed"]
    assert Path(told["capture"]).is_file()
    assert told["citation"]["anchor"]["text"] == citation.anchor.text


def test_show_marks_the_quote_in_its_sentence(store: Store) -> None:
    add(store, quote="The rate was 5.33%", body="One. The rate was 5.33%\u00a0in May. Two.")
    assert "evidence  ⟦The rate was 5.33%⟧ in May." in call("show", "latest").stdout.splitlines()
    told = json.loads(call("show", "latest", "--json").stdout)
    assert (told["sentence"], told["in_sentence"]) == ("The rate was 5.33%\u00a0in May.", 0)


def test_show_of_nothing_says_where_to_look(store: Store) -> None:
    with pytest.raises(CitationNotFound, match="verifaible list"):
        call("show", "0123456")


def test_a_shell_that_completes_gets_the_commands() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "verifaible")],
        env={
            "PATH": "/usr/bin:/bin",
            "_VERIFAIBLE_COMPLETE": "bash_complete",
            "COMP_WORDS": "verifaible se",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.stdout.split() == ["plain,seal", "plain,setup", "plain,serve"], done.stderr


def test_json_of_the_store_commands(store: Store) -> None:
    add(store)
    assert json.loads(call("store", "reindex", "--json").stdout) == {"citations": 1}
    (key,) = rows(call("store", "keys", "--json"))
    new = json.loads(call("store", "rotate-key", "--json").stdout)
    assert new["endorsed_by"] == key["id"]
    assert json.loads(call("store", "stamps", "--json").stdout) == []
    assert json.loads(call("store", "head", "--json").stdout)["number"] == 2


def test_a_limit_beyond_all_measure_is_none(store: Store) -> None:
    add(store)
    for words in ((), ("rate",)):
        assert call("list", *words, "--limit", "9" * 30).exit_code == 0


def test_a_search_that_is_too_long(store: Store) -> None:
    add(store)
    with pytest.raises(ConfigError, match="200 words"):
        call("list", *(f"w{number}" for number in range(3000)))
    with pytest.raises(ConfigError, match="too long"):
        call("list", "x" * 60_000)


def test_words_that_are_no_text_are_found_nowhere(store: Store) -> None:
    add(store)
    assert call("list", "\udcff\udcfe").stdout == ""
