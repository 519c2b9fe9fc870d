"""Data files, feeds and given text as Documents."""

from __future__ import annotations

import pytest

from verifaible.errors import WrongContent
from verifaible.extract.data import csv_document, feed_document, json_document, text_document
from verifaible.extract.document import Document


def told(document: Document) -> list[tuple[str, str, str]]:
    return [(block.pointer, block.kind, block.text) for block in document.blocks]


JSON = r'{"a": {"price": 5.40, "b/c~": ["Gr\u00fc\u00dfe. Bis bald.", null]}, "e": [], "n": -1e3, "half": "\ud83d"}'
VALUES = [
    ("/a", "term", '"a"'),
    ("/a/price", "value", '"price": 5.40'),
    ("/a/b~1c~0", "term", '"b/c~"'),
    ("/a/b~1c~0/0", "value", '"Grüße. Bis bald."'),
    ("/a/b~1c~0/1", "value", "null"),
    ("/e", "term", '"e"'),
    ("/n", "value", '"n": -1e3'),
    ("/half", "value", r'"half": "\ud83d"'),
]


@pytest.mark.parametrize("text", [JSON, f"\ufeff{JSON}\n", f"/**/ load.data({JSON});"])
def test_json_keeps_digits_and_says_where_each_value_is(text: str) -> None:
    document = json_document(text)
    assert told(document) == VALUES
    nested = document.blocks[3]
    assert [document.blocks[each.block].pointer for each in nested.governors] == ["/a", "/a/b~1c~0"]
    assert [nested.text[low:high] for low, high in nested.sentences] == ['"Grüße.', 'Bis bald."']


@pytest.mark.parametrize(
    ("text", "pointers"),
    [
        ("[[1, 2], {}, [3]]", ["/0/0", "/0/1", "/2/0"]),
        ("5.0", [""]),
        ('[{"k": 1}, {"k": 2}]', ["/0/k", "/1/k"]),
    ],
)
def test_pointers_of_arrays_and_bare_values(text: str, pointers: list[str]) -> None:
    assert [block.pointer for block in json_document(text).blocks] == pointers


@pytest.mark.parametrize("text", ["", "{", "alert(x)", "[" * 100_000, "a,b"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(WrongContent):
        json_document(text)


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


MARKDOWN = """# Ports ##
Two of them pay:

- Vardal, since 2019,
  and on no other terms
- *Sunde*

1. First
| Port | Ships |
|------|------:|
| Vardal | 3\\|10 |

2 * 3 * 4 is 24. It goes
on here."""


def test_given_text_stands_as_it_is() -> None:
    document = text_document(MARKDOWN)
    assert [(block.kind, block.text) for block in document.blocks] == [
        ("heading", "Ports"),
        ("paragraph", "Two of them pay:"),
        ("item", "- Vardal, since 2019,\nand on no other terms"),
        ("item", "- *Sunde*"),
        ("item", "1. First"),
        ("cell", "Port"),
        ("cell", "Ships"),
        ("cell", "Vardal"),
        ("cell", "3|10"),
        ("paragraph", "2 * 3 * 4 is 24. It goes\non here."),
    ]
    item, last = document.blocks[3], document.blocks[-1]
    assert [(each.kind, each.block) for each in item.governors] == [("heading", 0), ("lead_in", 1)]
    assert [last.text[low:high] for low, high in last.sentences] == ["2 * 3 * 4 is 24.", "It goes\non here."]
    assert [cell.text for cell in document.tables[0].cells] == ["Port", "Ships", "Vardal", "3|10"]
