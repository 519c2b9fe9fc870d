"""What markup itself hides never comes through, and nothing else is lost.

What a layout hides is tested where a browser is: tests/browser/test_one_reader.py.
"""

from __future__ import annotations

import pytest

from verifaible.old.extract.html import PageText, to_markdown
from verifaible.old.extract.visible import declarations

URL = "https://www.example.org/news/page.html"
PARAGRAPH = "<p>Consumer prices rose by two tenths of a percent in the year, and food became dearer.</p>" * 4


def everything(read: PageText) -> str:
    """All that could reach a model."""
    tables = " ".join(cell.text for table in read.tables for row in table.rows for cell in row)
    captions = " ".join(table.caption for table in read.tables)
    outline = " ".join(heading.text for heading in read.outline)
    links = " ".join(f"{link.url} {link.text}" for link in read.links)
    return "\n".join((read.title, read.markdown, read.text, tables, captions, outline, links, read.published))


@pytest.mark.parametrize(
    "body",
    [
        '<p style="color:red;DISPLAY : None !important">quagga</p>',
        '<p style="display:none;display:block;display:/* x */none">quagga</p>',
        '<table><tr><th>a<th>b<tr style="display:none"><td>quagga<td>2<tr><td>3<td>4</table>',
        "<dialog>quagga</dialog>",
        '<p style="visibility:hidden">quagga</p>',
        '<table><tr><th>a<th>b<tr><td style="visibility:hidden">quagga<td>2</table>',
        "<p hidden>quagga</p>",
        '<p aria-hidden=" TRUE ">quagga</p>',
        '<a href="/x" aria-label="quagga">more</a>',
        '<img src="/x.png" alt="quagga">',
        "wo<!--quagga-->rd",
        "<noscript><p>quagga</p></noscript>",
        '<script type="text/x-template"><p>quagga</p></script>',
        "<p>a\u200b\u2060b</p>",
        "<p>a&#xE0041;&#xE0042;b</p>",
        '<p><abbr title="quagga">GDP</abbr></p>',
        '<script type="application/ld+json">{"headline":"quagga"}</script>',
        "<details><summary>more</summary>quagga<p>quagga</p></details>",
    ],
)
def test_what_the_markup_hides_does_not_come_through(body: str) -> None:
    read = to_markdown(f"<body>{PARAGRAPH}{body}<p>the end</p></body>", URL)
    shown = everything(read)
    assert "quagga" not in shown
    assert not {"\u200b", "\u2060", "\U000e0041"} & set(shown)
    assert "food became dearer" in read.markdown
    assert "the end" in read.markdown


@pytest.mark.parametrize(
    "body",
    [
        '<p style="display:none;display:block">quagga</p>',
        '<p style="display:block!important;display:none">quagga</p>',
        "<details open><summary>s</summary>quagga</details>",
        "<details><summary>quagga</summary>x</details>",
        "<dialog open>quagga</dialog>",
        "<p aria-hidden=false>quagga</p>",
    ],
)
def test_what_readers_see_stays(body: str) -> None:
    assert "quagga" in to_markdown(f"<body>{PARAGRAPH}{body}</body>", URL).markdown


@pytest.mark.parametrize(
    ("style", "declared"),
    [
        ("a:b;a:c", {"a": "c"}),
        ("A: B !important; a: c", {"a": "b"}),
        ("x:url(data:a;b);y:'p;q:r'", {"x": "url(data:a;b)", "y": "'p;q:r'"}),
        ("/* a:b */ c:d; e", {"c": "d"}),
        ("((((", {}),
    ],
)
def test_declarations(style: str, declared: dict[str, str]) -> None:
    assert declarations(style) == declared


def test_data_attributes_and_form_values_are_no_text() -> None:
    body = '<p data-text="quagga">x</p><input value="quagga"><textarea>quagga</textarea>'
    assert "quagga" not in everything(to_markdown(f"<body>{PARAGRAPH}{body}</body>", URL))


def test_an_address_keeps_its_unseen_characters_in_a_form_that_is_seen() -> None:
    read = to_markdown(f"<body>{PARAGRAPH}<a href='/a\u200bb\U000e0041'>x</a></body>", URL)
    assert read.links[0].url == "https://www.example.org/a%E2%80%8Bb%F3%A0%81%81"
