"""What readers do not see never comes through, is counted by channel, and nothing else is lost."""

from __future__ import annotations

import pytest

from tests.unit.extract.hidden_cases import CHANNELS, HIDDEN, INNOCENT, Case
from verifaible.extract import strip
from verifaible.extract.html import PageText, parse_html, to_markdown

URL = "https://www.example.org/news/page.html"
PARAGRAPH = "<p>Consumer prices rose by two tenths of a percent in the year, and food became dearer.</p>" * 4
#: Characters that hide by being unseen.
UNSEEN = "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\ufe02\ufe03\ufe04"


def page_of(case: Case) -> str:
    return (
        f"<!doctype html><html><head><title>Prices</title>{case.head}<style>{case.style}</style></head>"
        f"<body><main><h1>Prices</h1>{PARAGRAPH}{case.body}<p>the end</p></main></body></html>"
    )


def everything(read: PageText) -> str:
    """All that could reach a model."""
    tables = " ".join(cell.text for table in read.tables for row in table.rows for cell in row)
    captions = " ".join(table.caption for table in read.tables)
    outline = " ".join(heading.text for heading in read.outline)
    links = " ".join(f"{link.url} {link.text}" for link in read.links)
    return "\n".join((read.title, read.markdown, read.text, tables, captions, outline, links, read.published))


@pytest.mark.parametrize(
    ("number", "case"), list(enumerate(HIDDEN)), ids=[f"{case.channel}-{case.name}" for case in HIDDEN]
)
def test_what_nobody_sees_does_not_come_through_and_is_counted(number: int, case: Case) -> None:
    filled, words = case.filled(number)
    read = to_markdown(page_of(filled), URL)
    shown = everything(read)

    assert words not in shown
    assert not any(each in shown for each in UNSEEN)
    assert not any(0xE0000 <= ord(each) <= 0xE01EF for each in shown)
    assert "food became dearer" in read.markdown
    assert "the end" in read.markdown
    assert dict(read.removed.channels).get(case.channel), read.removed


@pytest.mark.parametrize(("number", "case"), list(enumerate(INNOCENT)), ids=[case.name for case in INNOCENT])
def test_what_readers_see_stays(number: int, case: Case) -> None:
    filled, words = case.filled(number)
    read = to_markdown(page_of(filled), URL)
    assert words in read.text
    assert words in read.markdown


def test_all_eighteen_channels_have_cases() -> None:
    assert {case.channel for case in HIDDEN} == set(CHANNELS) == set(strip.CHANNELS)
    assert len(CHANNELS) == 18


def test_all_cases_stand_together_in_one_page() -> None:
    """No rule of one case undoes that of another."""
    hidden = [case.filled(number) for number, case in enumerate(HIDDEN)]
    shown = [case.filled(1000 + number) for number, case in enumerate(INNOCENT)]
    heads = "".join(case.head for case, _ in hidden)
    styles = "".join(f"<style>{case.style}</style>" for case, _ in hidden + shown)
    body = "".join(f"<div>{case.body}</div>" for case, _ in hidden + shown)
    read = to_markdown(f"<html><head>{heads}{styles}</head><body>{PARAGRAPH}{body}</body></html>", URL)
    found = everything(read)
    assert [words for _, words in hidden if words in found] == []
    assert [words for _, words in shown if words not in read.text] == []
    assert {name for name, _ in read.removed.channels} == set(CHANNELS)


def test_a_linked_style_sheet_counts_where_it_is_at_hand() -> None:
    head = '<link rel="stylesheet" href="../a.css"><link rel=stylesheet media=print href=b.css>'
    html = f"<html><head>{head}</head><body>{PARAGRAPH}<p class=ghost>quagga</p></body></html>"
    address = "https://www.example.org/a.css"
    assert strip.sheet_links(parse_html(html), URL) == [address]

    blind = to_markdown(html, URL)
    assert blind.removed.unread_sheets == 1
    seeing = to_markdown(html, URL, {address: ".ghost{display:none}"})
    assert seeing.removed.unread_sheets == 0
    assert "quagga" in blind.text
    assert "quagga" not in seeing.text + seeing.markdown


def test_later_sheets_win_over_earlier_ones_in_document_order() -> None:
    link = "<link rel=stylesheet href=a.css>"
    style = "<style>.x{display:block}</style>"
    sheets = {"https://www.example.org/news/a.css": ".x{display:none}"}
    body = f"<body>{PARAGRAPH}<p class=x>quagga</p></body>"
    assert "quagga" in to_markdown(f"<head>{link}{style}</head>{body}", URL, sheets).text
    assert "quagga" not in to_markdown(f"<head>{style}{link}</head>{body}", URL, sheets).text


def test_colours_that_only_a_browser_can_judge_are_told() -> None:
    """A positioned box may stand over a picture; a sheet that was not read may paint the ground."""
    over = '<div style="position:absolute"><h2 style="color:white">quagga words</h2></div>'
    read = to_markdown(f"<body>{PARAGRAPH}{over}</body>", URL)
    assert read.removed.unsure == len("quaggawords")
    linked = "<link rel=stylesheet href=a.css><p style='color:#fff'>quagga</p>"
    assert to_markdown(f"<body>{PARAGRAPH}{linked}</body>", URL).removed.unsure == len("quagga")
    plain = to_markdown(f"<body>{PARAGRAPH}<p style='color:#fff'>quagga</p></body>", URL)
    assert plain.removed.unsure == 0


def test_attributes_without_words_are_not_counted() -> None:
    read = to_markdown(f'<body>{PARAGRAPH}<img alt=""><img alt=" - "><p title="">x</p></body>', URL)
    assert read.removed.channels == ()


def test_data_attributes_and_form_values_are_no_text() -> None:
    body = '<p data-text="quagga">x</p><input value="quagga"><textarea>quagga</textarea>'
    assert "quagga" not in everything(to_markdown(f"<body>{PARAGRAPH}{body}</body>", URL))


def test_an_address_keeps_its_unseen_characters_in_a_form_that_is_seen() -> None:
    read = to_markdown(f"<body>{PARAGRAPH}<a href='/a\u200bb\U000e0041'>x</a></body>", URL)
    assert read.links[0].url == "https://www.example.org/a%E2%80%8Bb%F3%A0%81%81"


@pytest.mark.parametrize(
    "sheet",
    [
        "{",
        "}",
        "}}}} q{display:none}",
        "@media {",
        "p{color:",
        'p{content:"',
        "a{b{c{d{e{f{",
        "@" * 500,
        "p:nth-child(2n+){x:y}",
        ":is(:is(:is(",
        "p{--a:var(--b);--b:var(--a);display:var(--a)}",
        "/*",
        "\\",
        "p\\",
        "@import",
        "p{transform:matrix(a,b,c,d,e,f);clip:rect(;clip-path:inset();font-size:1e999px}",
        "p{color:rgb(1,2);background:hsl(x,y,z)}",
        "[a=]{}[=b]{}[a~=''] p{x:y}",
        "{" * 3000,
        ":not(" * 1500,
    ],
)
def test_any_style_sheet_is_read(sheet: str) -> None:
    read = to_markdown(f"<style>{sheet}</style><body>{PARAGRAPH}</body>", URL)
    assert "food became dearer" in read.text
