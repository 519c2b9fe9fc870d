"""What a style hides: the words of an element alone, or all that is in it, and by which channel.

Without a layout engine sizes and places are known only where they are written as lengths. The
thresholds are those of ``browser/js/lib.js``, which asks the layout engine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from verifaible.extract.cascade import Declared, resolved
from verifaible.extract.colours import BLACK, FAINT, WHITE, Colour, parse_colour
from verifaible.extract.css import VIEWPORT_HEIGHT, VIEWPORT_WIDTH

#: A box moved this far to the left or up is out of sight for good, in pixels.
FAR_PX = 999.0
#: Letters smaller than this cannot be read, in pixels.
SMALLEST_FONT_PX = 2.0

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)\Z")
_UNITS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "rem": 16.0}
_FONT_WORDS = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "large": 18.0,
    "x-large": 24.0,
}
_CALL = re.compile(r"([a-z0-9]+)\(([^()]*)\)")
_CLIPPED = frozenset({"hidden", "clip"})
_PLACED = frozenset({"absolute", "fixed"})
_EMPTY_MARGIN_PX = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Style:
    """What a child inherits, or stands on.

    Attributes:
        ink: colour of the letters; None where the notation is not read.
        ground: the even colour behind; None where it is a picture or not known.
        certain: whether nothing but the ground can lie behind (no positioned box, no unread sheet).
    """

    visible: bool = True
    font_px: float = 16.0
    indent_px: float = 0.0
    ink: Colour | None = BLACK
    fill: Colour | None = None
    ground: Colour | None = WHITE
    certain: bool = True
    shines: bool = False
    outlined: bool = False
    variables: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``whole``: why nothing in the element shows; ``words``: why its own words do not.

    ``unsure`` where only a browser can tell whether the words show.
    """

    style: Style
    whole: str = ""
    words: str = ""
    unsure: bool = False


def judge(declared: Declared, parent: Style, painted: bool) -> Verdict:
    """Whether an element with these declarations shows, inside a parent with that style."""
    own = {name: value for name, value in declared.items() if name.startswith("--")}
    variables = {**parent.variables, **own} if own else parent.variables
    get = {name: resolved(value, variables) for name, value in declared.items() if not name.startswith("--")}
    style = _inherited(get, replace(parent, variables=variables) if own else parent, painted)
    whole = _whole(get, style.font_px) if get else ""
    words, unsure = _words(style)
    return Verdict(style, whole, words, unsure)


@lru_cache(maxsize=256)
def plain_verdict(style: Style) -> Verdict:
    """Of an element that declares nothing: its words look as its parent's do."""
    words, unsure = _words(style)
    return Verdict(style, "", words, unsure)


def _inherited(get: Declared, parent: Style, painted: bool) -> Style:
    if not get and not painted:
        return parent
    style = parent
    if (value := get.get("visibility", "inherit")) != "inherit":
        style = replace(style, visible=value not in {"hidden", "collapse"})
    if "font-size" in get:
        style = replace(style, font_px=_font_px(get["font-size"], parent.font_px))
    if (zoom := get.get("zoom")) and (found := _fraction(zoom)) is not None and found > 0:
        style = replace(style, font_px=style.font_px * found)
    if "text-indent" in get and (indent := length_px(get["text-indent"], style.font_px)) is not None:
        style = replace(style, indent_px=indent)
    if (value := get.get("color", "inherit")) != "inherit":
        style = replace(style, ink=BLACK if value == "initial" else parse_colour(value))
    if "-webkit-text-fill-color" in get:
        style = replace(style, fill=parse_colour(get["-webkit-text-fill-color"]))
    return _grounded(get, style, painted)


