"""A bucket of very many captures: how many a second ``verifaible verify --all`` verifies."""

from __future__ import annotations

import os
import random
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

from scripts.benchmark.stores import add
from scripts.benchmark.table import Section
from tests.kit import services
from verifaible.evidence.audit import audit
from verifaible.store.store import Store

GOAL_PER_SECOND, BULK = 100, 2_000


def _serve(folder: Path, told: Any) -> None:
    """An S3 server in a process of its own, with the files of a folder in its bucket.

    To each question it says how many requests it has answered, and its processor time in seconds.
    """
    from moto.s3.models import s3_backends
    from werkzeug.serving import WSGIRequestHandler

    answered = count()

    def counted(*_: object) -> None:
        next(answered)

    with services.s3() as endpoint, patch.object(WSGIRequestHandler, "log_request", counted):
        location, environment = services.bucket(endpoint, "captures")
        (backends,) = s3_backends.values()
        for path in folder.rglob("*"):
            if path.is_file() and path.name != "index.sqlite":
                name = f"evidence/{path.relative_to(folder).as_posix()}"
                backends["aws"].put_object("captures", name, path.read_bytes())
        told.send((location, environment))
        while told.recv():
            told.send((next(answered), process_time()))


def run(captures: int, *, goal: int = GOAL_PER_SECOND) -> Section:
    """Build the bucket, verify everything in it, and give the table."""
    lock = Path(gettempdir()) / "verifaible-scale-postgres.lock"
    with TemporaryDirectory(prefix="verifaible-scale-") as name, services.postgres(lock) as index_url:
        folder, chance = Path(name), random.Random(4)  # noqa: S311
        # The log is in the database wherever the files are: they are made in a folder, and brought over.
        store = Store(folder / "store", index_url=index_url)
        for number in range(captures):
            add(store, number, chance, page=number, bulk=BULK, shared=None)
        store.close()
        context = get_context("spawn")
        here, there = context.Pipe()
        server = context.Process(target=_serve, args=(folder / "store", there), daemon=True)
        server.start()
        location, environment = here.recv()
        rows = []
        with patch.dict("os.environ", environment):
            for what, hash_only in (("hashes and signatures", True), ("also the evidence", False)):
                remote = Store(location, index_url=index_url)
                rows.append(_verified(remote, what, captures, here, goal, hash_only=hash_only))
                remote.close()
        here.send(False)
        server.join()
    return Section(
        f"A bucket of {captures:,} captures",
        "`verifaible verify --all` of small captures, each with a citation of its own, in one process; the "
        f"S3 server (moto, in Python) shares the machine's {os.cpu_count()} cores. Processor time is of "
        "both processes, a capture.",
        ("what is verified", "captures/s", "goal", "requests each", "verifaible, ms", "S3 server, ms"),
        tuple(rows),
    )


def _verified(
    store: Store, what: str, captures: int, server: Any, goal: int, *, hash_only: bool
) -> tuple[str, ...]:
    store.rows(limit=1)  # the index is made once, at the first listing

    def used() -> tuple[float, float, float, float]:
        server.send(True)
        requests, seconds = server.recv()
        return perf_counter(), requests, process_time(), seconds

    before = used()
    found = audit(store, hash_only=hash_only)
    if not found.ok or found.checked != captures:
        raise SystemExit(f"{found.faults} {found.failed[:1]} The speed means nothing.")
    wall_s, *each = (now - then for now, then in zip(used(), before, strict=True))
    requests, own_s, server_s = (number / captures for number in each)
    row = (
        what,
        f"{captures / wall_s:.0f}",
        f"at least {goal}",
        f"{requests:.1f}",
        f"{own_s * 1000:.1f}",
        f"{server_s * 1000:.1f}",
    )
    print(*row, sep="\t", flush=True)
    return row
