"""The files of a captured page that its picture in a frame needs, as ``data:`` addresses.

Nothing is taken from anywhere but the capture, and no media type is believed: the bytes say what they are.
"""

from __future__ import annotations

import base64
from urllib.parse import urldefrag, urljoin

from verifaible.archive.cdxj import IndexEntry
from verifaible.archive.reader import WaczReader
from verifaible.archive.urls import exact_key, normalise
from verifaible.errors import StoreError
from verifaible.evidence.framed import css as framed_css
from verifaible.extract.charset import decode_html
from verifaible.net.client import REDIRECTS
from verifaible.schema.web import WebResponse, header

#: The largest file that is put into a page, and all files of a page together, in bytes.
MAX_FILE_BYTES = 4_000_000
MAX_PAGE_BYTES = 24_000_000
_MAX_REDIRECTS = 5
_MAX_IMPORTS = 8

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"wOF2", "font/woff2"),
    (b"wOFF", "font/woff"),
    (b"OTTO", "font/otf"),
    (b"\x00\x01\x00\x00", "font/ttf"),
    (b"true", "font/ttf"),
)
_AVIF = frozenset({b"avif", b"avis"})


def media_type_of(data: bytes) -> str:
    """What a picture or a font is by its first bytes; "" for everything else.

    An SVG is recognised by its root element; it may hold anything, and is only ever shown as a picture.
    """
    for start, kind in _SIGNATURES:
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp" and data[8:12] in _AVIF:
        return "image/avif"
    return "image/svg+xml" if _is_svg(data) else ""


def _is_svg(data: bytes) -> bool:
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith(b"<") or b"<svg" not in head:
        return False
    while head.startswith((b"<?", b"<!")):
        end = head.find(b"-->") + 2 if head.startswith(b"<!--") else head.find(b">")
        if end < 2:
            return False
        head = head[end + 1 :].lstrip()
    return head.startswith(b"<svg")


class CapturedFiles:
    """What a capture holds of the web, looked up by address.

    Attributes:
        missing: how many addresses the capture does not hold, or holds as something that is not shown.
        left_out: how many files were too large, or too much for one page.
    """

    def __init__(self, reader: WaczReader) -> None:
        self._reader = reader
        self._exact: dict[str, IndexEntry] = {}
        self._alike: dict[str, IndexEntry] = {}
        for entry in reader.entries():
            if entry.method == "GET":
                self._exact.setdefault(exact_key(entry.url), entry)
                self._alike.setdefault(normalise(entry.url).key, entry)
        self._known: dict[str, str] = {}
        self._sheets: dict[str, str] = {}
        self._bytes = 0
        self.missing = 0
        self.left_out = 0

    def data_url(self, address: str, base: str) -> str:
        """A picture or a font as a ``data:`` address; "" where there is none to show."""
        address = address.strip()
        if not address:
            return ""
        if address[:5].lower() == "data:":
            return self._checked_data(address)
        url = _joined(base, address)
        if url not in self._known:
            self._known[url] = self._encoded(url)
        elif len(self._known[url]) > 0:
            return self._again(self._known[url])
        return self._known[url]

    def sheet(self, address: str, base: str, depth: int = 0) -> str:
        """A style sheet with its own addresses replaced and its imports put in; "" where there is none."""
        url = _joined(base, address.strip())
        found = self._answer(url)
        if found is None:
            return ""
        at, answer = found
        text = decode_html(answer.body, header(answer.headers, "content-type")).text
        return self.rewritten(text, at, depth)

    def rewritten(self, css: str, base: str, depth: int = 0) -> str:
        """CSS of the page itself, its addresses counted from ``base``."""

        def imported(address: str) -> str:
            return self.sheet(address, base, depth + 1) if depth < _MAX_IMPORTS else ""

        return framed_css.rewritten(css, lambda address: self._for_css(address, base), imported)

    def _for_css(self, address: str, base: str) -> str:
        # What a sheet says of its own document (a gradient, a clip path) is no file.
        return address if address.startswith("#") else self.data_url(address, base)

    def _checked_data(self, address: str) -> str:
        """A ``data:`` address of the page, kept where it is a picture or a font by its bytes."""
        from urllib.parse import unquote_to_bytes

        head, comma, body = address[5:].partition(",")
        try:
            data = unquote_to_bytes(body)
            if head.lower().rstrip().endswith(";base64"):
                data = base64.b64decode(b"".join(data.split()) + b"==")
        except ValueError:
            data = b""
        return self._packed(data) if comma else ""

    def _encoded(self, url: str) -> str:
        found = self._answer(url)
        return self._packed(found[1].body) if found is not None else ""

    def _packed(self, data: bytes) -> str:
        kind = media_type_of(data)
        if not kind:
            self.missing += 1
            return ""
        if len(data) > MAX_FILE_BYTES or self._bytes + len(data) > MAX_PAGE_BYTES:
            self.left_out += 1
            return ""
        self._bytes += len(data)
        return f"data:{kind};base64,{base64.b64encode(data).decode()}"

    def _again(self, address: str) -> str:
        """A file that the page shows once more: it stands in the page twice."""
        size = len(address) * 3 // 4
        if self._bytes + size > MAX_PAGE_BYTES:
            self.left_out += 1
            return ""
        self._bytes += size
        return address

    def _answer(self, url: str) -> tuple[str, WebResponse] | None:
        """The answer at an address, redirects followed, and the address it is from."""
        for _ in range(_MAX_REDIRECTS):
            entry = self._exact.get(exact_key(url)) or self._alike.get(normalise(url).key)
            if entry is None:
                break
            try:
                answer, _ = self._reader.answer(entry)
            except StoreError:
                break
            if answer.status not in REDIRECTS:
                if answer.status != 200:
                    break
                return url, answer
            url = _joined(url, header(answer.headers, "location"))
        self.missing += 1
        return None


def _joined(base: str, address: str) -> str:
    try:
        return urldefrag(urljoin(base, address)).url
    except ValueError:
        return ""
