"""Sentences, blocks and markers: where they are, and that nothing is lost."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.answers.markers import (
    body_of,
    find_definitions,
    is_id,
    note,
    with_definitions,
    without_notes,
)
from verifaible.answers.sentences import pieces_of, split
from verifaible.errors import ConfigError
from verifaible.text.markdown import blocks_of, plain
from verifaible.text.markers import find_markers, is_number


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split(text)]


@pytest.mark.parametrize(
    "text",
    [
        # English
        "It rose 3.5 percent.|It then fell.",
        "Dr. Smith of Acme Inc. said so.|Nobody else did.",
        "The U.S. economy grew.|The U.K. economy did not.",
        "It was in the U.S.|The rest is history.",
        "See e.g. the report, pp. 3-5, by J. R. Smith et al. for more.",
        "It cost $5.|Then it cost $6!|Why?|Nobody knows…",
        "“It rose.”|He left.",
        "It rose (see Fig. 3).|It fell.",
        "It rose 5 % [@v:1].|It fell 6 % [@v:2].",
        "It rose. [@v:1]|It fell. [@v:2][@v:3]",
        "It rose.[@v:1]|It fell.",
        "On Jan. 5 it rose at 3 p.m. on No. 7.",
        "Version 3.11.2 of verifaible.org is here.|Use it.",
        "It rose approx. five points vs. last year.",
        # Chinese
        "增长5.3%。¦下降3%！¦为什么？¦因为……",
        "增长5.3%[@v:1]。¦下降3%。[@v:2]¦完。",
        "他说：“增长。”¦她说：“下降。”",
        "增长5%，其中出口增长3%；进口下降2%。¦完。",
        # Japanese
        "失業率は2.5％です。¦前年比で減少した。",
        "「増加した。」と述べた。¦その後減少した。",
        # German
        "Am 3. Oktober stieg er.|Am 4. November nicht.",
        "Das gilt z. B. für die Bundesbank.|Und d. h. nichts.",
        "Im 2. Quartal stieg die Quote auf 5,3 %.|Im 3. Quartal fiel sie.",
        "Die Firma liegt auf Rang 3.|Das ist gut.",
        # French
        "M. Dupont et Mme. Durand sont là.|Ils partent.",
        "Il dit : « C'est vrai. »|Elle part.",
    ],
)
def test_where_sentences_end(text: str) -> None:
    # parted by a blank, or by nothing
    assert sentences(text.replace("|", " ").replace("¦", "")) == re.split("[|¦]", text)


def pieces(text: str) -> list[tuple[str, str]]:
    body = body_of(text)
    return [(piece.kind, body[piece.start : piece.end]) for piece in pieces_of(blocks_of(body))]


def test_blocks_of_markdown() -> None:
    text = (
        "# A head #\n\nOne. Two\nlines.\n\n1. first\n   more. Second.\n   - inner\n2. last\n\n"
        "> quoted one. Quoted\n> two.\n\n| a | b\\|c |\n|---|---|\n| 1 | x\\|2 |\n|  | 3 |\n\n"
        "```py\nx = 5.\n```\n\nSet\n===\n\n    code 7\n"
    )
    assert pieces(text) == [
        ("heading", "A head"),
        ("paragraph", "One."),
        ("paragraph", "Two\nlines."),
        ("item", "first\n   more."),
        ("item", "Second."),
        ("item", "inner"),
        ("item", "last"),
        ("paragraph", "quoted one."),
        ("paragraph", "Quoted\n> two."),
        ("header", "a | b\\|c"),
        ("row", "1 | x\\|2"),
        ("row", "3"),
        ("code", "```py\nx = 5.\n```\n"),
        ("heading", "Set"),
        ("code", "    code 7\n"),
    ]


def test_lines_with_markers_are_sentences_of_their_own() -> None:
    assert pieces("Turnover: 5 [@v:1]\nProfit: 6 [@v:2]\nof all\n") == [
        ("paragraph", "Turnover: 5 [@v:1]"),
        ("paragraph", "Profit: 6 [@v:2]"),
        ("paragraph", "of all"),
    ]


_WORDS = st.sampled_from(
    [
        *("It rose", "5.3", "%", ".", "。", "！", "? ", "\n", "\n\n", "- ", "1. ", "# ", "> ", "| a | b |\n"),
        *(
            "|---|---|\n",
            "| 1 | 2 |\n",
            "```\n",
            "**",
            "_",
            "`",
            "[@v:1]",
            "【@v：2】",
            "[@v:",
            "增长5%",
            "「",
            "」",
        ),
        *(
            "\t",
            "  ",
            "\r\n",
            "\r",
            "\\|",
            "|",
            "~~",
            "[x](http://a.b)",
            "<b>",
            "\0",
            "⟦no evidence⟧",
            "\u2028",
        ),
        *("[@v:1]: abcd\n", "<think>", "</think>", "=", "---\n", "é", "🙂", "\ue000", "\U00012470", "&amp;"),
    ]
)
_TEXTS = st.one_of(st.lists(_WORDS, max_size=30).map("".join), st.text(max_size=80))


@given(_TEXTS)
def test_nothing_is_lost(text: str) -> None:
    """The ranges of the pieces and the gaps between them put together give the text back."""
    body = body_of(text)
    assert len(body) == len(text)
    rebuilt, at = "", 0
    for piece in pieces_of(blocks_of(body)):
        assert at <= piece.start < piece.end <= len(text)
        rebuilt += text[at : piece.start] + text[piece.start : piece.end]
        at = piece.end
    assert rebuilt + text[at:] == text


@given(_TEXTS)
def test_every_letter_of_a_paragraph_is_in_a_sentence(text: str) -> None:
    spans = split(text)
    inside = {at for start, end in spans for at in range(start, end)}
    assert all(at in inside for at, char in enumerate(text) if not char.isspace())
    assert all(left[1] <= right[0] for left, right in pairwise(spans))


@given(_TEXTS)
def test_characters_of_a_block_stand_where_it_says(text: str) -> None:
    body = body_of(text)
    for block in blocks_of(body):
        assert len(block.offsets) == len(block.content)
        assert list(block.offsets) == sorted(block.offsets)
        for char, offset in zip(block.content, block.offsets, strict=True):
            assert char == body[offset] or char.isspace()


@given(_TEXTS)
def test_plain_text_is_a_part_of_the_text(text: str) -> None:
    shown = plain(text)
    assert len(shown.text) == len(shown.offsets)
    for char, offset in zip(shown.text, shown.offsets, strict=True):
        assert char in (text[offset], " ") or text[offset] == "&"


# --- markers


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("[@v:1]", ["1"]),
        ("[@v:1][@v:2]", ["1", "2"]),
        ("[@v:1, 2]", ["1 2"]),
        ("[@v:1, @v:2；3、4]", ["1 2 3 4"]),
        ("【@v:1】", ["1"]),
        ("【＠ｖ：３】", ["3"]),
        ("[ @V : 07 ]", ["7"]),
        ("[@v:1F3a]", ["1f3a"]),
        ("[@v:00000000000000000001]", ["00000000000000000001"]),
        ("[@v:1-3]", ["1-3"]),
        ("[@v:]", [""]),
        ("[v:1] (@v:1) [@v 1] [1]", []),
    ],
)
def test_markers(text: str, targets: list[str]) -> None:
    assert [" ".join(marker.targets) for marker in find_markers(text)] == targets


@pytest.mark.parametrize(
    ("target", "number", "identifier"),
    [
        ("1", True, False),
        ("123456", True, False),
        ("1234567", False, True),
        ("12345678901234567890", False, True),
        ("1f3a", False, True),
        ("abc", False, False),
        ("xyz1", False, False),
        ("1-3", False, False),
        ("²", False, False),
    ],
)
def test_numbers_and_ids(target: str, number: bool, identifier: bool) -> None:
    assert (is_number(target), is_id(target)) == (number, identifier)


def test_definitions() -> None:
    text = 'A [@v:1].\n\n[@v:1]: 1F3A\n [@v:02]: <2b4c> "a title"\nNo [@v:3]: 5d6e\n'
    assert find_definitions(text) == {"1": "1f3a", "2": "2b4c"}
    assert body_of(text).split() == ["A", "[@v:1].", "No", "[@v:3]:", "5d6e"]
    with pytest.raises(ConfigError, match="defines \\[@v:1\\] twice"):
        find_definitions("[@v:1]: 1f3a\n[@v:1]: 2b4c")


def test_definitions_are_written_once() -> None:
    text = with_definitions("A [@v:1].\n\n[@v:1]: 1f3a\n", {"1": "2b4c", "2": "5d6e"})
    assert text == "A [@v:1].\n\n[@v:1]: 2b4c\n[@v:2]: 5d6e\n"
    assert with_definitions(text, find_definitions(text)) == text
    assert with_definitions("A.\n", {}) == "A.\n"


def test_notes_are_not_read() -> None:
    text = "A 5" + note("partly", ("7 ⟧|", "8")) + ". B 6" + note("unsupported") + note("broken")
    assert without_notes(text) == "A 5. B 6"
    assert body_of(text).replace(" ", "") == "A5.B6"


def test_thinking_is_no_part() -> None:
    assert body_of("<think>It is 5.</think>It is 6.").strip() == "It is 6."
    assert body_of("It is 5.</think>It is 6.").strip() == "It is 6."
