"""Three made-up seasons: matches, from which tables, scorers and attendance follow."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from math import exp

HOST = "https://www.ittihad-wahat.example"
RECORDED_AT = "2025-06-16T09:00:00Z"
SEASONS = ("2022-2023", "2023-2024", "2024-2025")
#: Club, strength, seats of its ground.
CLUBS = (
    ("النخيل", 1.35, 24_500),
    ("الميناء", 1.22, 18_200),
    ("القلعة", 1.18, 21_000),
    ("الفرسان", 1.10, 15_600),
    ("ميناء الشمال", 1.04, 9_800),
    ("البرق", 1.00, 12_400),
    ("المنارة", 0.97, 11_300),
    ("السنابل", 0.93, 8_700),
    ("الأمواج", 0.90, 14_100),
    ("الصقور", 0.86, 10_900),
    ("الوادي", 0.80, 6_400),
    ("الشروق", 0.76, 7_200),
)
ROUNDS = 2 * (len(CLUBS) - 1)
_FIRST = ("خالد", "سامي", "ياسر", "عمر", "طارق", "بلال", "نادر", "فهد", "ماجد", "رامي", "هيثم", "وليد")
_LAST = (
    "منصور",
    "الحداد",
    "البحري",
    "سالم",
    "الراشد",
    "غانم",
    "الخطيب",
    "درويش",
    "الزين",
    "قاسم",
    "الجابر",
    "شاهين",
)
SQUAD = 8
#: The result that the match report tells.
REPORTED = {("2024-2025", "القلعة", "البرق"): (2, 2)}
_DIGITS = str.maketrans("0123456789.,", "٠١٢٣٤٥٦٧٨٩٫٬")


def arabic(number: int | float, decimals: int = 0) -> str:
    """A number in Arabic-Indic digits; a minus has the Arabic letter mark in front (CLDR, ``ar``)."""
    text = f"{abs(number):,.{decimals}f}".translate(_DIGITS)
    return f"\u061c-{text}" if number < 0 else text


def spread(key: str, low: float = 0.0, high: float = 1.0) -> float:
    """A number between ``low`` and ``high`` that depends on nothing but ``key``."""
    digest = hashlib.sha256(key.encode()).digest()
    return low + (high - low) * int.from_bytes(digest[:6], "big") / 2**48


@dataclass(frozen=True, slots=True)
class Match:
    """A match; ``number`` counts the matches of a season from 1."""

    season: str
    round: int
    number: int
    home: str
    away: str
    home_goals: int
    away_goals: int
    attendance: int


@dataclass(slots=True)
class Line:
    """A club's line of a table."""

    club: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    scored: int = 0
    conceded: int = 0

    @property
    def played(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def difference(self) -> int:
        return self.scored - self.conceded

    @property
    def points(self) -> int:
        return 3 * self.won + self.drawn

    def add(self, scored: int, conceded: int) -> None:
        """Count one match."""
        self.won += scored > conceded
        self.drawn += scored == conceded
        self.lost += scored < conceded
        self.scored += scored
        self.conceded += conceded


@dataclass(slots=True)
class Player:
    """A player's season."""

    name: str
    club: str
    played: int = 0
    goals: int = 0
    assists: int = 0
    cards: int = 0
    minutes: int = field(default=0)


def _goals(expected: float, key: str) -> int:
    """A Poisson number, by inversion."""
    left, goals, chance = spread(key), 0, exp(-expected)
    while left > chance and goals < 6:
        left -= chance
        goals += 1
        chance *= expected / goals
    return goals


def _fixtures() -> list[list[tuple[int, int]]]:
    """Double round robin by the circle method; the second half turns the grounds round."""
    clubs = list(range(len(CLUBS)))
    half = []
    for number in range(len(clubs) - 1):
        pairs = [(clubs[i], clubs[-1 - i]) for i in range(len(clubs) // 2)]
        half.append([(a, b) if (i or number) % 2 else (b, a) for i, (a, b) in enumerate(pairs)])
        clubs = [clubs[0], clubs[-1], *clubs[1:-1]]
    return half + [[(b, a) for a, b in pairs] for pairs in half]


@cache
def matches(season: str) -> tuple[Match, ...]:
    """Every match of a season in order."""
    played: list[Match] = []
    for number, pairs in enumerate(_fixtures(), 1):
        for home, away in pairs:
            (host, strength, seats), (guest, other, _) = CLUBS[home], CLUBS[away]
            key = f"{season}{host}{guest}"
            form = spread(f"f{season}{host}", 0.85, 1.15), spread(f"f{season}{guest}", 0.85, 1.15)
            goals = REPORTED.get((season, host, guest)) or (
                _goals(1.45 * form[0] * strength / other, f"h{key}"),
                _goals(1.10 * form[1] * other / strength, f"a{key}"),
            )
            played.append(
                Match(
                    season,
                    number,
                    len(played) + 1,
                    host,
                    guest,
                    *goals,
                    round(seats * spread(f"v{key}", 0.28, 0.93)),
                )
            )
    return tuple(played)


def table(season: str, *, rounds: Sequence[int]) -> list[Line]:
    """The table over some rounds, best first: points, then difference, then goals."""
    lines = {club: Line(club) for club, _, _ in CLUBS}
    for match in matches(season):
        if match.round in rounds:
            lines[match.home].add(match.home_goals, match.away_goals)
            lines[match.away].add(match.away_goals, match.home_goals)
    return sorted(lines.values(), key=lambda line: (-line.points, -line.difference, -line.scored, line.club))


def _squad(number: int, season: str) -> list[Player]:
    club = CLUBS[number][0]
    ids = range(number * SQUAD, (number + 1) * SQUAD)
    names = [f"{_FIRST[i % 12]} {_LAST[(i + i // 12) % 12]}" if i else "كمال الفارس" for i in ids]
    if club in ("الميناء", "ميناء الشمال"):
        names[1] = "خالد منصور"  # one name, two clubs of almost one name
    return [Player(name, club, played=round(spread(f"g{season}{club}{name}", 13, 22))) for name in names]


@cache
def players(season: str) -> tuple[Player, ...]:
    """Every player of a season; the clubs' goals are spread over them."""
    squads = {CLUBS[i][0]: _squad(i, season) for i in range(len(CLUBS))}
    for match in matches(season):
        for club, goals in ((match.home, match.home_goals), (match.away, match.away_goals)):
            squad = squads[club]
            for number in range(goals):
                key = f"{season}{match.number}{club}{number}"
                scorer = int(SQUAD * spread(f"s{key}") ** 1.7)
                squad[scorer].goals += 1
                if spread(f"x{key}") < 0.7:
                    squad[(scorer + 1 + int((SQUAD - 1) * spread(f"p{key}"))) % SQUAD].assists += 1
    found = [player for squad in squads.values() for player in squad]
    for player in found:
        player.minutes = player.played * 90 - round(spread(f"m{season}{player.club}{player.name}", 20, 400))
        player.cards = round(spread(f"c{season}{player.club}{player.name}", 0, 7))
    return tuple(found)
