"""WARC records (ISO 28500:2017): one exchange as a response and a request, and back again."""

from __future__ import annotations

import hashlib
import re
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import IO
from urllib.parse import urlsplit

from verifaible.archive import limits
from verifaible.archive.limits import AGAIN
from verifaible.errors import IntegrityError, StoreError
from verifaible.schema.web import Headers, WebExchange, WebRequest, WebResponse, header

_ENCODING_HEADERS = frozenset({"content-encoding", "transfer-encoding"})
_BAD_NAME = re.compile(r"[\s:\x00-\x1f\x7f]")
_REASONS = {status.value: status.phrase for status in HTTPStatus}
_GZIP = 31  # zlib's window bits for a gzip member; its header then holds no time and no name


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record as read: ``headers`` of the record, ``http`` of the message, its decoded ``body``.

    ``offset`` and ``length`` are in bytes of the file, compressed where it is.
    """

    kind: str
    headers: Headers
    first_line: str
    http: Headers
    body: bytes
    offset: int
    length: int

    def get(self, name: str) -> str:
        """A record header such as ``WARC-Target-URI``, or an empty string."""
        return header(self.headers, name)

    @property
    def url(self) -> str:
        """The target URI; some tools write it in angle brackets."""
        return self.get("WARC-Target-URI").strip("<>")

    @property
    def recorded_at(self) -> datetime:
        """``WARC-Date`` as an aware UTC time; raises ValueError where it is none."""
        return utc_time(self.get("WARC-Date"))

    @property
    def response(self) -> WebResponse:
        """The answer in a response record, its headers as they fit the decoded body."""
        code = self.first_line.split(" ")[1] if " " in self.first_line else ""
        decoded = any(name.lower() in _ENCODING_HEADERS for name, _ in self.http)
        headers = fitting_headers(self.http, len(self.body)) if decoded else self.http
        return WebResponse(status=int(code) if code.isdigit() else 200, headers=headers, body=self.body)

    @property
    def request(self) -> WebRequest:
        """The request in a request record."""
        method = self.first_line.split(" ")[0] or "GET"
        return WebRequest(url=self.url, method=method.upper(), headers=self.http, body=self.body)


def utc_time(text: str) -> datetime:
    """An ISO 8601 time in UTC, which it is in where it names no zone; raises ValueError where it is none."""
    moment = datetime.fromisoformat(text)
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError as error:  # in UTC before the year 1 or after 9999
        raise ValueError(f"{moment} is no time in UTC") from error


def sha256(data: bytes) -> str:
    """``sha256:<hex>``, as records, index and package write it."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def warc_date(moment: datetime) -> str:
    """An aware time as ISO 8601 UTC, with fractions only where there are some."""
    if moment.tzinfo is None:
        raise ValueError("a record's time needs a time zone")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def fitting_headers(headers: Headers, size: int) -> Headers:
    """The headers of an answer whose body of ``size`` bytes is no longer encoded."""
    return tuple(
        (name, str(size) if name.lower() == "content-length" else value)
        for name, value in headers
        if name.lower() not in _ENCODING_HEADERS
    )


def _header_lines(headers: Headers) -> bytes:
    lines: list[str] = []
    for name, value in headers:
        if name.startswith(":"):  # HTTP/2 pseudo-header fields stand in the first line already
            continue
        if not name or _BAD_NAME.search(name):
            raise StoreError(
                f"The header name {name!r} cannot be written to a WARC record. Leave that header out and "
                "record the page again."
            )
        # Playwright joins repeated headers with newlines; a bare one would end the header block.
        lines.extend(
            f"{name}: {part.strip()}\r\n" for part in re.split(r"[\r\n]+", value) if part or not value
        )
    return "".join(lines).encode("utf-8", "surrogateescape")


