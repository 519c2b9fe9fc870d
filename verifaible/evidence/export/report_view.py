"""What a report shows of a citation: everything as plain data, ready for a template to escape."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from verifaible.archive.reader import WaczReader
from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence.export.report_table import ShownTable, place_in_table, table_of
from verifaible.evidence.observing.links import link_of
from verifaible.evidence.observing.material import Material, read_material
from verifaible.evidence.observing.places import place
from verifaible.extract.images import image_type
from verifaible.reporting.pages import data_url
from verifaible.schema.action import ActionStep, StepResult
from verifaible.schema.anchor import Anchor, Rect
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation, Mark, Picture

#: Around the evidence, in pixels of the picture; a detail is at least so wide and high.
_MARGIN = 90
_DETAIL_WIDTH = 760
_DETAIL_HEIGHT = (360, 900)
#: Caption lines shown on either side of the cited ones.
_NEIGHBOURS = 3

PictureName: TypeAlias = Literal["picture", "image"]
#: The address of a picture, from its name, its number (from 1), its bytes and its media type.
PictureAddress: TypeAlias = Callable[[PictureName, int, bytes, str], str]
#: The address of the picture after a step, from the step's number (from 1) and its bytes.


@dataclass(frozen=True, slots=True)
class Tile:
    """A part of a picture by its address: as wide as the picture, ``y`` pixels below its top."""

    url: str
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture, its size in pixels, the part that shows the evidence, and what is to be drawn over it.

    ``detail`` is x, y, width and height.
    """

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
class ShownStep:
    """A step that was played, in words; ``code`` and ``value`` for scripts."""

    words: str
    code: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """Everything of a citation that a report shows, besides its proofs.

    ``painted`` is the picture with the evidence marked, ``clean`` the same without marks. Both are None where
    there is none, and ``no_picture`` says why.
    """

    citation: Citation
    link: str
    source: str
    host: str
    where: str
    language: str
    painted: ShownPicture | None
    clean: ShownPicture | None
    no_picture: str
    browser: str
    table: ShownTable | None = None
    brief_table: ShownTable | None = None
    captions: tuple[ShownCaption, ...] = ()
    image_url: str = ""
    steps: tuple[ShownStep, ...] = ()
    checks: tuple[Check, ...] = ()


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
    placed = place(material, citation.request, citation.anchor, material)
    painted = shown_picture(citation.picture, pictures, address, wide=citation.anchor.table is not None)
    provenance = reader.read_json("evidence/provenance.json")
    source = citation.document_url or citation.final_url
    return EvidenceView(
        citation=citation,
        link=link_of(citation),
        source=source,
        host=urlsplit(source).hostname or "",
        where=where_of(citation.anchor),
        language=language_of(citation.anchor.text + citation.title),
        painted=painted,
        clean=None if painted is None else replace(painted, marks=()),
        no_picture=citation.picture.missing,
        browser=str(provenance.get("browser", "")),
        table=table_of(material.document, placed.table, citation.anchor),
        brief_table=table_of(material.document, placed.table, citation.anchor, brief=True),
        captions=captions_of(material, citation.anchor),
        image_url=_image(citation, reader, address),
        steps=steps_of(citation, reader),
        checks=tuple(checks),
    )


def language_of(text: str) -> str:
    """The language whose forms of Chinese characters a text wants: ja, ko, zh, or empty."""
    if re.search(r"[\u3040-\u30ff]", text):
        return "ja"
    if re.search(r"[\uac00-\ud7af]", text):
        return "ko"
    return "zh" if re.search(r"[\u3400-\u9fff]", text) else ""


def utc(moment: datetime) -> str:
    """A moment for people, in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def clock(seconds: float) -> str:
    """A time in a video: ``4:07``, ``1:02:09``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


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


# --- by kind of evidence


def where_of(anchor: Anchor) -> str:
    """Where the evidence stands in its source, in words."""
    if anchor.page_number is not None:
        scan = ", text layer of a scan" if anchor.scanned else ""
        return f"Page {anchor.page_number} of the PDF{scan}"
    if anchor.time is not None:
        return f"Captions from {clock(anchor.time.start_s)} to {clock(anchor.time.end_s)}"
    if anchor.table is not None:
        return place_in_table(anchor.table)
    if anchor.image is not None:
        return f"Image{f' “{anchor.image.alt}”' if anchor.image.alt else ''}"
    return "Text of the page" + (" (in a frame)" if anchor.frame_path else "")


def captions_of(material: Material, anchor: Anchor) -> tuple[ShownCaption, ...]:
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
        for n in range(max(0, first - _NEIGHBOURS), min(len(lines), last + _NEIGHBOURS + 1))
    )


def _image(citation: Citation, reader: WaczReader, address: PictureAddress) -> str:
    """The address of the cited image's own bytes; empty for what is no picture that browsers show."""
    if citation.evidence_type != "image" or "evidence/image.bin" not in reader.names():
        return ""
    data = reader.read("evidence/image.bin")
    kind = image_type(data)
    return address("image", 1, data, kind) if kind.startswith("image/") else ""


# --- steps


def steps_of(citation: Citation, reader: WaczReader) -> tuple[ShownStep, ...]:
    """The steps of a citation in words, with what its capture says that they returned.

    Raises:
        IntegrityError: the capture does not say it.
    """
    if not citation.steps:
        return ()
    try:
        results = [StepResult.model_validate(each["result"]) for each in _steps_file(reader)]
    except (KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            "evidence/steps.json of the capture is damaged. Restore it from a copy of the store."
        ) from error
    values = [result.value for result in results] + [""] * len(citation.steps)
    return tuple(_step(step, value) for step, value in zip(citation.steps, values, strict=False))


def _steps_file(reader: WaczReader) -> list[dict[str, object]]:
    try:
        data = json.loads(reader.read("evidence/steps.json"))
    except (StoreError, ValueError, RecursionError) as error:
        raise IntegrityError(f"evidence/steps.json of the capture cannot be read ({error}).") from error
    return data if isinstance(data, list) else []


def _step(step: ActionStep, value: str) -> ShownStep:
    if step.type == "exec_js":
        return ShownStep("Ran a script in the page", step.code, value)
    if step.type == "click" or step.type == "hover":  # noqa: PLR1714 - mypy narrows this
        named = f" “{step.elementText}”" if step.type == "click" and step.elementText else ""
        did = "Clicked" if step.type == "click" else "Held the pointer"
        return ShownStep(f"{did}{named}{_at(step.selector)}")
    if step.type == "type":
        return ShownStep(f"Typed “{step.value}”{_at(step.selector)}{', then Enter' if step.submit else ''}")
    if step.type == "select":
        chosen = ", ".join(f"“{each}”" for each in step.wanted)
        return ShownStep(f"Chose {chosen}{_at(step.selector)}")
    if step.type == "scroll":
        far = f" by {step.amount} pixels" if step.direction in ("down", "up") else ""
        return ShownStep(f"Scrolled {step.direction}{far}{_at(step.selector)}")
    awaited = [f"{step.selector} was visible"] if step.selector else []
    awaited += [f"the page showed “{step.text}”"] if step.text else []
    awaited += [f"an answer came from an address with “{step.response}”"] if step.response else []
    return ShownStep(f"Waited until {' and '.join(awaited)}" if awaited else f"Waited {step.ms} ms")


def _at(selector: str) -> str:
    return f" at {selector}" if selector else ""
