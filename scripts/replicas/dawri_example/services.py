"""What the pages ask for: tables by round as JSON, and player statistics as answers to a POST form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import urlencode

from scripts.replicas.common import Exchange
from scripts.replicas.dawri_example import league, pages
from scripts.replicas.dawri_example.league import HOST, RECORDED_AT, ROUNDS, SEASONS


def exchanges() -> Iterator[Exchange]:
    """Every round's table, then every page of the player statistics."""
    for season in SEASONS:
        for number in range(1, ROUNDS + 1):
            yield _standings(season, number)
    for season in SEASONS:
        for order in pages.ORDERS:
            for page in range(1, pages.PLAYER_PAGES + 1):
                yield _statistics(season, order, page)


def _standings(season: str, number: int) -> Exchange:
    lines = league.table(season, rounds=range(1, number + 1))
    rows = [
        [
            place,
            line.club,
            line.played,
            line.won,
            line.drawn,
            line.lost,
            line.scored,
            line.conceded,
            line.points,
        ]
        for place, line in enumerate(lines, 1)
    ]
    body = json.dumps(
        {"season": season, "round": number, "rows": rows}, ensure_ascii=False, separators=(",", ":")
    )
    return Exchange(
        f"{HOST}/api/standings?season={season}&round={number}",
        body.encode(),
        "application/json; charset=utf-8",
        recorded_at=RECORDED_AT,
    )


def _statistics(season: str, order: str, page: int) -> Exchange:
    form = {"season": season, "order": order, "page": str(page)}
    return Exchange(
        f"{HOST}{pages.PLAYERS}",
        pages.players_html(season, order, page),
        "text/html; charset=utf-8",
        method="POST",
        request_body=urlencode(form).encode(),
        request_content_type="application/x-www-form-urlencoded",
        recorded_at=RECORDED_AT,
    )
