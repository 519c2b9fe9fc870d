"""What warcio reads records through; apart, because warcio takes 100 ms to import."""

from __future__ import annotations

from warcio.bufferedreaders import DecompressingBufferedReader

from verifaible.archive.limits import COPY, MAX_LINE_BYTES, MAX_RECORD_BYTES, too_large
from verifaible.errors import IntegrityError


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
