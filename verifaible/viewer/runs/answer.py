"""An answer as a page shows it: Markdown without HTML and pictures, its markers as links to the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from markupsafe import Markup

from verifaible.reporting.markdown import Span, marked_html
from verifaible.text.markers import find_markers, is_number
from verifaible.viewer.runs.timeline import visible

#: What is longer names no citation.
_LONGEST_SHOWN = 9
#: A longer answer is shown as it is: so much is no answer, and Markdown can take time with its square.
MAX_MARKDOWN_CHARS = 20_000
#: Of a longer one only the beginning is shown.
MAX_SHOWN_CHARS = 100_000


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


def render_answer(text: str, citations: Mapping[int, str]) -> Answer:
    """Draw an answer.

    Args:
        text: as the model wrote it.
        citations: the id of each citation that a marker may lead to, by its number.
    """
    whole = visible(text)
    shown = whole[:MAX_SHOWN_CHARS]
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
        return (
            f'<a class="marker" href="/citations/{quote(citation, safe="")}/beside" target="evidence" '
            f'aria-label="Evidence {target}"{current}>{number}</a>'
        )

    markers = [
        Span(marker.start, marker.end, "", "".join(map(link, marker.targets)))
        for marker in find_markers(shown)
    ]
    html = for_viewer(marked_html(shown, (), markers, as_text=len(whole) > MAX_MARKDOWN_CHARS))
    return Answer(Markup(html), next(iter(found), ""), tuple(broken), len(found), len(whole) > len(shown))  # noqa: S704


def for_viewer(html: str) -> str:
    """HTML of :mod:`verifaible.reporting.markdown` as the viewer shows it.

    Links open in a tab of their own, and a wide table scrolls. The text
    cannot forge what is replaced: its quotation marks and angle brackets are escaped.
    """
    wide = '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>'
    opened = html.replace(' rel="noopener noreferrer">', ' rel="noopener noreferrer" target="_blank">')
    return opened.replace("<table>", wide).replace("</table>", "</table></div>")
