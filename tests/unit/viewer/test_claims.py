"""Drawing an answer with its claims: each letter keeps its place, each claim its card, nothing runs."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.viewer.judged_samples import ANSWER, HOSTILE
from verifaible.schema.analyst import Claim
from verifaible.viewer.claims import MAX_DRAWN_CHARS, Card, Drawn, drawn_answer
from verifaible.viewer.text import plain_text


def mark(number: int, start: int, end: int, status: str = "exact") -> Card:
    claim = Claim(id=f"c{number}", start=start, end=end, text="", kind="number")
    return Card(claim, number, "", status, "", "", "", (), 0, (), (), None, ())


def whole(text: str, marks: list[Card]) -> tuple[Drawn, ...]:
    return drawn_answer(text, marks)[0]


def placed_in(pieces: tuple[Drawn, ...]) -> list[str]:
    return [card.claim.id for piece in pieces for card in piece.cards]


def soup_of(pieces: tuple[Drawn, ...]) -> BeautifulSoup:
    return BeautifulSoup("".join(piece.html for piece in pieces), "html.parser")


def claimed(pieces: tuple[Drawn, ...]) -> str:
    """The coloured words, links to cards left out."""
    return "".join(each.get_text() for each in soup_of(pieces).select(".claimed"))


def letters(text: str) -> str:
    return re.sub(r"[^\w%$]", "", text)


MARKDOWN = """# BTC **price** & co

