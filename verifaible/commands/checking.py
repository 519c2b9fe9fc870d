"""``verifaible replay`` and ``verify``: looking at citations again."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifaible.bench.environment import read_settings
from verifaible.bench.options import executor_options
from verifaible.commands.ages import age_of, day
from verifaible.commands.progress import counting, working
from verifaible.errors import ConfigError, IntegrityError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifaible.schema.check import Check, CheckKind
    from verifaible.store.entries import CustodyHead
    from verifaible.store.store import Store


@click.command()
@click.argument("citation_id", metavar="[ID]", required=False)
@click.option("--live", is_flag=True, help="Look at today's web instead of the capture.")
@click.option("--all", "everything", is_flag=True, help="Replay every citation of the store.")
@click.option("--since", help="With --all: only citations made on that day or later (2026-03-02).")
@click.option(
    "--older",
    metavar="AGE",
    help="With --all --live: only those whose last look is older: 12h. Continues a run that was stopped.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    help="With --all: how many at once, at each worker; default 4.",
)
@executor_options
@click.option("--headed", is_flag=True, help="Show the browser, and play the steps slowly.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; with --all one object a line.")
def replay(citation_id: str | None, **options: Any) -> None:
    """Open the capture of citation ID offline, play its steps, find the evidence again.

    The check is added to the citation's history. With --all, each line is a citation: its verdict, its id
    and what was found. Exits with 0 if all evidence is verified, else with 1.

    \b
    Examples:
      verifaible replay 1f3a --headed
      verifaible replay latest --live
      verifaible replay --all --live --since 2026-03-01
    """
    from verifaible.commands import replaying
    from verifaible.store.store import Store

    everything, as_json = options["everything"], options["as_json"]
    _fit_together(citation_id, options)
    settings = read_settings()
    store = Store.open(settings)
    if everything:
        where = replaying.Where(options["executor"], options["workers"], options["concurrency"])
        older = age_of("--older", options["older"]) if options["older"] else None
        many = replaying.Many(options["live"], day(options["since"]), older, as_json, where)
        replaying.replay_all(settings, store, many)
        return
    assert citation_id is not None
    name = store.full_id(citation_id)
    how = replaying.How(
        live=options["live"], headed=options["headed"], by_hand=not as_json and sys.stdin.isatty()
    )
    try:
        citation = store.get(name)
        # In a window there is something to see, and a question to answer here.
        with nullcontext() if how.headed else working(f"Replaying {name}"):
            check = asyncio.run(replaying.replay_one(settings, store, citation, how))
    except IntegrityError as error:
        check = _failed(name, "live" if how.live else "offline", error)
    _record(store, check)
    _show_check(check, as_json=as_json)


def _fit_together(citation_id: str | None, options: dict[str, Any]) -> None:
    if options["everything"] == (citation_id is not None):
        raise ConfigError("Give the ID of a citation, or --all (`verifaible list` shows the IDs).")
    of_all = {
        "--since": options["since"],
        "--concurrency": options["concurrency"],
        "--executor": options["executor"] != "local",
        "--older": options["older"],
    }
    for flag, given in of_all.items():
        if given and not options["everything"]:
            raise ConfigError(f"{flag} needs --all. Leave it out, or replay --all.")
    if options["older"] and not options["live"]:
        raise ConfigError("--older needs --live. Add it, or leave --older out.")
    if options["headed"] and options["everything"]:
        raise ConfigError("--headed shows one citation. Give its ID instead of --all.")


@click.command()
@click.argument("citation_id", metavar="[ID]", required=False)
@click.option(
    "--all", "everything", is_flag=True, help="Verify every citation, the custody log, and the files."
)
@click.option("--since", help="With --all: only citations made on that day or later (2026-03-02).")
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(citation_id: str | None, everything: bool, **options: Any) -> None:
    """Check the hashes, signatures and the anchor of citation ID, without a browser.

    Exits with 0 if the evidence is verified, else with 1.

    \b
    Examples:
      verifaible verify 1f3a
      verifaible verify --all --hash-only
    """
    from verifaible.evidence.verify import verify as verified
    from verifaible.store.store import Store

    hash_only, as_json = options["hash_only"], options["as_json"]
    if everything == (citation_id is not None):
        raise ConfigError("Give the ID of a citation, or --all (`verifaible list` shows the IDs).")
    for flag, given in (
        ("--programs", options["programs"]),
        ("--since", options["since"]),
        ("--head", options["kept"]),
    ):
        if given and not everything:
            raise ConfigError(f"{flag} needs --all. Leave it out, or verify --all.")
    settings = read_settings()
    store = Store.open(settings)
    if everything:
        programs = _program_faults(store) if options["programs"] else []
        head = _kept_head(options["kept"])
        _audit(
            store,
            since=day(options["since"]),
            hash_only=hash_only,
            head=head,
            programs=programs,
            as_json=as_json,
        )
        return
    assert citation_id is not None
    name = store.full_id(citation_id)
    try:
        check = verified(store.get(name), store, hash_only=hash_only).check
    except IntegrityError as error:
        check = _failed(name, "rehash", error)
    _record(store, check)
    _show_check(check, as_json=as_json)


def _failed(citation_id: str, kind: CheckKind, error: IntegrityError) -> Check:
    from verifaible.schema.check import Check

    return Check.failed(citation_id, kind, str(error))


def _record(store: Store, *checks: Check) -> None:
    from verifaible.evidence.audit import record

    if unrecorded := record(store, checks):
        click.echo(unrecorded, err=True)


def _kept_head(path: Path | None) -> CustodyHead | None:
    from verifaible.store.entries import CustodyHead

    if path is None:
        return None
    try:
        return CustodyHead.model_validate_json(path.read_bytes())
    except ValueError as error:
        raise ConfigError(
            f"--head {path}: is not the head of a custody log. Give the output of `verifaible store head`."
        ) from error


def _program_faults(store: Store) -> list[str]:
    from verifaible.crypto.sandbox.calculating import program_faults

    return asyncio.run(program_faults(store))


def _audit(
    store: Store,
    *,
    since: datetime | None,
    hash_only: bool,
    head: CustodyHead | None,
    programs: Sequence[str],
    as_json: bool,
) -> None:
    from verifaible.evidence.audit import audit

    total = done = 0
    with suppress(IntegrityError):  # the audit says what is wrong
        total = store.count(since=since)
    with counting("Verifying") as progress:

        def told(check: Check) -> None:
            nonlocal done
            done += 1
            progress(done, total)
            if check.verdict != "verified":
                click.echo(f"{check.citation_id}\t{check.verdict}\t{check.message}", err=True)

        found = audit(store, hash_only=hash_only, since=since, watch=told, head=head)
    found = found.model_copy(update={"faults": (*found.faults, *programs)})
    for line in (*found.faults, *found.notes):
        click.echo(line, err=True)
    if as_json:
        click.echo(found.model_dump_json(indent=2))
    else:
        click.echo(f"{found.verified} of {found.checked} verified; {len(found.faults)} faults of the store")
    if not found.ok:
        raise click.exceptions.Exit(1)


def _show_check(check: Check, *, as_json: bool) -> None:
    if as_json:
        told = {"id": check.citation_id, **check.model_dump(mode="json")}
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        click.echo(check.verdict)
        click.echo(f"{check.message}\n{check.found}".rstrip(), err=True)
    if check.verdict != "verified":
        raise click.exceptions.Exit(1)
