"""What checks have opened and cited before: a line each in a file, so that nothing fresh is done twice.

A line that a kill cut off is not read. The file is a cache: it may be deleted at any time.
"""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from verifaible.evidence.make.whole import Opened
from verifaible.schema.base import Record
from verifaible.schema.checked import CheckedSource
from verifaible.schema.citation import AnchorRequest

NAME: Final = "checked.jsonl"


class Visit(Record):
    """An address that was opened: what came of it, and its capture where it was read."""

    key: str
    at: datetime
    source: CheckedSource
    opened: Opened | None = None


class Cited(Record):
    """A citation that was made for a place of a capture, or why none could be."""

    key: str
    citation: str = ""
    refusal: str = ""


class Keeping:
    """The cache of one home.

    Args:
        path: the file; made at the first line.
        store: which store the captures and citations are in.
    """

    def __init__(self, path: Path, store: str = "") -> None:
        self._path = path
        self._store = store
        self._lock = threading.Lock()
        self._visits: dict[str, Visit] = {}
        self._cited: dict[str, Cited] = {}
        try:
            lines = path.read_bytes().split(b"\n")[:-1]
        except OSError:
            lines = []
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            said = json.loads(line)
            if "at" in said:
                visit = Visit.model_validate(said)
                self._visits[visit.key] = visit
            else:
                cited = Cited.model_validate(said)
                self._cited[cited.key] = cited
        except (ValueError, TypeError, ValidationError):
            return  # damaged, or of another version: it is done again

    def visit(self, url: str, web: str, max_age: timedelta) -> Visit | None:
        """What came of an address, if that is not older than ``max_age``."""
        visit = self._visits.get(_key(self._store, web, url))
        return visit if visit is not None and datetime.now(UTC) - visit.at <= max_age else None

    def add_visit(self, url: str, web: str, source: CheckedSource, opened: Opened | None) -> None:
        """Keep what came of an address."""
        visit = Visit(key=_key(self._store, web, url), at=datetime.now(UTC), source=source, opened=opened)
        self._visits[visit.key] = visit
        self._append(visit)

    def cited(self, capture: str, request: AnchorRequest) -> Cited | None:
        """The citation of a place, or the refusal."""
        return self._cited.get(_key(self._store, capture, request.model_dump_json()))

    def add_cited(
        self, capture: str, request: AnchorRequest, *, citation: str = "", refusal: str = ""
    ) -> Cited:
        """Keep a citation of a place, or the refusal."""
        cited = Cited(
            key=_key(self._store, capture, request.model_dump_json()), citation=citation, refusal=refusal
        )
        self._cited[cited.key] = cited
        self._append(cited)
        return cited

    def _append(self, record: Record) -> None:
        line = record.model_dump_json().encode() + b"\n"
        with self._lock, suppress(OSError):  # without the cache it is only done again
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)


def _key(*parts: str) -> str:
    return " ".join(parts)
