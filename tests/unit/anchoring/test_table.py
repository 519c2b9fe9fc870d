from __future__ import annotations

import pytest
from lxml.html import fromstring

from tests.kit.cases import cases
from verifaible.old.anchoring.tables.locate import TableMatch, locate, locate_in
from verifaible.old.extract.tables import form_grid, raw_tables
from verifaible.schema.table import Grid


def grids(markup: str) -> list[Grid]:
    return [form_grid(table) for table in raw_tables(fromstring(f"<div>{markup}</div>"))]


def plain(text: str) -> Grid:
    """A table of td only: a line a row, cells between bars."""
    rows = [
        "".join(f"<td>{cell.strip()}</td>" for cell in line.split("|")) for line in text.strip().split("\n")
    ]
    return grids("<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>")[0]


def cell(grid: Grid, row: str | tuple[str, ...], column: str | tuple[str, ...]) -> TableMatch:
    rows = (row,) if isinstance(row, str) else row
    columns = (column,) if isinstance(column, str) else column
    return locate(grid, rows, columns)


HOUSES = grids("""<table><caption>70 cities</caption>
<tr><td rowspan=2>城市</td><td colspan=2>环比</td><td rowspan=2>城市</td><td colspan=2>环比</td></tr>
<tr><td>新建</td><td>二手</td><td>新建</td><td>二手</td></tr>
<tr><td>北　　京</td><td>99.7</td><td>99.4</td><td>郑　　州</td><td>90.9</td><td>91.1</td></tr>
<tr><td>天　　津</td><td>99.6</td><td>-</td><td>开　　封</td><td>91.1</td><td></td></tr>
</table>""")[0]

MARKED = grids("""<table><thead>
<tr><th rowspan=2>Region<th colspan=2>2025<th colspan=2>2026</tr>
<tr><th>Men<th>Women<th>Men<th>Women</tr></thead>
<tbody><tr><th scope=row rowspan=2>North<td>1<td>2<td>3<td>4</tr>
<tr><td>5<td>6<td>7<td>8</tr></tbody>
<tbody><tr><th scope=row>South<sup>1</sup></th><td>9<td><td>—<td>12</tr></tbody></table>""")[0]

NESTED_ROWS = grids("""<table><tr><th>Area<th>Sex<th>Count</tr>
<tr><th rowspan=2>Urban<th>Men<td>10</tr><tr><th>Women<td>11</tr>
<tr><th rowspan=2>Rural<th>Men<td>12</tr><tr><th>Women<td>13</tr></table>""")[0]

MONTHS = plain("""月份 | 当月 | 累计
2025年1月 | 11 | 111
2月 | 12 | 112
3月 | 13 | 113
2026年1月 | 21 | 211
2月 | 22 | 212""")

TREASURY = plain("""Date | 1 Mo | 2 Yr | 10 Yr
02/05/2026 | 3.71 | 3.47 | 4.21
02/06/2026 | 3.72 | 3.50 | 4.22
02/16/2026 | 3.73 | 3.51 | 4.23""")

RANKED = plain("""序号 | 公司 | 省份 | 市值
1 | 甲公司 | 浙江 | 120.5
2 | 乙公司 | 江苏 | 88.0
11 | 丙公司 | 浙江 | 10.1""")

YEARS = plain("""指标 | 2023 | 2024 | 2025
人口 | 140967 | 140828 | 140489
出生 | 902 | 954 | 792""")

UNITS = grids("""<table><tr><td colspan=3>表1 主要数据</td></tr>
<tr><td>地 区</td><td>绝对量（亿元）</td><td>比上年增长（%）</td></tr>
<tr><td>甲</td><td>1</td><td>2</td></tr><tr><td>全 国</td><td>1,340,066</td><td>5.0</td></tr>
<tr><td colspan=3>其中：城镇</td></tr><tr><td>东 部</td><td>700</td><td>5.3</td></tr>
<tr><td colspan=3>其中：乡村</td></tr><tr><td>东 部</td><td>300</td><td>5.9</td></tr></table>""")[0]


@cases("headers", "crosshair", tuples=True)
def test_a_crosshair_finds_its_cell(
    html: str, row: tuple[str, ...], column: tuple[str, ...], text: str, slot: tuple[int, int], status: str
) -> None:
    match = cell(grids(html)[0], row, column)
    assert match.status == status
    assert match.anchor is not None
    assert (match.anchor.mode, match.text, match.anchor.cells) == ("crosshair", text, (slot,))


