"""What can be done to a store, step by step, as the rows of ``tests/suites/tamper.jsonl`` say.

A step is a JSON object: ``do`` names one of ``CHANGES`` (of the bytes of a file, in the store or inside a
capture), or a method of ``Tamperer`` or ``Inside``; everything else in it is an argument. ``Tamperer.name``
fills in the names of the store's files.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import sqlite3
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias

from scripts.accuracy.tamper_store import NOW, Place, packed, rehash, resign, unpacked
from tests.unit.evidence.samples import add
from verifaible.archive.reader import WaczReader
from verifaible.archive.signing import Signer
from verifaible.archive.wacz import WaczWriter
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.entries import CustodyEntry, CustodyItem, ItemKind, item, line_name
from verifaible.store.keys import key_id
from verifaible.store.sealed import capture_file, citation_file, picture_files
from verifaible.store.store import Store

Step: TypeAlias = dict[str, Any]
WARC, INDEX = "archive/data.warc.gz", "indexes/index.cdx"


# --- bytes of a file


def _replace(data: bytes, old: str, new: str, count: int = -1, *, pattern: bool = False) -> bytes:
    if pattern:
        return re.sub(old.encode(), new.encode(), data)
    return data.replace(old.encode(), new.encode(), count)


def _cut(data: bytes, start: int = 0, end: int | Literal["half"] | None = None) -> bytes:
    return data[start : len(data) // 2 if end == "half" else end]


def _add(data: bytes, before: str = "", after: str = "") -> bytes:
    return before.encode("latin-1") + data + after.encode("latin-1")


def _flip(data: bytes) -> bytes:
    """Another bit, after a third of the bytes."""
    place = len(data) // 3
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def _lines(data: bytes, keep: int) -> bytes:
    return b"".join(line + b"\n" for line in data.splitlines()[:keep])


def _json(data: bytes, values: dict[str, Any], indent: int | None = None) -> bytes:
    """Other values at JSON pointers, written canonically or with indents."""
    read = json.loads(data)
    for pointer, value in values.items():
        _set_at(read, pointer.split("/")[1:], value)
    return annotation.canonical(read) if indent is None else json.dumps(read, indent=indent).encode()


def _set_at(data: Any, path: Sequence[str], value: Any) -> None:
    for key in range(len(data)) if path[0] == "*" else [path[0]]:
        if len(path) > 1:
            _set_at(data[key], path[1:], value)
        else:
            data[key] = value


def _record(data: bytes, values: dict[str, Any], *, refit: bool = False) -> bytes:
    """Another record in a citation, the annotation around it made anew; ``refit``: its id, too."""
    record = json.loads(_json(data, {f"/verifaible{key}": value for key, value in values.items()}))[
        "verifaible"
    ]
    if refit:
        record["id"] = annotation._id_of(record)
    return annotation.canonical(annotation._annotation(record))


def _comment(data: bytes, text: str) -> bytes:
    """A comment of the ZIP file."""
    with zipfile.ZipFile(target := io.BytesIO(data), "a") as opened:
        opened.comment = text.encode()
    return target.getvalue()


def _twice(data: bytes, name: str, text: str) -> bytes:
    """A second file of that name in the ZIP file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(target := io.BytesIO(data), "a") as opened:
            opened.writestr(name, text)
    return target.getvalue()


def _hide(data: bytes, text: str) -> bytes:
    """Bytes between the files of a ZIP file and its directory, with the directory's place corrected."""
    end = data.rindex(b"PK\x05\x06")
    start = int.from_bytes(data[end + 16 : end + 20], "little")
    moved = (start + len(text)).to_bytes(4, "little")
    return data[:start] + text.encode() + data[start:end] + data[end : end + 16] + moved + data[end + 20 :]


def _gzip_replace(data: bytes, old: str, new: str) -> bytes:
    """Other words in the records of a WARC file, whose own digests stay."""
    members = re.split(rb"(?=\x1f\x8b\x08\x00\x00\x00\x00\x00)", data)[1:]
    opened = [gzip.decompress(member) for member in members]
    assert any(old.encode() in each for each in opened)
    return b"".join(gzip.compress(_replace(each, old, new), mtime=0) for each in opened)


CHANGES: dict[str, Callable[..., bytes]] = {
    "replace": _replace,
    "cut": _cut,
    "add": _add,
    "flip": _flip,
    "lines": _lines,
    "json": _json,
    "record": _record,
    "comment": _comment,
    "twice": _twice,
    "hide": _hide,
    "gzip replace": _gzip_replace,
}


