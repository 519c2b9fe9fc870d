"""What a report shows of a citation: everything as plain data, ready for a template to escape."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from verifaible.archive.reader import WaczReader
from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence.links import link_of
from verifaible.evidence.material import Material, VideoMaterial
from verifaible.evidence.pages import data_url
from verifaible.evidence.places import place
from verifaible.evidence.report_table import ShownTable, place_in_table, table_of
from verifaible.evidence.step_pictures import step_picture
from verifaible.evidence.verify import read_material
from verifaible.schema.action import ActionStep, StepResult
from verifaible.schema.citation import Anchor, Check, Citation, Rect

#: Around the evidence, in pixels of the picture; a detail is at least so wide and high.
_MARGIN = 90
_DETAIL_WIDTH = 760
_DETAIL_HEIGHT = (360, 900)
#: Caption lines shown on either side of the cited ones.
_NEIGHBOURS = 3
_PNG = b"\x89PNG\r\n\x1a\n"
_IMAGES = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"<svg", "image/svg+xml"),
    (b"<?xml", "image/svg+xml"),
)


PictureName: TypeAlias = Literal["painted", "clean", "image"]
PictureAddress: TypeAlias = Callable[[PictureName, bytes, str], str]
#: The address of the picture after a step, from the step's number (from 1) and its bytes.
StepAddress: TypeAlias = Callable[[int, bytes], str]


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG by its address, its size in pixels, and the part that shows the evidence.

    ``detail`` is x, y, width and height.
    """

    url: str
    width: int
    height: int
    detail: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class ShownCaption:
    """A caption line of a video with its time; ``cited`` if the evidence stands in it."""

    time: str
    text: str
    cited: bool


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step that was played, in words; ``code`` and ``value`` for scripts.

    ``picture`` is the address of a JPEG of the window after it; empty where none was taken.
    """

    words: str
    code: str = ""
    value: str = ""
    picture: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """Everything of a citation that a report shows, besides its proofs."""

    citation: Citation
    link: str
    source: str
    host: str
    where: str
    language: str
    painted: Picture
    clean: Picture
    browser: str
    table: ShownTable | None = None
    brief_table: ShownTable | None = None
    captions: tuple[ShownCaption, ...] = ()
    image_url: str = ""
    steps: tuple[ShownStep, ...] = ()
    checks: tuple[Check, ...] = ()


def in_page(_: PictureName, data: bytes, kind: str) -> str:
    """A picture as an address that holds it, for pages that stand alone."""
    return data_url(data, kind)


def step_in_page(_: int, data: bytes) -> str:
    """The picture after a step as an address that holds it."""
    return data_url(data, "image/jpeg")


def view_of(
    citation: Citation,
    reader: WaczReader,
    highlight: bytes,
    checks: Sequence[Check],
    address: PictureAddress = in_page,
    *,
    step_address: StepAddress = step_in_page,
) -> EvidenceView:
    """Read what a report shows out of a capture.

    Args:
        citation: the citation.
        reader: its capture, opened.
        highlight: the picture with the evidence marked.
        checks: its history, oldest first.
        address: makes the address of a picture from its name, bytes and media type.
        step_address: the same for the pictures after the steps.

    Raises:
        StoreError: the capture lacks a part, or a part of it is damaged.
    """
    material = read_material(citation, reader)
    placed = place(material, citation.request, citation.anchor)
    clean = reader.read("evidence/page.png")
    rects = rects_on_picture(citation, reader, clean)
    provenance = reader.read_json("evidence/provenance.json")
    source = citation.document_url or citation.final_url
    table = citation.anchor.table is not None
    return EvidenceView(
        citation=citation,
        link=link_of(citation),
        source=source,
        host=urlsplit(source).hostname or "",
        where=where_of(citation.anchor),
        language=language_of(citation.anchor.text + citation.title),
        painted=_picture(address("painted", highlight, "image/png"), highlight, rects, wide=table),
        clean=_picture(address("clean", clean, "image/png"), clean, rects, wide=table),
        browser=str(provenance.get("browser", "")),
        table=table_of(material, placed.table, citation.anchor),
        brief_table=table_of(material, placed.table, citation.anchor, brief=True),
        captions=captions_of(material, citation.anchor),
        image_url=_image(citation, reader, address),
        steps=steps_of(citation, reader, step_address),
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


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG in pixels.

    Raises:
        IntegrityError: it is no PNG.
    """
    if not data.startswith(_PNG) or len(data) < 24:
        raise IntegrityError("A picture of the capture is no PNG. Restore it from a copy of the store.")
    width, height = struct.unpack(">II", data[16:24])
    return int(width), int(height)


