"""The viewer over a large store: server time, bytes on the wire, and 50 readers at once, on loopback."""

from __future__ import annotations

import asyncio
import os
import random
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import httpx2

from scripts.benchmark.run_folders import Shape, make
from scripts.benchmark.stores import STORED, fill
from scripts.benchmark.table import Section

RUNS, READERS, VISITS, VISITS_QUICK = 50, 50, 20, 10
#: What a reader takes for a page, on average, before the next.
PAUSE_S = 1.0
GOAL_FIRST_MS, GOAL_FIRST_KB, GOAL_CITATION_MS, GOAL_HELP_S, GOAL_P95_MS = 200, 300, 300, 0.3, 500
GOAL_LIST_S = 0.4
FEW = 20
_REPEATED = 15


def run(folder: Path, *, quick: bool) -> list[Section]:
    """Fill a store and a folder of runs, serve them, and read."""
    visits = VISITS_QUICK if quick else VISITS
    ids = _filled(folder)
    with _served(folder) as address:
        single = asyncio.run(_alone(address, ids))
        crowds = [asyncio.run(_crowd(address, ids, pause_s, visits)) for pause_s in (PAUSE_S, 0.0)]
    return [
        Section(
            f"The viewer over {STORED:,} citations and {RUNS} runs",
            "`verifaible serve`, asked by one reader on loopback; medians of "
            f"{_REPEATED}. The first page is counted with its style sheet, script and icon, compressed.",
            ("what", "measured", "goal"),
            tuple(single),
        ),
        Section(
            f"{READERS} readers of the viewer at once",
            f"Each opens {visits} pages one after the other (first page, list, search, citations, picture) "
            "over loopback; the readers share the machine's cores with the server. Without a pause the "
            "server is as busy as it can be, and 50 requests always wait.",
            ("before a page", "requests", "a second", "median", "95 of 100 within", "errors", "goal"),
            tuple(crowds),
        ),
        _commands(folder),
    ]


def _filled(folder: Path) -> list[str]:
    ids = fill(folder / "store", bulk=20_000)
    for number in range(RUNS):
        make(folder / "runs" / f"20260302T{number:06}Z-made-up", Shape(1 + number % 3, 21, 1))
    return ids


def _environment(folder: Path) -> dict[str, str]:
    own = {"VERIFAIBLE_HOME": str(folder), "VERIFAIBLE_STORE": str(folder / "store")}
    return {**os.environ, **own}


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The viewer in a process of its own."""
    command = [sys.executable, "-m", "verifaible.cli", "serve", "--port", "0"]
    with subprocess.Popen(command, env=_environment(folder), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip().rstrip("/")
        finally:
            process.terminate()


async def _alone(address: str, ids: list[str]) -> list[tuple[str, ...]]:
    async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
        cold_ms, page = await _once(client, "/")
        sizes = [_wire(page)]
        for linked in dict.fromkeys(re.findall(r'"(/static/[^"]+)"', page.text)):
            sizes.append(_wire(await client.get(linked)))
        chosen = random.Random(4).sample(ids, _REPEATED)  # noqa: S311
        rows: list[tuple[str, ...]] = [
            ("first page, the first time", f"{cold_ms:.0f} ms", ""),
            ("first page", await _median(client, ["/"]), f"under {GOAL_FIRST_MS} ms"),
            ("first page, transferred", f"{sum(sizes) / 1000:.0f} kB", f"under {GOAL_FIRST_KB} kB"),
            ("list of citations", await _median(client, ["/citations"]), ""),
            ("search, Chinese", await _median(client, ["/citations?q=消费价格 88"]), ""),
            ("search, nothing found", await _median(client, ["/citations?q=nowhere to be found"]), ""),
            ("list of runs", await _median(client, ["/runs"]), ""),
            (
                "page of a citation, each another",
                await _median(client, [f"/citations/{each}" for each in chosen]),
                f"under {GOAL_CITATION_MS} ms",
            ),
        ]
    return rows


async def _once(client: httpx2.AsyncClient, path: str) -> tuple[float, httpx2.Response]:
    started = perf_counter()
    answer = await client.get(path)
    taken = (perf_counter() - started) * 1000
    if answer.status_code != 200:
        raise SystemExit(f"{path}: {answer.status_code}. Its speed means nothing.")
    return taken, answer


async def _median(client: httpx2.AsyncClient, paths: list[str]) -> str:
    times = [(await _once(client, paths[n % len(paths)]))[0] for n in range(_REPEATED)]
    return f"{statistics.median(times):.0f} ms"


def _wire(answer: httpx2.Response) -> int:
    """Bytes of an answer as they went over the wire, headers left out."""
    return answer.num_bytes_downloaded


async def _crowd(address: str, ids: list[str], pause_s: float, visits: int) -> tuple[str, ...]:
    times: list[float] = []
    errors = 0

    async def reader(number: int) -> None:
        nonlocal errors
        chance = random.Random(number)  # noqa: S311
        pictures: list[str] = []  # that of the citation seen last
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            for _ in range(visits):
                await asyncio.sleep(2 * pause_s * chance.random())
                one = chance.choice(ids)
                path = chance.choice(
                    [
                        "/",
                        "/citations",
                        "/citations?q=价格",
                        *[f"/citations/{one}"] * 3,
                        *pictures,
                    ]
                )
                started = perf_counter()
                try:
                    answer = await client.get(path)
                    errors += answer.status_code != 200
                    pictures = re.findall(r'<img[^>]* src="(/captured/[^"]+)"', answer.text)[:1] or pictures
                except httpx2.HTTPError:
                    errors += 1
                times.append((perf_counter() - started) * 1000)

    started = perf_counter()
    await asyncio.gather(*(reader(number) for number in range(READERS)))
    seconds = perf_counter() - started
    ordered = sorted(times)
    late = ordered[int(0.95 * len(ordered))]
    return (
        f"{pause_s:g} s on average" if pause_s else "no pause",
        f"{len(times):,}",
        f"{len(times) / seconds:.0f}",
        f"{statistics.median(times):.0f} ms",
        f"{late:.0f} ms",
        str(errors),
        f"95 of 100 under {GOAL_P95_MS} ms, no error",
    )


def _command_s(folder: Path, *arguments: str) -> float:
    """Median seconds of a command over the store in this folder."""
    command = [sys.executable, "-m", "verifaible.cli", *arguments]
    times = []
    for _ in range(5):
        started = perf_counter()
        subprocess.run(command, env=_environment(folder), check=True, capture_output=True)
        times.append(perf_counter() - started)
    return statistics.median(times)


def _commands(folder: Path) -> Section:
    few = folder / "few"
    fill(few / "store", bulk=2_000, count=FEW)
    rows = (
        ("`verifaible --help`", _command_s(few, "--help"), f"under {GOAL_HELP_S} s"),
        (f"`verifaible list`, {FEW} citations", _command_s(few, "list"), f"at most {GOAL_LIST_S} s"),
        (f"`verifaible list`, {STORED:,} citations", _command_s(folder, "list"), ""),
    )
    return Section(
        "Commands",
        "From the start of a process to its end, medians of 5.",
        ("command", "measured", "goal"),
        tuple((name, f"{seconds:.2f} s", goal) for name, seconds, goal in rows),
    )
