"""Colours of CSS Color 4 beyond ``rgb()`` and ``hsl()``: hwb, lab, lch, oklab, oklch, color(srgb).

Only what sRGB can show: what a browser would have to bring into the gamut first is left to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

#: Red, green and blue from 0 to 1.
Channels = tuple[float, float, float]

#: How far outside of 0 to 1 a channel may lie by the rounding of the numbers that people write.
_SLACK = 0.002
_ANGLES = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}
_EPSILON, _KAPPA = 216 / 24389, 24389 / 27
#: The white of lab(), D50 (CSS Color 4, 9.1).
_WHITE = (0.3457 / 0.3585, 1.0, (1 - 0.3457 - 0.3585) / 0.3585)
#: From XYZ under D50 to linear sRGB: Bradford adaptation to D65, then the primaries.
_XYZ_TO_RGB = (
    (3.1338561, -1.6168667, -0.4906146),
    (-0.9787684, 1.9161415, 0.0334540),
    (0.0719453, -0.2289914, 1.4052427),
)
#: OKLab to the cone responses, before they are cubed, and these to linear sRGB (CSS Color 4, 9.2).
_OKLAB_TO_LMS = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_LMS_TO_RGB = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)


def channels_of(name: str, parts: Sequence[str]) -> Channels | None:
    """The colour of a function by its name and its parts without alpha; None where sRGB has it not.

    Raises:
        ValueError: the parts are none of this function, or in a way that only a browser reads.
    """
    if name == "color":
        space, *parts = parts
        if space == "srgb-linear":
            return _shown(_three(parts, 1, 1, 1))
        if space != "srgb":
            raise ValueError(space)
        return _inside(_three(parts, 1, 1, 1))
    return _SPACES[name](parts)


def _hwb(parts: Sequence[str]) -> Channels | None:
    hue = _hue(parts[0])
    white, black = (float(part.removesuffix("%")) / 100 for part in parts[1:])
    if white + black >= 1:
        return (white / (white + black),) * 3
    wheel = (max(0.0, min(1.0, abs((hue / 60 + turn) % 6 - 3) - 1)) for turn in (0, 4, 2))
    red, green, blue = (each * (1 - white - black) + white for each in wheel)
    return _inside((red, green, blue))


def _lab(parts: Sequence[str]) -> Channels | None:
    return _of_lab(*_three(parts, 100, 125, 125))


def _lch(parts: Sequence[str]) -> Channels | None:
    return _of_lab(*_polar(parts, 100, 150))


def _oklab(parts: Sequence[str]) -> Channels | None:
    return _of_oklab(*_three(parts, 1, 0.4, 0.4))


def _oklch(parts: Sequence[str]) -> Channels | None:
    return _of_oklab(*_polar(parts, 1, 0.4))


_SPACES: Mapping[str, Callable[[Sequence[str]], Channels | None]] = {
    "hwb": _hwb,
    "lab": _lab,
    "lch": _lch,
    "oklab": _oklab,
    "oklch": _oklch,
}


def _of_lab(lightness: float, a: float, b: float) -> Channels | None:
    y = (min(max(lightness, 0.0), 100.0) + 16) / 116
    x, z = y + a / 500, y - b / 200
    xyz = [white * _cubed(each) for white, each in zip(_WHITE, (x, y, z), strict=True)]
    return _shown(_times(_XYZ_TO_RGB, xyz))


def _cubed(value: float) -> float:
    return value**3 if value**3 > _EPSILON else (116 * value - 16) / _KAPPA


def _of_oklab(lightness: float, a: float, b: float) -> Channels | None:
    cones = _times(_OKLAB_TO_LMS, (min(max(lightness, 0.0), 1.0), a, b))
    return _shown(_times(_LMS_TO_RGB, [each**3 for each in cones]))


def _times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> Channels:
    first, second, third = (sum(one * two for one, two in zip(row, vector, strict=True)) for row in matrix)
    return first, second, third


def _shown(linear: Channels) -> Channels | None:
    """The transfer function of sRGB, for what lies in its gamut."""
    return _inside(tuple(map(_encoded, linear)))  # type: ignore[arg-type]


def _encoded(value: float) -> float:
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def _inside(channels: Channels) -> Channels | None:
    if any(not -_SLACK <= each <= 1 + _SLACK for each in channels):
        return None
    red, green, blue = (min(max(each, 0.0), 1.0) for each in channels)
    return red, green, blue


def _three(parts: Sequence[str], *wholes: float) -> Channels:
    """Three numbers; ``wholes`` are what 100 % of each is."""
    first, second, third = (_number(part, whole) for part, whole in zip(parts, wholes, strict=True))
    return first, second, third


def _polar(parts: Sequence[str], lightest: float, strongest: float) -> Channels:
    lightness, chroma, hue = parts
    angle = math.radians(_hue(hue))
    strength = max(_number(chroma, strongest), 0.0)
    return _number(lightness, lightest), strength * math.cos(angle), strength * math.sin(angle)


def _number(part: str, whole: float) -> float:
    if part == "none":
        return 0.0
    return float(part[:-1]) / 100 * whole if part.endswith("%") else float(part)


def _hue(part: str) -> float:
    if part == "none":
        return 0.0
    unit = next((name for name in ("grad", "deg", "rad", "turn") if part.endswith(name)), "")
    return float(part.removesuffix(unit)) * _ANGLES.get(unit, 1.0)
