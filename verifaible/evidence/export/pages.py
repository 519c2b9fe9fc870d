"""What shows evidence by itself: pages without script or request, and pictures with their marks."""

from __future__ import annotations

from collections.abc import Sequence

from verifaible.errors import IntegrityError
from verifaible.evidence.export.report_view import ShownPicture
from verifaible.extract.images import flattened
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
TELLING: frozenset[str] = frozenset({"number", "date", "unit", "negation"})


def render(template: str, *, css: str = "", packages: tuple[str, ...] = (_HOME,), **values: object) -> str:
    """A page (:func:`verifaible.reporting.pages.render`) whose template has the words of verdicts, too."""
    css = pages.read_style(_HOME, "marks.css") + css
    known = {"headlines": HEADLINES, "signs": SIGNS}
    return pages.render(template, css=css, packages=packages, **known, **values)


def png_of(picture: ShownPicture, files: Sequence[bytes], *, whole: bool) -> bytes:
    """A PNG of a picture with the marks in it: all of it, or the part that shows the evidence.

    Raises:
        IntegrityError: a file is no picture.
    """
    part = (0, 0, picture.width, picture.height) if whole else picture.detail
    tiles = [(tile.y, data) for tile, data in zip(picture.tiles, files, strict=True)]
    try:
        return flattened(tiles, picture.marks, part)
    except OSError as error:
        raise IntegrityError(
            f"A picture is damaged ({error}). Restore it from a copy of the store."
        ) from error
