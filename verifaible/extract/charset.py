"""Bytes of a page to text, with the encoding a browser would choose.

Order (WHATWG HTML, "determining the character encoding"): byte order mark, the ``charset`` of the HTTP
header, a declaration at the beginning of the page, a detector. Labels are read by the WHATWG Encoding
Standard's table, in which ``gb2312`` and ``gbk`` mean gb18030 and ``iso-8859-1`` means windows-1252.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

EncodingSource: TypeAlias = Literal["bom", "header", "meta", "detector"]

#: How far a declaration is looked for, in bytes (WHATWG HTML, "prescan a byte stream"); one behind that
#: counts too, as in browsers, while the head of the page goes on.
PRESCAN_BYTES, LONGEST_HEAD_BYTES = 1024, 64 * 1024
#: How much the detector reads, in bytes.
DETECT_BYTES: Final = 128 * 1024

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
#: The labels' detector names Python codecs; here is the WHATWG name where it is another one.
_WHATWG_NAMES = {
    **dict.fromkeys(("gbk", "gb2312"), "gb18030"),
    **dict.fromkeys(("cp949", "euc_kr"), "euc-kr"),
    "euc_jp": "euc-jp",
    "iso2022_jp": "iso-2022-jp",
    **dict.fromkeys(("iso8859-11", "cp874"), "windows-874"),
    "mac-roman": "macintosh",
    **{"utf-16-le": "utf-16le", "utf-16-be": "utf-16be"},
    "ascii": "windows-1252",
}
#: Labels of the standard that the detector lacks.
_MORE_LABELS = {
    **dict.fromkeys(("x-mac-cyrillic", "x-mac-ukrainian"), "x-mac-cyrillic"),
    "utf-16be": "utf-16be",
    "x-user-defined": "x-user-defined",
}
#: Python's codecs for encodings that it has under another name, or with a narrower repertoire under the same.
_CODECS = {
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "big5": "big5hkscs",
    "windows-874": "cp874",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-user-defined": "latin-1",
}
#: Characters that the standard reads otherwise than Python's codec: letters of Ukraine's and Belarus's KOI8,
#: and what GB 18030 had as private characters before 2005.
_OTHERWISE = {
    "koi8-u": str.maketrans("\u255d\u256c", "\u045e\u040e"),
    "gb18030": str.maketrans(
        "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7"
        "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
        "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19\u1e3f"
        "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
    ),
    "x-user-defined": {byte: 0xF700 + byte for byte in range(0x80, 0x100)},
}
_MULTIBYTE = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
_HIGH = re.compile(rb"[\x80-\xff]")
#: So many sequences of UTF-8 and not one fault: chance in a text of another encoding, of one byte a letter or
#: of several.
_FEW_SEQUENCES, _MANY_SEQUENCES = 3, 12
#: From so many malformed sequences, and one for so many bytes that are not ASCII, a text is mislabelled.
_MOST_DAMAGE, _DAMAGED_SHARE = 4, 12
#: Korean text is Hangul to this share, and Chinese letters are at most this share of it.
_HANGUL_SHARE, _HANJA_SHARE = 0.85, 0.1
#: UTF-16 without a mark has NUL in so large a share of its pairs of bytes, on one side.
_ZEROS_SHARE: Final = 0.3
_CHARSET = rb"charset\s*=\s*[\"']?\s*([^\s;\"'/>]+)"
_HEADER_CHARSET = re.compile(_CHARSET.decode(), re.IGNORECASE)
_META_CHARSET = re.compile(_CHARSET, re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_XML_DECLARATION = re.compile(rb"\A\s*<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._:-]+)[\"']", re.IGNORECASE)
_META = re.compile(rb"<meta[\s/][^>]{0,2000}>", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"([^\s\"'>/=]+)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))")
_HEAD_END = re.compile(rb"</head|<body[\s>]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a page.

    ``encoding`` is the WHATWG name in lower case, ``source`` what named it, ``replaced`` how many malformed
    sequences became U+FFFD: 0 unless the bytes are damaged or mislabelled.
    """

    text: str = field(repr=False)
    encoding: str
    source: EncodingSource
    replaced: int = 0


