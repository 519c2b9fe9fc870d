"""Encodings: the order of a browser, and the labels of the WHATWG Encoding Standard."""

from __future__ import annotations

import codecs

import pytest

from verifaible.extract.charset import decode_html, decode_text, encoding_for_label

CHINESE = "国家统计局发布二〇二四年居民消费价格数据，比上年上涨百分之零点二。"


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("x-gbk", "gb18030"),
        ("iso-8859-1", "windows-1252"),
        ("latin1", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("utf8", "utf-8"),
        (" UTF-8 ", "utf-8"),
        ("x-sjis", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
        ("big5-hkscs", "big5"),
        ("unicode", "utf-16le"),
        ("tis-620", "windows-874"),
        ("x-mac-ukrainian", "x-mac-cyrillic"),
        ("utf-16be", "utf-16be"),
        ("no-such-label", ""),
    ],
)
def test_labels_mean_what_the_standard_says(label: str, encoding: str) -> None:
    assert encoding_for_label(label) == encoding


@pytest.mark.parametrize(
    ("body", "content_type", "encoding", "source"),
    [
        (codecs.BOM_UTF8 + CHINESE.encode(), "text/html; charset=gbk", "utf-8", "bom"),
        (codecs.BOM_UTF16_LE + CHINESE.encode("utf-16le"), "text/html", "utf-16le", "bom"),
        (codecs.BOM_UTF16_BE + CHINESE.encode("utf-16be"), "text/html", "utf-16be", "bom"),
        (CHINESE.encode("gbk"), "text/html; charset=gb2312", "gb18030", "header"),
        (CHINESE.encode("gb18030"), 'text/html;Charset="GBK"', "gb18030", "header"),
        (b'<meta charset="gb2312">' + CHINESE.encode("gbk"), "text/html", "gb18030", "meta"),
        (
            b'<meta http-equiv="Content-Type" content="text/html; charset=gb2312">' + CHINESE.encode("gbk"),
            "text/html; charset=bogus",
            "gb18030",
            "meta",
        ),
        (b'<?xml version="1.0" encoding="GBK"?>' + CHINESE.encode("gbk"), "text/xml", "gb18030", "meta"),
        (b'<!-- <meta charset="gbk"> -->' + CHINESE.encode(), "text/html", "utf-8", "detector"),
        (b'<meta charset="utf-16">' + CHINESE.encode(), "text/html", "utf-8", "meta"),
        (b" " * 1024 + b'<meta charset="latin1">' + CHINESE.encode(), "text/html", "utf-8", "detector"),
        (CHINESE.encode("gbk") * 3, "", "gb18030", "detector"),
        (CHINESE.encode() * 3, "text/plain", "utf-8", "detector"),
    ],
)
def test_the_encoding_is_chosen_as_a_browser_does(
    body: bytes, content_type: str, encoding: str, source: str
) -> None:
    decoded = decode_html(body, content_type)

    assert (decoded.encoding, decoded.source, decoded.replaced) == (encoding, source, 0)
    assert CHINESE in decoded.text
    assert not decoded.text.startswith("\ufeff")


def test_gb2312_pages_may_hold_characters_outside_of_gb2312() -> None:
    rare = "朱镕基、㐂、𠮷"
    assert decode_html(rare.encode("gb18030"), "text/html; charset=gb2312").text == rare


@pytest.mark.parametrize(
    ("label", "body", "text"),
    [
        ("gb2312", b"\x80100 \xa3\xa0\xb9\xfa", "€100 \u3000国"),
        ("gbk", b"\x80", "€"),
        ("gb18030", b"\xa6\xd9\xa8\xbc\xfe\x59", "\ufe10\u1e3f\u9fb4"),
        ("iso-8859-1", b"\x93\x81\x94", "\u201c\x81\u201d"),
        ("windows-1251", b"\xcc\x98", "М\x98"),
        ("tis-620", b"\xa1\x90", "ก\x90"),
        ("koi8-u", b"\xae\xbe", "ўЎ"),
        ("x-mac-cyrillic", b"\x8c\xee\xf1\xea\xe2\xe0 \xff", "Москва €"),
        ("x-user-defined", b"a\x80\xff", "a\uf780\uf7ff"),
    ],
)
def test_bytes_are_read_as_browsers_read_them(label: str, body: bytes, text: str) -> None:
    """The texts are those of Chromium's ``TextDecoder``."""
    decoded = decode_html(body, f"text/html; charset={label}")
    assert (decoded.text, decoded.source, decoded.replaced) == (text, "header", 0)


@pytest.mark.parametrize(
    ("label", "body", "text"),
    [
        ("gbk", b"\x80100 \xff", "€100 \ufffd"),
        ("windows-1253", b"\xc1\x81\xaa", "Α\x81\ufffd"),
    ],
)
def test_what_browsers_cannot_read_either_is_counted(label: str, body: bytes, text: str) -> None:
    decoded = decode_html(body, f"text/html; charset={label}")
    assert (decoded.text, decoded.replaced) == (text, 1)


def test_only_files_may_be_utf32() -> None:
    body = codecs.BOM_UTF32_LE + "Übung".encode("utf-32le")
    assert (decode_text(body).text, decode_html(body).encoding) == ("Übung", "utf-16le")


@pytest.mark.parametrize(
    ("body", "text", "replaced"),
    [
        (b"a\xffb", "a\ufffdb", 1),
        (b"a\xe5\x9b", "a\ufffd", 1),
        ("a\ufffdb".encode() + b"\xff", "a\ufffdb\ufffd", 1),
    ],
)
def test_malformed_bytes_are_replaced_and_counted(body: bytes, text: str, replaced: int) -> None:
    decoded = decode_html(body, "text/html; charset=utf-8")
    assert (decoded.text, decoded.replaced) == (text, replaced)


def test_a_cut_inside_a_character_at_the_end_of_the_sample_is_still_utf8() -> None:
    body = ("x" + "国" * 70_000).encode()
    assert decode_html(body).encoding == "utf-8"


@pytest.mark.parametrize(
    ("meta", "encoding"),
    [
        ('<meta name="description" content="how to write charset=koi8-r">', "utf-8"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', "koi8-r"),
        ("<meta content='text/html;charset=koi8-r' http-equiv=content-type>", "koi8-r"),
        ("<meta data-charset=koi8-r>", "utf-8"),
        ("<meta charset=koi8-r />", "koi8-r"),
    ],
)
def test_only_a_declaration_declares(meta: str, encoding: str) -> None:
    decoded = decode_html(f"<html><head>{meta}</head><p>plain".encode(), "")
    assert (decoded.encoding == "koi8-r") == (encoding == "koi8-r")


def test_a_late_declaration_in_the_head_counts() -> None:
    filler = "<script>" + "x" * 3000 + "</script>"
    page = f"<html><head>{filler}<meta charset=gbk></head><body><p>中</p>".encode("gbk")
    assert decode_html(page, "text/html").source == "meta"
    late = f"<html><head>{filler}</head><body><meta charset=gbk><p>中</p>".encode("gbk")
    assert decode_html(late, "text/html").source == "detector"
