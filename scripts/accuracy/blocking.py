"""Pages that are not the content are named as such; innocent pages with the same words are not."""

from __future__ import annotations

from scripts.accuracy.outcome import Result
from tests.kit import suites
from tests.kit.documents import edited, lines
from verifaible.evidence.blocked import why_blocked
from verifaible.evidence.material import Material


def _why(title: str, text: str) -> str:
    return why_blocked(Material(edited(lines(*text.split("\n")), title=title)))


def run() -> list[Result]:
    """Run the suite: "missed" is content that was taken for a block page, or the reverse."""
    results: list[Result] = []
    for row in suites.load("blocked"):
        reason = _why(row.input["title"], row.input["text"])
        wanted = row.expect["blocked"]
        right = bool(reason) is wanted
        kind = f"{'blocked' if wanted else 'innocent'}: {row.kind}"
        results.append(Result(kind, row.id, "right" if right else "missed", reason))
    return results