def response_head(exchange: WebExchange) -> bytes:
    """The HTTP head of the stored response.

    Its Content-Length is the payload's, but for HEAD and 304, where it speaks of a body that was never sent
    (RFC 9110, 8.6).
    """
    status, headers = exchange.response.status, exchange.response.headers
    bodiless = exchange.request.method.upper() == "HEAD" or status == HTTPStatus.NOT_MODIFIED
    if bodiless:
        kept = tuple(pair for pair in headers if pair[0].lower() not in _ENCODING_HEADERS)
    else:
        kept = fitting_headers(headers, len(exchange.response.body))
    reason = _REASONS.get(status, "Unknown")
    return f"HTTP/1.1 {status} {reason}\r\n".encode() + _header_lines(kept) + b"\r\n"


def request_head(request: WebRequest, url: str) -> bytes:
    """The HTTP head of the stored request."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    head = f"{request.method.upper()} {target} HTTP/1.1\r\n".encode()
    return head + _header_lines(request.headers) + b"\r\n"


def make_record(kind: str, fields: Headers, head: bytes, payload: bytes, *, seed: str) -> tuple[bytes, str]:
    """The bytes of one record and its id, which depends on ``seed`` and the content alone."""
    block = head + payload
    name = f"{seed}\n{kind}\n{fields}\n{sha256(block)}"
    record_id = f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}>"
    digests = [("WARC-Payload-Digest", sha256(payload))] if kind == "response" else []
    digests += [("WARC-Block-Digest", sha256(block)), ("Content-Length", str(len(block)))]
    lines = _header_lines((("WARC-Type", kind), ("WARC-Record-ID", record_id), *fields, *digests))
    return b"WARC/1.1\r\n" + lines + b"\r\n" + block + b"\r\n\r\n", record_id


def gzip_member(data: bytes) -> bytes:
    """One gzip member without time or name, so that equal records give equal bytes."""
    packer = zlib.compressobj(6, zlib.DEFLATED, _GZIP)
    return packer.compress(data) + packer.flush()


def read_records(stream: IO[bytes], *, base: int = 0, size: int | None = None) -> Iterator[WarcRecord]:
    """Every record of a WARC stream, compressed or not; bodies one at a time.

    ``base`` is added to the offsets. With ``size``, the bytes of the stream, what is left after
    the last record is an error too: warcio takes a record cut short in its head for the end.

    Raises:
        IntegrityError: a record cannot be read, or differs from its own digests.
    """
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    from verifaible.archive.warcio_parts import BoundedReader

    records = ArchiveIterator(stream, check_digests=True)
    records.reader = BoundedReader(records.fh)
    where = end = base
    try:
        for record in records:
            # A request's body is kept as it was sent; an answer's is kept decoded.
            stream_of = record.raw_stream if record.rec_type == "request" else record.content_stream()
            body = stream_of.read(limits.MAX_RECORD_BYTES + 1)
            if len(body) > limits.MAX_RECORD_BYTES:
                raise limits.too_large()
            record.raw_stream.read()
            # Asking for the place runs to the end of the record: only after its body was read.
            where = base + records.get_record_offset()
            end = where + records.get_record_length()
            if record.digest_checker is not None and record.digest_checker.problems:
                raise IntegrityError(
                    f"The WARC record at byte {where} differs from its own digest "
                    f"({record.digest_checker.problems[0]}). {AGAIN}"
                )
            declared = record.rec_headers.get_header("Content-Length") or ""
            if not declared.isdigit() or getattr(record.raw_stream, "limit", 0) > 0:
                raise IntegrityError(_broken(where, "it ends before its stated length"))
            http = record.http_headers
            yield WarcRecord(
                kind=record.rec_type,
                headers=tuple(record.rec_headers.headers),
                first_line="" if http is None else f"{http.protocol} {http.statusline}",
                http=() if http is None else tuple(http.headers),
                body=body,
                offset=where,
                length=end - where,
            )
    # warcio meets a record without a target URI with an AttributeError.
    except (ArchiveLoadFailed, zlib.error, EOFError, ValueError, OSError, AttributeError, TypeError) as error:
        raise IntegrityError(_broken(where, str(error).strip().partition("\n")[0])) from error
    if size is not None and base + size - end > len(b"\r\n\r\n"):
        raise IntegrityError(_broken(end, "no whole record is there"))


def _broken(offset: int, reason: str) -> str:
    why = reason or "it is cut short"
    return f"The WARC record at or after byte {offset} cannot be read ({why}). {AGAIN}"
