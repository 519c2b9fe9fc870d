"""Tampering with a capture: its bytes, its ZIP file, each of its parts, with hashes made anew or not."""

# ruff: noqa: E501 - rows of a table
from __future__ import annotations

import gzip
import io
import json
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from scripts.accuracy.tamper_store import NOW, Place, packed, rehash, resign, unpacked
from verifaible.archive.reader import WaczReader
from verifaible.archive.wacz import WaczWriter
from verifaible.schema.web import WebExchange

Files: TypeAlias = dict[str, bytes]
Edit: TypeAlias = Callable[[Files], None]

WARC, INDEX, PAGES = "archive/data.warc.gz", "indexes/index.cdx", "pages/pages.jsonl"
_CHANGED = "{capture} was changed"


def text(name: str, old: bytes, new: bytes) -> Edit:
    """Other words in a file of the capture."""

    def edit(files: Files) -> None:
        assert old in files[name], name
        files[name] = files[name].replace(old, new)

    return edit


def exchange(name: str, data: bytes) -> Edit:
    """Another file in the place of one."""
    return lambda files: files.__setitem__(name, data)


def remove(name: str) -> Edit:
    """A file fewer."""
    return lambda files: files.__delitem__(name)


def field(name: str, key: str, value: object) -> Edit:
    """Another value in a JSON file."""

    def edit(files: Files) -> None:
        data = json.loads(files[name])
        assert data[key] != value
        files[name] = json.dumps({**data, key: value}, indent=1).encode()

    return edit


def lines(change: Callable[[list[bytes]], list[bytes]], name: str = INDEX) -> Edit:
    """Other lines in the index or the page list."""
    return lambda files: files.__setitem__(
        name, b"".join(line + b"\n" for line in change(files[name].splitlines()))
    )


def body_alone(files: Files) -> None:
    """Another digit in a record, whose own digests stay."""
    members = re.split(rb"(?=\x1f\x8b\x08\x00\x00\x00\x00\x00)", files[WARC])[1:]
    opened = [gzip.decompress(member) for member in members]
    assert any(b"5.33%" in each for each in opened)
    files[WARC] = b"".join(gzip.compress(each.replace(b"5.33%", b"5.38%"), mtime=0) for each in opened)


def recorded(change: Callable[[list[WebExchange]], list[WebExchange]]) -> Edit:
    """Other exchanges, with records, digests and index as a writer of ours makes them."""

    def edit(files: Files) -> None:
        with WaczReader(packed(files)) as reader:
            exchanges = change(list(reader.exchanges()))
        target = io.BytesIO()
        with WaczWriter(target, title="Rate", created=NOW) as writer:
            for each in exchanges:
                writer.add_exchange(each)
        made = unpacked(target.getvalue())
        files[WARC], files[INDEX] = made[WARC], made[INDEX]

    return edit


def _other_body(exchanges: list[WebExchange]) -> list[WebExchange]:
    first = exchanges[0]
    body = first.response.body.replace(b"5.33%", b"5.38%")
    assert body != first.response.body
    return [replace(first, response=replace(first.response, body=body)), *exchanges[1:]]


def _one_more(exchanges: list[WebExchange]) -> list[WebExchange]:
    asked = replace(exchanges[1].request, url="https://bank.example/added")
    return [*exchanges, replace(exchanges[1], request=asked)]


#: Parts of a capture: the class, the edit, the file it is in.
PARTS: tuple[tuple[str, Edit, str], ...] = (
    ("record body changed", body_alone, WARC),
    ("record body changed with its digests", recorded(_other_body), WARC),
    ("record removed", recorded(lambda exchanges: exchanges[:1]), WARC),
    ("record added", recorded(_one_more), WARC),
    ("index points elsewhere", text(INDEX, b'"offset": "', b'"offset": "1'), INDEX),
    ("index names another address", text(INDEX, b"bank.example/rate", b"bank.example/rata"), INDEX),
    ("index line removed", lines(lambda found: found[:1]), INDEX),
    ("page list changed", text(PAGES, b"bank.example/rate", b"bank.example/rata"), PAGES),
    ("page removed from the list", lines(lambda found: found[:1], PAGES), PAGES),
    ("text.txt changed", text("evidence/text.txt", b"5.33%", b"5.38%"), "evidence/text.txt"),
    (
        "table.json changed",
        exchange("evidence/table.json", b'{"tables":[] }'),
        "evidence/table.json",
    ),
    ("page.json changed", field("evidence/page.json", "title", "Another"), "evidence/page.json"),
    ("dom.html changed", text("evidence/dom.html", b"5.33%", b"5.38%"), "evidence/dom.html"),
    ("file exchanged", exchange("evidence/dom.html", b"another page"), "evidence/dom.html"),
    (
        "provenance: time changed",
        field("evidence/provenance.json", "captured_at", "2025-01-01T00:00:00+00:00"),
        "evidence/provenance.json",
    ),
    (
        "provenance: address changed",
        field("evidence/provenance.json", "final_url", "https://other.example/"),
        "evidence/provenance.json",
    ),
    ("evidence file removed", remove("evidence/page.json"), "evidence/page.json"),
    ("evidence file added", exchange("evidence/more.txt", b"5.38%"), "evidence/more.txt"),
    ("package: title changed", field("datapackage.json", "title", "Another"), "datapackage.json"),
    (
        "package: time changed",
        field("datapackage.json", "created", "2025-01-01T00:00:00Z"),
        "datapackage.json",
    ),
)

