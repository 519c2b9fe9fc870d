"""The suites of binding: what the rules may say of a claim; no look-alike is exact, no true claim refuted."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.kit.suites import Row, load
from tests.unit.factcheck.rules.made import claim, library
from verifaible.factcheck.rules.decide import decide
from verifaible.factcheck.rules.library import Library
from verifaible.schema.judged import Finding
from verifaible.schema.verdict import Passage
from verifaible.text.json_pointer import value_spans


def cases() -> list[Row]:
    """The rows that the rules were written with. ``relation`` says what the source has of the claim."""
    return load("lookalikes", split="dev")


@cache
def _library(sources: tuple[str, ...], topic: str, title: str, url: str) -> Library:
    return library(sources, topic=topic, title=title, url=url)


def found(case: Row) -> Finding:
    given = case.input
    sources = _library(tuple(given["sources"]), *(given.get(each, "") for each in ("topic", "title", "url")))
    return decide(claim(given["claim"], *given.get("context", ())), sources)


def measure() -> Counter[str]:
    """How often each relation got each verdict, with ``false exact`` and ``false refuted``."""
    counted: Counter[str] = Counter()
    for case in cases():
        verdict, relation = found(case).verdict, case.expect["relation"]
        counted[f"{relation}: {verdict}"] += 1
        counted["false exact"] += verdict == "exact" and relation != "stated"
        counted["false refuted"] += verdict == "refuted" and "refuted" not in case.expect["verdicts"]
        counted["decided"] += verdict != "undecided"
        counted["cases"] += 1
    return counted


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_a_claim_gets_the_verdict_that_its_sources_allow(case: Row) -> None:
    assert found(case).verdict in case.expect["verdicts"]


def test_most_true_claims_are_decided_and_nothing_falsely() -> None:
    counted = measure()
    assert (counted["false exact"], counted["false refuted"]) == (0, 0)
    true = sum(number for name, number in counted.items() if name.startswith("stated: "))
    assert counted["stated: exact"] == true


def test_every_passage_stands_where_it_says_to_the_byte() -> None:
    shown = 0
    for case in cases():
        for passage in found(case).passages:
            text = case.input["sources"][int(passage.source.removeprefix("src_"))]
            assert passage.quote
            assert text[passage.start : passage.end] == passage.quote
            assert_pointer(text, passage)
            shown += 1
    assert shown >= 300


def assert_pointer(text: str, passage: Passage) -> None:
    if not passage.pointer:
        return
    start, end = value_spans(text)[passage.pointer]
    inside = start <= passage.start and passage.end <= end
    assert inside if text[start] == '"' else (start, end) == (passage.start, passage.end)


def test_exact_points_to_a_place_and_refuted_says_what_stands_there() -> None:
    for case in cases():
        finding = found(case)
        assert finding.reason
        if finding.verdict == "exact":
            assert finding.passages
        if finding.verdict == "refuted" and finding.said:
            assert finding.passages
