"""Reports of tables and charts: to a terminal, to Markdown, JSON and a page that loads and runs nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verifaible.reporting.charts import Chart
from verifaible.reporting.pages import page_head, read_style, templates_of
from verifaible.reporting.tables import Table, drawn, markdown_page
from verifaible.runs.lines import usable, write_whole


@dataclass(frozen=True, slots=True)
class Report:
    """A report.

    Attributes:
        name: of the command that made it.
        warnings: what a reader must know first.
        charts: by the name of the table that they stand above.
        figures: what it says, for programs.
    """

    name: str
    title: str
    tables: tuple[Table, ...]
    warnings: tuple[str, ...] = ()
    charts: Mapping[str, Chart] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """Where published rows are from; empty where there are none."""
        return next((each.source for each in self.tables if each.source), "")

    def as_json(self) -> str:
        """The figures and the tables."""
        told = {**self.figures, "warnings": self.warnings, "tables": [each.as_json() for each in self.tables]}
        return json.dumps(told, ensure_ascii=False, indent=1) + "\n"

    def page(self) -> str:
        """One HTML file; everything in it is escaped."""
        return (
            templates_of("verifaible.crypto", "verifaible.reporting")
            .get_template("tables.html")
            .render(
                head=page_head(read_style("verifaible.bench", "report.css"), pictures=False, indexed=False),
                report=self,
            )
        )

    def write(self, folder: Path) -> None:
        """Write ``report.html``, ``report.md`` and ``tables.json``.

        Raises:
            RunError: the folder cannot be written.
        """
        with usable(folder):
            folder.mkdir(parents=True, exist_ok=True)
        text = markdown_page(self.title, (), self.warnings, self.tables, source=self.source)
        for name, made in (
            ("report.html", self.page()),
            ("report.md", text),
            ("tables.json", self.as_json()),
        ):
            write_whole(folder / name, made)

    def show(self, *, as_json: bool) -> None:
        """Print it."""
        if as_json:
            print(self.as_json(), end="")
            return
        from rich.console import Console

        console = Console()
        if not console.is_terminal:
            console = Console(width=160)
        for part in drawn(self.tables, self.warnings):
            console.print(part)
        if self.source:
            console.print(self.source, style="dim", highlight=False)
