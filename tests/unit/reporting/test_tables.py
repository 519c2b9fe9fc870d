"""Words of others in Markdown mean nothing but themselves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from verifaible.reporting.tables import (
    Cell,
    Column,
    Table,
    coloured,
    escaped,
    figure,
    plain,
    row,
    shortened,
    table_of,
)
from verifaible.text.markdown import markdown


@given(st.text("ab 1\\`*_{}[]()<>~|$&!#:/\"'.", max_size=30))
def test_escaped_words_are_shown_as_they_are(words: str) -> None:
    text = f"x {words} x"
    children = markdown().parseInline("x " + escaped(words) + " x")[0].children or []
    assert {each.type for each in children} <= {"text", "text_special"}
    assert "".join(each.content for each in children) == text


def test_nobody_is_called() -> None:
    assert escaped("ask @somebody at a @ b") == "ask @<!-- -->somebody at a @ b"


def test_a_bar_does_not_end_a_cell() -> None:
    table = Table(title="t", columns=("a|b", "n"), rows=(row("x | y", "1"),))
    tokens = markdown().parse(table.as_markdown())
    assert [each.content for each in tokens if each.type == "inline"] == ["a|b", "n", "x | y", "1"]


def test_copies_are_one_line_and_say_what_they_leave_out() -> None:
    assert plain("a\u202eb\n c") == "a\ufffdb c"
    assert shortened("word " * 200, 20) == "word word word word…"


def test_a_figure_is_written_with_its_interval_and_what_it_rests_on() -> None:
    assert figure(8.25).text == "8.25"
    assert figure(8.25, ".1f", (7.9, 8.6), n=12, of=14).text == "8.2 (7.9-8.6), 12/14"
    share = figure(0.5, ".1f", (0.25, 0.75), share=True, n=1000, of=2000)
    assert (share.text, share.value, share.low) == ("50.0 % (25.0-75.0), 1,000/2,000", 0.5, 0.25)
    assert figure(0.913, ".3f", (0.8, 1.0), to=" to ", n=9).text == "0.913 (0.800 to 1.000)"


def test_published_rows_stand_below_ours_with_a_dash_where_nothing_was_printed() -> None:
    columns: tuple[Column[int, str], ...] = (
        Column("Model", str, lambda name: f"{name} (published)"),
        Column("Score", lambda number: figure(number, ".0f"), lambda _: "1,080"),
        Column("Verified", lambda _: "yes"),
    )
    made = table_of("Scores", columns, [1, 2], ["A"], note="n")
    assert made.texts == (("1", "1", "yes"), ("2", "2", "yes"), ("A (published)", "1,080", "-"))
    assert [each.published for each in made.rows] == [False, False, True]
    assert [cell.state for cell in made.rows[-1].cells] == ["text", "published", "published"]
    assert made.rows[-1].cells[1].value == 1080
    assert made.anchor == "scores"
    assert Table.model_validate(made.as_json()) == made


def test_colours_run_from_the_lowest_figure_to_the_highest() -> None:
    rows = coloured(
        [row("a", figure(1), figure(2)), row("b", Cell(text="7", state="published", value=7), "-")]
    )
    assert [[cell.level for cell in each.cells] for each in rows] == [[None, 0, 9], [None, None, None]]
    assert coloured([row("a", "-")])[0].cells[1].level is None
    assert coloured([row("a", figure(3))])[0].cells[1].level == 5
