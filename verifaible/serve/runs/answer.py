"""An answer as a page shows it: Markdown without HTML and pictures, its markers as links to the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markupsafe import Markup

from verifaible.serve.runs.timeline import visible

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

#: A marker as the score reads it (scoring/match.py), full-width forms included.
_MARKER = re.compile(
    r"[\[【［]\s*[@＠][vVｖＶ]\s*[:：]\s*"
    r"(\d+(?:\s*[,，、;；]\s*(?:[@＠][vVｖＶ]\s*[:：]\s*)?\d+)*)\s*[\]】］]"
)
_NUMBER = re.compile(r"\d+")
#: More digits name no citation.
_MAX_DIGITS = 9
#: A longer answer is shown as it is: so much is no answer, and Markdown can take time with its square.
MAX_MARKDOWN_CHARS = 20_000
#: Of a longer one only the beginning is shown.
MAX_SHOWN_CHARS = 100_000
_DEEPEST_HEADING = 6


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that a page can show.

    Attributes:
        html: the answer; nothing in it runs, and it loads nothing.
        first: id of the first citation that a marker leads to; empty: none does.
        broken: numbers of the markers that lead nowhere.
        marked: how many markers lead to a citation.
        cut: whether it is only the beginning.
    """

    html: Markup
    first: str
    broken: tuple[int, ...]
    marked: int
    cut: bool


@dataclass(slots=True)
class _Drawing:
    """What is known while an answer is drawn."""

    citations: Mapping[int, str]
    label: str
    nowhere: str
    links: int = 0
    marked: int = 0
    first: str = ""
    broken: list[int] = field(default_factory=list)

    def markers(self, match: re.Match[str]) -> str:
        """The numbers of a marker, each with its link."""
        return "".join(self._marker(number) for number in _NUMBER.findall(match[1]))

    def _marker(self, digits: str) -> str:
        number = int(digits) if len(digits) <= _MAX_DIGITS else 0
        found = self.citations.get(number, "")
        shown = f"[{number or '…'}]"
        if not found:
            self.broken.append(number)
            told = escapeHtml(self.nowhere)
            return f'<span class="marker nowhere">{shown} ✕<span class="unseen"> {told}</span></span>'
        self.marked += 1
        current = "" if self.first else ' aria-current="true"'
        self.first = self.first or found
        address, told = quote(found, safe=""), escapeHtml(self.label.format(n=number))
        return (
            f'<a class="marker" href="/citations/{address}/beside" target="evidence" '
            f'aria-label="{told}"{current}>{shown}</a>'
        )

    def text(self, content: str) -> str:
        """A text, escaped, with its markers as links; within a link they stay as they are."""
        if self.links:
            return escapeHtml(content)
        return "".join(
            piece if drawn else escapeHtml(piece) for piece, drawn in _pieces(content, self.markers)
        )


def _pieces(content: str, draw: Any) -> Iterator[tuple[str, bool]]:
    place = 0
    for match in _MARKER.finditer(content):
        yield content[place : match.start()], False
        yield draw(match), True
        place = match.end()
    yield content[place:], False


def render_answer(
    text: str, citations: Mapping[int, str], *, label: str, nowhere: str, region: str
) -> Answer:
    """Draw an answer.

    Args:
        text: as the model wrote it.
        citations: the id of each citation that a marker may lead to, by its number.
        label: what a marker's link is called; ``{n}`` is its number.
        nowhere: what is said of a marker that leads nowhere.
        region: what a table that scrolls is called.
    """
    drawing = _Drawing(citations, label, nowhere)
    shown = visible(text)
    cut = len(shown) > MAX_SHOWN_CHARS
    if len(shown) > MAX_MARKDOWN_CHARS:
        html = f'<pre dir="auto">{drawing.text(shown[:MAX_SHOWN_CHARS])}</pre>'
    else:
        html = _markdown(region).render(shown, {"drawing": drawing})
    return Answer(Markup(html), drawing.first, tuple(drawing.broken), drawing.marked, cut)  # noqa: S704


def _markdown(region: str) -> MarkdownIt:
    """CommonMark with tables, of which nothing is left out and nothing is loaded."""
    drawn = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
    drawn.disable(["image", "html_block", "html_inline", "reference"])
    drawn.validateLink = _is_web  # type: ignore[method-assign]
    drawn.inline.ruler.before("link", "marker", _read_marker)
    told = escapeHtml(region)
    rules: dict[str, Any] = {
        "text": _draw_text,
        "marker": _draw_text,
        "code_inline": _draw_code,
        "code_block": _draw_block,
        "fence": _draw_block,
        "link_open": _open_link,
        "link_close": _close_link,
        "heading_open": _lower_heading,
        "heading_close": _lower_heading,
        "table_open": lambda *_: f'<div class="wide" tabindex="0" role="region" aria-label="{told}"><table>',
        "table_close": lambda *_: "</table></div>",
    }
    for name, rule in rules.items():
        drawn.add_render_rule(name, lambda _, *given, rule=rule: rule(*given))
    return drawn


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _read_marker(state: StateInline, silent: bool) -> bool:
    """An inline rule: a marker is a marker even where it looks like the text of a link."""
    match = _MARKER.match(state.src, state.pos) if state.src[state.pos] in "[【［" else None
    if match is None or match.end() > state.posMax:
        return False
    if not silent:
        state.push("marker", "", 0).content = match[0]
    state.pos = match.end()
    return True


def _draw_text(tokens: Sequence[Token], at: int, _: OptionsDict, env: MutableMapping[str, Any]) -> str:
    drawing: _Drawing = env["drawing"]
    return drawing.text(tokens[at].content)


def _draw_code(tokens: Sequence[Token], at: int, _: OptionsDict, env: MutableMapping[str, Any]) -> str:
    return f"<code>{_draw_text(tokens, at, _, env)}</code>"


def _draw_block(tokens: Sequence[Token], at: int, _: OptionsDict, env: MutableMapping[str, Any]) -> str:
    return f"<pre><code>{_draw_text(tokens, at, _, env)}</code></pre>\n"


def _open_link(tokens: Sequence[Token], at: int, _: OptionsDict, env: MutableMapping[str, Any]) -> str:
    env["drawing"].links += 1
    address = escapeHtml(str(tokens[at].attrGet("href") or ""))
    return f'<a href="{address}" rel="noopener noreferrer" target="_blank">'


def _close_link(_: Sequence[Token], __: int, ___: OptionsDict, env: MutableMapping[str, Any]) -> str:
    env["drawing"].links -= 1
    return "</a>"


def _lower_heading(tokens: Sequence[Token], at: int, _: OptionsDict, __: MutableMapping[str, Any]) -> str:
    """A heading below those of the page: the first level of an answer is the third of the page."""
    token = tokens[at]
    level = min(_DEEPEST_HEADING, int(token.tag[1:]) + 2)
    return f"<h{level}>" if token.nesting > 0 else f"</h{level}>\n"
