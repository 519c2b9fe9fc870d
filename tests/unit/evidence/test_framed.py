"""Captured pages for a frame: where the evidence is marked, and that nothing hostile is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.browser.malicious.attacks import ATTACKS, QUOTE, Attack
from tests.browser.malicious.captures import add_hostile
from tests.unit.evidence import samples
from verifaible.anchoring.fold import fold
from verifaible.archive.reader import WaczReader
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import WrongContent
from verifaible.evidence.framed import allowed
from verifaible.evidence.framed.files import CapturedFiles, media_type_of
from verifaible.evidence.framed.framed import MARK, framed_page
from verifaible.evidence.framed.place import Marks, place_cells, place_words, resolve
from verifaible.evidence.framed.tree import TreeWriter
from verifaible.evidence.store.store import Store
from verifaible.extract.html import parse_html
from verifaible.schema.citation import Anchor, TableAnchor
from verifaible.schema.table import RawCell, RawTable

_TAG = re.compile(r"<(/?)([^\s>/]*)([^>]*)>")
_ATTRIBUTE = re.compile(r'\s+([^\s="]+)="([^"<>]*)"')


def _marked(marks: Marks) -> list[str]:
    found: list[str] = []
    for piece, spans in marks.words.items():
        text = (piece.element.tail if piece.is_tail else piece.element.text) or ""
        found += [text[start:end] for start, end in spans]
    return found


def _words(markup: str, quote: str, text: str = "", **anchor: object) -> list[str]:
    root = parse_html(f"<!doctype html><html><body>{markup}</body></html>")
    made = Anchor.model_validate({"evidence_type": "text", "text": quote, **anchor})
    return _marked(place_words(root, made, text))


_SHEET = re.compile(r"<style[^<>]*>.*?</style>", re.DOTALL | re.IGNORECASE)


# --- words


def test_words_across_elements_and_blocks() -> None:
    markup = "<p>The <b>rate</b> was <i>5.<span>33</span></i>%</p><p>in March.</p>"
    assert "".join(_words(markup, "rate was 5.33%\nin March")) == "rate was 5.33%in March"


def test_white_space_between_blocks_is_not_marked() -> None:
    assert _words("<ul>\n<li>one</li>\n<li>two</li>\n</ul>", "one\ntwo") == ["one", "two"]


def test_of_two_places_the_one_with_the_context() -> None:
    markup = "<p>In May it was 5%.</p><p>In June it was 5%.</p>"
    root = parse_html(f"<body>{markup}</body>")
    anchor = Anchor(evidence_type="text", text="it was 5%", prefix="In June ", suffix=".")
    (piece,) = place_words(root, anchor, "").words
    assert (piece.element.text or "").startswith("In June")


def test_of_two_equal_places_the_same_one_in_order() -> None:
    markup = "<ul><li>5%</li><li>5%</li><li>5%</li></ul>"
    text = "5%\n5%\n5%"
    root = parse_html(f"<body>{markup}</body>")
    anchor = Anchor(evidence_type="text", text="5%", start=3, end=5)
    (piece,) = place_words(root, anchor, text).words
    assert piece.element is root.findall(".//li")[1]


def test_equal_places_that_nothing_tells_apart_are_not_marked() -> None:
    # One of them was hidden by a style when the text was read: which, the tree does not say.
    assert _words("<p>5%</p><p>5%</p>", "5%", text="5%", start=0, end=2) == []


def test_words_that_are_hidden_are_passed_over() -> None:
    markup = "<p hidden>It was 5%.</p><p style='display: none'>It was 5%.</p><p id=x>It was 5%.</p>"
    root = parse_html(f"<body>{markup}</body>")
    (piece,) = place_words(root, Anchor(evidence_type="text", text="It was 5%"), "").words
    assert piece.element.get("id") == "x"


def test_words_that_are_not_there_are_not_marked() -> None:
    assert _words("<p>It was 6%.</p>", "It was 5%") == []


@pytest.mark.parametrize(
    ("markup", "quote", "marked"),
    [
        ("<p>10<sup>2</sup> m</p>", "10² m", "102 m"),
        ("<p>Sales<sup><a href='#n1'>a</a></sup> rose</p>", "Sales[a] rose", "Salesa rose"),
        ("<p><ruby>漢<rt>かん</rt></ruby>字</p>", "漢字", "漢字"),
        ("<p><ruby>漢<rt>かん</rt></ruby>字</p>", "漢かん字", "漢かん字"),
        ("<p>co\u00adoperate</p>", "cooperate", "co\u00adoperate"),
        ("<p>Ｆｕｌｌ１２</p>", "Full12", "Ｆｕｌｌ１２"),
    ],
)
def test_words_as_a_reader_has_them(markup: str, quote: str, marked: str) -> None:
    assert "".join(_words(markup, quote)) == marked


def test_words_in_a_drawing_or_a_list_of_options_are_not_marked() -> None:
    assert _words("<svg><text>It was 5%</text></svg>", "It was 5%") == []
    assert _words("<select><option>It was 5%</select>", "It was 5%") == []


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("html > body > div:nth-of-type(2) > p", "two"),
        ("#a\\.b > p", "two"),
        ("#\\31 x", "three"),
        ("html > body > div:nth-of-type(9)", None),
        ("#none", None),
        ("#host >>> p", None),
        ("", None),
    ],
)
def test_a_path_leads_to_its_element(path: str, said: str | None) -> None:
    root = parse_html("<body><div>one</div><div id='a.b'><p>two</p></div><b id='1x'>three</b></body>")
    found = resolve(root, path)
    assert (None if found is None else found.text) == said


# --- tables

_TABLE = (
    "<table id=t><thead><tr><th>City</th><th>Month</th></tr></thead><tbody>"
    "<tr><td>A</td><td>1</td></tr><tr class=gone><td>A</td><td>9</td></tr><tr><td>B</td><td>1</td></tr>"
    "</tbody></table>"
)


def _raw(*rows: tuple[str, ...]) -> RawTable:
    cells = tuple(tuple(RawCell(text=text) for text in row) for row in rows)
    return RawTable(css_path="#t", rows=cells, groups=(1, len(rows) - 1), head_rows=1)


def _cells(slot: tuple[int, int], text: str, raw: RawTable) -> tuple[list[str], list[str]]:
    root = parse_html(f"<body>{_TABLE}</body>")
    table = TableAnchor(mode="crosshair", cells=(slot,))
    anchor = Anchor(evidence_type="table", text=text, css_path="#t", table=table)
    marks = place_cells(root, anchor, raw)
    return ["".join(map(str, cell.itertext())) for cell in marks.cells], [
        "".join(map(str, cell.itertext())) for cell in marks.lines
    ]


def test_a_cell_and_what_leads_to_it() -> None:
    raw = _raw(("City", "Month"), ("A", "1"), ("A", "9"), ("B", "1"))
    assert _cells((3, 1), "1", raw) == (["1"], ["B", "Month", "1", "9"])


def test_a_row_that_was_hidden_is_passed_over() -> None:
    raw = _raw(("City", "Month"), ("A", "1"), ("B", "1"))
    assert _cells((2, 1), "1", raw) == (["1"], ["B", "Month", "1"])


def test_a_cell_with_other_words_is_not_marked() -> None:
    raw = _raw(("City", "Month"), ("A", "1"), ("A", "9"), ("B", "1"))
    assert _cells((3, 1), "2", raw) == ([], [])


def test_a_row_that_may_be_another_is_not_marked() -> None:
    # Of the three rows two were read, and both could be the last.
    raw = _raw(("City", "Month"), ("A", "1"), ("C", "1"))
    assert _cells((2, 1), "1", raw) == ([], [])


# --- what is written


def _check_tokens(html: str) -> None:
    """Every "<" begins a tag that is allowed, with attributes that are, but in the sheets of the head."""
    head, _, body = html.partition("</head>")
    assert body.count("<") == len(_TAG.findall(body))
    for closing, tag, rest in _TAG.findall(body):
        name = tag.lower()
        known = name in allowed.ELEMENTS | allowed.DRAWN | allowed.FORMULAS or allowed.is_own_element(name)
        assert known or name in {"body", "html"}, name
        if closing:
            continue
        attributes = _ATTRIBUTE.findall(rest)
        assert "".join(f' {one}="{value}"' for one, value in attributes) == rest, rest
        for one, value in attributes:
            assert not one.startswith("on"), one
            assert one not in {"action", "formaction", "ping", "srcset", "srcdoc", "target", "poster"}, one
            if one == "src":
                assert value.startswith("data:image/"), value
            if one in {"href", "xlink:href"}:
                assert value.startswith("#"), value
    # A style sheet ends where its first "</style" is, whatever else it holds.
    left = _SHEET.sub("", head)
    assert {tag.lower() for _, tag, _ in _TAG.findall(left)} <= {"html", "head", "meta", "title", "!doctype"}


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The store of all hostile pages."""
    return Store(tmp_path_factory.mktemp("attacked"))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_what_is_written_of_a_hostile_page(attacked: Store, attack: Attack) -> None:
    citation = add_hostile(attacked, attack, "fetch(`http://trap.example/x`)", "http://trap.example/x")
    with attacked.open_capture(citation) as reader:
        framed = framed_page(citation, reader)
    html = framed.html.decode()
    assert framed.placed
    assert html.count(f'id="{MARK}"') == 1
    assert fold(QUOTE).text in fold(html).text
    _check_tokens(html)


