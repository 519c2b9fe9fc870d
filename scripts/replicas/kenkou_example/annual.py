"""The annual reports: PDF files with upright pages and one whose wide table lies on its side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pymupdf as _pymupdf

from scripts.replicas.common import Exchange
from scripts.replicas.kenkou_example.figures import HOST, RECORDED_AT, TOWNS, spread

# The library has no annotations of its own.
pymupdf: Any = _pymupdf

PAGE = (595.0, 842.0)
LEFT, TOP, SIZE, LEADING = 60.0, 80.0, 10.0, 19.0
REPORTS = (
    ("令和5年度版", "人口動態は令和5年、国民健康保険・健診は令和5年度", "/nenpo/pdf/r5.pdf", "0.1MB"),
    ("令和4年度版", "人口動態は令和4年、国民健康保険・健診は令和4年度", "/nenpo/pdf/r4.pdf", "0.1MB"),
)
_INTRODUCTION = (
    "本年報は、瑞穂県健康統計センターが{era}に実施した調査及び事業の結果を取りまとめたものである。",
    "第1章の国民健康保険の医療費は{era}（4月から翌年3月まで）の診療分であり、人口動態の暦年の数値とは",
    "対象期間が異なるので、利用に当たっては注意されたい。",
    "医療費の単位は、特に断りのない限り百万円（1人当たりは円）である。",
    "単位未満は四捨五入しているため、内訳の計と総数が一致しないことがある。",
)


class _Report:
    """A document being set; ``page`` is the one written on."""

    def __init__(self, header: str) -> None:
        self.header = header
        self.font = pymupdf.Font("japan")
        self.document = pymupdf.open()

    def new_page(self) -> None:
        self.page = self.document.new_page(width=PAGE[0], height=PAGE[1])
        self.height = TOP
        self.write(LEFT, 50, self.header, 8)
        self.write(PAGE[0] / 2 - 10, PAGE[1] - 36, f"- {self.document.page_count} -", 9)

    def write(
        self, left: float, baseline: float, text: str, size: float = SIZE, *, turned: bool = False
    ) -> None:
        """Text at a place; ``turned``: of a page seen after a quarter turn to the right."""
        writer = pymupdf.TextWriter(self.page.rect)
        if not turned:
            writer.append((left, baseline), text, font=self.font, fontsize=size)
            writer.write_text(self.page)
            return
        place = pymupdf.Point(baseline, PAGE[1] - left)
        writer.append(place, text, font=self.font, fontsize=size)
        writer.write_text(self.page, morph=(place, pymupdf.Matrix(90)))

    def line(self, text: str, size: float = SIZE, *, space: float = LEADING) -> None:
        self.height += space
        self.write(LEFT, self.height, text, size)

    def table(self, widths: Sequence[float], rows: Sequence[Sequence[str]], *, turned: bool = False) -> None:
        """Rows with the first column to the left and figures to the right, header rows first."""
        for row in rows:
            self.height += 17
            left = LEFT
            for column, (text, width) in enumerate(zip(row, widths, strict=True)):
                length = self.font.text_length(text, fontsize=9)
                shift = 3 if column == 0 else width - length - 3
                self.write(left + shift, self.height, text, 9, turned=turned)
                left += width
            start, end = (LEFT, self.height + 5), (LEFT + sum(widths), self.height + 5)
            if turned:
                start, end = ((start[1], PAGE[1] - start[0]), (end[1], PAGE[1] - end[0]))
            self.page.draw_line(start, end, width=0.4)

    def upright_heading(self, text: str) -> None:
        """A chapter's name down the outer margin, one character below the other."""
        for number, character in enumerate(text):
            self.write(PAGE[0] - 34, 120 + 15 * number, character, 11)

    def data(self, title: str, day: str) -> bytes:
        stamp = f"D:{day}090000+09'00'"
        self.document.set_metadata(
            {"title": title, "creationDate": stamp, "modDate": stamp, "producer": "synthetic"}
        )
        self.document.subset_fonts()
        return bytes(self.document.tobytes(garbage=4, deflate=True, no_new_id=True))


def _cost(year: int, name: str, population: int) -> tuple[int, int, int]:
    """Insured people, medical costs in million yen, and yen a person, of a fiscal year."""
    members = population * spread(f"n{name}", 0.19, 0.24) * spread(f"o{name}{year}", 0.99, 1.01)
    insured = round(members * (1 - 0.025 * (year - 2023)))
    each = round(spread(f"e{name}", 352_000, 438_000) * (1 + 0.021 * (year - 2023)))
    return insured, round(insured * each / 1_000_000), each


