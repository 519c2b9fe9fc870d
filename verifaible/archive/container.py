"""What a ZIP file holds besides its files: bytes before, between and behind them, and comments.

Unlike the files themselves these are named in no package, so a hash of the package does not
notice them. Layout after APPNOTE 6.3.10: local headers with their files, the directory, its end.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Generator, Iterator

from verifaible.archive.source import Source

_LOCAL = struct.Struct("<4s22xHH")
_DIRECTORY = 46  # bytes of a directory entry, before its name
_END = 22  # bytes of the end record, before its comment
_END_64 = 56 + 20  # bytes of the ZIP64 end record and its locator
_DESCRIPTORS = (0, 12, 16, 20, 24)  # bytes a writer that can not seek puts behind a file
_STREAMED = 0x08


def stray_bytes(source: Source, directory: zipfile.ZipFile) -> Iterator[str]:
    """One sentence for each thing that is in a ZIP file and in none of its files."""
    if directory.comment:
        yield f"The ZIP file has a comment of {len(directory.comment)} bytes."
    end = 0
    for entry in sorted(directory.infolist(), key=lambda each: each.header_offset):
        if entry.comment:
            yield f"{entry.filename} has a comment of {len(entry.comment)} bytes in the ZIP directory."
        gap = entry.header_offset - end
        if gap < 0:
            yield f"{entry.filename} overlaps the file before it."
        elif gap:
            where = "before" if end else "at the start of the ZIP file, before"
            yield f"{gap} bytes that belong to no file stand {where} {entry.filename}."
        end = yield from _local(source, entry)
    yield from _ending(source, directory, end)


def _local(source: Source, entry: zipfile.ZipInfo) -> Generator[str, None, int]:
    """Compare a file's own header with the directory; gives the byte behind the file."""
    head = source.read_at(entry.header_offset, _LOCAL.size)
    if len(head) < _LOCAL.size or head[:4] != b"PK\x03\x04":
        yield f"{entry.filename} has no ZIP header at byte {entry.header_offset}."
        return entry.header_offset + entry.compress_size
    name_size, extra_size = (int(number) for number in _LOCAL.unpack(head)[1:])
    name = source.read_at(entry.header_offset + _LOCAL.size, name_size)
    if name not in (_encoded(entry, "utf-8"), _encoded(entry, "cp437")):
        yield f"{entry.filename} has another name in its own ZIP header: {name[:80]!r}."
    end = entry.header_offset + _LOCAL.size + name_size + extra_size + entry.compress_size
    if entry.flag_bits & _STREAMED:
        end += next((size for size in _DESCRIPTORS if source.read_at(end + size, 2) == b"PK"), 0)
    return end


def _encoded(entry: zipfile.ZipInfo, charset: str) -> bytes:
    return entry.orig_filename.encode(charset, "replace")


def _ending(source: Source, directory: zipfile.ZipFile, end: int) -> Iterator[str]:
    start: int = directory.start_dir
    if start != end:
        yield f"{start - end} bytes that belong to no file stand before the ZIP directory."
    for entry in directory.infolist():
        start += _DIRECTORY + len(_encoded(entry, "utf-8" if entry.flag_bits & 0x800 else "cp437"))
        start += len(entry.extra) + len(entry.comment)
    if source.read_at(start, 4) == b"PK\x06\x06":
        start += _END_64
    left = source.size - (start + _END + len(directory.comment))
    if source.read_at(start, 4) != b"PK\x05\x06":
        yield "The ZIP directory does not end where its entries do."
    elif left:
        yield f"{left} bytes stand behind the end of the ZIP file."
