"""Lines at an address, where nothing can be appended: each addition is an object, never changed.

An object is named by its writer's session and its number in that. Who writes takes the session after the
last one by making its first object, which only one can; so of two writers neither can harm the other's lines.
Sixteen neighbours become one object, and sixteen of those again: ten thousand lines are some dozen objects.
The one that takes their place is there before they are deleted, and who reads prefers it, so at any moment
each line is there once. What is added while another addition is under way goes into the next one together.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from threading import Lock
from typing import Final, NamedTuple, Protocol

from verifaible.errors import RunError

#: So many additions become one object, the largest number that fits.
SPANS: Final = (4096, 256, 16)
#: What is larger together stays apart.
MOST_BYTES: Final = 32 << 20
#: So many objects are asked for at once.
_AT_ONCE: Final = 16
_TRIES: Final = 100
_NAME: Final = re.compile(r"(\d{6})-(\d{10})-(\d{10})\.jsonl")


class Objects(Protocol):
    """What of files is needed here."""

    def read_all(self, names: Sequence[str]) -> list[bytes | None]:
        """The bytes of files; None for one that is not there."""

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder."""

    def create(self, name: str, data: bytes) -> bool:
        """Make a new file; False if there is one already."""

    def delete_all(self, names: Sequence[str]) -> None:
        """Delete files that are there."""


class Part(NamedTuple):
    """One object: these additions of a session."""

    session: int
    first: int
    last: int

    @property
    def name(self) -> str:
        """Of the object."""
        return f"{self.session:06}-{self.first:010}-{self.last:010}.jsonl"


class _Addition:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.done = False
        self.failure: Exception | None = None


class Parts:
    """The objects of one file of lines.

    Args:
        files: where they are.
        folder: in those.
    """

    def __init__(self, files: Objects, folder: str) -> None:
        self._files = files
        self._folder = folder
        self._mine: list[Part] = []  # of this session; those that were joined are one
        self._waiting: deque[_Addition] = deque()
        self._writing = Lock()

    def add(self, data: bytes) -> None:
        """Add whole lines; they are there when this returns, and those that other threads add meanwhile.

        Raises:
            RunError: the place is away; see :class:`~verifaible.runs.place.PatientFiles`.
        """
        mine = _Addition(data)
        self._waiting.append(mine)
        with self._writing:
            if not mine.done:
                self._add_all([self._waiting.popleft() for _ in range(len(self._waiting))])
        if mine.failure is not None:
            raise mine.failure

    def _add_all(self, batch: Sequence[_Addition]) -> None:
        failure: Exception | None = None
        try:
            part = self._create(b"".join(each.data for each in batch))
            self._mine.append(part)
            span = next((each for each in SPANS if part.last % each == 0), 0)
            if span:
                with suppress(RunError):  # the lines are there; they are joined with the next ones
                    self._join(Part(part.session, part.last - span + 1, part.last))
        except Exception as error:  # all who wait must be told
            failure = error
        for each in batch:
            each.done, each.failure = True, failure

    def _create(self, data: bytes) -> Part:
        if self._mine:
            session, number = self._mine[-1].session, self._mine[-1].last + 1
        else:
            session, number = max((part.session for part in self._parts()), default=0) + 1, 1
        for _ in range(_TRIES):
            part = Part(session, number, number)
            if self._files.create(self._at(part), data):
                return part
            # Another has taken the session, or an addition of ours that failed is there all the same.
            session, number = (session, number + 1) if self._mine else (session + 1, 1)
        raise RunError(f"Nothing can be added in {self._folder}: too many others write there. End them.")

    def _join(self, whole: Part) -> None:
        """Put one object in the place of its parts; not where they are too large together."""
        parts = [part for part in self._mine if part.first >= whole.first]
        data = [each for each in self._files.read_all([self._at(part) for part in parts]) if each is not None]
        if parts[0].first != whole.first or len(data) < len(parts) or sum(map(len, data)) > MOST_BYTES:
            return
        self._files.create(self._at(whole), b"".join(map(_ended, data)))
        self._mine[-len(parts) :] = [whole]
        # the first stays: it says that the session is taken
        self._files.delete_all([self._at(part) for part in parts if part.last > 1])

    def __iter__(self) -> Iterator[bytes | None]:
        """The lines one by one, each with its line break; None for one or more that are missing."""
        for session, parts in groupby(self._parts(), key=lambda part: part.session):
            yield from self._lines(session, list(parts))

    def _lines(self, session: int, parts: Sequence[Part]) -> Iterator[bytes | None]:
        upto = 0  # the last addition that was given
        given: list[tuple[int, int]] = []  # where each part began, and how many lines of it were given
        while parts := [part for part in _cover(parts) if part.last > upto]:
            group = parts[:_AT_ONCE]
            before = upto
            for part, data in zip(group, self._read(group), strict=True):
                if data is None:
                    break
                if part.first > upto + 1:
                    yield None
                known = sum(count for first, count in given if first >= part.first)
                lines = _lines(data)[known:]
                yield from lines
                given.append((max(part.first, upto + 1), len(lines)))
                upto = part.last
            if upto < group[-1].last:  # one was joined with its neighbours since it was listed
                parts = [part for part in self._parts() if part.session == session]
                if upto == before and group[0] in parts:
                    raise RunError(f"{self._at(group[0])} is listed, but cannot be read. Try again.")

    def _read(self, parts: Sequence[Part]) -> list[bytes | None]:
        return self._files.read_all([self._at(part) for part in parts])

    def _parts(self) -> list[Part]:
        """All of them, in order."""
        found = map(_NAME.fullmatch, self._files.names(self._folder))
        return sorted(Part(*map(int, name.groups())) for name in found if name)

    def _at(self, part: Part) -> str:
        return f"{self._folder}/{part.name}".lstrip("/")


def _cover(parts: Sequence[Part]) -> list[Part]:
    """Those that are not within another, in order."""
    found: list[Part] = []
    for part in sorted(parts, key=lambda each: (each.first, -each.last)):
        if not found or part.last > found[-1].last:
            found.append(part)
    return found


def _lines(data: bytes) -> list[bytes]:
    """The lines of an object; what a broken copy left without an end, or nothing at all, is one, too."""
    return [line + b"\n" for line in _ended(data)[:-1].split(b"\n")]


def _ended(data: bytes) -> bytes:
    return data if data.endswith(b"\n") else data + b"\n"
