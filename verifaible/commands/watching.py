"""``verifaible watch``: the citations of a store looked at again on the live web, on a schedule."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from verifaible.bench.environment import read_settings
from verifaible.commands.ages import age_of
from verifaible.commands.progress import counting
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.evidence.check.feed import Change
    from verifaible.evidence.check.many import Replays
    from verifaible.evidence.store.store import Store
    from verifaible.schema.check import Check, Verdict

#: A look that failed or was kept out says nothing of the evidence.
_SAYS_NOTHING = ("blocked", "error")
#: Nothing changed, but not everything could be looked at.
UNSEEN = 3


@click.command()
@click.option(
    "--older", default="7d", show_default=True, metavar="AGE", help="Whose last look is older: 12h, 7d."
)
@click.option(
    "--feed", type=click.Path(path_type=Path, file_okay=False), help="Folder of feed.json and feed.atom."
)
@click.option("--concurrency", type=click.IntRange(1, 64), help="How many at once; default 4.")
@click.option("--print-cron", is_flag=True, help="Only print a line for crontab that does this every night.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def watch(older: str, feed: Path | None, concurrency: int | None, print_cron: bool, as_json: bool) -> None:
    """Look again at citations on the live web whose last look is older, and tell which have drifted.

    A citation has drifted if its verdict is another than at the last look that saw the page. Prints a line
    for each of these, then how many of a site have which verdict. Exits with 1 if something has drifted from
    what was cited, with 3 if nothing has but pages were blocked or failed, else with 0.

    \b
    Examples:
      verifaible watch --older 7d --feed public/feed
      verifaible watch --older 12h --feed public/feed --print-cron
    """
    age = age_of("--older", older)
    settings = read_settings()
    if print_cron:
        click.echo(_cron_line(settings, older, feed))
        return
    from verifaible.evidence.check.feed import write_feed
    from verifaible.evidence.store.store import Store

    store = Store.open(settings)
    checks: list[Check] = []
    done = asyncio.run(_looked(settings, store, datetime.now(UTC) - age, concurrency, checks))
    changes = [change for check in checks if (change := _change(store, check))]
    if done.unrecorded:
        click.echo(done.unrecorded, err=True)
    _tell(store, done, checks, changes, as_json=as_json)
    if feed is not None:
        click.echo(f"Feeds: {', '.join(map(str, write_feed(feed, changes)))}", err=True)
    if any(change.now != "verified" for change in changes):
        raise click.exceptions.Exit(1)
    if any(check.verdict in _SAYS_NOTHING for check in checks):
        raise click.exceptions.Exit(UNSEEN)


async def _looked(
    settings: Settings, store: Store, before: datetime, concurrency: int | None, checks: list[Check]
) -> Replays:
    """Look at what is due; each check is put into ``checks``."""
    from verifaible.browser.warm import Browser
    from verifaible.evidence.check.many import CONCURRENCY, replay_many

    with counting("Looking") as progress:

        def made(check: Check, asked: int) -> None:
            checks.append(check)
            progress(len(checks), asked)

        async with Browser(settings, offline=False) as browser:
            return await replay_many(
                store,
                browser,
                settings,
                live=True,
                unseen_since=before,
                concurrency=concurrency or CONCURRENCY,
                watch=made,
            )


def _change(store: Store, check: Check) -> Change | None:
    """What a look says that the last one did not; a citation was verified when it was made."""
    from verifaible.evidence.check.feed import Change

    if check.verdict in _SAYS_NOTHING:
        return None
    before: Verdict = "verified"
    for each in store.checks(check.citation_id):
        if each.kind == "live" and each.at < check.at and each.verdict not in _SAYS_NOTHING:
            before = each.verdict
    if before == check.verdict:
        return None
    citation = store.get(check.citation_id)
    return Change(
        citation_id=citation.id,
        at=check.at,
        before=before,
        now=check.verdict,
        claim=citation.claim,
        url=citation.source_url,
        message=check.message,
    )


def _tell(store: Store, done: Replays, checks: list[Check], changes: list[Change], *, as_json: bool) -> None:
    addresses = {row.id: row.source_url for row in store.rows()}
    sites = Counter((urlsplit(addresses[each.citation_id]).netloc, each.verdict) for each in checks)
    if as_json:
        told = {
            "looked_at": done.model_dump(mode="json"),
            "sites": [{"site": site, "verdict": it, "count": n} for (site, it), n in sorted(sites.items())],
            "changes": [each.model_dump(mode="json") for each in changes],
        }
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    for each in changes:
        message = " ".join(each.message.split())
        click.echo(f"{each.before} -> {each.now}\t{each.citation_id}\t{each.url}\t{message}")
    for (site, verdict), count in sorted(sites.items()):
        click.echo(f"{site}\t{verdict}\t{count}")
    click.echo(f"{len(checks)} looked at, {len(changes)} changed", err=True)


def _cron_line(settings: Settings, older: str, feed: Path | None) -> str:
    """A line of crontab(5), where ``%`` would end the command."""
    program = Path(sys.argv[0]).absolute()
    if not program.is_file() or program.suffix == ".py":
        words = [sys.executable, "-m", "verifaible.cli"]
    else:
        words = [str(program)]
    words += ["watch", "--older", older]
    if feed is not None:
        words += ["--feed", str(feed.absolute())]
    store = settings.store_location
    place = store if isinstance(store, str) else str(store.absolute())
    home = str(settings.home.absolute())
    line = shlex.join(["env", f"VERIFAIBLE_HOME={home}", f"VERIFAIBLE_STORE={place}", *words])
    if "\n" in line:
        raise ConfigError("A path has a line break, which crontab cannot hold. Rename the folder.")
    return f"15 4 * * * {line.replace('%', chr(92) + '%')}"
