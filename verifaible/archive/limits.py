"""How much an archive may unfold to, and what its files may be called.

An archive comes from anywhere: it must not fill the memory, and no name in it may lead out of a
folder that somebody unpacks it into. The limits were set after 4,040 packed files of the
replicas and of several hundred captures: the largest had 7 MB, the best packed one (a DOM
full of repeated markup) 39 times its packed size.
"""

from __future__ import annotations

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence

from verifaible.errors import IntegrityError

#: Largest file of an archive that is unpacked, in bytes; WARC files are stored and read record by record.
MAX_FILE_BYTES = 256 << 20
#: Largest sum of all files of an archive that are packed, in bytes.
MAX_TOTAL_BYTES = 1 << 30
#: Largest size of a packed file as a multiple of its packed size: five times the best packed one seen.
MAX_RATIO = 200
#: Files up to this size are let pass whatever their ratio: a short file of one letter packs 1000 to 1.
RATIO_FREE_BYTES = 1 << 20
#: Largest WARC record, unpacked and then decoded, in bytes: four times the largest answer that is read
#: from the web by default (``VERIFAIBLE_MAX_BODY_BYTES``).
MAX_RECORD_BYTES = 256 << 20
#: Longest line in the head of a WARC record or of its HTTP message, in bytes; servers stop at 8 to 64 KB.
MAX_LINE_BYTES = 1 << 20

#: What to do about an archive past the limits.
COPY = "Take it from a good copy; a file that was made so on purpose is not to be opened."
#: What to do about an archive that cannot be read.
AGAIN = "Take it from a good copy, or record it again."
_NAME = re.compile(r"(?![A-Za-z]:)[^\x00-\x1f\x7f\\]+")


def refuse_unsafe(name: str, entries: Sequence[zipfile.ZipInfo], size: int) -> None:
    """Refuse a ZIP file whose directory promises what no honest archive holds.

    Args:
        name: of the archive, for the sentence.
        entries: its directory.
        size: bytes of the whole file.

    Raises:
        IntegrityError: a name that leads out of the archive, a link, sizes that cannot be true, or
            files that unfold beyond the limits.
    """
    total = 0
    for entry in entries:
        if fault := _entry_fault(entry, size):
            raise IntegrityError(f"{_shown(entry.filename)} in {name} {fault}. {COPY}")
        if entry.compress_type != zipfile.ZIP_STORED:
            total += entry.file_size
    if sum(entry.compress_size for entry in entries) > size:
        raise IntegrityError(
            f"The files in {name} overlap: together they claim more bytes than it has. {COPY}"
        )
    if total > MAX_TOTAL_BYTES:
        raise IntegrityError(
            f"{name} would unfold to {total} bytes; at most {MAX_TOTAL_BYTES} are unpacked. {COPY}"
        )


def _entry_fault(entry: zipfile.ZipInfo, size: int) -> str:
    # The reader of the standard library cuts a name at a NUL; the original tells.
    path = entry.orig_filename
    if not _NAME.fullmatch(path) or path.startswith("/") or ".." in path.split("/"):
        return "has a name that leads out of the archive"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "is a symbolic link"
    if entry.header_offset < 0 or entry.header_offset + entry.compress_size > size:
        return (
            f"claims {entry.compress_size} bytes from byte {entry.header_offset}, beyond the end of the file"
        )
    return _unfolding_fault(entry)


def _unfolding_fault(entry: zipfile.ZipInfo) -> str:
    if entry.compress_type == zipfile.ZIP_STORED:
        return "is stored, but its two sizes differ" if entry.file_size != entry.compress_size else ""
    if entry.compress_type != zipfile.ZIP_DEFLATED:  # others unfold without a limit while they are read
        return "is packed in a rare way: only plain files and deflate are read"
    if entry.file_size > MAX_FILE_BYTES:
        return f"would unfold to {entry.file_size} bytes; at most {MAX_FILE_BYTES} are unpacked"
    if entry.file_size > max(RATIO_FREE_BYTES, MAX_RATIO * entry.compress_size):
        ratio = entry.file_size // max(entry.compress_size, 1)
        return f"would unfold to {ratio} times its size; at most {MAX_RATIO} times is unpacked"
    return ""


