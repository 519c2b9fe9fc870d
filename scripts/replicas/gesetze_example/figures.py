"""The made-up figures and decisions of the invented state."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import accumulate, repeat

HOST = "https://recht.nordmark.example"
RECORDED_AT = "2025-09-01T07:00:00Z"


def spread(key: str, low: float = 0.0, high: float = 1.0) -> float:
    """A number between ``low`` and ``high`` that depends on nothing but ``key``."""
    digest = hashlib.sha256(key.encode()).digest()
    return low + (high - low) * int.from_bytes(digest[:6], "big") / 2**48


def german(number: Decimal | float | int, decimals: int = 0) -> str:
    """A number as German texts write it: 1.638,50."""
    return f"{number:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


#: Up to this value (euros) the fee grows by that much for each further step of so many euros.
_STEPS = ((500, 500, 0), (2_000, 500, 24), (10_000, 1_000, 27), (25_000, 3_000, 52), (50_000, 5_000, 78))
_LAST_STEPS = ((200_000, 15_000, 131), (500_000, 30_000, 190))
RATES = ("0,5", "0,8", "1,0", "1,3", "1,5")


def fee_rows(*, first: Decimal, factor: Decimal) -> list[tuple[str, tuple[str, ...]]]:
    """Value up to which a fee holds, and the fee at each of :data:`RATES`, in euros."""
    values, fees = [500], [first]
    for limit, width, growth in (*_STEPS[1:], *_LAST_STEPS):
        steps = (limit - values[-1]) // width
        values += list(accumulate(repeat(width, steps), initial=values[-1]))[1:]
        fees += list(accumulate(repeat(growth * factor, steps), initial=fees[-1]))[1:]
    return [
        (german(value), tuple(_fee(fee, rate) for rate in RATES))
        for value, fee in zip(values, fees, strict=True)
    ]


def _fee(fee: Decimal, rate: str) -> str:
    amount = (fee * Decimal(rate.replace(",", "."))).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return german(amount, 2)


@dataclass(frozen=True, slots=True)
class Decision:
    """A line of the list of decisions."""

    day: date
    court: str
    number: str
    subject: str

    @property
    def written(self) -> str:
        """The day as the list writes it."""
        return self.day.strftime("%d.%m.%Y")


#: Key of the form, and name.
COURTS = (
    ("ovg", "Oberverwaltungsgericht Nordmark"),
    ("olg", "Oberlandesgericht Hafenstadt"),
    ("lsg", "Landessozialgericht Nordmark"),
)
#: Register letter of the file number, and what the case is about.
_SUBJECTS = {
    "ovg": (
        ("A", "Straßenausbaubeiträge; Tiefenbegrenzung"),
        ("B", "Versammlungsverbot; Eilantrag"),
        ("A", "Baugenehmigung; Abstandsflächen"),
        ("A", "Kommunalwahl; Wahlprüfung"),
        ("A", "Rundfunkbeitrag; Befreiung"),
        ("B", "Gewerbeuntersagung; Eilantrag"),
        ("B", "Kita-Platz; Verschaffungsanspruch"),
        ("K", "Bebauungsplan; Normenkontrolle"),
    ),
    "olg": (
        ("U", "Arzthaftung; Aufklärungspflicht"),
        ("U", "Verkehrsunfall; Mitverschulden"),
        ("U", "Mietwucher; Schadensersatz"),
        ("U", "Kaufvertrag; Rücktritt"),
        ("W", "Kostenfestsetzung; Reisekosten"),
        ("U", "Wettbewerbsrecht; Preisangaben"),
    ),
    "lsg": (
        ("R", "Erwerbsminderungsrente; Wartezeit"),
        ("AS", "Kosten der Unterkunft; schlüssiges Konzept"),
        ("KR", "Hilfsmittelversorgung; Hörgerät"),
        ("KR", "Krankengeld; lückenloser Nachweis"),
        ("KR", "Beitragsbemessung; Selbständige"),
    ),
}
#: What the questions ask about and what is easily taken for it.
_FIXED = (
    Decision(date(2024, 9, 17), COURTS[0][1], "3 A 412/23", "Straßenausbaubeiträge; Eckgrundstück"),
    Decision(date(2024, 9, 17), COURTS[0][1], "3 A 421/23", "Kanalanschlussbeiträge; Eckgrundstück"),
    Decision(date(2024, 9, 19), COURTS[0][1], "3 A 388/22", "Straßenausbaubeiträge; Verjährung"),
    Decision(date(2024, 7, 17), COURTS[0][1], "3 A 142/23", "Straßenausbaubeiträge; Anliegerstraße"),
    Decision(date(2024, 11, 14), COURTS[1][1], "4 U 118/24", "Sturz auf Fähranleger; Mitverschulden"),
)


def decisions() -> list[Decision]:
    """Every decision of the list, newest first."""
    found = list(_FIXED)
    for index in range(45):
        key, court = COURTS[index % 3]
        day = date(2025, 7, 30) - timedelta(days=int(index * 9.7 + spread(f"d{index}", 0, 6)))
        day -= timedelta(days=max(0, day.weekday() - 4))
        letter, subject = _SUBJECTS[key][(index // 3) % len(_SUBJECTS[key])]
        number = (
            f"{1 + index % 5} {letter} {round(spread(f'n{index}', 11, 498))}/{day.year - 2001 - index % 2}"
        )
        found.append(Decision(day, court, f"L {number}" if key == "lsg" else number, subject))
    return sorted(found, key=lambda decision: (decision.day, decision.number), reverse=True)


ADMINISTRATIVE_COURTS = ("Hafenstadt", "Altenmoor", "Brück", "Seefelde", "Tannrode")


@dataclass(frozen=True, slots=True)
class Business:
    """A court's business in a year; durations in months."""

    received: int
    settled: int
    pending: int
    months: float
    urgent_months: float

    @property
    def cells(self) -> tuple[str, ...]:
        return (
            german(self.received),
            german(self.settled),
            german(self.pending),
            german(self.months, 1),
            german(self.urgent_months, 1),
        )


def business(court: str, year: int) -> Business:
    """The business of a court in a year; what is pending follows from the year before."""
    size = 900 + 700 * (len(ADMINISTRATIVE_COURTS) - ADMINISTRATIVE_COURTS.index(court))
    pending = round(size * 0.9)
    received = settled = 0
    for past in range(2020, year + 1):
        received = round(size * spread(f"r{court}{past}", 0.92, 1.12))
        settled = round(received * spread(f"s{court}{past}", 0.9, 1.07))
        pending += received - settled
    months = round(12 * pending / settled * spread(f"m{court}{year}", 0.95, 1.1), 1)
    return Business(received, settled, pending, months, round(spread(f"u{court}{year}", 1.6, 3.4), 1))
