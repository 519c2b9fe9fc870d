"""Static mark-up as a Document: tables of the suite ``grids``, what inline style hides, and structure."""

from __future__ import annotations

import sys

import pytest

from tests.kit import suites
from verifaible.extract.boxes import LayoutBox, Style, deep
from verifaible.extract.document import Document, Table
from verifaible.extract.html import html_document

GRIDS = suites.load("grids")
#: What style and attributes hide by themselves. Matching colours, style sheets and values that have to be computed or
#: that no browser takes are not looked at.
HIDDEN = [
    row
    for row in suites.load("visibility/hidden")
    if row.kind in ("display", "opacity", "zero-size", "attribute")
    and not any(each in row.input["body"] for each in ("<style", "¤", "calc", "foo"))
]


def grid(table: Table) -> list[list[str]]:
    return [
        [
            "".join(cell.text.split()) if (cell := table.at(row, column)) else ""
            for column in range(table.width)
        ]
        for row in range(table.height)
    ]


@pytest.mark.parametrize("row", GRIDS, ids=lambda row: row.id)
def test_tables(row: suites.Row) -> None:
    document = html_document(f"<h1>H</h1>{row.input['html']}")
    body = row.expect["grid"][1:]  # the suite joins heads over heads into one row
    assert body in [grid(table)[-len(body) :] for table in document.tables]


@pytest.mark.parametrize("row", HIDDEN, ids=lambda row: row.id)
def test_hidden(row: suites.Row) -> None:
    document = html_document(row.input["body"].replace("§", "The words in question."))
    assert ("The words in question." in document.text) == row.expect["seen"]


def governed(document: Document) -> list[tuple[str, str, str]]:
    texts = [block.text for block in document.blocks]
    return [
        (block.text, each.kind, texts[each.block]) for block in document.blocks for each in block.governors
    ]


def test_structure() -> None:
    document = html_document(
        "<html lang=da><title>Dam  notes</title><h2>Dams</h2><p>It denies that:</p><ol start=3><li>one <del>two</del></ol>"
        "<dl><dt>Wall<dd>9 m</dl><p>10<sup>6</sup> <q>so <q>it</q> is</q> <img alt=map> <input value=5> <input type=password value=s3cret></p>"
        "<details><summary>Why?</summary>Because.</details>",
        "https://dams.example/",
    )
    assert (document.medium, document.url, document.title, document.language) == (
        "html",
        "https://dams.example/",
        "Dam notes",
        "da",
    )
    assert [block.text for block in document.blocks] == [
        "Dams",
        "It denies that:",
        "3. one two",
        "Wall",
        "9 m",
        "106 “so ‘it’ is” [picture: map] 5 [password]",
        "Why?",
    ]
    assert {
        ("3. one two", "lead_in", "It denies that:"),
        ("9 m", "term", "Wall"),
        ("9 m", "heading", "Dams"),
    } <= set(governed(document))
    kinds = {
        (mark.kind, block.text[mark.start : mark.end]) for block in document.blocks for mark in block.marks
    }
    assert {("struck", "two"), ("raised", "6"), ("picture", "[picture: map]"), ("field", "5")} <= kinds


