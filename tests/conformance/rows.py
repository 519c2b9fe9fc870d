"""The one loader of conformance rows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

HERE = Path(__file__).parent
Interface = Literal["command", "process", "python", "mcp", "viewer"]


class BadRow(Exception):
    """A row that is none; the message has its file, line and fault."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Given(_Part):
    """What is there before."""

    home: str = "empty"
    pages: dict[str, Any] = {}
    model: tuple[dict[str, Any], ...] = ()
    files: dict[str, Any] = {}
    env: dict[str, str | None] = {}
    before: tuple[dict[str, Any], ...] = ()
    services: tuple[Literal["postgres", "s3"], ...] = ()
    alone: bool = False
    options: tuple[str, ...] = ()


class Row(_Part):
    """One row; README.md in this folder says what its parts mean."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    interface: Interface
    given: Given = Given()
    do: dict[str, Any]
    expect: dict[str, Any] = Field(min_length=1)
    why: str = Field(min_length=10)
    kind: str
    browser: bool = False
    nightly: bool = False
    first: Literal["fails"] | None = None
    gap: str = ""


def load_rows() -> list[Row]:
    """All rows, file by file.

    Raises:
        BadRow: a line that is no row, or an id that occurs twice.
    """
    rows: list[Row] = []
    for path in sorted(HERE.glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if not line.strip():
                continue
            try:
                rows.append(Row(kind=path.stem, **json.loads(line)))
            except (ValueError, TypeError, ValidationError) as error:
                raise BadRow(f"{path.name}:{number}: {error}") from None
    twice = [ident for ident, count in Counter(row.id for row in rows).items() if count > 1]
    if twice:
        raise BadRow(f"These ids occur more than once: {', '.join(twice)}")
    return rows
