"""Words of others in Markdown mean nothing but themselves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from verifaible.reporting.tables import Table, escaped, markdown_table, plain, shortened
from verifaible.text.layout import markdown


@given(st.text("ab 1\\`*_{}[]()<>~|$&!#:/\"'.", max_size=30))
def test_escaped_words_are_shown_as_they_are(words: str) -> None:
    text = f"x {words} x"
    children = markdown().parseInline("x " + escaped(words) + " x")[0].children or []
    assert {each.type for each in children} <= {"text", "text_special"}
    assert "".join(each.content for each in children) == text


def test_nobody_is_called() -> None:
    assert escaped("ask @somebody at a @ b") == "ask @<!-- -->somebody at a @ b"


def test_a_bar_does_not_end_a_cell() -> None:
    table = Table(title="t", columns=("a|b", "n"), rows=(("x | y", "1"),))
    tokens = markdown().parse(markdown_table(table))
    assert [each.content for each in tokens if each.type == "inline"] == ["a|b", "n", "x | y", "1"]


def test_copies_are_one_line_and_say_what_they_leave_out() -> None:
    assert plain("a\u202eb\n c") == "a\ufffdb c"
    assert shortened("word " * 200, 20) == "word word word word…"
