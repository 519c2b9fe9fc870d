"""The made-up figures of the invented prefecture: its towns, and numbers that hang together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

HOST = "https://stats.kenkou-mizuho.example"
RECORDED_AT = "2025-03-10T02:00:00Z"

#: Name, reading for the address, population in October 2023, births and deaths per 1,000.
TOWNS = (
    ("立花市", 318_204, 7.1, 11.2),
    ("桐原市", 142_877, 6.4, 12.9),
    ("白浜市", 96_315, 5.2, 14.8),
    ("三ツ沢市", 118_640, 8.3, 9.1),
    ("大和田市", 87_402, 6.0, 13.3),
    ("若宮市", 61_958, 5.5, 13.7),
    ("立花東町", 24_116, 7.8, 10.4),
    ("北桐原町", 18_733, 4.9, 16.2),
    ("川上町", 9_482, 3.8, 19.5),
    ("川下町", 11_207, 4.4, 17.1),
    ("青嶺町", 14_590, 5.1, 15.6),
    ("南浜町", 21_348, 5.8, 14.1),
    ("若宮村", 3_265, 3.1, 21.8),
    ("御影村", 2_871, 3.5, 20.2),
)


def spread(key: str, low: float, high: float) -> float:
    """A number between ``low`` and ``high`` that depends on nothing but ``key``."""
    digest = hashlib.sha256(key.encode()).digest()
    return low + (high - low) * int.from_bytes(digest[:6], "big") / 2**48


def signed(value: float, decimals: int = 1) -> str:
    """A figure as Japanese statistics write it: a white triangle for a minus."""
    text = f"{abs(value):,.{decimals}f}"
    return f"△ {text}" if value < 0 and float(text.replace(",", "")) else text


@dataclass(frozen=True, slots=True)
class Vital:
    """Vital statistics of a place in a year: counts of people, from which the rates follow."""

    name: str
    population: int
    births: int
    deaths: int
    infant_deaths: int
    marriages: int

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of table 3: number and rate of each event, the natural change in the middle."""
        rates = [1000 * count / self.population for count in (self.births, self.deaths)]
        change = self.births - self.deaths
        infant = 1000 * self.infant_deaths / self.births if self.births else 0.0
        return (
            f"{self.births:,}",
            f"{rates[0]:.1f}",
            f"{self.deaths:,}",
            f"{rates[1]:.1f}",
            f"{self.infant_deaths:,}" if self.infant_deaths else "-",
            f"{infant:.1f}" if self.infant_deaths else "-",
            signed(change, 0),
            signed(1000 * change / self.population),
            f"{self.marriages:,}",
            f"{1000 * self.marriages / self.population:.1f}",
        )


def vital_rows(year: int, *, final: bool) -> list[Vital]:
    """The prefecture, then every town; preliminary figures differ by a few cases."""
    rows = []
    for name, base, birth_rate, death_rate in TOWNS:
        population = round(base * (1 - 0.006 * (year - 2023)))
        births = (
            population * birth_rate / 1000 * (1 - 0.03 * (year - 2023)) * spread(f"b{name}{year}", 0.97, 1.03)
        )
        deaths = (
            population * death_rate / 1000 * (1 + 0.02 * (year - 2023)) * spread(f"d{name}{year}", 0.97, 1.03)
        )
        late = 0 if final else round(deaths * spread(f"l{name}{year}", 0.002, 0.006)) + 1
        rows.append(
            Vital(
                name,
                population,
                round(births) - (0 if final else round(spread(f"p{name}{year}", 0, 3))),
                round(deaths) - late,
                round(births * spread(f"i{name}{year}", 0.0, 0.0035)),
                round(population * spread(f"m{name}{year}", 0.0026, 0.0044)),
            )
        )
    total = Vital("瑞穂県", *(sum(getattr(row, field) for row in rows) for field in Vital.__slots__[1:]))
    return [total, *rows]


#: Cause of death: its rate per 100,000 in 1989 and in 2023.
CAUSES = (
    ("悪性新生物", 182.0, 331.0),
    ("心疾患", 131.0, 196.0),
    ("脳血管疾患", 109.0, 91.0),
    ("肺炎", 58.0, 66.0),
    ("老衰", 21.0, 158.0),
    ("不慮の事故", 27.0, 36.0),
    ("自殺", 17.5, 18.9),
)


@dataclass(frozen=True, slots=True)
class EraYear:
    """A year by its era: 平成2年 and 令和2年 are thirty years apart."""

    era: str
    number: int

    @property
    def label(self) -> str:
        """The year as its row names it: the first year of an era is 元年."""
        return f"{'元' if self.number == 1 else self.number}年"


def era_years() -> Iterator[tuple[int, EraYear]]:
    """1989 to 2023; 2019 counts as the first year of Reiwa."""
    for year in range(1989, 2024):
        yield year, EraYear("平成", year - 1988) if year < 2019 else EraYear("令和", year - 2018)


def cause_rates(year: int) -> list[float]:
    """Death rates per 100,000 by cause, one decimal."""
    share = (year - 1989) / 34
    rates = []
    for name, first, last in CAUSES:
        curve = share**2.2 if name == "老衰" else share
        bump = 34.0 * max(0.0, 1 - abs(year - 2011) / 12) if name == "肺炎" else 0.0
        rates.append(round((first + (last - first) * curve + bump) * spread(f"{name}{year}", 0.97, 1.03), 1))
    return rates


def week_days(year: int, week: int) -> str:
    """Monday to Sunday of an ISO week, which the surveillance counts by."""
    first, last = date.fromisocalendar(year, week, 1), date.fromisocalendar(year, week, 7)
    return f"{first.month}月{first.day}日～{last.month}月{last.day}日"
