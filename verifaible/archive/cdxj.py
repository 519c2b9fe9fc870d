"""CDXJ index lines (Webrecorder CDXJ 0.1.0): which record of which WARC file answers a URL."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote_plus, urlencode

from verifaible.archive.matching import leaves
from verifaible.archive.urls import exact_key
from verifaible.schema.web import WebExchange, header

#: Longest part of a request body that goes into a key, as pywb has it.
MAX_BODY_QUERY = 4096


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One line: the key, the 14-digit UTC time, and where the response record lies.

    ``offset`` and ``length`` are bytes in the WARC file named ``filename`` (compressed bytes,
    where it is compressed).
    """

    key: str
    timestamp: str
    url: str
    filename: str
    offset: int
    length: int
    method: str = "GET"
    status: int = 0
    mime: str = ""
    digest: str = ""
    request_body: str = ""

    def line(self) -> str:
        """The line as it stands in the index, without the newline."""
        fields = {
            "url": self.url,
            "mime": self.mime,
            "status": str(self.status),
            "digest": self.digest,
            "length": str(self.length),
            "offset": str(self.offset),
            "filename": self.filename,
        }
        if self.method != "GET":
            fields["method"] = self.method
            fields["requestBody"] = self.request_body
        return f"{self.key} {self.timestamp} {json.dumps(fields)}"


def parse_line(line: str) -> IndexEntry:
    """Read one line; raises ValueError or KeyError where it is not one."""
    key, timestamp, text = line.split(" ", 2)
    fields = json.loads(text)
    if not isinstance(fields, dict):
        raise ValueError("the third part of the line is not a JSON object")
    status = str(fields.get("status", ""))
    return IndexEntry(
        key=key,
        timestamp=timestamp,
        url=str(fields["url"]),
        filename=str(fields["filename"]),
        offset=int(fields["offset"]),
        length=int(fields["length"]),
        method=str(fields.get("method", "GET")).upper(),
        status=int(status) if status.isdigit() else 0,
        mime=str(fields.get("mime", "")),
        digest=str(fields.get("digest", "")),
        request_body=str(fields.get("requestBody", "")),
    )


def surt(url: str) -> str:
    """The Sort-friendly URI Reordering Transform, canonicalised as web archives have it.

    ``https://www.Example.com/A?b=2&a=1`` becomes ``com,example)/a?a=1&b=2``: for other tools
    that open our files. Our own look-up compares URLs, not these keys.
    """
    exact = exact_key(url)
    match = re.fullmatch(r"[a-z][a-z0-9+.\-]*://(?:[^/?@]*@)?([^/?:]*)(:\d+)?([^?]*)(?:\?(.*))?", exact)
    if match is None:
        return exact.lower()
    host, port, path, query = match[1], match[2] or "", match[3].lower(), (match[4] or "").lower()
    host = re.sub(r"^www\d*\.", "", host)
    path = re.sub(r"/{2,}", "/", path)
    path = path.rstrip("/") or "/"
    tail = "?" + "&".join(sorted(query.split("&"))) if query else ""
    return f"{','.join(reversed(host.split('.')))}{port}){path}{tail}"


def index_key(url: str, method: str, body_query: str) -> str:
    """The SURT of the URL; a method other than GET, and its body, are appended as pywb does."""
    if method == "GET":
        return surt(url)
    extra = f"__wb_method={method}" + (f"&{body_query}" if body_query else "")
    # A newline or a blank would end the key, and the line with it.
    extra = "".join(f"%{ord(char):02X}" if char <= " " or char == "\x7f" else char for char in extra)
    return surt(f"{url}{'&' if '?' in url else '?'}{extra}")


def body_query(body: bytes, content_type: str) -> str:
    """A request body as query parameters, for the key (Webrecorder, request body canonicalisation).

    Forms as they are, JSON by its leaf names, everything else as base64 in ``__wb_post_data``.
    """
    if not body:
        return ""
    media = content_type.partition(";")[0].strip().lower()
    query = ""
    if media == "application/x-www-form-urlencoded":
        try:
            query = unquote_plus(body.decode("utf-8"))
        except UnicodeDecodeError:
            query = ""
    elif media in {"application/json", "text/plain"}:
        query = _json_query(body)
    if not query:
        query = "__wb_post_data=" + base64.b64encode(body).decode("ascii")
    return query[:MAX_BODY_QUERY]


def _json_query(body: bytes) -> str:
    try:
        root = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    pairs: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for name, value in leaves(root):
        if name:
            seen[name] += 1
            pairs[name if seen[name] == 1 else f"{name}.{seen[name]}_"] = str(value)
    return urlencode(pairs, errors="surrogatepass")


def entry_for(
    exchange: WebExchange, url: str, *, filename: str, offset: int, length: int, digest: str
) -> IndexEntry:
    """The index entry of an exchange whose response record lies at ``offset``."""
    request, response = exchange.request, exchange.response
    method = request.method.upper()
    query = ""
    if method not in {"GET", "HEAD"}:
        query = body_query(request.body, header(request.headers, "content-type"))
    return IndexEntry(
        key=index_key(url, method, query),
        timestamp=timestamp14(exchange.recorded_at),
        url=url,
        filename=filename,
        offset=offset,
        length=length,
        method=method,
        status=response.status,
        mime=re.split(r"[;\s]", header(response.headers, "content-type"), maxsplit=1)[0],
        digest=digest,
        request_body=query,
    )


def timestamp14(moment: datetime) -> str:
    """``YYYYMMDDhhmmss`` of an aware time, in UTC."""
    return moment.astimezone(UTC).strftime("%Y%m%d%H%M%S")
