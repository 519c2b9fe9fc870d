"""What checks have opened and cited before: a line each in a file, so that nothing fresh is done twice."""

from __future__ import annotations

import warnings
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from verifaible.errors import RunError
from verifaible.evidence.seal import Opened
from verifaible.runs.lines import DamagedLine, Lines
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.base import Record
from verifaible.schema.checked import CheckedSource

CACHE_NAME: Final = "checked.jsonl"


class CacheLine(Record):
    """What came of an address that was opened, or of a citation that was wanted of a place.

    Attributes:
        key: which address, or which place of which capture.
        at: when the address was opened; None of a citation.
        source: what came of the address.
        opened: its capture, where it was read.
        citation: the id of the one that was made.
        refusal: why none could be.
    """

    key: str
    at: datetime | None = None
    source: CheckedSource | None = None
    opened: Opened | None = None
    citation: str = ""
    refusal: str = ""


class Cache:
    """What checks of one home have opened and cited before, so that nothing fresh is done twice.

    The file may be deleted at any time. A line that is damaged, or that cannot be written, is done again.

    Args:
        path: the file; made at the first line.
        store: which store the captures and citations are in.
    """

    def __init__(self, path: Path, store: str = "") -> None:
        self._lines = Lines(path, CacheLine, alone=True)
        self._store = store
        self._known: dict[tuple[bool, str], CacheLine] = {}
        with warnings.catch_warnings(action="ignore", category=DamagedLine), suppress(RunError):
            self._known = {(each.at is not None, each.key): each for each in self._lines}

    def visit(self, url: str, web: str, max_age: timedelta) -> CacheLine | None:
        """What came of an address, if that is not older than ``max_age``."""
        visit = self._known.get((True, self._key(web, url)))
        return visit if visit and visit.at and datetime.now(UTC) - visit.at <= max_age else None

    def add_visit(self, url: str, web: str, source: CheckedSource, opened: Opened | None) -> None:
        """Keep what came of an address."""
        self._add(CacheLine(key=self._key(web, url), at=datetime.now(UTC), source=source, opened=opened))

    def cited(self, capture: str, request: AnchorRequest) -> CacheLine | None:
        """The citation of a place, or the refusal."""
        return self._known.get((False, self._key(capture, request.model_dump_json())))

    def add_cited(
        self, capture: str, request: AnchorRequest, *, citation: str = "", refusal: str = ""
    ) -> None:
        """Keep a citation of a place, or the refusal."""
        key = self._key(capture, request.model_dump_json())
        self._add(CacheLine(key=key, citation=citation, refusal=refusal))

    def _add(self, line: CacheLine) -> None:
        self._known[line.at is not None, line.key] = line
        with suppress(RunError, OSError):
            self._lines.path.parent.mkdir(parents=True, exist_ok=True)
            self._lines.add(line)

    def _key(self, *parts: str) -> str:
        return " ".join((self._store, *parts))
