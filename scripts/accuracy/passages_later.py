# mypy: disable-error-code="no-untyped-call"
# ruff: noqa: E501 - a case is one line
"""A second batch of PDF passages, written before the code was tried on them.

Long, because every document is drawn in full beside what is asked of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pymupdf

from scripts.accuracy.passages_sheets import Piece, Sheets


def _column(
    text: str, x: float = 72, y: float = 90, step: float = 16, font: str = "helv"
) -> tuple[Piece, ...]:
    return tuple(Piece(x, y + step * index, line, font) for index, line in enumerate(text.split("\n")))


def _run(y: float, *parts: Piece) -> tuple[Piece, ...]:
    """Pieces that follow one another on a line, in several fonts and sizes; y of a part raises it."""
    made, x = [], 72.0
    for part in parts:
        made.append(Piece(x, y + part.y, part.text, part.font, part.size, 0, part.apart, part.reads))
        width = pymupdf.get_text_length(part.text, fontname=part.font, fontsize=part.size)
        x += width + part.apart * len(part.text)
    return tuple(made)


def _t(text: str, font: str = "helv", size: float = 11, up: float = 0) -> Piece:
    return Piece(0, -up, text, font, size)


_HEAD = Piece(72, 40, "Fisheries Board, annual review")
_PAGES = (
    (_HEAD, *_column("Landings of cod fell to 3,140 tonnes, while those\nof hake rose. The Board decided that the quota", y=700), Piece(290, 812, "11")),
    (_HEAD, *_column("for 2025 should not exceed 2,900 tonnes. It will be\nreviewed in March."), Piece(290, 812, "12")),
    (_HEAD, *_column("Landings of eel fell to 3,140 kilograms. The Board\ndecided nothing on eel."), Piece(290, 812, "13")),
)  # fmt: skip


def _columns() -> Iterator[Sheets]:
    left = _column(
        "The survey began in 2019\nand took in 812 homes. In\neach the tenant was asked\nwhat the heating had cost\nin the winter before, and",
        50,
        120,
    )
    middle = _column(
        "whether a loan had been\ntaken to pay for it. Of the\n694 tenants who answered,\n58 had done so; nine did\nnot wish to say.",
        230,
        120,
    )
    right = _column(
        "A second round in 2022\nreached 640 homes. The\nshare of loans had risen\nto 14.5%, most of them\nbelow 900 crowns.",
        410,
        120,
    )
    three = (left + middle + right,)
    for name, quote, pieces in (
        ("three, left", "took in 812 homes. In each the tenant was asked", (1, 2)),
        ("three, left to middle", "in the winter before, and whether a loan had been taken", (4, 5, 6)),
        ("three, middle", "694 tenants who answered, 58 had done so", (7, 8)),
        ("three, middle to right", "not wish to say. A second round in 2022 reached 640 homes", (9, 10, 11)),
        ("three, right", "risen to 14.5%, most of them below 900 crowns", (12, 13, 14)),
    ):
        yield Sheets("columns", name, three, quote, 1, pieces)
    title = (Piece(72, 80, "Heating and debt: what tenants told us", size=16), *left, *middle)
    yield Sheets(
        "columns", "under a title over both", (title,), "heating had cost in the winter before", 1, (4, 5)
    )
    narrow = _column("Ship-\nments of\nrefri-\ngerated\nvaccine\ndoubled\nto 4,100", 60, 90, 13)
    yield Sheets(
        "columns",
        "narrow, two hyphens",
        (narrow,),
        "Shipments of refrigerated vaccine doubled to 4,100",
        1,
        (0, 1, 2, 3, 4, 5, 6),
    )


def _hyphens() -> Iterator[Sheets]:
    words = (
        _column(
            "The anti-\ninflationary policy was re-\nnewed in 2021-\n2023 by the co-\noperative, whose state-of-the-\nart plant cost 1,250,\n000 crowns."
        ),
    )
    for name, quote, pieces in (
        ("prefix with its hyphen", "The anti-inflationary policy", (0, 1)),
        ("dropped", "policy was renewed in 2021-2023", (1, 2, 3)),
        ("co-operative without", "by the cooperative, whose", (3, 4)),
        ("co-operative with", "by the co-operative, whose", (3, 4)),
        ("three hyphens", "state-of-the-art plant", (4, 5)),
        ("number over a line end", "plant cost 1,250,000 crowns", (5, 6)),
    ):
        yield Sheets("hyphenation", name, words, quote, 1, pieces)
    minus = (_column("The balance of the year was\n-12.4 million, after\n12.4 million in 2022."),)
    yield Sheets("hyphenation", "a sign at a line's start", minus, "the year was -12.4 million", 1, (0, 1))
    yield Sheets(
        "hyphenation",
        "a sign left out",
        minus,
        "balance of the year was 12.4 million",
        0,
        verdicts=("changed", "gone"),
    )


def _chinese() -> Iterator[Sheets]:
    text = _column(
        "截至2024年6月末，全市共有注册志\n愿者128.6万人，比上年末增加9.\n4万人。其中六十周岁以上的占\n21.5％，农村地区占比不足一成。",
        font="china-s",
    )
    for name, quote, pieces in (
        ("word over a line end", "注册志愿者128.6万人", (0, 1)),
        ("number over a line end", "比上年末增加9.4万人", (1, 2)),
        ("full-width sign", "六十周岁以上的占21.5%", (2, 3)),
        ("half-width comma", "占21.5%,农村地区占比不足一成", (2, 3)),
    ):
        yield Sheets("Chinese", name, (text,), quote, 1, pieces)
    two = _column("水库蓄水量为3.2亿立方米，\n低于警戒水位，下游三县", 50, 120, font="china-s") + _column(
        "限制农业用水，居民用水不\n受影响。", 320, 120, font="china-s"
    )
    yield Sheets("Chinese", "over a column end", (two,), "下游三县限制农业用水", 1, (1, 2))
    yield Sheets("Chinese", "negation over a line end", (two,), "居民用水不受影响", 1, (2, 3))
    yield Sheets("Chinese", "negation left out", (two,), "居民用水受影响", 0, verdicts=("changed", "gone"))
    head = Piece(72, 40, "某市统计公报", "china-s")
    pages = (
        (head, *_column("固定资产投资增长4.7%，其中制造业投资增", y=770, font="china-s"), Piece(270, 812, "— 3 —", "china-s")),
        (head, *_column("长9.1%，房地产开发投资下降8.2%。", font="china-s"), Piece(270, 812, "— 4 —", "china-s")),
    )  # fmt: skip
    yield Sheets("Chinese", "over a page end, page numbers in dashes", pages, "制造业投资增长9.1%", 1, (1,))
    down = tuple(
        Piece(400, 90 + 14 * i, char, "china-s") for i, char in enumerate("会议决定自五月起停止发放")
    )
    yield Sheets("Chinese", "written downwards", (down,), "决定自五月起停止", 1, (2, 3, 4, 5, 6, 7, 8, 9))
    mixed = _column("公司与Nordwind GmbH签订的协\n议于2023年12月31日到期，不再\n续签。", font="china-s")
    yield Sheets(
        "Chinese", "Latin words within", (mixed,), "与Nordwind GmbH签订的协议于2023年12月31日到期", 1, (0, 1)
    )


def _turned() -> Iterator[Sheets]:
    side = (
        *_column("The plan below shows the new harbour.\nNothing is to scale.", y=700),
        Piece(60, 600, "Depth at low water 4.2 m", turn=90),
        Piece(80, 600, "Depth at high water 7.9 m", turn=90),
        Piece(540, 300, "Quay length 310 m", turn=270),
        Piece(400, 500, "Crane 2 is out of use", turn=180),
    )
    for name, quote, piece in (
        ("upwards", "Depth at high water 7.9 m", 3), ("downwards", "Quay length 310 m", 4),
        ("upside down", "Crane 2 is out of use", 5), ("level, beside it", "Nothing is to scale", 1),
    ):  # fmt: skip
        yield Sheets("turned text", name, (side,), quote, 1, (piece,))
    wide = (
        Piece(500, 780, "Table 7: Imports of steel, 2023", turn=90),
        Piece(520, 780, "Coils 412.0 plates 98.5", turn=90),
    )
    yield Sheets(
        "turned text",
        "a wide table on a turned page",
        (wide,),
        "Coils 412.0 plates 98.5",
        1,
        (1,),
        rotation=90,
    )
    yield Sheets(
        "turned text",
        "turned page, two lines",
        (wide,),
        "Imports of steel, 2023 Coils 412.0",
        1,
        (0, 1),
        rotation=90,
    )
    yield Sheets("turned text", "page upside down", (side,), "Quay length 310 m", 1, (4,), rotation=180)


def _running() -> Iterator[Sheets]:
    yield Sheets(
        "between the pages",
        "head and page number",
        _PAGES,
        "decided that the quota for 2025 should not exceed 2,900 tonnes",
        1,
        (2,),
    )
    yield Sheets(
        "between the pages",
        "the page after named",
        _PAGES,
        "that the quota for 2025 should not exceed",
        1,
        (2,),
        asked=2,
    )
    yield Sheets(
        "between the pages",
        "another number",
        _PAGES,
        "that the quota for 2025 should not exceed 3,900 tonnes",
        0,
        verdicts=("changed", "gone"),
    )
    foot = (
        (*_column("The levy was raised in 1998 and again, after a\nlong dispute¹, in 2011. Since then the number of", y=600),
         Piece(72, 760, "¹ See the minutes of 4 May 2010, and Holm (2012).", size=8), Piece(72, 772, "  The appeal was dismissed.", size=8), Piece(300, 815, "88")),
        (Piece(72, 40, "Chapter 5"), *_column("boats has halved, from 412 to 206.")),
    )  # fmt: skip
    yield Sheets(
        "between the pages",
        "two lines of footnote",
        foot,
        "Since then the number of boats has halved",
        1,
        (1,),
    )
    starred = (
        (*_column("A fee of 40 crowns is due for", y=600), Piece(72, 780, "* From 2024: 45 crowns.", size=8)),
        (*_column("each dog* that is older than six months."),),
    )  # fmt: skip
    yield Sheets(
        "between the pages", "starred footnote", starred, "A fee of 40 crowns is due for each dog", 1, (0,)
    )
    figure = (
        (
            *_column("Output of the mine grew until", y=500),
            Piece(200, 700, "Figure 3. Output, kilotonnes", size=9),
            Piece(300, 815, "7"),
        ),
        (*_column("2016 and has fallen since."),),
    )
    yield Sheets(
        "between the pages", "a caption between", figure, "grew until 2016 and has fallen since", 1, (0,)
    )
    three = (
        _column("The first words of a sentence that", y=760),
        (Piece(250, 400, "This page is left blank."),),
        _column("ends two pages later."),
    )
    yield Sheets(
        "between the pages",
        "a page between",
        three,
        "a sentence that ends two pages later",
        0,
        verdicts=("gone", "changed", "verified"),
    )


def _letters() -> Iterator[Sheets]:
    fi = (("\x7e", "\ufb01"), ("\x60", "\ufb02"))
    ligatures = (
        Piece(72, 90, "The ~nal of~ce `oor area was", reads=fi),
        Piece(72, 106, "con~rmed at 2,140 m.", reads=fi),
    )
    yield Sheets(
        "letters", "ligatures", (ligatures,), "The final office floor area was confirmed at 2,140", 1, (0, 1)
    )
    yield Sheets(
        "letters",
        "ligatures, plain letters asked",
        ((Piece(72, 90, "Bene~ts `ow to 912 families.", reads=fi),),),
        "Benefits flow to 912 families",
        1,
        (0,),
    )
    spaced = (
        Piece(72, 90, "NOTICE TO CREDITORS", apart=4.5),
        Piece(72, 110, "Claims must be filed by 30 June 2024.", apart=1.2),
    )
    yield Sheets("letters", "letter-spaced title", (spaced,), "NOTICE TO CREDITORS", 1, (0,))
    yield Sheets("letters", "letter-spaced line", (spaced,), "must be filed by 30 June 2024", 1, (1,))
    caps = _run(
        90,
        _t("T", size=12),
        _t("HE ", size=9),
        _t("E", size=12),
        _t("XECUTIVE ", size=9),
        _t("B", size=12),
        _t("OARD met 14 times.", size=9),
    )
    yield Sheets(
        "letters", "small capitals", (caps,), "The Executive Board met 14 times", 1, (0, 1, 2, 3, 4, 5)
    )
    fonts = _run(
        90,
        _t("Losses came to "),
        _t("7.4 million", "hebo"),
        _t(" crowns, "),
        _t("not", "heit"),
        _t(" 4.7 million."),
    )
    yield Sheets(
        "letters",
        "bold and italic",
        (fonts,),
        "came to 7.4 million crowns, not 4.7 million",
        1,
        (0, 1, 2, 3, 4),
    )
    serif = _run(
        90,
        _t("Water ", "tiro", 14),
        _t("stood at ", "cour", 9),
        _t("3.15 metres", "tibo", 12),
        _t(" on Sunday.", "tiro", 10),
    )
    yield Sheets(
        "letters", "four fonts and sizes", (serif,), "Water stood at 3.15 metres on Sunday", 1, (0, 1, 2, 3)
    )
    notes = _run(
        90,
        _t("The figure for 2023"),
        _t("4", size=7, up=4),
        _t(" was 1,870"),
        _t("a", size=7, up=4),
        _t(" families, up by a tenth"),
        _t("5,6", size=7, up=4),
        _t("."),
    )
    yield Sheets(
        "letters",
        "footnote marks left out",
        (notes,),
        "The figure for 2023 was 1,870 families, up by a tenth.",
        1,
        (0, 2, 4, 6),
        loose=(1, 3, 5),
    )
    yield Sheets(
        "letters",
        "footnote mark taken for a digit",
        (notes,),
        "The figure for 20234 was",
        0,
        verdicts=("changed", "gone"),
    )
    power = _run(
        90,
        _t("An area of 640 km"),
        _t("2", size=7, up=4),
        _t(" holds 3 × 10"),
        _t("6", size=7, up=4),
        _t(" trees."),
    )
    yield Sheets(
        "letters",
        "exponents as printed",
        (power,),
        "640 km² holds 3 × 10⁶ trees",
        1,
        (0, 1, 2, 3, 4),
    )
    yield Sheets(
        "letters",
        "exponent taken for digits",
        (power,),
        "holds 3 × 106 trees",
        0,
        verdicts=("changed", "gone"),
    )
    low = _run(
        90,
        _t("Emissions of CO"),
        _t("2", size=7, up=-3),
        _t(" fell by 8% and of N"),
        _t("2", size=7, up=-3),
        _t("O by 3%."),
    )
    yield Sheets(
        "letters", "subscripts", (low,), "Emissions of CO2 fell by 8% and of N2O by 3%", 1, (0, 1, 2, 3, 4)
    )
    drop = (
        Piece(72, 118, "O", size=40),
        Piece(106, 92, "n 1 March the bridge was"),
        Piece(106, 108, "closed to lorries above"),
        Piece(72, 130, "18 tonnes."),
    )
    yield Sheets(
        "letters",
        "a large first letter",
        (drop,),
        "On 1 March the bridge was closed to lorries above 18 tonnes",
        1,
        (0, 1, 2, 3),
    )
    doubled = (Piece(72, 90, "Total due: 1,999 crowns"), Piece(72.3, 90, "Total due: 1,999 crowns"))
    yield Sheets(
        "letters", "printed twice to look bold", (doubled,), "Total due: 1,999 crowns", 1, (0,), loose=(1,)
    )


def _hebrew() -> Iterator[Sheets]:
    letters = tuple(zip("abcdefghijkl", "אבגדהולמנרשת", strict=True))
    table = dict(letters)
    said = "bcd efg 1998 hij kla"
    quote = "".join(table.get(char, char) for char in said)
    # The shown line runs from the right: words and letters reversed, the number kept.
    shown = " ".join(word if word.isdigit() else word[::-1] for word in reversed(said.split(" ")))
    line = (Piece(300, 90, shown, reads=letters), Piece(72, 120, "An English line with 1998 in it.", "tiro"))
    yield Sheets("right to left", "a line of Hebrew letters", (line,), quote, 1, (0,))
    yield Sheets("right to left", "two words", (line,), quote[:7], 1, (0,))
    yield Sheets("right to left", "English beside it", (line,), "English line with 1998", 1, (1,))


def _forms() -> Iterator[Sheets]:
    form = (
        Piece(72, 90, "Name of the firm:"),
        Piece(180, 93, "Osterholm Timber AB", kind="field"),
        Piece(72, 120, "Turnover, in crowns:"),
        Piece(180, 123, "18,400,000", kind="field"),
        Piece(72, 150, "Signed by a person with power to bind the firm"),
    )
    yield Sheets("forms and notes", "what was filled in", (form,), "Osterholm Timber AB", 1, (1,))
    yield Sheets("forms and notes", "label and field", (form,), "Turnover, in crowns: 18,400,000", 1, (2, 3))
    yield Sheets(
        "forms and notes", "text beside fields", (form,), "a person with power to bind the firm", 1, (4,)
    )
    noted = (
        Piece(72, 90, "The lease ends on 31 May 2026."),
        Piece(300, 90, "Lawyer: should this be 2028?", kind="note"),
    )
    yield Sheets("forms and notes", "text with a note", (noted,), "The lease ends on 31 May 2026", 1, (0,))
    yield Sheets(
        "forms and notes",
        "a hidden note is not the text",
        (noted,),
        "Lawyer: should this be 2028?",
        0,
        verdicts=("gone", "changed"),
    )
    boxed = (Piece(72, 90, "Paid in full", kind="free"), Piece(72, 200, "Invoice 2291"))
    yield Sheets("forms and notes", "typed over the page", (boxed,), "Paid in full", 1, (0,))


def _tables() -> Iterator[Sheets]:
    grid = tuple(
        Piece(72 + 110 * column, 90 + 20 * row, text)
        for row, line in enumerate(
            ("Port|2021|2022|2023", "Kiel|12.5|13.1|11.9", "Emden|8.0|(0.4)|9.2", "Rostock|12.5|–|14.0")
        )
        for column, text in enumerate(line.split("|"))
    )
    yield Sheets("tables", "a row", (grid,), "Emden 8.0 (0.4) 9.2", 1, (8, 9, 10, 11))
    yield Sheets("tables", "brackets left out", (grid,), "Emden 8.0 0.4 9.2", 0, verdicts=("changed", "gone"))
    yield Sheets("tables", "twice, told apart by its row", (grid,), "12.5", 1, (13,), near="Rostock")
    yield Sheets("tables", "twice, nothing near", (grid,), "12.5", 0, verdicts=("ambiguous",))
    yield Sheets(
        "tables", "two rows mixed up", (grid,), "Kiel 8.0 13.1 11.9", 0, verdicts=("changed", "gone")
    )
    dots = _column(
        "Wages ........................ 4,120\nRent .......................... 1,275\nPower ........................... 388"
    )
    yield Sheets(
        "tables", "dotted leaders as printed", (dots,), "Rent .......................... 1,275", 1, (1,)
    )


def _told_apart() -> Iterator[Sheets]:
    yield Sheets("told apart", "the words after", _PAGES, "fell to 3,140 tonnes", 1, (1,))
    yield Sheets("told apart", "page named", _PAGES, "The Board decided", 1, (2,), asked=1)
    yield Sheets("told apart", "page named, over a line end", _PAGES, "The Board decided", 3, (1, 2), asked=3)
    yield Sheets("told apart", "no page named", _PAGES, "The Board decided", 0, verdicts=("ambiguous",))
    yield Sheets("told apart", "page named wrongly, once there", _PAGES, "nothing on eel", 3, (2,), asked=1)
    yield Sheets(
        "told apart",
        "page named wrongly, twice there",
        _PAGES,
        "The Board decided",
        0,
        asked=2,
        verdicts=("ambiguous",),
    )
    yield Sheets(
        "told apart", "running head, page named", _PAGES, "Fisheries Board, annual review", 2, (0,), asked=2
    )
    same = (
        _column(
            "Lot 1: oak, 40 pieces, sold.\nLot 2: oak, 40 pieces, sold.\nLot 3: ash, 40 pieces, not sold."
        ),
        _column("Lot 9: elm, 12 pieces."),
    )
    yield Sheets(
        "told apart",
        "same page, page named",
        same,
        "oak, 40 pieces, sold",
        0,
        asked=1,
        verdicts=("ambiguous",),
    )
    yield Sheets(
        "told apart",
        "same page, page named, near",
        same,
        "oak, 40 pieces, sold",
        1,
        (1,),
        asked=1,
        near="Lot 2",
    )
    yield Sheets(
        "told apart",
        "not sold for sold",
        same,
        "ash, 40 pieces, sold",
        0,
        verdicts=("changed", "gone", "ambiguous"),
    )
    yield Sheets(
        "told apart", "part of a number", same, "0 pieces, not sold", 0, verdicts=("changed", "gone")
    )


def sheets() -> tuple[Sheets, ...]:
    """Every case of the second batch."""
    return (
        *_columns(), *_hyphens(), *_chinese(), *_turned(), *_running(), *_letters(), *_hebrew(), *_forms(),
        *_tables(), *_told_apart(),
    )  # fmt: skip
