"""Stamps on a store's custody log: asked of real authorities on loopback, kept, and checked offline."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.tsa_server import TimeStampAuthority, time_stamp_authority
from tests.unit.evidence.samples import add
from tests.unit.evidence.test_timestamps import authorities, client
from tests.unit.store.files import lines_of, replace_line, write_lines
from verifaible.config import Settings
from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence import bundle
from verifaible.evidence.audit import audit
from verifaible.evidence.bundle_import import import_export
from verifaible.evidence.export import export
from verifaible.evidence.timestamp import StampingFailed, check_stamps, read_roots, stamp_store
from verifaible.store.root import Root
from verifaible.store.store import Store


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TimeStampAuthority, TimeStampAuthority]]:
    folder = tmp_path_factory.mktemp("authorities")
    with (
        time_stamp_authority(folder / "one", "One") as one,
        time_stamp_authority(folder / "two", "Two") as other,
    ):
        yield one, other


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    for number in range(3):
        add(store, f"claim {number}", title=f"Page {number}")
    return store


def folder(store: Store) -> Path:
    assert isinstance(store.files, Root)
    return store.files.folder


async def test_the_log_is_stamped_and_the_stamps_hold(
    store: Store, two: tuple[TimeStampAuthority, TimeStampAuthority]
) -> None:
    async with client() as asking:
        stamped = await stamp_store(store, authorities(*two), asking)
    assert (stamped.entry, len(stamped.stamps)) == (3, 2)
    (found,) = check_stamps(store)
    assert (found.ok, [each.state for each in found.checks]) == (True, ["signed", "signed"])
    add(store, "later", title="later")
    roots = read_roots(b"".join(each.root.pem for each in two))
    assert [each.state for each in check_stamps(store, roots)[0].checks] == ["trusted", "trusted"]
    assert audit(store).ok


async def test_stamps_that_cannot_be_logged_leave_nothing(
    store: Store, two: tuple[TimeStampAuthority, TimeStampAuthority], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise StoreError("The log takes nothing.")

    with monkeypatch.context() as failing:
        failing.setattr(store.custody, "append", refused)
        async with client() as asking:
            with pytest.raises(StoreError, match="takes nothing"):
                await stamp_store(store, authorities(*two), asking)
    assert list(store.files.names("timestamps")) == []
    assert audit(store).ok


async def test_what_is_not_the_stamped_entry_is_named(
    store: Store, two: tuple[TimeStampAuthority, TimeStampAuthority]
) -> None:
    async with client() as asking:
        stamped = await stamp_store(store, authorities(*two), asking)
    whole = lines_of(folder(store))
    replace_line(folder(store), 3, whole[2].replace(b"citation", b"citatiom"))
    assert "is not the entry that was stamped" in check_stamps(store)[0].fault
    write_lines(folder(store), whole[:2])
    assert "is missing" in check_stamps(store)[0].fault
    write_lines(folder(store), whole)
    path = folder(store) / stamped.file
    path.write_bytes(path.read_bytes().replace(b"granted", b"granned"))
    assert any("timestamps/" in fault and "was changed" in fault for fault in audit(store).faults)
    path.write_bytes(b"{}")
    with pytest.raises(IntegrityError, match="is damaged"):
        check_stamps(store)
    path.unlink()
    assert any("was deleted" in fault for fault in audit(store).faults)


async def test_what_one_authority_gave_is_kept_when_the_other_fails(
    store: Store, two: tuple[TimeStampAuthority, TimeStampAuthority], closed_port: int
) -> None:
    one, _ = authorities(*two)
    down = f"http://127.0.0.1:{closed_port}/"
    async with client("127.0.0.1") as asking:
        with pytest.raises(StampingFailed):
            await stamp_store(store, (one, down), asking)
    (found,) = check_stamps(store)
    assert [each.authority for each in found.stamped.stamps] == [one]
    assert audit(store).ok


async def test_an_empty_store_has_nothing_to_stamp(
    tmp_path: Path, two: tuple[TimeStampAuthority, TimeStampAuthority]
) -> None:
    async with client() as asking:
        with pytest.raises(StoreError, match="Make a citation first"):
            await stamp_store(Store(tmp_path / "none"), authorities(*two), asking)


async def test_an_export_holds_the_first_stamps_that_cover_it(
    store: Store, two: tuple[TimeStampAuthority, TimeStampAuthority], tmp_path: Path
) -> None:
    """With the log between, so that openssl and a shell lead from the citation to the stamped time."""
    async with client() as asking:
        await stamp_store(store, authorities(*two), asking)
        add(store, "later", title="later")
        await stamp_store(store, authorities(*two), asking)
        later = add(store, "unstamped", title="unstamped")
    first = next(each for each in store.citations() if each.claim == "claim 0")
    done = await export(first, store, Settings(), tmp_path / "a", formats=("wacz", "jsonld"))
    names = {name for name in done.files if name.startswith(("custody/", "timestamps/"))}
    assert {name.rpartition("/")[2][:9] for name in names if name[0] == "t"} == {"000000003"}
    assert {name for name in names if name[0] == "c"} == {bundle.entry_file(2), bundle.entry_file(3)}
    said = _checked(done.folder)
    assert said.returncode == 0, said.stderr
    assert (said.stdout + said.stderr).count("Verification: OK") == 2
    (done.folder / bundle.entry_file(2)).write_bytes((done.folder / bundle.entry_file(3)).read_bytes())
    assert _checked(done.folder, "before=").returncode != 0
    (done.folder / bundle.entry_file(3)).write_bytes(b"{}")
    assert _checked(done.folder, "openssl pkcs7").returncode != 0
    imported = import_export(
        (
            await export(first, store, Settings(), tmp_path / "b", formats=("wacz", "jsonld", "picture"))
        ).folder,
        Store(tmp_path / "other"),
    )
    assert imported.left_out == ()
    none = await export(later, store, Settings(), tmp_path / "a", formats=("wacz", "jsonld"))
    assert not any(name.startswith("timestamps/") for name in none.files)


def _checked(folder: Path, command: str = "") -> subprocess.CompletedProcess[str]:
    lines = (folder / "VERIFY.txt").read_text().splitlines()
    script = "\n".join(line for line in lines if line.startswith(f"    {command}"))
    assert script
    return subprocess.run(
        ["sh", "-e"], input=script, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
