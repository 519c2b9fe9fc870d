"""An index of very many synthetic citations in PostgreSQL: listing, searching and opening."""

from __future__ import annotations

import random
import statistics
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any, get_args

import psycopg
import sqlalchemy as sa

from scripts.benchmark.table import Section
from tests.kit import services
from tests.unit.evidence.samples import add, check
from verifaible.schema.anchor import Shown
from verifaible.schema.check import IndexRow, Verdict
from verifaible.store import database
from verifaible.store import index as stored
from verifaible.store.store import Store

GOAL_MS, CALLS, OPENED, COUNTED, FOUND = 100, 100, 20, 10_001, 1_001
_START = datetime(2020, 1, 1, tzinfo=UTC)
_SUBJECTS = (
    *("inflation rate", "trade balance", "unemployment rate", "retail sales", "net profit", "mean income"),
    *("居民消费价格指数", "上市公司净利润", "写字楼空置率", "固定资产投资", "失業率", "消費者物価指数"),
)
_PLACES = ("Shanghai", "Zürich", "Osaka", "Berlin", "Nairobi", "北京市", "広州", "São Paulo", "Toronto")
#: Verdicts as a store has them: nearly all hold, some kinds are very rare.
_VERDICTS = {"verified": 0.97, "moved": 0.02, "changed": 0.0099, "gone": 0.0001}


def _rows(count: int) -> Iterator[dict[str, Any]]:
    """Rows of the table of citations, in the order of their times."""
    chance, grams_of = random.Random(3), lru_cache(100_000)(stored.grams_of)  # noqa: S311
    verdicts, weights = get_args(Verdict), [_VERDICTS.get(each, 0) for each in get_args(Verdict)]
    for number in range(count):
        subject, place = chance.choice(_SUBJECTS), chance.choice(_PLACES)
        value = f"{chance.randrange(100_000) / 100:.2f}"
        claim = f"The {subject} of {place} was {value} in release {number}"
        text = f"{place}: {subject} {value} ({chance.randrange(1990, 2030)})"
        url, title = (
            f"https://statistics{number % 5000}.example/release/{number}",
            f"Release {number} {subject}",
        )
        moment = _START + timedelta(seconds=number * 150 + chance.random())
        (verdict,) = chance.choices(verdicts, weights)
        name = f"{chance.getrandbits(80):020x}"
        row = IndexRow(
            id=name,
            created_at=moment,
            claim=claim,
            text=text,
            shown=Shown(text=text),
            source_url=url,
            title=title,
            evidence_type="table" if number % 3 else "text",
            capture_sha256=f"{chance.getrandbits(256):064x}",
            verdict=verdict,
            checked_at=moment,
            capture_verdict=verdict,
            capture_checked_at=moment,
        )
        yield {
            "id": name,
            "entry": 1,
            "created_at": stored._moment(moment),
            "evidence_type": row.evidence_type,
            "state_sha256": f"{chance.getrandbits(256):064x}",
            **stored._columns(row),
            "searched": (searched := f"{claim} {text} {title} {url}".lower()),
            "grams": list({gram for word in searched.split() for gram in grams_of(word)}),
        }


def _fill(url: str, count: int) -> list[str]:
    """Copy so many rows into the index, beside those that are there; gives every hundredth id."""
    ids, table = [], database.CITATIONS
    engine = sa.create_engine(database._with_driver(sa.make_url(url)))
    for each in table.indexes:
        each.drop(engine)
    with psycopg.connect(url) as connection:
        columns = [column.name for column in table.columns]
        with connection.cursor().copy(f"COPY {table.name} ({', '.join(columns)}) FROM STDIN") as copy:
            for number, row in enumerate(_rows(count)):
                copy.write_row([row[name] for name in columns])
                if number % 100 == 0:
                    ids.append(row["id"])
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("SET maintenance_work_mem = '1GB'")
        for each in table.indexes:
            each.create(connection)
        connection.exec_driver_sql(f"VACUUM ANALYZE {table.name}")
    engine.dispose()
    return ids


def run(count: int) -> Section:
    """Build the index, measure, and give the table."""
    lock = Path(tempfile.gettempdir()) / "verifaible-scale-postgres.lock"
    with tempfile.TemporaryDirectory(prefix="verifaible-scale-") as name, services.postgres(lock) as url:
        store = Store(Path(name) / "store", index_url=url)
        opened = [add(store, f"claim {each}", title=f"Page {each}") for each in range(OPENED)]
        store.add_checks([check(each) for each in opened])
        store.rows(limit=1)
        started = perf_counter()
        ids = _fill(url, count)
        built = perf_counter() - started
        rows = [_timed(what, call) for what, call in _calls(store, ids, [each.id for each in opened]).items()]
        with psycopg.connect(url) as connection:
            size = connection.execute("SELECT pg_total_relation_size('verifaible_citations')").fetchone()
        store.close()
    return Section(
        f"An index of {count:,} citations in PostgreSQL",
        f"Synthetic, half of the subjects Chinese or Japanese; built in {built:.0f} s by COPY, "
        f"{(size or [0])[0] / 1e9:.1f} GB. {CALLS} calls each, of pages of 50; PostgreSQL and the caller "
        "share the machine.",
        ("what", "median ms", "95 % ms", "goal"),
        tuple(rows),
    )


def _calls(store: Store, ids: list[str], opened: list[str]) -> dict[str, Callable[[], object]]:
    deep, near = cycle(ids[len(ids) // 4 :]), cycle(opened)
    rare, common = cycle(range(7, 900_000, 8_887)), cycle(("消费价格", "unemployment", "osaka", "空置率"))
    page = partial(store.rows, newest_first=True, limit=51)
    return {
        "list: first page": page,
        "list: a page from anywhere": lambda: page(after=next(deep)),
        "list: a page from anywhere, oldest first": lambda: store.rows(after=next(deep), limit=51),
        "list: those that are gone (1 of 10,000)": lambda: page(verdict="gone"),
        "search: a frequent word": lambda: page(query=next(common)),
        "search: two frequent words and a rare one": lambda: page(query=f"release {next(rare)} rate"),
        "search: part of a word, Chinese, and a number": lambda: page(query=f"价格 employ {next(rare)}"),
        "search: nothing found": lambda: page(query=f"nowhere{next(rare)}"),
        "count: all": lambda: store.count(at_most=COUNTED),
        "count: a frequent word": lambda: store.count(at_most=FOUND, query=next(common)),
        "count: a rare word": lambda: store.count(at_most=FOUND, query=f"release/{next(rare)}"),
        "open: by the beginning of its id": lambda: store.get(next(near)[:9]),
        "open: by its id, with its checks": lambda: store.checks(store.get(next(near)).id),
    }


def _timed(what: str, call: Callable[[], object]) -> tuple[str, ...]:
    taken = []
    for _ in range(CALLS):
        started = perf_counter()
        call()
        taken.append((perf_counter() - started) * 1000)
    worst = statistics.quantiles(taken, n=20)[-1]
    row = (what, f"{statistics.median(taken):.1f}", f"{worst:.1f}", f"under {GOAL_MS}")
    print(*row, sep="\t", flush=True)
    return row
