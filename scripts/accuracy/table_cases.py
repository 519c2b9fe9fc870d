# ruff: noqa: E501 - a case is one line
"""Tables, the headers that name a cell, and the text of that cell."""

from __future__ import annotations


def rows(text: str, tag: str = "td") -> str:
    """The rows of a table from lines of cells parted by bars; a leading "!" makes a header cell."""
    made = []
    for line in text.strip().splitlines():
        cells = []
        for cell in line.split("|"):
            content = cell.strip()
            name, content = ("th", content[1:]) if content.startswith("!") else (tag, content)
            head, _, rest = content.partition("}")
            attributes, content = (head[1:], rest) if content.startswith("{") else ("", content)
            cells.append(f"<{name} {attributes}>{content}</{name}>")
        made.append(f"<tr>{''.join(cells)}</tr>")
    return "".join(made)


def table(text: str, tag: str = "td") -> str:
    """A table of such rows."""
    return f"<table>{rows(text, tag)}</table>"


_PLAIN = table("!City|!2022|!2023\n!Ulm|126.9|128.1\n!Bern|134.6|136.0\n!Lyon|522.2|520.7")
_BARE = table("City|2022|2023\nUlm|126.9|128.1\nBern|134.6|136.0")
_TWO_HEADS = (
    "<table><thead>"
    + rows("!{rowspan=2}Region|!{colspan=2}Births|!{colspan=2}Deaths\n!boys|!girls|!men|!women")
    + "</thead><tbody>" + rows("!North|310|298|205|211\n!South|412|401|350|361") + "</tbody></table>"
)  # fmt: skip
_THREE_HEADS = table(
    "!{rowspan=3}Item|!{colspan=4}2023\n!{colspan=2}H1|!{colspan=2}H2\n!plan|!actual|!plan|!actual\n"
    "!Rent|10|11|12|13\n!Power|20|21|22|23"
)
_BARE_TWO = table(
    "{rowspan=2}地区|{colspan=2}收入|{colspan=2}支出\n2022年|2023年|2022年|2023年\n东平县|31.2|33.5|28.8|30.1\n西平县|41.7|40.9|39.2|38.8"
)
_ROW_SPANS = table(
    "!Country|!Year|!Wheat|!Maize\n!{rowspan=2 scope=rowgroup}Peru|!2021|1.1|1.2\n!2022|1.3|1.4\n"
    "!{rowspan=2 scope=rowgroup}Chile|!2021|2.1|2.2\n!2022|2.3|2.4"
)
_BARE_SPANS = table(
    "Country|Year|Wheat\n{rowspan=2}Peru|2021年|1.1\n2022年|1.3\n{rowspan=2}Chile|2021年|2.1\n2022年|2.3"
)
_SIDE = table(
    "年份|产量|年份|产量\n2019年|301.5|2022年|318.4\n2020年|305.2|2023年|322.9\n2021年|311.0|2024年|330.6"
)
_SECTIONS = table(
    "!Line|!2022|!2023\n{colspan=3}Assets\nCash|5.1|6.2\nLoans|7.3|8.4\n{colspan=3}Liabilities\nCash pool|1.5|1.6\nLoans|2.7|2.8"
)
_MONTHS = table("月份|CPI|PPI\n2023年11月|-0.5|-3.0\n12月|-0.3|-2.7\n2024年1月|-0.8|-2.5\n2月|0.7|-2.7")
_NOTES = table(
    "!Country|!GDP<sup>1</sup>|!Debt<sup>a,b</sup>\n!Malta<sup>2</sup>|18.9|52.3\n!Cyprus*|29.8|77.4"
)
_UNITS = table("指标|2022年|2023年\n|（亿元）|（亿元）\n财政收入|512.3|530.8\n税收收入|401.6|417.2")
_EMPTY = table("!Port|!Import|!Export\n!Kiel|12|\n!Rostock||7\n!Emden|–|3")
_AGAIN = table("!Team|!Won|!Lost\n!Ajax|20|3\n!Utrecht|14|9\n!Team|!Won|!Lost\n!Breda|8|15\n!Venlo|5|18")
_DUTIES = table("商品|税率|税率\n|旧|新\n小麦|{colspan=2}5.0\n大米|6.0|4.0")
_KEYS = table(
    "No.|Company|Country|Sales\n1|Alpha AG|Austria|812.5\n2|Beta SA|Spain|799.1\n3|Gamma plc|Ireland|640.0"
)
_NESTED = (
    "<table><tr><td><table>" + rows("!Left|!x\n!r1|1\n!r2|2") + "</table></td><td><table>"
    + rows("!Right|!x\n!s1|3\n!s2|4") + "</table></td></tr></table>"
)  # fmt: skip
_TWO_TABLES = table("!City|!Area\n!Ulm|118\n!Bern|52") + table("!City|!People\n!Ulm|128,000\n!Bern|136,000")
_TWINS = "<h3>2022</h3>" + table("!City|!Rent\n!Ulm|9.1") + "<h3>2023</h3>" + table("!City|!Rent\n!Ulm|9.8")
_FOOT = (
    "<table><caption>Stock</caption><tfoot>" + rows("!Sum|30|70") + "</tfoot><thead>" + rows("!Kind|!A|!B")
    + "</thead><tbody>" + rows("!Nails|10|20\n!Screws|20|50") + "</tbody></table>"
)  # fmt: skip
_ROWSPAN_ZERO = (
    "<table><tbody>"
    + rows("!{rowspan=0}Zone|!Gate|11\n!Door|12")
    + "</tbody><tbody>"
    + rows("!Park|!Gate|21\n!Door|22".replace("!Door|22", "!Hut|!Door|22"))
    + "</tbody></table>"
)
_WIDE = table("!Year|!Q1|!Q2|!Q3|!Q4\n!2022|1.1|1.2|1.3|1.4\n!2023|2.1|2.2|2.3|2.4")
_SIMILAR = table("!Item|!Total|!Total tax\n!Net income|10|1\n!Net income before tax|20|2\n!Income|30|3")
_ARIA = (
    "<div role=table><div role=row><span role=columnheader>Fund</span><span role=columnheader>Price</span>"
    "<span role=columnheader>Change</span></div><div role=row><span role=rowheader>Oak</span><span role=cell>104.2"
    "</span><span role=cell>+0.4</span></div><div role=row><span role=rowheader>Elm</span><span role=cell>98.7</span>"
    "<span role=cell>-1.1</span></div></div>"
)  # fmt: skip
_ARIA_GRID = (
    "<div role=grid><div role=rowgroup><div role=row><div role=columnheader>代码</div><div role=columnheader>收盘价</div></div>"
    "</div><div role=rowgroup><div role=row><div role=gridcell>600001</div><div role=gridcell>12.35</div></div>"
    "<div role=row><div role=gridcell>600002</div><div role=gridcell>8.90</div></div></div></div>"
)  # fmt: skip
_HIDDEN = table(
    "!City|!{style='display:none'}Code|!Rank\n!Ulm|{style='display:none'}7|3\n!Bern|{style='display:none'}8|5"
)
_TRANSPOSED = table(
    "!Measure|!Mean|!Median\n!{scope=row}Age (years)|41.2|40\n!{scope=row}Wage (€)|3,120|2,870"
)

