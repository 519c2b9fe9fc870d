"""The HTML pages of the federation, its style sheet and script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.replicas.common import Exchange
from scripts.replicas.dawri_example import league
from scripts.replicas.dawri_example.league import HOST, RECORDED_AT, ROUNDS, SEASONS, arabic

HERE = Path(__file__).parent
PLAYERS = "/ar/stats/players"
PAGE_SIZE, PLAYER_PAGES = 16, 6
ORDERS = {"goals": "الأهداف", "assists": "التمريرات الحاسمة", "minutes": "دقائق اللعب"}
NAME = "اتحاد الواحات لكرة القدم"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def season_name(season: str) -> str:
    """A season as the pages write it: ٢٠٢٤/٢٠٢٥."""
    first, second = season.split("-")
    return "/".join(arabic(int(year)).replace("٬", "") for year in (first, second))


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["ar"] = arabic
    environment.filters["season"] = season_name
    return environment


def _html(template: str, title: str, **values: Any) -> bytes:
    return _environment().get_template(template).render(title=title, name=NAME, **values).encode()


def _page(path: str, template: str, title: str, **values: Any) -> Exchange:
    return Exchange(
        HOST + path,
        _html(template, title, **values),
        "text/html; charset=utf-8",
        page_title=f"{title} | {NAME}",
        recorded_at=RECORDED_AT,
    )


def players_html(season: str, order: str, page: int) -> bytes:
    """One page of a season's player statistics, best first by ``order``."""
    ranked = sorted(
        league.players(season),
        key=lambda player: (
            -getattr(player, order),
            -player.goals,
            -player.minutes,
            player.club,
            player.name,
        ),
    )
    first = (page - 1) * PAGE_SIZE
    return _html(
        "players.html", "إحصاءات اللاعبين",
        season=season, order=order, page=page, pages=PLAYER_PAGES, seasons=SEASONS, orders=ORDERS,
        rows=list(enumerate(ranked[first : first + PAGE_SIZE], first + 1)),
    )  # fmt: skip


def _attendance(season: str) -> Exchange:
    rows = []
    for club, _, seats in league.CLUBS:
        halves = [
            [
                match.attendance
                for match in league.matches(season)
                if match.home == club and match.round in rounds
            ]
            for rounds in (range(1, ROUNDS // 2 + 1), range(ROUNDS // 2 + 1, ROUNDS + 1))
        ]
        rows.append((club, seats, [(sum(half) / 1000, sum(half) / len(half), max(half)) for half in halves]))
    return _page(
        f"/ar/attendance/{season}", "attendance.html", f"الحضور الجماهيري {season_name(season)}",
        season=season, rows=rows,
    )  # fmt: skip


def exchanges() -> Iterator[Exchange]:
    """Every page that is asked for by GET, then the files they load."""
    yield _page("/ar/", "home.html", "الرئيسية", seasons=SEASONS)
    for season in SEASONS:
        first = league.table(season, rounds=range(1, ROUNDS // 2 + 1))
        second = league.table(season, rounds=range(ROUNDS // 2 + 1, ROUNDS + 1))
        final = league.table(season, rounds=range(1, ROUNDS + 1))
        tables = (
            ("first", "ترتيب مرحلة الذهاب (الجولات ١–١١)", first),
            ("second", "ترتيب مرحلة الإياب (الجولات ١٢–٢٢)", second),
            ("final", f"الترتيب النهائي بعد الجولة {arabic(ROUNDS)}", final),
        )
        title = f"دوري الدرجة الأولى {season_name(season)}"
        yield _page(f"/ar/league/{season}", "league.html", title, tables=tables, season=season)
        yield _attendance(season)
    yield _page("/ar/standings", "standings.html", "الترتيب حسب الجولة", seasons=SEASONS, rounds=ROUNDS)
    yield Exchange(
        HOST + PLAYERS,
        players_html(SEASONS[-1], "goals", 1),
        "text/html; charset=utf-8",
        page_title=f"إحصاءات اللاعبين | {NAME}",
        recorded_at=RECORDED_AT,
    )
    yield _page("/ar/matches/20250314-qalaa-burq", "report.html", "تقرير مباراة القلعة والبرق")
    yield _page("/ar/decisions/", "decisions.html", "قرارات اللجان")
    yield _page("/ar/decisions/discipline-112", "discipline.html", "قرار لجنة الانضباط رقم ١١٢")
    yield _page("/ar/decisions/appeal-17", "appeal.html", "قرار لجنة الاستئناف رقم ١٧")
    for file in sorted((HERE / "static").iterdir()):
        yield Exchange(
            f"{HOST}/static/{file.name}",
            file.read_bytes(),
            f"{_TYPES[file.suffix]}; charset=utf-8",
            recorded_at=RECORDED_AT,
        )
