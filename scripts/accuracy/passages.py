# mypy: disable-error-code="no-untyped-call"
# ruff: noqa: E501, RUF005 - a case is one line
"""Passages of PDF documents that are made on the fly.

Every document is written glyph by glyph at known places, so the rectangle of a passage is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import pymupdf

from scripts.accuracy.outcome import Outcome, Result
from scripts.accuracy.passages_later import sheets
from scripts.accuracy.passages_sheets import Sheets, touched
from scripts.accuracy.passages_sheets import document as drawn
from verifaible.evidence.observing.observe import pdf_material
from verifaible.evidence.observing.places import Placement, place
from verifaible.extract.pdf import PdfDocument
from verifaible.schema.citation import AnchorRequest, Rect

#: A text line at (x, y) in points, in the font "helv" or "china-s".
Line = tuple[float, float, str]
_Shown: TypeAlias = Callable[[tuple[Rect, ...]], bool]


@dataclass(frozen=True, slots=True)
class Case:
    """A document, what is asked for, and the answer: page, and the lines that hold the passage.

    ``lines`` are (page, index of line) pairs whose baseline the rectangles must touch, on the page
    that is expected; ``page`` 0 means that nothing may be found.
    """

    kind: str
    name: str
    pages: tuple[tuple[Line, ...], ...]
    quote: str
    page: int
    lines: tuple[int, ...] = ()
    asked: int | None = None
    near: str = ""
    rotation: int = 0
    font: str = "helv"
    verdicts: tuple[str, ...] = ("verified",)


def _column(text: str, x: float = 72, y: float = 90, step: float = 16) -> tuple[Line, ...]:
    return tuple((x, y + step * index, line) for index, line in enumerate(text.split("\n")))


_EN = (
    "The inspectorate visited 214 farms in the spring\nof 2024. It found that 37 of them kept no re-\n"
    "cords of the use of antibiotics, and that nine\nhad well-known defects in the cold chain. The\n"
    "average fine came to 1,250 crowns. No farm was\nclosed, but two must not sell milk until the\ncom-\n"
    "plaints have been settled."
)
_TWO = (
    _column("Left column begins with\nthe harvest of barley, which\nfell by 12.5% in the north\nand rose in the south.", 60),
    _column("Right column speaks of\nthe price of barley, which\nrose to 214 crowns a tonne\nin the third quarter.", 320),
)  # fmt: skip
_ZH = (
    "二〇二四年全市接待游客三千二百万人次，旅\n游总收入达到418.6亿元，同比增长12.3%。其\n"
    "中过夜游客占四成，平均停留2.4天。景区门票\n收入没有增长，餐饮和住宿的收入分别增长15%和\n9%。全年没有发生重大安全事故。"
)
_LAWS = (
    "Article 7 The operator must report each leak\nwithin 24 hours to the agency.",
    "Article 8 The operator must report each fire\nwithin 12 hours to the agency.",
    "Article 9 The operator must keep the report\nfor 10 years at the plant.",
)
_TABLE = (
    (72.0, 90.0, "Product"), (220.0, 90.0, "2022"), (320.0, 90.0, "2023"),
    (72.0, 110.0, "Wheat"), (220.0, 110.0, "1,204.5"), (320.0, 110.0, "1,198.0"),
    (72.0, 130.0, "Barley"), (220.0, 130.0, "877.3"), (320.0, 130.0, "901.6"),
    (72.0, 150.0, "Maize"), (220.0, 150.0, "340.2"), (320.0, 150.0, "1,204.5"),
)  # fmt: skip
_RUNNING = (
    (
        (72.0, 40.0, "Annual report 2024"),
        *_column("The fund paid out 38.4 million crowns to\n1,870 families, most of whom live in the east\nof the district. The board expects that this", y=640),
        (290.0, 800.0, "17"),
    ),
    (
        (72.0, 40.0, "Annual report 2024"),
        *_column("figure will double by 2027 unless rents stop\nrising. It has therefore asked for new rules."),
        (290.0, 800.0, "18"),
    ),
)  # fmt: skip


def _simple() -> Iterator[Case]:
    one = (_column(_EN),)
    for name, quote, lines in (
        ("one line", "The inspectorate visited 214 farms", (0,)),
        ("two lines", "visited 214 farms in the spring of 2024", (0, 1)),
        ("three lines", "two must not sell milk until the complaints have been settled", (5, 6, 7)),
        ("number at the line end", "No farm was closed", (4, 5)),
        ("to the end of a line", "had well-known defects in the cold chain. The average fine came to 1,250 crowns", (3, 4)),
    ):  # fmt: skip
        yield Case("line breaks", name, one, quote, 1, lines)
    for name, quote, lines in (
        ("hyphen dropped", "37 of them kept no records of the use of antibiotics", (1, 2)),
        ("hyphen in a word", "well-known defects", (3,)),
        ("hyphen alone on its line", "until the complaints have been settled.", (5, 6, 7)),
        ("hyphen cited as printed", "no re-\ncords of the use", (1, 2)),
    ):
        yield Case("hyphenation", name, one, quote, 1, lines)
    real = (
        _column(
            "Measures for small and medium-\nsized firms and a follow-\nup of the long-\nterm costs were agreed."
        ),
    )
    yield Case("hyphenation", "real hyphen at a line end", real, "medium-sized firms", 1, (0, 1))
    yield Case("hyphenation", "two hyphens", real, "a follow-up of the long-term costs", 1, (1, 2, 3))
    for name, quote, lines in (
        ("left column", "the harvest of barley, which fell by 12.5% in the north", (1, 2)),
        ("right column", "the price of barley, which rose to 214 crowns a tonne", (5, 6)),
        ("right, one line", "in the third quarter", (7,)),
        ("left to the end", "and rose in the south.", (3,)),
    ):
        yield Case("two columns", name, (_TWO[0] + _TWO[1],), quote, 1, lines)
    over = (
        _TWO[0][:2]
        + ((60.0, 122.0, "in the end fell because"),)
        + ((320.0, 90.0, "of the late rain in May,"),)
        + _column("as growers had feared\nsince April.", 320, 106),
    )
    yield Case("two columns", "over the column end", over, "fell because of the late rain in May", 1, (2, 3))
    for name, quote, lines in (
        ("one line", "其中过夜游客占四成", (1, 2)),
        ("word over a line end", "旅游总收入达到418.6亿元", (0, 1)),
        ("three lines", "景区门票收入没有增长，餐饮和住宿的收入分别增长15%和9%", (2, 3, 4)),
        ("to the end", "全年没有发生重大安全事故。", (4,)),
        ("number before the line end", "同比增长12.3%。其中过夜游客占四成", (1, 2)),
    ):
        yield Case("Chinese", name, (_column(_ZH),), quote, 1, lines, font="china-s")


def _placed() -> Iterator[Case]:
    one = (_column(_EN),)
    for angle in (90, 180, 270):
        yield Case(
            "rotated", f"{angle} degrees", one, "average fine came to 1,250 crowns", 1, (4,), rotation=angle
        )
    yield Case("rotated", "two lines", one, "visited 214 farms in the spring of 2024", 1, (0, 1), rotation=90)
    zh = (_column(_ZH),)
    yield Case("rotated", "Chinese", zh, "平均停留2.4天", 1, (2,), rotation=270, font="china-s")
    three = (*(_column(text) for text in _LAWS),)
    for name, quote, asked, page in (
        ("first, page 2 named", "must report each leak within 24 hours", 2, 1),
        ("third, page 1 named", "keep the report for 10 years", 1, 3),
        ("page named beyond the end", "within 12 hours to the agency", 9, 2),
        ("page 0 named", "at the plant", 0, 3),
        ("no page named", "Article 8 The operator", None, 2),
    ):
        both = (1,) if quote.startswith("within 12") or quote == "at the plant" else (0, 1)
        lines = (0,) if quote.startswith("Article 8") else both
        yield Case("page named wrongly", name, three, quote, page, lines, asked=asked)
    for name, quote, asked, lines in (
        (
            "running head and number between",
            "The board expects that this figure will double by 2027",
            1,
            (3,),
        ),
        (
            "the second page named",
            "expects that this figure will double by 2027 unless rents stop rising",
            2,
            (3,),
        ),
        ("no page named", "that this figure will double", None, (3,)),
    ):
        yield Case("over a page end", name, _RUNNING, quote, 1, lines, asked=asked)
    plain = (
        _column("The last words of a page are that the\ncommittee has decided", y=700),
        _column("to close the mine in March 2026.\nMore follows."),
    )
    yield Case(
        "over a page end",
        "nothing between",
        plain,
        "the committee has decided to close the mine in March 2026",
        1,
        (0, 1),
    )
    split = (_column("Prices of imported tim-", y=700), _column("ber fell by 4% in May.\nMore follows."))
    yield Case("over a page end", "hyphen at the page end", split, "imported timber fell by 4%", 1, (0,))
    zh_over = (_column("会议认为，当前经济运行中的突出矛", y=700), _column("盾是需求不足，要着力扩大内需。"))
    yield Case("over a page end", "Chinese", zh_over, "突出矛盾是需求不足", 1, (0,), font="china-s")
    foot = (
        *_column("The river fell to 1.2 metres in\nAugust, its lowest", y=620),
        (72.0, 790.0, "1 Measured at Harn."),
        (290.0, 810.0, "44"),
    )
    yield Case(
        "over a page end",
        "a footnote between",
        (foot, _column("level since 1976, and ships could not\npass.")),
        "its lowest level since 1976",
        1,
        (1,),
    )


def _told_apart() -> Iterator[Case]:
    for name, quote, near, lines in (
        ("a number that stands once", "877.3", "", (7,)),
        ("a row", "Barley 877.3 901.6", "", (6, 7, 8)),
        ("a number that stands twice, its row near", "1,204.5", "Wheat", (4,)),
        ("a number that stands twice, other row near", "1,204.5", "Maize", (11,)),
    ):
        yield Case("tables", name, (_TABLE,), quote, 1, lines, near=near)
    yield Case("tables", "a number that stands twice", (_TABLE,), "1,204.5", 0, verdicts=("ambiguous",))
    yield Case("tables", "part of a number", (_TABLE,), "204.5", 0, verdicts=("gone", "changed"))
    three = (*(_column(text) for text in _LAWS),)
    again = ("The operator must report each", "Article 8")
    yield Case("repeated", "page named", three, again[0], 2, (0,), asked=2)
    yield Case("repeated", "near", three, again[0], 2, (0,), near=again[1])
    yield Case("repeated", "nothing tells them apart", three, again[0], 0, verdicts=("ambiguous",))
    twice = (_column("Zone A: limit 40 mg.\nsee note 3\nZone B: limit 40 mg.\nsee note 4"),)
    yield Case("repeated", "same page, near", twice, "limit 40 mg", 1, (2,), near="Zone B")
    for name, quote in (
        ("another number", "visited 241 farms in the spring"),
        ("negation left out", "two must sell milk until the complaints"),
        ("another unit", "came to 1,250 euros. No farm"),
        ("not there", "the inspectorate fined no one at all"),
        ("over a page end, another number", "has decided to close the mine in March 2028"),
    ):
        pages: tuple[tuple[Line, ...], ...] = (_column(_EN),)
        if "mine" in quote:
            pages = (_column("The committee has decided", y=700), _column("to close the mine in March 2026."))
        yield Case("not as quoted", name, pages, quote, 0, verdicts=("gone", "changed", "ambiguous"))


def cases() -> tuple[Case, ...]:
    """Every case."""
    return (*_simple(), *_placed(), *_told_apart())


def document(case: Case) -> bytes:
    """The PDF of a case."""
    with pymupdf.open() as made:
        for lines in case.pages:
            page = made.new_page(width=595, height=842)
            for x, y, text in lines:
                page.insert_text((x, y), text, fontsize=11, fontname=case.font)
            page.set_rotation(case.rotation)
        body: bytes = made.tobytes()
    return body


def _turned(x: float, y: float, rotation: int) -> tuple[float, float]:
    return {0: (x, y), 90: (842 - y, x), 180: (595 - x, 842 - y), 270: (y, 595 - x)}[rotation]


def _touches(rect: Rect, case: Case, line: Line) -> bool:
    """Whether a rectangle holds a point within the first characters, or later ones, of a line."""
    width = pymupdf.get_text_length(line[2], fontname=case.font, fontsize=11)
    for step in range(2, min(420, int(width) + 1), 4):
        x, y = _turned(line[0] + step, line[1] - 3, case.rotation)
        if rect.x <= x <= rect.x + rect.width and rect.y <= y <= rect.y + rect.height:
            return True
    return False


def _look(pdf: PdfDocument, quote: str, asked: int | None, near: str) -> Placement:
    request = AnchorRequest(evidence_type="pdf", quote=quote, page_number=asked, near=near)
    return place(pdf_material(pdf, "https://example.org/a.pdf"), request)


def _judged(
    placed: Placement, pdf: PdfDocument, page: int, verdicts: tuple[str, ...], shown: _Shown
) -> tuple[Outcome, str]:
    """What a placement is worth; ``shown`` says whether rectangles on a page are those of the passage."""
    anchor = placed.anchor
    missing = f" without {placed.left_out.words!r} ({placed.left_out.kind})" if placed.left_out else ""
    said = f"{placed.verdict}: {placed.found[:60]!r}{missing}"
    if not page:
        if placed.verdict in verdicts:
            return "right", said
        return ("false verified" if placed.verdict in ("verified", "moved") else "wrong verdict"), said
    if anchor is None or placed.verdict not in verdicts:
        return "missed", said
    assert anchor.page_number is not None and anchor.start is not None and anchor.end is not None
    rects = pdf.rects(anchor.page_number, anchor.start, anchor.end)
    if anchor.page_number != page or not shown(rects):
        return "wrong place", f"{said} page {anchor.page_number}"
    return "right", said


def _lines(case: Case) -> _Shown:
    shown = case.pages[case.page - 1]
    return lambda rects: (
        {i for i, line in enumerate(shown) if any(_touches(rect, case, line) for rect in rects)}
        == set(case.lines)
    )


def _pieces(case: Sheets) -> _Shown:
    return lambda rects: touched(case, case.page, rects) - set(case.loose) == set(case.pieces)


def run() -> list[Result]:
    """Run both batches."""
    results: list[Result] = []
    for case in cases():
        with PdfDocument(document(case)) as pdf:
            placed = _look(pdf, case.quote, case.asked, case.near)
            came_to, said = _judged(placed, pdf, case.page, case.verdicts, _lines(case))
        results.append(Result(case.kind, case.name, came_to, "" if came_to == "right" else said))
    for sheet in sheets():
        with PdfDocument(drawn(sheet)) as pdf:
            placed = _look(pdf, sheet.quote, sheet.asked, sheet.near)
            came_to, said = _judged(placed, pdf, sheet.page, sheet.verdicts, _pieces(sheet))
        kind = f"later: {sheet.kind}"
        results.append(Result(kind, sheet.name, came_to, "" if came_to == "right" else said))
    return results
