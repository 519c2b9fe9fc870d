"""Answers as pages show them: Markdown without HTML and pictures, in which markers and numbers are links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final
from urllib.parse import quote

from markupsafe import Markup

from verifaible.reporting.markdown import Span, marked_html
from verifaible.text.markers import find_markers, is_number
from verifaible.viewer.text import plain_text

#: How a number of an answer stands: the sign where colour does not show it, and words.
NUMBERS: Final = {
    "resolved": ("", "the data say so"),
    "wrong": ("≠", "the data say something else"),
    "none": ("∅", "no evidence"),
}
#: What is longer names no citation.
_LONGEST_SHOWN: Final = 9
#: A longer answer is shown as it is: so much is no answer, and Markdown can take time with its square.
MAX_MARKDOWN_CHARS: Final = 20_000
#: Of a longer one only the beginning is shown.
MAX_SHOWN_CHARS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that a page can show.

    Attributes:
        html: the answer; nothing in it runs, and it loads nothing.
        first: id of the first citation that a marker leads to; empty: none does.
        broken: what the markers that lead nowhere name.
        marked: how many markers lead to a citation.
        cut: whether it is only the beginning.
    """

    html: Markup
    first: str
    broken: tuple[str, ...]
    marked: int
    cut: bool


def marked_answer(text: str, citations: Mapping[int, str]) -> Answer:
    """Draw an answer whose markers are links to the evidence.

    Args:
        text: as the model wrote it.
        citations: the id of each citation that a marker may lead to, by its number.
    """
    shown = plain_text(text)[:MAX_SHOWN_CHARS]
    found: list[str] = []
    broken: list[str] = []

    def link(target: str) -> str:
        citation = citations.get(int(target), "") if is_number(target) else ""
        number = f"[{escape(target) if 0 < len(target) <= _LONGEST_SHOWN else '…'}]"
        if not citation:
            broken.append(target)
            said = '<span class="unseen"> leads to no citation</span>'
            return f'<span class="marker nowhere">{number} ✕{said}</span>'
        found.append(citation)
        current = ' aria-current="true"' if len(found) == 1 else ""
        address = f"/citations/{quote(citation, safe='')}/beside"
        return evidence_link("marker", address, number, f"Evidence {target}", current)

    markers = [
        Span(marker.start, marker.end, "", "".join(map(link, marker.targets)))
        for marker in find_markers(shown)
    ]
    cut = len(text) > MAX_SHOWN_CHARS
    return Answer(linked_html(shown, markers), next(iter(found), ""), tuple(broken), len(found), cut)


def linked_html(text: str, links: Sequence[Span]) -> Markup:
    """Markdown as HTML, with links in place of parts of it; nothing in it runs, and it loads nothing."""
    html = marked_html(text, (), links, as_text=len(text) > MAX_MARKDOWN_CHARS)
    return Markup(for_viewer(html))  # noqa: S704 - made of escaped text


def evidence_link(kind: str, address: str, html: str, label: str = "", more: str = "") -> str:
    """A link that opens evidence beside the text; all but ``html`` and ``more`` is escaped here."""
    told = f' aria-label="{escape(label)}"' if label else ""
    return f'<a class="{escape(kind)}" href="{escape(address)}" data-beside{told}{more}>{html}</a>'


def for_viewer(html: str) -> str:
    """HTML of :mod:`verifaible.reporting.markdown` as the viewer shows it.

    Links open in a tab of their own, and a wide table scrolls. The text
    cannot forge what is replaced: its quotation marks and angle brackets are escaped.
    """
    wide = '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>'
    opened = html.replace(' rel="noopener noreferrer">', ' rel="noopener noreferrer" target="_blank">')
    return opened.replace("<table>", wide).replace("</table>", "</table></div>")
