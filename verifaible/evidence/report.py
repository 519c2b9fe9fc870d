"""What pages show of a citation: everything as plain data, ready for a template to escape, and the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from verifaible.anchoring.structure import headers_of
from verifaible.archive.reader import WaczReader
from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence.bundle import Proof, fingerprint, picture_files, utc
from verifaible.evidence.material import Material, read_material
from verifaible.evidence.place import place
from verifaible.evidence.shown import clock, link_of, place_of
from verifaible.evidence.verdict import SAYS
from verifaible.extract.document import Document, Table
from verifaible.extract.images import flattened, image_type
from verifaible.reporting import pages
from verifaible.reporting.pages import data_url
from verifaible.schema.action import ActionStep, StepResult
from verifaible.schema.anchor import Anchor, Rect, TableAnchor
from verifaible.schema.check import Check, Verdict
from verifaible.schema.citation import Citation, Mark, Picture
from verifaible.text.language import language_of

_HOME = "verifaible.evidence"
#: The sign before a verdict, so that it does not depend on colour.
SIGNS: dict[Verdict, str] = {
    "verified": "✓",
    "moved": "↷",
    "changed": "≠",
    "ambiguous": "?",
    "gone": "✕",
    "blocked": "⊘",
    "error": "!",
}
#: Words that change a meaning; the others are only words.
TELLING: frozenset[str] = frozenset({"number", "date", "unit", "negation"})

#: Around the evidence, in pixels of the picture; a detail is at least so wide and high.
_MARGIN = 90
_DETAIL_WIDTH = 760
_DETAIL_HEIGHT = (360, 900)
#: Caption lines shown on either side of the cited ones.
_CAPTIONS_BESIDE = 3
#: Of a table: cited rows shown at most, rows on either side of them, and columns; where there is little room.
_ROOM, _LITTLE_ROOM = (60, 3, 1 << 30), (4, 1, 8)

PictureName: TypeAlias = Literal["picture", "image"]
#: The address of a picture, from its name, its number (from 1), its bytes and its media type.
PictureAddress: TypeAlias = Callable[[PictureName, int, bytes, str], str]


@dataclass(frozen=True, slots=True)
class Tile:
    """A part of a picture by its address: as wide as the picture, ``y`` pixels below its top."""

    url: str
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture, its size in pixels, the part with the evidence (x, y, width, height), and what is marked."""

    tiles: tuple[Tile, ...]
    width: int
    height: int
    detail: tuple[int, int, int, int]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownCaption:
    """A caption line of a video with its time; ``cited`` if the evidence stands in it."""

    time: str
    text: str
    cited: bool


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell of the table as shown; ``mark`` is "cell" (the evidence), "line" (its row or column) or ""."""

    text: str
    rows: int = 1
    columns: int = 1
    header: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """The part of the cited table around the evidence, and how many rows and columns are not shown."""

    caption: str
    rows: tuple[tuple[ShownCell, ...], ...]
    rows_left_out: int = 0
    columns_left_out: int = 0


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step that was played, in words; ``code`` and ``value`` for scripts."""

    words: str
    code: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """Everything of a citation that a report shows, besides what vouches for it.

    ``picture`` is None where ``citation.picture.missing`` says why; ``brief_table`` is the table where there
    is little room.
    """

    citation: Citation
    link: str
    where: str
    language: str
    picture: ShownPicture | None
    browser: str
    table: ShownTable | None = None
    brief_table: ShownTable | None = None
    captions: tuple[ShownCaption, ...] = ()
    image_url: str = ""
    steps: tuple[ShownStep, ...] = ()
    checks: tuple[Check, ...] = ()

    @property
    def source(self) -> str:
        """The address of the document that the evidence stands in."""
        return self.citation.document_url or self.citation.final_url

    @property
    def host(self) -> str:
        """The host that sent it."""
        return urlsplit(self.source).hostname or ""


def in_page(_: PictureName, __: int, data: bytes, kind: str) -> str:
    """A picture as an address that holds it, for pages that stand alone."""
    return data_url(data, kind)


def view_of(
    citation: Citation,
    reader: WaczReader,
    pictures: Sequence[bytes],
    checks: Sequence[Check],
    address: PictureAddress = in_page,
) -> EvidenceView:
    """Read what a report shows out of a capture.

    Args:
        citation: the citation.
        reader: its capture, opened.
        pictures: the files of its picture (:meth:`Store.pictures`).
        checks: its history, oldest first.
        address: makes the address of a picture.

    Raises:
        StoreError: the capture lacks a part, or a part of it is damaged.
    """
    material = read_material(citation, reader)
    anchor = citation.anchor
    at = place(material, citation.request, anchor, material).table
    return EvidenceView(
        citation=citation,
        link=link_of(citation),
        where=place_of(anchor),
        language=language_of("", anchor.text + citation.title),
        picture=shown_picture(citation.picture, pictures, address, wide=anchor.table is not None),
        browser=str(reader.read_json("evidence/provenance.json").get("browser", "")),
        table=table_of(material.document, at, anchor),
        brief_table=table_of(material.document, at, anchor, brief=True),
        captions=_captions(material, anchor),
        image_url=_image(citation, reader, address),
        steps=steps_of(citation, reader),
        checks=tuple(checks),
    )


