"""The results of a probe as data and as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final, get_args

from verifaible.archive.recording import archive_of, standing
from verifaible.bench.cases.check import Status
from verifaible.bench.probe.probe import Probe, Probed, StartPage
from verifaible.bench.report.page import tables_page
from verifaible.reporting.tables import Column, Table, plain, row, table_of

STATUSES: Final[tuple[Status, ...]] = get_args(Status)
#: Characters of what was shown or said in a cell.
_LONGEST: Final = 300


def as_json(probe: Probe) -> dict[str, object]:
    """The results as data."""
    results = probe.results()
    return {
        "web": probe.mode,
        "counts": counts(results.values()),
        "not_probed": [case.id for case in probe.cases if case.id not in results],
        "cases": [each.model_dump(mode="json") for each in results.values()],
    }


def counts(results: Iterable[Probed]) -> dict[str, int]:
    """How many cases have each status."""
    found = Counter(each.status for each in results)
    return {status: found[status] for status in STATUSES}


def page(probe: Probe, sites: Path) -> str:
    """The results as one HTML file; ``sites`` is the folder of the archives."""
    results = probe.results()
    told = ", ".join(f"{count} {status}" for status, count in counts(results.values()).items() if count)
    said = [f"{len(results)} of {len(probe.cases)} cases probed on the {probe.mode} web: {told or 'none'}."]
    if results:
        times = sorted(each.at for each in results.values())
        said.append(
            f"Between {times[0]:%Y-%m-%d %H:%M} and {times[-1]:%Y-%m-%d %H:%M} UTC. No page was kept."
        )
    tables = [_cases(results.values()), _sites(results.values(), sites)]
    return tables_page("Probe of the cases", said, [], tables)


def _cases(results: Iterable[Probed]) -> Table:
    columns: tuple[Column[Probed, None], ...] = (
        Column("Case", lambda each: each.case),
        Column("Result", lambda each: each.status),
        Column("Start page", lambda each: plain(start_line(each.start))),
        Column("Language", lambda each: each.start.language),
        Column("Steps", lambda each: f"{each.checked.played} of {each.steps}"),
        Column("Expected", lambda each: plain(each.checked.then)),
        Column("Shown", lambda each: plain(_shown(each))[:_LONGEST]),
        Column("Next", lambda each: plain(each.next)),
    )
    note = (
        "ok: the reference steps ran, and their citation holds and carries the answer. drifted: the "
        "page says or does something else. blocked: something stands before the content. gone: no page. "
        "error: the case or the machine, or nothing answered."
    )
    return table_of("Cases", columns, tuple(results), note=note, prose=True)


def _shown(probed: Probed) -> str:
    """What was captured, and why that will not do; where nothing was, what the site or the tool said."""
    checked = probed.checked
    if checked.status == "ok":
        return checked.now
    if checked.played == probed.steps:
        return " ".join((checked.now, *checked.reasons))
    return probed.start.said or checked.now


def start_line(start: StartPage) -> str:
    """``200, content``."""
    return ", ".join(filter(None, (str(start.status or "no answer"), start.shows)))


def _sites(results: Iterable[Probed], folder: Path) -> Table:
    by_site: dict[str, list[Probed]] = {}
    for each in results:
        by_site.setdefault(each.site, []).append(each)
    rows = [
        row(site, standing(archive_of(folder, site)) or "none", *map(str, counts(found).values()))
        for site, found in by_site.items()
    ]
    return Table(title="Sites", columns=("Site", "Archive", *STATUSES), rows=tuple(rows))
