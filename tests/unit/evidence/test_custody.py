"""The custody log: its chain, its signatures, its end, and writers that come at once."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from tests.unit.evidence.places_of_stores import Place
from tests.unit.evidence.samples import add, check
from verifaible.archive.signing import Signer
from verifaible.errors import IntegrityError
from verifaible.evidence.check.audit import audit
from verifaible.store.custody import Custody
from verifaible.store.entries import CustodyItem, file_of
from verifaible.store.keys import KeyRecord, KeyRing, key_id
from verifaible.store.root import Root
from verifaible.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with three citations, each with a check."""
    store = Store(tmp_path / "store")
    for number in range(3):
        citation = add(store, f"claim {number}", title=f"Page {number}")
        store.add_check(check(citation))
    return store


def folder(store: Store) -> Path:
    assert isinstance(store.files, Root)
    return store.files.folder


def test_the_log_names_everything_that_was_added(store: Store) -> None:
    kinds = [[each.kind for each in entry.items] for entry in store.custody.entries()]
    assert kinds == [
        ["store", "key", "capture", "picture", "citation"],
        ["check"],
        ["capture", "picture", "citation"],
        ["check"],
        ["capture", "picture", "citation"],
        ["check"],
    ]
    assert store.custody.faults() == []
    assert audit(store, hash_only=True).ok


def test_a_changed_entry(store: Store) -> None:
    path = folder(store) / file_of(3)
    path.write_bytes(path.read_bytes().replace(b'"kind":"capture"', b'"kind":"check"'))
    faults = store.custody.faults()
    assert any("000000003.json was changed: its signature does not hold" in fault for fault in faults)
    with pytest.raises(IntegrityError):
        store.custody.entry(3)


def test_a_removed_entry(store: Store) -> None:
    (folder(store) / file_of(3)).unlink()
    assert any("gap: entry 3 missing" in fault for fault in store.custody.faults())
    (folder(store) / file_of(4)).unlink()
    assert any("gap: entries 3 to 4 missing" in fault for fault in store.custody.faults())


def test_a_log_whose_end_was_cut_off(store: Store) -> None:
    for number in (5, 6):
        (folder(store) / file_of(number)).unlink()
    assert store.custody.faults() == [
        "The log was cut off: custody/head.json speaks of 6 entries, 4 are there."
    ]


def test_a_missing_or_forged_head(store: Store) -> None:
    head = folder(store) / "custody" / "head.json"
    data = head.read_bytes()
    head.unlink()
    assert any("head.json is missing" in fault for fault in store.custody.faults())
    head.write_bytes(data.replace(b'"number":6', b'"number":4'))
    assert any("signature does not hold" in fault for fault in store.custody.faults())
    head.write_bytes(b"{}")
    assert any("is damaged" in fault for fault in store.custody.faults())
    assert store.count() == 3  # reading goes on; the next addition writes the head again
    add(store, "more", title="more")
    assert store.custody.faults() == []


def test_an_entry_in_the_place_of_another(store: Store) -> None:
    shutil.copy(folder(store) / file_of(4), folder(store) / file_of(2))
    assert any("000000002.json was changed" in fault for fault in store.custody.faults())


def test_a_branch_of_the_log_signed_by_the_right_key(store: Store, tmp_path: Path) -> None:
    """Two copies of a store that both went on cannot be mixed."""
    shutil.copytree(folder(store), tmp_path / "copy")
    other = Store(tmp_path / "copy")
    add(other, "branch", title="branch")
    add(store, "trunk", title="trunk")
    add(store, "trunk again", title="trunk again")
    shutil.copy(tmp_path / "copy" / file_of(7), folder(store) / file_of(7))
    assert any("does not continue the chain" in fault for fault in store.custody.faults())


def test_a_log_made_anew_by_another_key(store: Store) -> None:
    """Whoever lacks the store's key can only sign with one that the store did not make."""
    forger = Signer.new()
    name = key_id(forger.public_key)
    record = KeyRecord(id=name, public_key=forger.public_key, created="2026-01-01T00:00:00Z", origin="first")
    (folder(store) / record.file).write_bytes(record.to_bytes())
    faults = Store(folder(store)).custody.faults()
    assert any("put into the store past the custody log" in fault for fault in faults)
    assert any("two first keys" in fault for fault in faults)


def test_a_key_whose_endorsement_is_forged(store: Store) -> None:
    forger = Signer.new()
    name = key_id(forger.public_key)
    old = store.keys.current
    record = KeyRecord(
        id=name, public_key=forger.public_key, created=old.created, origin="rotated", endorsed_by=old.id,
        signature="AAAA",
    )  # fmt: skip
    (folder(store) / record.file).write_bytes(record.to_bytes())
    with pytest.raises(IntegrityError, match="was changed or is damaged"):
        Store(folder(store)).keys.get(name)
    assert audit(Store(folder(store))).faults


