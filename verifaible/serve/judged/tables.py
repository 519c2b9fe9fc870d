"""The tables of a run of judging in the reader's language; the figures stay those of its report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from verifaible.judge.report.cells import without_unjudged
from verifaible.judge.report.tables import tables_of
from verifaible.reporting.tables import Table
from verifaible.serve.keeping import Kept, stamp_of

if TYPE_CHECKING:
    from pathlib import Path

    from verifaible.serve.judged.reading import Judging
    from verifaible.serve.wording import Terms

_KEPT = 8
_FILES = ("judge.json", "answers.jsonl", "claims.jsonl")
_TABLES: Kept[tuple[Table, ...]] = Kept(_KEPT)
#: The table of answers is the list below it.
_LEFT_OUT = frozenset({"answers"})


def shown_tables(judging: Judging, terms: Terms) -> tuple[tuple[Table, ...], tuple[str, ...]]:
    """The tables of the report of a run of judging, but the one of its answers; and what was not judged.

    Raises:
        RunError: its folder is damaged.
    """
    path = judging.folder.path
    made = _TABLES.get(
        str(path),
        tuple(stamp_of(path / each) for each in _FILES),
        lambda: _written(path) or tables_of(judging.folder),
    )
    kept, unjudged = without_unjudged([each for each in made if each.name not in _LEFT_OUT])
    return tuple(terms.table(each) for each in kept if each.rows), tuple(
        each.line(terms) for each in unjudged
    )


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
        made = tuple(map(Table.model_validate, said["tables"] if isinstance(said, dict) else said))
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    whole = all(len(row.cells) == len(table.columns) for table in made for row in table.rows)
    return made if whole else ()
