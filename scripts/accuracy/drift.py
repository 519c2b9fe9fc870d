"""Drift: a quote is anchored in a page, the page changes, the quote is looked for again.

The rows of ``tests/suites/drift.jsonl`` know where the quote stands afterwards, and whether it says the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from scripts.accuracy.outcome import Outcome, Result
from tests.kit import suites
from verifaible.browser.reading import FrameText, PageText
from verifaible.evidence.observing.material import PageMaterial
from verifaible.evidence.observing.places import Placement, place
from verifaible.old.anchoring.places import CONTEXT
from verifaible.old.text.sentences import sentence_span
from verifaible.schema.anchor import Anchor, AnchorRequest
from verifaible.schema.check import Verdict

#: The words still stand there, as they were or edited: they must be found.
FOUND_AGAIN = (
    *("moved", "typo", "reworded", "inserted, a few words", "inserted, a clause", "number spelled out"),
    *(
        "split in two",
        "two merged",
        "clause moved",
        "paragraph moved",
        "wrapped in other words",
        "list reordered",
    ),
)
#: What is said was changed.
MEANING = (
    *("digit", "unit", "date", "negation", "sign", "separator, another value", "thousands separator moved"),
    *("percent and points", "million and billion", "quarter or half", "year", "month", "currency", "denied"),
    *("direction", "bound", "names exchanged", "numbers exchanged", "range"),
)
DELETED = (
    *("deleted", "deleted, lookalike elsewhere", "deleted, lookalikes around"),
    *(
        "deleted, last year's figures elsewhere",
        "deleted, its opposite elsewhere",
        "deleted with its paragraph",
    ),
    *("deleted, a note in its place", "deleted, its neighbour said twice"),
)
#: Verdicts that say that a quote stands there as it was cited.
FOUND: tuple[Verdict, ...] = ("verified", "moved")


@dataclass(frozen=True, slots=True)
class Case:
    """A quote [start, end) of a page, the changed page, and where the quote stands there, if it does.

    ``right`` are the verdicts that are right.
    """

    kind: str
    language: str
    name: str
    page: str
    start: int
    end: int
    changed: str
    span: tuple[int, int] | None
    right: tuple[Verdict, ...]


def cases() -> Iterator[Case]:
    """Every case, in the order of the suite."""
    for row in suites.load("drift"):
        given = row.input
        page = (suites.ROOT / given["file"]).read_text(encoding="utf-8")
        parts, at = [], 0
        for first, last, text in given["edits"]:
            parts += [page[at:first], text]
            at = last
        span = row.expect.get("span")
        yield Case(
            kind=row.kind,
            language=given["language"],
            name=row.id,
            page=page,
            start=given["at"],
            end=given["at"] + len(given["quote"]),
            changed="".join(parts) + page[at:],
            span=(span[0], span[1]) if span else None,
            right=tuple(row.expect["verdicts"]),
        )


def material(text: str) -> PageMaterial:
    """A page of one frame with that text."""
    frame = FrameText(path=(), url="https://example.org/", start=0, text=text)
    return PageMaterial(url="https://example.org/", title="", page=PageText(frames=(frame,)))


def look_again(case: Case) -> Placement:
    """What is found of a quote on the changed page."""
    first, last = sentence_span(case.page, case.start, case.end)
    anchor = Anchor(
        evidence=case.page[first:last],
        in_evidence=case.start - first,
        evidence_type="text",
        text=case.page[case.start : case.end],
        prefix=case.page[max(0, case.start - CONTEXT) : case.start],
        suffix=case.page[case.end : case.end + CONTEXT],
        start=case.start,
        end=case.end,
    )
    return place(material(case.changed), AnchorRequest(quote=anchor.text), anchor)


def outcome(case: Case, placement: Placement) -> Outcome:
    """What a placement is worth."""
    verdict, span = placement.verdict, case.span
    anchor = placement.anchor
    if span is None:
        if verdict in FOUND:
            return "false verified"
        return (
            "right" if verdict in case.right else "false present" if verdict == "changed" else "wrong verdict"
        )
    if anchor is None or anchor.start is None or anchor.end is None:
        return "missed"
    if verdict in FOUND and not set(FOUND) & set(case.right):
        return "false verified"
    shared = min(anchor.end, span[1]) - max(anchor.start, span[0])
    if shared < 0.5 * (max(anchor.end, span[1]) - min(anchor.start, span[0])):
        return "wrong place"
    return "right" if verdict in case.right else "wrong verdict"


def run(each: int = 1) -> list[Result]:
    """Run the suite, or every ``each``-th case of it."""
    results: list[Result] = []
    for case in islice(cases(), 0, None, each):
        placement = look_again(case)
        came_to = outcome(case, placement)
        said = "" if came_to == "right" else f"{placement.verdict}: {placement.found[:80]!r}"
        results.append(Result(f"{case.language}: {case.kind}", case.name, came_to, said))
    return results
