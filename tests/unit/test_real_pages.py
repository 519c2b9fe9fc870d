"""The machinery that measures citing on saved real pages, on a small page of our own and without a browser."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scripts.accuracy import real_pages, real_report
from scripts.accuracy.outcome import Result
from scripts.accuracy.real_drift import DRIFTS, drifted, outcome
from scripts.accuracy.real_edits import ALLOWED, JOINED, REFUSED, edits, squeeze
from scripts.accuracy.real_quotes import Quote, quotes, sentences
from scripts.accuracy.real_reader import Saved, parse
from verifaible.text.same import same

_LINES = [
    "The <b>old mill</b> at Farrow wasn't sold for $12,450 million in 1987, said its well-known owner Ann Berg.",
    "Nobody has seen the other half of the river boats since the great flood of that wet year.",
    "Mr. Hale keeps 37 bees in the yard behind the school, and <a href=x>the children feed</a> them each day.",
    "A third path leads over the ridge to the lake, where two herons nest in the reeds every spring.",
    "Visitors find a small room with maps, a lamp and a long table that the carpenter made himself.",
]
_CELLS = "<tr><td>The first of the barns was built from oak</td></tr><tr><td>The second barn burned down last autumn</td></tr>"
_MORE = "".join(f"<tr><td>Row {n} has words of its own, as all rows have</td></tr>" for n in "ABC")
PAGE = (
    "<html lang=en><meta charset=latin-1><title>T</title><body><script>var hidden = 1</script><div class=main>"
    + "".join(f"<p class=line>{line}</p>" for line in _LINES)
    + f"</div><table>{_CELLS}{_MORE}</table><p hidden>Nobody sees these words at all.</p></body></html>"
)


@pytest.fixture
def saved() -> Saved:
    return parse(PAGE.encode())


def _quotes(saved: Saved) -> list[Quote]:
    return [quote for found in quotes(saved, random.Random(7)).values() for quote in found]


def test_quotes_are_of_every_kind_seeded_and_where_they_say(saved: Saved) -> None:
    found = quotes(saved, random.Random(7))
    assert all(found.values())
    assert found == quotes(saved, random.Random(7))
    blocks = {block.mark: block for block in saved.blocks()}
    for quote in _quotes(saved):
        text = blocks[quote.mark].text
        assert text[quote.start : quote.start + len(quote.text)] == quote.text
        assert (text[slice(*quote.sentence)] == quote.text) is quote.whole
        assert "Nobody sees" not in quote.text
    for quote in found["inline", False]:
        inside = [
            quote.start < start < quote.start + len(quote.text) for start, _ in blocks[quote.mark].inline
        ]
        assert any(inside)


def test_sentences_end_where_one_surely_ends() -> None:
    text = "Mr. Hale came. He left… but why? Since the U.S. said so.\nA note"
    assert [text[slice(*span)] for span in sentences(text)] == [
        "Mr. Hale came.",
        "He left… but why?",
        "Since the U.S. said so.",
        "A note",
    ]


def test_every_kind_of_edit_is_made_and_is_what_it_says(saved: Saved) -> None:
    made: set[str] = set()
    for quote in [each for each in _quotes(saved) if each.whole]:
        for kind, edited, allowed in edits(
            quote.text, "It ended there for good.", saved.squeezed, random.Random(1), "en"
        ):
            made.add(kind)
            assert edited != quote.text
            if allowed:
                assert same(quote.text, 0, len(quote.text), edited), kind
            elif edited not in quote.text:  # what is a part of it is refused for where it ends
                assert not same(quote.text, 0, len(quote.text), edited), kind
    assert made >= {*REFUSED, *ALLOWED, JOINED} - {"decomposed letters"}


@pytest.mark.parametrize("kind", DRIFTS)
def test_every_change_of_a_page_is_made_and_leaves_the_rest(saved: Saved, kind: str) -> None:
    before = saved.served()
    made = 0
    for quote in _quotes(saved):
        body = drifted(saved, quote, kind, random.Random(3), "en")
        if body is None:
            continue
        made += 1
        after = parse(body)
        there = after.squeezed.count(squeeze(quote.text))
        assert there == (0 if kind in ("block deleted", "digit of the quote changed") else 1)
        assert body != before
        if kind.startswith("block moved"):
            assert sorted(after.text) == sorted(saved.text)
            assert after.text != saved.text
    assert made
    assert saved.served() == before


def test_what_a_verdict_is_worth() -> None:
    assert outcome("block deleted", "gone") == "right"
    assert outcome("block deleted", "changed") == "false present"
    assert outcome("digit of the quote changed", "moved") == "false verified"
    assert outcome("block moved among others", "verified") == "wrong verdict"
    assert outcome("paragraph put in before", "gone") == "missed"


def test_the_section_counts_and_takes_the_place_of_the_old_one() -> None:
    page = real_pages.Measured(
        "a", 60.0, [Result("cite: inline, part of one", "a 1", "right")], 4, [("doubt", "w")]
    )
    text = real_report.section([page])
    assert "| cited, at the right element | >= 98 % | 1 of 1 (100.0 %) |" in text
    assert "Of 4 parts of sentences a reservation refused 1 (25.0 %): doubt 1." in text
    assert real_report.kept(f"# Accuracy\n\n## Drift\n\nx\n\n{text}") == text
    assert real_report.kept("# Accuracy\n") == ""


def test_without_a_folder_nothing_is_measured(tmp_path: Path) -> None:
    assert real_pages.saved_pages(None) == []
    assert real_pages.saved_pages(tmp_path / "none") == []
