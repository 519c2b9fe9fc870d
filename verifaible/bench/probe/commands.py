"""``verifaible bench probe``: what the cases come to on today's web, before a model is paid."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifaible.bench.environment import choose, live_options, read_settings
from verifaible.bench.options import web_option

if TYPE_CHECKING:
    from verifaible.bench.probe.probe import Probe, Probed

#: Between two pages of a host: a slow reader's pace.
DELAY_S = 3.0


@click.command()
@click.option("--case", "ids", multiple=True, help="Only this case; repeat for several.")
@click.option("--cases", "source", type=click.Path(path_type=Path), help="As for bench.")
@web_option
@click.option(
    "--record", is_flag=True, help="Then record each site whose cases are all ok, over its replica."
)
@click.option("--again", is_flag=True, help="Ask also cases that have a result, and record recorded sites.")
@click.option(
    "--delay",
    "host_delay_s",
    type=click.FloatRange(0, 3600),
    callback=choose,
    expose_value=False,
    help=f"Seconds between two pages or files of a host. [VERIFAIBLE_HOST_DELAY_S, else {DELAY_S:g}]",
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder. Default: probed/.")
@live_options
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@click.pass_context
def probe(
    context: click.Context,
    /,
    *,
    ids: tuple[str, ...],
    source: Path | None,
    web: str,
    record: bool,
    again: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Tell how each case starts, whether its reference steps run and its citation holds, and what to do.

    It needs no model and no key, and keeps no page unless --record is given. A case that has a result is
    not asked again. The status is 1 if a case is not ok.

    \b
    Examples:
      verifaible bench probe
      verifaible bench probe --case us_table_001 --again
      verifaible bench probe --record
    """
    if record and web == "offline":
        raise click.UsageError("--record needs --web live.")
    from verifaible.bench.cases.load import load_cases, select
    from verifaible.bench.probe import probe as probing
    from verifaible.bench.probe import report as reports

    settings = read_settings()
    if "host_delay_s" not in settings.model_fields_set:
        settings = settings.model_copy(update={"host_delay_s": DELAY_S})
    every = load_cases(source or settings.cases_dir, settings.cases_dir)
    folder = out or settings.home / "probed"
    asked = probing.Probe(
        folder, select(every, ids=ids, categories=()), "offline" if web == "offline" else "live"
    )
    say = partial(click.echo, err=True)

    def watch(one: Probed) -> None:
        say(f"{one.case}: {one.status} ({reports.start_line(one.start)})")

    try:
        asyncio.run(asked.ask(settings, again=again, watch=watch))
        if record:
            for one in probing.record_proven(settings, asked, every, say, again=again):
                say(f"Recorded: {one.path}{f', in place of a {one.replaced}' if one.replaced else ''}.")
    finally:
        say(f"Written: {_write(asked, settings.sites_dir)}")
    results = asked.results()
    if as_json:
        click.echo(json.dumps(reports.as_json(asked), ensure_ascii=False, indent=2))
    else:
        for each in results.values():
            click.echo("\t".join((each.case, each.status, each.checked.then, each.next)))
    if any(each.status != "ok" for each in results.values()):
        context.exit(1)


def _write(asked: Probe, sites: Path) -> Path:
    """Write the results as ``live.html`` and ``live.json``, or ``offline``; gives the page."""
    from verifaible.bench.probe import report as reports
    from verifaible.runs.lines import write_whole

    path = asked.folder / f"{asked.mode}.html"
    write_whole(path, reports.page(asked, sites))
    data = json.dumps(reports.as_json(asked), ensure_ascii=False, indent=2)
    write_whole(path.with_suffix(".json"), f"{data}\n")
    return path