# --- a capture


@dataclass(frozen=True, slots=True)
class Inside:
    """The files of a capture, and what is done to them."""

    files: dict[str, bytes]
    place: Place

    def do(self, step: Step) -> None:
        rest = {**step}
        if change := CHANGES.get(name := rest.pop("do")):
            at = rest.pop("at")
            changed = change(self.files[at], **rest)
            assert changed != self.files[at], at
            self.files[at] = changed
        else:
            getattr(self, name)(**rest)

    def put(self, at: str, text: str) -> None:
        """Another file in the place of one, or one more."""
        self.files[at] = text.encode()

    def remove(self, at: str) -> None:
        del self.files[at]

    def records(
        self, keep: int | None = None, body: tuple[str, str] | None = None, again_at: str = ""
    ) -> None:
        """Other exchanges, with records, digests and index as a writer of ours makes them.

        Only the first ``keep``; other words in the first one's ``body``; the second again at another address.
        """
        with WaczReader(packed(self.files)) as reader:
            exchanges = list(reader.exchanges())[:keep]
        if body:
            answer = exchanges[0].response
            changed = replace(answer, body=_replace(answer.body, body[0], body[1]))
            assert changed != answer
            exchanges[0] = replace(exchanges[0], response=changed)
        if again_at:
            exchanges.append(replace(exchanges[1], request=replace(exchanges[1].request, url=again_at)))
        with WaczWriter(target := io.BytesIO(), title="Rate", created=NOW) as writer:
            for each in exchanges:
                writer.add_exchange(each)
        made = unpacked(target.getvalue())
        self.files[WARC], self.files[INDEX] = made[WARC], made[INDEX]

    def rehash(self) -> None:
        """Make the hashes fit again; the signature stays."""
        rehash(self.files)

    def resign(self, by: str = "") -> None:
        """Make the hashes fit again, signed by a key or by none."""
        resign(self.files, getattr(self.place, by) if by else None)


# --- the store