@cases("headers", "ambiguous", tuples=True)
def test_what_names_several_is_ambiguous_and_listed(
    html: str, row: tuple[str, ...], column: tuple[str, ...], candidates: tuple[str, ...], status: str
) -> None:
    match = cell(grids(html)[0], row, column)
    assert match.status == status
    assert match.anchor is None
    assert match.text == ""
    assert match.candidates == candidates


@cases("headers", "not there", tuples=True)
def test_what_is_not_there_is_gone_with_the_nearest_names(
    html: str, row: tuple[str, ...], column: tuple[str, ...], missing: str, nearest: str
) -> None:
    match = cell(grids(html)[0], row, column)
    assert match.status != "verified"
    assert match.missing == missing
    if nearest:
        assert nearest in match.nearest


def test_a_row_is_its_group_of_a_side_by_side_table() -> None:
    match = cell(HOUSES, "郑州", ())
    assert match.anchor is not None
    assert (match.anchor.mode, match.text) == ("row", "郑　　州\t90.9\t91.1")
    assert match.anchor.cells == ((2, 3), (2, 4), (2, 5))
    assert match.anchor.row_path == ("郑　　州",)


def test_a_column_that_goes_on_beside_itself_is_one_column() -> None:
    match = cell(HOUSES, (), "新建")
    assert match.anchor is not None
    assert (match.anchor.mode, match.text) == ("column", "99.7\n99.6\n90.9\n91.1")


def test_a_column_keeps_its_empty_cells() -> None:
    match = cell(MARKED, (), ("2025", "Women"))
    assert match.anchor is not None
    assert (match.text, match.anchor.column_path) == ("2\n6\n", ("2025", "Women"))


def test_the_whole_table_is_its_body() -> None:
    match = locate(YEARS, (), ())
    assert match.anchor is not None
    assert match.anchor.mode == "table"
    assert match.text == "人口\t140967\t140828\t140489\n出生\t902\t954\t792"


def test_several_rows_and_several_columns() -> None:
    match = cell(YEARS, ("人口", "出生"), ("2024", "2025"))
    assert match.anchor is not None
    assert match.text == "140828\t140489\n954\t792"
    assert match.anchor.cells == ((1, 2), (1, 3), (2, 2), (2, 3))


def test_a_path_goes_before_several_rows() -> None:
    match = cell(NESTED_ROWS, ("Urban", "Men"), ())
    assert match.anchor is not None
    assert match.anchor.row_path == ("Urban", "Men")


def test_a_slot_without_a_cell_is_no_neighbouring_cell() -> None:
    ragged = plain("Name | A | B\nx | 1 | 2\ny | 3")
    match = cell(ragged, "y", "B")
    assert (match.status, match.missing, match.text) == ("gone", "cell", "")


@pytest.mark.parametrize("numbering", ["甲 | 1 | 2", "(1) | (2) | (3)"])
def test_rows_above_the_first_figures_are_headers(numbering: str) -> None:
    grid = plain(f"地区 | 数量 | 比重\n{numbering}\n北京 | 5 | 6\n上海 | 7 | 8")
    assert cell(grid, "上海", "比重").text == "8"


def test_a_table_of_texts_has_one_header_row() -> None:
    grid = plain("Name | City | Post\nAnn | Rome | chair\nBob | Oslo | clerk")
    assert cell(grid, "Bob", "City").text == "Oslo"
    assert cell(grid, "Rome", "Post").text == "chair"


def test_a_header_with_a_footnote_is_the_header() -> None:
    grid = plain("地区 | 数量¹ | 比重[2]\n北京 | 5 | 6")
    assert cell(grid, "北京", "数量").text == "5"
    assert cell(grid, "北京", "比重").text == "6"


@cases("headers", "whole words")
def test_parts_of_headers_are_whole_words(anchor: str, status: str, html: str) -> None:
    assert cell(grids(html)[0], anchor, "2025").status == status


def test_one_table_of_a_page() -> None:
    index, match = locate_in([HOUSES, YEARS, TREASURY], ("02/06/2026",), ("2 Yr",))
    assert (index, match.text) == (2, "3.50")


def test_the_same_anchors_in_two_tables_are_ambiguous() -> None:
    page = grids(
        "<table><caption>New</caption><tr><th>City<th>Index</tr><tr><td>Rome<td>1</tr></table>"
        "<table><caption>Old</caption><tr><th>City<th>Index</tr><tr><td>Rome<td>2</tr></table>"
    )
    index, match = locate_in(page, ("Rome",), ("Index",))
    assert (index, match.status, match.candidates) == (
        -1,
        "ambiguous",
        ("New, Rome × Index: 1", "Old, Rome × Index: 2"),
    )


