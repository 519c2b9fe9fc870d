"""What the custody log names, held against the files that are there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pydantic import ValidationError

from verifaible.errors import StoreError
from verifaible.evidence.check.verify import LoggedAs
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.store.entries import CHECKS, RESTORE, CustodyEntry, CustodyItem, sha256_of
from verifaible.store.files import Files, read_many
from verifaible.store.lines import Lines
from verifaible.store.root import FOLDERS, SCRATCH, TOP
from verifaible.store.sealed import capture_file

_PAST_THE_LOG = (
    "{} is in the citation's history, but no custody entry names it: it was put there or changed past the "
    "log, or a kill came before its entry. Restore the file from a copy of the store, or delete the line."
)
_LACKS = "{} was cut or changed: {} of the checks that the custody log names are not in it. " + RESTORE
_GONE = "{} was deleted: the custody log names it. " + RESTORE
_UNFINISHED = "{} ends with part of a line: whoever added it was stopped. The next check removes it."
_NOT_IN_THE_STORE = (
    "Not in the store, since no custody entry names it: {}. It was put there past the log, or a kill came "
    "before its entry, or the log was lost. It is not listed. If it is yours, restore custody.jsonl from a "
    "copy of the store; else delete it."
)
_LINK = "{} is a link. Nothing behind it was read: put the file or folder itself there, or delete the link."
_STRANGER = "{} was not made by verifaible and is no part of the store. It is left alone."
#: What is read whole to be hashed; citations and what they rest on are verified elsewhere.
_READ = ("key", "store", "timestamp")
#: Of what was deleted, these are named; the rest went with them.
_TOLD = ("citations/", "runs/", "judged/")
#: What states something by being there, and what a kill may leave of an addition.
_STATEMENTS, _MATERIAL = ("citations", "timestamps"), ("captures", "pictures")


@dataclass(slots=True)
class FoundFiles:
    """``faults`` and ``notes``, one sentence each, and the ``checks`` with the entries that named them."""

    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checks: list[tuple[int, Check]] = field(default_factory=list)


class Logged:
    """Everything that the entries of a log name; the entries are shown to ``take``, in order.

    Attributes:
        citations: each citation's id, with what the log says of it.
        deleted: what was deleted and is not there again, with the entry that says so.
    """

    def __init__(self) -> None:
        self.citations: dict[str, LoggedAs] = {}
        self.deleted: dict[str, CustodyEntry] = {}
        self._items: dict[str, tuple[CustodyItem, int]] = {}
        self._checks: dict[str, dict[str, int]] = {}  # by file: the SHA-256 of each line, and its entry
        self._twice: list[str] = []

    def take(self, number: int, entry: CustodyEntry) -> None:
        """Take in what the entry of a line names; of several that name a file, the first counts."""
        for each in entry.items:
            if each.kind == "head":
                continue
            if each.kind == "deleted":
                self._items.pop(each.name, None)
                self._checks.pop(each.name, None)
                if each.name.startswith("citations/"):
                    self.citations.pop(PurePosixPath(each.name).stem, None)
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
                name = PurePosixPath(each.name).stem
                self.citations[name] = LoggedAs(each.sha256, number, entry.key)

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

    def examine(self, files: Files, lines: Lines, citations: Mapping[str, Citation]) -> FoundFiles:
        """Compare the names and hashes of the log with the files.

        Citations, their captures and pictures are not hashed here: each citation is verified with them.
        A capture that no citation rests on, such as that of a source that was given, is.

        Args:
            files: the store's files.
            lines: its checks.
            citations: the citations that can be read, by id.
        """
        linked = frozenset(files.links())
        found = FoundFiles(faults=[*(_LINK.format(each) for each in sorted(linked)), *self._twice])
        found.notes += (_STRANGER.format(each) for each in strangers(files))
        used = {capture_file(citation.capture.sha256) for citation in citations.values()}
        there: dict[str, set[str]] = {}

        def listed(folder: str) -> set[str]:
            if folder not in there:
                there[folder] = set() if folder in linked else set(files.names(folder))
            return there[folder]

        def is_there(name: str) -> bool:
            folder, _, file = name.rpartition("/")
            return file in listed(folder)

        small = [name for name, (each, _) in self._items.items() if each.kind in _READ and is_there(name)]
        contents = read_many(files, files.read, small)
        for name, (each, entry) in self._items.items():
            if linked and not linked.isdisjoint((name, *map(str, PurePosixPath(name).parents))):
                continue  # the link is the fault
            if not is_there(name):
                found.faults.append(f"{name} was deleted: the custody log names it. {RESTORE}")
            elif each.kind in _READ:
                self._hashed(next(contents), name, each, entry, found)
            elif each.kind == "capture" and name not in used:
                found.faults += _changed(files, name, each.sha256)
        if CHECKS not in linked:
            self._examine_checks(lines, found)
        found.notes += self._deletions(listed)
        if strange := self._strange(listed, used, _STATEMENTS):
            found.faults.append(_NOT_IN_THE_STORE.format(", ".join(strange)))
        if strange := self._strange(listed, used, _MATERIAL):
            # A log that was begun names what there was to name; without one nobody knows.
            begun = bool(self._items) or lines.head() is not None
            (found.notes if begun else found.faults).append(_NOT_IN_THE_STORE.format(", ".join(strange)))
        return found

    def _hashed(self, data: bytes, name: str, each: CustodyItem, entry: int, found: FoundFiles) -> None:
        if hashlib.sha256(data).hexdigest() != each.sha256:
            found.faults.append(f"{name} was changed after it was written. {RESTORE}")

    def _examine_checks(self, lines: Lines, found: FoundFiles) -> None:
        """Compare the lines of every history with those that the log names."""
        named = {name: dict(checks) for name, checks in self._checks.items()}
        for name, history in lines.all(CHECKS):
            file = f"{name}.jsonl"
            left = named.pop(file, {})
            if not left and PurePosixPath(file).stem not in self.citations:
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

    def _deletions(self, listed: Callable[[str], set[str]]) -> Iterator[str]:
        """A sentence for each entry that deleted something, and for each file that is there all the same."""
        entries: dict[int, tuple[CustodyEntry, list[str]]] = {}
        for name, entry in self.deleted.items():
            entries.setdefault(entry.number, (entry, []))[1].append(name)
            folder, _, file = name.rpartition("/")
            if file in listed(folder):
                yield f"{name} was deleted on {entry.at:%Y-%m-%d}, but is there. Delete it."
        for entry, names in entries.values():
            told = [name for name in names if name.startswith(_TOLD)]
            if rest := len(names) - len(told):
                told.append(f"{rest} files that went with it")
            yield f"Deleted on {entry.at:%Y-%m-%d} (custody entry {entry.number}): {', '.join(told)}."

    def _strange(
        self, listed: Callable[[str], set[str]], used: Collection[str], folders: Sequence[str]
    ) -> list[str]:
        """The files in folders that neither an entry nor a citation names."""
        there = (f"{folder}/{file}" for folder in folders for file in sorted(listed(folder)))
        return [
            name
            for name in there
            if name not in self._items and name not in used and name not in self.deleted
        ]


def strangers(files: Files) -> Iterator[str]:
    """The names of what lies at the top of a store and belongs to none; files of a kill are not told."""
    for name in files.at_top():
        index = name.startswith("index.sqlite")  # SQLite has files beside its own
        if not (name in FOLDERS | TOP or name == SCRATCH or index or name.startswith(".")):
            yield name


def _changed(files: Files, name: str, sha256: str) -> Iterator[str]:
    """What is wrong with a file that may be large, which is read piece by piece."""
    try:
        with files.local(name) as path, path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        yield f"{name} was deleted: the custody log names it. {RESTORE}"
    except StoreError as error:
        yield str(error)
    else:
        if found != sha256:
            yield f"{name} was changed after it was written. {RESTORE}"