#: Class, name, HTML, row anchors, column anchors, the text of the place; None: it must be refused.
CASES: tuple[tuple[str, str, str, tuple[str, ...], tuple[str, ...], str | None], ...] = (
    ("plain", "crosshair", _PLAIN, ("Bern",), ("2023",), "136.0"),
    ("plain", "row", _PLAIN, ("Lyon",), (), "Lyon\t522.2\t520.7"),
    ("plain", "column", _PLAIN, (), ("2022",), "126.9\n134.6\n522.2"),
    ("plain", "case and blanks", _PLAIN, ("  bern ",), ("2022",), "134.6"),
    ("plain", "quarter", _WIDE, ("2023",), ("Q3",), "2.3"),
    ("td only", "crosshair", _BARE, ("Ulm",), ("2023",), "128.1"),
    ("td only", "column", _BARE, (), ("2023",), "128.1\n136.0"),
    ("td only", "two header rows", _BARE_TWO, ("西平县",), ("支出", "2022年"), "39.2"),
    ("td only", "joined header path", _BARE_TWO, ("东平县",), ("收入2023年",), "33.5"),
    ("td only", "row spans", _BARE_SPANS, ("Chile", "2021年"), ("Wheat",), "2.1"),
    ("header rows", "two", _TWO_HEADS, ("South",), ("Births", "girls"), "401"),
    ("header rows", "two, leaf only", _TWO_HEADS, ("North",), ("women",), "211"),
    ("header rows", "three", _THREE_HEADS, ("Power",), ("2023", "H2", "plan"), "22"),
    ("header rows", "three, path shortened", _THREE_HEADS, ("Rent",), ("H1", "actual"), "11"),
    ("header rows", "leaf that stands twice", _THREE_HEADS, ("Rent",), ("actual",), None),
    ("header rows", "path in the wrong order", _TWO_HEADS, ("North",), ("girls", "Births"), None),
    ("row headers", "span", _ROW_SPANS, ("Chile", "2022"), ("Maize",), "2.4"),
    ("row headers", "span, inner only", _ROW_SPANS, ("2022",), ("Maize",), None),
    ("row headers", "rowspan 0", _ROWSPAN_ZERO, ("Zone", "Door"), (), "Zone\tDoor\t12"),
    ("row headers", "second column", _KEYS, ("Beta SA",), ("Sales",), "799.1"),
    ("row headers", "third column", _KEYS, ("Ireland",), ("Company",), "Gamma plc"),
    ("row headers", "scope row", _TRANSPOSED, ("Wage (€)",), ("Median",), "2,870"),
    ("side by side", "left", _SIDE, ("2020年",), ("产量",), "305.2"),
    ("side by side", "right", _SIDE, ("2023年",), ("产量",), "322.9"),
    ("side by side", "whole column", _SIDE, (), ("产量",), "301.5\n305.2\n311.0\n318.4\n322.9\n330.6"),
    ("sections", "first", _SECTIONS, ("Assets", "Loans"), ("2023",), "8.4"),
    ("sections", "second", _SECTIONS, ("Liabilities", "Loans"), ("2022",), "2.7"),
    ("sections", "row that stands twice", _SECTIONS, ("Loans",), ("2022",), None),
    ("sections", "whole name before part", _SECTIONS, ("Cash",), ("2022",), "5.1"),
    ("months", "year carried down", _MONTHS, ("2024年2月",), ("CPI",), "0.7"),
    ("months", "year carried down, before the turn", _MONTHS, ("2023年12月",), ("PPI",), "-2.7"),
    ("months", "with its own year", _MONTHS, ("2024年1月",), ("CPI",), "-0.8"),
    ("months", "year that is not there", _MONTHS, ("2022年2月",), ("CPI",), None),
    ("footnotes", "mark on the column", _NOTES, ("Cyprus",), ("GDP",), "29.8"),
    ("footnotes", "mark on the row", _NOTES, ("Malta",), ("Debt",), "52.3"),
    ("footnotes", "mark cited", _NOTES, ("Cyprus*",), ("Debt",), "77.4"),
    ("units row", "unit is a header row", _UNITS, ("税收收入",), ("2023年",), "417.2"),
    ("units row", "unit named", _UNITS, ("财政收入",), ("2022年", "（亿元）"), "512.3"),
    ("empty cells", "an empty cell", _EMPTY, ("Kiel",), ("Export",), ""),
    ("empty cells", "after an empty cell", _EMPTY, ("Rostock",), ("Export",), "7"),
    ("empty cells", "a dash", _EMPTY, ("Emden",), ("Import",), "–"),
    ("repeated headers", "above", _AGAIN, ("Utrecht",), ("Lost",), "9"),
    ("repeated headers", "below", _AGAIN, ("Venlo",), ("Won",), "5"),
    ("spans in the body", "cell over two columns", _DUTIES, ("小麦",), ("税率", "新"), "5.0"),
    ("spans in the body", "row below it", _DUTIES, ("大米",), ("税率", "旧"), "6.0"),
    ("nested", "left", _NESTED, ("r2",), ("x",), "2"),
    ("nested", "right", _NESTED, ("s1",), ("x",), "3"),
    ("several tables", "told apart by the column", _TWO_TABLES, ("Bern",), ("People",), "136,000"),
    ("several tables", "nothing tells them apart", _TWINS, ("Ulm",), ("Rent",), None),
    ("head, body, foot", "foot before body", _FOOT, ("Sum",), ("B",), "70"),
    ("head, body, foot", "body", _FOOT, ("Screws",), ("A",), "20"),
    ("ARIA", "table", _ARIA, ("Elm",), ("Price",), "98.7"),
    ("ARIA", "grid without row headers", _ARIA_GRID, ("600001",), ("收盘价",), "12.35"),
    ("hidden column", "after it", _HIDDEN, ("Bern",), ("Rank",), "5"),
    ("lists", "two columns", _PLAIN, ("Ulm",), ("2022", "2023"), "126.9\t128.1"),
    ("lists", "two rows", _PLAIN, ("Ulm", "Lyon"), ("2023",), "128.1\n520.7"),
    ("lists", "two by two", _PLAIN, ("Ulm", "Bern"), ("2022", "2023"), "126.9\t128.1\n134.6\t136.0"),
    ("similar names", "whole before part", _SIMILAR, ("Net income",), ("Total",), "10"),
    ("similar names", "the longer one", _SIMILAR, ("Net income before tax",), ("Total tax",), "2"),
    ("similar names", "a part of two", _SIMILAR, ("come",), ("Total",), None),
    ("not there", "row", _PLAIN, ("Nice",), ("2023",), None),
    ("not there", "column", _PLAIN, ("Ulm",), ("2024",), None),
    ("not there", "part of a year", _WIDE, ("202",), ("Q1",), None),
    ("not there", "row and column changed about", _PLAIN, ("2023",), ("Ulm",), None),
)  # fmt: skip
#: Classes that only a browser can read: ARIA roles and style.
BROWSER_ONLY = ("ARIA",)
