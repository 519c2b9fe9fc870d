"""Files that a person names: their bytes, and the rows of a CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

from verifaible.errors import RunError
from verifaible.extract.charset import decode_html

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


def read_csv(
    path: Path, *, delimiters: str = ",", needs: str = ""
) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The header of a CSV in whatever encoding, and its rows: the line that each begins in, and its cells.

    Args:
        path: the file.
        delimiters: tried in their order until the header has the column ``needs``.
        needs: the column; empty: the first delimiter counts.

    Raises:
        RunError: it cannot be read, is empty or damaged, or a row has not a cell for each column.
    """
    text = decode_html(read_bytes(path), "text/plain").text.removeprefix("\ufeff")
    if not text.strip():
        raise RunError(f"{path} is empty. Give a CSV with a row of headings.")
    csv.field_size_limit(_LARGEST)
    header: list[str] = []
    for delimiter in delimiters:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            header = [name.strip() for name in next(lines, [])]
            if not needs or needs in header:
                return header, _rows(path, header, lines)
        except csv.Error as error:
            raise RunError(
                f"{path} is damaged at line {lines.line_num} ({error}). Close the quote, or double one "
                "that is a part of the text."
            ) from error
    return header, []


def _rows(path: Path, header: list[str], lines: csv._reader) -> list[tuple[int, dict[str, str]]]:  # type: ignore[name-defined]
    rows: list[tuple[int, dict[str, str]]] = []
    twice = [name for name in header if name and header.count(name) > 1]
    if twice:
        raise RunError(f"{path} has the column {twice[0]} twice. Rename one.")
    begin = lines.line_num + 1
    for cells in lines:
        if any(map(str.strip, cells)) and len(cells) != len(header):
            raise RunError(
                f"{path}, line {begin}: {len(cells)} cells in {len(header)} columns. Quote cells that "
                "hold a comma."
            )
        if any(map(str.strip, cells)):
            rows.append((begin, dict(zip(header, cells, strict=True))))
        begin = lines.line_num + 1
    return rows
