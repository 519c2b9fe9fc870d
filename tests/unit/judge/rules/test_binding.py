"""The suites of binding: what the rules may say of a claim; no look-alike is exact, no true claim refuted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from tests.unit.judge.rules import suite_binding, suite_lookalikes, suite_reports
from tests.unit.judge.rules.made import claim, library
from tests.unit.judge.rules.suite_binding import Scene
from verifaible.judge.rules.decide import decide
from verifaible.judge.rules.library import Library
from verifaible.schema.judged import Finding, Passage
from verifaible.text.json_scan import value_spans

#: What a mark lets the rules say.
ALLOWED = {
    "=": {"exact"},
    "!": {"refuted"},
    "?": {"undecided"},
    "-": {"refuted", "undecided"},
    "~": {"undecided", "derived"},
}
Case = tuple[Scene, str, str, tuple[str, ...]]


def cases() -> list[Case]:
    """(scene, mark, claim, context) of the suites."""
    return cases_of((*suite_binding.SCENES, *suite_lookalikes.SCENES, *suite_reports.SCENES))


def cases_of(scenes: Sequence[Scene]) -> list[Case]:
    """The same of any scenes."""
    found = []
    for scene in scenes:
        for line in scene.claims.strip().splitlines():
            mark, _, rest = line.strip().partition(" ")
            text, _, context = rest.partition(" @ ")
            found.append((scene, mark, text, tuple(filter(None, context.split(" / ")))))
    return found


@cache
def library_of(scene: Scene) -> Library:
    return library(scene.sources, topic=scene.topic, title=scene.title, url=scene.url)


def found(case: Case) -> Finding:
    scene, _, text, context = case
    return decide(claim(text, *context), library_of(scene))


def measure() -> Counter[str]:
    """How often each mark got each verdict, with ``false exact`` and ``false refuted``."""
    counted: Counter[str] = Counter()
    for case in cases():
        verdict, mark = found(case).verdict, case[1]
        counted[f"{mark} {verdict}"] += 1
        counted["false exact"] += verdict == "exact" and mark != "="
        counted["false refuted"] += verdict == "refuted" and mark in "=?~"
        counted["decided"] += verdict != "undecided"
        counted["cases"] += 1
    return counted


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case[0].name}-{case[2]}".replace(" ", "_"))
def test_a_claim_gets_the_verdict_that_its_sources_allow(case: Case) -> None:
    assert found(case).verdict in ALLOWED[case[1]]


def test_there_are_cases_enough_and_many_look_alikes() -> None:
    marks = Counter(mark for _, mark, _, _ in cases())
    assert sum(marks.values()) >= 400
    assert marks["-"] >= 200


def test_most_true_claims_are_decided_and_nothing_falsely() -> None:
    counted = measure()
    assert (counted["false exact"], counted["false refuted"]) == (0, 0)
    true = sum(number for name, number in counted.items() if name.startswith("= "))
    assert counted["= exact"] == true


def test_every_passage_stands_where_it_says_to_the_byte() -> None:
    shown = 0
    for case in cases():
        for passage in found(case).passages:
            text = case[0].sources[int(passage.source.removeprefix("src_"))]
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
