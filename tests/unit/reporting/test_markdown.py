"""Coloured text: no word is lost, elements nest, and nothing of the text is obeyed."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from verifaible.reporting.markdown import Span, marked_html, marked_pieces

FLAG = '<a class="f" href="#c1">!</a>'
MARKDOWN = st.lists(
    st.sampled_from(
        [
            *(
                "a",
                "b",
                " ",
                ".",
                "\n",
                "\n\n",
                "- ",
                "3. ",
                "# ",
                "**",
                "*",
                "`",
                "|",
                "|-|-:|\n",
                "> ",
                "```\n",
                "    ",
            ),
            *("&amp;", "\r\n", "\U00012470", "\\", "[a](http://b.example)", "![x](http://e.example/p.png)"),
            "<script>alert(1)</script>",
        ]
    ),
    max_size=30,
).map("".join)


def span(text: str, words: str, kind: str = "bad") -> Span:
    start = text.index(words)
    return Span(start, start + len(words), kind, FLAG)


def soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


def test_a_span_is_coloured_over_emphasis_and_flagged_behind_its_end() -> None:
    text = "It **grew by 5 %** in May. Then it fell."
    page = soup(marked_html(text, [span(text, "grew by 5 %** in May.")]))
    assert "".join(each.get_text() for each in page.select(".s.bad")) == "grew by 5 % in May."
    assert page.get_text().strip() == "It grew by 5 % in May.! Then it fell."


def test_an_end_within_the_unseen_part_of_a_link_stays_out_of_its_address() -> None:
    text = "See [the filing](https://a.example/x) for it. More."
    for end in range(text.index("]"), text.index(")") + 2):
        page = soup(marked_html(text, [Span(0, end, "bad", FLAG)]))
        assert page.select_one("a[rel]")["href"] == "https://a.example/x"  # type: ignore[index]
        assert len(page.select(".f")) == 1
        assert "More" not in "".join(each.get_text() for each in page.select(".s"))
        assert not page.select("a a")


def test_items_of_a_list_are_pieces_that_keep_their_numbers() -> None:
    text = "Intro.\n\n4. four\n5. five\n   - inner\n\nEnd.\n"
    pieces = marked_pieces(text, [])
    assert [text[each.start : each.end].strip() for each in pieces] == [
        "Intro.",
        "4. four",
        "5. five\n   - inner",
        "End.",
    ]
    assert [soup(each.html).ol["start"] for each in pieces[1:3]] == ["4", "5"]  # type: ignore[index]


def test_columns_are_aligned_by_a_class_since_pages_allow_no_style() -> None:
    html = marked_html("| a | b |\n|---|---:|\n| x | 1 |\n", [])
    assert "style" not in html
    assert [each.get("class") for each in soup(html).select("td")] == [None, ["right"]]


def test_lines_that_are_code_to_markdown_are_coloured_too() -> None:
    text = "Report\n\n    The rate was 5 %. It fell.\n\n```\nrate: 5\n```\n"
    page = soup(marked_html(text, [span(text, "The rate was 5 %."), span(text, "rate: 5")]))
    assert [each.get_text() for each in page.select("pre .s")] == ["The rate was 5 %.", "rate: 5"]
    assert "```" not in page.get_text()
    assert len(page.select(".f")) == 2


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "a",
                    "bc ",
                    "d\n",
                    "  \n",
                    "\t",
                    "\n\n",
                    "- e ",
                    "> ",
                    "# f #\n",
                    "**g** ",
                    "*",
                    "__",
                    "~~h~~",
                    "`",
                    "`` i`j ``",
                ),
                *(
                    "[k *l* `m`](<http://n.example/o p> 'q')",
                    "![r *s*](http://t.example)",
                    "<http://u.example/%20ä>",
                    "&auml;",
                ),
                *("\\*", "| v | w\\|x |\n|-|-|\n| y | z |\n", "```\n", "    ", "]", "](http://b.example)"),
            ]
        ),
        max_size=20,
    ).map("".join),
    st.data(),
)
def test_a_letter_that_is_coloured_is_the_letter_of_the_text(text: str, data: st.DataObject) -> None:
    letters = [place for place, char in enumerate(text) if char.isalnum()]
    place = data.draw(st.sampled_from(letters)) if letters else 0
    coloured = soup(marked_html(text, [Span(place, place + 1, "bad", FLAG)] if letters else []))
    shown = "".join(each.get_text() for each in coloured.select(".s")).removeprefix("[image: ")
    # Of an entity or an address in another spelling, no single letter is shown.
    assert shown in ("", text[place : place + 1], "ä") or "u.example" in shown
    assert len(coloured.select(".f")) == bool(letters)


@given(MARKDOWN, st.lists(st.integers(0, 60), max_size=6))
def test_pieces_are_the_whole_and_nothing_is_obeyed(text: str, cuts: list[int]) -> None:
    bounds = sorted({min(cut, len(text)) for cut in cuts})
    spans = [Span(a, b, "bad", FLAG) for a, b in zip(bounds[::2], bounds[1::2], strict=False)]
    bare, whole = soup(marked_html(text, [])), soup(marked_html(text, spans))
    for flag in whole.select(".f"):
        flag.extract()
    # Half a pair of asterisks may be shown or obeyed where a span ends between them; words stay.
    words = re.sub(r"\W+", "", whole.get_text())
    assert words == re.sub(r"\W+", "", bare.get_text())
    pieces = "".join(each.html for each in marked_pieces(text, spans))
    assert re.sub(r"\W+", "", soup(pieces).get_text()) == words
    assert not soup(pieces).select("script, img, [style], a a")
