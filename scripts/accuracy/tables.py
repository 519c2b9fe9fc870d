"""Cells named by their row and column headers."""

from __future__ import annotations

from scripts.accuracy.outcome import Outcome, Result
from tests.kit import suites
from tests.kit.suites import Row
from verifaible.browser.page.session import PageSession
from verifaible.evidence.material import Material
from verifaible.evidence.place import place
from verifaible.evidence.reading import read_page
from verifaible.extract.html import html_document
from verifaible.schema.anchor import AnchorRequest

#: Classes that only a browser can read: ARIA roles and style.
_BROWSER_ONLY = ("ARIA",)


def _asked(row: Row) -> AnchorRequest:
    return AnchorRequest(evidence_type="table", row=row.input["row"], column=row.input["column"])


def _outcome(material: Material, row: Row) -> tuple[Outcome, str]:
    placed = place(material, _asked(row))
    said = f"{placed.verdict}: {placed.text!r}, nearest {placed.nearest!r}, {placed.candidates}"
    if row.expect["verdict"] == "refused":
        return ("false verified" if placed.verdict == "verified" else "right"), said
    if placed.verdict != "verified":
        return "missed", said
    return ("right" if placed.text in row.expect["cell"] else "wrong place"), said


def _result(material: Material, row: Row) -> Result:
    came_to, said = _outcome(material, row)
    kind = row.kind if row.split == "dev" else f"{row.split}: {row.kind}"
    return Result(kind, row.id, came_to, "" if came_to == "right" else said)


def run() -> list[Result]:
    """Run the cases that need no browser, on tables as the HTML parser gives them."""
    results: list[Result] = []
    for row in suites.load("cells"):
        if row.kind not in _BROWSER_ONLY:
            document = html_document(row.input["html"], "https://example.org/")
            results.append(_result(Material(document), row))
    return results


async def run_in(session: PageSession) -> list[Result]:
    """Run all cases, on tables as an open page of Chromium gives them."""
    results: list[Result] = []
    for row in suites.load("cells"):
        await session.page.set_content(f"<!doctype html><meta charset=utf-8>{row.input['html']}")
        results.append(_result(await read_page(session, _asked(row)), row))
    return results
