"""Tables: what is in them, and how a terminal, Markdown, plain text and programs get them.

Pages draw them with ``templates/table.html``. A cell knows its figure, its interval and what it is of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypeVar

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
#: Stands behind the name of a model whose figures were printed elsewhere.
PUBLISHED: Final = "published"
#: What every report says of its hashes.
HASHES: Final = (
    "A hash proves that the bytes of a capture have not changed since they were captured. It does not "
    "prove that the server told the truth."
)
#: Colours of a heat map.
LEVELS: Final = 10
#: ``figure`` one of ours; ``published`` one that was printed elsewhere; ``nothing`` nobody judged it, or
#: every judge failed; ``text`` words.
CellState: TypeAlias = Literal["figure", "published", "nothing", "text"]
Interval: TypeAlias = tuple[float, float]
OursT = TypeVar("OursT")
TheirsT = TypeVar("TheirsT")


class Cell(Record):
    """A cell.

    Attributes:
        text: what a reader sees.
        state: what it is.
        value: the figure; shares are from 0 to 1.
        low: lower end of its 95 % interval; None where there is none.
        high: upper end.
        n: items that it rests on; None of words.
        of: items that it is about; the part that was judged is ``n / of``.
        level: its colour in a heat map, from 0 to 9.
        mark: its colour where it is a kind: ``full``, ``part``, ``none``.
    """

    text: str
    state: CellState = "text"
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    of: int | None = None
    level: int | None = None
    mark: str = ""

    @property
    def style(self) -> str:
        """Its class on a page, if it has one."""
        if self.mark:
            return f"mark-{self.mark}"
        if self.level is not None:
            return f"heat-{self.level}"
        return self.state if self.state in ("nothing", "published") else ""


class Row(Record):
    """A row; ``published`` if its figures were not measured here."""

    cells: tuple[Cell, ...]
    published: bool = False


class Table(Record):
    """A table; the first column is words, the others mostly figures.

    Attributes:
        name: its stable name, for programs.
        note: what a reader must know to read it.
        source: where published rows are from.
        prose: its cells are sentences, which a page lets wrap.
    """

    name: str = ""
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""
    source: str = ""
    prose: bool = False

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The rows as a reader sees them."""
        return tuple(tuple(cell.text for cell in row.cells) for row in self.rows)

    @property
    def anchor(self) -> str:
        """Its name in the address of a page."""
        return "-".join((self.name.replace("_", " ") or self.title.lower().replace(",", "")).split())

    def as_json(self) -> dict[str, Any]:
        """The table for programs; what a cell does not have is left out of it."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def as_text(self) -> str:
        """The table in columns of plain text."""
        lines = (self.columns, *self.texts)
        widths = [max(len(line[at]) for line in lines if at < len(line)) for at in range(len(self.columns))]

        def line(cells: Sequence[str]) -> str:
            padded = map(str.rjust, cells[1:], widths[1:])
            return "  ".join([cells[0].ljust(widths[0]), *padded]).rstrip()

        rule = "  ".join("-" * width for width in widths)
        parts = [self.title, line(lines[0]), rule, *map(line, lines[1:])]
        return "\n".join([*parts, *([self.note] if self.note else [])]) + "\n"

    def as_markdown(self) -> str:
        """The table as Markdown; the first column stands left, figures right."""

        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(map(escaped, cells)) + " |"

        rule = "|".join(["|---", *("---:" for _ in self.columns[1:])]) + "|"
        return "\n".join([line(self.columns), rule, *map(line, self.texts)])


@dataclass(frozen=True, slots=True)
class Column(Generic[OursT, TheirsT]):
    """A column of :func:`table_of`: its heading, what it says of each of ours, and of each published one."""

    heading: str
    ours: Callable[[OursT], Cell | str]
    theirs: Callable[[TheirsT], str] | None = None


def table_of(
    title: str,
    columns: Sequence[Column[OursT, TheirsT]],
    ours: Sequence[OursT],
    theirs: Sequence[TheirsT] = (),
    *,
    name: str = "",
    note: str = "",
    source: str = "",
    prose: bool = False,
) -> Table:
    """A :class:`Table` with a row for each of ours and, below, for each that was printed elsewhere.

    The first column names the row; where a column says nothing of printed ones, they have a dash.
    """
    rows = [row(*(column.ours(each) for column in columns)) for each in ours]
    for each in theirs:
        name_of, *told = (column.theirs(each) if column.theirs else "-" for column in columns)
        rows.append(row(name_of, *map(printed, told), published=True))
    heads = tuple(column.heading for column in columns)
    return Table(
        name=name, title=title, columns=heads, rows=tuple(rows), note=note, source=source, prose=prose
    )


def row(*cells: Cell | str, published: bool = False) -> Row:
    """A row of cells; a text is a cell of words that are ours."""
    made = (Cell(text=each) if isinstance(each, str) else each for each in cells)
    return Row(cells=tuple(made), published=published)


def words(text: str) -> Cell:
    """A cell of words, from anybody."""
    return Cell(text=plain(text))


def count(number: int, of: int | None = None) -> Cell:
    """A cell with a number of things."""
    return Cell(text=f"{number:,}", state="figure", value=number, n=of)


def printed(text: str) -> Cell:
    """A published figure as it was printed; ``-`` where there is none."""
    value = None
    with suppress(ValueError):
        value = float(text.removesuffix("%").replace(",", "").strip())
    return Cell(text=text, state="published", value=value)


def figure(
    value: float,
    form: str = ".2f",
    interval: Interval | None = None,
    *,
    share: bool = False,
    to: str = "-",
    n: int | None = None,
    of: int | None = None,
    more: str = "",
) -> Cell:
    """A cell such as ``8.25 (7.90-8.60), 12/14``: a figure, its 95 % interval, and what it rests on.

    Args:
        value: the figure.
        form: its format specification.
        interval: its ends, between which ``to`` is written.
        share: it is a share from 0 to 1, written in per cent.
        to: see ``interval``.
        n: items that it rests on.
        of: items that it is about; both are written where this is given.
        more: what is written behind it.
    """
    scale, unit = (100, " %") if share else (1, "")
    text = f"{value * scale:{form}}{unit}"
    low, high = interval or (None, None)
    if low is not None and high is not None:
        text += f" ({low * scale:{form}}{to}{high * scale:{form}})"
    text += more if of is None else f", {n:,}/{of:,}{more}"
    return Cell(text=text, state="figure", value=value, low=low, high=high, n=n, of=of)


def coloured(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with each figure's place between the lowest and the highest of them all."""
    known = [c.value for each in rows for c in each.cells if c.state == "figure" and c.value is not None]
    low, high = min(known, default=0), max(known, default=0)

    def level(cell: Cell) -> Cell:
        if cell.state != "figure" or cell.value is None:
            return cell
        part = (cell.value - low) / (high - low) if high > low else 0.5
        return cell.model_copy(update={"level": min(LEVELS - 1, int(part * LEVELS))})

    return tuple(each.model_copy(update={"cells": tuple(map(level, each.cells))}) for each in rows)


