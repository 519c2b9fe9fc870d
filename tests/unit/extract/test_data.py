"""Data files and feeds."""

from __future__ import annotations

import pytest

from verifaible.errors import WrongContent
from verifaible.extract.data import csv_document, feed_document, indented_json

JSON = r'{"a": {"price": 5.40, "b/c~": ["Gr\u00fc\u00dfe.", null]}, "e": [], "n": -1e3, "half": "\ud83d"}'
SHOWN = r"""{
 "a": {
  "price": 5.40,
  "b/c~": [
   "Grüße.",
   null
  ]
 },
 "e": [],
 "n": -1e3,
 "half": "\ud83d"
}"""


@pytest.mark.parametrize("text", [JSON, f"\ufeff{JSON}\n", f"/**/ load.data({JSON});"])
def test_json_keeps_its_digits(text: str) -> None:
    assert indented_json(text) == SHOWN


@pytest.mark.parametrize("text", ["", "{", "alert(x)", "[" * 100_000, "a,b"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(WrongContent):
        indented_json(text)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_is_a_table(mark: str) -> None:
    text = 'Port,Ships\nVardal,310\n\n"Sund, outer\n",\n'.replace(",", mark)
    (table,) = csv_document(text).tables
    assert (table.width, table.height, table.head_rows) == (2, 3, 1)
    assert [
        [cell.text if (cell := table.at(row, column)) else None for column in (0, 1)] for row in range(3)
    ] == [
        ["Port", "Ships"],
        ["Vardal", "310"],
        [f"Sund{mark.strip() or ' '} outer".replace("  ", " "), ""],
    ]
    ships = csv_document(text).blocks[3]
    assert (ships.text, ships.pointer, ships.rows[0].row, ships.rows[0].place) == ("310", "/1/1", 1, 1)
    assert csv_document(text).cell_of(ships) == table.at(1, 1)


@pytest.mark.parametrize("text", ["", "one\ntwo", "a,b\nc\nd\ne,f,g\n"])
def test_an_uneven_file_is_no_table(text: str) -> None:
    with pytest.raises(WrongContent):
        csv_document(text)


RSS = """<?xml version="1.0" encoding="latin1"?><rss><channel><title>Harbour news</title>
<item><title>Ferry &amp; ice</title><pubDate>Tue, 3 Mar 2026</pubDate>
<description>&lt;p&gt;The ferry &lt;b&gt;rests&lt;/b&gt;.&lt;script&gt;x()&lt;/script&gt;&lt;p&gt;Ice is thick.</description></item>
<item><description>No title here.</description></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title><entry><title type="html">One &lt;i&gt;note&lt;/i&gt;</title>
<updated>2026-03-03</updated><summary>Plain.</summary></entry></feed>"""


@pytest.mark.parametrize(
    ("text", "title", "said"),
    [
        (RSS, "Harbour news", ["Ferry & ice", "Tue, 3 Mar 2026", "The ferry rests.", "Ice is thick.", "(without a title)", "No title here."]),
        (ATOM, "Notes", ["One note", "2026-03-03", "Plain."]),
        ("<x><!-- left out --><y>1</y></x>", "", ["<x><y>1</y></x>"]),
        ("<", "", ["<"]),
    ],
)  # fmt: skip
def test_feeds_are_their_entries(text: str, title: str, said: list[str]) -> None:
    document = feed_document(text)
    assert (document.title, [block.text for block in document.blocks]) == (title, said)
    assert document.medium == "data"