def _cost_rows(year: int) -> list[list[str]]:
    rows, people, total, before = [], 0, 0, 0
    for name, population, _, _ in TOWNS:
        insured, cost, each = _cost(year, name, population)
        earlier = _cost(year - 1, name, population)[1]
        people, total, before = people + insured, total + cost, before + earlier
        rows.append([name, f"{insured:,}", f"{cost:,}", f"{earlier:,}", _change(cost, earlier), f"{each:,}"])
    each = round(total * 1_000_000 / people)
    return [["県計", f"{people:,}", f"{total:,}", f"{before:,}", _change(total, before), f"{each:,}"], *rows]


def _change(now: int, before: int) -> str:
    share = 100 * (now - before) / before
    return f"{'△' if share < 0 else ''}{abs(share):.1f}"


def _check_rows(year: int) -> list[list[str]]:
    """Health checks: people called, people seen, shares seen and with a finding (per cent)."""
    rows = []
    for name, population, _, _ in TOWNS:
        called = round(population * spread(f"t{name}{year}", 0.14, 0.17))
        seen = round(called * spread(f"u{name}{year}", 0.33, 0.58))
        shares = [
            spread(f"{key}{name}{year}", low, high)
            for key, low, high in (
                ("mg", 17.0, 24.5),
                ("my", 9.5, 13.8),
                ("sm", 9.0, 19.5),
                ("si", 15.0, 62.0),
            )
        ]
        rows.append(
            [
                name,
                f"{called:,}",
                f"{seen:,}",
                f"{100 * seen / called:.1f}",
                *(f"{share:.1f}" for share in shares),
            ]
        )
    return rows


def _annual(year: int, era: str, day: str) -> bytes:
    report = _Report(f"瑞穂県健康統計年報（{era}版）")
    report.new_page()
    report.line("瑞穂県健康統計年報", 24, space=180)
    report.line(f"（{era}版）", 16, space=36)
    report.line("瑞穂県健康統計センター", 14, space=380)
    report.new_page()
    report.line("は じ め に", 14, space=10)
    for text in _INTRODUCTION:
        report.line(text.replace("{era}", era))
    report.new_page()
    report.upright_heading("第一章国民健康保険")
    report.line(f"第1-2表　国民健康保険医療費、市町村別（{era}）", 12, space=10)
    report.line("（単位：人、百万円、%、円）　医療費は百万円、1人当たり医療費は円", 9)
    previous = f"{era[:2]}{int(era[2:-2]) - 1}年度"
    header = ["市町村", "被保険者数", f"{era}医療費", f"{previous}医療費", "増減率", "1人当たり"]
    report.table((76, 76, 96, 96, 56, 70), [header, *_cost_rows(year)])
    report.line("注）増減率の△は減少。被保険者数は年度平均。1人当たり医療費は年度平均被保険者数で除した。", 8)
    report.new_page()
    report.write(LEFT, 70, f"第2-5表　特定健康診査の受診状況と所見、市町村別（{era}）", 12, turned=True)
    report.write(LEFT, 88, "（単位：人、%）　割合は受診者に対するもの", 9, turned=True)
    report.height = 100
    titles = [
        "市町村",
        "対象者数",
        "受診者数",
        "受診率",
        "メタボ該当者",
        "メタボ予備群",
        "喫煙者",
        "指導終了率",
    ]
    report.table((96, 84, 84, 70, 92, 92, 70, 92), [titles, *_check_rows(year)], turned=True)
    return report.data(f"瑞穂県健康統計年報（{era}版）", day)


def exchanges() -> Iterator[Exchange]:
    """Both editions; the older one has the same tables a year earlier."""
    for path, year, era, day in (
        ("/nenpo/pdf/r5.pdf", 2023, "令和5年度", "20241225"),
        ("/nenpo/pdf/r4.pdf", 2022, "令和4年度", "20231222"),
    ):
        yield Exchange(
            HOST + path,
            _annual(year, era, day),
            "application/pdf",
            page_title=f"瑞穂県健康統計年報（{era}版）PDF",
            recorded_at=RECORDED_AT,
        )
