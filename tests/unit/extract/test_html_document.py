"""Static mark-up as a Document: tables of the suite ``grids``, what inline style hides, and structure."""

from __future__ import annotations

import pytest

from tests.kit import suites
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


@pytest.mark.parametrize(
    "markup", ["", " ", "<!-- only -->", "<p>", "<?xml version='1.0' encoding='utf-16'?><p>", "&#32;"]
)
def test_markup_without_words(markup: str) -> None:
    assert html_document(markup).blocks == ()


def test_deep_markup() -> None:
    depth = 1500
    document = html_document("<div>" * depth + "deep" + "</div>" * depth)
    assert [block.text for block in document.blocks] == ["deep"]
