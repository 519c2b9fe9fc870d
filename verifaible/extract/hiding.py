"""What a style hides: the words of an element alone, or all that is in it, and by which channel.

Without a layout engine sizes and places are known only where they are written as lengths. The
thresholds are those of ``browser/js/lib.js``, which asks the layout engine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from verifaible.extract.cascade import Declared, resolved
from verifaible.extract.colours import BLACK, FAINT, WHITE, Colour, parse_colour
from verifaible.extract.lengths import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, length_px, percent
from verifaible.extract.lengths import fraction as _fraction
from verifaible.extract.selectors import split_outside

#: A box moved this far to the left or up is out of sight for good, in pixels.
FAR_PX = 999.0
#: Letters smaller than this cannot be read, in pixels.
SMALLEST_FONT_PX = 2.0

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)\Z")
_FONT_WORDS = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "large": 18.0,
    "x-large": 24.0,
    "xx-large": 32.0,
    "xxx-large": 48.0,
    "initial": 16.0,
}
_CALL = re.compile(r"([a-z0-9]+)\(([^()]*)\)")
#: With these a letter looks as those around it do.
_INHERITED = frozenset({"inherit", "unset", "revert", "revert-layer", "currentcolor", ""})
_CLIPPED = frozenset({"hidden", "clip"})
_PLACED = frozenset({"absolute", "fixed"})
_EMPTY_MARGIN_PX = 1.0
_UNIT_ROOT_PX = 16.0
_REM = re.compile(r"(?<![\w.])(-?(?:\d{1,9}(?:\.\d*)?|\.\d+))rem\b")
#: Pixels to a hundredth of the box around: twice its width to the left is out of sight.
_WINDOW_SHARE = 5.0
_PAINTED = re.compile(r"url\(\s*[\"']?\s*[^\s\"')]|(?:gradient|image|image-set|element|paint|cross-fade)\(")


@dataclass(frozen=True, slots=True, eq=False)
class Style:
    """What a child inherits, or stands on.

    Attributes:
        ink: colour of the letters; None where the notation is not read.
        ground: the even colour behind; None where it is a picture or not known.
        opacity: that of the element times that of all around it.
        unread: whether the ground is a colour in a notation that only a browser reads.
        root_px: the letters of the whole page, of which ``rem`` are multiples.
        doubted: whether the letters were counted already as a browser's to judge.
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
    opacity: float = 1.0
    unread: bool = False
    root_px: float = 16.0
    doubted: bool = False
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
    if parent.root_px != _UNIT_ROOT_PX:
        get = {name: _in_plain_rem(value, parent.root_px) for name, value in get.items()}
    style = _inherited(get, replace(parent, variables=variables) if own else parent, painted)
    if get:
        style = _faded(get, style)
    whole = _whole(get, style) if get else ""
    words, unsure = _words(style)
    return Verdict(style, whole, words, unsure or bool(get and _puzzling(get, style.font_px)))


def _in_plain_rem(value: str, root_px: float) -> str:
    return _REM.sub(lambda match: f"{float(match[1]) * root_px:f}px", value) if "rem" in value else value


def plain_verdict(style: Style) -> Verdict:
    """Of an element that declares nothing: its words look as its parent's do."""
    words, unsure = _words(style)
    return Verdict(style, "", words, unsure)


def _faded(get: Declared, style: Style) -> Style:
    opacity = _fraction(get.get("opacity", "1"))
    if opacity is None or opacity >= 1 or get.get("display") == "contents" or _is_animated(get):
        return style
    return replace(style, opacity=style.opacity * max(opacity, 0.0))


def _is_animated(get: Declared) -> bool:
    return get.get("animation", "none") not in {"none", ""}


