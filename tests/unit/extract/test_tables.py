"""Tables: source order, the WHATWG grid, and its Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.errors import WrongContent
from verifaible.old.extract.html import parse_html
from verifaible.old.extract.tables import (
    form_grid,
    grid_lines,
    grid_to_markdown,
    header_rows,
    raw_tables,
)
from verifaible.schema.table import Grid, RawCell, RawTable


def grid_of(html: str) -> Grid:
    return form_grid(raw_tables(parse_html(html))[0])


def shape(grid: Grid) -> list[str]:
    """One letter a slot: the first of the cell's text, "." where there is none."""
    return ["".join(grid.cells[slot].text[:1] if slot >= 0 else "." for slot in line) for line in grid.slots]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("<tr><td>a<td>b<tr><td>c<td>d", ["ab", "cd"]),
        ("<tr><td rowspan=2>a<td>b<tr><td>c", ["ab", "ac"]),
        ("<tr><td colspan=2>a<tr><td>b<td>c", ["aa", "bc"]),
        ("<tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f", ["aab", "aac", "def"]),
        ("<tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d", ["ab", "ac", "ad"]),
        ("<tbody><tr><td rowspan=0>a<td>b<tbody><tr><td>c<td>d", ["ab", "cd"]),
        ("<tbody><tr><td rowspan=9>a<td>b<tbody><tr><td>c<td>d", ["ab", "cd"]),
        ("<tr><td>a<tr><td>b<td>c", ["a.", "bc"]),
        ("<tr><td>a<td>b<tr><tr><td>c", ["ab", "..", "c."]),
        ("<tr><td rowspan=2>a<td>b<tr><tr><td>c<td>d", ["ab", "a.", "cd"]),
        # The overlap of the standard's own example: the second row's b runs into a.
        ("<tr><td>x<td rowspan=2>a<tr><td colspan=2>b", ["xa", "ba"]),
        ("<tr><td rowspan=2>a<td>b<td rowspan=2>c<tr><td>d", ["abc", "adc"]),
        ("<tr><td colspan=0>a<td>b", ["ab"]),
        ("<tr><td colspan=-3>a<td>b", ["ab"]),
        ("<tr><td colspan='2px'>a<tr><td>b<td>c", ["aa", "bc"]),
        ("<tr><td colspan=' +2'>a<tr><td>b<td>c", ["aa", "bc"]),
        ("<tr><td rowspan=x>a<tr><td>b", ["a", "b"]),
        ("<tfoot><tr><td>f</tfoot><tbody><tr><td>b</tbody><thead><tr><td>h</thead>", ["h", "b", "f"]),
        ("<tr><th>a<td>b</tr>text", ["ab"]),
    ],
)
def test_cells_are_placed_as_the_standard_says(rows: str, expected: list[str]) -> None:
    assert shape(grid_of(f"<table>{rows}</table>")) == expected


def test_spans_are_clamped() -> None:
    wide = form_grid(RawTable(rows=((RawCell(text="a", colspan=5000),),)))
    tall = form_grid(RawTable(rows=((RawCell(text="a", rowspan=99_999),), (RawCell(text="b"),)), groups=(2,)))

    assert wide.width == 1000
    assert [(cell.column, cell.height) for cell in tall.cells] == [(0, 2), (1, 1)]


def test_a_table_of_endless_spans_is_refused_before_it_fills_the_memory() -> None:
    row = tuple(RawCell(text="a", colspan=1000, rowspan=65534) for _ in range(100))
    with pytest.raises(WrongContent, match="slots"):
        form_grid(RawTable(rows=(row,) * 200))


def test_rows_that_groups_do_not_count_form_a_last_group() -> None:
    rows = ((RawCell(text="a", rowspan=5),), (RawCell(text="b"),), (RawCell(text="c"),))
    assert shape(form_grid(RawTable(rows=rows, groups=(1,)))) == ["a", "b", "c"]


def test_groups_head_caption_scope_and_path_are_read() -> None:
    html = (
        "<div><p>x</p></div><div><table><caption>Rates <b>of</b> 2024</caption>"
        "<thead><tr><th scope=col>A<th SCOPE=ColGroup>B<tbody><tr><th scope=row>1<td scope=row>2"
        "<tbody><tr><td>3<td>4<tfoot><tr><td>5<td>6</table></div>"
    )
    (table,) = raw_tables(parse_html(html))

    assert (table.caption, table.head_rows, table.groups) == ("Rates of 2024", 1, (1, 1, 1, 1))
    assert [[cell.scope for cell in row] for row in table.rows[:2]] == [["col", "colgroup"], ["row", ""]]
    assert table.css_path == "html > body > div:nth-of-type(2) > table:nth-of-type(1)"


