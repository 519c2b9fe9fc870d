"""Files that a person names: their text, and the queries of a table."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path
from typing import Final

from verifaible.crypto.runs import Asked
from verifaible.errors import RunError
from verifaible.extract.charset import decode_html

_DELIMITERS: Final = ",;\t"
#: The largest field that is read, in code points; :mod:`csv` stops at 131,072 by itself.
_LARGEST: Final = 50_000_000


def read_bytes(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        RunError: it is not there, is a folder, or cannot be read.
    """
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(f"{path} cannot be read ({reason}). Check the name and its permissions.") from error


def read_text(path: Path) -> str:
    """A file as text, in whatever encoding; errors are those of :func:`read_bytes`."""
    return decode_html(read_bytes(path), "text/plain").text.removeprefix("\ufeff")


def read_queries(path: Path) -> tuple[Asked, ...]:
    """The queries of a CSV with the columns ``query`` and ``tags``, in order, with the number of their row.

    Raises:
        RunError: it cannot be read, is empty, or has no column ``query``.
    """
    text = read_text(path)
    csv.field_size_limit(_LARGEST)
    for delimiter in _DELIMITERS:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            lines = list(rows)
        except csv.Error as error:
            raise RunError(
                f"{path} is damaged at line {rows.line_num} ({error}). Export it again as CSV."
            ) from error
        header = [name.strip() for name in lines[0]] if lines else []
        if "query" in header:
            break
    else:
        raise RunError(f"{path} has no column query. Give a CSV with the columns query and tags.")
    tags = header.index("tags") if "tags" in header else len(header)
    query = header.index("query")
    return tuple(
        Asked(number, row[query], _tags(row[tags]) if tags < len(row) else ())
        for number, row in enumerate(lines[1:], 1)
        if query < len(row) and row[query].strip()
    )


def _tags(written: str) -> tuple[str, ...]:
    """Tags: a list as Python or JSON writes it, or one a line."""
    values: object = None
    if written.strip().startswith(("[", "(")):
        try:
            values = ast.literal_eval(written.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            values = None
    listed = map(str, values) if isinstance(values, list | tuple) else written.splitlines()
    return tuple(dict.fromkeys(filter(None, (each.strip() for each in listed))))
