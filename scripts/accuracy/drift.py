"""Drift: a quote is anchored in a page, the page changes, the quote is looked for again.

The rows of ``tests/suites/drift.jsonl`` know where the quote stands afterwards, and whether it says the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from scripts.accuracy.outcome import Outcome, Result
from tests.kit import suites
from tests.kit.documents import lines
from verifaible.anchoring.evidence import Found, placed
from verifaible.anchoring.find import find_again
from verifaible.anchoring.quote import Match, Place
from verifaible.extract.document import Document
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


@lru_cache(maxsize=8)
def read(text: str, language: str) -> Document:
    """A page of that text, a block a line; offsets stay."""
    return lines(*text.split("\n"), language=language)


def cited(case: Case) -> Anchor:
    """The anchor of the quote on the page as it was."""
    then = read(case.page, case.language)
    (first, start), (last, _) = then.block_at(case.start), then.block_at(case.end - 1)
    places = [
        Place(at, start if at == first else 0, min(case.end - then.starts[at], len(then.blocks[at].text)))
        for at in range(first, last + 1)
        if then.blocks[at].text
    ]
    anchor = placed(then, Match(tuple(places)), "text").anchor
    assert anchor is not None
    return anchor


def look_again(case: Case) -> Found:
    """What is found of a quote on the changed page."""
    anchor, then = cited(case), read(case.page, case.language)
    now = lines(*case.changed.split("\n"), language=case.language)
    return find_again(now, anchor, then, AnchorRequest(quote=anchor.text))


def outcome(case: Case, placement: Found) -> Outcome:
    """What a placement is worth; that the whole sentence of a quote changed is right wherever it did."""
    verdict, span = placement.verdict, case.span
    anchor = placement.anchor
    found: Outcome = "right" if verdict in case.right or _is_edited(case, placement) else "wrong verdict"
    if span is None:
        if verdict in FOUND:
            return "false verified"
        return "false present" if found != "right" and verdict == "changed" else found
    if anchor is None or anchor.start is None or anchor.end is None:
        return "missed"
    if verdict in FOUND and not set(FOUND) & set(case.right):
        return "false verified"
    shared = min(anchor.end, span[1]) - max(anchor.start, span[0])
    # What is said to have changed is the evidence, which is whole sentences.
    first = anchor.start - anchor.in_evidence
    whole = verdict == "changed" and first <= span[0] and span[1] <= first + len(anchor.evidence)
    if not whole and shared < 0.5 * (max(anchor.end, span[1]) - min(anchor.start, span[0])):
        return "wrong place"
    return found


def _is_edited(case: Case, placement: Found) -> bool:
    """Whether "changed" is said of a quote whose sentence is not on the page any more as it was."""
    evidence = cited(case).evidence
    part = evidence != case.page[case.start : case.end]
    return placement.verdict == "changed" and part and evidence not in case.changed


def run(each: int = 1) -> list[Result]:
    """Run the suite, or every ``each``-th case of it."""
    results: list[Result] = []
    for case in islice(cases(), 0, None, each):
        placement = look_again(case)
        came_to = outcome(case, placement)
        said = "" if came_to == "right" else f"{placement.verdict}: {placement.text[:80]!r}"
        results.append(Result(f"{case.language}: {case.kind}", case.name, came_to, said))
    return results