def decode_html(body: bytes, content_type: str = "") -> Decoded:
    """Decode a page or another text.

    ``content_type`` is the whole header value, parameters included. A declaration inside the bytes is only
    looked for where the type is empty, HTML or XML. Never raises: bytes that do not fit the encoding become
    U+FFFD and are counted.
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return _decoded(body[len(bom) :], encoding, "bom")
    named = _HEADER_CHARSET.search(content_type)
    by_header = encoding_for_label(named[1]) if named else ""
    media_type = content_type.partition(";")[0].strip().lower()
    marked = not media_type or "html" in media_type or "xml" in media_type
    declared = _declared(body) if marked else ""
    if by_header:
        return _checked(body, _decoded(body, by_header, "header"), declared)
    if declared:
        return _checked(body, _decoded(body, declared, "meta"), "")
    return _decoded(body, _detected(body), "detector")


def decode_text(data: bytes) -> Decoded:
    """Decode a text file that names no encoding: one that a person exported, be it as UTF-16 without a mark.

    A file most of whose letters beyond ASCII are UTF-8 is UTF-8, and what is not is replaced: a guess at
    single lines would turn damage into words that nobody wrote. Never raises.
    """
    if data.startswith(codecs.BOM_UTF32_LE):  # to browsers it is UTF-16
        return _decoded(data[len(codecs.BOM_UTF32_LE) :], "utf-32le", "bom")
    sample = data[:DETECT_BYTES]
    zeros = [sample[side::2].count(0) for side in (0, 1)]
    if max(zeros) > max(1, _ZEROS_SHARE * len(sample) / 2) and min(zeros) < max(zeros) / 8:
        return _decoded(data, "utf-16le" if zeros[1] > zeros[0] else "utf-16be", "detector")
    as_utf8 = _decoded(data, "utf-8", "detector")
    letters = sum(char > "\x7f" for char in as_utf8.text) - as_utf8.text.count("\ufffd")
    marked = any(data.startswith(bom) for bom, _ in _BOMS)
    return decode_html(data, "text/plain") if marked or 0 < as_utf8.replaced >= letters else as_utf8


def is_utf8(body: bytes) -> bool:
    """Whether all of it is UTF-8."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def encoding_for_label(label: str) -> str:
    """The WHATWG name of the encoding a label means; an empty string for an unknown label."""
    from resiliparse.parse.encoding import map_encoding_to_html5

    wanted = label.strip().lower()
    if wanted in _MORE_LABELS:
        return _MORE_LABELS[wanted]
    codec = (map_encoding_to_html5(wanted, fallback_utf8=False) or "").lower()
    name = re.sub(r"^cp(?=125\d$)", "windows-", codec)
    return _WHATWG_NAMES.get(codec) or re.sub(r"^iso8859[-_]", "iso-8859-", name)


def _checked(body: bytes, stated: Decoded, declared: str) -> Decoded:
    """The text as stated, unless the bytes prove the statement wrong.

    Bytes that are UTF-8 all through, in many places, are nothing else; and a text that is damaged all over is
    in what the page itself declares, or in what the detector finds, if that reads it undamaged.
    """
    if stated.encoding.startswith("utf-16"):
        return stated
    sample = body[:DETECT_BYTES]
    single = stated.encoding.startswith(("windows-", "iso-8859", "koi8", "macintosh"))
    if len(_MULTIBYTE.findall(sample)) >= (_FEW_SEQUENCES if single else _MANY_SEQUENCES) and is_utf8(body):
        return stated if stated.encoding == "utf-8" else _decoded(body, "utf-8", "detector")
    if stated.replaced < max(_MOST_DAMAGE, len(_HIGH.findall(sample)) / _DAMAGED_SHARE):
        return stated
    others: list[tuple[str, EncodingSource]] = [(declared, "meta"), (_detected(body), "detector")]
    tried = (_decoded(body, encoding, source) for encoding, source in others if encoding)
    return next((each for each in tried if each.replaced * _MOST_DAMAGE <= stated.replaced), stated)


