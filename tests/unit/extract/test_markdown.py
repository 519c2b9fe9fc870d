"""A Document as Markdown, the way back, and which part of a page is its content."""

from __future__ import annotations

import pytest

from verifaible.extract.content import main_content
from verifaible.extract.document import Document
from verifaible.extract.html import html_document
from verifaible.extract.lines import GLYPHS
from verifaible.extract.markdown import document_markdown

URL = "https://a.example/p"
LINKS = "".join(f"<li><a href=/{n}>Section number {n} of the site</a>" for n in range(12))
PROSE = "<p>The ferry to the outer islands sails at noon, when the tide allows it, and at six.</p>" * 3


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<h1>Port</h1><h3>Fees</h3>", "# Port\n\n### Fees"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ol start=3><li>x<li>y</ol>", "3. x\n4. y"),
        ("<ul><li><p>d</p><p>e</p></ul>", "- d\n  e"),
        ("<blockquote><p>One.<p>Two.</blockquote>", "> One.\n>\n> Two."),
        ("<p>a<br>b", "a\nb"),
        ("<pre>let a\n  b</pre>", "```\nlet a\n  b\n```"),
        ("<dl><dt>Berth<dd>North</dl>", "Berth\n: North"),
        ("<p>10<sup>6</sup> of <del>old</del> H<sub>2</sub>O", "10⁶ of ~~old~~ H₂O"),
        ("<p><input value=7> <input type=checkbox checked>", "7 [checked]"),
        ("<p>See <img src=a width=90 height=90 alt=map>.", "See [picture: map]."),
        ("<p>The <a href=/x>office</a>, <a href=#y>here</a>", "The [office][1], here"),
        ("<table><tr><th rowspan=2>City<th colspan=2>Index<tr><th>M<th>Y<tr><td>A|B<td>1<td>2</table>",
         "| City | Index / M | Index / Y |\n| --- | --- | --- |\n| A\\|B | 1 | 2 |"),
        ("<p>Table 1: fees<table><tr><td>a<td>1<tr><td>b<td>2</table>",
         "**Table 1: fees**\n\n| a | 1 |\n| --- | --- |\n| b | 2 |"),
    ],
)  # fmt: skip
def test_forms(markup: str, expected: str) -> None:
    assert document_markdown(html_document(markup, URL), linked=True).text == expected


def test_every_piece_leads_back_to_its_words() -> None:
    markup = f"<h1>Port</h1>{PROSE}<ul>{LINKS}</ul><table><tr><th>A|a<th>B<tr><td>x<br>y<td><a href=/q>2<sup>3</sup></a></table>"
    document = html_document(markup, URL)
    read = document_markdown(document, linked=True)
    held = [piece for piece in read.pieces if piece.block >= 0]
    for piece in held:
        block = document.blocks[piece.block]
        own = block.text[piece.offset]
        shown = read.text[piece.start : piece.end].removeprefix("\\")
        assert shown[0] in (own, own.translate(GLYPHS["raised"]), " "), piece
        assert (piece.table, piece.row >= 0) == (block.cell[0] if block.cell else -1, block.cell is not None)
    assert {piece.block for piece in held} == set(range(len(document.blocks)))


@pytest.mark.parametrize(
    ("markup", "kept", "left"),
    [
        (f"<nav>{LINKS}</nav><h1>Ferries</h1>{PROSE}<footer>Harbour office</footer>", "sails", "Harbour"),
        (f"<div>{LINKS}</div><main><h1>Ferries</h1>{PROSE}</main><div>Harbour office</div>", "sails", "Harbour"),
        (f"<div>{LINKS}</div><h2>Ferries</h2>{PROSE}<div>{LINKS}</div>", "sails", "Section"),
        (f"<div>{LINKS}</div>{PROSE}<div>{LINKS}</div><table><tr><th>Fee<th>EUR<tr><td>Car<td>12</table>", "Car", "Section"),
        (f"<h1>Sections</h1><ul>{LINKS}</ul><p>Harbour office</p>", "Section number 7", "nothing"),
        (f"<div>{LINKS}</div><article><header><h1>Ferries</h1></header>{PROSE}</article>", "Ferries", "Section"),
    ],
)  # fmt: skip
def test_menus_around_the_content_are_left_out(markup: str, kept: str, left: str) -> None:
    document: Document = html_document(markup, URL)
    text = "\n".join(document.blocks[at].text for at in main_content(document))
    assert kept in text
    assert left not in text
