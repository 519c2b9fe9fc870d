"""``verifaible store``: what keeps a store in order."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifaible.bench.environment import read_settings
from verifaible.commands.progress import working
from verifaible.errors import StoreError

if TYPE_CHECKING:
    from verifaible.evidence.timestamp import StampedEntry
    from verifaible.store.keys import KeyRecord


_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def store() -> None:
    """Keep the evidence store in order."""


@store.command()
@_json
def reindex(as_json: bool) -> None:
    """Make the index from the files again. Nothing else is touched; it may be done at any time.

    \b
    Example:
      verifaible store reindex
    """
    from verifaible.store.store import Store

    opened = Store.open(read_settings())
    with working("Reading the store"):
        count = opened.reindex()
    click.echo(json.dumps({"citations": count}) if as_json else f"{count} citations")


@store.command("rotate-key")
@click.option("--lost", is_flag=True, help="The private key is gone: the new one is not endorsed by it.")
@_json
def rotate_key(lost: bool, as_json: bool) -> None:
    """Sign with a new key from now on; what older keys signed stays valid.

    \b
    Example:
      verifaible store rotate-key
    """
    from verifaible.store.store import Store

    record = Store.open(read_settings()).rotate_key(lost=lost)
    click.echo(_record_told(record) if as_json else record.id)
    by = f"endorsed by {record.endorsed_by}" if record.endorsed_by else "not endorsed by the key before it"
    click.echo(f"The store signs with key {record.id} from now on, {by}.", err=True)


@store.command()
@click.option("--json", "_as_json", is_flag=True, help="Print JSON, as it does in any case.")
def head(_as_json: bool) -> None:
    """Print the signed statement of the custody log's end. Keep it somewhere else.

    `verifaible verify --all --head FILE` finds out with it whether the store was put back or made anew.

    \b
    Example:
      verifaible store head > head.json
    """
    from verifaible.store.store import Store

    opened = Store.open(read_settings())
    found = opened.custody.head()
    if found is None:
        raise StoreError(
            f"Nothing is in {opened.location} yet. Make a citation first: verifaible cite --help"
        )
    click.echo(found.model_dump_json())


@store.command()
@click.option(
    "--authority", "urls", multiple=True, help="Address of an RFC 3161 authority; give two or more."
)
@_json
def stamp(urls: tuple[str, ...], as_json: bool) -> None:
    """Have outside parties time-stamp the custody log, and so everything in the store.

    Only a hash is sent. Two public RFC 3161 authorities are asked if none is named.

    \b
    Example:
      verifaible store stamp
    """
    with working("Asking for time stamps"):
        done = asyncio.run(_stamp(urls))
    click.echo(done.model_dump_json(indent=2) if as_json else done.file)
    for each in done.stamps:
        click.echo(f"{each.authority}: {each.stamped_at} {each.status}", err=True)


@store.command()
@click.option(
    "--roots",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="PEM file with the certificates of authorities that you trust.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the stamps as files, with the commands that check them without verifaible.",
)
@_json
def stamps(roots: Path | None, out: Path | None, as_json: bool) -> None:
    """Check every time stamp of the store, offline: entry, authority, state, and what that proves.

    \b
    Examples:
      verifaible store stamps
      verifaible store stamps --roots authorities.pem --out stamps
    """
    from verifaible.evidence.timestamp import check_stamps, read_roots, save_stamps
    from verifaible.store.store import Store

    trusted = read_roots(roots.read_bytes()) if roots is not None else ()
    found = check_stamps(Store.open(read_settings()), trusted)
    if as_json:
        told = [
            {"entry": each.stamped.entry, "fault": each.fault, **one.model_dump(mode="json")}
            for each in found
            for one in each.checks
        ]
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
    for each in found if not as_json else ():
        for one in each.checks:
            click.echo(f"{each.stamped.entry}\t{one.authority}\t{one.state}\t{each.fault or one.statement}")
    for path in save_stamps(found, out) if out is not None else ():
        click.echo(path, err=True)
    if not all(each.ok for each in found):
        raise click.exceptions.Exit(1)


async def _stamp(urls: tuple[str, ...]) -> StampedEntry:
    from verifaible.evidence.timestamp import AUTHORITIES, stamp_store
    from verifaible.net.web import Web
    from verifaible.store.store import Store

    settings = read_settings()
    async with Web.live(settings).client([]) as client:
        return await stamp_store(Store.open(settings), urls or AUTHORITIES, client)


@store.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def keys(as_json: bool) -> None:
    """List the keys that have signed in this store, oldest first: id, origin, day.

    \b
    Example:
      verifaible store keys
    """
    from verifaible.store.store import Store

    for record in Store.open(read_settings()).keys.all():
        click.echo(
            _record_told(record) if as_json else f"{record.id}\t{record.origin}\t{record.created:%Y-%m-%d}"
        )


def _record_told(record: KeyRecord) -> str:
    return record.model_dump_json()