Bitcoin is at **$97,000** [1] (up *5.2%* on `the day`). See [CoinGecko](https://www.coingecko.com/en "x y") now.\\
ETH 3&amp;4 \\*is\\* <https://a.example/x?y=1&z=2> at
$3,400. "**Quoted**" end, see [the *nested* one](<https://b.example/a b>).

| Token | Price | Note |
|---|---:|:-:|
| BTC | $97,000 | a\\|b **bold** |
| ETH | $3,400 |  |

- one *two* three
- nested
  - inner 5%
    more inner

1. first
2. second

> quoted 7%
> line two

```
code 8
  code 9
```

    indented 11

Setext 10
=========
tail <context> 12
"""


@pytest.mark.parametrize(
    "words",
    [
        "price",
        "Bitcoin is at",
        "$97,000** [1]",
        "5.2%",
        "the day",
        "CoinGecko",
        " now.",
        "ETH 3",
        "is\\* <https",
        "at\n$3,400",
        "Quoted",
        "nested",
        "$97,000 |",
        "a\\|b **bold**",
        "$3,400 |",
        "two* three",
        "inner 5%",
        "more inner",
        "first",
        "second",
        "quoted 7%",
        "line two",
        "code 8",
        "  code 9",
        "indented 11",
        "Setext 10",
        "tail <context> 12",
    ],
)
def test_the_words_of_a_claim_are_coloured_and_no_others(words: str) -> None:
    at = MARKDOWN.rindex(words)
    pieces = whole(MARKDOWN, [mark(1, at, at + len(words))])
    assert letters(claimed(pieces)) == letters(words)
    assert placed_in(pieces) == ["c1"]


def test_a_claim_over_many_blocks_is_coloured_through_and_has_one_card() -> None:
    start, end = MARKDOWN.index("Bitcoin is"), MARKDOWN.index("inner 5%") + 8
    pieces = whole(MARKDOWN, [mark(1, start, end)])
    shown = claimed(pieces)
    assert shown.startswith("Bitcoin is at")
    assert shown.endswith("inner 5%")
    assert "price" not in shown
    assert "more inner" not in shown
    assert placed_in(pieces) == ["c1"]


def test_a_card_stands_behind_the_block_in_which_its_claim_ends() -> None:
    words = ["$97,000", "$3,400 |", "second", "line two"]
    marks = [mark(n, MARKDOWN.index(each), MARKDOWN.index(each) + len(each)) for n, each in enumerate(words)]
    before = {}
    for piece in whole(MARKDOWN, marks):
        for card in piece.cards:
            before[card.claim.id] = str(piece.html)
    assert before["c0"].rstrip().endswith('<div class="evidence-cards">')
    assert "<p>" in before["c0"]
    assert "</table>" in before["c1"]
    assert ">second<" in before["c2"]
    assert "line two" in before["c3"]


def test_of_claims_over_the_same_words_the_heaviest_gives_the_colour() -> None:
    text = "One two three four."
    marks = [mark(1, 0, 19), mark(2, 4, 13, "incorrect"), mark(3, 8, 13, "missing")]
    found = [(each["class"][1], each.get_text()) for each in soup_of(whole(text, marks)).select(".claimed")]
    assert found == [("exact", "One "), ("refuted", "two "), ("refuted", "three"), ("exact", " four.")]
    chips = [each["href"] for each in soup_of(whole(text, marks)).select("a.chip")]
    assert chips == ["#c2", "#c3", "#c1"]


def test_a_claim_of_a_whole_row_keeps_its_link_in_that_row() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    row = text.index("| 1 | 2 |")
    soup = soup_of(whole(text, [mark(1, row, row + 9), mark(2, row + 10, row + 19)]))
    assert [each.get_text(" ").split() for each in soup.select("tbody tr")] == [
        ["1", "2", "✓", "1"],
        ["3", "4", "✓", "2"],
    ]


def test_lines_may_end_as_on_windows() -> None:
    text = "First line.\r\nSecond **bold** line.\r\n\r\nThird."
    start = text.index("bold")
    assert claimed(whole(text, [mark(1, start, start + 4)])) == "bold"
    assert len(plain_text(text)) == len(text)


def test_nothing_of_an_answer_runs_or_loads() -> None:
    soup = soup_of(whole(ANSWER, [mark(1, 0, len(ANSWER))]))
    assert not soup.select("script, img, iframe, style, link, form, object")
    assert all(str(each["href"]).startswith(("#c", "https://")) for each in soup.select("a"))
    assert not [name for each in soup.find_all(True) for name in each.attrs if name.startswith("on")]
    shown = soup.get_text()
    assert "<script>document.title='owned'</script>" in shown
    assert "[click](javascript:alert(1))" in shown
    assert "\u202e" not in shown
    assert "\x1b" not in shown


def test_a_card_cannot_be_forged_by_the_text() -> None:
    text = "Text \x011\x01 and \x010\x01 more."
    pieces = whole(text, [mark(1, 0, 4)])
    assert placed_in(pieces) == ["c1"]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000,
        "*a **b " * 3_000,
        "_a__" * 4_000,
        ">" * 20_000,
        "".join("  " * level + "- a\n" for level in range(300)),
        "[a](b" * 4_000,
        ("|a" * 150 + "|\n" + "|-" * 150 + "|\n" + ("|1" * 150 + "|\n") * 120),
        "![a](" * 4_000,
        "\\" * 20_000,
        "&" * 20_000,
        "a\n" * 10_000,
        "".join("`" * (run % 70 + 1) + "a" for run in range(1_500)),
        ("word " * 400_000),
    ],
    ids=["[", "*", "_", ">", "lists", "links", "table", "pictures", "\\", "&", "lines", "`", "2 MB"],
)
def test_no_text_is_too_long_or_too_odd_and_no_claim_is_lost(text: str) -> None:
    marks = [mark(number, at, at + 40) for number, at in enumerate(range(0, len(text) - 40, 50))]
    pieces, lost = drawn_answer(text, marks)
    if len(text) <= MAX_DRAWN_CHARS:
        assert placed_in(pieces) == [each.claim.id for each in marks]
    assert {*placed_in(pieces), *(each.claim.id for each in lost)} == {each.claim.id for each in marks}


def test_what_is_nested_too_deep_is_shown_as_it_is() -> None:
    text = "".join("  " * level + f"- level {level}\n" for level in range(40))
    assert "level 39" in soup_of(whole(text, [])).get_text()


_WORDS = st.sampled_from(
    ["one", "2.5", "*b*", "**c**", "`d`", "[e](https://f.example)", "&amp;", "\\*", "\n", "\n\n", "- ", "1. ", "> ",
     "| ", "|\n|---|\n", "# ", "```\n", "  ", "<b>", "http://x.y", "![z](q)", "中文", "\r\n", "_", "]", "("]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(_WORDS, max_size=40).map("".join), st.data())
def test_any_claim_in_any_text_has_one_card_or_is_named_as_lost(text: str, data: st.DataObject) -> None:
    ranges = data.draw(
        st.lists(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted), max_size=6)
    )
    marks = [mark(number, start, end) for number, (start, end) in enumerate(ranges) if start < end]
    pieces = whole(text, marks)
    placed = placed_in(pieces)
    assert len(placed) == len(set(placed))
    assert set(placed) <= {each.claim.id for each in marks}
    chips = [str(each["href"])[1:] for each in soup_of(pieces).select("a.chip")]
    assert sorted(chips) == sorted(placed)
    everything = soup_of(whole(text, [mark(99, 0, len(text))])) if text else soup_of(())
    for chip in everything.select("a.chip"):
        chip.decompose()
    words = letters(everything.get_text())
    coloured = letters("".join(each.get_text() for each in everything.select(".claimed")))
    assert coloured == words


def test_hostile_words_stay_inside_their_claim() -> None:
    at = ANSWER.index(HOSTILE)
    shown = claimed(whole(ANSWER, [mark(1, at, at + len(HOSTILE))]))
    assert letters(shown).startswith("scriptdocumenttitleowned")
    assert "CoinGecko" not in shown