def test_deleted_and_changed_files_are_named(store: Store) -> None:
    citation = next(store.citations())
    shutil.rmtree(folder(store) / "checks" / citation.id)
    (folder(store) / "captures" / f"{citation.capture.sha256}.wacz").unlink()
    (folder(store) / "citations" / f"{citation.id}.json").unlink()
    found = audit(store, hash_only=True)
    assert (found.checked, found.verified, len(found.failed)) == (3, 2, 1)
    told = "\n".join(found.faults)
    for name in ("checks/", "captures/", "citations/"):
        assert f"{name}{citation.id if name != 'captures/' else citation.capture.sha256}" in told


def test_a_changed_check_is_named(store: Store) -> None:
    path = next((folder(store) / "checks").rglob("*.json"))
    path.write_bytes(path.read_bytes().replace(b"verified", b"moved"))
    assert any("was changed after it was written" in fault for fault in audit(store, hash_only=True).faults)


def test_writers_that_come_at_once(place: Place) -> None:
    """Every addition gets a number of its own, and none is lost."""
    stores = [place.store() for _ in range(4)]
    _ = stores[0].signer

    def append(number: int) -> int:
        named = CustodyItem(kind="check", name=f"checks/{number}", sha256="0" * 64)
        return stores[number % 4].custody.append([named]).number

    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(append, range(12)))
    assert sorted(numbers) == list(range(1, 13))
    log = place.store().custody
    assert log.faults() == []
    named = [item.name for entry in log.entries() for item in entry.items if item.kind == "check"]
    assert sorted(named) == sorted(f"checks/{number}" for number in range(12))
    head = log.head()
    assert head is not None
    assert head.number == 12


class _Killed(BaseException):
    """In the place of a process's end."""


class _Mortal(Root):
    """Files of a process that is killed before its ``writes + 1``th write."""

    def __init__(self, folder: Path, writes: int) -> None:
        super().__init__(folder)
        self.left = writes

    def create(self, name: str, data: bytes) -> bool:
        self._live_on()
        return super().create(name, data)

    def replace(self, name: str, data: bytes) -> None:
        self._live_on()
        super().replace(name, data)

    def _live_on(self) -> None:
        if self.left == 0:
            raise _Killed
        self.left -= 1


def test_a_kill_before_any_write_leaves_a_sound_log(tmp_path: Path) -> None:
    """A missing head is always a fault, so no kill may leave entries without one."""

    def append(files: Root) -> Custody:
        log = Custody(files, KeyRing(files))
        log.append([CustodyItem(kind="check", name="checks/1", sha256="0" * 64)])
        return log

    entries = []
    for writes in count():
        files = _Mortal(tmp_path / str(writes), writes)
        try:
            append(files)
        except _Killed:
            killed = True
        else:
            killed = False
        again = Root(tmp_path / str(writes))
        left = Custody(again, KeyRing(again))
        assert left.faults() == []
        entries.append(left.last_number())
        examined = append(again).examine()
        assert (examined.faults, examined.notes) == ((), ())
        if not killed:
            break
    assert entries == [0, 0, 0, 0, 1, 1], "private key, the first head, the key's record, the entry, the head"


def test_a_log_cut_off_behind_its_first_entry(store: Store) -> None:
    """That it could be a kill's trace was once believed of it, and the next addition hid it."""
    for path in (folder(store) / "custody").iterdir():
        if path.name != "000000001.json":
            path.unlink()
    log = Store(folder(store)).custody
    assert log.faults() == ["custody/head.json is missing: nothing says where the log ends."]
    log.append([CustodyItem(kind="check", name="checks/1", sha256="0" * 64)])
    assert log.examine().notes == (
        "custody/head.json was missing when entry 2 was added: entries may have been cut off before it.",
    )


def test_a_head_that_was_kept_before_the_first_entry(store: Store, tmp_path: Path) -> None:
    files = _Mortal(tmp_path / "young", 3)
    with pytest.raises(_Killed):
        Custody(files, KeyRing(files)).append([])
    again = Root(files.folder)
    log = Custody(again, KeyRing(again))
    kept = log.head()
    assert kept is not None
    assert kept.number == 0
    log.append([])
    assert log.against(kept) == []
    assert store.custody.against(kept) != [], "it is of another store"


def test_the_bytes_of_an_entry_are_canonical(store: Store) -> None:
    import rfc8785

    data = (folder(store) / file_of(1)).read_bytes()
    assert rfc8785.dumps(json.loads(data)) == data
