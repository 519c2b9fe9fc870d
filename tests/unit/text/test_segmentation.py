"""Sentences: what a reader takes for one, in many scripts, and how quickly."""

from __future__ import annotations

import itertools
import time

import pytest

from verifaible.text.segmentation import sentence_around, sentences

#: Language, and a text with a bar between its sentences.
CASES = (
    (
        "",
        "Hello there.|It costs 5.4 per cent of approx. 3 million.|Dr. Reed said (see no. 5) so.|Then?!|Yes.",
    ),
    ("", "He said: “It is bad. It is good.” |Then he left."),
    ("", "(It rained. It snowed.) |Then it was dry."),
    ("", 'She asked: "Is it open? Is it shut?" and left.|He stayed.'),
    ("", "He claimed: “It is safe. It was checked."),
    ("", "1. The bridge is open.|It is not.|"),
    ("", "The dam broke.[1]|It rained.[citation needed]|Next one.¹|Last.†|End."),
    ("", "The U.S. Army left.|Example.com is up.|See www.Example.Com now!|Go."),
    ("", "It was cold in May.|It was wet on Sept. 5 and on Oct. 6.|Warm."),
    ("", "It fell 5.|Six rose."),
    ("", "First line\nsecond line.|Third\n\n|New part"),
    ("", "cafe\u0301.|Caf\u00e9."),
    ("de", "Am 3. Oktober 1990 kam er.|Im Jan. 2020 ging er.|»Ja. Nein.« |Er blieb z. B. hier."),
    ("fr", "« Rien. Tout. » dit-il.|Fin."),
    ("cs", "Dne 5. května přišel.|Odešel."),
    ("zh", "大桥开放。|卡车不行。|“是。不是。”他说。|完。"),
    ("ja", "「はい。いいえ。」と言った。|終わり。"),
    ("hi", "यह पुल खुला है।|ट्रक नहीं।"),
    ("ar", "هل الجسر مفتوح؟|نعم."),
)


@pytest.mark.parametrize(("language", "marked"), CASES)
def test_sentences(language: str, marked: str) -> None:
    parts = [part.strip() for part in marked.split("|") if part.strip()]
    text = marked.replace("|", " ") if not set(marked) & set("。") else marked.replace("|", "")
    found = [text[start:end] for start, end in sentences(text, language)]
    assert found == parts


def test_footnote_marks_that_a_reader_knows_stay_with_their_sentence() -> None:
    text = "It fell.7 It rose.8"
    assert [text[a:b] for a, b in sentences(text, notes=[(8, 9), (18, 19)])] == ["It fell.7", "It rose.8"]


def test_every_word_is_in_a_sentence() -> None:
    text = "A “b. C” d. E (f. G. 1.2 No. 3 h! [2] 他。好 ...\n\n\n  x "
    spans = sentences(text)
    assert "".join(text[a:b] for a, b in spans).split() == text.split() or "".join(
        "".join(text[a:b].split()) for a, b in spans
    ) == "".join(text.split())
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))


def test_a_long_text_takes_no_time() -> None:
    text = "The rate (see no. 5) fell to 5.4 per cent. “It rose,” said Dr. Reed. " * 2000
    began = time.perf_counter()
    assert len(sentences(text)) == 4000
    assert time.perf_counter() - began < 3


def test_a_long_run_of_blanks_behind_a_stop_parts_two_sentences() -> None:
    assert len(sentences("It fell." + "\u00a0" * 60 + "It rose.")) == 2


def test_what_numbers_a_sentence_is_part_of_it() -> None:
    assert sentences("1. It fell.") == [(0, 11)]
    assert sentences("1. It fell. It rose.") == [(0, 11), (12, 20)]


def test_sentences_around_a_stretch_are_whole() -> None:
    text = "One fell. Two rose. Three stood. Four ran."
    start, end = text.index("rose"), text.index(" stood")
    assert text[slice(*sentence_around(text, start, end))] == "Two rose. Three stood."
    assert sentence_around("One fell.\nTwo rose.", 11, 14) == (10, 19)
