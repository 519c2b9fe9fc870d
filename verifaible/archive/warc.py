"""WARC records (ISO 28500:2017): one exchange as a response and a request, and back again."""

from __future__ import annotations

import hashlib
import io
import re
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import BinaryIO
from urllib.parse import urlsplit

from verifaible.archive import limits
from verifaible.errors import IntegrityError, StoreError
from verifaible.schema.web import Headers, WebExchange, WebRequest, WebResponse, header

_ENCODING_HEADERS = frozenset({"content-encoding", "transfer-encoding"})
_BAD_NAME = re.compile(r"[\s:\x00-\x1f\x7f]")
_CLOSING = 4  # bytes of the two line ends after a record
_GZIP = 31  # zlib's window bits for a gzip member; its header then holds no time and no name


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record as read: ``headers`` of the record, ``http`` of the message, its decoded ``body``."""

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
        moment = datetime.fromisoformat(self.get("WARC-Date").replace("Z", "+00:00"))
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
    moment = moment.astimezone(UTC)
    pattern = "%Y-%m-%dT%H:%M:%S.%fZ" if moment.microsecond else "%Y-%m-%dT%H:%M:%SZ"
    return moment.strftime(pattern)


def stored_headers(exchange: WebExchange) -> Headers:
    """The response headers that fit the decoded payload.

    Transfer and content encoding go; Content-Length becomes the payload's, but for HEAD and
    304, where it speaks of a body that was never sent (RFC 9110, 8.6).
    """
    response = exchange.response
    bodiless = exchange.request.method.upper() == "HEAD" or response.status == HTTPStatus.NOT_MODIFIED
    kept: list[tuple[str, str]] = []
    for name, value in response.headers:
        lower = name.lower()
        if lower in _ENCODING_HEADERS:
            continue
        kept.append((name, str(len(response.body)) if lower == "content-length" and not bodiless else value))
    return tuple(kept)


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


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def response_block(exchange: WebExchange) -> tuple[bytes, bytes]:
    """The HTTP head of the stored response, and its payload."""
    status = exchange.response.status
    head = f"HTTP/1.1 {status} {_reason(status)}\r\n".encode() + _header_lines(stored_headers(exchange))
    return head + b"\r\n", exchange.response.body


def request_block(request: WebRequest, url: str) -> tuple[bytes, bytes]:
    """The HTTP head of the stored request, and its body."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    head = f"{request.method.upper()} {target} HTTP/1.1\r\n".encode() + _header_lines(request.headers)
    return head + b"\r\n", request.body


def make_record(kind: str, fields: Headers, head: bytes, payload: bytes, *, seed: str) -> tuple[bytes, str]:
    """The bytes of one record and its id, which depends on ``seed`` and the content alone."""
    block = head + payload
    name = f"{seed}\n{kind}\n{fields}\n{sha256(block)}"
    record_id = f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}>"
    lines = [("WARC-Type", kind), ("WARC-Record-ID", record_id), *fields]
    if kind == "response":
        lines.append(("WARC-Payload-Digest", sha256(payload)))
    lines += [("WARC-Block-Digest", sha256(block)), ("Content-Length", str(len(block)))]
    text = "WARC/1.1\r\n" + "".join(f"{key}: {value}\r\n" for key, value in lines) + "\r\n"
    return text.encode() + block + b"\r\n\r\n", record_id


def gzip_member(data: bytes) -> bytes:
    """One gzip member without time or name, so that equal records give equal bytes."""
    packer = zlib.compressobj(6, zlib.DEFLATED, _GZIP)
    return packer.compress(data) + packer.flush()


def read_records(stream: BinaryIO, *, base: int = 0, size: int | None = None) -> Iterator[WarcRecord]:
    """Every record of a WARC stream, compressed or not; bodies one at a time.

    ``base`` is added to the offsets. With ``size``, the bytes of the stream, what is left after
    the last record is an error too: warcio takes a record cut short in its head for the end.

    Raises:
        IntegrityError: a record cannot be read, or differs from its own digests.
    """
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    from verifaible.archive.bounded import BoundedReader

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
            checker = record.digest_checker
            problems = list(checker.problems) if checker is not None else []
            http = record.http_headers
            kind = record.rec_type
            headers = tuple(record.rec_headers.headers)
            # Asking for the place runs to the end of the record: only after its body was read.
            where = base + records.get_record_offset()
            length = records.get_record_length()
            end = where + length
            if problems:
                raise IntegrityError(
                    f"The WARC record at byte {where} differs from its own digest ({problems[0]}). Take the "
                    "archive from a good copy, or record it again."
                )
            declared = record.rec_headers.get_header("Content-Length") or ""
            if not declared.isdigit() or getattr(record.raw_stream, "limit", 0) > 0:
                raise IntegrityError(_broken(where, "it ends before its stated length"))
            yield WarcRecord(
                kind=kind,
                headers=headers,
                first_line="" if http is None else f"{http.protocol} {http.statusline}",
                http=() if http is None else tuple(http.headers),
                body=body,
                offset=where,
                length=length,
            )
    # warcio meets a record without a target URI with an AttributeError.
    except (ArchiveLoadFailed, zlib.error, EOFError, ValueError, OSError, AttributeError, TypeError) as error:
        raise IntegrityError(
            _broken(where, str(error).strip().splitlines()[0] if str(error) else "")
        ) from error
    if size is not None and base + size - end > _CLOSING:
        raise IntegrityError(_broken(end, "no whole record is there"))


def _broken(offset: int, reason: str) -> str:
    return (
        f"The WARC record at or after byte {offset} cannot be read ({reason or 'it is cut short'}). Take the "
        "archive from a good copy, or record it again."
    )


def read_record(data: bytes, *, base: int = 0) -> WarcRecord:
    """The one record that ``data`` holds; raises IntegrityError where there is none."""
    for record in read_records(io.BytesIO(data), base=base):
        return record
    raise IntegrityError(_broken(base, "no record is there"))


def response_of(record: WarcRecord) -> WebResponse:
    """The answer in a response record, its headers as they fit the decoded body."""
    code = record.first_line.split(" ")[1] if " " in record.first_line else ""
    status = int(code) if code.isdigit() else 200
    kept = tuple((name, value) for name, value in record.http if name.lower() not in _ENCODING_HEADERS)
    if len(kept) != len(record.http):  # the body was decoded on the way: its length changed
        size = str(len(record.body))
        kept = tuple((name, size if name.lower() == "content-length" else value) for name, value in kept)
    return WebResponse(status=status, headers=kept, body=record.body)


def request_of(record: WarcRecord) -> WebRequest:
    """The request in a request record."""
    method = record.first_line.split(" ")[0] or "GET"
    return WebRequest(url=record.url, method=method.upper(), headers=record.http, body=record.body)
