"""Addresses that lead to the evidence itself: with a text directive, a page of a PDF, a time of a video."""

from __future__ import annotations

import re
from urllib.parse import quote as percent

from verifaible.reporting.pages import is_link
from verifaible.schema.citation import Citation

#: Longer texts are linked by their beginning and end, as the proposal advises.
_WHOLE = 120
#: An edge has at least so many characters, so that it does not stand elsewhere too, and mostly not more than
#: the second number.
_EDGE = (16, 60)
#: Where an edge may end: a directive matches whole words only, and Chinese has no blanks between its own.
_BREAK = re.compile(r"\s+|[，。；：、！？）」』”]+")


def link_of(citation: Citation) -> str:
    """Where the evidence stands on the web, as an http or https address; empty if it has none."""
    source = citation.document_url or citation.final_url
    if not is_link(source):
        return ""
    if citation.evidence_type == "text":
        return text_link(source, citation.anchor.text)
    kept = citation.anchor.text_fragment
    return kept if is_link(kept) else source


def text_link(url: str, text: str) -> str:
    """The URL with a text directive (WICG, URL Fragment Text Directives) that finds the text.

    A directive of one part must not go beyond a block of the page, so a text of several lines is named
    by the beginning of its first and the end of its last.
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if not lines:
        return url
    if len(lines) == 1 and len(lines[0]) <= _WHOLE:
        parts = [lines[0]]
    else:
        parts = [_beginning(lines[0]), _end(lines[-1])]
        if len(lines) == 1 and sum(len(part) for part in parts) >= len(lines[0]):
            parts = lines
    # A hyphen has a meaning of its own in a directive.
    directive = ",".join(percent(part, safe="").replace("-", "%2D") for part in parts)
    return f"{url.split('#', maxsplit=1)[0]}#:~:text={directive}"


def _beginning(line: str) -> str:
    least, most = _EDGE
    ends = [match.start() for match in _BREAK.finditer(line, least)]
    fitting = [end for end in ends if end <= most] or ends[:1]
    return line[: fitting[-1]] if fitting else line


def _end(line: str) -> str:
    least, most = _EDGE
    starts = [match.end() for match in _BREAK.finditer(line) if match.end() <= len(line) - least]
    fitting = [start for start in starts if start >= len(line) - most] or starts[-1:]
    return line[fitting[0] :] if fitting else line
