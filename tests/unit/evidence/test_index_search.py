"""Searching an index: PostgreSQL finds by grams what SQLite finds by reading every text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.evidence.places_of_stores import Place
from tests.unit.evidence.samples import add
from verifaible.store import index
from verifaible.store.index import grams_of
from verifaible.text.flat import folded as fold


@given(st.text(), st.data())
def test_the_grams_of_any_part_of_a_word_are_among_those_of_the_text(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    start, end = sorted((data.draw(st.integers(0, len(folded))), data.draw(st.integers(0, len(folded)))))
    assert set(grams_of(folded[start:end])) <= set(grams_of(folded))


def test_short_words_of_scripts_without_case_have_grams() -> None:
    sizes = {
        word: len(grams_of(word)) for word in ("消费", "费", "بطا", "ab", "abc", "abcd", "2026", "abc abc")
    }
    assert sizes == {"消费": 1, "费": 0, "بطا": 2, "ab": 0, "abc": 1, "abcd": 2, "2026": 2, "abc abc": 1}


def test_parts_of_words_in_any_script_are_found(place: Place) -> None:
    store = place.store()
    claims = ("Unemployment fell to 5.33%", "2026年居民消费价格指数", "معدل البطالة", "Üb er 100% of it_self")
    for claim in claims:
        add(store, claim, title=claim)
    for part in (
        "employ",
        "消费",
        "费",
        "年居民",
        "بطا",
        "5.3",
        "3%",
        "b",
        "%",
        "_",
        "t_s",
        "ÜB",
        "2026年 指数",
    ):
        wanted = [claim for claim in claims if all(fold(word) in fold(claim) for word in part.split())]
        seen = [row.claim for row in store.rows(query=part) if row.claim in wanted]
        assert sorted(seen) == sorted(wanted), part
        assert store.count(query=part, at_most=2) == min(2, store.count(query=part))
    assert store.rows(query="消价") == []


def test_pages_of_a_search(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a page is full from those that are near, or the whole index is asked, it is the same page."""
    monkeypatch.setattr(index, "_NEAR", 2)
    store = place.store()
    made = {
        add(store, f"{number % 3 and 'often'} {number}", title=f"Page {number}").id for number in range(7)
    }
    rows = store.rows()
    assert {row.id for row in rows} == made
    for newest_first in (False, True):
        wanted = [row.id for row in (rows[::-1] if newest_first else rows) if "often" in row.claim]
        for size in (1, 2, 5):
            seen: list[str] = []
            while page := store.rows(
                query="often", after=seen[-1] if seen else "", newest_first=newest_first, limit=size
            ):
                seen += [row.id for row in page]
            assert seen == wanted


def test_pages_from_both_ends(place: Place) -> None:
    """All samples are made at one time, so the ids decide."""
    store = place.store()
    ids = sorted(add(store, f"claim {number}", title=f"Page {number}").id for number in range(5))
    for newest_first, order in ((False, ids), (True, ids[::-1])):
        seen: list[str] = []
        while page := store.rows(after=seen[-1] if seen else "", newest_first=newest_first, limit=2):
            seen += [row.id for row in page]
        assert seen == order
    assert store.get(ids[0][:8]).id == ids[0]
