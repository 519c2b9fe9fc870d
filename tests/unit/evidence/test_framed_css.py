"""Style sheets of captured pages: every address is replaced, whatever way it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.evidence.framed.css import quoted, rewritten, unescaped


def _rewritten(css: str, sheets: dict[str, str] | None = None) -> str:
    return rewritten(css, lambda address: f"[{address}]", lambda address: (sheets or {}).get(address, ""))


@pytest.mark.parametrize(
    "css",
    [
        "p{background:url(a.png)}",
        "p{background:url( a.png )}",
        "p{background:url('a.png')}",
        'p{background:URL("a.png" )}',
        "p{background:u\\72l(a.png)}",
        "p{background:\\75\\72\\6c(a.png)}",
        "p{background:url(a\\.png)}",
        "p{background:url(\\61 .png)}",
        "p{background:url('\\61\n.png')}",
        "p{--x:url(a.png)}",
        "p{background:image-set('a.png' 1x)}",
        "p{background:-webkit-image-set('a.png' 1x)}",
        "p{background:url(a.png",
        "p{background:url('a.png",
    ],
)
def test_an_address_is_replaced(css: str) -> None:
    assert '"[a.png]"' in _rewritten(css)


@pytest.mark.parametrize(
    "css", ["/* url(a.png) */p{}", "p{content:'url(a.png)'}", "p::after{content:'a.png'}", "urls(a.png){}"]
)
def test_what_is_no_address_is_not(css: str) -> None:
    assert "[a.png]" not in _rewritten(css)


def test_a_comment_in_an_address_is_part_of_it() -> None:
    assert _rewritten("p{background:url(/**/a.png)}") == 'p{background:url("[/**/a.png]")}'


def test_an_import_is_put_in_under_its_conditions() -> None:
    sheets = {"a.css": "p{color:red}"}
    assert _rewritten("@import 'a.css';q{}", sheets) == "p{color:red}\nq{}"
    assert _rewritten("@import url(a.css) screen;q{}", sheets) == "@media screen{p{color:red}}\nq{}"
    assert _rewritten("@im\\70ort url('a.css') layer(x) print;", sheets) == (
        "@media print{@layer x{p{color:red}}}\n"
    )
    assert _rewritten("@import 'a.css' supports(display:grid);", sheets) == (
        "@supports (display:grid){p{color:red}}\n"
    )


def test_character_set_and_namespace_are_left_out() -> None:
    assert _rewritten("@charset 'x';@namespace url(http://a.example);p{}") == "p{}"


@given(st.text(alphabet="ab\\\"'()/*<>!;{}@- \nurlimportUL0179é", max_size=60))
def test_nothing_ends_the_element_or_slips_through(css: str) -> None:
    out = rewritten(css, lambda _: "", lambda _: "")
    assert "</" not in out
    assert "<!" not in out


@given(st.text(max_size=40))
def test_a_string_reads_as_what_was_quoted(text: str) -> None:
    said = text.replace("\x00", "\ufffd")
    assert unescaped(quoted(text)[1:-1]) == said