def _grounded(get: Declared, style: Style, painted: bool) -> Style:
    position = get.get("position")
    if position in {"absolute", "fixed", "sticky"} or painted:
        style = replace(style, certain=False)
    ground = get.get("background-color")
    colour = parse_colour(ground) if ground else None
    if get.get("background-image", "none") not in {"none", "initial", ""}:
        style = replace(style, ground=None)
    elif ground in {"currentcolor"}:
        style = replace(style, ground=style.ink, certain=not painted)
    elif colour is not None and colour.alpha == 1:
        style = replace(style, ground=colour, certain=not painted)
    elif (colour is not None and colour.alpha > 0) or (ground and colour is None and "(" in ground):
        style = replace(style, ground=None)
    if "text" in {get.get("background-clip"), get.get("-webkit-background-clip")}:
        style = replace(style, shines=True)
    if get.get("text-shadow", "none") not in {"none", "initial"} or any(
        get.get(name) for name in ("-webkit-text-stroke", "-webkit-text-stroke-width")
    ):
        style = replace(style, outlined=True)
    return style


def _words(style: Style) -> tuple[str, bool]:
    if not style.visible or style.font_px < SMALLEST_FONT_PX or style.indent_px < -FAR_PX:
        small = "zero size" if style.font_px < SMALLEST_FONT_PX else "off screen"
        return (small if style.visible else "visibility"), False
    ink = style.fill or style.ink
    if ink is None or style.shines:
        return "", False
    if ink.alpha < FAINT and not style.outlined:
        return "same colour", False
    if style.ground is not None and ink.like(style.ground) and not style.outlined:
        return "same colour", not style.certain
    return "", False


def _whole(get: Declared, font_px: float) -> str:
    if get.get("display") == "none" or get.get("content-visibility") == "hidden":
        return "display"
    animated = get.get("animation", "none") not in {"none", ""}
    if not animated:
        opacity = _fraction(get.get("opacity", "1"))
        clear = re.search(r"opacity\(\s*([\d.]+%?)\s*\)", get.get("filter", ""))
        shown = _fraction(clear[1]) if clear else 1.0
        if (opacity is not None and opacity < FAINT) or (shown is not None and shown < FAINT):
            return "opacity"
        if reason := _transformed(get, font_px):
            return reason
    if _clipped_away(get) or _far_away(get, font_px):
        return "off screen"
    return "zero size" if _no_room(get, font_px) else ""


def _far_away(get: Declared, font_px: float) -> bool:
    def px(name: str) -> float:
        return length_px(get.get(name, ""), font_px) or 0.0

    if min(px("margin-left"), px("margin-top")) < -FAR_PX:
        return True
    position = get.get("position")
    if position == "relative":
        return min(px("left"), px("top")) < -FAR_PX
    if position not in _PLACED:
        return False
    pushed = "right" in get and "left" not in get and px("right") > VIEWPORT_WIDTH
    raised = "bottom" in get and "top" not in get and position == "fixed" and px("bottom") > VIEWPORT_HEIGHT
    return min(px("left"), px("top")) < -FAR_PX or pushed or raised


def _no_room(get: Declared, font_px: float) -> bool:
    def none(*names: str) -> bool:
        found = [length_px(get.get(name, ""), font_px) for name in names if "%" not in get.get(name, "")]
        return any(each is not None and each <= _EMPTY_MARGIN_PX for each in found)

    # Height 0 with a padding is how a picture keeps its shape.
    padded = any(
        (length_px(get.get(name, ""), font_px) or 0) > 1 or "%" in get.get(name, "")
        for name in ("padding-top", "padding-bottom")
    )
    flat = get.get("overflow-y") in _CLIPPED and none("height", "max-height") and not padded
    narrow = get.get("overflow-x") in _CLIPPED and none("width", "max-width")
    return (flat or narrow) and get.get("display") not in {"inline", "contents"}


