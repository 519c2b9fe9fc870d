"""A table, and words of others, for a terminal, for Markdown and for a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifaible.schema.base import Record

if TYPE_CHECKING:
    from rich.console import RenderableType

#: Characters that a terminal or a page would obey instead of showing: controls, and those that turn text.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")

#: What means something to Markdown within a line; a bracket only beside another sign.
#: An underline inside a word marks nothing up, so names of cases can be read.
_MARKUP = re.compile(r"[\\`*~|$]|(?<!\w)_|_(?!\w)|(?<=!)\[|(?<=\])\(")
#: What calls somebody on a code host; our own markers do not.
_CALL = re.compile(r"@(?=\w)(?!v:)")


class Table(Record):
    """A table before it is drawn; the first column is text, the others figures.

    ``published`` are the rows, counted from 0, with figures that were not measured here. ``prose`` tells that
    its cells are sentences, which a page lets wrap.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    published: tuple[int, ...] = ()
    prose: bool = False


def plain(text: str) -> str:
    """A text from a model, a page or a provider in one line, its control characters shown as ``�``."""
    return " ".join(_OBEYED.sub("\ufffd", text).split())


def shortened(text: str, most: int = 400) -> str:
    """A copy in one line that fits; what it leaves out is marked."""
    line = plain(text[: 4 * most])
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 1]}…"


def drawn(table: Table) -> list[RenderableType]:
    """A table and its note for the terminal."""
    from rich.table import Table as Drawn
    from rich.text import Text

    out = Drawn(title=table.title, title_justify="left", title_style="bold")
    for index, name in enumerate(table.columns):
        out.add_column(Text(name), justify="left" if index == 0 else "right")
    for at, row in enumerate(table.rows):
        out.add_row(*(Text(cell) for cell in row), style="dim" if at in table.published else "")
    return [out, Text(table.note, style="dim")] if table.note else [out]


def markdown_table(table: Table) -> str:
    """A table as Markdown; the first column stands left, figures right."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(escaped(cell) for cell in cells) + " |"

    rule = "|".join(["|---", *("---:" for _ in table.columns[1:])]) + "|"
    return "\n".join([line(table.columns), rule, *(line(row) for row in table.rows)])


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: no element, picture, link or code, and nobody is called."""
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return _CALL.sub("@<!-- -->", _MARKUP.sub(r"\\\g<0>", text))