#: How the rest of the capture was made to fit, and what must be said besides the capture's name.
#: ``{inside}`` is the file that was edited.
WAYS: tuple[tuple[str, Callable[[Files, Place], None], tuple[str, ...]], ...] = (
    ("hashes left", lambda files, place: None, ("{inside}",)),
    ("hashes made anew, signature left", lambda files, place: rehash(files), ("signature is over",)),
    ("hashes made anew, unsigned", lambda files, place: resign(files, None), ("It is not signed.",)),
    (
        "hashes made anew, signed by another key",
        lambda files, place: resign(files, place.forger),
        ("It is not signed by a key of this store",),
    ),
)


def parts() -> Iterator[tuple[str, str, Callable[[Place], None], tuple[str, ...]]]:
    """Class, name, tamper and what must be said, for every part in every way."""
    for kind, edit, inside in PARTS:
        for way, fit, said in WAYS:
            names = tuple(each.replace("{inside}", inside) for each in (_CHANGED, *said))
            yield kind, way, _in_capture(edit, fit), names


def _in_capture(edit: Edit, fit: Callable[[Files, Place], None]) -> Callable[[Place], None]:
    def tamper(place: Place) -> None:
        def change(data: bytes) -> bytes:
            files = unpacked(data)
            edit(files)
            fit(files, place)
            return packed(files)

        place.edit(place.capture, change)

    return tamper


def _in_bytes(change: Callable[[bytes], bytes]) -> Callable[[Place], None]:
    return lambda place: place.edit(place.capture, change)


def _flipped(data: bytes) -> bytes:
    place = len(data) // 3
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def _with_comment(data: bytes) -> bytes:
    with zipfile.ZipFile(target := io.BytesIO(data), "a") as opened:
        opened.comment = b"seen by a notary"
    return target.getvalue()


def _twice(data: bytes) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(target := io.BytesIO(data), "a") as opened:
            opened.writestr("evidence/text.txt", b"The rate was 5.38% in February.")
    return target.getvalue()


def _renamed_inside(data: bytes) -> bytes:
    """Another name in a file's own header than in the directory: tools differ on which they believe."""
    return data.replace(b"evidence/text.txt", b"evidence/next.txt", 1)


def _hidden(data: bytes) -> bytes:
    """Bytes between the files and the directory, with the directory's place corrected."""
    end = data.rindex(b"PK\x05\x06")
    start = int.from_bytes(data[end + 16 : end + 20], "little")
    hidden = b"a hidden note"
    moved = (start + len(hidden)).to_bytes(4, "little")
    return data[:start] + hidden + data[start:end] + data[end : end + 16] + moved + data[end + 20 :]


def _older(place: Place) -> None:
    """The capture of another citation of the same store, whole and rightly signed."""
    other = place.path(f"captures/{place.table.capture.sha256}.wacz").read_bytes()
    place.edit(place.capture, lambda data: other)


def _linked(place: Place) -> None:
    path = place.path(place.capture)
    elsewhere = path.rename(place.folder.with_name(f"{place.folder.name}-elsewhere.wacz"))
    path.symlink_to(elsewhere)


#: The whole file: class, name, tamper, and what must be said.
WHOLE: tuple[tuple[str, str, Callable[[Place], None], tuple[str, ...]], ...] = (
    ("byte flipped", "in the middle", _in_bytes(_flipped), (_CHANGED,)),
    ("truncated", "half", _in_bytes(lambda data: data[: len(data) // 2]), (_CHANGED, "is incomplete")),
    ("truncated", "the last byte", _in_bytes(lambda data: data[:-1]), (_CHANGED,)),
    ("truncated", "nothing left", _in_bytes(lambda data: b""), (_CHANGED, "is empty")),
    ("data appended", "behind the end", _in_bytes(lambda data: data + b"PS"), (_CHANGED, "2 bytes stand behind")),
    ("data prepended", "before the first file", _in_bytes(lambda data: b"#!/bin/sh\n" + data), (_CHANGED, "10 bytes")),
    ("data hidden", "before the directory", _in_bytes(_hidden), (_CHANGED, "13 bytes that belong to no file")),
    ("ZIP comment", "of 16 bytes", _in_bytes(_with_comment), (_CHANGED, "comment of 16 bytes")),
    ("file twice", "the second is read", _in_bytes(_twice), (_CHANGED, "evidence/text.txt is in the file 2 times")),
    ("two names", "header and directory differ", _in_bytes(_renamed_inside), (_CHANGED, "evidence/text.txt has another name")),
    ("capture exchanged", "for another healthy one", _older, (_CHANGED, "it is another capture")),
    ("capture exchanged", "for a link to itself elsewhere", _linked, ("{capture} is a link",)),
    ("capture deleted", "the file is gone", lambda place: place.path(place.capture).unlink(), ("{capture}", "missing")),
    (
        "capture exchanged",
        "for a picture",
        _in_bytes(lambda data: b"\x89PNG\r\n\x1a\n" + data[:50]),
        (_CHANGED, "is not a ZIP file"),
    ),
)  # fmt: skip
