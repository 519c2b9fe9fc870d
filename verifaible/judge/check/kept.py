"""What checks have opened and cited before: a line each in a file, so that nothing fresh is done twice.

The file is a cache: it may be deleted at any time. A line that is damaged, or that cannot be kept, is done
again, and nothing else.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from verifaible.errors import RunError
from verifaible.evidence.make.whole import Opened
from verifaible.runs.lines import DamagedLine, Lines
from verifaible.schema.base import Record
from verifaible.schema.checked import CheckedSource
from verifaible.schema.citation import AnchorRequest

NAME: Final = "checked.jsonl"


class Kept(Record):
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


class Keeping:
    """The cache of one home.

    Args:
        path: the file; made at the first line.
        store: which store the captures and citations are in.
    """

    def __init__(self, path: Path, store: str = "") -> None:
        self._lines = Lines(path, Kept, alone=True)
        self._store = store
        self._kept: dict[tuple[bool, str], Kept] = {}
        with warnings.catch_warnings(action="ignore", category=DamagedLine), suppress(RunError):
            self._kept = {(each.at is not None, each.key): each for each in self._lines}

    def visit(self, url: str, web: str, max_age: timedelta) -> Kept | None:
        """What came of an address, if that is not older than ``max_age``."""
        visit = self._kept.get((True, self._key(web, url)))
        return visit if visit and visit.at and datetime.now(UTC) - visit.at <= max_age else None

    def add_visit(self, url: str, web: str, source: CheckedSource, opened: Opened | None) -> None:
        """Keep what came of an address."""
        self._add(Kept(key=self._key(web, url), at=datetime.now(UTC), source=source, opened=opened))

    def cited(self, capture: str, request: AnchorRequest) -> Kept | None:
        """The citation of a place, or the refusal."""
        return self._kept.get((False, self._key(capture, request.model_dump_json())))

    def add_cited(
        self, capture: str, request: AnchorRequest, *, citation: str = "", refusal: str = ""
    ) -> Kept:
        """Keep a citation of a place, or the refusal."""
        key = self._key(capture, request.model_dump_json())
        return self._add(Kept(key=key, citation=citation, refusal=refusal))

    def _add(self, kept: Kept) -> Kept:
        self._kept[kept.at is not None, kept.key] = kept
        with suppress(RunError, OSError):
            self._lines.path.parent.mkdir(parents=True, exist_ok=True)
            self._lines.add(kept)
        return kept

    def _key(self, *parts: str) -> str:
        return " ".join((self._store, *parts))
