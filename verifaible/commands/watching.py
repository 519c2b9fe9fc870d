"""``verifaible watch``: the citations of a store looked at again on the live web, on a schedule."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from verifaible.bench.environment import read_settings
from verifaible.bench.options import executor_options
from verifaible.commands.ages import age_of
from verifaible.commands.progress import counting
from verifaible.commands.replaying import Where
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.evidence.changes import Change
    from verifaible.evidence.recheck import Due, Replays
    from verifaible.schema.check import Check, IndexRow
    from verifaible.store.store import Store

#: Nothing changed, but not everything could be looked at.
UNSEEN = 3


@click.command()
@click.option(
    "--older", default="7d", show_default=True, metavar="AGE", help="Whose last look is older: 12h, 7d."
)
@click.option("--limit", type=click.IntRange(1), help="At most so many citations, the most urgent.")
@click.option(
    "--concurrency", type=click.IntRange(1, 64), help="Pages open at once, at each worker; default 4."
)
@executor_options
@click.option("--print-cron", is_flag=True, help="Only print a line for crontab that does this every night.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def watch(older: str, **options: Any) -> None:
    """Look again at citations on the live web whose last look is older, and tell which have drifted.

    A citation has drifted if its verdict is another than at the last look that saw the page. Most urgent is
    what has waited long and what many citations rest on. Prints a line for each change, then how many of a
    site have which verdict. Exits with 1 if something has drifted from what was cited, with 3 if nothing has
    but pages were blocked or failed, else with 0.

    \b
    Examples:
      verifaible watch --older 7d
      verifaible watch --older 7d --limit 500 --executor ray
      verifaible watch --older 12h --print-cron
    """
    age = age_of("--older", older)
    settings = read_settings()
    if options["print_cron"]:
        click.echo(_cron_line(settings))
        return
    from verifaible.evidence.changes import SAYS_NOTHING, changes_of
    from verifaible.evidence.recheck import Due
    from verifaible.store.store import Store

    store = Store.open(settings)
    due = Due(before=datetime.now(UTC) - age, limit=options["limit"])
    rows = {row.id: row for row in store.rows()}
    checks: list[Check] = []
    done = asyncio.run(_looked(settings, store, due, options, checks))
    if any(each.citation_id not in rows for each in checks):  # it was imported meanwhile
        rows = {row.id: row for row in store.rows()} | rows
    looks, changes = changes_of(store, checks, rows)
    for made, look in zip(checks, looks, strict=True):
        if look is not made:
            click.echo(f"{look.citation_id}: {look.message}", err=True)
    if done.unrecorded:
        click.echo(done.unrecorded, err=True)
    _tell(done, rows, looks, changes, options)
    if any(change.now != "verified" for change in changes):
        raise click.exceptions.Exit(1)
    if any(look.verdict in SAYS_NOTHING for look in looks):
        raise click.exceptions.Exit(UNSEEN)


async def _looked(
    settings: Settings, store: Store, due: Due, options: Mapping[str, Any], checks: list[Check]
) -> Replays:
    """Look at what is due; each check is put into ``checks``."""
    from verifaible.evidence.recheck import replay_many

    where = Where(options["executor"], options["workers"], options["concurrency"])
    with counting("Looking") as progress:

        def made(check: Check, asked: int) -> None:
            checks.append(check)
            progress(len(checks), asked)

        places = where.places(settings, store, live=True)
        return await replay_many(store, places, settings, live=True, due=due, watch=made)


def _tell(
    done: Replays,
    rows: Mapping[str, IndexRow],
    checks: list[Check],
    changes: list[Change],
    options: Mapping[str, Any],
) -> None:
    from verifaible.evidence.changes import by_site, of_changes
    from verifaible.reporting.tables import markdown_page

    sites = by_site(checks, rows, changes)
    said = f"{len(checks)} looked at, {len(changes)} changed"
    if options["as_json"]:
        told = {
            "looked_at": done.model_dump(mode="json"),
            "sites": sites.as_json(),
            "changes": [each.model_dump(mode="json") for each in changes],
        }
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
    elif options["markdown"]:
        tables = [of_changes(changes), sites] if changes else [sites]
        click.echo(markdown_page("Cited pages on the live web", [f"{said}."], tables=tables), nl=False)
    else:
        for each in changes:
            message = " ".join(each.message.split())
            click.echo(f"{each.before} -> {each.now}\t{each.citation_id}\t{each.url}\t{message}")
        if checks:
            click.echo(sites.as_text(), nl=False)
        click.echo(said, err=True)


def _cron_line(settings: Settings) -> str:
    """A line of crontab(5), where ``%`` would end the command; with the options that were given."""
    program = Path(sys.argv[0]).absolute()
    if not program.is_file() or program.suffix == ".py":
        words = [sys.executable, "-m", "verifaible.cli"]
    else:
        words = [str(program)]
    words.append("watch")
    context = click.get_current_context()
    for option in context.command.params:
        name, value = str(option.name), context.params.get(str(option.name))
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE or name == "older"
        if given and name != "print_cron":
            words += [option.opts[0]] if value is True else [option.opts[0], str(value)]
    store = settings.store_location
    place = store if isinstance(store, str) else str(store.absolute())
    home = str(settings.home.absolute())
    line = shlex.join(["env", f"VERIFAIBLE_HOME={home}", f"VERIFAIBLE_STORE={place}", *words])
    if "\n" in line:
        raise ConfigError("A path contains a line break, which crontab does not allow. Rename the folder.")
    return f"15 4 * * * {line.replace('%', chr(92) + '%')}"
