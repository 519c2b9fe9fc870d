"""Keeping a page, beside the tools of archivists: how long it takes, and how large the result is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from scripts.benchmark import peers
from scripts.benchmark.bare import chromium
from scripts.benchmark.site import KINDS, Kind, serve
from scripts.benchmark.sizes import files, sizes
from scripts.benchmark.table import Section, kilobytes

ROUNDS, ROUNDS_QUICK, TIMEOUT_S = 3, 1, 90
PAGES = tuple(
    each for each in KINDS if each.path in ("/small", "/usual", "/data", "/table", "/long", "/charts")
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A command that keeps a page, what it is part of, and what its result is good for."""

    name: str
    package: str
    good_for: str
    command: Callable[[Path, Kind, str, Path], list[str | Path]]


def _cite(_: Path, kind: Kind, url: str, __: Path) -> list[str | Path]:
    wanted = kind.request
    named = [f"--row={each}" for each in wanted.row] + [f"--col={each}" for each in wanted.column]
    said = [f"--quote={wanted.quote}"] if wanted.quote else named
    return [sys.executable, "-m", "verifaible.cli", "cite", url, *said]


def _single_file(program: Path, _: Kind, url: str, into: Path) -> list[str | Path]:
    browser = [f"--browser-executable-path={program}", '--browser-args=["--no-sandbox"]']
    return [peers.NODE / ".bin" / "single-file", url, into / "page.html", *browser]


def _shot_scraper(program: Path, url: str, into: Path, *command: str) -> list[str | Path]:
    script = Path(__file__).with_name("peer_shot_scraper.py")
    return [peers.PYTHON, script, program, *command, url, "-o", into]


TOOLS = (
    Tool(
        "verifaible cite",
        "",
        "the answers of the servers, the picture and the place of the evidence, sealed and signed; replayed "
        "once before it is stored, and again whenever it is verified",
        _cite,
    ),
    Tool(
        "single-file",
        "single-file-cli",
        "one HTML file that looks like the page, without its scripts; no seal, nothing to replay, no picture",
        _single_file,
    ),
    Tool(
        "shot-scraper",
        "shot-scraper",
        "a picture; no seal, no answers, no text",
        lambda program, _, url, into: _shot_scraper(program, url, into / "page.png"),
    ),
    Tool(
        "shot-scraper har",
        "shot-scraper",
        "the answers of the servers, which a player can replay; no seal, no picture, nothing is replayed",
        lambda program, _, url, into: _shot_scraper(program, url, into / "page.har", "har"),
    ),
    Tool(
        "plain script",
        "",
        "a picture from Playwright; no seal, no answers, no text",
        lambda program, _, url, into: [
            *(sys.executable, Path(__file__).with_name("plain_shot.py"), program, url, into / "page.png")
        ],
    ),
)


@dataclass(frozen=True, slots=True)
class Kept:
    """Seconds from the start of the process to its end, and bytes; or why there are none."""

    seconds: float = 0.0
    size: int = 0
    failure: str = ""


def _keep(tool: Tool, kind: Kind, url: str, program: Path, folder: Path) -> Kept:
    into = folder / "kept"
    into.mkdir(parents=True)
    ours = peers.ours(folder, program) | {"VERIFAIBLE_STORE": str(into)}
    environment = peers.environment(folder) if tool.package else ours
    started = perf_counter()
    try:
        done = subprocess.run(
            tool.command(program, kind, url, into),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return Kept(failure=f"over {TIMEOUT_S} s")
    seconds, size = perf_counter() - started, sizes(into, files(into)).whole
    if done.returncode == 0 and size:
        return Kept(seconds, size)
    print(f"{tool.name}, {kind.name}: {done.stderr[-600:]}", file=sys.stderr)
    return Kept(failure="failed")


def _measured(kind: Kind, url: str, program: Path, folder: Path, rounds: int) -> list[Kept]:
    """The medians of each tool for one page, in turn."""
    found: dict[str, list[Kept]] = {tool.name: [] for tool in TOOLS}
    for number in range(rounds):
        for tool in TOOLS:
            if tool.package and not peers.version(tool.package):
                found[tool.name].append(Kept(failure=peers.NOT_INSTALLED))
                continue
            place = folder / f"{number}-{tool.name}"
            found[tool.name].append(_keep(tool, kind, f"{url}{kind.path}?{number}", program, place))
    medians = []
    for each in found.values():
        failure = next((one.failure for one in each if one.failure), "")
        middle = median(one.seconds for one in each), round(median(one.size for one in each))
        medians.append(Kept(failure=failure) if failure else Kept(*middle))
    return medians


def _row(
    name: str, of: Callable[[Kept], float], say: Callable[[float], str], kept: list[Kept]
) -> tuple[str, ...]:
    """Ours beside each, then what each takes."""
    mine = kept[0]
    ratios = [one.failure or mine.failure or f"{of(mine) / of(one):.2f}" for one in kept[1:]]
    return name, *ratios, *(one.failure or say(of(one)) for one in kept)


def run(folder: Path, *, quick: bool) -> list[Section]:
    """Measure, and give the tables of time and of size."""
    program, rounds = chromium(), ROUNDS_QUICK if quick else ROUNDS
    with serve() as site:
        _keep(TOOLS[0], PAGES[0], site.url + PAGES[0].path, program, folder / "warm")
        found = {
            kind.name: _measured(kind, site.url, program, folder / kind.path[1:], rounds) for kind in PAGES
        }
    names = [tool.name for tool in TOOLS]
    columns = ("page", *(f"/ {name}" for name in names[1:]), *names)
    results = "\n".join(f"- `{tool.name}`: {tool.good_for}." for tool in TOOLS)
    return [
        Section(
            "Keeping a page, beside the tools of archivists",
            f"From the start of a process that starts the same Chromium ({program.name}) to its end; medians "
            f"of {rounds} in turn, with the defaults of each (single-file waits until the network has rested "
            f"for a second). {peers.versions('single-file-cli', 'shot-scraper')}. What is kept:\n\n{results}",
            columns,
            tuple(
                _row(name, lambda one: one.seconds, lambda s: f"{s:.2f} s", kept)
                for name, kept in found.items()
            ),
        ),
        Section(
            "Size of a kept page, beside the tools of archivists",
            "Bytes of the results above; those of `verifaible cite` are all files of a new store.",
            columns,
            tuple(_row(name, lambda one: one.size, kilobytes, kept) for name, kept in found.items()),
        ),
    ]