def test_a_second_thead_is_body() -> None:
    (table,) = raw_tables(parse_html("<table><thead><tr><td>a<thead><tr><td>b<tbody><tr><td>c</table>"))
    assert (table.head_rows, table.groups) == (1, (1, 1, 1))


def test_nested_and_hidden_tables() -> None:
    html = (
        "<table><tr><td>out<table><tr><td>in</table><td hidden>gone<tr style='display:none'><td>no</table>"
        "<div style='display: none'><table><tr><td>away</table></div>"
    )
    outer, inner = raw_tables(parse_html(html))
    assert [[cell.text for cell in row] for row in outer.rows] == [["out"]]
    assert inner.rows[0][0].text == "in"


def test_cell_text_is_what_a_reader_sees() -> None:
    html = (
        "<table><tr><td> 郑　　州\n <br>（<b>市</b>）<script>x</script><span style='display:none'>9</span>"
        "<td>90.9<sup>1</sup><td>1\u200b2&nbsp;3</table>"
    )
    (table,) = raw_tables(parse_html(html))
    assert [cell.text for cell in table.rows[0]] == ["郑　　州 （市）", "90.91", "12 3"]


HOUSING = (
    "<table><caption>表2</caption><tr><td rowspan=2>城市<td colspan=2>新建<td colspan=2>二手"
    "<tr><td>环比<td>同比<td>环比<td>同比<tr><td>郑　　州<td>99.8<td>97.3<td>99.5<td>90.9"
    "<tr><td>武 汉<td>a|b<td colspan=2>-<td>90.7</table>"
)


def test_markdown_is_complete_and_aligned() -> None:
    assert grid_to_markdown(grid_of(HOUSING)).splitlines() == [
        "**表2**",
        "",
        "| 城市 | 新建 / 环比 | 新建 / 同比 | 二手 / 环比 | 二手 / 同比 |",
        "| --- | --- | --- | --- | --- |",
        "| 郑　　州 | 99.8 | 97.3 | 99.5 | 90.9 |",
        "| 武 汉 | a\\|b | - | - | 90.7 |",
    ]


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ("<thead><tr><td>a<tr><td>b<tbody><tr><td>c", 2),
        ("<tr><th>a<th>b<tr><td>1<td>2", 1),
        ("<tr><th>a<th>b<tr><th>c<th>d<tr><th scope=row>1<td>2", 2),
        ("<tr><td>a<td>b<tr><td>1<td>2", 1),
        ("<tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>d<tr><td>1<td>2<td>3", 2),
        ("<tr><td colspan=2>title<tr><td>a<td>b<tr><td>1<td>2", 2),
        ("<tr><td>only", 1),
    ],
)
def test_header_rows(html: str, rows: int) -> None:
    assert header_rows(grid_of(f"<table>{html}</table>")) == rows


def test_a_full_width_title_stands_above_the_table_and_idle_columns_are_left_out() -> None:
    grid = grid_of("<table><tr><td colspan=100>单位：%<tr><td>a<td>b<tr><td>1<td>2</table>")
    assert grid.width == 100
    assert grid_to_markdown(grid) == "**单位：%**\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


CELLS = st.builds(
    RawCell,
    text=st.sampled_from("abcdefgh"),
    rowspan=st.integers(0, 4),
    colspan=st.integers(0, 4),
    header=st.booleans(),
)


@given(st.lists(st.lists(CELLS, max_size=4).map(tuple), max_size=6), st.lists(st.integers(0, 4), max_size=4))
def test_every_cell_keeps_its_corner_and_every_line_is_as_long(
    rows: list[tuple[RawCell, ...]], groups: list[int]
) -> None:
    grid = form_grid(RawTable(rows=tuple(rows), groups=tuple(groups)))

    assert len(grid.cells) == sum(len(row) for row in rows)
    assert all(len(line) == grid.width for line in grid.slots)
    for index, cell in enumerate(grid.cells):
        assert grid.slots[cell.row][cell.column] == index
        assert cell.row + cell.height <= grid.height
    lines = grid_lines(grid)
    assert {text for line in lines for text in line if text} == {cell.text for cell in grid.cells}
