"""Auditing a store: its log, its files and its index held against one another, links, and strangers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pydantic import ValidationError

from verifaible.errors import StoreError
from verifaible.schema.check import Check, IndexRow
from verifaible.schema.citation import Citation
from verifaible.store.entries import CHECKS, RESTORE, CustodyEntry, CustodyItem, sha256_of
from verifaible.store.files import Files
from verifaible.store.index import rows_of
from verifaible.store.root import FOLDERS, SCRATCH, TOP
from verifaible.store.sealed import capture_file, citation_file
from verifaible.store.store import Store

_PAST_THE_LOG = (
    "{} is in the citation's history, but no custody entry names it: it was put there or changed past the "
    "log, or a kill came before its entry. Restore the file from a copy of the store, or delete the line."
)
_LACKS = "{} was cut or changed: {} of the checks that the custody log names are not in it. " + RESTORE
_GONE = "{} was deleted: the custody log names it. " + RESTORE
_CHANGED = "{} was changed after it was written. " + RESTORE
_UNFINISHED = "{} ends with part of a line: whoever added it was stopped. The next check removes it."
_NOT_IN_THE_STORE = (
    "Not in the store, since no custody entry names it: {}. It was put there past the log, or a kill came "
    "before its entry, or the log was lost. It is not listed. If it is yours, restore custody.jsonl from a "
    "copy of the store; else delete it."
)
_LINK = "{} is a link. Nothing behind it was read: put the file or folder itself there, or delete the link."
_STRANGER = "{} was not made by verifaible and is no part of the store. It is left alone."
_AGAIN = "Make the index again: verifaible store reindex"
#: What is read whole to be hashed; citations and what they rest on are verified elsewhere.
_READ = ("key", "store", "timestamp")
#: Of what was deleted, these are named; the rest went with them.
_TOLD = ("citations/", "runs/", "judged/")
#: What states something by being there, and what a kill may leave of an addition.
_STATEMENTS, _MATERIAL = ("citations/", "timestamps/"), ("captures/", "pictures/")


@dataclass(frozen=True, slots=True)
class LoggedAs:
    """What the custody log says of a citation's file: its SHA-256, the entry, and the key that signed it."""

    sha256: str
    entry: int
    key: str

    @classmethod
    def of(cls, citation_id: str, entry: CustodyEntry) -> LoggedAs | None:
        """What an entry that holds says of a citation; None if it names no such file."""
        named = (each.sha256 for each in entry.items if each.name == citation_file(citation_id))
        sha256 = next(named, "")
        return cls(sha256, entry.number, entry.key) if sha256 else None


@dataclass(slots=True)
class Findings:
    """``faults`` and ``notes``, one sentence each, and the ``checks`` with the entries that named them."""

    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checks: list[tuple[int, Check]] = field(default_factory=list)