def _puzzling(get: Declared, font_px: float) -> bool:
    """Whether a value that may hide is one that only a browser works out."""

    def odd(names: tuple[str, ...]) -> bool:
        return any("(" in get.get(name, "") and length_px(get[name], font_px) is None for name in names)

    placed = get.get("position") in _PLACED or get.get("position") == "relative"
    clipped = get.get("overflow-x") in _CLIPPED or get.get("overflow-y") in _CLIPPED
    numbers = any("(" in get.get(name, "") and _fraction(get[name]) is None for name in ("opacity", "zoom"))
    # Only positioned boxes are clipped; a sheet that was not read may position this one.
    loose = get.get("clip", "").startswith("rect(") and get.get("position") not in _PLACED
    return (
        numbers
        or loose
        or odd(("font-size", "text-indent", "margin-left", "margin-top"))
        or (placed and odd(("left", "top", "right", "bottom")))
        or (clipped and odd(("width", "height", "max-width", "max-height")))
        or re.search(r"matrix3d|rotate(?:x|y|3d)\(|\([^)]*\(", get.get("transform", "")) is not None
        or re.match(r"(?:path|url|xywh|rect|shape)\(|[^(]+\([^)]*\(", get.get("clip-path", "")) is not None
        or re.search(r"opacity\([^)]*\(", get.get("filter", "")) is not None
    )


def _inherited(get: Declared, parent: Style, painted: bool) -> Style:
    if not get and not painted:
        return parent
    style = parent
    if (value := get.get("visibility", "inherit")) not in _INHERITED:
        style = replace(style, visible=value not in {"hidden", "collapse"})
    if "font-size" in get:
        style = replace(style, font_px=_font_px(get["font-size"], parent.font_px))
    if (zoom := get.get("zoom")) and (found := _fraction(zoom)) is not None and found > 0:
        style = replace(style, font_px=style.font_px * found)
    if "text-indent" in get and (indent := length_px(get["text-indent"], style.font_px)) is not None:
        style = replace(style, indent_px=indent)
    if (value := get.get("color", "inherit")) not in _INHERITED:
        style = replace(style, ink=BLACK if value == "initial" else parse_colour(value))
    if (value := get.get("-webkit-text-fill-color", "inherit")) not in _INHERITED:
        style = replace(style, fill=parse_colour(value))
    return _grounded(get, style, painted)


def _grounded(get: Declared, style: Style, painted: bool) -> Style:
    position = get.get("position")
    if position in {"absolute", "fixed", "sticky"} or painted:
        style = replace(style, certain=False)
    ground = get.get("background-color")
    colour = parse_colour(ground) if ground else None
    behind = style.ground
    pictured = _PAINTED.search(get.get("background-image", "")) is not None
    if pictured:
        style = replace(style, ground=None)
    elif ground == "currentcolor":
        style = replace(style, ground=style.ink, certain=not painted)
    elif colour is not None and colour.alpha == 1:
        style = replace(style, ground=colour, certain=not painted, unread=False)
    elif ground and colour is None and "(" in ground:
        style = replace(style, ground=None, unread=True)
    elif colour is not None and colour.alpha > 0:
        style = replace(style, ground=None)
    if "text" in f"{get.get('background-clip')} {get.get('-webkit-background-clip')}":
        seen = pictured or (colour is None and style.ground is None)
        if seen or (colour and colour.alpha >= FAINT and not (behind and colour.like(behind))):
            style = replace(style, shines=True)
        elif colour is not None:
            style = replace(style, ground=behind)
    return replace(style, outlined=True) if _has_outline(get, style) else style


def _has_outline(get: Declared, style: Style) -> bool:
    """Whether a shadow or a line around the letters makes them seen."""
    shadows = get.get("text-shadow", "none")
    if shadows not in {"none", "initial", *_INHERITED}:
        for shadow in split_outside(shadows, ","):
            parts = [part for part in split_outside(shadow, " ") if part]
            moved = any((length_px(part, style.font_px) or 0) != 0 for part in parts)
            if moved and _stands_out(parts, style):
                return True
    line = f"{get.get('-webkit-text-stroke', '')} {get.get('-webkit-text-stroke-width', '')}".split()
    wide = any(part in {"thin", "medium", "thick"} or (length_px(part, 16) or 0) > 0 for part in line)
    return wide and _stands_out(split_outside(" ".join(line), " "), style)


def _stands_out(parts: list[str], style: Style) -> bool:
    """Whether the colour among the parts of a value, or else the ink, is unlike the ground."""
    named = next((found for part in parts if (found := parse_colour(part)) is not None), None)
    if named is None and any("(" in part for part in parts):
        return True
    colour = named or style.ink
    if colour is None:
        return True
    return colour.alpha >= FAINT and not (style.ground is not None and colour.like(style.ground))


