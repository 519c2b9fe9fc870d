"""The suites of tables, encodings and paging: complete, aligned, exact."""

from __future__ import annotations

import codecs

import pytest

from tests.kit.suites import Row, load
from verifaible.extract.charset import decode_html
from verifaible.extract.html import html_document
from verifaible.extract.markdown import document_markdown
from verifaible.tools.presenting import part_at, parts_about

PARAGRAPH = "<p>Consumer prices rose by two tenths of a percent in the year, and food became dearer.</p>" * 4


def read(html: str) -> str:
    return document_markdown(html_document(html, "https://a.example/")).text


@pytest.mark.parametrize("row", load("grids"), ids=lambda row: row.id)
def test_tables_are_complete_and_aligned(row: Row) -> None:
    html = row.input["html"]
    markdown = read(f"<body><h1>H</h1>{PARAGRAPH}{html}{PARAGRAPH}</body>")
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    found = [["".join(cell.split()) for cell in line.strip("|").split("|")] for line in lines]
    del found[1]
    assert found == row.expect["grid"]


CHINESE = "国家统计局发布二〇二四年居民消费价格数据，比上年上涨百分之零点二，其中食品价格下降。"
RARE = "镕㐂𠮷龦"
TRADITIONAL = "中華民國統計資訊網發布消費者物價指數，較上年同月上漲百分之二點一。"
JAPANESE = "総務省は二〇二五年一月の消費者物価指数を公表した。前年同月比で三・二％の上昇となった。"
KOREAN = "통계청은 이천이십오년 일월 소비자물가지수가 전년 같은 달보다 올랐다고 발표했다."
FRENCH = "L’indice des prix à la consommation a augmenté de 0,2 % – « hors énergie » – en février."
RUSSIAN = "Росстат сообщил об индексе потребительских цен за январь: рост составил ноль целых две десятых."
GREEK = "Ο δείκτης τιμών καταναλωτή αυξήθηκε κατά δύο δέκατα της μονάδας τον Ιανουάριο."

ENCODED = [
    ("gb2312-declared GBK", CHINESE + "镕", "gbk", "gb2312"),
    ("GB18030 four-byte", CHINESE + RARE, "gb18030", "gb2312"),
    ("GB18030 declared GBK", CHINESE + RARE, "gb18030", "gbk"),
    ("GB18030", CHINESE + RARE, "gb18030", "gb18030"),
    ("Big5", TRADITIONAL, "big5", "big5"),
    ("Big5-HKSCS", TRADITIONAL + "嘅咗", "big5hkscs", "big5"),
    ("Shift_JIS", JAPANESE, "shift_jis", "shift_jis"),
    ("Windows-31J", JAPANESE + "①㈱", "cp932", "x-sjis"),
    ("EUC-JP", JAPANESE, "euc-jp", "euc-jp"),
    ("ISO-2022-JP", JAPANESE, "iso2022_jp", "iso-2022-jp"),
    ("EUC-KR", KOREAN, "euc-kr", "euc-kr"),
    ("UHC", KOREAN + "똠방", "cp949", "ks_c_5601-1987"),
    ("windows-1252", FRENCH, "cp1252", "iso-8859-1"),
    ("windows-1251", RUSSIAN, "cp1251", "windows-1251"),
    ("KOI8-R", RUSSIAN, "koi8-r", "koi8-r"),
    ("ISO-8859-7", GREEK, "iso8859-7", "iso-8859-7"),
    ("UTF-8", CHINESE + RARE, "utf-8", "utf-8"),
]


def _page(text: str, meta: str = "") -> str:
    declared = f'<meta charset="{meta}">' if meta else ""
    return (
        f"<!doctype html><html><head>{declared}<title>t</title></head><body>"
        + f"<p>{text}</p>" * 6
        + "</body></html>"
    )


@pytest.mark.parametrize(("name", "text", "codec", "label"), ENCODED, ids=[case[0] for case in ENCODED])
def test_every_encoding_is_read_however_it_is_named(name: str, text: str, codec: str, label: str) -> None:
    by_header = decode_html(_page(text).encode(codec), f"text/html; charset={label}")
    by_meta = decode_html(_page(text, label).encode(codec), "text/html")
    wrong_meta = decode_html(
        _page(text, "koi8-u").encode(codec, "replace"), f'text/html; Charset="{label.upper()}"'
    )
    for decoded in (by_header, by_meta, wrong_meta):
        assert text in decoded.text
        assert decoded.replaced == 0


DETECTED = [case for case in ENCODED if case[0] not in {"ISO-2022-JP", "ISO-8859-7"}]


@pytest.mark.parametrize(("name", "text", "codec", "label"), DETECTED, ids=[case[0] for case in DETECTED])
def test_encodings_that_nothing_names_are_detected(name: str, text: str, codec: str, label: str) -> None:
    assert text in decode_html(_page(text).encode(codec), "text/html").text


@pytest.mark.parametrize(("name", "text", "codec", "label"), DETECTED, ids=[case[0] for case in DETECTED])
def test_a_header_that_says_utf8_of_something_else_is_found_out(
    name: str, text: str, codec: str, label: str
) -> None:
    """Servers add it to every answer; the page itself knows better."""
    decoded = decode_html(_page(text, label).encode(codec), "text/html; charset=utf-8")
    assert text in decoded.text
    assert decoded.replaced == 0


@pytest.mark.parametrize(
    ("bom", "codec"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_byte_order_mark_wins_over_everything(bom: bytes, codec: str) -> None:
    decoded = decode_html(bom + _page(CHINESE, "gbk").encode(codec), "text/html; charset=gb2312")
    assert CHINESE in decoded.text
    assert not decoded.text.startswith("\ufeff")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_read_by_its_header(codec: str) -> None:
    label = codec.replace("-16-", "-16")
    assert CHINESE in decode_html(_page(CHINESE).encode(codec), f"text/html; charset={label}").text


def test_parts_put_together_are_the_page() -> None:
    rows = "".join(f"<tr><td>Row {n}<td>{n}.5" for n in range(900))
    html = f"<h1>H</h1>{PARAGRAPH * 30}<table><tr><th>Name<th>Value{rows}</table>{PARAGRAPH * 20}"
    markdown = read(f"<body>{html}</body>")
    pieces: list[str] = []
    offset = 0
    while True:
        part = part_at(markdown, offset)
        pieces.append(part.text)
        if part.text.startswith("| Row"):
            assert part.shown.startswith("(the table goes on)\n| Name | Value |\n| --- | --- |\n| Row")
        assert all(line.count("|") == 3 for line in part.shown.splitlines() if line.startswith("|"))
        if part.is_last:
            break
        offset = part.end
    assert "".join(pieces) == markdown
    assert len(pieces) > 3
    found = parts_about(markdown, "Row 777")
    assert "| Row 777 | 777.5 |" in found
    assert len(found) < len(markdown) / 10


def test_a_page_that_is_nothing_but_a_table_shows_it_once() -> None:
    html = "<body><h1>H</h1><table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table></body>"
    markdown = read(html)
    assert markdown == "# H\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
