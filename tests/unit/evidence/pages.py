"""Sources as they would have been read, made without a browser: pages, tables, PDFs and captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from tests.kit.drawn_pdf import drawn, wrapped
from tests.kit.snapshots import page_of
from verifaible.evidence.material import LoadState, Material, read_pdf, video_material
from verifaible.extract.document import Box, Frame, Image
from verifaible.schema.transcript import Caption, Transcript

URL = "http://a.test/page#part"
PDF = "http://a.test/f.pdf"


def paragraphs(text: str) -> str:
    """Lines of a text as paragraphs of HTML."""
    return "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())


def page(
    text: str,
    *framed: str,
    markup: str = "",
    title: str = "",
    picture: float = 0,
    state: LoadState | None = None,
) -> Material:
    """A page of paragraphs and mark-up, with texts in frames and a picture of so many pixels."""
    material = page_of(paragraphs(text) + markup, url=URL, title=title)
    document = material.document
    blocks, frames = list(document.blocks), list(document.frames)
    for number, words in enumerate(framed, 1):
        inner = page_of(paragraphs(words)).document.blocks
        blocks += [replace(block, frame=number, boxes=()) for block in inner]
        frames.append(Frame(path=(f"#f{number}",)))
    image = Image(css_path="img", tag="img", alt="", src="", box=Box(0, 0, 0, 0, picture, picture))
    document = replace(
        document, blocks=tuple(blocks), frames=tuple(frames), images=(image,) if picture else document.images
    )
    return replace(material, document=document, load_state=state or LoadState())


def table(rows: Sequence[Sequence[str]], *, caption: str = "", path: str = "", heads: int = 1) -> str:
    """A table as HTML; ``path`` is the id of its element."""
    lines = []
    for number, row in enumerate(rows):
        tag = "th" if number < heads else "td"
        lines.append("<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>")
    named = f' id="{path}"' if path else ""
    titled = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(lines[:heads])
    return f"<table{named}>{titled}<thead>{head}</thead><tbody>{''.join(lines[heads:])}</tbody></table>"


def pdf(*pages: str) -> Material:
    """A PDF of paragraphs, which are lines of the texts; an empty line leaves a gap."""
    drawings = []
    for text in pages:
        lines = [line for part in text.split("\n") for line in wrapped(part, 340, "helv", 10) or [""]]
        draw = [[40, 60 + 14 * at, line] for at, line in enumerate(lines) if line]
        drawings.append({"draw": draw, "size": [420, max(595, 100 + 14 * len(lines))]})
    return read_pdf(drawn(drawings), PDF)


def video(*lines: str, language: str = "en") -> Material:
    """Captions of a video, four seconds each."""
    captions = tuple(Caption(start_s=4.0 * n, duration_s=4.0, text=text) for n, text in enumerate(lines))
    return video_material("http://a.test/v", Transcript(video_id="v", language=language, captions=captions))
