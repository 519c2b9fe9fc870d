"""``verifaible verify``, ``replay`` and ``watch``: looking at citations again."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections import Counter
from contextlib import nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from verifaible.cli.program import own_command, within
from verifaible.console.options import Age, Day, age_text, executor_options, json_option, read_settings
from verifaible.console.output import counting, say, show, show_json, working
from verifaible.errors import ConfigError, IntegrityError

if TYPE_CHECKING:
    from playwright.async_api import Page

    from verifaible.rechecks import Watched
    from verifaible.schema.check import Check, CheckKind
    from verifaible.store.entries import CustodyHead

#: Pause after each click, text and page in a window, so that the eye can follow.
SLOW_MS: Final = 700
#: A window that nobody can close with a key stays open this long.
SHOWN_S: Final = 10.0
#: Nothing changed, but not everything could be looked at.
UNSEEN: Final = 3
_concurrency = click.option(
    "--concurrency", type=click.IntRange(1, 64), help="How many at once, at each worker; default 4."
)
_all = click.option("--all", "everything", is_flag=True, help="Every citation of the store.")
_since = click.option(
    "--since", type=Day(), help="With --all: only citations made on that day or later (2026-03-02)."
)


def _require_one(
    citation_id: str | None, everything: bool, needing_all: dict[str, object], verb: str
) -> None:
    if everything == (citation_id is not None):
        raise ConfigError("Give the ID of a citation, or --all (`verifaible list` shows the IDs).")
    for flag, given in needing_all.items():
        if given and not everything:
            raise ConfigError(f"{flag} needs --all. Leave it out, or {verb} --all.")


# --- verify


@click.command()
@click.argument("citation_id", metavar="[ID]", required=False)
@_all
@_since
@click.option(
    "--hash-only", is_flag=True, help="Compare hashes and signatures; do not look for the evidence."
)
@click.option(
    "--programs", is_flag=True, help="With --all: run the sealed programs of the crypto tools again."
)
@click.option(
    "--head",
    "kept",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="With --all: a head of the log that was kept elsewhere (verifaible store head).",
)
@json_option
def verify(citation_id: str | None, everything: bool, as_json: bool, **options: Any) -> None:
    """Check the hashes, signatures and the anchor of citation ID, without a browser.

    With --all, the log and the files of the store too, and the triples of the graphs in the home.
    Exits with 0 if the evidence is verified, else with 1.

    \b
    Examples:
      verifaible verify 1f3a
      verifaible verify --all --hash-only
    """
    needing_all = {
        "--programs": options["programs"],
        "--since": options["since"],
        "--head": options["kept"],
    }
    _require_one(citation_id, everything, needing_all, "verify")
    if citation_id is None:
        _verify_all(as_json=as_json, **options)
        return
    try:
        check = within(lambda client: client.verify(citation_id, hash_only=options["hash_only"]))
    except IntegrityError as error:
        check = _failed(citation_id, "rehash", error)
    _show_check(check, as_json=as_json)


def _verify_all(*, as_json: bool, programs: bool, kept: Path | None, **options: Any) -> None:
    head = _kept_head(kept) if kept is not None else None
    faults = _program_faults() if programs else []
    done = 0
    with counting("Verifying") as progress:

        def told(check: Check) -> None:
            nonlocal done
            done += 1
            progress(done, total)
            if check.verdict != "verified":
                say(f"{check.citation_id}\t{check.verdict}\t{check.message}")

        total = 0
        with suppress(IntegrityError):  # the audit says what is wrong
            total = within(lambda client: asyncio.to_thread(client.store.count, since=options["since"]))
        found = within(lambda client: client.verify_all(head=head, progress=told, **options))
    graphs, wrong = _graphs() if options["since"] is None else ([], [])
    found = found.model_copy(
        update={"faults": (*found.faults, *faults, *wrong), "notes": (*found.notes, *graphs)}
    )
    for line in (*found.faults, *found.notes):
        say(line)
    if as_json:
        show_json(found)
    else:
        show(f"{found.verified} of {found.checked} verified; {len(found.faults)} faults of the store")
    if not found.ok:
        raise click.exceptions.Exit(1)


def _kept_head(path: Path) -> CustodyHead:
    from verifaible.store.entries import CustodyHead

    try:
        return CustodyHead.model_validate_json(path.read_bytes())
    except ValueError as error:
        raise ConfigError(
            f"--head {path}: is not the head of a custody log. Give the output of `verifaible store head`."
        ) from error


def _program_faults() -> list[str]:
    from verifaible.crypto.sandbox.calculating import program_faults

    return within(lambda client: program_faults(client.store))


def _graphs() -> tuple[list[str], list[str]]:
    """The graphs of the home: what is verified of each, and what is wrong."""
    from verifaible.kg.folder import verify_graphs

    return verify_graphs(read_settings().home / "graphs")


# --- replay


@click.command()
@click.argument("citation_id", metavar="[ID]", required=False)
@click.option("--live", is_flag=True, help="Look at today's web instead of the capture.")
@_all
@_since
@click.option(
    "--older",
    type=Age(),
    metavar="AGE",
    help="With --all --live: only those whose last look is older: 12h. Continues a run that was stopped.",
)
@_concurrency
@executor_options
@click.option("--headed", is_flag=True, help="Show the browser, and play the steps slowly.")
@json_option
def replay(citation_id: str | None, everything: bool, as_json: bool, headed: bool, **options: Any) -> None:
    """Open the capture of citation ID offline, play its steps, find the evidence again.

    The check is added to the citation's history. With --all, each line is a citation: its verdict, its id
    and what was found. Exits with 0 if all evidence is verified, else with 1.

    \b
    Examples:
      verifaible replay 1f3a --headed
      verifaible replay latest --live
      verifaible replay --all --live --since 2026-03-01
    """
    needing_all = {
        "--since": options["since"],
        "--concurrency": options["concurrency"],
        "--executor": options["executor"] != "local",
        "--older": options["older"],
    }
    _require_one(citation_id, everything, needing_all, "replay")
    if options["older"] and not options["live"]:
        raise ConfigError("--older needs --live. Add it, or leave --older out.")
    if headed and everything:
        raise ConfigError("--headed shows one citation. Give its ID instead of --all.")
    if citation_id is None:
        _replay_all(as_json=as_json, **options)
    else:
        by_hand = not as_json and sys.stdin.isatty()
        check = _replay_one(citation_id, live=options["live"], headed=headed, by_hand=by_hand)
        _show_check(check, as_json=as_json)


def _replay_one(citation_id: str, *, live: bool, headed: bool, by_hand: bool) -> Check:
    from verifaible.evidence.viewing import Viewing

    async def linger(page: Page) -> None:
        await until_closed(page, by_hand=by_hand)

    try:
        # In a window there is something to see, and a question to answer here.
        with nullcontext() if headed else working(f"Replaying {citation_id}"):
            return within(
                lambda client: client.replay(
                    citation_id,
                    live=live,
                    observer=Viewing(linger) if headed else None,
                    slow_ms=SLOW_MS if headed else None,
                )
            )
    except IntegrityError as error:
        return _failed(citation_id, "live" if live else "offline", error)


async def until_closed(page: Page, *, by_hand: bool) -> None:
    """Wait until the window is closed; or Enter is pressed, or, if nobody is there, some seconds are over."""
    waits: list[asyncio.Future[object]] = [asyncio.ensure_future(page.wait_for_event("close", timeout=0))]
    if by_hand:
        from verifaible.browser.page.session import enter

        say("Close the window, or press Enter here, to go on.")
        waits.append(asyncio.ensure_future(enter()))
    else:
        waits.append(asyncio.ensure_future(asyncio.sleep(SHOWN_S)))
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)


def _replay_all(*, as_json: bool, **options: Any) -> None:
    counts: Counter[str] = Counter()
    asked = 0

    def made(check: Check, of: int) -> None:
        nonlocal asked
        asked = of
        counts[check.verdict] += 1
        progress(counts.total(), of)
        if as_json:
            show_json({"id": check.citation_id, **check.model_dump(mode="json")}, indent=None)
        else:
            show(f"{check.verdict}\t{check.citation_id}\t{' '.join(check.message.split())}")

    def summary() -> str:
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        return f"{counts.total()} of {asked} replayed: {told or 'none'}"

    with counting("Replaying") as progress:
        try:
            done = within(lambda client: client.replay_all(progress=made, **options))
        except KeyboardInterrupt:
            say(f"{summary()}; their checks are kept.")
            raise
    if done.unrecorded:
        say(done.unrecorded)
    if not done.asked:
        say(f"There is no citation to replay in {read_settings().store_location}.")
    if as_json:
        show_json({"summary": done.model_dump(mode="json")}, indent=None)
    else:
        show(summary())
    if not done.ok:
        raise click.exceptions.Exit(1)


def _failed(citation_id: str, kind: CheckKind, error: IntegrityError) -> Check:
    from verifaible.schema.check import Check

    async def failed(client: Any) -> Check:
        name = client.store.full_id(citation_id)
        check = Check.failed(name, kind, str(error))
        client.record(check)
        return check

    return within(failed)


def _show_check(check: Check, *, as_json: bool) -> None:
    if as_json:
        show_json({"id": check.citation_id, **check.model_dump(mode="json")})
    else:
        show(check.verdict)
        say(f"{check.message}\n{check.found}".rstrip())
    if check.verdict != "verified":
        raise click.exceptions.Exit(1)


# --- watch


@click.command()
@click.option(
    "--older",
    type=Age(),
    default="7d",
    show_default=True,
    metavar="AGE",
    help="Whose last look is older: 12h, 7d.",
)
@click.option("--limit", type=click.IntRange(1), help="At most so many citations, the most urgent.")
@_concurrency
@executor_options
@click.option("--print-cron", is_flag=True, help="Only print a line for crontab that does this every night.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@json_option
def watch(older: timedelta, print_cron: bool, markdown: bool, as_json: bool, **options: Any) -> None:
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
    if print_cron:
        show(_cron_line())
        return
    with counting("Looking") as progress:
        found = within(lambda client: client.watch(older, progress=progress, **options))
    for line in (*found.uncompared, found.replays.unrecorded):
        if line:
            say(line)
    _show_changes(found, as_json=as_json, markdown=markdown)
    if found.drifted:
        raise click.exceptions.Exit(1)
    if found.unseen:
        raise click.exceptions.Exit(UNSEEN)


def _show_changes(found: Watched, *, as_json: bool, markdown: bool) -> None:
    from verifaible.reporting.tables import markdown_page

    said = f"{len(found.looks)} looked at, {len(found.changes)} changed"
    if as_json:
        show_json(
            {
                "looked_at": found.replays.model_dump(mode="json"),
                "sites": found.sites.as_json(),
                "changes": [each.model_dump(mode="json") for each in found.changes],
            }
        )
    elif markdown:
        tables = [found.table(), found.sites] if found.changes else [found.sites]
        page = markdown_page("Cited pages on the live web", [f"{said}."], tables=tables)
        show(page.removesuffix("\n"))
    else:
        for each in found.changes:
            message = " ".join(each.message.split())
            show(f"{each.before} -> {each.now}\t{each.citation_id}\t{each.url}\t{message}")
        if found.looks:
            show(found.sites.as_text().removesuffix("\n"))
        say(said)


def _cron_line() -> str:
    """A line of crontab(5), where ``%`` would end the command; with the options that were given."""
    settings = read_settings()
    words = [*own_command(), "watch"]
    context = click.get_current_context()
    for option in context.command.params:
        name, value = str(option.name), context.params.get(str(option.name))
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE or name == "older"
        if given and name != "print_cron":
            shown = age_text(value) if isinstance(value, timedelta) else str(value)
            words += [option.opts[0]] if value is True else [option.opts[0], shown]
    store = settings.store_location
    place = store if isinstance(store, str) else str(store.absolute())
    home = str(settings.home.absolute())
    line = shlex.join(["env", f"VERIFAIBLE_HOME={home}", f"VERIFAIBLE_STORE={place}", *words])
    if "\n" in line:
        raise ConfigError("A path contains a line break, which crontab does not allow. Rename the folder.")
    return f"15 4 * * * {line.replace('%', chr(92) + '%')}"
