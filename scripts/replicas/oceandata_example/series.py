"""Made-up measurements from whole numbers and fractions, so that they are the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

#: Mooring: name, and factors of its means (temperature, salinity, speed) in thousandths.
STATIONS: dict[str, tuple[str, int, int, int]] = {
    "M1": ("M1 Skerrin Bank", 1120, 1002, 870),
    "M2": ("M2 Halmer Trough", 1000, 1000, 1000),
    "M3": ("M3 Corvane Slope", 905, 999, 1240),
}
VARIABLES = {
    "temperature": ("Temperature", "°C", 2),
    "salinity": ("Practical salinity", "1", 3),
    "speed": ("Current speed", "cm/s", 1),
}
DEPTHS = (100, 500, 1000)
STATISTICS = {"mean": "Monthly mean", "max": "Monthly maximum"}
YEARS = (2023, 2024, 2025)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
#: Warm season by month, in hundredths.
_SEASON = (12, 4, 0, 10, 28, 55, 84, 100, 93, 70, 44, 25)
_BASE = {
    "temperature": {100: (915, 310), 500: (688, 40), 1000: (421, 9)},
    "salinity": {100: (35212, -48), 500: (35146, 12), 1000: (34987, 4)},
    "speed": {100: (243, -66), 500: (168, -35), 1000: (97, -14)},
}


def jitter(*parts: int) -> int:
    """A number from -50 to 50 that looks random and depends on ``parts`` alone."""
    value = 17
    for part in parts:
        value = (value * 1103515245 + part * 12345 + 7919) % 2147483648
    return (value >> 8) % 101 - 50


def fixed(value: Fraction | int, digits: int) -> str:
    """A number with ``digits`` decimals, halves rounded away from zero."""
    scaled = abs(Fraction(value)) * 10**digits
    whole = int(scaled + Fraction(1, 2))
    text = f"{whole:0{digits + 1}d}"
    sign = "-" if value < 0 and whole else ""
    return sign + (f"{text[:-digits]}.{text[-digits:]}" if digits else text)


@dataclass(frozen=True, slots=True)
class Series:
    """One series of the explorer: keys of the tables above, and a year."""

    station: str
    variable: str
    depth: int
    statistic: str
    year: int

    @property
    def query(self) -> str:
        """The query of the service's address."""
        names = ("station", "variable", "depth", "statistic", "year")
        return "&".join(f"{name}={getattr(self, name)}" for name in names)

    def value(self, month: int) -> str:
        """What the mooring measured in a month (from 1), as the service writes it."""
        _, *factors = STATIONS[self.station]
        factor = factors[tuple(VARIABLES).index(self.variable)]
        base, swing = _BASE[self.variable][self.depth]
        digits = VARIABLES[self.variable][2]
        noise = jitter(ord(self.station[1]), self.depth, self.year, month, len(self.variable))
        value = Fraction(base * factor, 1000) + Fraction(swing * _SEASON[month - 1], 100)
        value += Fraction(noise, {"temperature": 4, "salinity": 3, "speed": 2}[self.variable])
        if self.statistic == "max":
            value += Fraction(base * 3, 7) if self.variable == "speed" else Fraction(base, 900)
            value += abs(noise)
        return fixed(value / 10**digits, digits)


def profile(cast: str) -> list[list[str]]:
    """The rows of a profile: pressure (dbar), depth (m), temperature (°C), salinity, oxygen (µmol/kg)."""
    rows = []
    upward = 1 if cast == "up" else 0
    for pressure in range(5, 3005, 5):
        p = Fraction(pressure)
        noise = Fraction(jitter(pressure, upward, 3), 5000)
        depth = p * (1 - p / 440000)
        temperature = Fraction(11, 10) + Fraction(123, 10) * 420 / (420 + p) + noise + Fraction(upward, 250)
        salinity = (
            Fraction(3489, 100) + Fraction(71, 100) * 300 / (300 + p) + noise / 20 + Fraction(upward, 2500)
        )
        oxygen = 262 - 60 * p * 900 / ((p + 900) * (p + 900)) * 2 + noise * 60 - upward
        rows.append(
            [str(pressure), fixed(depth, 1), fixed(temperature, 4), fixed(salinity, 4), fixed(oxygen, 1)]
        )
    return rows
