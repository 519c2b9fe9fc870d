"""Bytes of an input to text: UTF-8, UTF-16, UTF-32, GB18030, Windows-1252, and files that mix them."""

from __future__ import annotations

import codecs
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from verifaible.errors import RunError
from verifaible.extract.charset import decode_html

#: A text with so large a share of NUL bytes on one side of each pair is UTF-16 without a mark.
_NUL_SHARE = 0.3
_SAMPLE_BYTES = 64 * 1024
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f\ufffd]")


@dataclass(frozen=True, slots=True)
class InputText:
    """A file as text; ``damaged`` says that what could not be decoded is U+FFFD in it."""

    text: str = field(repr=False)
    encoding: str
    damaged: bool
    sha256: str


def read_bytes(path: Path) -> bytes:
    """The bytes of an input.

    Raises:
        RunError: it is not there, is a folder, or cannot be read.
    """
    try:
        return path.read_bytes()
    except IsADirectoryError as error:
        raise RunError(f"{path} is a folder. Name the file in it, or the folder of a run.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(f"{path} cannot be read ({reason}). Check the name and its permissions.") from error


def read_text(path: Path) -> InputText:
    """A file as text; errors are those of :func:`read_bytes`."""
    data = read_bytes(path)
    text, encoding, damaged = decoded(data)
    return InputText(text, encoding, damaged, hashlib.sha256(data).hexdigest())


def decoded(data: bytes) -> tuple[str, str, bool]:
    """The text, the encoding, and whether something could not be decoded.

    A file most of whose lines with letters beyond ASCII, or most of whose such letters, are UTF-8 is UTF-8,
    and what is not is replaced: a guess at single lines would turn damage into words that nobody wrote.
    """
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        text = data.decode("utf-32", "replace")
        return text, "utf-32", "\ufffd" in text
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        found = decode_html(data, "text/plain")
        return found.text, found.encoding, bool(found.replaced)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        wide = _wide(data)
        return (data.decode(wide, "replace"), wide, False) if wide else (text, "utf-8", False)
    if wide := _wide(data):
        text = data.decode(wide, "replace")
        return text, wide, "\ufffd" in text
    good, bad = _lines(data)
    text = data.decode("utf-8", "replace")
    if good > bad or len(_BEYOND_ASCII.findall(text)) > text.count("\ufffd"):
        return text, "utf-8", True
    found = decode_html(data, "text/plain")
    return found.text, found.encoding, bool(found.replaced)


def _wide(data: bytes) -> str:
    """The byte order of UTF-16 without a mark; empty for another encoding."""
    sample = data[:_SAMPLE_BYTES]
    pairs = len(sample) // 2
    if pairs < 4:
        return ""
    first, second = sample[0::2].count(0), sample[1::2].count(0)
    if second > _NUL_SHARE * pairs and first < second / 8:
        return "utf-16-le"
    return "utf-16-be" if first > _NUL_SHARE * pairs and second < first / 8 else ""


def _lines(data: bytes) -> tuple[int, int]:
    """How many lines with bytes beyond ASCII are UTF-8, and how many are not."""
    good = bad = 0
    for line in data.split(b"\n"):
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            good += 1
        except UnicodeDecodeError:
            bad += 1
    return good, bad
