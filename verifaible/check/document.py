"""The text to check, from whatever it was given as: Markdown, HTML, PDF, DOCX, plain text, or a web page.

All become Markdown whose links and footnotes are those of the original, so that claims find their sources in
one way. Offsets of claims count in that Markdown.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag, urlsplit

from verifaible.errors import ConfigError, ToolError, needing
from verifaible.evidence.sources import plain
from verifaible.extract.charset import decode_html, is_utf8
from verifaible.extract.content import main_content
from verifaible.extract.html import html_document
from verifaible.extract.markdown import Markdown, document_markdown

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

#: A longer text is no text that somebody reads.
MAX_CHARACTERS: Final = 2_000_000
_MAX_BYTES: Final = 64 * 1024 * 1024
_MARKUP: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|body|head)\b", re.IGNORECASE
)
_FRONT_MATTER: Final = re.compile(
    r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE
)
_HEADING: Final = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
#: The words of a link to a footnote: a number, a letter or a sign, mostly in brackets.
_FOOTNOTE: Final = re.compile(r"\W*(?:\d{1,3}|[a-z]{1,2}|[ivx]{1,5}|[*†‡§¶]{1,3})\W*")
#: Elements that hold a footnote, around the anchor that is linked to.
_FOOTNOTE_ELEMENTS: Final = ("li", "p", "dd", "tr", "aside", "div")
#: Links to footnotes become such private characters, one after another, which no style raises or changes.
_FIRST_TOKEN: Final = 0xF0000
#: What ``verifaible ask`` writes behind sentences that lack evidence: fixed words, in which nothing can hide.
NOTES: Final = ("⟦no evidence⟧", "⟦not in the evidence⟧", "⟦broken marker⟧")
_NUMBERED_LINK: Final = re.compile(r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class InputText:
    """A text to check.

    Attributes:
        name: what was given: a path, an address, ``-``.
        sha256: of its bytes.
        text: as Markdown, or as it was given.
        title: its own title; empty where it has none.
        faults: what of it could not be used, a sentence each.
    """

    name: str
    sha256: str
    text: str
    title: str = ""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FetchedText:
    """A text that was opened at its address: Markdown of what a reader sees, or the bytes of a file."""

    url: str
    body: bytes
    media_type: str = "text/html; charset=utf-8"


async def read_document(
    name: str, *, data: bytes | None, fetch: Callable[[str], Awaitable[FetchedText]]
) -> InputText:
    """Read a text to check.

    Args:
        name: a path, an http(s) address, or ``-``.
        data: its bytes where they are known: of ``-`` what came on standard input.
        fetch: opens an address in the browser.

    Raises:
        ConfigError: it cannot be read, holds no text, or needs an extra that is not installed.
        ToolError: its page cannot be opened.
    """
    if data is not None:
        fetched = FetchedText("", data, "")
    elif urlsplit(name).scheme.lower() in ("http", "https"):
        fetched = await fetch(name)
    else:
        fetched = FetchedText("", await asyncio.to_thread(_read_file, name), "")
    document = await asyncio.to_thread(_read, name, fetched)
    if not document.text.strip():
        raise ConfigError(f"{name}: contains no text. Give a text that states something.")
    if len(document.text) > MAX_CHARACTERS:
        raise ConfigError(
            f"{name}: has {len(document.text):,} characters; at most {MAX_CHARACTERS:,} are checked at once. "
            "Check a part of it."
        )
    return document


def _read_file(name: str) -> bytes:
    try:
        with Path(name).open("rb") as opened:
            data = opened.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"{name}: cannot be read ({reason}). Name another file, or - for standard input."
        ) from error
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"{name}: has more than {_MAX_BYTES:,} bytes. Check a shorter text.")
    return data


def _read(name: str, fetched: FetchedText) -> InputText:
    data, url, media_type = fetched.body, fetched.url, fetched.media_type
    suffix = Path(urlsplit(name).path if url else name).suffix.lower()
    is_html = (
        _MARKUP.match(data) or suffix in (".html", ".htm", ".xhtml") or media_type.startswith("text/html")
    )
    title, faults = "", tuple[str, ...]()
    if b"%PDF-" in data[:1024]:
        title, text = _read_pdf(name, data)
    elif data.startswith(b"PK\x03\x04"):
        text, faults = _read_docx(name, data)
    elif data[:2] not in (b"\xff\xfe", b"\xfe\xff") and b"\0" in data[:4096]:
        raise ConfigError(f"{name}: is not text. Give Markdown, HTML, PDF, DOCX or plain text.")
    elif is_html and not media_type.startswith("text/markdown"):
        markup = decode_html(data, media_type).text
        title, text = html_to_text(markup, url or "about:blank", whole=not url)
    else:
        decoded = decode_html(data, "text/plain; charset=utf-8" if is_utf8(data) else "text/plain")
        text = _FRONT_MATTER.sub("", decoded.text.removeprefix("\ufeff"), count=1)
        if decoded.replaced:
            faults = (f"{decoded.replaced} malformed sequences of bytes are shown as U+FFFD.",)
    text = without_notes(plain(text.replace("\r\n", "\n").replace("\r", "\n")))
    heading = _HEADING.search(text)
    title = title or (heading[1] if heading else "")
    return InputText(name, hashlib.sha256(data).hexdigest(), text, title, faults)


def without_notes(text: str) -> str:
    """A text without the notes that ``verifaible ask`` has written into it."""
    for note in NOTES:
        text = text.replace(f" {note}", "").replace(note, "")
    return text


def _read_pdf(name: str, data: bytes) -> tuple[str, str]:
    from verifaible.extract.pdf import PdfFile

    try:
        with PdfFile(data) as pdf:
            title, text = pdf.title, _with_addresses(document_markdown(pdf.linked, linked=True))
    except ToolError as error:
        raise ConfigError(f"{name}: {error}") from error
    if not text.strip():
        raise ConfigError(f"{name}: the PDF has no text layer (it is a scan). Give a version with text.")
    return title, text


def _read_docx(name: str, data: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        import mammoth
    except ImportError as error:
        raise ConfigError(
            f"{name}: to read DOCX install the extra: pip install 'verifaible[docx]'. Or save it as PDF."
        ) from error
    try:
        converted = mammoth.convert_to_html(io.BytesIO(data))
    except Exception as error:  # the library raises whatever its XML and ZIP readers do
        raise ConfigError(
            f"{name}: cannot be read as DOCX ({type(error).__name__}: {error}). Save it again, or as PDF."
        ) from error
    _, text = html_to_text(f"<html><body>{converted.value}</body></html>", "about:blank", whole=True)
    faults = {message.message for message in converted.messages if message.type == "error"}
    return text, tuple(sorted(faults))


def html_to_text(markup: str, url: str, *, whole: bool) -> tuple[str, str]:
    """Title and Markdown of a page, with its links as links and its footnotes as footnotes.

    ``whole``: not only its main content.
    """
    with needing("reading", "Reading HTML"):
        from bs4 import BeautifulSoup

    soup = BeautifulSoup(markup, "lxml")
    notes = _cut_footnotes(soup, url)
    document = html_document(str(soup), url)
    parts = None if whole else [(at, 0, len(document.blocks[at].text)) for at in main_content(document)]
    text = _with_addresses(document_markdown(document, parts, linked=True), urldefrag(url).url)
    for token, (label, _) in notes.items():
        text = text.replace(token, f"[^{label}]")
    lines = [f"[^{label}]: {words}" for label, words in dict(notes.values()).items()]
    return document.title, "\n\n".join(part for part in (text, "\n".join(lines)) if part)


def _with_addresses(page: Markdown, here: str = "") -> str:
    """Markdown whose links have their addresses beside their words; those within the page are plain words."""

    def linked(match: re.Match[str]) -> str:
        number = int(match[2])
        address = page.links[number - 1] if 0 < number <= len(page.links) else ""
        own = not address or urldefrag(address).url == here
        return match[1] if own else f"[{match[1]}]({address.replace('(', '%28').replace(')', '%29')})"

    return _NUMBERED_LINK.sub(linked, page.text)


def _cut_footnotes(soup: BeautifulSoup, url: str) -> dict[str, tuple[str, str]]:
    """Take out the footnotes of a page; by the token that stands for each link: its label, its words."""
    here = urldefrag(url).url
    by_id = {str(element.get("id") or element.get("name") or ""): element for element in soup.select("*")}
    found: dict[str, tuple[str, str]] = {}
    notes: list[Tag] = []
    for link in soup.select("a"):
        address, _, fragment = str(link.get("href") or "").partition("#")
        words = " ".join(link.get_text().split())
        note = by_id.get(fragment) if fragment and address in ("", here) else None
        if note is None or not _FOOTNOTE.fullmatch(words):
            continue
        if note.name not in _FOOTNOTE_ELEMENTS:
            note = note.find_parent(_FOOTNOTE_ELEMENTS) or note
        said = _footnote_words(note)
        # a link inside of a footnote is the way back, and one to hardly any words leads to no footnote
        inside = any(each is other for each in link.parents for other in (note, *notes))
        if inside or len(said) <= len(words) + 3:
            continue
        if not any(each is note for each in notes):  # elements are equal if they say the same
            notes.append(note)
        label = next(number for number, each in enumerate(notes, 1) if each is note)
        token = chr(_FIRST_TOKEN + len(found))
        found[token] = (str(label), said)
        link.replace_with(token)
    for note in notes:
        note.decompose()
    return found


def _footnote_words(note: Tag) -> str:
    """The words of a footnote with the addresses that it links to, without the way back."""
    links = [(str(link.get("href") or ""), link.get_text()) for link in note.select("a")]
    urls = [
        url for url, words in links if url.lower().startswith(("http://", "https://")) and url not in words
    ]
    words = re.sub(r"[↑↩︎^]", " ", note.get_text())
    return " ".join([*words.split(), *dict.fromkeys(urls)])
