"""A cited place in a later version of its source: never does what changed count as verified."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest

from tests.kit import suites
from tests.kit.documents import Draft, lines
from verifaible.anchoring.evidence import Found
from verifaible.anchoring.find import find, find_again
from verifaible.extract.document import Document
from verifaible.schema.anchor import AnchorRequest

#: Every so many rows of the suite of drift; the scripts run them all.
EACH = 24
THEN = (
    "The rate in Ulm rose.",
    "It is 5.3 per cent. Nobody was hurt.",
    "Rain fell in Bonn.",
    "Snow fell in Kiel.",
)


def again(then: Document, now: Document, quote: str) -> Found:
    request = AnchorRequest(quote=quote)
    anchor = find(then, request).anchor
    assert anchor is not None
    return find_again(now, anchor, then, request)


#: The words cited, the lines of now, the verdict.
VERSIONS = (
    ("nobody was hurt", THEN, "verified"),
    ("nobody was hurt", ("New.", *THEN[:2], "New, too.", *THEN[2:]), "verified"),
    ("nobody was hurt", (THEN[0], "It is 5.3 per cent.", *THEN[2:], "Nobody was hurt."), "moved"),
    ("it is 5.3", (THEN[0], "It is 5.4 per cent. Nobody was hurt.", *THEN[2:]), "changed"),
    ("it is 5.3", (THEN[0], "It is 5.3 per cent in theory. Nobody was hurt.", *THEN[2:]), "changed"),
    ("it is 5.3", (THEN[0], "Nobody was hurt.", *THEN[2:]), "gone"),
    (
        "nobody was hurt",
        (THEN[0], "It is 5.3 per cent. Nobody, as far as is known, was hurt.", *THEN[2:]),
        "changed",
    ),
    (
        "it is 5.3",
        (THEN[0], "It is 5.4 per cent. It is near 5.9 per cent. Nobody was hurt.", *THEN[2:]),
        "changed",
    ),
    ("Rain fell in Bonn.", (*THEN[:2], THEN[3]), "gone"),
    ("Rain fell in Bonn.", ("Rain fell in Bonn.", "a", "b", "c", "Rain fell in Bonn."), "ambiguous"),
)


@pytest.mark.parametrize(("quote", "now", "verdict"), VERSIONS)
def test_what_became_of_words(quote: str, now: tuple[str, ...], verdict: str) -> None:
    found = again(lines(*THEN), lines(*now), quote)
    assert found.verdict == verdict
    assert bool(found.difference) is (verdict == "changed")


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        (THEN, "verified"),
        ((THEN[0], "New.", *THEN[1:]), "verified"),
        (("Nobody was hurt.", *(f"Something else was said in line {n}." for n in range(9))), "moved"),
        ((THEN[0], *THEN[2:]), "gone"),
    ],
)
def test_without_the_source_of_then_the_words_around_tell_the_place(
    now: tuple[str, ...], verdict: str
) -> None:
    then, request = lines(*THEN), AnchorRequest(quote="nobody was hurt")
    anchor = find(then, request).anchor
    assert anchor is not None
    for earlier in (None, lines("Another page.")):
        assert find_again(lines(*now), anchor, earlier, request).verdict == verdict


def test_what_governs_the_evidence_is_compared_too() -> None:
    def written(lead_in: str, heading: str) -> Document:
        draft = Draft()
        draft.add(heading, "heading")
        draft.list(lead_in, ["the bridge is open", "the road is shut"])
        return draft.document

    then = written("It is true that:", "News of 2024")
    for lead_in, heading, verdict in (
        ("It is true that:", "News of 2024", "verified"),
        ("It is not true that:", "News of 2024", "changed"),
        ("It is true that:", "News of 2025", "changed"),
        ("It is true that:", "All news of 2024", "moved"),
    ):
        assert again(then, written(lead_in, heading), "the bridge is open").verdict == verdict


@cache
def read(text: str, language: str) -> Document:
    return lines(*text.split("\n"), language=language)


def test_drift() -> None:
    wrong = []
    for row in islice(suites.load("drift"), 0, None, EACH):
        given, right = row.input, row.expect["verdicts"]
        text, parts, at = (suites.ROOT / given["file"]).read_text("utf-8"), [], 0
        for first, last, new in given["edits"]:
            parts += [text[at:first], new]
            at = last
        then, now = read(text, given["language"]), lines(*("".join(parts) + text[at:]).split("\n"))
        request = AnchorRequest(quote=given["quote"], near=text[max(0, given["at"] - 40) : given["at"]])
        anchor = find(then, request).anchor
        if anchor is None or anchor.start != given["at"]:
            continue  # a part of a word or of another line, which is no quote now
        verdict = find_again(now, anchor, then, request).verdict
        part = anchor.evidence != anchor.text and verdict == "changed"
        if verdict not in right and not part:
            wrong.append((row.id, verdict, right))
    assert [each for each in wrong if each[1] in ("verified", "moved")] == []
    assert len(wrong) <= 3