def _words(style: Style) -> tuple[str, bool]:
    if not style.visible or style.font_px < SMALLEST_FONT_PX or style.indent_px < -FAR_PX:
        small = "zero size" if style.font_px < SMALLEST_FONT_PX else "off screen"
        return (small if style.visible else "visibility"), False
    ink = style.fill or style.ink
    if ink is None or style.shines:
        return "", ink is None and not style.shines
    if ink.alpha < FAINT and not style.outlined:
        return "same colour", False
    if style.ground is not None and ink.like(style.ground) and not style.outlined:
        return "same colour", not style.certain
    return "", style.unread


def _whole(get: Declared, style: Style) -> str:
    font_px = style.font_px
    if get.get("display") == "none" or get.get("content-visibility") == "hidden":
        return "display"
    if not _is_animated(get):
        clear = re.search(r"opacity\(\s*([\d.]+%?)\s*\)", get.get("filter", ""))
        shown = _fraction(clear[1]) if clear else 1.0
        # An opacity that is exactly the limit shows, whatever the product is rounded to.
        faint = style.opacity < FAINT - 1e-9 and "opacity" in get and get.get("display") != "contents"
        if faint or (shown is not None and shown < FAINT):
            return "opacity"
        if reason := _transformed(get, font_px):
            return reason
    if _clipped_away(get) or _far_away(get, font_px):
        return "off screen"
    return "zero size" if _no_room(get, font_px) else ""


def _far_away(get: Declared, font_px: float) -> bool:
    def px(name: str) -> float:
        value = get.get(name, "")
        # Of the box around, which is at least a good part of the window.
        return length_px(value, font_px) or (percent(value) * _WINDOW_SHARE if "left" in name else 0.0)

    # As much padding, or a place to the right, brings the words back.
    if min(px("margin-left"), px("margin-top")) < -FAR_PX and not (
        {"padding-left", "left"} & get.keys() and (px("padding-left") > FAR_PX or "%" in get.get("left", ""))
    ):
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
    kept = get.get("flex", "none").startswith(("1", "auto")) or get.get("flex-grow", "0") not in {"0", ""}
    if kept or get.get("display") in {"inline", "contents", "table-cell"}:
        return False
    padded = (
        padded or (length_px(get.get("min-height", ""), font_px) or 0) > 1 or "%" in get.get("min-height", "")
    )
    widened = (length_px(get.get("min-width", ""), font_px) or 0) > 1 or "%" in get.get("min-width", "")
    flat = get.get("overflow-y") in _CLIPPED and none("height", "max-height") and not padded
    narrow = get.get("overflow-x") in _CLIPPED and none("width", "max-width")
    return flat or (narrow and not widened)


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
    return percent(top_text) + percent(bottom_text) >= 100 or percent(left_text) + percent(right_text) >= 100


def _transformed(get: Declared, font_px: float) -> str:
    scale = get.get("scale", "")
    if scale and scale != "none" and any(abs(_fraction(part) or 0.0) < 0.01 for part in scale.split()[:2]):
        return "zero size"
    for part in get.get("translate", "").split()[:2]:
        if (length_px(part, font_px) or 0.0) < -FAR_PX or percent(part) < -FAR_PX:
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
        if min(_fraction(values[4]) or 0.0, _fraction(values[5]) or 0.0) < -FAR_PX:
            return "off screen"
    if name.startswith("translate") and any(
        (length_px(each, font_px) or 0.0) < -FAR_PX or percent(each) < -FAR_PX for each in values[:2]
    ):
        return "off screen"
    return ""


def _font_px(value: str, parent_px: float) -> float:
    if value in _FONT_WORDS:
        return _FONT_WORDS[value]
    if value in {"larger", "smaller"}:
        return parent_px * (1.2 if value == "larger" else 1 / 1.2)
    if value in _INHERITED:
        return parent_px
    if "%" in value and "(" not in value:
        return parent_px * percent(value) / 100
    if value.endswith("em") and not value.endswith("rem") and "(" not in value:
        # A font of size 0 stays so, whatever it is multiplied by.
        return parent_px * (_fraction(value[:-2]) or 0.0)
    found = length_px(value, parent_px)
    return 16.0 if found is None else found
