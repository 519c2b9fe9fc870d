"""A bucket of very many captures: how many a second ``verifaible verify --all`` verifies."""

from __future__ import annotations

import random
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

from scripts.benchmark.stores import add
from scripts.benchmark.table import Section
from tests.unit.evidence import servers
from verifaible.evidence.check.audit import audit
from verifaible.evidence.store.store import Store

GOAL_PER_SECOND, BULK = 100, 2_000


def _serve(folder: Path, told: Any) -> None:
    """An S3 server in a process of its own, with the files of a folder in its bucket."""
    from moto.s3.models import s3_backends

    with servers.s3() as endpoint:
        location, environment = servers.bucket(endpoint, "captures")
        (backends,) = s3_backends.values()
        for path in folder.rglob("*"):
            if path.is_file() and path.name != "index.sqlite":
                name = f"evidence/{path.relative_to(folder).as_posix()}"
                backends["aws"].put_object("captures", name, path.read_bytes())
        told.send((location, environment))
        told.recv()


def run(count: int) -> Section:
    """Build the bucket, verify everything in it, and give the table."""
    with TemporaryDirectory(prefix="verifaible-scale-") as name:
        folder, chance = Path(name), random.Random(4)  # noqa: S311
        store = Store(folder / "store")
        for number in range(count):
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
                remote = Store(location, index_folder=folder)
                rows.append(_verified(remote, what, count, hash_only=hash_only))
                remote.close()
        here.send("end")
        server.join()
    return Section(
        f"A bucket of {count:,} captures",
        "`verifaible verify --all` of small captures, each with a citation of its own, in one process; the "
        "S3 server (moto, in Python) is on the same machine.",
        ("what is verified", "captures/s", "captures/s of processor time", "goal"),
        tuple(rows),
    )


def _verified(store: Store, what: str, count: int, *, hash_only: bool) -> tuple[str, ...]:
    store.rows(limit=1)  # the index is made once, at the first listing
    started, used = perf_counter(), process_time()
    found = audit(store, hash_only=hash_only)
    if not found.ok or found.checked != count:
        raise SystemExit(f"{found.faults} {found.failed[:1]} The speed means nothing.")
    row = (
        what,
        f"{count / (perf_counter() - started):.0f}",
        f"{count / (process_time() - used):.0f}",
        f"at least {GOAL_PER_SECOND}",
    )
    print(*row, sep="\t", flush=True)
    return row
