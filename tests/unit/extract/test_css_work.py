"""No page makes the reading of styles take long: what would run for minutes, and how much is looked at."""

from __future__ import annotations

import pytest
from lxml import etree

from tests.unit.extract.test_hidden import PARAGRAPH, URL
from verifaible.extract.cascade import resolved
from verifaible.extract.css import parse_declarations, parse_sheet
from verifaible.extract.html import parse_html, to_markdown
from verifaible.extract.matching import Matcher
from verifaible.extract.media import media_answer, supports
from verifaible.extract.selectors import parse_selectors
from verifaible.extract.validity import is_valid


def _looks(selector: str, markup: str) -> tuple[int, int, int]:
    """Elements, matches, and how many looks they cost."""
    root = parse_html(f"<body>{markup}</body>")
    elements: list[etree._Element] = [each for each in root.iter() if isinstance(each.tag, str)]
    matcher = Matcher()
    (parsed,) = parse_selectors(selector)
    matched = sum(matcher.matches(each, parsed) for each in elements)
    return len(elements), matched, matcher.work


@pytest.mark.parametrize(
    ("selector", "markup"),
    [
        (".nope div div div div div div p", "<div>" * 200 + "<p>x</p>" * 200),
        (".nope ~ p", "<p>x</p>" * 4000),
        ("tr:nth-child(even)", "<table>" + "<tr><td>x</td></tr>" * 3000 + "</table>"),
        ("div:has(b)", "<div>" * 240 + "x"),
        ("p:has(~ b)", "<p>x</p>" * 3000),
    ],
)
def test_every_element_is_looked_at_a_few_times(selector: str, markup: str) -> None:
    elements, _, work = _looks(selector, markup)
    assert work <= elements * 12


def test_relative_selectors_are_exact() -> None:
    markup = "<div><p><b>x</b></p></div><section><b>y</b></section><i></i>"
    assert _looks("div:has(> b)", markup)[1] == 0
    assert _looks("div:has(b)", markup)[1] == 1
    assert _looks("section:has(> b):has(+ i)", markup)[1] == 1
    assert _looks("div:has(section b)", markup)[1] == 0


def test_nested_blocks_do_not_double() -> None:
    nested = ".a{" + "& &{" * 28 + "display:none" + "}" * 29
    assert sum(len(rule.selectors) for rule in parse_sheet(nested)) <= 28
    assert parse_sheet(".a{& b{display:none}}")


def test_variables_do_not_grow_without_end() -> None:
    variables = {f"--{n}": f"var(--{n + 1}) " * 8 for n in range(14)} | {"--14": "x"}
    assert resolved("var(--0)", variables) == ""


@pytest.mark.parametrize("name", [":is(", ":not(", ":has(", ":where("])
def test_deep_lists_are_no_error(name: str) -> None:
    parse_selectors(name * 1000)
    parse_selectors(name * 1000 + "p" + ")" * 1000)


def test_a_selector_with_more_parts_than_anybody_writes_is_dropped() -> None:
    assert parse_selectors("div " * 5000 + "p") == ()


def test_texts_behind_many_comments_are_joined_once() -> None:
    words = "aaaaaaaaaa<!--x-->" * 120_000
    read = to_markdown(f"<body>{PARAGRAPH}<p>{words}end</p></body>", URL)
    assert dict(read.removed.channels)["comment"] == 120_000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("filter", "opacity(1)" * 60 + "x"),
        ("transform", "scale(1)" * 60 + "x"),
        ("transform", "scale((" * 60 + "x"),
        ("text-shadow", "1" * 900 + "x"),
    ],
)
def test_values_are_judged_in_one_way(name: str, value: str) -> None:
    assert not is_valid(name, value)


def test_long_conditions_are_left_to_a_browser() -> None:
    assert media_answer("not " * 5000 + "(x)") is None
    assert media_answer("(" * 100 + "width" + ")" * 100) is None
    assert supports("not " * 5000 + "(display:grid)") is None


def test_long_values_cost_little() -> None:
    assert parse_declarations("opacity:1" + " " * 300_000 + "x") == (("opacity", "", False),)
    assert parse_declarations('content:"/*";display:none') == (("display", "none", False),)


@pytest.mark.parametrize(
    "page",
    [
        "<p style='opacity:round(0.1, 1)'>quagga</p>",
        "<p style='color:color-mix(in oklab, white, white)'>quagga</p>",
        "<p style='background:lab(from white l a b);color:white'>quagga</p>",
        "<p style='color:oklch(0.7 0.4 150)'>quagga</p>",
        "<p style='background:color(rec2020 1 1 1);color:white'>quagga</p>",
        "<style>@container (width > 1px){p.q{display:none}}</style><p class=q>quagga</p>",
        "<style>@supports (some-new-thing: 1){p.q{display:none}}</style><p class=q>quagga</p>",
        "<p style='clip:rect(0,0,0,0)'>quagga</p>",
        "<p style='transform:rotateX(90deg)'>quagga</p>",
        "<p style='position:absolute;left:sin(1px)'>quagga</p>"
        "<p style='position:absolute;left:anchor(--a left)'>quagga</p>",
    ],
)
def test_what_is_not_understood_is_left_to_a_browser(page: str) -> None:
    read = to_markdown(f"<body>{PARAGRAPH}{page}</body>", URL)
    assert read.removed.unsure >= len("quagga")


@pytest.mark.parametrize(
    "page",
    [
        "<style>p:hover{opacity:0}@media print{p{display:none}}</style><p>x</p>",
        "<style>p{width:calc(100% - 10px);overflow:hidden;transform:translateX(-50%)}</style><p>x</p>",
        "<style>@supports (gap:1px){p{color:#333}}@media (min-width:30em){p{font-size:1.1rem}}</style><p>x</p>",
    ],
)
def test_common_styles_need_no_browser(page: str) -> None:
    assert to_markdown(f"<body>{PARAGRAPH}{page}</body>", URL).removed.unsure == 0


def test_rem_is_measured_by_the_root() -> None:
    page = (
        "<style>html{font-size:1px}p{font-size:1rem}div{font-size:14rem}</style><p>quagga</p><div>zebra</div>"
    )
    read = to_markdown(f"<body>{page}</body>", URL)
    assert "quagga" not in read.text
    assert "zebra" in read.text


def test_a_page_that_costs_too_much_is_left_to_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifaible.extract.matching.WORK_LIMIT", 3)
    page = "<style>p.a{opacity:1}</style>" + "<p class=a>quagga</p>" * 9
    assert to_markdown(f"<body>{page}</body>", URL).removed.unsure >= len("quagga")


@pytest.mark.parametrize("tag", ["noembed", "noframes"])
def test_elements_of_old_browsers_are_not_shown(tag: str) -> None:
    assert "quagga" not in to_markdown(f"<body>{PARAGRAPH}<{tag}>quagga</{tag}></body>", URL).text
