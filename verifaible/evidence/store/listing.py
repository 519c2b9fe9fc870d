"""A list of a store in a folder, read from its index without what a store needs otherwise.

Importing SQLAlchemy and what checks signatures takes longer than all else that a list does.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from verifaible.schema.check import IndexRow

#: Of a store: 3 keeps pictures as they are described in the citation; one of format 2 takes them in, too.
FORMAT = 3


def newest_rows(folder: Path, limit: int | None = None) -> list[IndexRow] | None:
    """The citations of a store, newest first, as :meth:`Store.rows` gives them.

    Returns:
        None where the index is not at the end of the custody log, or anything else is not as usual: the
        store has to be asked.
    """
    index = folder / "index.sqlite"
    columns = ", ".join(IndexRow.model_fields)
    wanted = f"SELECT {columns} FROM verifaible_citations ORDER BY created_at DESC, id DESC LIMIT ?"  # noqa: S608 - no text of others
    try:
        store = json.loads((folder / "store.json").read_bytes())
        end = json.loads((folder / "custody" / "head.json").read_bytes())["number"]
        if store["format"] > FORMAT or (folder / "custody" / f"{end + 1:09}.json").exists():
            return None
        with closing(sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            state = dict(database.execute("SELECT key, value FROM verifaible_state").fetchall())
            if state != {"store": store["id"], "indexed": str(end)}:
                return None
            rows = database.execute(wanted, (-1 if limit is None else limit,))
            return [IndexRow.of_columns(dict(row)) for row in rows]
    except (OSError, ValueError, KeyError, TypeError, OverflowError, sqlite3.Error):
        return None