# --- pages


def render(template: str, *, css: str = "", packages: tuple[str, ...] = (_HOME,), **values: object) -> str:
    """A page (:func:`verifaible.reporting.pages.render`) whose template has the words of verdicts, too."""
    css = pages.read_style(_HOME, "marks.css") + css
    known = {"headlines": SAYS, "signs": SIGNS}
    return pages.render(template, css=css, packages=packages, **known, **values)


def evidence_page(view: EvidenceView, proof: Proof, commands: str) -> str:
    """``evidence.html``: the whole report as one file that loads nothing and runs nothing."""
    return render(
        "evidence.html",
        v=view,
        c=view.citation,
        p=proof,
        live=next((check for check in reversed(view.checks) if check.kind == "live"), None),
        checks=(*view.checks, proof.check),
        commands=commands,
        claim_language=language_of("", view.citation.claim),
        pictures=picture_files(view.citation),
        stamped=bool(proof.stamps),
        exported=True,
        fingerprint=fingerprint,
        utc=utc,
    )


# --- pictures


def shown_picture(
    picture: Picture, tiles: Sequence[bytes], address: PictureAddress = in_page, *, wide: bool = False
) -> ShownPicture | None:
    """A picture with its marks; None where there is none.

    Args:
        picture: the picture.
        tiles: the bytes of its tiles.
        address: makes the address of a tile.
        wide: show the whole width, as for a table, whose row headers stand at its side.
    """
    if not picture.tiles:
        return None
    shown = tuple(
        Tile(address("picture", number, data, "image/webp"), tile.y, tile.height)
        for number, (tile, data) in enumerate(zip(picture.tiles, tiles, strict=True), 1)
    )
    cited = [mark.rect for mark in picture.marks if mark.kind != "cross"]
    if cited and max(r.y + r.height for r in cited) - min(r.y for r in cited) > _DETAIL_HEIGHT[1]:
        cited = [mark.rect for mark in picture.marks if mark.kind not in ("cross", "sentence")]
    detail = _detail(cited, picture.width, picture.height, wide=wide)
    return ShownPicture(shown, picture.width, picture.height, detail, picture.marks)


def _detail(rects: Sequence[Rect], width: int, height: int, *, wide: bool) -> tuple[int, int, int, int]:
    """The part of the picture around the evidence; its top, if nothing tells where that is."""
    least, most = _DETAIL_HEIGHT
    if not rects:
        return 0, 0, width, min(height, most)
    left, top = min(r.x for r in rects), min(r.y for r in rects)
    right, bottom = max(r.x + r.width for r in rects), max(r.y + r.height for r in rects)
    across = width if wide else min(width, max(_DETAIL_WIDTH, round(right - left) + 2 * _MARGIN))
    high = min(height, max(least, min(most, round(bottom - top) + 2 * _MARGIN)))
    x = (left + right - across) / 2
    y = (top + bottom - high) / 2 if bottom - top <= most else top - _MARGIN
    return round(max(0, min(x, width - across))), round(max(0, min(y, height - high))), across, high


def png_of(picture: ShownPicture, files: Sequence[bytes], *, whole: bool) -> bytes:
    """A PNG of a picture with the marks in it: all of it, or the part that shows the evidence.

    Raises:
        IntegrityError: a file is no picture.
    """
    part = (0, 0, picture.width, picture.height) if whole else picture.detail
    tiles = [(tile.y, data) for tile, data in zip(picture.tiles, files, strict=True)]
    try:
        return flattened(tiles, picture.marks, part)
    except OSError as error:
        raise IntegrityError(
            f"A picture is damaged ({error}). Restore it from a copy of the store."
        ) from error


def _image(citation: Citation, reader: WaczReader, address: PictureAddress) -> str:
    """The address of the cited image's own bytes; empty for what is no picture that browsers show."""
    if citation.evidence_type != "image" or "evidence/image.bin" not in reader.names():
        return ""
    data = reader.read("evidence/image.bin")
    kind = image_type(data)
    return address("image", 1, data, kind) if kind.startswith("image/") else ""


# --- tables and captions