def _declared(body: bytes) -> str:
    """What a meta element or an XML declaration at the beginning says, as the standard mends it.

    UTF-16 there can only mean UTF-8.
    """
    end = _HEAD_END.search(body, 0, LONGEST_HEAD_BYTES)
    head = _COMMENT.sub(b"", body[: max(PRESCAN_BYTES, end.start() if end else 0)])
    xml = _XML_DECLARATION.search(head)
    labels = [xml[1]] if xml else []
    labels += [_meta_label(meta[0]) for meta in _META.finditer(head)]
    known = (encoding_for_label(label.decode("ascii", "replace")) for label in labels if label)
    encoding = next(filter(None, known), "")
    if encoding == "x-user-defined":
        return "windows-1252"
    return "utf-8" if encoding.startswith("utf-16") else encoding


def _meta_label(meta: bytes) -> bytes:
    """The label in ``charset``, or in the ``content`` of a declared content type; empty without one."""
    values: dict[bytes, bytes] = {}
    for match in _ATTRIBUTE.finditer(meta):
        values.setdefault(match[1].lower(), match[2] or match[3] or (match[4] or b"").rstrip(b"/"))
    if b"charset" in values:
        return values[b"charset"]
    if values.get(b"http-equiv", b"").strip().lower() != b"content-type":
        return b""
    found = _META_CHARSET.search(values.get(b"content", b""))
    return found[1] if found else b""


def _detected(body: bytes) -> str:
    from resiliparse.parse.encoding import detect_encoding

    sample = body[:DETECT_BYTES]
    try:
        # A cut through a character at the sample's end is no sign against UTF-8.
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=len(sample) == len(body))
    except UnicodeDecodeError:
        if _is_korean(sample):
            return "euc-kr"
        found = detect_encoding(sample, max_len=DETECT_BYTES)
        return (encoding_for_label(found) if found else "") or "windows-1252"
    return "utf-8"


def _is_korean(sample: bytes) -> bool:
    """Whether a text is Korean in EUC-KR: the detector takes it for Chinese or Western."""
    # The narrower codec: Japanese bytes would give the syllables that only Windows adds.
    letters = [each for each in sample.decode("euc-kr", "replace") if each > "\x7f"]
    hangul = sum("\uac00" <= each <= "\ud7a3" for each in letters)
    hanja = sum("\u4e00" <= each <= "\u9fff" for each in letters)
    return hangul >= _HANGUL_SHARE * len(letters) and hanja <= _HANJA_SHARE * len(letters) and hangul > 1


def _decoded(body: bytes, encoding: str, source: EncodingSource) -> Decoded:
    codec = _CODECS.get(encoding, encoding)
    text = body.decode(codec, _AS_BROWSERS)
    replaced = text.count("\ufffd")
    if replaced:
        replaced -= body.decode(codec, "ignore").count("\ufffd")
    return Decoded(text.translate(_OTHERWISE.get(encoding, {})), encoding, source, replaced)


def _replace(error: UnicodeError) -> tuple[str, int]:
    """What the standard makes of bytes that Python's codec does not know.

    The byte 0x80 of Chinese pages is the euro sign, bytes up to 0x9F of an encoding of one byte a letter are
    controls, and all others are U+FFFD.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start]
    if error.encoding == "gb18030" and byte == 0x80:
        return "\u20ac", error.start + 1
    if error.encoding == "charmap" and byte < 0xA0:
        return chr(byte), error.end
    return "\ufffd", error.end


_AS_BROWSERS: Final = "verifaible.extract.as_browsers"
codecs.register_error(_AS_BROWSERS, _replace)