def harmless(text: str) -> str:
    """A text from a model, a page or a provider, its control characters shown as ``�``."""
    return _OBEYED.sub("\ufffd", text)


def plain(text: str) -> str:
    """The same in one line."""
    return " ".join(harmless(text).split())


def shortened(text: str, most: int = 400) -> str:
    """A copy in one line that fits; what it leaves out is marked."""
    line = plain(text[: 4 * most])
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 1]}…"


def drawn(tables: Iterable[Table], warnings: Sequence[str] = ()) -> list[RenderableType]:
    """Tables with their notes for the terminal, what a reader must know first above them."""
    from rich.table import Table as Drawn
    from rich.text import Text

    parts: list[RenderableType] = [Text(each, style="bold yellow") for each in warnings]
    for table in tables:
        out = Drawn(title=table.title, title_justify="left", title_style="bold")
        for index, name in enumerate(table.columns):
            out.add_column(Text(name), justify="left" if index == 0 else "right")
        for each in table.rows:
            out.add_row(*(Text(cell.text) for cell in each.cells), style="dim" if each.published else "")
        parts += [out, Text(table.note, style="dim")] if table.note else [out]
    return parts


def markdown_page(
    title: str,
    said: Sequence[str],
    warnings: Sequence[str] = (),
    tables: Sequence[Table] = (),
    *,
    source: str = "",
    end: Sequence[str] = (),
) -> str:
    """A page of Markdown: title, sentences, what a reader must know first, tables with their notes.

    ``source`` says where published figures are from; ``end`` are blocks of Markdown behind the tables.
    """
    parts = [f"# {escaped(title)}", *map(escaped, said)]
    if warnings:
        parts.append("\n".join(f"- **{escaped(each)}**" for each in warnings))
    parts += [source] if source else []
    for table in tables:
        parts += [f"## {escaped(table.title)}", table.as_markdown()]
        parts += [escaped(table.note)] if table.note else []
    return "\n\n".join([*parts, *end]) + "\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: no element, picture, link or code, and nobody is called."""
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return _CALL.sub("@<!-- -->", _MARKUP.sub(r"\\\g<0>", text))
