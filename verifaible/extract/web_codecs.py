"""What the indexes of the WHATWG Encoding Standard have and the codecs of Python lack or have otherwise."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

_ESCAPE = re.compile(rb"\x1b(\$[@B]|\([BJI])")
#: Characters that the Encoding Standard's indexes have where the codecs of Python have others.
_JAPANESE = str.maketrans("\u301c\u2016\u2212\xa2\xa3\xac", "\uff5e\u2225\uff0d\uffe0\uffe1\uffe2")
OTHER_CHARACTERS = {
    "euc-jp": _JAPANESE,
    "iso-2022-jp": _JAPANESE,
    "big5": str.maketrans(
        "\u2022\uff64\u203e\u223c\u2641\u2609\xa5\xa2\xa3\uffed",
        "\u2027\ufe51\xaf\uff5e\u2295\u2299\uffe5\uffe0\uffe1\u2593",
    ),
    "gb18030": str.maketrans(
        "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7"
        "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
        "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19\u1e3f"
        "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
    ),
}


def _jis_character(row: int, cell: int) -> str:
    """A character of the index jis0208, rows and cells from 1, those that only Windows has included."""
    row, cell = row - 1, cell - 1
    trail = cell + (0x9F if row % 2 else 0x40 if cell < 63 else 0x41)
    pair = bytes([row // 2 + (0x81 if row < 62 else 0xC1), trail])
    return pair.decode("cp932", "replace")[:1]


def _missing_character(codec: str, pair: bytes) -> tuple[str, int]:
    """What the Encoding Standard reads where Python's codec fails, and of how many bytes; or nothing."""
    if codec == "gb18030" and pair[:1] == b"\x80":
        return "\u20ac", 1
    if codec.startswith("big5") and pair in {b"\xa3\xe1", b"\xf9\xfe"}:
        return ("\u20ac" if pair == b"\xa3\xe1" else "\u2593"), 2
    if codec == "euc_jp" and len(pair) == 2 and all(0xA1 <= byte <= 0xFE for byte in pair):
        character = _jis_character(pair[0] - 0xA0, pair[1] - 0xA0)
        return ("", 0) if character == "\ufffd" else (character, 2)
    return "", 0


def _handler(replacement: str) -> Callable[[UnicodeError], tuple[str, int]]:
    def handle(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        pair = error.object[error.start : error.start + 2]
        character, length = _missing_character(error.encoding, pair)
        return (character, error.start + length) if length else (replacement, error.end)

    return handle


REPLACING, IGNORING = "verifaible.replace", "verifaible.ignore"
codecs.register_error(REPLACING, _handler("\ufffd"))
codecs.register_error(IGNORING, _handler(""))


def iso_2022_jp(body: bytes) -> str:
    """ISO-2022-JP with the rows of the index that Python's codec lacks; a line begins as ASCII does."""
    lines = []
    for line in body.split(b"\n"):
        mode, out = b"(B", []
        for index, piece in enumerate(_ESCAPE.split(line)):
            if index % 2:
                mode = piece
            elif mode.startswith(b"$"):
                out += [_jis_pair(piece[at : at + 2]) for at in range(0, len(piece), 2)]
            elif mode == b"(I":
                out += [chr(0xFF40 + byte) if 0x21 <= byte <= 0x5F else "\ufffd" for byte in piece]
            else:
                plain = piece.decode("ascii", "replace").replace("\x1b", "\ufffd")
                out.append(plain.replace("\\", "\xa5").replace("~", "\u203e") if mode == b"(J" else plain)
        lines.append("".join(out))
    return "\n".join(lines)


def _jis_pair(pair: bytes) -> str:
    if len(pair) == 2 and all(0x21 <= byte <= 0x7E for byte in pair):
        return _jis_character(pair[0] - 0x20, pair[1] - 0x20)
    return "\r" if pair == b"\r" else "\ufffd"
