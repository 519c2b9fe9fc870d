"""The custody log: its chain, its signatures, its end, and writers that come at once."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Barrier

import pytest

from tests.unit.evidence.places_of_stores import Place
from tests.unit.evidence.samples import add, check
from tests.unit.store.files import lines_of, replace_line, write_lines
from verifaible.archive.signing import Signer
from verifaible.errors import IntegrityError, StoreUnreachable
from verifaible.evidence.audit import audit
from verifaible.store.annotation import canonical
from verifaible.store.entries import CustodyItem
from verifaible.store.keys import KeyRecord, KeyRing, key_id
from verifaible.store.lines import FileLines
from verifaible.store.log import Custody
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
    line = lines_of(folder(store))[2].replace(b'"kind":"capture"', b'"kind":"check"')
    replace_line(folder(store), 3, line)
    faults = store.custody.faults()
    assert any("custody.jsonl:3 was changed: its signature does not hold" in fault for fault in faults)
    with pytest.raises(IntegrityError):
        store.custody.entry(3)
    replace_line(folder(store), 4, b" " + lines_of(folder(store))[3])  # what it says is as it was
    with pytest.raises(IntegrityError, match=r"custody\.jsonl:4 was changed"):
        store.custody.entry(4)


def test_an_entry_whose_key_is_not_there_is_named(store: Store) -> None:
    line = json.loads(lines_of(folder(store))[2])
    line["key"] = "0" * len(line["key"])
    replace_line(folder(store), 3, canonical(line))
    with pytest.raises(IntegrityError, match=r"custody\.jsonl:3 cannot be verified"):
        store.custody.entry(3)
    assert any("custody.jsonl:3 " in fault for fault in store.custody.faults())


def test_a_removed_entry(store: Store) -> None:
    replace_line(folder(store), 3, None)
    assert any("gap: entry 3 is missing" in fault for fault in store.custody.faults())
    replace_line(folder(store), 3, None)
    assert any("gap: entries 3 to 4 are missing" in fault for fault in store.custody.faults())


def test_a_log_whose_end_was_cut_off(store: Store) -> None:
    write_lines(folder(store), lines_of(folder(store))[:4])
    cut = ["The log was cut off: custody-head.json speaks of 6 entries, 4 are there."]
    assert store.custody.faults() == cut
    # Within a line, too: what is left of it was whole once, and stays seen after the next addition.
    path = folder(store) / "custody.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert store.custody.faults() == [
        "The log was cut off: custody-head.json speaks of 6 entries, 3 are there."
    ]
    add(store, "more", title="more")
    assert any("custody.jsonl:4 is damaged" in fault for fault in store.custody.faults())
    assert [entry.number for entry, _ in map(store.custody.read, (1, 2, 3, 5))] == [1, 2, 3, 7]


def test_a_line_that_a_kill_left_half_is_no_damage(store: Store) -> None:
    path = folder(store) / "custody.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + lines_of(folder(store))[-1][:100])
    examined = store.custody.examine()
    assert examined.faults == ()
    assert [note.partition(":")[0] for note in examined.notes] == ["custody.jsonl ends with part of a line"]
    add(store, "more", title="more")
    assert path.read_bytes().startswith(whole + b"{")
    assert store.custody.examine().notes == ()


def test_a_missing_or_forged_head(store: Store) -> None:
    head = folder(store) / "custody-head.json"
    data = head.read_bytes()
    head.unlink()
    assert any("custody-head.json is missing" in fault for fault in store.custody.faults())
    head.write_bytes(data.replace(b'"number":6', b'"number":4'))
    assert any("signature does not hold" in fault for fault in store.custody.faults())
    head.write_bytes(b"{}")
    assert any("is damaged" in fault for fault in store.custody.faults())
    assert store.count() == 3  # reading goes on; the next addition writes the head again
    add(store, "more", title="more")
    assert store.custody.faults() == []


def test_an_entry_in_the_place_of_another(store: Store) -> None:
    replace_line(folder(store), 2, lines_of(folder(store))[3])
    assert any("gap: entries 2 to 3 are missing" in fault for fault in store.custody.faults())
    assert any("custody.jsonl:3 has number 3 once more" in fault for fault in store.custody.faults())


def test_a_branch_of_the_log_signed_by_the_right_key(store: Store, tmp_path: Path) -> None:
    """Two copies of a store that both went on cannot be mixed."""
    shutil.copytree(folder(store), tmp_path / "copy")
    other = Store(tmp_path / "copy")
    add(other, "branch", title="branch")
    add(store, "trunk", title="trunk")
    add(store, "trunk again", title="trunk again")
    replace_line(folder(store), 7, lines_of(tmp_path / "copy")[6])
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


def test_a_key_that_no_entry_names_is_told_by_what_it_says_of_itself(store: Store) -> None:
    """One of an import may be a kill's trace, and is put right by importing again; a first key never is."""
    signer = Signer.new()
    imported = store.keys.add_imported(signer.public_key)
    (fault,) = Store(folder(store)).custody.faults()
    assert imported.file in fault
    assert "Import again" in fault
    forged = imported.model_copy(update={"origin": "first"})
    (folder(store) / imported.file).write_bytes(forged.to_bytes())
    past, two_firsts = Store(folder(store)).custody.faults()
    assert past == f"{imported.file} was put into the store past the custody log."
    assert "two first keys" in two_firsts