def _clipped_away(get: Declared) -> bool:
    clip = get.get("clip", "")
    if clip.startswith("rect("):
        sides = [length_px(part, 16) for part in re.split(r"[\s,]+", clip[5:].rstrip(") ").strip())]
        if len(sides) == 4 and None not in sides:
            top, right, bottom, left = (side or 0.0 for side in sides)
            if bottom - top <= 1 or right - left <= 1:
                return True
    path = get.get("clip-path", "")
    if re.match(r"(?:circle|ellipse)\(\s*0(?:px|%)?[\s)]", path):
        return True
    if path.startswith("polygon("):
        points = {point.strip() for point in path[8:].rstrip(") ").split(",")}
        return len(points) < 3
    inset = re.match(r"inset\(([^)]*)\)", path)
    if inset is None:
        return False
    sides_text = inset[1].partition("round")[0].split() or ["0"]
    top_text, right_text = sides_text[0], (sides_text[1] if len(sides_text) > 1 else sides_text[0])
    bottom_text = sides_text[2] if len(sides_text) > 2 else top_text
    left_text = sides_text[3] if len(sides_text) > 3 else right_text
    return (
        _percent(top_text) + _percent(bottom_text) >= 100 or _percent(left_text) + _percent(right_text) >= 100
    )


def _percent(text: str) -> float:
    match = _NUMBER.match(text)
    return float(match[1]) if match and match[2] == "%" else 0.0


def _transformed(get: Declared, font_px: float) -> str:
    scale = get.get("scale", "")
    if scale and scale != "none" and any((_fraction(part) or 0.0) < 0.01 for part in scale.split()[:2]):
        return "zero size"
    for part in get.get("translate", "").split()[:2]:
        if (length_px(part, font_px) or 0.0) < -FAR_PX:
            return "off screen"
    return next(
        (
            found
            for call in _CALL.findall(get.get("transform", ""))
            if (found := _call(call[0], call[1], font_px))
        ),
        "",
    )


def _call(name: str, inside: str, font_px: float) -> str:
    """What one function of a ``transform`` hides."""
    values = [part for part in re.split(r"[\s,]+", inside.strip()) if part]
    if name in {"scale", "scalex", "scaley", "scale3d"}:
        factors = [_fraction(each) for each in values[:2]]
        if any(factor is not None and abs(factor) < 0.01 for factor in factors):
            return "zero size"
    if name == "matrix" and len(values) == 6:
        a, b, c, d = (_fraction(each) for each in values[:4])
        if None not in (a, b, c, d) and abs((a or 0) * (d or 0) - (b or 0) * (c or 0)) < 0.001:
            return "zero size"
    if name.startswith("translate") and any(
        (length_px(each, font_px) or 0.0) < -FAR_PX for each in values[:2]
    ):
        return "off screen"
    return ""


def _font_px(value: str, parent_px: float) -> float:
    if value in _FONT_WORDS:
        return _FONT_WORDS[value]
    match = _NUMBER.match(value)
    if match is None:
        return parent_px
    if match[2] in {"%", "em"}:
        return parent_px * float(match[1]) / (100 if match[2] == "%" else 1)
    found = length_px(value, parent_px)
    return parent_px if found is None else found


@lru_cache(maxsize=4096)
def _fraction(text: str) -> float | None:
    match = _NUMBER.match(text.strip())
    if match is None or match[2] not in {"", "%"}:
        return None
    return float(match[1]) / (100 if match[2] == "%" else 1)


@lru_cache(maxsize=8192)
def length_px(text: str, font_px: float) -> float | None:
    """A length in pixels; percentages of the window's width; None where it is no plain length."""
    match = _NUMBER.match(text.strip())
    if match is None:
        return None
    number, unit = float(match[1]), match[2]
    if unit in {"em", "ex", "ch"}:
        return number * max(font_px, 1.0) / (1 if unit == "em" else 2)
    if unit in {"vw", "vh"}:
        return number * (VIEWPORT_WIDTH if unit == "vw" else VIEWPORT_HEIGHT) / 100
    if unit == "%":
        return 0.0
    factor = _UNITS.get(unit)
    return None if factor is None else number * factor
