"""CSS colours (CSS Color 4) as red, green, blue (0-255) and alpha (0-1)."""

from __future__ import annotations

import colorsys
import re
from functools import lru_cache
from typing import NamedTuple

from verifaible.extract.colour_spaces import channels_of

#: Two colours whose channels differ by no more than this are one to the eye.
ALIKE = 3
#: Below this a letter is not seen, as ``lib.js`` has it.
FAINT = 0.05


class Colour(NamedTuple):
    """Channels from 0 to 255, alpha from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def like(self, other: Colour) -> bool:
        """Whether the eye takes the two for one."""
        return all(abs(one - two) <= ALIKE for one, two in zip(self[:3], other[:3], strict=True))


WHITE = Colour(255, 255, 255)
BLACK = Colour(0, 0, 0)

_NAMED = (
    "aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque "
    "ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood "
    "deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed "
    "cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b "
    "darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen "
    "556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f "
    "darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet "
    "9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick "
    "b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold "
    "ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 "
    "hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa "
    "lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 "
    "lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 "
    "lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 "
    "lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen "
    "faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 "
    "mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a "
    "mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 "
    "moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange "
    "ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee "
    "palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd "
    "powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 "
    "saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d "
    "silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa "
    "springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise "
    "40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32 "
    "canvas ffffff canvastext 000000"
)
_SYSTEM = (
    "accentcolor accentcolortext activetext buttonborder buttonface buttontext field fieldtext graytext "
    "highlight highlighttext linktext mark marktext selecteditem selecteditemtext visitedtext"
)
#: Names of colours that the browser chooses.
SYSTEM_COLOURS = frozenset(_SYSTEM.split())
_NAMES = dict(zip(_NAMED.split()[::2], _NAMED.split()[1::2], strict=True))
_HEX = re.compile(r"[0-9a-f]{3,8}")
_CALL = re.compile(r"(rgb|hsl)a?\(([^()]*)\)")
#: Written with spaces only, the alpha behind a slash.
_SPACE_CALL = re.compile(r"(hwb|lab|lch|oklab|oklch|color)\(([^(),/]*)(?:/\s*([^(),/\s]+)\s*)?\)")


@lru_cache(maxsize=4096)
def parse_colour(text: str) -> Colour | None:
    """The colour a value names; None where only a browser reads it (``currentcolor``, ``color-mix``)."""
    value = text.strip().lower()
    if value == "transparent":
        return Colour(0, 0, 0, 0)
    if value in _NAMES:
        return _hexadecimal(_NAMES[value])
    if value.startswith("#"):
        return _hexadecimal(value[1:])
    try:
        return _computed(value)
    except (ValueError, IndexError, ArithmeticError):
        return None


def _computed(value: str) -> Colour | None:
    """The colour of a function; ValueError and the like where it is none that is read."""
    if call := _SPACE_CALL.fullmatch(value):
        return _in_space(call[1], call[2].split(), call[3])
    call = _CALL.fullmatch(value)
    if call is None:
        return None
    return _called(call[1], [part for part in re.split(r"[\s,/]+", call[2].strip()) if part])


def _hexadecimal(digits: str) -> Colour | None:
    if len(digits) not in {3, 4, 6, 8} or not _HEX.fullmatch(digits):
        return None
    if len(digits) <= 4:
        digits = "".join(each * 2 for each in digits)
    values = [int(digits[index : index + 2], 16) for index in range(0, len(digits), 2)]
    return Colour(values[0], values[1], values[2], values[3] / 255 if len(values) == 4 else 1.0)


def _called(kind: str, parts: list[str]) -> Colour:
    alpha = _share(parts[3]) if len(parts) > 3 else 1.0
    if kind == "rgb":
        red, green, blue = (
            float(part[:-1]) * 2.55 if part.endswith("%") else float(part) for part in parts[:3]
        )
        return Colour(red, green, blue, alpha)
    hue = float(parts[0].removesuffix("deg")) / 360 % 1
    red, green, blue = colorsys.hls_to_rgb(hue, _share(parts[2]), _share(parts[1]))
    return Colour(red * 255, green * 255, blue * 255, alpha)


def _in_space(name: str, parts: list[str], alpha: str | None) -> Colour | None:
    channels = channels_of(name, parts)
    if channels is None:
        return None
    red, green, blue = (each * 255 for each in channels)
    share = 1.0 if alpha is None else 0.0 if alpha == "none" else min(max(_share(alpha), 0.0), 1.0)
    return Colour(red, green, blue, share)


def _share(part: str) -> float:
    return float(part[:-1]) / 100 if part.endswith("%") else float(part)


def legacy_colour(text: str) -> Colour | None:
    """The colour of a ``bgcolor`` or ``color`` attribute: a name or six digits, ``#`` or not."""
    value = text.strip().lower()
    return parse_colour(value) or (parse_colour(f"#{value}") if re.fullmatch(r"[0-9a-f]{6}", value) else None)
