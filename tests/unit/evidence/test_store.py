"""The store, on every place and every database it can use: a folder and S3, SQLite and PostgreSQL."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from tests.kit.marks import nightly
from tests.unit.evidence.places_of_stores import Place, drop_tables
from tests.unit.evidence.samples import (
    NOW,
    QUOTE,
    TILE,
    URL,
    add,
    check,
    evidence,
    material,
)
from tests.unit.store.killing import Killed, killed_after
from verifaible.archive.signing import Signer
from verifaible.archive.validate import faults as faults_of
from verifaible.errors import (
    CitationNotFound,
    ConfigError,
    IntegrityError,
    NewerFormat,
    OlderFormat,
    StoreError,
    StoreUnreachable,
)
from verifaible.evidence.audit import audit
from verifaible.evidence.capture import state_sha256
from verifaible.evidence.verify import verify
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.deletion import plan
from verifaible.store.entries import sha256_of
from verifaible.store.index import Index
from verifaible.store.root import Root
from verifaible.store.sealed import capture_file, citation_file, picture_files
from verifaible.store.store import Store


@pytest.fixture
def store(place: Place) -> Store:
    """A store on each of the places; see conftest."""
    return place.store()


@pytest.fixture
def local(tmp_path: Path) -> Store:
    """A store in a folder, for what does not depend on the place."""
    return Store(tmp_path / "store")


def folder(store: Store) -> Path:
    assert isinstance(store.files, Root)
    return store.files.folder


# --- the same on every place


def test_an_addition_whose_index_fails_is_in_the_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    first = add(store, "first")

    def refused(*_: object) -> None:
        raise StoreError("The index takes nothing.")

    with monkeypatch.context() as failing:
        failing.setattr(Index, "take_in", refused)
        second = add(store, "second", title="second")
        with pytest.raises(StoreError, match="takes nothing"):
            store.rows()
    assert {row.id for row in store.rows()} == {first.id, second.id}
    assert audit(store).faults == ()


def test_a_citation_comes_back_as_it_was(store: Store) -> None:
    citation = add(store)
    assert store.get(citation.id) == citation
    assert store.get(citation.id[:4]) == citation
    assert annotation.from_bytes(annotation.to_bytes(citation), citation.id) == citation
    with store.open_capture(citation) as reader:
        assert QUOTE.encode() in reader.read("evidence/text.txt")
        assert faults_of(reader, store.signer.public_key) == []
    assert store.pictures(citation) == (TILE,)
    found = verify(citation, store)
    assert (found.check.verdict, QUOTE in found.visible_text) == ("verified", True)
    assert verify(citation, store, hash_only=True).check.verdict == "verified"


def test_another_process_sees_the_same(place: Place) -> None:
    first, second = place.store(), place.store()
    made = [add(first, f"claim {number}", title=f"Page {number}") for number in range(3)]
    assert [row.id for row in second.rows()] == sorted(each.id for each in made)
    later = add(second, "later")
    assert first.get(later.id) == later
    assert first.count() == second.count() == 4
    assert audit(first).ok


def test_checks_are_appended(store: Store) -> None:
    citation = add(store)
    assert store.checks(citation.id) == ()
    later = check(citation, "moved", NOW.replace(hour=9))
    store.add_check(check(citation))
    store.add_check(later)
    assert store.checks(citation.id) == (check(citation), later)
    (row,) = store.rows()
    assert (row.verdict, row.checked_at) == ("moved", later.at)
    store.add_check(check(citation, "gone", NOW.replace(hour=7)))  # an older one does not count as the last
    assert store.rows()[0].verdict == "moved"


def test_one_page_state_is_captured_once(store: Store) -> None:
    seen = evidence()
    assert store.capture_of_state(state_sha256(seen)) is None
    first = add(store)
    found = store.capture_of_state(state_sha256(seen))
    assert found == first.capture
    parts = material(store, "Another claim")
    draft = parts["draft"].model_copy(update={"capture": found})
    second = store.add(draft, capture=None, tiles=parts["tiles"])
    assert first.id != second.id
    assert store.files.names("captures") == [f"{first.capture.sha256}.wacz"]
    assert verify(second, store).check.verdict == "verified"
    assert audit(store).ok
    other = evidence(body=f"Something else stands before it. {QUOTE}")
    assert state_sha256(other) != state_sha256(seen)
    assert store.capture_of_state(state_sha256(other)) is None


def test_an_index_does_not_decide_which_capture_has_a_page_state(local: Store) -> None:
    import sqlite3

    citation = add(local)
    other = "0" * 64
    with sqlite3.connect(folder(local) / "index.sqlite") as database:
        database.execute("UPDATE verifaible_citations SET state_sha256 = ?", (other,))
    assert local.capture_of_state(other) is None
    local.reindex()
    assert local.capture_of_state(citation.capture.state_sha256) == citation.capture


def test_an_index_of_the_form_before_is_made_again_and_the_log_is_kept(place: Place) -> None:
    store = place.store()
    citation = add(store)
    store.add_check(check(citation))
    with store._index.database.begin(write=True) as connection:
        connection.exec_driver_sql("ALTER TABLE verifaible_citations RENAME COLUMN state_sha256 TO older")
        store._index.database.set_state(connection, "form", "1")
    again = place.store()
    assert [row.id for row in again.rows()] == [citation.id]
    assert again.capture_of_state(citation.capture.state_sha256) == citation.capture
    assert again.checks(citation.id) == (check(citation),)
    assert audit(again).ok


def test_a_list_in_pages_and_a_search(store: Store) -> None:
    made = [
        add(store, claim, title=title, url=f"{URL}/{title}")
        for claim, title in (
            ("人口为１４０４８９万人", "cn"),
            ("GDP grew 5 %", "us"),
            ("The population of Japan", "jp"),
        )
    ]
    everything = store.rows()
    assert {row.id for row in everything} == {citation.id for citation in made}
    first = store.rows(limit=2)
    assert [*first, *store.rows(after=first[-1].id)] == everything
    assert [row.title for row in store.rows(query="140489 万人")] == ["cn"]
    assert [row.title for row in store.rows(query="POPULATION japan")] == ["jp"]
    assert [row.title for row in store.rows(query="release/us")] == ["us"]
    assert store.rows(query="5 % nothing") == []
    assert store.rows(query="5_3") == []  # no wildcards
    assert store.rows(since=NOW.replace(year=2027)) == []
    assert len(store.rows(since=NOW)) == 3


def test_the_latest(store: Store) -> None:
    with pytest.raises(CitationNotFound):
        store.get("latest")
    for number in range(3):
        made = add(store, f"claim {number}", title=f"Page {number}")
        assert store.get("latest") == made


def test_the_index_is_made_from_the_files_again(place: Place) -> None:
    store = place.store()
    citations = [add(store, f"claim {number}", title=f"Page {number}") for number in range(3)]
    store.add_check(check(citations[1], "changed"))
    before, verdicts = store.rows(), [verify(each, store).check.verdict for each in store.citations()]
    assert store.reindex() == 3
    assert store.rows() == before
    place.drop_index()
    again = place.store()
    assert again.rows() == before
    assert [verify(each, again).check.verdict for each in again.citations()] == verdicts == ["verified"] * 3


def test_what_is_not_there(store: Store) -> None:
    unknown = ["", "abc", "nothing-here", "../../etc", "deadbeef", "*", "????", "%", "____"]
    for there in range(2):
        assert store.count() == there
        for wanted in unknown:
            with pytest.raises(CitationNotFound):
                store.get(wanted)
        add(store)


def test_looking_makes_no_store(place: Place) -> None:
    store = place.store()
    assert (store.rows(), store.count(), list(store.citations())) == ([], 0, [])
    with pytest.raises(CitationNotFound):
        store.get("deadbeef")
    assert (store.has("deadbeef"), store.checks("deadbeef"), store.page_states()) == (False, (), {})
    assert not store.files.exists("store.json")
    assert audit(store).ok
    assert not store.files.exists("custody.jsonl")


def test_a_capture_that_is_gone_or_changed(store: Store) -> None:
    citation = add(store)
    name = capture_file(citation.capture.sha256)
    store.files.replace(name, store.files.read(name) + b"x")
    with pytest.raises(IntegrityError, match="was changed"), store.open_capture(citation):
        pass
    found = verify(citation, store, hash_only=True).check
    assert (found.verdict, "was changed" in found.message) == ("error", True)
    assert not audit(store).ok


def test_keys_are_rotated_and_old_signatures_stay_valid(store: Store) -> None:
    old = add(store, "old")
    first = store.keys.current
    record = store.rotate_key()
    assert (record.origin, record.endorsed_by) == ("rotated", first.id)
    new = add(store, "new", title="Another page")
    assert store.keys.current.id == record.id
    assert [key.id for key in store.keys.all()] == [first.id, record.id]
    for citation in (old, new):
        assert verify(citation, store).check.verdict == "verified"
    assert audit(store).ok
    assert store.entry_of(old.id).key == first.id
    assert store.entry_of(new.id).key == record.id


def test_a_rotation_that_was_stopped_leaves_no_fault(place: Place) -> None:
    store = place.store()
    add(store, "old")
    with pytest.raises(KeyboardInterrupt), pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.custody, "append", Mock(side_effect=KeyboardInterrupt))
        store.rotate_key()
    assert [key.id for key in place.store().keys.all()] == [store.keys.current.id]
    record, _ = store.keys.rotate()
    store.files.create(record.file, record.to_bytes())  # as a kill leaves it
    found = audit(place.store())
    assert found.ok
    assert any(f"{record.file} is of a rotation that was stopped" in note for note in found.notes)
    place.store().rotate_key()
    add(place.store(), "new", title="Another page")
    assert audit(place.store()).ok


def test_a_lost_key_stops_additions_until_it_is_said(place: Place) -> None:
    store = place.store()
    old = add(store, "old")
    place.remove("keys/signing.pem")
    store = place.store()
    assert verify(old, store).check.verdict == "verified"
    with pytest.raises(StoreError, match="rotate-key --lost"):
        add(store, "new")
    store.rotate_key(lost=True)
    new = add(store, "new", title="Another page")
    found = verify(new, store).check
    assert (found.verdict, "did not endorse" in found.message) == ("verified", True)
    assert (
        verify(old, store).check.message
        == "The bytes are those that were sealed, and the evidence is in them."
    )
    assert audit(store).ok


def test_a_check_that_no_entry_names_is_not_in_the_history(store: Store) -> None:
    citation = add(store)
    store.add_check(check(citation))
    late = annotation.canonical(check(citation, "gone", NOW.replace(hour=11)).model_dump(mode="json"))
    with store.turn():
        store.take_over_check(citation.id, late)  # and then a kill
    assert [each.verdict for each in store.checks(citation.id)] == ["verified"]
    assert store.reindex() == 1
    assert [each.verdict for each in store.checks(citation.id)] == ["verified"]
    assert late in store.lines.read(f"checks/{citation.id}")


# --- what does not depend on the place


def test_citing_again_mends_what_was_damaged(local: Store) -> None:
    citation = add(local)
    for name in (citation_file(citation.id), *picture_files(citation)):
        (folder(local) / name).write_bytes(b"damaged")
    (folder(local) / capture_file(citation.capture.sha256)).write_bytes(b"damaged")
    assert not audit(local, hash_only=True).ok
    assert local.capture_of_state(citation.capture.state_sha256) is None
    assert add(local) == citation
    assert local.capture_of_state(citation.capture.state_sha256) == citation.capture
    assert audit(local).ok


def test_a_newer_citation_does_not_close_the_store(local: Store) -> None:
    newer, known = add(local, "newer"), add(local, "known", title="known")
    path = folder(local) / citation_file(newer.id)
    path.write_bytes(path.read_bytes().replace(b'"format":5', b'"format":9'))
    assert local.reindex() == 1
    assert [row.id for row in local.rows()] == [known.id]
    assert "Update verifaible" in audit(local).failed[0].message


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_link_or_a_pipe_in_the_place_of_a_file(local: Store, tmp_path: Path, kind: str) -> None:
    import os

    citation = add(local)
    for name in (citation_file(citation.id), capture_file(citation.capture.sha256)):
        path = folder(local) / name
        kept = tmp_path / path.name
        path.rename(kept)
        if kind == "link":
            path.symlink_to(kept)
        else:
            os.mkfifo(path)
        with pytest.raises(IntegrityError, match="is a link or no file at all"):
            local.files.read(name)
        with pytest.raises(IntegrityError), local.files.local(name):
            pass
        assert not audit(local).ok
        path.unlink()
        kept.rename(path)
    assert audit(local).ok


def test_equal_citations_have_equal_ids_and_others_do_not(local: Store) -> None:
    first, second = material(local)["draft"], material(local, "B")["draft"]
    assert annotation.citation_id(first) == annotation.citation_id(first.model_copy())
    assert annotation.citation_id(first) != annotation.citation_id(second)


def test_an_ambiguous_beginning(local: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter(["abcd0123456789012345", "abcd9876543210987654"])
    made: dict[str, str] = {}
    original = annotation._id_of

    def short(record: dict[str, Any]) -> str:
        key = original(record)
        if key not in made:
            made[key] = next(names)
        return made[key]

    monkeypatch.setattr(annotation, "_id_of", short)
    add(local, "one")
    add(local, "two", title="Two")
    with pytest.raises(CitationNotFound, match="Several"):
        local.get("abcd")
    assert local.get("abcd0").claim == "one"


@pytest.mark.parametrize("damage", ["cut", "empty", "text", "other", "gone"])
def test_damaged_citations_are_refused(local: Store, damage: str) -> None:
    citation = add(local)
    path = folder(local) / citation_file(citation.id)
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(
            {
                "cut": data[:-20],
                "empty": b"",
                "text": data.replace(b"5.33%", b"5.34%"),
                "other": b'{"verifaible": []}',
            }[damage]
        )
    with pytest.raises(IntegrityError):
        local.get(citation.id)
    found = audit(local)
    assert (found.verified, len(found.failed)) == (0, 1)


def test_the_annotation_around_the_record_belongs_to_it(local: Store) -> None:
    """What a reader of the W3C fields sees is what the id vouches for."""
    citation = add(local)
    path = folder(local) / citation_file(citation.id)
    record = json.loads(path.read_bytes())
    record["body"][0]["value"] = "Another claim"
    path.write_bytes(annotation.canonical(record))
    with pytest.raises(IntegrityError):
        local.get(citation.id)


def test_a_citation_that_was_given_other_words_is_not_the_stored_one(local: Store) -> None:
    citation = add(local)
    forged = citation.model_copy(update={"claim": "Another claim"})
    found = verify(forged, local).check
    assert (found.verdict, "not the one that was given" in found.message) == ("error", True)


def test_a_changed_picture_is_found(local: Store) -> None:
    citation = add(local)
    path = folder(local) / next(iter(picture_files(citation)))
    path.write_bytes(path.read_bytes() + b"x")
    assert "was changed" in verify(citation, local).check.message
    path.unlink()
    assert "missing" in verify(citation, local).check.message


def test_a_file_of_an_import_never_takes_the_place_of_another(local: Store) -> None:
    name = f"pictures/{sha256_of(b'one')}.webp"
    taken = local.take_over(name, b"one")
    assert (taken.kind, taken.name, taken.sha256) == ("picture", name, sha256_of(b"one"))
    assert local.take_over(name, b"one") == taken
    with pytest.raises(IntegrityError, match="with other content"):
        local.take_over(name, b"two")
    assert local.files.read(name) == b"one"


def test_a_capture_that_no_citation_rests_on_is_audited(local: Store) -> None:
    add(local)
    source, sha256 = local.scratch() / "source.wacz", sha256_of(b"a source")
    source.write_bytes(b"a source")
    local.add_capture(sha256, source)
    assert audit(local, hash_only=True).faults == ()
    (folder(local) / capture_file(sha256)).write_bytes(b"another")
    (fault,) = audit(local, hash_only=True).faults
    assert fault.startswith(f"The capture {capture_file(sha256)} was changed")
    (folder(local) / capture_file(sha256)).unlink()
    assert audit(local, hash_only=True).faults == (
        f"{capture_file(sha256)} was deleted: the custody log names it. Restore it from a copy of the store.",
    )


def test_a_capture_without_a_log_is_a_fault_and_one_before_its_first_entry_a_remark(local: Store) -> None:
    _ = local.signer  # the log has begun
    local.files.create(capture_file("0" * 64), b"left by a kill")
    found = audit(local, hash_only=True)
    assert found.faults == ()
    assert [capture_file("0" * 64) in note for note in found.notes] == [True]
    for name in (
        "custody-head.json",
        "custody.jsonl",
        *(f"keys/{each}" for each in local.files.names("keys")),
    ):
        (folder(local) / name).unlink(missing_ok=True)
    (fault,) = audit(Store(folder(local)), hash_only=True).faults
    assert capture_file("0" * 64) in fault


def test_a_deletion_says_how_much_went_with_a_citation(local: Store) -> None:
    citation = add(local)
    local.add_check(check(citation))
    local.delete(plan(local, [citation.id]).items)
    (note,) = audit(local, hash_only=True).notes
    assert note.endswith(f"(custody entry 3): {citation_file(citation.id)}, 3 files that went with it.")


def test_what_no_entry_names_is_not_in_the_store(local: Store) -> None:
    """A kill between the citation's file and its entry leaves a file, and no citation."""
    add(local, "kept")
    parts = material(local, "half", title="Another page")
    draft = parts["draft"]
    identity = annotation.citation_id(draft)
    citation = Citation.model_validate({**draft.model_dump(), "id": identity})
    local.files.adopt(capture_file(citation.capture.sha256), parts["capture"])
    local.files.create(citation_file(identity), annotation.to_bytes(citation))
    with pytest.raises(IntegrityError, match="No custody entry names"):
        local.get(identity)
    assert [row.claim for row in local.rows()] == ["kept"]
    assert local.reindex() == 1
    found = audit(local)
    assert [identity in fault for fault in found.faults] == [True]
    assert [citation.capture.sha256 in note for note in found.notes] == [True]
    # The same addition done again is whole.
    again = material(local, "half", title="Another page")
    assert local.add(draft, capture=None, tiles=again["tiles"]).id == identity
    assert (audit(local).faults, audit(local).notes) == ((), ())