_PIECES = """
<svg> </svg> <math> <mtext> <style> </style> <title> </title> <textarea> <table> <td> <p> </p> <a href= '
" > < </
<!-- --> <img onerror= src= x / <script> </script> <form> <select> <option> <template> <foreignObject> <desc>
<annotation-xml encoding=text/html> <mglyph> <noscript> </noscript> <xmp> <plaintext> <iframe srcdoc=
<x-y> <image>
<frameset> <body onload= style= url(http://a.example) &lt; &quot; &#x3c; \x00
"""
_SOUP = st.lists(st.sampled_from(_PIECES.split()), max_size=40)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> WaczReader:
    path = tmp_path_factory.mktemp("empty") / "x.wacz"
    with WaczWriter(path, title="x", created=samples.NOW) as writer:
        writer.close()
    return WaczReader(path)


@given(parts=_SOUP)
@settings(max_examples=300)
def test_what_is_written_of_any_markup(empty: WaczReader, parts: list[str]) -> None:
    root = parse_html("<body>" + " ".join(parts))
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    writer = TreeWriter(CapturedFiles(empty), "http://a.example/", "http://a.example/", Marks())
    _check_tokens("</head>" + writer.write(body))


def test_only_what_the_bytes_say_is_a_picture() -> None:
    assert media_type_of(samples.PNG) == "image/png"
    assert media_type_of(b"\xef\xbb\xbf<?xml version='1.0'?><!-- x --><svg/>") == "image/svg+xml"
    assert media_type_of(b"<html><svg></svg></html>") == ""
    assert media_type_of(b"<!doctype html><script></script><svg>") == ""
    assert media_type_of(b"<script>1</script>") == ""
    assert media_type_of(b"") == ""


def test_a_capture_without_a_page_has_none_to_show(tmp_path: Path) -> None:
    store = Store(tmp_path)
    seen = samples.material(store)
    citation = store.add(**seen)
    with WaczReader(_without_page(tmp_path)) as reader, pytest.raises(WrongContent, match="picture"):
        framed_page(citation, reader)


def _without_page(folder: Path) -> Path:
    path = folder / "bare.wacz"
    with WaczWriter(path, title="x", created=samples.NOW) as writer:
        writer.add_file("evidence/text.txt", b"x")
        writer.close()
    return path
