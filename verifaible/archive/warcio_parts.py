"""What warcio reads and writes records through; apart, because warcio takes 100 ms to import."""

from __future__ import annotations

import io

from warcio.bufferedreaders import DecompressingBufferedReader
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from verifaible.archive.limits import COPY, MAX_LINE_BYTES, MAX_RECORD_BYTES, too_large
from verifaible.errors import IntegrityError
from verifaible.schema.web import Headers


class BoundedReader(DecompressingBufferedReader):  # type: ignore[misc]  # warcio has no types
    """A reader of WARC records that is held to the limits: of a gzip member, and of a line.

    Raises:
        IntegrityError: from its reading methods, where a limit is passed.
    """

    def _process_read(self, data: bytes) -> None:
        super()._process_read(data)
        if self.decompressor is not None and self.num_block_read > MAX_RECORD_BYTES:
            raise too_large()

    def readline(self, length: int | None = None) -> bytes:
        """One line; see the base class."""
        limit = MAX_LINE_BYTES if length is None else min(length, MAX_LINE_BYTES)
        line: bytes = super().readline(limit)
        if len(line) >= MAX_LINE_BYTES:
            raise IntegrityError(
                f"A line in the head of a WARC record has more than {MAX_LINE_BYTES} bytes. {COPY}"
            )
        return line


class _Writer(WARCWriter):  # type: ignore[misc]
    """Adds no digest to the given ones: warcio's are SHA-1."""

    NO_PAYLOAD_DIGEST_TYPES = ("warcinfo", "revisit", "request", "resource")


def record_bytes(kind: str, fields: Headers, block: bytes) -> bytes:
    """One record, not compressed; its HTTP head is in ``block``, where warcio does not encode it anew."""
    target = io.BytesIO()
    headers = StatusAndHeaders("", list(fields), protocol="WARC/1.1")
    record = ArcWarcRecord("warc", kind, headers, io.BytesIO(block), None, None, len(block))
    _Writer(target, gzip=False).write_record(record)
    return target.getvalue()