def test_whole_headers_go_before_parts_of_headers_in_other_tables() -> None:
    one, two = plain("City | Index of prices\nRome | 1"), plain("City | Index\nRome | 2")
    assert locate_in([one, two], ("Rome",), ("Index",))[0] == 1


def test_no_table_has_it() -> None:
    index, match = locate_in([HOUSES, TREASURY], ("02/06/2026",), ("20 Yr",))
    assert (index, match.status, match.missing) == (-1, "gone", "column")
    assert "2 Yr" in match.nearest
    assert locate_in([], ("a",), ("b",)) == (-1, TableMatch("gone", missing="table"))


def test_an_ambiguous_table_is_not_passed_over_in_silence() -> None:
    index, match = locate_in([NESTED_ROWS, YEARS], ("Women",), ("Count",))
    assert (index, match.status) == (0, "ambiguous")


@pytest.mark.parametrize("row", [("北京",), ("Nowhere",), ()])
def test_an_empty_table_has_nothing(row: tuple[str, ...]) -> None:
    empty = Grid(width=0, height=0, cells=(), slots=())
    assert locate(empty, row, ()).status == "gone"


def test_the_title_over_the_first_body_rows_is_no_column_header() -> None:
    (prices,) = grids(
        "<table><tr><td rowspan=2>产品<td colspan=2>与上期相比</tr><tr><td>涨跌（元）<td>涨跌幅（%）</tr>"
        "<tr><td colspan=3>一、黑色金属</tr><tr><td>螺纹钢<td>-23.0<td>-0.7</tr>"
        "<tr><td colspan=3>二、有色金属</tr><tr><td>电解铜<td>10.0<td>0.3</tr></table>"
    )
    steel = locate(prices, ("一、黑色金属", "螺纹钢"), ("涨跌幅（%）",))
    assert (steel.status, steel.text) == ("verified", "-0.7")
    copper = locate(prices, ("电解铜",), ("涨跌幅（%）",))
    assert copper.anchor is not None
    assert copper.anchor.column_path == ("与上期相比", "涨跌幅（%）")
    assert locate(prices, ("电解铜",), ("涨跌幅（%）", "一、黑色金属")).status != "verified"


def test_a_path_may_name_a_month_whole_and_a_header_by_its_part() -> None:
    (prices,) = grids(
        "<table><tr><td rowspan=2>类别<td colspan=2>1月<td>1月累计</tr>"
        "<tr><td>环比涨跌幅（%）<td>同比涨跌幅（%）<td>同比涨跌幅（%）</tr>"
        "<tr><td>租赁房房租<td>0.0<td>-0.4<td>-0.5</tr></table>"
    )
    assert locate(prices, ("租赁房房租",), ("1月", "同比")).text == "-0.4"


ACCOUNTS = grids("""<table><tr><td></td><td colspan=3>2023</td><td></td><td colspan=3>2022</td></tr>
<tr><td>Sales:</td><td></td><td></td><td></td><td></td><td></td><td></td><td></td></tr>
<tr><td>Goods</td><td>$</td><td>4,812</td><td></td><td></td><td>$</td><td>4,455</td><td></td></tr>
<tr><td>Returns</td><td></td><td>(29</td><td>)</td><td></td><td></td><td>(27</td><td>)</td></tr>
<tr><td>Costs:</td><td></td><td></td><td></td><td></td><td></td><td></td><td></td></tr>
<tr><td>Goods</td><td></td><td>1,100</td><td></td><td></td><td></td><td>1,090</td><td></td></tr></table>""")[
    0
]


def test_a_figure_and_its_signs_in_cells_of_their_own_are_one_place() -> None:
    match = cell(ACCOUNTS, ("Sales:", "Goods"), "2023")
    assert (match.status, match.text) == ("verified", "$\t4,812")
    assert match.anchor is not None
    assert match.anchor.cells == ((2, 1), (2, 2))
    assert cell(ACCOUNTS, "Returns", "2022").text == "(27\t)"
    assert locate(ACCOUNTS, (), ("2022",)).text.endswith("(27\t)\n\n1,090")


def test_a_title_beside_empty_cells_is_part_of_the_path() -> None:
    assert cell(ACCOUNTS, ("Costs", "Goods"), "2022").text == "1,090"
    assert cell(ACCOUNTS, "Goods", "2022").status == "ambiguous"
    missing = plain("Country | 2022 | 2023\nMalta | 1 | 2\nCyprus | | \nGreece | 3 | 4")
    assert cell(missing, "Cyprus", "2023").text == ""
    assert cell(missing, "Greece", "2023").text == "4"