class Inventory:
    """What the custody log says is in a store; the whole log is read and examined once.

    Attributes:
        store: the store.
        log: what is wrong with the log itself, and what a reader of it should know.
        citations: each citation's id, with what the log says of it.
        deleted: what was deleted and is not there again, with the entry that says so.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.citations: dict[str, LoggedAs] = {}
        self.deleted: dict[str, CustodyEntry] = {}
        self._items: dict[str, tuple[CustodyItem, int]] = {}
        self._checks: dict[str, dict[str, int]] = {}  # by file: the SHA-256 of each line, and its entry
        self._twice: list[str] = []
        self.log = store.custody.examine(self._take)

    def _take(self, number: int, entry: CustodyEntry) -> None:
        """Take in what the entry of a line names; of several that name a file, the first counts."""
        for each in entry.items:
            if each.kind == "head":
                continue
            if each.kind == "deleted":
                self._items.pop(each.name, None)
                self._checks.pop(each.name, None)
                if each.name.startswith("citations/"):
                    self.citations.pop(each.stem, None)
                self.deleted[each.name] = entry
                continue
            self.deleted.pop(each.name, None)
            if each.kind == "check":
                self._checks.setdefault(each.name, {}).setdefault(each.sha256, number)
                continue
            before = self._items.setdefault(each.name, (each, number))
            if before[0].sha256 != each.sha256:
                self._twice.append(
                    f"Custody entries {before[1]} and {number} name {each.name} with different hashes."
                )
            if each.kind == "citation" and before[1] == number:
                self.citations[each.stem] = LoggedAs(each.sha256, number, entry.key)

    def items(self) -> Iterator[CustodyItem]:
        """Every file that is named and was not deleted, in the order of the log."""
        yield from (each for each, _ in self._items.values())
        for name, checks in self._checks.items():
            # One line of it stands for the file.
            yield CustodyItem(kind="check", name=name, sha256=[*checks][-1])

    def given(self, citations: Mapping[str, Citation]) -> Iterator[str]:
        """The SHA-256 of each capture on which none of these citations rests: those of sources."""
        used = {citation.capture.sha256 for citation in citations.values()}
        return (each.sha256 for each in self.items() if each.kind == "capture" and each.sha256 not in used)

    # --- the files

    def examine(self, citations: Mapping[str, Citation]) -> Findings:
        """Compare the names and hashes of the log with the files.

        Citations, their captures and pictures are not hashed here: each citation is verified with them.
        A capture that no citation rests on, such as that of a source that was given, is.

        Args:
            citations: the citations that can be read, by id.
        """
        files = self.store.files
        linked = files.links()
        found = Findings(faults=[*links(files), *self._twice], notes=[*strangers(files)])
        used = {capture_file(citation.capture.sha256) for citation in citations.values()}
        folders = [each for each in ("", *sorted(FOLDERS)) if each not in linked]
        there = {f"{folder}/{name}".lstrip("/") for folder in folders for name in files.names(folder)}
        for name, (each, _) in self._items.items():
            if not {name, name.partition("/")[0]}.isdisjoint(linked):
                continue  # the link is the fault
            if name not in there:
                found.faults.append(_GONE.format(name))
            elif each.kind in _READ:
                if sha256_of(files.read(name)) != each.sha256:
                    found.faults.append(_CHANGED.format(name))
            elif each.kind == "capture" and name not in used:
                try:
                    with self.store.sealed_file(each.sha256, name):
                        pass
                except StoreError as error:
                    found.faults.append(str(error))
        if CHECKS not in linked:
            self._examine_checks(found)
        found.notes += self._deletions(there)
        unnamed = sorted(there - self._items.keys() - used - self.deleted.keys())
        if strange := [each for each in unnamed if each.startswith(_STATEMENTS)]:
            found.faults.append(_NOT_IN_THE_STORE.format(", ".join(strange)))
        if strange := [each for each in unnamed if each.startswith(_MATERIAL)]:
            # A log that was begun names what there was to name; without one nobody knows.
            begun = bool(self._items) or self.store.lines.head() is not None
            (found.notes if begun else found.faults).append(_NOT_IN_THE_STORE.format(", ".join(strange)))
        return found

    def _examine_checks(self, found: Findings) -> None:
        """Compare the lines of every history with those that the log names."""
        lines = self.store.lines
        named = {name: dict(checks) for name, checks in self._checks.items()}
        for name, history in lines.all(CHECKS):
            file = f"{name}.jsonl"
            left = named.pop(file, {})
            if not left and PurePosixPath(file).stem not in self.citations:
                if file not in self.deleted:  # a note says so of one that is there all the same
                    found.faults.append(_NOT_IN_THE_STORE.format(file))
                continue
            for number, line in enumerate(history, 1):
                entry = left.pop(sha256_of(line), None)
                if entry is None:
                    found.faults.append(_PAST_THE_LOG.format(f"{file}:{number}"))
                    continue
                try:
                    found.checks.append((entry, Check.model_validate_json(line)))
                except ValidationError:
                    found.faults.append(f"{file}:{number} is no check, and never was one.")
            if left:
                found.faults.append(_LACKS.format(file, len(left)))
            elif lines.unfinished(name):
                found.notes.append(_UNFINISHED.format(file))
        found.faults += (_GONE.format(file) for file in named)

    def _deletions(self, there: Collection[str]) -> Iterator[str]:
        """A sentence for each entry that deleted something, and for each file that is there all the same."""
        entries: dict[int, tuple[CustodyEntry, list[str]]] = {}
        for name, entry in self.deleted.items():
            entries.setdefault(entry.number, (entry, []))[1].append(name)
            if name in there:
                yield f"{name} was deleted on {entry.at:%Y-%m-%d}, but is there. Delete it."
        for entry, names in entries.values():
            told = [name for name in names if name.startswith(_TOLD)]
            if rest := len(names) - len(told):
                told.append(f"{rest} files that went with it")
            yield f"Deleted on {entry.at:%Y-%m-%d} (custody entry {entry.number}): {', '.join(told)}."

    # --- the index

    def index_faults(
        self,
        listed: Sequence[IndexRow],
        citations: Mapping[str, Citation],
        checks: Sequence[tuple[int, Check]],
    ) -> Iterator[str]:
        """One sentence for each citation that the index lacks, or of which it says what the files do not.

        Args:
            listed: all rows of the index, read before anything was added.
            citations: the citations that could be read, by id.
            checks: the checks that could be read, with the entries that added them.
        """
        there, states = {row.id: row for row in listed}, self.store.page_states()
        in_order = (check for _, check in sorted(checks, key=lambda each: each[0]))
        for row in rows_of(citations.values(), in_order):
            name = row.id
            if name not in there:
                yield f"The index lacks citation {name}, so that no list shows it. {_AGAIN}"
            elif wrong := _differences(there[name], row):
                yield f"The index says something else of citation {name} than its files ({wrong}). {_AGAIN}"
            elif states.get(name) != citations[name].capture.state_sha256:
                yield f"The index names another page state of citation {name} than its file. {_AGAIN}"
        if not self.log.faults:  # else what it does not name may be named in what is lost
            for name in there.keys() - self.citations.keys():
                yield f"The index lists citation {name}, which no custody entry names. {_AGAIN}"


def _differences(one: IndexRow, other: IndexRow) -> str:
    fields = IndexRow.model_fields
    return ", ".join(name for name in fields if getattr(one, name) != getattr(other, name))


def links(files: Files) -> list[str]:
    """A sentence for each link in a store."""
    return [_LINK.format(each) for each in files.links()]


def strangers(files: Files) -> Iterator[str]:
    """A sentence for whatever lies at the top of a store and belongs to none; not for what a kill leaves."""
    for name in files.at_top():
        index = name.startswith("index.sqlite")  # SQLite has files beside its own
        if not (name in FOLDERS | TOP or name == SCRATCH or index or name.startswith(".")):
            yield _STRANGER.format(name)
