"""``verifaible delete``: the log stays whole, and nothing that is needed goes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.unit.evidence.samples import NOW, TILE, add, check, draft_of, evidence
from tests.unit.store.files import replace_line
from verifaible.bench.run_dir import RunFolder
from verifaible.cli.program import verifaible
from verifaible.errors import (
    CitationDeleted,
    CitationNotFound,
    ConfigError,
    IntegrityError,
    RunError,
    StoreError,
)
from verifaible.evidence.audit import audit
from verifaible.schema.citation import Citation
from verifaible.store.deletion import plan
from verifaible.store.sealed import capture_file, citation_file
from verifaible.store.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))
    return Store(tmp_path / "store")


def call(*words: str, given: str = "") -> Result:
    return CliRunner().invoke(verifaible, list(words), catch_exceptions=False, input=given)


def sharing(store: Store, citation: Citation, claim: str) -> Citation:
    """Another citation of the same capture."""
    draft = draft_of(evidence(), citation.capture, claim, citation.request.quote)
    return store.add(draft, capture=None, tiles=(TILE,))


def folder(parent: Path, name: str, **files: str) -> Path:
    path = parent / name
    path.mkdir(parents=True)
    for file, text in files.items():
        (path / file.replace("_", ".")).write_text(text, encoding="utf-8")
    return path


def test_a_citation_goes_with_its_files_and_the_audit_says_deleted(store: Store) -> None:
    gone, stays = add(store, "Goes", quote="It was 5.1% then."), add(store, "Stays")
    store.add_check(check(gone))
    done = call("delete", gone.id[:6], "--yes")
    assert done.exit_code == 0, done.output
    assert [row.id for row in store.rows()] == [stays.id]
    for name in (citation_file(gone.id), capture_file(gone.capture.sha256), f"checks/{gone.id}"):
        assert not (Path(store.location) / name).exists(), name
    found = audit(store)
    assert (found.ok, found.checked) == (True, 1), found.faults
    (note,) = [each for each in found.notes if each.startswith("Deleted on")]
    assert citation_file(gone.id) in note
    with pytest.raises(CitationDeleted, match=rf"{gone.id} was deleted on \d{{4}}-\d\d-\d\d"):
        call("verify", gone.id[:6])
    store.reindex()
    assert [row.id for row in store.rows()] == [stays.id]
    with pytest.raises(CitationDeleted):
        store.get(gone.id)
    assert audit(store).ok


def test_what_others_share_stays_until_the_last_of_them_goes(store: Store) -> None:
    first = add(store, "One")
    second = sharing(store, first, "Two")
    done = call("delete", first.id, "--yes")
    assert "2 captures and pictures stay" in done.stderr
    assert audit(store).ok
    assert call("verify", second.id).exit_code == 0
    call("delete", second.id, "--yes")
    assert not list((Path(store.location)).glob("captures/*"))
    assert not list((Path(store.location)).glob("pictures/*"))
    assert audit(store).faults == ()


def test_nothing_new_rests_on_a_capture_that_is_gone(store: Store) -> None:
    citation = add(store)
    call("delete", citation.id, "--yes")
    assert store.capture_of_state(citation.capture.state_sha256) is None
    with pytest.raises(StoreError, match="Cite once more"):
        sharing(store, citation, "Too late")


def test_a_capture_that_a_judged_folder_rests_on_stays(store: Store, tmp_path: Path) -> None:
    citation = add(store)
    folder(tmp_path / "judged", "one", answers_jsonl=json.dumps({"capture": citation.capture.sha256}))
    call("delete", citation.id, "--yes")
    assert store.files.exists(capture_file(citation.capture.sha256))
    assert audit(store).faults == ()


def test_it_asks_first_and_refusing_changes_nothing(store: Store) -> None:
    citation = add(store)
    before = store.custody.count()
    asked = CliRunner().invoke(verifaible, ["delete", citation.id], input="n\n")
    assert asked.exit_code != 0
    assert citation.id in asked.stdout
    assert (store.custody.count(), store.count()) == (before, 1)
    assert call("delete", citation.id, given="y\n").exit_code == 0
    assert store.count() == 0


def test_what_is_not_there_and_what_is_elsewhere_is_refused(store: Store, tmp_path: Path) -> None:
    add(store)
    with pytest.raises(CitationNotFound):
        call("delete", "0123456", "--yes")
    with pytest.raises(ConfigError, match="by hand"):
        call("delete", str(folder(tmp_path, "elsewhere")), "--yes")
    assert store.count() == 1


def test_a_log_with_faults_is_not_added_to(store: Store) -> None:
    citation = add(store)
    add(store, "Another")
    replace_line(Path(store.location), 1, None)
    with pytest.raises(IntegrityError, match="faults, so nothing was deleted"):
        plan(store, [citation.id])


def test_a_lost_file_is_still_lost_and_a_tombstone_is_signed(store: Store) -> None:
    citation = add(store)
    call("delete", citation.id, "--yes")
    entry = store.custody.entry(store.custody.count())
    assert {each.kind for each in entry.items} == {"deleted"}
    path = Path(store.location) / "custody.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"deleted"', b'"capture"'))
    assert any("signature" in fault for fault in store.custody.faults())


def test_an_imported_citation_can_come_back(store: Store, tmp_path: Path) -> None:
    citation = add(store)
    copy = shutil.copytree(store.location, tmp_path / "copy")
    call("delete", citation.id, "--yes")
    for name in (citation_file(citation.id), capture_file(citation.capture.sha256)):
        path = Path(store.location) / name
        path.parent.mkdir(exist_ok=True)
        shutil.copy(copy / name, path)
    notes = audit(store).notes
    assert sum("but is there. Delete it." in each for each in notes) == 2
    names = [each for entry in Store(copy).custody.entries() for each in entry.items]
    items = [each for each in names if each.kind in ("citation", "capture", "picture")]
    for each in items:
        store.take_over(each.name, Store(copy).files.read(each.name))
    store.log(items)
    assert store.get(citation.id) == citation
    assert audit(store).ok
    store.reindex()
    assert store.get(citation.id) == citation


def test_runs_and_judged_folders_are_named_in_the_log(store: Store, tmp_path: Path) -> None:
    run = folder(tmp_path / "runs", "20260302T080000Z-oracle", run_json="{}")
    judged = folder(tmp_path / "judged", "20260302T080000Z-answers", judge_json="{}")
    add(store)
    done = call("delete", run.name, str(judged), "--yes", "--json")
    assert json.loads(done.stdout)["folders"] == [f"runs/{run.name}", f"judged/{judged.name}"]
    assert not run.exists()
    assert not judged.exists()
    told = " ".join(audit(store).notes)
    assert f"runs/{run.name}" in told
    assert f"judged/{judged.name}" in told


def test_a_run_that_is_under_way_is_not_deleted(store: Store, tmp_path: Path) -> None:
    run = folder(tmp_path / "runs", "running", run_json="{}")
    with RunFolder(run).held(), pytest.raises(RunError, match="Another process"):
        call("delete", "running", "--yes")
    assert run.is_dir()
    assert not store.custody.count()


def test_what_is_older_goes(store: Store, tmp_path: Path) -> None:
    old = add(store, "Made on a day in March 2026")
    past, new = (
        folder(tmp_path / "runs", "old", run_json="{}"),
        folder(tmp_path / "runs", "new", run_json="{}"),
    )
    strange = folder(tmp_path / "runs", "notes of mine")
    for each in (past, past / "run.json", strange):
        os.utime(each, (NOW.timestamp(), NOW.timestamp()))
    listed = call("delete", "--older", "90d", "--dry-run", "--json")
    told = json.loads(listed.stdout)
    assert ([row["id"] for row in told["citations"]], told["folders"]) == ([old.id], ["runs/old"])
    assert store.count() == 1
    assert call("delete", "--older", "90d", "--only", "runs", "--yes").exit_code == 0
    assert (past.exists(), new.exists(), strange.exists(), store.count()) == (False, True, True, 1)
    assert call("delete", "--older", "99999d", "--yes").exit_code == 0
    assert store.count() == 1
    call("delete", "--older", "1d", "--yes")
    assert store.count() == 0
    with pytest.raises(ConfigError, match="--older soon"):
        call("delete", "--older", "soon")
    for wrong in ((), ("--only", "runs"), (old.id, "--older", "1d"), (old.id, "--only", "runs")):
        assert call("delete", *wrong).exit_code == 2
