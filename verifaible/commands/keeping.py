"""``verifaible store``: what keeps a store in order."""

from __future__ import annotations

import click

from verifaible.bench.cli import read_settings


@click.group()
def store() -> None:
    """Keep the evidence store in order."""


@store.command()
def reindex() -> None:
    """Make the index from the files again. Nothing else is touched; it may be done at any time."""
    from verifaible.evidence.store import Store

    opened = Store.open(read_settings())
    click.echo(f"{opened.reindex()} citations")


@store.command("rotate-key")
@click.option("--lost", is_flag=True, help="The private key is gone: the new one is not endorsed by it.")
def rotate_key(lost: bool) -> None:
    """Sign with a new key from now on; what older keys signed stays valid."""
    from verifaible.evidence.store import Store

    record = Store.open(read_settings()).rotate_key(lost=lost)
    click.echo(record.id)
    by = f"endorsed by {record.endorsed_by}" if record.endorsed_by else "not endorsed by the key before it"
    click.echo(f"The store signs with key {record.id} from now on, {by}.", err=True)


@store.command()
def keys() -> None:
    """List the keys that have signed in this store, oldest first: id, origin, day."""
    from verifaible.evidence.store import Store

    for record in Store.open(read_settings()).keys.all():
        click.echo(f"{record.id}\t{record.origin}\t{record.created:%Y-%m-%d}")