def table_of(document: Document, index: int, anchor: Anchor, *, brief: bool = False) -> ShownTable | None:
    """The part of the cited table around the evidence; None if the evidence stands in no table.

    Args:
        document: what the capture holds.
        index: of the table in it, -1 for none.
        anchor: where the evidence stands.
        brief: for paper, or a card.
    """
    if anchor.table is None or index < 0:
        return None
    grid, table = document.tables[index], anchor.table
    heads = headers_of(document, index).head_rows
    most, beside, width = _LITTLE_ROOM if brief else _ROOM
    cited = sorted({row for row, _ in table.cells})[:most]
    near = {other for row in cited for other in range(row - beside, row + beside + 1)}
    rows = [row for row in range(grid.height) if row < heads or row in near]
    columns = _columns(grid, table, width)
    return ShownTable(
        table.caption,
        tuple(tuple(_line(grid, table, (row, row < heads), rows, columns)) for row in rows),
        grid.height - len(rows),
        grid.width - len(columns),
    )


def _columns(grid: Table, table: TableAnchor, most: int) -> list[int]:
    """The columns that are shown: the first, and those around the cited one."""
    if grid.width <= most:
        return list(range(grid.width))
    cited = min(column for _, column in table.cells) if table.mode in ("crosshair", "column") else 0
    start = min(max(1, cited - most // 2), grid.width - most + 1)
    return [0, *range(start, start + most - 1)]


def _line(
    grid: Table, table: TableAnchor, at: tuple[int, bool], rows: Sequence[int], columns: Sequence[int]
) -> list[ShownCell]:
    """The cells that begin in a row (and whether it is one of heads), or before what is shown."""
    shown: list[ShownCell] = []
    row, is_head = at
    cited = set(table.cells)
    for column in columns:
        cell = grid.at(row, column)
        if cell is None:
            shown.append(ShownCell(""))
            continue
        high = [each for each in rows if cell.row <= each < cell.row + cell.height]
        wide = [each for each in columns if cell.column <= each < cell.column + cell.width]
        if (row, column) != (high[0], wide[0]):
            continue
        mark = "cell" if any((r, c) in cited for r in high for c in wide) else ""
        if not mark and table.mode == "crosshair" and any(r in high or c in wide for r, c in cited):
            mark = "line"
        shown.append(ShownCell(cell.text, len(high), len(wide), cell.header or is_head, mark))
    return shown


def _captions(material: Material, anchor: Anchor) -> tuple[ShownCaption, ...]:
    """The captions around the cited ones; none if the evidence is of no video."""
    if material.transcript is None or anchor.time is None:
        return ()
    lines, span = material.transcript.captions, anchor.time
    inside = [n for n, line in enumerate(lines) if line.start_s < span.end_s and line.end_s > span.start_s]
    if not inside:
        return ()
    first, last = inside[0], inside[-1]
    return tuple(
        ShownCaption(clock(lines[n].start_s), lines[n].text, first <= n <= last)
        for n in range(max(0, first - _CAPTIONS_BESIDE), min(len(lines), last + _CAPTIONS_BESIDE + 1))
    )


# --- steps


def steps_of(citation: Citation, reader: WaczReader) -> tuple[ShownStep, ...]:
    """The steps of a citation in words, with what its capture says that they returned.

    Raises:
        IntegrityError: the capture does not say it.
    """
    if not citation.steps:
        return ()
    try:
        kept = json.loads(reader.read("evidence/steps.json"))
        values = [StepResult.model_validate(each["result"]).value for each in kept]
    except (StoreError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise IntegrityError(
            "evidence/steps.json of the capture is damaged. Restore it from a copy of the store."
        ) from error
    values += [""] * len(citation.steps)
    return tuple(_step(step, value) for step, value in zip(citation.steps, values, strict=False))


def _step(step: ActionStep, value: str) -> ShownStep:
    if step.type == "exec_js":
        return ShownStep("Ran a script in the page", step.code, value)
    if step.type == "wait":
        awaited = [f"{step.selector} was visible"] if step.selector else []
        awaited += [f"the page showed “{step.text}”"] if step.text else []
        awaited += [f"an answer came from an address with “{step.response}”"] if step.response else []
        return ShownStep(f"Waited until {' and '.join(awaited)}" if awaited else f"Waited {step.ms} ms")
    if step.type == "click":
        did = f"Clicked{f' “{step.elementText}”' if step.elementText else ''}"
    elif step.type == "type":
        did = f"Typed “{step.value}”"
    elif step.type == "select":
        did = f"Chose {', '.join(f'“{each}”' for each in step.wanted)}"
    elif step.type == "hover":
        did = "Held the pointer"
    else:
        far = f" by {step.amount} pixels" if step.direction in ("down", "up") else ""
        did = f"Scrolled {step.direction}{far}"
    at = f" at {step.selector}" if step.selector else ""
    return ShownStep(f"{did}{at}{', then Enter' if step.type == 'type' and step.submit else ''}")
