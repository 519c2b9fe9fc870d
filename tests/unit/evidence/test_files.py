"""The files of a store, in a folder and on S3; what fails is a sentence, and nothing half is left."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.unit.evidence.places_of_stores import Place
from verifaible.errors import ConfigError, IntegrityError, StoreUnreachable
from verifaible.store import root
from verifaible.store.files import Bucket, Files, open_files, read_many
from verifaible.store.root import Root


@pytest.fixture
def files(place: Place) -> Files:
    return place.store().files


def test_files_come_back(files: Files) -> None:
    assert not files.exists("a/one.json")
    assert files.names("a") == []
    with pytest.raises(FileNotFoundError):
        files.read("a/one.json")
    assert files.create("a/one.json", b"1")
    assert not files.create("a/one.json", b"2")
    assert files.read("a/one.json") == b"1"
    files.replace("a/one.json", b"3")
    files.replace("a/two.json", b"4")
    assert files.create("a/b/three.json", b"5")
    assert (files.read("a/one.json"), files.names("a")) == (b"3", ["one.json", "two.json"])
    with files.local("a/one.json") as path:
        assert path.read_bytes() == b"3"
    with pytest.raises(FileNotFoundError), files.local("a/none"):
        pass


def test_many_files(files: Files) -> None:
    names = [f"a/{number:02}/x" for number in range(25)]
    for name in (*names, "a/y"):
        files.create(name, name.encode())
    assert list(read_many(files, files.read, names)) == [name.encode() for name in names]
    with pytest.raises(FileNotFoundError):
        list(read_many(files, files.read, ["a/00/x", "a/none", "a/01/x"]))


def test_a_local_file_is_taken_over(files: Files) -> None:
    path = files.scratch() / "x.bin"
    path.write_bytes(b"content")
    files.adopt("c/x.bin", path)
    assert (files.read("c/x.bin"), path.exists()) == (b"content", False)


def test_a_disk_that_is_full_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Root(tmp_path / "store")
    files.create("a/one", b"1")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for write in (files.create, files.replace):
        with pytest.raises(StoreUnreachable, match="No space left on device"):
            write("a/two", b"2" * 1000)
    assert [path.name for path in (tmp_path / "store" / "a").iterdir()] == ["one"]


@pytest.mark.parametrize("write", ["create", "replace", "adopt", "append", "truncate"])
def test_what_is_written_is_flushed_to_the_disk(tmp_path: Path, write: str) -> None:
    """The file's bytes, and its name in the folder wherever that is new."""
    files, flushed = Root(tmp_path / "store"), []

    class Os:
        def __getattr__(self, name: str) -> Any:
            return getattr(os, name)

        def fsync(self, handle: int) -> None:
            flushed.append(os.fstat(handle).st_ino)

    path = tmp_path / "store" / "a" / "x"
    if write == "truncate":
        files.create("a/x", b"12")
    (tmp_path / "local").write_bytes(b"1")
    given: Any = {"adopt": tmp_path / "local", "truncate": 1}.get(write, b"1")
    with patch.object(root, "os", Os()):
        getattr(files, write)("a/x", given)
    assert path.read_bytes() == b"1"
    assert path.stat().st_ino in flushed
    assert (path.parent.stat().st_ino in flushed) == (write != "truncate")


def test_private_keys_are_private_and_the_rest_is_not(tmp_path: Path) -> None:
    files = Root(tmp_path / "store")
    for name in ("keys/signing.pem", "a/one.json"):
        files.create(name, b"1")
    path = files.scratch() / "x"
    path.write_bytes(b"")
    path.chmod(0o600)
    files.adopt("a/x", path)
    (tmp_path / "beside").touch()
    usual = (tmp_path / "beside").stat().st_mode
    modes = [(tmp_path / "store" / name).stat().st_mode for name in ("keys/signing.pem", "a/one.json", "a/x")]
    assert modes == [0o100600, usual, usual]


def test_old_scratch_folders_are_swept(tmp_path: Path) -> None:
    files = Root(tmp_path / "store")
    old, new = files.scratch(), files.scratch()
    (old / "capture.wacz").write_bytes(b"left by a kill")
    os.utime(old, (time.time() - 2 * 24 * 3600,) * 2)
    third = files.scratch()
    assert (old.exists(), new.exists(), third.exists()) == (False, True, True)


def test_what_another_writes_is_seen_whoever_lists_at_the_same_time(
    s3_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that lists between the moment when a kept listing is dropped and the next keeps an old one."""
    fsspec = pytest.importorskip("fsspec")
    files = Bucket(f"{s3_url}/a")
    files.replace("b/1", b"")
    files._fs.ls(files._path("b"))
    monkeypatch.setattr(files._fs, "invalidate_cache", lambda *_: None)
    other, root = fsspec.core.url_to_fs(f"{s3_url}/a", skip_instance_cache=True)
    other.pipe_file(f"{root}/b/2", b"")
    assert files.names("b") == ["1", "2"]
    assert files.exists("b/2")


def test_a_place_that_is_not_there(s3_url: str, closed_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(open_files(s3_url), Bucket)
    nowhere = open_files("s3://no-such-bucket-here/x")
    with pytest.raises(StoreUnreachable, match="credentials"):
        nowhere.create("a", b"1")


def test_an_address_of_no_known_kind() -> None:
    with pytest.raises(ConfigError, match="nosuch"):
        open_files("nosuch://bucket/x")


@pytest.mark.parametrize("method", ["read", "exists", "delete", "create"])
def test_a_name_that_leads_elsewhere_is_refused_in_every_place(files: Files, method: str) -> None:
    with pytest.raises(IntegrityError, match="is no name of a file in a store"):
        getattr(files, method)("citations/../../x", *([b"data"] if method == "create" else []))


class _FullDisk:
    """The module ``os`` of a machine whose disk takes three bytes more, in one write."""

    def __init__(self) -> None:
        self._writes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def write(self, handle: int, data: memoryview) -> int:
        self._writes += 1
        if self._writes > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return os.write(handle, data[:3])


def test_what_a_full_disk_took_half_of_is_taken_back_and_told(tmp_path: Path) -> None:
    files = Root(tmp_path / "store")
    files.append("custody.jsonl", b"first\n")
    with patch.object(root, "os", _FullDisk()), pytest.raises(StoreUnreachable, match="Free some space"):
        files.append("custody.jsonl", b"second\n")
    assert files.read("custody.jsonl") == b"first\n"