def test_two_values_under_one_header_are_not_one_place() -> None:
    grid = grids(
        "<table><tr><th>Team<th colspan=2>Points</tr><tr><th>Reds<td>31<td>19</tr></table>",
    )[0]
    assert cell(grid, "Reds", "Points").status == "ambiguous"


@cases("headers", "dates")
def test_a_date_may_be_named_in_another_way(row: str, status: str, html: str) -> None:
    assert cell(grids(html)[0], row, "Open").status == status


def test_a_date_whose_day_and_month_may_be_exchanged_is_not_guessed() -> None:
    assert cell(TREASURY, "2026-02-06", "2 Yr").status == "gone"
    assert cell(TREASURY, "2026-02-16", "2 Yr").text == "3.51"


@cases("headers", "months")
def test_a_month_may_be_named_in_another_way(column: str, text: str | None, html: str) -> None:
    match = cell(grids(html)[0], "2023", column)
    assert (match.text if match.status == "verified" else None) == text


@pytest.mark.parametrize("column", ["2022", "2022p", "2023", "2023(e)"])
def test_a_mark_behind_a_year_is_no_part_of_it(column: str) -> None:
    grid = plain("Item | 2021 | 2022p | 2023(e)\nDeficit † | -3.1 | -2.9 | -2.2")
    assert cell(grid, "Deficit", column).text == ("-2.9" if "2022" in column else "-2.2")


def test_a_plain_year_goes_before_one_with_a_mark() -> None:
    assert cell(plain("Item | 2022 | 2022r\nDeficit | 1.5 | 2.5"), "Deficit", "2022").text == "1.5"


PARTS = grids("""<table><tr><th>Metal<th>2022<th>2023</tr><tr><td>Zinc<td>5.5<td>5.2</tr>
<tr><th>Metal<th>2023<th>2024</tr><tr><td>Gold<td>1.2<td>1.3</tr></table>""")[0]


def test_headers_in_the_midst_of_the_body_head_what_follows() -> None:
    assert cell(PARTS, "Zinc", "2023").text == "5.2"
    assert cell(PARTS, "Gold", "2023").text == "1.2"
    assert cell(PARTS, "Zinc", "2024").status == "gone"
    assert locate(PARTS, (), ("2024",)).text == "1.3"
    assert locate(PARTS, (), ("2023",)).text == "5.2\n1.2"
    assert locate(PARTS, (), ("20",)).status == "gone"


def test_headers_that_are_said_again_are_no_rows() -> None:
    grid = plain("Team | Won\nAjax | 20\nTeam | Won\nBreda | 8")
    assert locate(grid, (), ("Won",)).text == "20\n8"
    assert cell(grid, "Team", "Won").status == "gone"


def test_the_outer_header_of_a_group_may_stand_once() -> None:
    grid = plain(
        "Country | Year | Wheat\nPeru | 2021 | 1.1\n | 2022 | 1.3\nChile | 2021 | 2.1\n | 2022 | 2.3"
    )
    assert cell(grid, ("Chile", "2022"), "Wheat").text == "2.3"
    assert cell(grid, "2022", "Wheat").status == "ambiguous"


def test_assets_beside_liabilities_are_two_tables() -> None:
    grid = plain(
        "资产 | 期末 | 期初 | 负债 | 期末 | 期初\n存货 | 95 | 101 | 借款 | 120 | 150\n现金 | 3 | 2 | 应付 | 8 | 7"
    )
    assert cell(grid, "存货", "期初").text == "101"
    assert cell(grid, "借款", "期初").text == "150"
    assert locate(grid, ("应付",), ()).text == "应付\t8\t7"


def test_the_first_row_of_a_list_is_a_row() -> None:
    grid = plain("Opening hours | 9:00-17:00\nTelephone | 555 0142")
    assert locate(grid, ("Opening hours",), ()).text == "Opening hours\t9:00-17:00"
    assert cell(grid, "Opening hours", "Telephone").status == "gone"


def test_in_one_column_nothing_is_the_value_of_what_names_it() -> None:
    stacked = grids("<table><tr><th>Code<tr><th>Price<tr><td>600001<tr><td>12.35</table>")[0]
    assert cell(stacked, "600001", "Price").missing == "cell"
    assert cell(stacked, "600001", ()).text == "600001"
