"""Hostile exports (tests/suites/hostile_bundles.jsonl): all are refused or named, and nothing of them is left."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import socket
import struct
import tarfile
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.kit.suites import Row, load
from tests.unit.evidence.samples import add, check
from tests.unit.evidence.test_import import exported, folder, resigned, stored
from verifaible.errors import StoreError
from verifaible.evidence import bundle
from verifaible.evidence.bundle_import import import_export
from verifaible.store.store import Store

_FOLDERS = {"captures", "checks", "citations", "pictures"}
#: Where a field stands in an entry of the ZIP directory and in a member's own header, and its form.
FIELDS = {
    "flags": (8, 6, "<H"),
    "method": (10, 8, "<H"),
    "crc": (16, 14, "<L"),
    "packed": (20, 18, "<L"),
    "size": (24, 22, "<L"),
    "mode": (40, None, "<H"),
    "offset": (42, None, "<L"),
}


@dataclass
class Made:
    """An export on its way to become hostile: a folder, and from the step ``zip`` on the bytes of a ZIP file."""

    path: Path
    one: Store
    other: Store
    data: bytes = b""
    names: dict[str, str] = field(default_factory=dict)
    stored: dict[str, bytes] = field(default_factory=dict)

    def file(self, name: str) -> Path:
        """A file of the folder; ``{key}`` is the exporting key, ``{hash}`` that of a deep check."""
        path = (
            self.path / name.format(**self.names)
            if "{" in name
            else self.path / os.fsencode(name).decode("utf-8", "surrogateescape")
        )
        path.parent.mkdir(exist_ok=True)
        return path

    def change(self, step: dict[str, Any], edit: Callable[[bytes], bytes]) -> None:
        """Change the file that the step names, else the ZIP file."""
        if name := step.get("at"):
            path = self.file(name)
            path.write_bytes(edit(path.read_bytes() if path.exists() else b""))
        else:
            self.data = edit(self.data)

    def into_zip(self, write: Callable[[zipfile.ZipFile], None]) -> None:
        """Add to the ZIP file."""
        held = io.BytesIO(self.data)
        with warnings.catch_warnings(), zipfile.ZipFile(held, "a", zipfile.ZIP_DEFLATED) as archive:
            warnings.simplefilter("ignore")  # of names that are there already
            write(archive)
        self.data = held.getvalue()


# --- the steps of a row


def _zip(made: Made, step: dict[str, Any]) -> None:
    method = zipfile.ZIP_BZIP2 if step.get("method") == "bzip2" else zipfile.ZIP_DEFLATED

    def write(archive: zipfile.ZipFile) -> None:
        for path in sorted(each for each in made.path.rglob("*") if each.is_file()):
            archive.write(path, path.relative_to(made.path.parent), method)

    made.into_zip(write)


def _member(made: Made, step: dict[str, Any]) -> None:
    data = bytes(step["zeros"]) if "zeros" in step else step["text"].encode()
    info = zipfile.ZipInfo(step["name"].replace("{root}", made.path.name))
    info.compress_type = zipfile.ZIP_DEFLATED if "zeros" in step else zipfile.ZIP_STORED
    made.into_zip(lambda archive: archive.writestr(info, data))


def _again(made: Made, step: dict[str, Any]) -> None:
    made.into_zip(lambda z: z.write(made.file(step["at"]), f"{made.path.name}/{step['at']}"))


def _members(made: Made, step: dict[str, Any]) -> None:
    def write(archive: zipfile.ZipFile) -> None:
        for number in range(step["count"]):
            archive.writestr(f"{made.path.name}/{number}", b"")

    made.into_zip(write)


def _comment(made: Made, step: dict[str, Any]) -> None:
    def write(archive: zipfile.ZipFile) -> None:
        archive.comment = step["text"].encode()

    made.into_zip(write)


def _header(made: Made, step: dict[str, Any]) -> None:
    """Change what the ZIP file says of a member, in both places where it says it."""
    with zipfile.ZipFile(io.BytesIO(made.data)) as archive:
        offsets = {each.filename: each.header_offset for each in archive.infolist()}
        start = archive.start_dir
    name = f"{made.path.name}/{step['at']}"
    central = made.data.rindex(name.encode(), start) - 46
    changed = bytearray(made.data)
    for field_name, value in step["set"].items():
        given = offsets[f"{made.path.name}/{value}"] if field_name == "offset_of" else value
        at, own, form = FIELDS[field_name.removesuffix("_of")]
        struct.pack_into(form, changed, central + at, given)
        if own is not None:
            struct.pack_into(form, changed, offsets[name] + own, given)
    made.data = bytes(changed)


def _bytes(made: Made, step: dict[str, Any]) -> None:
    old, new = step["old"].encode(), step["new"].encode()

    def edit(data: bytes) -> bytes:
        assert old in data
        return data.replace(old, new, 1 if step.get("first") else -1)

    made.change(step, edit)


def _json(made: Made, step: dict[str, Any]) -> None:
    """Change fields of a record; the rest keeps its form."""
    made.change(
        step,
        lambda data: json.dumps(
            {**json.loads(data), **step["set"]}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        ).encode(),
    )


def _deep(made: Made, step: dict[str, Any]) -> None:
    data = b'{"citation_id":' + b"[" * 100_000
    made.names["hash"] = hashlib.sha256(data).hexdigest()[:8]
    made.file(step["at"]).write_bytes(data)


def _foreign(made: Made, step: dict[str, Any]) -> None:
    if step["what"] == "key":
        name, data = made.other.keys.current.file, made.other.keys.current.to_bytes()
    else:
        name, data = bundle.ENTRY, made.other.custody.read(2)[1]
    made.file(step.get("to", name)).write_bytes(data)


def _check(made: Made, step: dict[str, Any]) -> None:
    name, data = bundle.check_file(check(next(iter(made.one.citations()))))
    if step["form"] == "name":
        name = name.replace("20260302", "20260303")
    else:
        form = {
            "pretty": lambda: json.dumps(json.loads(data), indent=1).encode(),
            "bom": lambda: b"\xef\xbb\xbf" + data,
        }
        data = form[step["form"]]()
        name = f"{name[:-13]}{hashlib.sha256(data).hexdigest()[:8]}.json"
    made.file(name).write_bytes(data)


def _sign_list(made: Made, step: dict[str, Any]) -> None:
    sums = made.file(bundle.SUMS).read_bytes()
    signed = made.one.signer.sign(sums.decode("utf-8"), created="", software="").signature
    made.file(bundle.SUMS_SIGNATURE).write_bytes(bundle.der_signature(signed))


def _tar(made: Made, step: dict[str, Any]) -> None:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        archive.add(made.path, made.path.name)
    made.data = held.getvalue()


def _copy(made: Made, step: dict[str, Any]) -> None:
    made.file(step["to"]).write_bytes(made.file(step["at"]).read_bytes())


def _instead(place: Callable[[Path, dict[str, Any]], None]) -> Callable[[Made, dict[str, Any]], None]:
    def put(made: Made, step: dict[str, Any]) -> None:
        path = made.file(step["at"])
        path.unlink(missing_ok=True)
        place(path, step)

    return put


def _socket(path: Path, step: dict[str, Any]) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket must be short
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


STEPS: dict[str, Callable[[Made, dict[str, Any]], None]] = {
    "zip": _zip,
    "member": _member,
    "members": _members,
    "again": _again,
    "comment": _comment,
    "header": _header,
    "bytes": _bytes,
    "json": _json,
    "deep": _deep,
    "foreign": _foreign,
    "check": _check,
    "tar": _tar,
    "sign": lambda made, _: resigned(made.path, made.one),
    "sign list": _sign_list,
    "append": lambda made, step: made.change(step, lambda data: data + step["text"].encode()),
    "prepend": lambda made, step: made.change(step, lambda data: step["text"].encode() + data),
    "write": lambda made, step: made.change(step, lambda _: step["text"].encode()),
    "overwrite": lambda made, step: made.change(step, lambda _: step["text"].encode()),
    "repeat": lambda made, step: made.change(step, lambda _: step["text"].encode() * step["times"]),
    "zeros": lambda made, step: made.change(step, lambda _: bytes(step["count"])),
    "hex": lambda made, step: made.change(step, lambda _: bytes.fromhex(step["hex"])),
    "upper": lambda made, step: made.change(step, lambda data: data.upper()),
    "recode": lambda made, step: made.change(step, lambda data: data.decode().encode(step["charset"])),
    "copy": _copy,
    "cut": lambda made, step: made.change(
        step,
        lambda data: (
            data[-step["bytes"] :] if step["bytes"] < 0 else data[: max(0, len(data) - step["bytes"])]
        ),
    ),
    "link": _instead(lambda path, step: path.symlink_to(step["to"])),
    "pipe": _instead(lambda path, _: os.mkfifo(path)),
    "socket": _instead(_socket),
}


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """An honest export, the store that made it, and another store."""
    place = tmp_path_factory.mktemp("given")
    one, other = Store(place / "one"), Store(place / "other")
    citation = add(one)
    add(other)
    add(other, "Another", title="Another")
    made = Made(exported(one, citation, place / "out"), one, other, names={"key": one.keys.current.id})
    honest = Store(place / "honest")
    assert import_export(made.path, honest).left_out == ()
    made.stored = _evidence(honest)
    return made


@pytest.mark.parametrize("row", load("hostile_bundles"), ids=lambda row: row.id)
def test_a_hostile_export_is_refused_or_named(
    row: Row, given: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    made = Made(tmp_path / given.path.name, given.one, given.other, names=dict(given.names))
    shutil.copytree(given.path, made.path)
    for step in row.input["steps"]:
        STEPS[step["do"]](made, step)
    path = made.path
    if made.data or any(step["do"] in ("zip", "tar") for step in row.input["steps"]):
        path = tmp_path / "given.zip"
        path.write_bytes(made.data)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    before, store = _there(tmp_path), Store(tmp_path / "two")
    if said := row.expect.get("refused"):
        with pytest.raises(StoreError) as raised:
            import_export(path, store)
        assert re.search(said, str(raised.value)), str(raised.value)
        assert str(raised.value).isprintable()
        assert not folder(store).exists() or not stored(store)
    else:
        done = import_export(path, store)
        assert any(each.startswith(row.expect["named"]) for each in done.left_out), done.left_out
        assert all(each.isprintable() for each in done.left_out)
        assert _evidence(store) == given.stored
    with suppress(FileNotFoundError):
        shutil.rmtree(tmp_path / "two")
    assert _there(tmp_path) == before


def _evidence(store: Store) -> dict[str, bytes]:
    """What a store holds of a citation; its own keys and log are others in each."""
    return {name: data for name, data in stored(store).items() if name.partition("/")[0] in _FOLDERS}


def _there(place: Path) -> set[str]:
    return {str(path) for path in place.rglob("*")}
