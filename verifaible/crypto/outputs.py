"""Reports of tables: to a terminal, to Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from verifaible.reporting.tables import Table, drawn, markdown_page
from verifaible.runs.lines import usable, write_whole
from verifaible.schema.base import Record


class Report(Record):
    """A report.

    Attributes:
        warnings: what a reader must know first.
        figures: what it says, for programs.
    """

    title: str
    tables: tuple[Table, ...]
    warnings: tuple[str, ...] = ()
    figures: Mapping[str, Any] = Field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write ``report.md`` and ``tables.json``.

        Raises:
            RunError: the folder cannot be written.
        """
        with usable(folder):
            folder.mkdir(parents=True, exist_ok=True)
        text = markdown_page(self.title, (), self.warnings, self.tables, source=self._source)
        write_whole(folder / "report.md", text)
        write_whole(folder / "tables.json", self._json())

    def show(self, *, as_json: bool) -> None:
        """Print it."""
        if as_json:
            print(self._json(), end="")
            return
        from rich.console import Console

        console = Console()
        if not console.is_terminal:
            console = Console(width=160)
        for part in (*drawn(self.tables, self.warnings), self._source):
            console.print(part)

    @property
    def _source(self) -> str:
        """Where published rows are from; empty where there are none."""
        return next((each.source for each in self.tables if each.source), "")

    def _json(self) -> str:
        told = {**self.figures, "warnings": self.warnings, "tables": [each.as_json() for each in self.tables]}
        return json.dumps(told, ensure_ascii=False, indent=1) + "\n"
