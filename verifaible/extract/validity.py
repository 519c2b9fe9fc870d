"""Whether a browser would take a declaration: one that it does not take overrules nothing."""

from __future__ import annotations

import re

from verifaible.extract.colours import SYSTEM_COLOURS, parse_colour

_WIDE = frozenset({"initial", "inherit", "unset", "revert", "revert-layer"})
_PLAIN = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?"
_MATHS = (
    r"(?:-webkit-)?(?:calc|min|max|clamp|round|mod|rem|abs|sign|env|attr|calc-size|anchor|anchor-size)\(.*\)"
)
_UNIT = (
    r"(?:px|em|rem|ex|rex|ch|rch|cap|rcap|ic|ric|lh|rlh|pt|pc|in|cm|mm|q|%|[sdl]?v(?:w|h|i|b|min|max)|"
    r"cq(?:w|h|i|b|min|max))?"
)
_LENGTH = rf"(?:{_PLAIN}{_UNIT}|{_MATHS})"
_NUMBER = rf"(?:{_PLAIN}%?|{_MATHS})"
_SIZE = (
    rf"(?:auto|none|(?:min|max|fit)-content|fit-content\(.*\)|stretch|-webkit-fill-available|"
    rf"-webkit-(?:min|max|fit)-content|{_LENGTH})"
)
_DISPLAY_WORDS = (
    r"(?:block|inline|flow|flow-root|table|flex|grid|ruby|list-item|math|run-in)"
    r"(?: (?:block|inline|flow|flow-root|table|flex|grid|ruby|list-item|math))*|none|contents|"
    r"inline-(?:block|table|flex|grid)|table-[a-z-]+|ruby-[a-z-]+|-webkit-(?:inline-)?(?:box|flex)|"
    r"grid-lanes|inline-grid-lanes"
)
# Parentheses to the third level, read in one way only.
_INSIDE = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_MOVES = (
    r"(?:matrix|matrix3d|translate|translatex|translatey|translatez|translate3d|scale|scalex|scaley|scalez|"
    rf"scale3d|rotate|rotatex|rotatey|rotatez|rotate3d|skew|skewx|skewy|perspective){_INSIDE}"
)
_FILTERS = (
    r"(?:opacity|blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert|saturate|sepia|url)"
    rf"{_INSIDE}"
)
_SHAPES = r"(?:inset|circle|ellipse|polygon|path|url|xywh|rect|shape)\(.*\)"
_BOXES = r"(?:border|padding|content|margin|fill|stroke|view)-box"
_PICTURE = r"(?:url|src|image|image-set|cross-fade|element|paint|[a-z-]*gradient|-webkit-[a-z-]+)\(.*\)"
_PATTERNS = {
    "display": _DISPLAY_WORDS,
    "visibility": "visible|hidden|collapse",
    "opacity": _NUMBER,
    "zoom": rf"normal|reset|document|{_NUMBER}",
    "filter": rf"none|{_FILTERS}(?:\s*{_FILTERS})*",
    "content-visibility": "visible|auto|hidden",
    "font-size": rf"(?:xx-|x-)?small|medium|(?:x|xx|xxx)-?-?large|large|smaller|larger|math|(?!-){_LENGTH}",
    "overflow-x": "visible|hidden|clip|scroll|auto|overlay",
    "overflow-y": "visible|hidden|clip|scroll|auto|overlay",
    "position": "static|relative|absolute|fixed|sticky|-webkit-sticky",
    "float": "none|left|right|inline-start|inline-end",
    "transform": rf"none|{_MOVES}(?:\s*{_MOVES})*",
    "translate": rf"none|{_LENGTH}(?:\s+{_LENGTH}){{0,2}}",
    "scale": rf"none|{_NUMBER}(?:\s+{_NUMBER}){{0,2}}",
    "clip": r"auto|rect\(.*\)",
    "clip-path": rf"none|{_BOXES}|{_SHAPES}(?:\s+{_BOXES})?|{_BOXES}\s+{_SHAPES}",
    "background-image": rf"none|{_PICTURE}|none\s*,.*",
    "background-clip": rf"(?:{_BOXES}|text|border-area)(?:[\s,]+(?:{_BOXES}|text|border-area))*",
    "text-shadow": r"none|(?:.*\s)?[-+.\d]\S*\s+[-+.\d].*",
    "-webkit-text-stroke": r".*",
    "-webkit-text-stroke-width": rf"thin|medium|thick|{_LENGTH}",
    **dict.fromkeys(("left", "right", "top", "bottom", "margin-left", "margin-top"), rf"auto|{_LENGTH}"),
    **dict.fromkeys(("text-indent",), rf"{_LENGTH}(?: (?:hanging|each-line))*"),
    **dict.fromkeys(("padding-top", "padding-bottom"), rf"(?!-){_LENGTH}"),
    **dict.fromkeys(
        ("width", "height", "max-width", "max-height", "min-width", "min-height"), rf"(?!-\d){_SIZE}"
    ),
}
_VALUES = {name: re.compile(rf"(?:{pattern})\Z", re.DOTALL) for name, pattern in _PATTERNS.items()}
_COLOURED = frozenset({"color", "background-color", "-webkit-text-fill-color"})
#: Colours in a notation that browsers read.
COLOUR_CALL = re.compile(
    r"(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark|contrast-color|device-cmyk)\(.*\)\Z",
    re.DOTALL,
)
_OLD_CALL = re.compile(r"(?:rgb|hsl)a?\([^()a-z]*(?:deg|turn|rad|grad)?[^()a-z]*\)\Z")


def is_valid(name: str, value: str) -> bool:
    """Whether a browser would take the value; others must not overrule a valid one before them."""
    if name.startswith("--") or "var(" in value or value in _WIDE:
        return True
    if name in _COLOURED:
        if parse_colour(value) is not None or value == "currentcolor" or value in SYSTEM_COLOURS:
            return True
        # Plain numbers in a well-known notation are read above, so these are not right.
        return COLOUR_CALL.match(value) is not None and _OLD_CALL.match(value) is None
    pattern = _VALUES.get("background-clip" if name == "-webkit-background-clip" else name)
    return bool(value) if pattern is None else pattern.match(value) is not None
