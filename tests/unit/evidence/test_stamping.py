"""Stamps on a store's custody log: asked of real authorities on loopback, kept, and checked offline."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.tsa_server import TimeStampAuthority, time_stamp_authority
from tests.unit.evidence.samples import add
from tests.unit.evidence.test_timestamps import authorities, client
from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence.audit import audit
from verifaible.evidence.custody import file_of
from verifaible.evidence.files import FolderFiles
from verifaible.evidence.stamp_check import read_roots
from verifaible.evidence.stamp_records import StampingFailed
from verifaible.evidence.stamping import check_stamps, save_stamps, stamp_store
from verifaible.evidence.store import Store


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
    assert isinstance(store.files, FolderFiles)
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


async def test_openssl_checks_the_stamps_without_this_code(
    store: Store, two: tuple[TimeStampAuthority, TimeStampAuthority], tmp_path: Path
) -> None:
    async with client() as asking:
        await stamp_store(store, authorities(*two), asking)
    folder = tmp_path / "stamps"
    *tokens, guide = save_stamps(check_stamps(store), folder)
    assert [path.suffix for path in tokens] == [".tst", ".tst"]
    (folder / "roots.pem").write_bytes(b"".join(each.root.pem for each in two))
    done = _run(guide)
    assert done.returncode == 0, done.stderr
    assert (done.stdout + done.stderr).count("Verification: OK") == 2
    tokens[0].write_bytes(tokens[1].read_bytes()[:-1] + b"x")
    assert _run(guide).returncode != 0


def _run(guide: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-e", guide.name], cwd=guide.parent, capture_output=True, text=True, check=False
    )


async def test_what_is_not_the_stamped_entry_is_named(
    store: Store, two: tuple[TimeStampAuthority, TimeStampAuthority]
) -> None:
    async with client() as asking:
        stamped = await stamp_store(store, authorities(*two), asking)
    entry = folder(store) / file_of(3)
    data = entry.read_bytes()
    entry.write_bytes(data.replace(b"citation", b"citatiom"))
    assert "is not the entry that was stamped" in check_stamps(store)[0].fault
    entry.unlink()
    assert "is missing" in check_stamps(store)[0].fault
    entry.write_bytes(data)
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
    one, down = authorities(*two)
    down = down.model_copy(update={"url": f"http://127.0.0.1:{closed_port}/"})
    async with client("127.0.0.1") as asking:
        with pytest.raises(StampingFailed):
            await stamp_store(store, (one, down), asking)
    (found,) = check_stamps(store)
    assert [each.authority for each in found.stamped.stamps] == [one.url]
    assert audit(store).ok


async def test_an_empty_store_has_nothing_to_stamp(
    tmp_path: Path, two: tuple[TimeStampAuthority, TimeStampAuthority]
) -> None:
    async with client() as asking:
        with pytest.raises(StoreError, match="Make a citation first"):
            await stamp_store(Store(tmp_path / "none"), authorities(*two), asking)
