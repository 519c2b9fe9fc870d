"""Homes that rows begin with, made once a run through the commands, and copied for each row that needs its own.

A home has ``cases`` and ``snapshots/sites`` as links to the repository. The names:

``empty``
    nothing else.
``cited``
    a store with a citation of each kind: ``text``, ``cell``, ``pdf``, ``video``, ``text-us``.
``handed``
    no store, and the exports of these citations: ``bundles/text``, ``bundles/cell`` and so on.
``built``
    the two wheels in ``dist/``.
``ran``
    that of ``cited``, and two runs of the bench over two cases, ``oracle`` and ``nop``.
``judged``
    two invented answers, judged by rules alone.
``graphed``
    what ``kg demo`` leaves.
``talked``
    what ``crypto demo`` leaves.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.kit import wheels
from tests.kit.cli import REPOSITORY, Done, environment, run

#: The citations of the home ``cited``: the columns of ``cite --from``, and under ``name`` what rows call them.
CITED: tuple[dict[str, str], ...] = (
    {
        "name": "text",
        "url": "https://www.stats.gov.cn/xxgk/jd/sjjd2020/202601/t20260119_1962338.html",
        "quote": "全国人口总量为140489万人",
        "claim": "China's population at the end of 2025",
    },
    {
        "name": "cell",
        "url": "https://home.treasury.gov/resource-center/data-chart-center/interest-rates/TextView"
        "?type=daily_treasury_yield_curve&field_tdr_date_value=2026",
        "row": "02/06/2026",
        "column": "10 Yr",
        "claim": "The 10-year par yield on 6 February 2026",
    },
    {
        "name": "pdf",
        "url": "https://static.sse.com.cn/disclosure/listedinfo/announcement/c/new/2026-01-31/600916_20260131_P00R.pdf",
        "quote": "郑州分公司负责人：李宗阳",
        "page": "1",
    },
    {
        "name": "video",
        "url": "https://www.youtube.com/watch?v=iG9CE55wbtY",
        "quote": 'And the girl said, "They will in a minute."',
        "at": "4:08",
    },
    {
        "name": "text-us",
        "url": "https://www.federalreserve.gov/newsevents/pressreleases/monetary20240131a1.htm",
        "quote": "kept the interest rate paid on reserve balances (IORB) at 5.4 percent, effective February 1, 2024",
    },
)
_JUDGED = (
    {
        "query": "What did Northwind sell in 2025?",
        "model": "model-a",
        "answer": "Northwind sold 1,250 turbines in 2025 [1]. It sold 990 turbines in 2024 [1].",
        "sources": [
            {
                "id": "1",
                "url": "https://northwind.example/report",
                "title": "Annual report",
                "text": "Northwind sold 1,250 turbines in 2025. Northwind sold 970 turbines in 2024.",
            }
        ],
        "answered_at": "2026-03-02",
    },
    {
        "query": "What did Northwind sell in 2025?",
        "model": "model-b",
        "answer": "Northwind sold 1,250 turbines in 2025.",
        "sources": [],
        "answered_at": "2026-03-02",
    },
)


class HomeNotMade(Exception):
    """A command that makes a home failed; the message is what it said."""


@dataclass(frozen=True)
class Home:
    """A home that is ready.

    Attributes:
        folder: where it is.
        ids: citations by the names above; of ``ran`` also the names of the run folders,
            ``oracle`` and ``nop``; of ``judged`` that of the folder, ``judged``.
    """

    folder: Path
    ids: dict[str, str]


def make_home(name: str, folder: Path, base: Callable[[str], Home]) -> None:
    """Make a home in a new folder; ``base`` gives the finished home of another name."""
    ids: dict[str, str] = {}
    if name in ("ran",):
        home = base("cited")
        shutil.copytree(home.folder, folder, symlinks=True)
        ids = dict(home.ids)
    else:
        (folder / "snapshots").mkdir(parents=True)
        (folder / "cases").symlink_to(REPOSITORY / "cases")
        (folder / "snapshots" / "sites").symlink_to(REPOSITORY / "snapshots" / "sites")
    match name:
        case "cited":
            columns = ("name", "url", "quote", "claim", "row", "column", "page", "at")
            with (folder / "cited.csv").open("w", newline="", encoding="utf-8") as file:
                table = csv.DictWriter(file, columns[1:], extrasaction="ignore")
                table.writeheader()
                table.writerows(CITED)
            _done(folder, "cite", "--from", "cited.csv", "--out", "made.csv", "--web", "offline")
            with (folder / "made.csv").open(newline="", encoding="utf-8") as file:
                ids = {each["name"]: row["id"] for each, row in zip(CITED, csv.DictReader(file), strict=True)}
        case "handed":
            ids = dict(base("cited").ids)
            _hand_over(base("cited").folder, folder, ids)
        case "built":
            wheels.build(folder / "dist")
        case "ran":
            cases = ("--case", "cn_text_001", "--case", "us_table_001")
            for model in ("oracle", "nop"):
                _done(folder, "bench", "--model", model, *cases)
                (name,) = (each.name for each in (folder / "runs").iterdir() if each.name.endswith(model))
                ids[model] = name
        case "judged":
            lines = "".join(json.dumps(each) + "\n" for each in _JUDGED)
            (folder / "answers.jsonl").write_text(lines, encoding="utf-8")
            _done(folder, "judge", "run", "answers.jsonl", "--offline", "--protocol", "citations")
            (ids["judged"],) = (each.name for each in (folder / "judged").iterdir() if each.is_dir())
        case "graphed":
            _done(folder, "kg", "demo")
        case "talked":
            _done(folder, "crypto", "demo")
        case "empty":
            pass
        case _:
            raise HomeNotMade(f"There is no home {name!r}. The docstring of tests/kit/homes.py lists them.")
    (folder / "home.json").write_text(json.dumps(ids), encoding="utf-8")


def _hand_over(cited: Path, folder: Path, ids: dict[str, str]) -> None:
    sender = folder / "sender"
    shutil.copytree(cited, sender, symlinks=True)
    formats = ("--format", "wacz", "--format", "jsonld", "--format", "picture")
    for kind, ident in ids.items():
        _done(folder, "--home", str(sender), "export", ident, "--out", "bundles", *formats)
        (folder / "bundles" / f"verifaible-{ident}").rename(folder / "bundles" / kind)
    shutil.rmtree(sender)


def read_home(folder: Path) -> Home:
    """A home that was made."""
    return Home(folder, json.loads((folder / "home.json").read_text(encoding="utf-8")))


def _done(folder: Path, *arguments: str) -> Done:
    done = run(arguments, env=environment(folder), folder=folder)
    if done.status:
        raise HomeNotMade(
            f"verifaible {' '.join(arguments)} ended with {done.status}:\n{done.out}\n{done.err}"
        )
    return done
