"""What a store should hold, in memory: its citations, their checks, and what was done to its files."""

from __future__ import annotations

import asyncio
import copy
import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from tests.unit.evidence.samples import add, check
from tests.unit.store.files import LOG, lines_of
from verifaible.config import Settings
from verifaible.evidence.export import Format, export
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.store.annotation import canonical, to_bytes
from verifaible.store.lines import HEAD
from verifaible.store.sealed import capture_file, citation_file, picture_files
from verifaible.store.store import Store

#: What may happen to a file of evidence.
Harm: TypeAlias = Literal["changed", "missing", "link"]


def line_of(check: Check) -> bytes:
    """A check as the line of a history."""
    return canonical(check.model_dump(mode="json"))


def files_of(citation: Citation) -> set[str]:
    """The files that a citation needs."""
    return {citation_file(citation.id), capture_file(citation.capture.sha256), *picture_files(citation)}


@dataclass
class Model:
    """What a store should hold.

    Attributes:
        citations: by id.
        checks: the lines of each one's history.
        deleted: ids of citations that are gone.
        harmed: files of evidence that were damaged, and how.
        unlisted: citations that the index was made without, since their files could not be read then.
        known: ids of all citations there ever were, in the order of their additions: ids are made by chance.
    """

    citations: dict[str, Citation] = field(default_factory=dict)
    checks: dict[str, set[bytes]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    harmed: dict[str, Harm] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    known: dict[str, None] = field(default_factory=dict)

    def copy(self) -> Model:
        """The same, to be changed by itself."""
        return Model(*(copy.copy(getattr(self, name)) for name in self.__dataclass_fields__))

    def add(self, citation: Citation) -> None:
        """A citation is in the store from now on."""
        self.known.setdefault(citation.id)
        self.citations[citation.id] = citation
        self.checks.setdefault(citation.id, set())
        self.deleted.discard(citation.id)
        self.unlisted.discard(citation.id)

    def pick(self, ids: Collection[str], number: int) -> str:
        """One of these ids; which does not depend on chance."""
        found = [each for each in self.known if each in ids]
        return found[number % len(found)]

    def add_check(self, check: Check) -> None:
        """A check is in the history of its citation from now on."""
        self.checks[check.citation_id] = self.checks[check.citation_id] | {line_of(check)}

    def delete(self, ids: set[str]) -> None:
        """Citations are gone from now on."""
        for each in ids:
            del self.citations[each], self.checks[each]
        self.deleted |= ids
        self.unlisted -= ids

    def listed(self) -> dict[str, set[bytes]]:
        """What a list shows, each with its history."""
        return {each: self.checks[each] for each in self.citations if each not in self.unlisted}

    def failing(self) -> set[str]:
        """The citations whose verification must fail."""
        return {each.id for each in self.citations.values() if files_of(each) & self.harmed.keys()}

    def unreadable(self) -> set[str]:
        """The citations whose own files are damaged."""
        return {each for each in self.citations if citation_file(each) in self.harmed}

    def look(self, folder: Path) -> None:
        """Forget damage that is no more: what was written anew, or is needed by nobody."""
        needed = set[str]().union(*map(files_of, self.citations.values()))
        self.harmed = {name: how for name, how in self.harmed.items() if name in needed}
        self.harmed = {name: how for name, how in self.harmed.items() if not self._whole(folder, name)}

    def _whole(self, folder: Path, name: str) -> bool:
        path = folder / name
        if path.is_symlink() or not path.exists():
            return False
        if name.startswith("citations/"):
            return path.read_bytes() == to_bytes(self.citations[path.stem])
        return hashlib.sha256(path.read_bytes()).hexdigest() == path.stem

    def faults(self, folder: Path) -> set[str]:
        """Words of each fault that must be named, and of no other: what a kill or somebody left counts, too."""
        return {
            *(name for name, how in self.harmed.items() if how != "changed"),
            *(f"lacks citation {each}" for each in self.unlisted - self.unreadable()),
            *self.left(folder),
        }

    def left(self, folder: Path) -> Iterator[str]:
        """Files and lines that state something and that the log does not name."""
        for path in (folder / "citations").glob("[!.]*"):
            if path.stem not in self.citations.keys() | self.deleted:
                yield citation_file(path.stem)
        log = (folder / LOG).read_bytes() if (folder / LOG).exists() else b""
        begun = b"\n" in log or (folder / HEAD).exists()
        if not begun:  # a log that was begun names what there was to name; without one nobody knows
            for material in ("captures", "pictures"):
                yield from (f"{material}/{path.name}" for path in (folder / material).glob("[!.]*"))
        for path in (folder / "keys").glob("*.json"):
            if log and b'"imported"' in path.read_bytes() and path.name.encode() not in log:
                yield f"keys/{path.name}"
        for path in (folder / "checks").glob("*.jsonl"):
            name = f"checks/{path.name}"
            if path.stem not in self.citations:
                if path.stem not in self.deleted:
                    yield name
                continue
            for number, line in enumerate(lines_of(folder, name), 1):
                if line not in self.checks[path.stem]:
                    yield f"{name}:{number}"


def held(store: Store) -> dict[str, set[bytes]]:
    """What a store lists, with the history of each; no check stands there twice."""
    found: dict[str, set[bytes]] = {}
    with store.at_one_time():
        for row in store.rows():
            history = [line_of(each) for each in store.checks(row.id)]
            found[row.id] = set(history)
            assert len(history) == len(found[row.id]), f"a check of {row.id} stands there twice"
    return found


@dataclass(frozen=True, slots=True)
class Bundle:
    """An export of a citation of another store, with its history."""

    path: Path
    citation: Citation
    history: frozenset[bytes]


def bundles_in(folder: Path) -> tuple[Bundle, ...]:
    """Exports of two citations, one of which was checked."""
    store = Store(folder / "elsewhere")
    made = [add(store, f"Elsewhere {each}", quote=f"It was {each}.1% then.") for each in range(2)]
    checked = check(made[0])
    store.add_check(checked)
    formats: tuple[Format, ...] = ("wacz", "jsonld", "picture", "html")
    found = [
        Bundle(
            asyncio.run(export(each, store, Settings(home=folder), folder / "out", formats=formats)).folder,
            each,
            frozenset({line_of(checked)} if each == made[0] else ()),
        )
        for each in made
    ]
    store.close()
    return tuple(found)
