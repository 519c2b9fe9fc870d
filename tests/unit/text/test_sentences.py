from __future__ import annotations

import random

import pytest
from uniseg.sentencebreak import sentence_boundaries

from verifaible.old.text.sentences import breaks, sentence_span, sentences_of


def around(text: str, words: str, *, lines: bool = False) -> str:
    start = text.index(words)
    first, last = sentence_span(text, start, start + len(words), lines=lines)
    return text[first:last]


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("It fell. It did not rise to 5. It stayed.", "rise to 5", "It did not rise to 5."),
        ("Dr. Smith said no. He left.", "said no", "Dr. Smith said no."),
        ("The U.S. did not sign. France did.", "sign", "The U.S. did not sign."),
        ("It was 49 °C. It fell then.", "fell", "It fell then."),
        ("It stands in assert.c. It is short.", "short", "It is short."),
        ("J. K. Rowling wrote it. She said so.", "wrote it", "J. K. Rowling wrote it."),
        ("他没有同意。他走了。", "同意", "他没有同意。"),
        ("Title\nIt rose.\nNext", "rose", "It rose."),
        ("A cell\tanother cell", "another", "another cell"),
        ("One. Two. Three.", "One. Two", "One. Two."),
        ("no stop here", "stop", "no stop here"),
    ],
)
def test_the_sentence_around_words(text: str, words: str, sentence: str) -> None:
    assert around(text, words) == sentence


def test_line_ends_of_a_pdf_are_within_sentences() -> None:
    text = "Head\n\nThe rate did not\nrise to 5.33 per cent.\nIt fell."
    assert around(text, "rise", lines=True) == "The rate did not\nrise to 5.33 per cent."


def test_boundaries_are_those_of_the_standard_for_any_signs() -> None:
    chance = random.Random(3)
    signs = "aabcABZ019 .. !?,;:()\"'”’»-–…。！？　中文あ\u0301\u200d\xad\u2029\r\n\tकß/%$"
    for _ in range(600):
        text = "".join(chance.choice(signs) for _ in range(chance.randint(0, 40)))
        assert breaks(text) == list(sentence_boundaries(text)), repr(text)


def test_all_sentences_of_a_text_touch_and_miss_nothing() -> None:
    text = 'Dr. Smith (of the U.S. team) said: "It rose 3.5 per cent." He left. 他没有同意。他走了。 see e.g. below'
    spans = sentences_of(text)
    assert [text[start:end] for start, end in spans] == [
        'Dr. Smith (of the U.S. team) said: "It rose 3.5 per cent." ',
        "He left. ",
        "他没有同意。",
        "他走了。",
        " see e.g. below",
    ]
