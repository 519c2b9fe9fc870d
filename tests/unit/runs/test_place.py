"""A folder of runs at an address is used as one on a disk."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import monotonic

import pytest

from verifaible.errors import ConfigError, RunError, StoreError
from verifaible.evidence.store.files import RemoteFiles
from verifaible.runs.folder import new_folder
from verifaible.runs.lines import write_whole
from verifaible.runs.place import Address, PatientFiles, Place, off_loop, place_at


def test_what_is_written_whole_is_there_and_can_be_replaced(place: Place) -> None:
    folder = new_folder(place, "a b")
    file = folder / "run.json"
    assert (file.exists(), folder.is_dir(), file.name) == (False, True, "run.json")
    write_whole(file, "1")
    write_whole(file, "2")
    assert (file.read_bytes(), file.is_file(), file.is_dir()) == (b"2", True, False)
    assert [each.name for each in folder.iterdir() if not each.name.startswith(".")] == ["run.json"]
    assert [each.name for each in place.iterdir()] == [folder.name]
    file.unlink()
    file.unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError):
        file.read_bytes()


def test_two_folders_of_one_second_are_two(place: Place) -> None:
    assert len({new_folder(place, "run").name for _ in range(3)}) == 3


def test_a_file_address_is_the_folder_itself(tmp_path: Path) -> None:
    assert place_at((tmp_path / "a b").as_uri()) == tmp_path / "a b"
    assert place_at(str(tmp_path)) == tmp_path


def test_an_address_has_the_parts_of_a_path() -> None:
    address = place_at("memory://runs/one/")
    assert isinstance(address, Address)
    file = address / "trials/x.json"
    assert str(file) == "memory://runs/one/trials/x.json"
    assert (file.name, file.parent.name, address.name) == ("x.json", "trials", "one")
    assert address / "a" == address / "a" != address / "b"
    assert sorted([address / "b", address / "a"]) == [address / "a", address / "b"]
    with pytest.raises(TypeError):
        os.fspath(address)  # type: ignore[call-overload]  # never a local file by that name


def test_an_address_that_cannot_be_opened_says_what_to_do(s3_url: str) -> None:
    with pytest.raises(ConfigError, match="nosuch://"):
        place_at("nosuch://bucket/runs")
    with pytest.raises(RunError, match="credentials"):
        write_whole(place_at("s3://no-such-bucket-here/runs") / "a", "1")


def test_credentials_that_end_are_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place_at(f"memory://{tmp_path.name}") / "run.json"
    write_whole(file, "1")

    def refused(files: RemoteFiles, name: str, data: bytes) -> None:
        raise StoreError("The store cannot be used.") from PermissionError("The token has expired")

    monkeypatch.setattr(RemoteFiles, "replace", refused)
    started = monotonic()
    with pytest.raises(RunError, match=r"token has expired.*credentials"):
        write_whole(file, "2")
    assert monotonic() - started < PatientFiles.WAIT_S / 2
    assert file.read_bytes() == b"1"


async def test_what_its_caller_gave_up_while_it_waited_for_a_thread_is_done(tmp_path: Path) -> None:
    file = place_at(f"memory://{tmp_path.name}") / "spend.jsonl"
    loop, away = asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    waiting = loop.run_in_executor(None, away.wait)
    paying = asyncio.create_task(off_loop(file, partial(write_whole, file, "1")))
    await asyncio.sleep(0)
    paying.cancel()
    await asyncio.wait([paying])
    away.set()
    await waiting
    await loop.run_in_executor(None, int)  # begun after what waited before it
    assert paying.cancelled()
    assert file.read_bytes() == b"1"
