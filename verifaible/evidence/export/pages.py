"""Self-contained pages about evidence: no script, no request, everything that is not ours escaped."""

from __future__ import annotations

from verifaible.anchoring.diff import Kind
from verifaible.reporting import pages
from verifaible.schema.check import Verdict

_HOME = "verifaible.evidence"
#: What a verdict says to somebody who has not read the manual, in a line.
HEADLINES: dict[Verdict, str] = {
    "verified": "The evidence is where it was",
    "moved": "The same words are elsewhere now",
    "changed": "The words there are different now",
    "ambiguous": "Several places match now, and nothing distinguishes them",
    "gone": "The evidence is no longer there",
    "blocked": "The page does not show its content",
    "error": "The check could not be made",
}
#: The sign before a verdict, so that it does not depend on colour.
SIGNS: dict[Verdict, str] = {
    "verified": "✓",
    "moved": "↷",
    "changed": "≠",
    "ambiguous": "?",
    "gone": "✕",
    "blocked": "⊘",
    "error": "!",
}
#: Words that change a meaning; the others are only words.
TELLING: frozenset[Kind] = frozenset({"number", "date", "unit", "negation"})


def render(template: str, *, css: str = "", packages: tuple[str, ...] = (_HOME,), **values: object) -> str:
    """A page (:func:`verifaible.reporting.pages.render`) whose template has the words of verdicts, too."""
    css = pages.read_style(_HOME, "marks.css") + css
    known = {"headlines": HEADLINES, "signs": SIGNS, "telling": TELLING}
    return pages.render(template, css=css, packages=packages, **known, **values)