def test_threads_that_ask_for_the_first_keys_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    both, names = Barrier(2, timeout=60), Root.names

    def at_once(files: Root, folder: str) -> list[str]:
        both.wait()
        return names(files, folder)

    monkeypatch.setattr(Root, "names", at_once)
    ring = KeyRing(store.files)
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(ring.firsts) for _ in range(2)]
        assert [len(each.result()) for each in asked] == [1, 1]
    assert len(ring.firsts()) == 1


def test_what_is_no_public_key_is_refused(store: Store) -> None:
    with pytest.raises(IntegrityError, match="is no public key"):
        store.keys.of("not base64!")


def test_a_store_that_goes_away_while_it_is_examined_is_no_damaged_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever key it is that does not answer."""
    store.rotate_key()
    read = Root.read
    for answered in count():
        left = answered

        def away(files: Root, name: str) -> bytes:
            nonlocal left
            if name.startswith("keys/"):
                left -= 1
                if left < 0:
                    raise StoreUnreachable("The disk does not answer.")
            return read(files, name)

        with monkeypatch.context() as patched:
            patched.setattr(Root, "read", away)
            try:
                assert Store(folder(store)).custody.faults() == []
            except StoreUnreachable:
                continue
        break
    assert answered > 1


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
    (folder(store) / "checks" / f"{citation.id}.jsonl").unlink()
    (folder(store) / "captures" / f"{citation.capture.sha256}.wacz").unlink()
    (folder(store) / "citations" / f"{citation.id}.json").unlink()
    found = audit(store, hash_only=True)
    assert (found.checked, found.verified, len(found.failed)) == (3, 2, 1)
    told = "\n".join(found.faults)
    for name in ("checks/", "captures/", "citations/"):
        assert f"{name}{citation.id if name != 'captures/' else citation.capture.sha256}" in told


def test_a_changed_check_is_named(store: Store) -> None:
    path = next((folder(store) / "checks").rglob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"verified", b"moved"))
    faults = audit(store, hash_only=True).faults
    assert any(
        f"checks/{path.name}:1 is in the citation's history, but no custody entry" in each for each in faults
    )
    assert any(f"checks/{path.name} was cut or changed: 1 of the checks" in each for each in faults)


def test_writers_that_come_at_once(place: Place) -> None:
    """Every addition gets a number of its own, and none is lost."""
    stores = [place.store() for _ in range(4)]
    _ = stores[0].signer

    def append(number: int) -> int:
        named = CustodyItem(kind="picture", name=f"pictures/{number}", sha256="0" * 64)
        return stores[number % 4].custody.append([named]).number

    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(append, range(12)))
    assert sorted(numbers) == list(range(1, 13))
    log = place.store().custody
    assert log.faults() == []
    named = [item.name for entry in log.entries() for item in entry.items if item.kind == "picture"]
    assert sorted(named) == sorted(f"pictures/{number}" for number in range(12))
    head = log.head()
    assert head is not None
    assert head.number == 12


def log_of(root: Root) -> Custody:
    return Custody(root, FileLines(root), KeyRing(root))


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

    def append(self, name: str, data: bytes) -> None:
        self._live_on()
        super().append(name, data)

    def truncate(self, name: str, size_bytes: int) -> None:
        """A killed process takes nothing back."""

    def _live_on(self) -> None:
        if self.left == 0:
            raise _Killed
        self.left -= 1


def test_a_kill_before_any_write_leaves_a_sound_log(tmp_path: Path) -> None:
    """A missing head is always a fault, so no kill may leave entries without one."""

    def append(files: Root) -> Custody:
        log = log_of(files)
        log.append([CustodyItem(kind="picture", name="pictures/1", sha256="0" * 64)])
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
        left = log_of(again)
        assert left.faults() == []
        entries.append(left.count())
        examined = append(again).examine()
        assert (examined.faults, examined.notes) == ((), ())
        if not killed:
            break
    assert entries == [0, 0, 0, 0, 1, 1], "private key, the first head, the key's record, the entry, the head"


def test_a_log_cut_off_behind_its_first_entry(store: Store) -> None:
    """That it could be a kill's trace was once believed of it, and the next addition hid it."""
    write_lines(folder(store), lines_of(folder(store))[:1])
    (folder(store) / "custody-head.json").unlink()
    log = Store(folder(store)).custody
    assert log.faults() == ["custody-head.json is missing: nothing says where the log ends."]
    log.append([CustodyItem(kind="picture", name="pictures/1", sha256="0" * 64)])
    assert log.examine().notes == (
        "custody-head.json was missing when entry 2 was added: entries may have been cut off before it.",
    )


def test_a_head_that_was_kept_before_the_first_entry(store: Store, tmp_path: Path) -> None:
    files = _Mortal(tmp_path / "young", 3)
    with pytest.raises(_Killed):
        log_of(files).append([])
    again = Root(files.folder)
    log = log_of(again)
    kept = log.head()
    assert kept is not None
    assert kept.number == 0
    log.append([])
    assert log.against(kept) == []
    assert store.custody.against(kept) != [], "it is of another store"


def test_the_bytes_of_an_entry_are_canonical(store: Store) -> None:
    import rfc8785

    data = lines_of(folder(store))[0]
    assert rfc8785.dumps(json.loads(data)) == data
