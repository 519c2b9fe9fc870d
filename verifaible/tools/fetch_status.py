"""What an HTTP status, a body or a page that is no content means, in words for the model."""

from __future__ import annotations

import re

from verifaible.errors import PageBlocked, PageNotLoaded
from verifaible.schema.web import WebResponse, header
from verifaible.tools.presenting import one_line

_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_LONGEST_MEDIA_TYPE = 80
_LONGEST_NAME = 300
#: Readers like us are refused.
_REFUSED = {
    401: "asks for a user name and a password (HTTP 401). Nobody can log in here: use a source that is open "
    "to everybody.",
    402: "asks for payment (HTTP 402). Use a source that is free to read.",
    403: "refuses to show the page to programs like this one (HTTP 403). Try test_action_steps, which uses a "
    "real browser, or another source.",
    407: "stands behind a proxy that asks for a password (HTTP 407). Use another source.",
    429: "has had too many requests (HTTP 429){later}. Read something else first, or use another source.",
    451: "is withheld for legal reasons (HTTP 451). Use another source or an archived copy.",
}
_FAILED = {
    400: "did not understand the address (HTTP 400). Check its parameters.",
    404: "has no such page (HTTP 404). Check the address, or search for the page.",
    405: "cannot be read by address alone (HTTP 405). Open the page that leads there with test_action_steps.",
    406: "has no version of the page that can be read here (HTTP 406). Use another address of it.",
    408: "gave up waiting for the request (HTTP 408). Try again, or use another source.",
    410: "has removed the page for good (HTTP 410). Look for an archived copy or another source.",
    414: "finds the address too long (HTTP 414). Shorten its parameters.",
    500: "failed on its side (HTTP 500). Try again later, or use another source.",
    502: "cannot be reached behind its gateway (HTTP 502). Try again later, or use another source.",
    503: "is overloaded or down for maintenance (HTTP 503){later}. Try again later, or use another source.",
    504: "did not answer its gateway in time (HTTP 504). Try again later, or use another source.",
}
_SIGNATURES = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x00asm", "a WebAssembly program"),
    (b"OggS", "a recording"),
    (b"ID3", "a recording"),
    (b"%!PS", "a PostScript file"),
)
_OFFICE = ((b"xl/", "an Excel workbook"), (b"word/", "a Word document"), (b"ppt/", "a PowerPoint file"))
#: How a page that is no content is called, and what to do then.
_ADVICE = {
    "a captcha or bot check": "It cannot be solved here: use another source.",
    "a login page": "Nobody can log in here: use a source that is open to everybody.",
    "a paywall": "Use a source that is free to read.",
    "a consent page": "Click it away with test_action_steps, or use another source.",
    "an error page": "Check the address, or search for the page.",
    "a maintenance page": "Try again later, or use another source.",
    "a rate limit": "Read something else first, or use another source.",
}


def named(url: str) -> str:
    """An address as our own lines name it: a page may have written it, and as long as it likes."""
    return one_line(url, _LONGEST_NAME)


def media_type(response: WebResponse) -> str:
    """The media type of an answer; empty where the header holds other words, which anybody may write."""
    sent = response.content_type
    return sent if len(sent) < _LONGEST_MEDIA_TYPE and _MEDIA_TYPE.fullmatch(sent) else ""


def check_status(url: str, response: WebResponse) -> None:
    """Refuse an HTTP error.

    Raises:
        PageBlocked: the server refuses readers like us (401, 402, 403, 407, 429, 451).
        PageNotLoaded: every other status from 400.
    """
    status = response.status
    if status < 400:
        return
    after = header(response.headers, "retry-after").strip()
    later = f"; it says to come back in {after} seconds" if after.isdigit() else ""
    if status in _REFUSED:
        raise PageBlocked(f"{named(url)} {_REFUSED[status].format(later=later)}")
    side = "failed on its side" if status >= 500 else "answered with an error"
    said = _FAILED.get(status, f"{side} (HTTP {status}). Check the address, or use another source.")
    raise PageNotLoaded(f"{named(url)} {said.format(later=later)}", status=status)


def refuse_other_pages(url: str, kind: str) -> None:
    """Raise if ``kind``, from ``evidence.blocked``, is one that has an advice of its own.

    Raises:
        PageBlocked: names what the page is instead of content.
    """
    if kind in _ADVICE:
        raise PageBlocked(f"{named(url)} shows {kind} instead of its content. {_ADVICE[kind]}")


def file_kind(response: WebResponse) -> str:
    """What a file that is no text is, by its first bytes where they say it."""
    start = response.body[:4096]
    if start.startswith(b"PK"):
        return next((name for mark, name in _OFFICE if mark in response.body), "a ZIP archive")
    known = next((name for mark, name in _SIGNATURES if start.startswith(mark)), "")
    return known or media_type(response) or "an unknown file"