#: Mark-up, and all that governs a block in it: which, how, and what.
TIES = {
    "listed after a lead-in of another shape": (
        "<p class=opener>Withdrawn from sale:</p><p class=ware>The red lamp. It leaked.</p>"
        "<p class='ware last'>The blue lamp.</p><p>The shop opens at nine.</p>",
        [
            ("The red lamp. It leaked.", "lead_in", "Withdrawn from sale:"),
            ("The blue lamp.", "lead_in", "Withdrawn from sale:"),
        ],
    ),
    "listed in boxes of their own, with roles": (
        "<div><p>Gone:</p><div><div role=note class=a><i>oak</i></div><div role=note>ash</div></div></div><p>fir</p>",
        [("oak", "lead_in", "Gone:"), ("ash", "lead_in", "Gone:")],
    ),
    "a lead-in by bold letters": (
        "<div><b>Not on offer:</b></div><div>red lamps</div><div>blue lamps</div><div><b>On offer:</b></div><div>mats</div>",
        [
            ("red lamps", "lead_in", "Not on offer:"),
            ("blue lamps", "lead_in", "Not on offer:"),
            ("mats", "lead_in", "On offer:"),
        ],
    ),
    "paragraphs punctuated as a list": (
        "<p>Never:</p><p>mix tar;</p><p>store tar.</p><p>The shop opens at nine.</p>",
        [("mix tar;", "lead_in", "Never:"), ("store tar.", "lead_in", "Never:")],
    ),
    "a text after a colon is no list": (
        "<p class=by>She added:</p><p>It rained.</p><p>It snowed.</p><p>Width:</p><p>4 m</p><p>Length:</p><p>9 m</p>",
        [
            ("It rained.", "lead_in", "She added:"),
            ("4 m", "lead_in", "Width:"),
            ("9 m", "lead_in", "Length:"),
        ],
    ),
    "a list ends at a heading": (
        "<div class=o>Here:</div><div class=r>oak</div><div class=r><h3>Ash</h3><p>tall</p></div>",
        [("oak", "lead_in", "Here:"), ("tall", "heading", "Ash")],
    ),
    "a list in boxes of its own": (
        "<section><header><p>Tales of the yard:</p></header><div><div role=list><div role=listitem>one</div>"
        "<div role=listitem>two</div></div></div></section><p>Sold lots</p><div><ul><li>three<li>four</ul></div>",
        [
            ("one", "lead_in", "Tales of the yard:"),
            ("two", "lead_in", "Tales of the yard:"),
            ("• three", "lead_in", "Sold lots"),
            ("• four", "lead_in", "Sold lots"),
        ],
    ),
    "no lead-in of a list in boxes of its own": (
        "<p>It was dull.</p><div><ul><li>one<li>two</ul></div><div><ul><li>three</ul></div>"
        "<p>Sold lots</p><nav><div><ul><li>Home</ul></div></nav><p><a href=x>More</a></p><div><ul><li>four</ul></div>"
        "<p>Read on</p><div><ul><li><a href=y>Fir</a></ul></div><button>Menu</button><div><ul><li>five</ul></div>",
        [],
    ),
    "the lead-in of a quotation": (
        "<p>Sayings of the yard</p><blockquote>Tar is sweet.<br>Rope is salt.</blockquote><p>— Tom Rook</p>"
        "<blockquote>Oak floats.</blockquote><p>It rained.</p><blockquote><p>Ash sinks.</p></blockquote>"
        "<p>He denied this.</p><p>He denied this, too:</p><blockquote><p>Fir.</p><p>Elm.</p></blockquote>",
        [
            ("Tar is sweet.\nRope is salt.", "lead_in", "Sayings of the yard"),
            ("Tar is sweet.\nRope is salt.", "speaker", "— Tom Rook"),
            ("Fir.", "lead_in", "He denied this, too:"),
            ("Elm.", "lead_in", "He denied this, too:"),
        ],
    ),
    "questions and answers": (
        "<dl><dt>Is it dry?<dd>Never.<dt>Tar<dd>black</dl><details open><summary>Why</summary>So.</details>"
        "<p><b>Is it far?</b></p><p>Two miles.</p><p>Is it near?</p><p>Who knows.</p><h3>Is tar wet?</h3><p>No.</p>",
        [
            ("Is it dry?", "answer", "Never."),
            ("Never.", "term", "Is it dry?"),
            ("black", "term", "Tar"),
            ("Why", "answer", "So."),
            ("So.", "question", "Why"),
            ("Is it far?", "answer", "Two miles."),
            ("Two miles.", "question", "Is it far?"),
            ("Is tar wet?", "answer", "No."),
            ("No.", "question", "Is tar wet?"),
        ],
    ),
    "questions that are answered elsewhere": (
        "<p><b>See <a href=x>Is it far?</a></b></p><p>Two miles.</p><h3><a href=y>Is tar wet?</a></h3><p>By Ann.</p>"
        "<h3><a href='#z'>Is it dry?</a></h3><p><a href=w>Share</a></p><p>No.</p><h3>Why?</h3>",
        [
            ("By Ann.", "question", "Is tar wet?"),
            ("Is it dry?", "answer", "No."),
            ("Share", "question", "Is it dry?"),
            ("No.", "question", "Is it dry?"),
        ],
    ),
    "notes without links": (
        "<p>Tar is cheap.<sup>a</sup> It takes 10<sup>6</sup> drops and 7 m<sup>2</sup>.</p><p>Rope is dear<sup>*</sup>.</p>"
        "<p><sup>a</sup> In 1907.</p><p>* At noon.</p><p><sup>2</sup> Two.</p><p><sup>6</sup> Six.</p><p>b Bee<sup>b</sup></p>",
        [
            ("Tar is cheap.a It takes 106 drops and 7 m2.", "footnote", "a In 1907."),
            ("Rope is dear*.", "footnote", "* At noon."),
        ],
    ),
}