def test_a_store_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match="VERIFAIBLE_STORE"):
        Store(tmp_path / "file" / "store").scratch()
    with pytest.raises(StoreError, match="VERIFAIBLE_STORE"):
        Store(tmp_path / "file").scratch()


def test_two_stores_have_two_keys(tmp_path: Path) -> None:
    keys = {Store(tmp_path / name).signer.public_key for name in ("a", "b")}
    assert len(keys) == 2
    assert isinstance(Store(tmp_path / "a").signer, Signer)
    assert Store(tmp_path / "a").signer.public_key in keys


def test_a_key_that_is_kept_elsewhere(tmp_path: Path) -> None:
    private = tmp_path / "safe" / "key.pem"
    store = Store(tmp_path / "store", private_key=private)
    citation = add(store)
    assert private.is_file()
    assert not (tmp_path / "store" / "keys" / "signing.pem").exists()
    assert private.stat().st_mode & 0o077 == 0
    assert verify(citation, Store(tmp_path / "store")).check.verdict == "verified"
    store.rotate_key()
    add(Store(tmp_path / "store", private_key=private), "b", title="b")
    assert audit(store).ok
    private.unlink()
    with pytest.raises(StoreError, match="is gone"):
        add(Store(tmp_path / "store", private_key=private), "c", title="c")
    Store(tmp_path / "store", private_key=private).rotate_key(lost=True)
    add(Store(tmp_path / "store", private_key=private), "c", title="c")
    assert audit(store).ok


