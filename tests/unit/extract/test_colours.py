"""Colours in every notation that is read, against values of the specification."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.extract.colours import Colour, parse_colour
from verifaible.extract.html import to_markdown

URL = "https://www.example.org/news/page.html"
PARAGRAPH = "<p>Consumer prices rose by two tenths of a percent in the year, and food became dearer.</p>" * 4
GREEN = (0, 128, 0)


@pytest.mark.parametrize(
    ("text", "channels"),
    [
        # From the examples and tests of CSS Color 4, where each is "green", or as said.
        ("lab(46.2775% -47.5621 48.5837)", GREEN),
        ("lab(46.2775 -38.0497% 38.867%)", GREEN),
        ("lch(46.2775% 67.9892 134.3912)", GREEN),
        ("lch(46.2775 45.3261% 134.3912deg)", GREEN),
        ("oklab(51.975% -0.1403 0.10768)", GREEN),
        ("oklab(0.51975 -35.075% 26.92%)", GREEN),
        ("oklch(51.975% 0.17686 142.495)", GREEN),
        ("oklch(0.51975 44.215% 0.395819turn)", GREEN),
        ("hwb(120 0% 49.8039%)", GREEN),
        ("hwb(120deg 0 49.8039)", GREEN),
        ("color(srgb 0 0.50196 0)", GREEN),
        ("color(srgb 0% 50.196% 0%)", GREEN),
        ("color(srgb-linear 0 0.21586 0)", GREEN),
        ("oklch(0.62796 0.25768 29.234)", (255, 0, 0)),
        ("lab(100 0 0)", (255, 255, 255)),
        ("lab(0 0 0)", (0, 0, 0)),
        ("lab(none none none)", (0, 0, 0)),
        ("oklch(100% 0 none)", (255, 255, 255)),
        ("oklab(1 0 0)", (255, 255, 255)),
        ("lab(150 0 0)", (255, 255, 255)),
        ("hwb(0 100% 100%)", (127.5, 127.5, 127.5)),
        ("hwb(90 20% 60%)", (76.5, 102, 51)),
        ("hwb(none 0% 0%)", (255, 0, 0)),
    ],
)
def test_notations_of_css_color_4(text: str, channels: tuple[float, float, float]) -> None:
    found = parse_colour(text)
    assert found is not None
    assert found.alpha == 1
    assert [abs(one - two) < 0.5 for one, two in zip(found[:3], channels, strict=True)] == [True] * 3, found


@pytest.mark.parametrize(
    ("text", "alpha"),
    [
        ("lab(50 0 0 / 25%)", 0.25),
        ("oklch(0.5 0 0/.5)", 0.5),
        ("hwb(0 0% 0% / none)", 0),
        ("color(srgb 1 1 1 / 3)", 1),
    ],
)
def test_alpha(text: str, alpha: float) -> None:
    found = parse_colour(text)
    assert found is not None
    assert found.alpha == alpha


@pytest.mark.parametrize(
    "text",
    [
        "oklch(0.7 0.4 150)",
        "color(srgb 1.5 0 0)",
        "color(display-p3 1 0 0)",
        "color(rec2020 1 1 1)",
        "lab(from red l a b)",
        "oklch(calc(0.5 + 0.5) 0 0)",
        "lab(50, 0, 0)",
        "lab(50 0)",
        "lab(50 0 0 0)",
        "lab(50 0 0 / 1 / 1)",
        "lab()",
        "color()",
        "color(srgb)",
        "hwb(120 0% 49%",
        "oklch(1e200 1e200 1e200)",
        "lab(1e308 1e308 1e308)",
        "oklch(1 inf nan)",
        "color-mix(in oklab, white, white)",
    ],
)
def test_what_only_a_browser_reads(text: str) -> None:
    assert parse_colour(text) is None


@given(
    st.sampled_from(("hwb", "lab", "lch", "oklab", "oklch", "color")),
    st.lists(
        st.from_regex(r"[-+]?[0-9.]{1,6}(e[0-9]{1,3})?(%|deg|turn|rad|grad)?|none|srgb|/|,", fullmatch=True)
    ),
)
def test_any_function_is_read_or_left(name: str, parts: list[str]) -> None:
    found = parse_colour(f"{name}({' '.join(parts)})")
    assert found is None or (all(0 <= each <= 255 for each in found[:3]) and 0 <= found.alpha <= 1)


def test_like() -> None:
    white = parse_colour("oklch(0.999 0 0)")
    assert white is not None
    assert white.like(Colour(255, 255, 255))


@pytest.mark.parametrize(
    "style",
    [
        "color:oklch(1 0 0)",
        "color:lab(100 0 0)",
        "color:hwb(0 100% 0%)",
        "background:oklch(0.4 0.05 250);color:oklch(0.4 0.05 250)",
        "background:lab(20 0 0);color:lab(20 0 0)",
        "color:oklab(0.5 0 0 / 0)",
        "color:color(srgb 1 1 1)",
    ],
)
def test_words_in_the_colour_of_the_ground_are_taken_out_for_certain(style: str) -> None:
    read = to_markdown(f'<body>{PARAGRAPH}<p style="{style}">quagga</p></body>', URL)
    assert "quagga" not in read.text
    assert dict(read.removed.channels) == {"same colour": 1}
    assert read.removed.unsure == 0


@pytest.mark.parametrize(
    "style",
    [
        "color:oklch(0.4 0.05 250)",
        "background:oklch(20% 0 0);color:#fff",
        "background:lab(20 0 0);color:lab(95 0 0)",
        "color:hwb(200 10% 40%)",
    ],
)
def test_words_in_another_colour_stay_for_certain(style: str) -> None:
    read = to_markdown(f'<body>{PARAGRAPH}<p style="{style}">quagga</p></body>', URL)
    assert "quagga" in read.text
    assert (read.removed.channels, read.removed.unsure) == ((), 0)


# --- the size of a font element


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("<div style='font-size:0'><font size=4>quagga</font></div>", True),
        ("<div style='font-size:0'><font size='+1'>quagga</font></div>", True),
        ("<div style='font-size:0'><font size='-7'>quagga</font></div>", True),
        ("<div style='font-size:0'><font size=' 99pt'>quagga</font></div>", True),
        ("<div style='font-size:0'><font size=''>quagga</font></div>", False),
        ("<div style='font-size:0'><font size='x'>quagga</font></div>", False),
        ("<div style='font-size:0'><font size=4 style='font-size:0'>quagga</font></div>", False),
        ("<style>font{font-size:0}</style><font size=4>quagga</font>", False),
        ("<div style='font-size:0'><p size=4>quagga</p></div>", False),
    ],
)
def test_the_size_of_a_font_element_is_a_size(body: str, seen: bool) -> None:
    assert ("quagga" in to_markdown(f"<body>{PARAGRAPH}{body}</body>", URL).text) is seen
