"""``verifaible watch``: what has drifted, once; no browser, looks that a test writes."""

from __future__ import annotations

import json
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.unit.evidence.samples import add
from verifaible import rechecks as recheck
from verifaible.cli.program import verifaible
from verifaible.errors import StoreError
from verifaible.schema.check import Check, Verdict
from verifaible.schema.citation import Citation
from verifaible.store.store import Store
from verifaible.tools import workspace


class FakeBrowser:
    version = "1.0"

    def __init__(self, *given: object, **named: object) -> None:
        pass

    def warming(self, *given: object) -> FakeBrowser:
        return self

    async def start(self) -> None:
        pass

    async def __aenter__(self) -> FakeBrowser:
        return self

    async def __aexit__(self, *given: object) -> None:
        pass


class Live:
    """Today's web: what a look at each citation says."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.says: dict[str, Verdict] = {}
        self.looked: list[str] = []
        self.now = datetime.now(UTC) - timedelta(hours=1)

    async def recheck(self, citation: Citation, *given: object, **named: Any) -> Check:
        self.looked.append(citation.id)
        assert named["scheduled"]
        return Check(
            citation_id=citation.id,
            at=self.now,
            kind="live",
            verdict=self.says.get(citation.id, "verified"),
            message="What it says.",
        )


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Live:
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))
    found = Live(Store(tmp_path / "store"))
    monkeypatch.setattr(recheck, "recheck", found.recheck)
    monkeypatch.setattr(workspace, "Browser", FakeBrowser)
    return found


def watch(*words: str) -> Result:
    return CliRunner().invoke(verifaible, ["watch", *words], catch_exceptions=False)


def test_only_what_is_due_is_looked_at(live: Live) -> None:
    citation = add(live.store)  # made in March 2026
    assert watch("--older", "30d").exit_code == 0
    assert live.looked == [citation.id]
    live.looked.clear()
    assert watch("--older", "30d").exit_code == 0
    assert live.looked == []
    assert live.store.rows()[0].live_verdict == "verified"


def test_drift_is_told_once_by_site(live: Live) -> None:
    drifted = add(live.store, "It drifts")
    add(live.store, "Steady")
    live.says = {drifted.id: "changed"}
    done = watch("--older", "0s")
    assert done.exit_code == 1
    change, *told = done.stdout.splitlines()
    assert change.split("\t") == ["verified -> changed", drifted.id, drifted.source_url, "What it says."]
    headings, _, site = (line.split() for line in told[1:4])
    assert dict(zip(headings[3:], site[2:], strict=True)) == {"verified": "1", "changed": "1", "Drifted": "1"}
    assert (site[0], " ".join(headings[:3])) == ("statistics.example", "Site Looked at")
    assert "2 looked at, 1 changed" in done.stderr
    live.now += timedelta(seconds=1)
    assert watch("--older", "0s").exit_code == 0  # as at the last look
    live.says, live.now = {drifted.id: "error"}, live.now + timedelta(seconds=1)
    assert watch("--older", "0s").exit_code == 3
    live.says, live.now = {drifted.id: "changed"}, live.now + timedelta(seconds=1)
    assert watch("--older", "0s").exit_code == 0  # an error has not made it forgotten
    live.says, live.now = {}, live.now + timedelta(seconds=1)
    back = watch("--older", "0s", "--json")
    assert back.exit_code == 0
    (told,) = json.loads(back.stdout)["changes"]
    assert (told["before"], told["now"]) == ("changed", "verified")


def test_what_is_looked_at_is_bounded_and_told_as_markdown(live: Live) -> None:
    alone = add(live.store, "Alone", url="https://other.example/page")
    resting = [add(live.store, f"Claim {number}") for number in range(2)]
    done = watch("--limit", "2", "--markdown")
    assert set(live.looked) == {each.id for each in resting}  # on this page two citations rest
    assert "| statistics.example | 2 | 2 | 0 |" in done.stdout
    live.says = {alone.id: "gone"}
    assert f"| {alone.id} | verified | gone | https://other.example/page |" in watch("--markdown").stdout


def test_the_line_for_cron_does_the_same(live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path / "50% off"))
    given = ("--older", "2d", "--limit", "9")
    done = watch(*given, "--print-cron")
    minute, hour, *stars, rest = done.stdout.strip().split(" ", 5)
    assert (minute, hour, stars) == ("15", "4", ["*", "*", "*"])
    assert "50\\% off" in rest
    words = shlex.split(rest.replace("\\%", "%"))
    home = tmp_path / "50% off"
    assert words[:3] == ["env", f"VERIFAIBLE_HOME={home}", f"VERIFAIBLE_STORE={tmp_path / 'store'}"]
    assert words[-5:] == ["watch", *given]
    assert live.looked == []


def test_a_citation_whose_history_cannot_be_read_is_one_that_was_not_looked_at(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, drifted = add(live.store, "one").id, add(live.store, "two").id
    live.says = {first: "changed", drifted: "gone"}
    read = Store.checks

    def checks(store: Store, citation_id: str) -> Any:
        if citation_id == first:
            raise StoreError("The history is damaged: restore it.")
        return read(store, citation_id)

    monkeypatch.setattr(Store, "checks", checks)
    done = watch("--older", "0s", "--json")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert [each["citation_id"] for each in told["changes"]] == [drifted]
    assert f"{first}: not compared with its last look. The history is damaged: restore it." in done.stderr
    live.says = {first: "changed"}
    live.now = datetime.now(UTC)
    assert watch("--older", "0s").exit_code == 3
