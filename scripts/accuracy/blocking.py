"""Pages that are not the content are named as such; innocent pages with the same words are not."""

from __future__ import annotations

from scripts.accuracy.blocked_pages import BLOCKED, BLOCKED_LATER, INNOCENT, INNOCENT_LATER
from scripts.accuracy.drift import material
from scripts.accuracy.outcome import Result
from verifaible.evidence.observing.blocked import why_blocked


def _why(title: str, text: str) -> str:
    return why_blocked(material(text).model_copy(update={"title": title}))


def run() -> list[Result]:
    """Run the suite: "missed" is content that was taken for a block page, or the reverse."""
    results: list[Result] = []
    for kind, title, text in (*BLOCKED, *BLOCKED_LATER):
        reason = _why(title, text)
        shown = f"{title} | {text[:60]}"
        results.append(Result(f"blocked: {kind}", shown, "right" if reason else "missed", reason))
    for kind, title, text in (*INNOCENT, *INNOCENT_LATER):
        reason = _why(title, text)
        results.append(Result(f"innocent: {kind}", title, "missed" if reason else "right", reason))
    return results
