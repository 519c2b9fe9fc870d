"""A site on loopback that sends its pages as servers do (text gzipped), and counts what it sends."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from scripts.benchmark.serving import serving
from verifaible.schema.anchor import AnchorRequest

QUOTE = "The rate was 5.33% in February 2026."
TALL_PX = 200_000
_SENTENCE = (
    "the rate of growth in output prices was revised by the survey office after new returns from firms "
    "which report monthly figures on orders trade wages stocks energy transport services construction retail"
)
_WORDS = _SENTENCE.split()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of page: where it is, what is cited there, and whether it counts in the medians."""

    name: str
    path: str
    request: AnchorRequest
    usual: bool = True


_TEXT = AnchorRequest(quote=QUOTE)
_CELL = AnchorRequest(evidence_type="table", row=("Region 250",), column=("Item 4",))
KINDS = (
    Kind("small page", "/small", _TEXT),
    Kind("page with style sheet, script and two pictures", "/usual", _TEXT),
    Kind("page that loads JSON", "/data", _TEXT),
    Kind("table of 500 rows, a cell", "/table", _CELL),
    Kind("long page (300 KB of text)", "/long", _TEXT),
    Kind("PDF of 12 pages", "/report.pdf", AnchorRequest(evidence_type="pdf", quote=QUOTE)),
    Kind("charts drawn by a script (SVG and canvas)", "/charts", _TEXT, usual=False),
    Kind(f"very tall page ({TALL_PX:,} px)", "/tall", _TEXT, usual=False),
)


class Site:
    """Where the pages are, and the bytes of the answers sent so far (heads and bodies)."""

    def __init__(self) -> None:
        self.url = ""
        self.sent_bytes = 0

    def add(self, sent: int) -> None:
        """Count an answer."""
        self.sent_bytes += sent


@contextmanager
def serve() -> Iterator[Site]:
    """The site while it is up; a query makes another address of the same page."""
    site, pages = Site(), _pages()

    def answer(path: str, _: bytes) -> tuple[int, dict[str, str], bytes]:
        found = pages.get(path.partition("?")[0])
        kind, body = found or ("text/plain", b"no such page")
        headers = {"content-type": kind}
        if kind.startswith(("text/", "application/json")):
            body = gzip.compress(body, 6)
            headers["content-encoding"] = "gzip"
        return 200 if found else 404, headers, body

    with serving(answer, site.add) as site.url:
        yield site


def _pages() -> dict[str, tuple[str, bytes]]:
    chance = random.Random(20260302)  # noqa: S311
    html, script = "text/html; charset=utf-8", "text/javascript; charset=utf-8"

    def words(count: int) -> str:
        return " ".join(chance.choice(_WORDS) for _ in range(count)).capitalize() + "."

    def paragraphs(count: int, length: int) -> str:
        return "".join(f"<p>{words(length)}</p>" for _ in range(count))

    def page(body: str, head: str = "") -> bytes:
        start = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Release</title>'
        sheet = '<link rel="stylesheet" href="/site.css">'
        return f"{start}{sheet}{head}<body><main><h1>Release</h1>{body}</main></body></html>".encode()

    def cells(region: int) -> str:
        values = "".join(f"<td>{chance.random() * 100:.2f}</td>" for _ in range(8))
        return f'<tr><th scope="row">Region {region}</th>{values}</tr>'

    cited = f"<p>{words(30)} {QUOTE} {words(30)}</p>"
    heads = "<th>Region</th>" + "".join(f"<th>Item {number}</th>" for number in range(8))
    body = "".join(cells(region) for region in range(500))
    pictures = (
        '<img src="/a.png" width="600" height="300" alt=""><img src="/b.png" width="600" height="300" alt="">'
    )
    load = """fetch("/data.json").then((answer) => answer.json()).then(({ items }) => {
  for (const item of items) {
    const p = document.createElement("p");
    p.textContent = item;
    document.querySelector("main").append(p);
  }
});"""
    draw = """const values = Array.from({ length: 120 }, (_, at) => 50 + 40 * Math.sin(at / 9));
const bar = (value, at) => `<rect x="${at * 8}" y="${100 - value}" width="6" height="${value}"/>`;
document.querySelector("svg").innerHTML = values.map(bar).join("");
const pen = document.querySelector("canvas").getContext("2d");
values.forEach((value, at) => pen.lineTo(at * 8, 200 - 2 * value));
pen.stroke();
document.querySelector("figcaption").textContent = document.body.dataset.caption;"""
    charts = (
        '<figure><svg width="960" height="100"></svg><canvas width="960" height="200"></canvas>'
        "<figcaption></figcaption></figure>"
    )
    caption = f'<script>document.body.dataset.caption = "{QUOTE}";</script>'
    boxes = [f'<p style="height: {TALL_PX // 400 - 16}px">{words(12)}</p>' for _ in range(400)]
    boxes[200] = f'<p style="height: {TALL_PX // 400 - 16}px">{QUOTE}</p>'
    items = [words(30) for _ in range(20)] + [f"{words(10)} {QUOTE}"] + [words(30) for _ in range(20)]
    rules = "".join(f".c{i} {{ padding: {i}px; color: #{i * 7919 % 4096:03x} }}\n" for i in range(600))
    return {
        "/small": (html, page(paragraphs(2, 80) + cited)),
        "/usual": (
            html,
            page(paragraphs(10, 80) + cited + pictures, '<script src="/site.js" defer></script>'),
        ),
        "/data": (html, page("", '<script src="/load.js" defer></script>')),
        "/table": (html, page(f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>")),
        "/charts": (
            html,
            page(charts + caption + '<script src="/draw.js" defer></script>' + paragraphs(4, 80)),
        ),
        "/tall": (html, page("".join(boxes))),
        "/long": (html, page(paragraphs(190, 120) + cited + paragraphs(190, 120))),
        "/report.pdf": ("application/pdf", _pdf([words(150) for _ in range(12)])),
        "/site.css": ("text/css; charset=utf-8", f"body {{ font: 16px/1.5 sans-serif }}\n{rules}".encode()),
        "/site.js": (
            script,
            "".join(f"function f{i}(a) {{ return a * {i * 7919 % 9973}; }}\n" for i in range(900)).encode(),
        ),
        "/draw.js": (script, draw.encode()),
        "/load.js": (script, load.encode()),
        "/data.json": ("application/json", json.dumps({"items": items}).encode()),
        "/a.png": ("image/png", _picture(chance, 600, 300)),
        "/b.png": ("image/png", _picture(chance, 600, 300)),
    }


def _picture(chance: random.Random, width: int, height: int) -> bytes:
    """A PNG with noise in its low bits, which packs about as well as a photograph."""
    import pymupdf

    samples = bytes(
        (row * 255 // height + chance.getrandbits(3)) % 256 for row in range(height) for _ in range(width * 3)
    )
    return bytes(pymupdf.Pixmap(pymupdf.csRGB, width, height, samples, False).tobytes("png"))


def _pdf(texts: list[str]) -> bytes:
    import pymupdf

    document = pymupdf.Document()
    for number, text in enumerate(texts):
        words = f"{text}\n{QUOTE}" if number == 4 else text
        document.new_page().insert_textbox((50, 50, 550, 800), words, fontsize=11)
    return bytes(document.tobytes(deflate=True))


def deflated_size(data: bytes) -> int:
    """How many bytes gzip makes of it, as a server would send text."""
    return len(zlib.compress(data, 6)) + 12
