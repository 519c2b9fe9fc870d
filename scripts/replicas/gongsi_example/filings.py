"""The filings and companies of ``data/``, and the reports that the viewer shows of them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Company:
    """A listed company; ``market`` is the short name of the board."""

    code: str
    name: str
    market: str
    corp: str
    ceo: str
    city: str
    founded: str


@dataclass(frozen=True, slots=True)
class Filing:
    """A filing as the list shows it; ``document`` names what the viewer shows, or is empty."""

    receipt: str
    date: str
    company: str
    market: str
    title: str
    filer: str
    kind: str
    note: str
    document: str
    authority: str = "금융정보공시원"

    @property
    def day(self) -> str:
        """The day of receipt as the site writes it."""
        return self.date.replace("-", ".")

    @property
    def long_day(self) -> str:
        """The day of receipt in words."""
        year, month, day = self.date.split("-")
        return f"{year}년 {month}월 {day}일"

    @property
    def url(self) -> str:
        """Path and query of the viewer."""
        return f"/report/main.do?rcpNo={self.receipt}"


@dataclass(frozen=True, slots=True)
class Node:
    """An entry of the viewer's table of contents: its text, level, and template of the page."""

    id: str
    ele: str
    text: str
    depth: int
    template: str


_ANNUAL = (
    ("사 업 보 고 서", 1, "cover"),
    ("I. 회사의 개요", 1, "overview"),
    ("II. 사업의 내용", 1, "business"),
    ("III. 재무에 관한 사항", 1, "summary"),
    ("1. 요약재무정보", 2, "summary"),
    ("2. 연결재무제표", 2, "consolidated"),
    ("3. 연결재무제표 주석", 2, "notes"),
    ("4. 재무제표", 2, "separate"),
    ("5. 재무제표 주석", 2, "notes"),
    ("VIII. 임원 및 직원 등에 관한 사항", 1, "staff"),
)


#: What a filing with a text of its own is laid out by.
_TEMPLATES = {
    "gaon_flash": "flash",
    "hanul_flash": "flash",
    "araon_first": "contract",
    "araon_second": "contract",
    "araon_third": "contract",
    "mirsol_first": "investment_first",
    "mirsol_investment": "investment",
}


def _rows(name: str) -> list[dict[str, str]]:
    with (HERE / "data" / name).open(encoding="utf-8", newline="") as source:
        return list(csv.DictReader(source))


def companies() -> dict[str, Company]:
    """Every company by its name, in the order of the file."""
    return {row["name"]: Company(**row) for row in _rows("companies.csv")}


def filings() -> tuple[Filing, ...]:
    """Every filing, newest first."""
    known = companies()
    return tuple(
        Filing(
            receipt=row["date"].replace("-", "") + row["seq"],
            date=row["date"],
            company=row["company"],
            market=known[row["company"]].market,
            title=row["title"],
            filer=row["filer"] or row["company"],
            kind=row["kind"],
            note=row["note"],
            document=row["document"],
        )
        for row in _rows("filings.csv")
    )


def nodes(filing: Filing) -> tuple[Node, ...]:
    """The table of contents of a filing's report."""
    if filing.document == "hanul_2025":
        return tuple(
            Node(f"node{number}", str(number), text, depth, template)
            for number, (text, depth, template) in enumerate(_ANNUAL, 1)
        )
    other = "cover" if "보고서 (" in filing.title else "notice"
    template = _TEMPLATES.get(filing.document, other)
    return (Node("node1", "1", filing.title, 1, template),)