def _shown(name: str) -> str:
    return name if name.isprintable() and len(name) <= 100 else repr(name[:100])


#: Bytes of a file's own header in a ZIP file, before the name and the extra field (APPNOTE 4.3.7).
LOCAL_HEADER = 30
_END = 22  # bytes of the end record, before its comment
_END_MOST = _END + 0xFFFF  # with the longest comment
#: Bytes that a writer that cannot seek puts behind a file, as a flag of it says.
_STREAMED, _DESCRIPTORS = 0x08, {0, 12, 16, 20, 24}


def local_size(head: bytes) -> int:
    """Bytes of a file's own header in a ZIP file, given its fixed part; struct.error where it is none."""
    signature, name_size, extra_size = struct.unpack("<4s22xHH", head)
    if signature != b"PK\x03\x04":
        raise struct.error("it has no ZIP header")
    return int(LOCAL_HEADER + name_size + extra_size)


def stray_bytes(opened: zipfile.ZipFile, size: int, read_at: Callable[[int, int], bytes]) -> Iterator[str]:
    """One sentence for each thing that is in a ZIP file and in none of its files.

    No hash of a file covers these: bytes before, between and behind the files, and comments.

    Args:
        opened: the file; its directory was found safe.
        size: its bytes.
        read_at: reads so many bytes (the second number) from an offset (the first).
    """
    if opened.comment:
        yield f"The ZIP file has a comment of {len(opened.comment)} bytes."
    end, gaps = 0, {0}
    for entry in sorted(opened.infolist(), key=lambda each: each.header_offset):
        if entry.comment:
            yield f"{entry.filename} has a comment of {len(entry.comment)} bytes in the ZIP directory."
        if (gap := entry.header_offset - end) < 0:
            yield f"{entry.filename} overlaps the file before it."
        elif gap not in gaps:
            where = "before" if end else "at the start of the ZIP file, before"
            yield f"{gap} bytes that belong to no file stand {where} {entry.filename}."
        try:
            end = entry.header_offset + local_size(read_at(entry.header_offset, LOCAL_HEADER))
        except struct.error:
            yield f"{entry.filename} has no ZIP header at byte {entry.header_offset}."
            end = entry.header_offset
        names = {entry.orig_filename.encode(charset, "replace") for charset in ("utf-8", "cp437")}
        if not any(read_at(entry.header_offset + LOCAL_HEADER, len(name)) == name for name in names):
            yield f"{entry.filename} has another name in its own ZIP header."
        end += entry.compress_size
        gaps = _DESCRIPTORS if entry.flag_bits & _STREAMED else {0}
    if (gap := opened.start_dir - end) not in gaps:
        yield f"{gap} bytes that belong to no file stand before the ZIP directory."
    tail = read_at(max(size - _END_MOST, 0), _END_MOST)
    if left := len(tail) - tail.rfind(b"PK\x05\x06") - _END - len(opened.comment):
        yield f"{left} bytes stand behind the end of the ZIP file."


def gunzipped(data: bytes, name: str) -> bytes:
    """The bytes of a gzip file of one or several members.

    Raises:
        IntegrityError: they are more than ``MAX_FILE_BYTES``.
        zlib.error, EOFError: it is no whole gzip file.
    """
    parts: list[bytes] = []
    left = MAX_FILE_BYTES
    while data:
        unpacker = zlib.decompressobj(31)
        parts.append(unpacker.decompress(data, left + 1))
        left -= len(parts[-1])
        if left < 0:
            raise IntegrityError(
                f"{name} would unfold to more than the {MAX_FILE_BYTES} bytes that are unpacked. {COPY}"
            )
        if not unpacker.eof:
            raise EOFError("it is cut short")
        data = unpacker.unused_data
    return b"".join(parts)


def too_large() -> IntegrityError:
    """What to raise for a record past ``MAX_RECORD_BYTES``."""
    return IntegrityError(
        f"A WARC record would unfold to more than the {MAX_RECORD_BYTES} bytes that are unpacked. {COPY}"
    )