def picture_of(data: bytes, rects: Sequence[Rect], *, wide: bool = False) -> Picture:
    """A PNG with the part of it that shows the rectangles, which count in its pixels.

    Args:
        data: the PNG.
        rects: where the evidence stands.
        wide: show the whole width, as for a table, whose row headers stand at its side.
    """
    return _picture(data_url(data), data, rects, wide=wide)


def _picture(url: str, data: bytes, rects: Sequence[Rect], *, wide: bool) -> Picture:
    width, height = png_size(data)
    x, y, across, down = _detail(rects, width, height)
    return Picture(url, width, height, (0, y, width, down) if wide else (x, y, across, down))


def _detail(rects: Sequence[Rect], width: int, height: int) -> tuple[int, int, int, int]:
    """The part of the picture around the evidence; its top, if nothing tells where that is."""
    least, most = _DETAIL_HEIGHT
    if not rects:
        return 0, 0, width, min(height, most)
    left, top = min(r.x for r in rects), min(r.y for r in rects)
    right, bottom = max(r.x + r.width for r in rects), max(r.y + r.height for r in rects)
    wide = min(width, max(_DETAIL_WIDTH, round(right - left) + 2 * _MARGIN))
    high = min(height, max(least, min(most, round(bottom - top) + 2 * _MARGIN)))
    x = (left + right - wide) / 2
    y = (top + bottom - high) / 2 if bottom - top <= most else top - _MARGIN
    return round(max(0, min(x, width - wide))), round(max(0, min(y, height - high))), wide, high


def rects_on_picture(citation: Citation, reader: WaczReader, picture: bytes) -> tuple[Rect, ...]:
    """The rectangles of the evidence on its picture; none where they count from elsewhere."""
    anchor = citation.anchor
    if anchor.frame_path:
        return ()
    if anchor.page_number is None or not anchor.rects:
        return anchor.rects
    from verifaible.extract.pdf import PdfDocument

    with PdfDocument(reader.read("evidence/source.pdf")) as pdf:
        points, _ = pdf.page_size(anchor.page_number)
    scale = png_size(picture)[0] / points
    return tuple(
        Rect(x=r.x * scale, y=r.y * scale, width=r.width * scale, height=r.height * scale)
        for r in anchor.rects
    )


# --- by kind of evidence


def where_of(anchor: Anchor) -> str:
    """Where the evidence stands in its source, in words."""
    if anchor.page_number is not None:
        return f"Page {anchor.page_number} of the PDF"
    if anchor.time is not None:
        return f"Captions from {clock(anchor.time.start_s)} to {clock(anchor.time.end_s)}"
    if anchor.table is not None:
        return place_in_table(anchor.table)
    if anchor.image is not None:
        return f"Image{f' “{anchor.image.alt}”' if anchor.image.alt else ''}"
    return "Text of the page" + (" (in a frame)" if anchor.frame_path else "")


def captions_of(material: Material, anchor: Anchor) -> tuple[ShownCaption, ...]:
    """The captions around the cited ones; none if the evidence is of no video."""
    if not isinstance(material, VideoMaterial) or anchor.time is None:
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
    """The address of the cited image's own bytes; empty for kinds that browsers do not all show."""
    if citation.evidence_type != "image" or "evidence/image.bin" not in reader.names():
        return ""
    data = reader.read("evidence/image.bin")
    kind = next((kind for start, kind in _IMAGES if data.lstrip()[:16].startswith(start)), "")
    if not kind and data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        kind = "image/webp"
    return address("image", data, kind) if kind else ""


# --- steps


def steps_of(
    citation: Citation, reader: WaczReader, address: StepAddress = step_in_page
) -> tuple[ShownStep, ...]:
    """The steps of a citation in words, with what its capture says that they returned, and its pictures.

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
    shown: list[ShownStep] = []
    for number, (step, value) in enumerate(zip(citation.steps, values, strict=False), 1):
        data = step_picture(reader, number)
        shown.append(replace(_step(step, value), picture=address(number, data) if data else ""))
    return tuple(shown)


def _steps_file(reader: WaczReader) -> list[dict[str, object]]:
    try:
        data = json.loads(reader.read("evidence/steps.json"))
    except (StoreError, ValueError, RecursionError) as error:
        raise IntegrityError(f"evidence/steps.json of the capture cannot be read ({error}).") from error
    return data if isinstance(data, list) else []


def _step(step: ActionStep, value: str) -> ShownStep:
    if step.type == "exec_js":
        return ShownStep("Ran a script in the page", step.code, value)
    if step.type == "click":
        named = f" “{step.elementText}”" if step.elementText else ""
        return ShownStep(f"Clicked{named}{_at(step.selector)}")
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
