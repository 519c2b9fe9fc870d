"""Workbooks: cells that run nothing, and files whose bytes do not depend on the clock.

openpyxl makes the workbook, its styles and the headings. The rows are written as XML by ourselves: a sheet of
every claim of a thousand answers is 2.5 million cells, for which openpyxl takes half a minute.
"""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias
from xml.sax.saxutils import escape

from verifaible.errors import ConfigError
from verifaible.runs.lines import usable

if TYPE_CHECKING:
    from openpyxl.cell import Cell
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

Value: TypeAlias = str | int | float | bool | None
#: What a cell of a spreadsheet can hold.
MAX_CHARACTERS: Final = 32_767
CUT: Final = " [cut here: a cell holds no more; the JSONL files have all of it]"
#: Whatever XML cannot hold, and what a spreadsheet would take for the beginning of a formula.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SPECIAL = re.compile(f"{_UNWRITABLE.pattern[:-1]}\r&<>]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "&#13;")
#: The oldest moment that a ZIP file can name; every file in a workbook has it.
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)

_END_OF_ROWS: Final = b"</sheetData>"
#: Bytes of rows that a sheet keeps in memory; more go to a temporary file.
_IN_MEMORY: Final = 8 << 20
#: Short texts of a sheet that are kept as XML.
_SHORT: Final = 100
_MOST_KNOWN: Final = 10_000


class Book:
    """A workbook that is written row by row.

    Args:
        path: the file; it is there when :meth:`save` returns.

    Raises:
        ConfigError: openpyxl is not installed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._book = _new_workbook()
        self._sheets: list[Sheet] = []
        self._book.properties.created = self._book.properties.modified = datetime(*_MOMENT)
        self._book.properties.creator = "verifaible"

    def sheet(self, name: str, columns: Sequence[str]) -> Sheet:
        """A further sheet with its heading."""
        made = Sheet(self._book.create_sheet(name), columns)
        self._sheets.append(made)
        return made

    def save(self) -> Path:
        """Write the file, whole.

        Raises:
            RunError: it cannot be written.
        """
        from openpyxl.writer.excel import ExcelWriter

        frame = io.BytesIO()
        with zipfile.ZipFile(frame, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            ExcelWriter(self._book, archive).write_data()
        temporary = self.path.with_name(f".{self.path.name}.new")
        with usable(self.path):
            with zipfile.ZipFile(frame) as made, zipfile.ZipFile(temporary, "w", allowZip64=True) as kept:
                for name in made.namelist():
                    entry = zipfile.ZipInfo(name, _MOMENT)
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    with kept.open(entry, "w", force_zip64=True) as file:
                        before, mark, after = made.read(name).partition(_END_OF_ROWS)
                        file.write(before)
                        for part in self._rows_of(name) if mark else ():
                            file.write(part)
                        file.write(mark + after)
            temporary.replace(self.path)
        return self.path

    def _rows_of(self, name: str) -> Iterator[bytes]:
        for number, sheet in enumerate(self._sheets, 1):
            if name == f"xl/worksheets/sheet{number}.xml":
                yield from sheet.parts()


class Sheet:
    """A sheet of a :class:`Book`."""

    def __init__(self, sheet: WriteOnlyWorksheet, columns: Sequence[str]) -> None:
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.styles import Font

        self.columns = tuple(columns)
        sheet.freeze_panes = "A2"
        heading = []
        for name in columns:
            cell: Cell = WriteOnlyCell(sheet, writable(name))
            cell.data_type = "s"  # whatever it looks like
            cell.font = Font(bold=True)
            heading.append(cell)
        sheet.append(heading)
        quoted: Cell = WriteOnlyCell(sheet, "")
        quoted.quotePrefix = True  # a spreadsheet keeps it text after an edit, too
        self._quoted = quoted.style_id
        self._rows = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed by parts()
        self._count = 1
        self._known: dict[str, str] = {}

    def add(self, values: Iterable[Value]) -> None:
        """Append a row; text is cut where a cell can hold no more, and is never run."""
        self._count += 1
        known, quoted = self._known, self._quoted
        cells = []
        for value in values:
            # most cells of a column say one of a few words: their verdict, who gave it, the model, the file
            made = known.get(value) if type(value) is str else None
            if made is None:
                made = _cell(value, quoted)
                if type(value) is str and len(value) <= _SHORT and len(known) < _MOST_KNOWN:
                    known[value] = made
            cells.append(made)
        self._rows.write(f'<row r="{self._count}">{"".join(cells)}</row>'.encode())

    def parts(self) -> Iterator[bytes]:
        """The rows as XML, once."""
        self._rows.seek(0)
        with self._rows as file:
            while part := file.read(1 << 20):
                yield part


def _cell(value: Value, quoted: int) -> str:
    """A cell as XML; ``quoted`` is the style of text that looks like a formula."""
    if value is None or value == "":
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float) and isfinite(value):
        return f"<c><v>{value!r}</v></c>"
    text = str(value)
    if len(text) > MAX_CHARACTERS // 2 or _SPECIAL.search(text):
        text = escape(writable(text), {"\r": "&#13;"})
    style = f' s="{quoted}"' if text.startswith(_FORMULA) else ""
    return f'<c{style} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def writable(text: str) -> str:
    """Text as a cell can hold it: at most 32,767 UTF-16 units, a note where it was cut, controls as ``�``."""
    clean = _UNWRITABLE.sub("\ufffd", text)
    if 2 * len(clean) <= MAX_CHARACTERS or _units(clean) <= MAX_CHARACTERS:
        return clean
    kept = clean[: MAX_CHARACTERS - len(CUT)]
    while _units(kept) + len(CUT) > MAX_CHARACTERS:
        kept = kept[: -max(1, (_units(kept) + len(CUT) - MAX_CHARACTERS) // 2)]
    return kept + CUT


def _units(text: str) -> int:
    return len(text) + sum(each > "\uffff" for each in text)


def _new_workbook() -> Workbook:
    try:
        from openpyxl import Workbook
    except ImportError:
        raise ConfigError(
            "Workbooks need openpyxl. Run: pip install 'verifaible[judge]' (the other reports were written)."
        ) from None
    return Workbook(write_only=True)