@dataclass(slots=True)
class Tamperer:
    """Somebody who tampers with a store; ``wanted`` is the citation that is to be verified afterwards."""

    place: Place
    wanted: Citation = field(init=False)

    def __post_init__(self) -> None:
        self.wanted = self.place.victim

    def name(self, name: str) -> str:
        """A name with ``{picture}`` (the victim's), ``{table_picture}`` and the like filled in."""
        return re.sub(r"\{(\w+)\}", lambda found: self._named(found[1]), name)

    def _named(self, word: str) -> str:
        of, _, what = word.rpartition("_")
        if word in ("first", "current", "forger", "foreign"):
            return f"keys/{key_id(self._signer(word).public_key)}.json"
        if word == "first_id":
            return key_id(self.place.first.public_key)
        if word == "entry":
            return line_name(1)  # the victim's
        if of + what in ("last", "beforelast", "afterlast"):
            after = of == "after"
            return "custody.jsonl:new" if after else line_name(self.place.last() - (of == "before"))
        citation: Citation = self.wanted if of == "new" else getattr(self.place, of or "victim")
        if what == "check":  # the one that was made with the citation
            lines = self.place.read(f"checks/{citation.id}.jsonl").split(b"\n")
            number = next(number for number, line in enumerate(lines, 1) if b'"self"' in line)
            return f"checks/{citation.id}.jsonl:{number}"
        return {
            "id": citation.id,
            "citation": citation_file(citation.id),
            "capture": capture_file(citation.capture.sha256),
            "picture": next(iter(picture_files(citation))),
            "checks": f"checks/{citation.id}.jsonl",
        }[what]

    def _signer(self, name: str) -> Signer:
        signer: Signer = getattr(self.place, name)
        return signer

    def do(self, step: Step) -> None:
        rest = {**step}
        if change := CHANGES.get(name := rest.pop("do")):
            self.place.edit(self.name(rest.pop("at")), partial(change, **rest))
        else:
            getattr(self, name)(**rest)

    def put(self, at: str, text: str) -> None:
        """Another file in the place of one, or one more."""
        self.place.write(self.name(at), text.encode())

    def remove(self, files: list[str]) -> None:
        """Take away lines, files and whole folders; a pattern stands for all that it matches."""
        for name in sorted((self.name(each) for each in files), reverse=True):
            if ":" in name:
                self.place.write(name, None)
                continue
            found = list(self.place.folder.glob(name))
            assert found, name
            for path in found:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def copy(self, at: str, to: str) -> None:
        self.place.write(self.name(to), self.place.read(self.name(at)))

    def swap(self, files: list[str]) -> None:
        one, other = map(self.name, files)
        first, second = self.place.read(one), self.place.read(other)
        self.place.write(one, second)
        self.place.write(other, first)

    def link(self, at: str) -> None:
        """The file elsewhere, and a link to it in its place."""
        path = self.place.path(self.name(at))
        path.symlink_to(
            path.rename(self.place.folder.with_name(f"{self.place.folder.name}-elsewhere{path.suffix}"))
        )

    def inside(self, steps: list[Step]) -> None:
        """Steps inside the victim's capture."""

        def change(data: bytes) -> bytes:
            capture = Inside(unpacked(data), self.place)
            for step in steps:
                capture.do(step)
            return packed(capture.files)

        self.place.edit(self.place.capture, change)

    def take(self, key: str, of: str) -> None:
        """A value of another citation's record in the victim's."""
        value = getattr(self.place, of).model_dump(mode="json")[key]
        self.place.edit(self.name("{citation}"), partial(_record, values={f"/{key}": value}))

    def forge(self, claim: str) -> None:
        """Another citation, under the id that fits it."""
        self.wanted, _ = self.place.forged(claim=claim)

    def key(self, of: str, origin: str, by: str = "") -> None:
        """The record of a key, endorsed by another one."""
        self.place.put_key(self._signer(of), origin, self._signer(by) if by else None)

    def signing_key(self, of: str) -> None:
        """The key that the store signs with."""
        self.place.path("keys/signing.pem").write_bytes(self._signer(of).private_bytes())

    def sign(self, number: int, by: str) -> None:
        """An entry as it stands, signed by another key."""
        self.place.put_entry(self.place.entry(number), self._signer(by))

    def head(self, by: str) -> None:
        """The head of the log, signed by another key."""
        self.place.put_head(self._signer(by), self.place.last())

    def log(self, by: str, naming: list[tuple[ItemKind, str]], *, start: int = 0) -> None:
        """The log made anew from an entry on (0: the last), which then names further files."""
        begin = start or self.place.last()
        more = [
            item(kind, name, self.place.path(name).read_bytes())
            for kind, name in [(kind, self.name(name)) for kind, name in naming]
        ]

        def change(entry: CustodyEntry) -> CustodyEntry:
            items = (*more, *entry.items) if entry.number == begin else entry.items
            return entry.model_copy(update={"items": items})

        self.place.remake_log(self._signer(by), begin, change)

    def branch(self) -> None:
        """A rightly signed entry of a copy of the store that went on by itself."""
        branch = self.place.copy(self.place.folder.with_name(f"{self.place.folder.name}-branch"))
        Tamperer(branch).put_back()
        store = branch.store()
        store.custody.append([CustodyItem(kind="check", name="checks/x.jsonl", sha256="0" * 64)])
        name = line_name(store.custody.count())
        self.place.write(name, branch.read(name))

    def put_back(self) -> None:
        """The store as it was before the last additions."""
        shutil.rmtree(self.place.folder)
        shutil.copytree(self.place.earlier, self.place.folder)

    def cite(self) -> None:
        """One more citation, rightly added."""
        add(self.place.store(), "later", title="Later")

    def foreign(self, names: list[str]) -> None:
        """Folders and files of a sound store of somebody else, in the place of this one's."""
        other = self.place.folder.with_name("other")
        add(Store(other))
        for name in names:
            source, target = other / name, self.place.path(name)
            if source.is_dir():
                shutil.rmtree(target)
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)

    def sql(self, statements: list[str]) -> None:
        """Change the index; the last statement must change something."""
        with sqlite3.connect(self.place.path("index.sqlite")) as database:
            ids = {"id": self.place.victim.id, "other": self.place.table.id}
            changed = [database.execute(each, ids).rowcount for each in statements]
            assert changed[-1] > 0, statements
        database.close()


def take_steps(place: Place, steps: Sequence[Step]) -> Tamperer:
    """Tamper with a store."""
    tamperer = Tamperer(place)
    for step in steps:
        tamperer.do(step)
    return tamperer