def test_a_foreign_private_key_is_refused(local: Store, tmp_path: Path) -> None:
    add(local)
    (folder(local) / "keys" / "signing.pem").write_bytes(Signer.new().private_bytes())
    with pytest.raises(StoreError, match="not one this store knows"):
        add(Store(folder(local)), "b")


# --- the index


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 300])
def test_a_damaged_index_is_made_again(local: Store, damage: bytes) -> None:
    citation = add(local)
    path = folder(local) / "index.sqlite"
    local.close()
    path.write_bytes(damage)
    again = Store(folder(local))
    assert [row.id for row in again.rows()] == [citation.id]
    assert again.reindex() == 1


def test_a_failure_that_passes_loses_nothing_from_the_list(
    local: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that fails while the index reads on must not leave a citation out of it for good."""
    citation = add(local)
    second = add(local, "second", title="Second")
    (folder(local) / "index.sqlite").unlink()
    read = Root.read

    def failing(files: Root, name: str) -> bytes:
        if name.startswith("citations/"):
            raise StoreUnreachable("The connection was lost. Try again.")
        return read(files, name)

    later = Store(folder(local))
    with monkeypatch.context() as patched:
        patched.setattr(Root, "read", failing)
        with pytest.raises(StoreUnreachable, match="connection was lost"):
            later.rows()
    assert {row.id for row in later.rows()} == {citation.id, second.id}


def test_files_that_were_put_back_are_the_truth(local: Store, tmp_path: Path) -> None:
    first = add(local, "first")
    shutil.copytree(folder(local), tmp_path / "copy")
    add(local, "second", title="Second")
    shutil.copy(folder(local) / "index.sqlite", tmp_path / "copy" / "index.sqlite")
    assert [row.id for row in Store(tmp_path / "copy").rows()] == [first.id]


def test_a_database_that_was_started_again_is_asked_again(place: Place) -> None:
    if not place.index_url.startswith("postgresql"):
        pytest.skip("SQLite has no server")
    import psycopg

    store = place.store()
    citation = add(store)
    with psycopg.connect(place.index_url, autocommit=True) as connection:
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        connection.execute(f"{others} AND pid <> pg_backend_pid()")
    assert [row.id for row in store.rows()] == [citation.id]


def test_an_index_file_of_another_store_is_made_this_ones(local: Store, tmp_path: Path) -> None:
    import sqlite3

    citation = add(local)
    local.close()
    other = Store(tmp_path / "other")
    add(other, "theirs")
    other.close()
    path = folder(local) / "index.sqlite"
    shutil.copy(tmp_path / "other" / "index.sqlite", path)
    again = Store(folder(local))
    assert [row.id for row in again.rows()] == [citation.id]
    with sqlite3.connect(path) as database:
        (owner,) = database.execute("SELECT value FROM verifaible_state WHERE key = 'store'").fetchone()
    assert owner == again.id


@pytest.mark.parametrize(
    "url",
    [
        "nothing://x",
        "not a url",
        "mysql://host/x",
        "sqlite:///index.sqlite",
        "postgresql://[",
        "postgresql://[::1/x",
        "postgresql+x://y",
    ],
)
def test_a_database_that_can_not_be_used(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match="VERIFAIBLE_INDEX"):
        add(Store(tmp_path / "a", index_url=url))


def test_a_database_that_does_not_answer(tmp_path: Path, closed_port: int) -> None:
    store = Store(tmp_path / "a", index_url=f"postgresql://nobody@127.0.0.1:{closed_port}/x")
    with pytest.raises(StoreUnreachable, match="VERIFAIBLE_INDEX"):
        add(store)


def test_a_damaged_citation_is_no_fault_of_the_index(local: Store) -> None:
    first = add(local, "One")
    local.rotate_key()
    second = add(local, "Another")  # of the same state, and sealed by another key
    assert first.capture != second.capture
    assert first.capture.state_sha256 == second.capture.state_sha256
    named = local.capture_of_state(first.capture.state_sha256)
    damaged = next(each for each in (first, second) if each.capture == named)
    (folder(local) / citation_file(damaged.id)).write_bytes(b"{}")
    found = audit(Store(folder(local)))
    assert ([each.citation_id for each in found.failed], found.faults) == ([damaged.id], ())


def test_a_database_belongs_to_one_store(tmp_path: Path, postgres_url: str) -> None:
    drop_tables(postgres_url)
    add(Store(tmp_path / "a", index_url=postgres_url))
    for use in (add, Store.reindex):
        with pytest.raises(ConfigError, match="another store"):
            use(Store(tmp_path / "b", index_url=postgres_url))


@pytest.mark.parametrize("changes", [*range(0, 12, 2), *map(nightly, range(1, 12, 2))])
def test_a_kill_while_a_lost_key_is_replaced(local: Store, changes: int) -> None:
    add(local, "Before")
    (folder(local) / "keys/signing.pem").unlink()
    with pytest.raises(Killed), killed_after(changes):
        Store(folder(local)).rotate_key(lost=True)
    try:
        _ = Store(folder(local)).signer
    except StoreError:
        Store(folder(local)).rotate_key(lost=True)  # as the message says
    add(Store(folder(local)), "Behind it")
    again = Store(folder(local))
    assert {row.claim for row in again.rows()} == {"Before", "Behind it"}
    assert audit(again).faults == ()


def test_a_lost_key_is_replaced_again_behind_a_kill(local: Store) -> None:
    add(local, "Before")
    (folder(local) / "keys/signing.pem").unlink()
    for changes in range(12):
        with suppress(Killed), killed_after(changes):
            Store(folder(local)).rotate_key(lost=True)
    again = Store(folder(local))
    again.rotate_key(lost=True)
    add(again, "Behind it")
    found = audit(again)
    assert found.faults == ()
    assert any("rotation that was stopped" in each for each in found.notes)


def test_a_store_whose_identity_was_changed_is_audited_all_the_same(local: Store) -> None:
    citation = add(local)
    local.close()
    path = folder(local) / "store.json"
    path.write_text(path.read_text().replace(local.id, "0" * 32))
    changed = Store(folder(local))
    assert [row.id for row in changed.rows()] == [citation.id]
    assert audit(changed).faults == (
        "store.json was changed after it was written. Restore it from a copy of the store.",
    )


def test_an_index_of_a_newer_version_is_left_alone(local: Store) -> None:
    import sqlite3

    add(local)
    local.close()
    with sqlite3.connect(folder(local) / "index.sqlite") as database:
        database.execute("UPDATE verifaible_state SET value = '999' WHERE key = 'form'")
    with pytest.raises(NewerFormat):
        Store(folder(local)).rows()


@pytest.mark.parametrize("index_url", ["", "sqlite://", "sqlite:///index.sqlite"])
def test_a_store_that_is_no_folder_needs_a_database_that_can_be_shared(index_url: str) -> None:
    with pytest.raises(ConfigError, match="share: set VERIFAIBLE_INDEX to postgresql://"):
        Store("memory://bucket/store", index_url=index_url)


# --- older and newer versions


def snapshot(path: Path) -> dict[str, bytes]:
    return {str(each.relative_to(path)): each.read_bytes() for each in path.rglob("*") if each.is_file()}


def _older_store(store: Store, citation: Citation) -> Callable[[], object]:
    path = folder(store) / "store.json"
    path.write_bytes(path.read_bytes().replace(b'"format":4', b'"format":3'))
    return lambda: Store(folder(store)).rows()


def _older_citation(store: Store, citation: Citation) -> Callable[[], object]:
    path = folder(store) / citation_file(citation.id)
    path.write_bytes(path.read_bytes().replace(b'"format":5', b'"format":3'))
    return lambda: store.get(citation.id)


@pytest.mark.parametrize("make", [_older_store, _older_citation])
def test_older_forms_are_named_and_left_alone(
    local: Store, make: Callable[[Store, Citation], Callable[[], object]]
) -> None:
    use = make(local, add(local))
    before = snapshot(folder(local))
    with pytest.raises(OlderFormat, match=r"made by verifaible 0\.1 \(format 3\), which this version"):
        use()
    after = snapshot(folder(local))
    assert {name: data for name, data in after.items() if not name.startswith("index")} == {
        name: data for name, data in before.items() if not name.startswith("index")
    }


def _newer_store(store: Store, citation: Citation) -> Callable[[], object]:
    path = folder(store) / "store.json"
    path.write_bytes(path.read_bytes().replace(b'"format":4', b'"format":9'))
    return lambda: Store(folder(store)).rows()


def _newer_citation(store: Store, citation: Citation) -> Callable[[], object]:
    path = folder(store) / citation_file(citation.id)
    path.write_bytes(path.read_bytes().replace(b'"format":5', b'"format":9'))
    return lambda: store.get(citation.id)


def _newer_log(store: Store, citation: Citation) -> Callable[[], object]:
    path = folder(store) / "custody.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"format":4', b'"format":9'))
    return lambda: store.custody.entry(1)


@pytest.mark.parametrize("make", [_newer_store, _newer_citation, _newer_log])
def test_newer_forms_are_named_and_left_alone(
    local: Store, make: Callable[[Store, Citation], Callable[[], object]]
) -> None:
    use = make(local, add(local))
    before = snapshot(folder(local))
    with pytest.raises(NewerFormat, match="Update verifaible"):
        use()
    after = snapshot(folder(local))
    assert {name: data for name, data in after.items() if not name.startswith("index")} == {
        name: data for name, data in before.items() if not name.startswith("index")
    }


def test_without_its_key_a_store_is_not_added_to_by_halves(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    citation = add(store)
    (tmp_path / "store" / "keys" / "signing.pem").unlink()
    store = Store(tmp_path / "store")
    with pytest.raises(StoreError, match="rotate-key --lost"):
        store.add_check(check(citation))
    assert not list((tmp_path / "store" / "checks").glob("*"))
