"""What a citation itself puts into the page that it cites: by its address, its typing, its scripts.

A page that repeats what it was given (the words of a search, a text that a script has written) is no
evidence of it. Documents and videos are kept by the site as they are, whatever led to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from verifaible.anchoring.numbers import find_numbers
from verifaible.schema.action import ExecJs, Type
from verifaible.schema.case import NumberExpected, TextExpected
from verifaible.schema.citation import Citation
from verifaible.scoring.expectation import is_expected
from verifaible.scoring.match import match_evidence

_PAGES: Final = ("text", "table", "image")
#: In a script a number with fewer digits is as likely a position or a count.
_MIN_SCRIPT_DIGITS: Final = 3
_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{4,6})\}?|\\x([0-9a-fA-F]{2})")


def supplied_by(citation: Citation, item: NumberExpected | TextExpected) -> str:
    """Which part of a citation gave the page the expected value, in words; empty if none did."""
    if citation.evidence_type not in _PAGES:
        return ""
    for url in (citation.source_url, citation.final_url):
        if any(match_evidence(text, item).correct for text in _of_address(url)):
            return "the address"
    for step in citation.steps:
        if isinstance(step, Type) and match_evidence(step.value, item).correct:
            return "what is typed in a step"
        if isinstance(step, ExecJs) and _scripted(step.code, item):
            return "a script"
    return ""


def _of_address(url: str) -> Iterator[str]:
    parts = urlsplit(url)
    for text in (parts.query, parts.fragment.removeprefix(":~:")):
        pairs = parse_qsl(text, keep_blank_values=True)
        yield from (value for _, value in pairs) if pairs else (unquote(text),)


def _scripted(code: str, item: NumberExpected | TextExpected) -> bool:
    text = _ESCAPE.sub(_character, code)
    if isinstance(item, TextExpected):
        return match_evidence(text, item).correct
    if len(item.value.as_tuple().digits) < _MIN_SCRIPT_DIGITS:
        return False
    return any(is_expected(item, mention) for mention in find_numbers(text))


def _character(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if code < 0x110000 else match[0]
