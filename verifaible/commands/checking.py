"""``verifaible replay``, ``verify`` and ``list``: looking at citations again."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from verifaible.bench.cli import read_settings
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.evidence.store import Store
    from verifaible.schema.citation import Check, Citation


@click.command()
@click.argument("citation_id", metavar="ID")
@click.option("--live", is_flag=True, help="Look at today's web instead of the capture.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def replay(citation_id: str, live: bool, as_json: bool) -> None:
    """Open the capture of citation ID offline, play its steps, find the evidence again.

    Exits with 0 if the evidence is verified, else with 1.
    """
    from verifaible.evidence.store import Store

    settings = read_settings()
    store = Store.open(settings)
    citation = store.get(citation_id)
    check = asyncio.run(_replay(settings, store, citation, live=live))
    _record(store, check)
    _show_check(citation, check, as_json=as_json)


@click.command()
@click.argument("citation_id", metavar="[ID]", required=False)
@click.option(
    "--all", "everything", is_flag=True, help="Verify every citation, the custody log, and the files."
)
@click.option("--since", help="With --all: only citations made on that day or later (2026-03-02).")
@click.option(
    "--hash-only", is_flag=True, help="Compare hashes and signatures; do not look for the evidence."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(
    citation_id: str | None, everything: bool, since: str | None, hash_only: bool, as_json: bool
) -> None:
    """Check the hashes, signatures and the anchor of citation ID, without a browser.

    Exits with 0 if the evidence is verified, else with 1.

    \b
    Examples:
      verifaible verify 1f3a
      verifaible verify --all --hash-only
    """
    from verifaible.evidence.store import Store
    from verifaible.evidence.verify import verify as verified

    if everything == (citation_id is not None):
        raise ConfigError("Give the ID of a citation, or --all (`verifaible list` shows the IDs).")
    store = Store.open(read_settings())
    if everything:
        _audit(store, since=day(since), hash_only=hash_only, as_json=as_json)
        return
    assert citation_id is not None
    citation = store.get(citation_id)
    check = verified(citation, store, hash_only=hash_only).check
    _record(store, check)
    _show_check(citation, check, as_json=as_json)


@click.command("list")
@click.argument("words", nargs=-1)
@click.option("--since", help="Only citations made on that day or later (2026-03-02).")
@click.option("--limit", type=click.IntRange(1), help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def list_(words: tuple[str, ...], since: str | None, limit: int | None, as_json: bool) -> None:
    """List the citations of the store, oldest first; with WORDS, those that have all of them.

    \b
    Examples:
      verifaible list
      verifaible list 人口 2025 --limit 20
    """
    from verifaible.evidence.store import Store

    store = Store.open(read_settings())
    for row in store.rows(query=" ".join(words), since=day(since), limit=limit):
        if as_json:
            click.echo(row.model_dump_json())
        else:
            text = " ".join(row.text.split())
            click.echo(f"{row.id}\t{row.evidence_type}\t{row.source_url}\t{text[:80]}")


def day(text: str | None) -> datetime | None:
    """A day or a time given as an option, in UTC where it names no zone."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ConfigError(
            f"--since {text}: give a day as 2026-03-02, or a time as 2026-03-02T08:00."
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


async def _replay(settings: Settings, store: Store, citation: Citation, *, live: bool) -> Check:
    from verifaible.browser.session import Browser
    from verifaible.evidence.replay import recheck
    from verifaible.evidence.replay import replay as replayed

    async with Browser(settings, offline=not live) as browser:
        if live:
            return await recheck(citation, browser, settings)
        return await replayed(citation, store, browser, settings)


def _record(store: Store, *checks: Check) -> None:
    from verifaible.evidence.audit import record

    if unrecorded := record(store, checks):
        click.echo(unrecorded, err=True)


def _audit(store: Store, *, since: datetime | None, hash_only: bool, as_json: bool) -> None:
    from verifaible.evidence.audit import audit

    def told(check: Check) -> None:
        if check.verdict != "verified":
            click.echo(f"{check.citation_id}\t{check.verdict}\t{check.message}", err=True)

    found = audit(store, hash_only=hash_only, since=since, watch=told)
    for line in (*found.faults, *found.notes):
        click.echo(line, err=True)
    if as_json:
        click.echo(found.model_dump_json(indent=2))
    else:
        click.echo(f"{found.verified} of {found.checked} verified; {len(found.faults)} faults of the store")
    if not found.ok:
        raise click.exceptions.Exit(1)


def _show_check(citation: Citation, check: Check, *, as_json: bool) -> None:
    if as_json:
        click.echo(
            json.dumps({"id": citation.id, **check.model_dump(mode="json")}, ensure_ascii=False, indent=2)
        )
    else:
        click.echo(check.verdict)
        click.echo(f"{check.message}\n{check.found}".rstrip(), err=True)
    if check.verdict != "verified":
        raise click.exceptions.Exit(1)
