"""The tables of a run of judging in the reader's language; the figures stay those of its report."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifaible.bench.report.tables import PUBLISHED
from verifaible.judge.report.cells import Table
from verifaible.judge.report.tables import tables_of
from verifaible.serve.keeping import Kept, stamp_of
from verifaible.serve.wording import texts

if TYPE_CHECKING:
    from pathlib import Path

    from verifaible.judge.report.cells import Cell
    from verifaible.serve.judged.reading import Judging

_KEPT = 8
_FILES = ("judge.json", "answers.jsonl", "claims.jsonl")
_TABLES: Kept[tuple[Table, ...]] = Kept(_KEPT)
#: Stands behind the name of a model whose figures were printed elsewhere.
_PUBLISHED = f" ({PUBLISHED})"
#: The table of answers is the list below it.
_LEFT_OUT = frozenset({"answers"})


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell: what it says, what it is, and its colour in a heat map (-1: none)."""

    text: str
    state: str
    level: int


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row: its name, its cells, and whether they were published and not measured here."""

    name: str
    cells: tuple[ShownCell, ...]
    published: bool


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table of a report on a page; ``anchor`` is its name in the address."""

    anchor: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    note: str
    source: str


class JudgedTerms:
    """The words of the tables of judging in one language; what has none, such as a name, stays.

    Args:
        language: ``en``, ``zh`` or ``ja``.
    """

    def __init__(self, language: str) -> None:
        self._texts = texts(language)

    def __call__(self, text: str) -> str:
        """A word of a table in the reader's language; behind a name may stand that it was published."""
        if text.endswith(_PUBLISHED):
            return self._texts["run.published_name"].format(name=text.removesuffix(_PUBLISHED))
        return self._texts.get(f"judged.term.{text}", text)

    def note(self, table: Table) -> str:
        """What stands below a table; beside published rows there may be more to say."""
        name = f"judged.note.{table.name}"
        beside = self._texts.get(f"{name}.published") if table.source else None
        return (beside or self._texts.get(name, table.note)) if table.note else ""


def shown_tables(judging: Judging, terms: JudgedTerms) -> tuple[ShownTable, ...]:
    """Every table of the report of a run of judging, but the one of its answers.

    Raises:
        RunError: its folder is damaged.
    """
    path = judging.folder.path
    made = _TABLES.get(
        str(path),
        tuple(stamp_of(path / each) for each in _FILES),
        lambda: _written(path) or tables_of(judging.folder),
    )
    return tuple(_shown(table, terms) for table in made if table.name not in _LEFT_OUT and table.rows)


def _written(path: Path) -> tuple[Table, ...]:
    """The tables that the report of the run wrote, if they are of what is in the folder now; else none.

    A large run takes a while to reckon again: its intervals are drawn at random many times.
    """
    file = path / "tables.json"
    try:
        moment = file.stat().st_mtime_ns
        if any((path / name).stat().st_mtime_ns > moment for name in _FILES[1:]):
            return ()
        said = json.loads(file.read_bytes())
        return tuple(map(Table.model_validate, said["tables"] if isinstance(said, dict) else said))
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def _shown(table: Table, terms: JudgedTerms) -> ShownTable:
    return ShownTable(
        anchor=f"table-{table.name}",
        title=terms(table.title),
        columns=tuple(map(terms, table.columns)),
        rows=tuple(
            ShownRow(
                name=terms(row.cells[0].text) if row.cells else "",
                cells=tuple(_cell(each, terms) for each in row.cells[1:]),
                published=row.published,
            )
            for row in table.rows
        ),
        note=terms.note(table),
        source=table.source,
    )


def _cell(cell: Cell, terms: JudgedTerms) -> ShownCell:
    return ShownCell(terms(cell.text), cell.state, -1 if cell.level is None else cell.level)
