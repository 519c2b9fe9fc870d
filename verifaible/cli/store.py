"""``verifaible store``: what keeps a store in order."""

from __future__ import annotations

from pathlib import Path

import click

from verifaible.cli.program import within
from verifaible.console.options import json_option
from verifaible.console.output import say, show, show_json, working


@click.group()
def store() -> None:
    """Keep the evidence store in order."""


@store.command()
@json_option
def reindex(as_json: bool) -> None:
    """Make the index from the files again. Nothing else is touched; it may be done at any time.

    \b
    Example:
      verifaible store reindex
    """
    with working("Reading the store"):
        count = within(lambda client: client.reindex())
    if as_json:
        show_json({"citations": count}, indent=None)
    else:
        show(f"{count} citations")


@store.command("rotate-key")
@click.option("--lost", is_flag=True, help="The private key is gone: the new one is not endorsed by it.")
@json_option
def rotate_key(lost: bool, as_json: bool) -> None:
    """Sign with a new key from now on; what older keys signed stays valid.

    \b
    Example:
      verifaible store rotate-key
    """
    record = within(lambda client: client.rotate_key(lost=lost))
    if as_json:
        show_json(record, indent=None)
    else:
        show(record.id)
    by = f"endorsed by {record.endorsed_by}" if record.endorsed_by else "not endorsed by the key before it"
    say(f"The store signs with key {record.id} from now on, {by}.")


@store.command()
@click.option("--json", "_as_json", is_flag=True, help="Print JSON, as it does in any case.")
def head(_as_json: bool) -> None:
    """Print the signed statement of the custody log's end. Keep it somewhere else.

    `verifaible verify --all --head FILE` finds out with it whether the store was put back or made anew.

    \b
    Example:
      verifaible store head > head.json
    """
    show(within(lambda client: client.head()).model_dump_json())


@store.command()
@click.option(
    "--authority", "urls", multiple=True, help="Address of an RFC 3161 authority; give two or more."
)
@json_option
def stamp(urls: tuple[str, ...], as_json: bool) -> None:
    """Have outside parties time-stamp the custody log, and so everything in the store.

    Only a hash is sent. Two public RFC 3161 authorities are asked if none is named.

    \b
    Example:
      verifaible store stamp
    """
    with working("Asking for time stamps"):
        done = within(lambda client: client.stamp(*urls))
    if as_json:
        show_json(done)
    else:
        show(done.file)
    for each in done.stamps:
        say(f"{each.authority}: {each.stamped_at} {each.status}")


@store.command()
@click.option(
    "--roots",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="PEM file with the certificates of authorities that you trust.",
)
@json_option
def stamps(roots: Path | None, as_json: bool) -> None:
    """Check every time stamp of the store, offline: entry, authority, state, and what that proves.

    \b
    Examples:
      verifaible store stamps
      verifaible store stamps --roots authorities.pem
    """
    trusted = roots.read_bytes() if roots is not None else b""
    found = within(lambda client: client.stamps(trusted))
    if as_json:
        show_json(
            [
                {"entry": each.stamped.entry, "fault": each.fault, **one.model_dump(mode="json")}
                for each in found
                for one in each.checks
            ]
        )
    for each in found if not as_json else ():
        for one in each.checks:
            show(f"{each.stamped.entry}\t{one.authority}\t{one.state}\t{each.fault or one.statement}")
    if not all(each.ok for each in found):
        raise click.exceptions.Exit(1)


@store.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def keys(as_json: bool) -> None:
    """List the keys that have signed in this store, oldest first: id, origin, day.

    \b
    Example:
      verifaible store keys
    """
    for record in within(lambda client: client.keys()):
        if as_json:
            show_json(record, indent=None)
        else:
            show(f"{record.id}\t{record.origin}\t{record.created:%Y-%m-%d}")