@pytest.mark.parametrize(("markup", "expected"), TIES.values(), ids=TIES)
def test_ties(markup: str, expected: list[tuple[str, str, str]]) -> None:
    assert governed(html_document(markup)) == expected


@pytest.mark.parametrize(
    "markup", ["", " ", "<!-- only -->", "<p>", "<?xml version='1.0' encoding='utf-16'?><p>", "&#32;"]
)
def test_markup_without_words(markup: str) -> None:
    assert html_document(markup).blocks == ()


def test_deep_markup() -> None:
    depth = 1500
    document = html_document("<div>" * depth + "deep" + "</div>" * depth)
    assert [block.text for block in document.blocks] == ["deep"]


def test_reading_deep_pages_side_by_side_leaves_the_recursion_limit_as_it_was() -> None:
    before, root = sys.getrecursionlimit(), LayoutBox(0, "div", Style(), None)
    inner = root
    for _ in range(500):
        inner.children.append(LayoutBox(0, "div", Style(), inner))
        inner = inner.children[0]
    first, second = deep(root), deep(inner)
    first.__enter__()
    second.__enter__()
    assert sys.getrecursionlimit() > 4 * 500
    first.__exit__(None, None, None)
    assert sys.getrecursionlimit() < 4 * 500
    second.__exit__(None, None, None)
    assert sys.getrecursionlimit() == before


def test_bars_of_formulas_are_signs() -> None:
    """Without places: a fraction is no number of its figures, and a power none, either."""
    half, power = "<mfrac><mn>1</mn><mn>2</mn></mfrac>", "<msup><mn>10</mn><mn>6</mn></msup>"
    document = html_document(
        f"<p>3<math>{half}</math> tubs of <math>{power}</math> or <math><mfrac><mn>7</mn>{power}</mfrac></math>"
        " of <math><msqrt><mn>2</mn></msqrt></math></p>"
    )
    (block,) = document.blocks
    assert block.text == "3 1/2 tubs of 106 or 7/10⁶ of √2"
    assert [(mark.kind, mark.start) for mark in block.marks] == [("raised", block.text.index("6"))]


def test_a_table_in_a_line_is_a_table() -> None:
    table = '<table style="display:inline-table"><tr><td>Oslo<td>5.1<tr><td>Bergen<td>4.2</table>'
    (found,) = html_document(f"<div>{table}</div>").tables
    assert [cell.text for cell in found.cells] == ["Oslo", "5.1", "Bergen", "4.2"]


def test_a_column_in_a_line_is_a_column() -> None:
    column = '<div style="display:inline-block;width:48%">'
    read = html_document(
        f"<div>{column}<div>PART I.</div><table><tr><td>ITEM 1.</td><td>TRADE</td></tr></table><div>We sell.</div>"
        f"</div>{column}<p>We buy.</p><p>We rest.</p></div></div>"
        '<p>One <span style="display:inline-block"><div>two</div></span> three.</p>'
    )
    assert [block.text for block in read.blocks] == [
        *("PART I.", "ITEM 1.", "TRADE", "We sell.", "We buy.", "We rest.", "One two three."),
    ]
