"""The command line of knowledge graphs. Heavy imports happen in the commands: ``--help`` stays quick."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifaible.bench.environment import read_settings
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.kg.folder import GraphFolder, Ingested

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")
_folder = click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False))


@click.group()
def kg() -> None:
    """Knowledge graphs of annual reports: triples, each with its sealed span."""


@kg.command()
@click.argument("source", metavar="FILE|ADDRESS")
@click.option("--into", type=click.Path(path_type=Path, file_okay=False), help="Default: graphs/NAME.")
@click.option("--url", default="", help="Where a file is from.")
@click.option("--any", "other", is_flag=True, help="Also what has not the items of a 10-K.")
@_json
def ingest(source: str, into: Path | None, url: str, other: bool, as_json: bool) -> None:
    """Take in a 10-K in HTML: one capture in the store, and chunks that partition its text.

    \b
    Examples:
      verifaible kg ingest aapl-20240928.htm --into graphs/apple
      verifaible kg ingest https://www.sec.gov/Archives/edgar/data/320193/000032019324000123/aapl-20240928.htm
    """
    body, name, url = _given(source, url)
    into = into or Path("graphs") / Path(name).stem
    folder, made = _ingested(body, name, into, url, annual=not other)
    if as_json:
        click.echo(made.model_dump_json(indent=1))
        return
    click.echo(
        f"{made.name or name}: {made.characters:,} characters in {len(folder.chunks()):,} chunks, "
        f"{made.facts:,} tagged facts ({made.hidden:,} hidden). {folder.path}"
    )


@kg.command()
@_folder
@click.option(
    "--mode",
    "modes",
    type=click.Choice(["xbrl", "patterns"]),
    multiple=True,
    help="Tagged facts, or tables of known kinds. Default: both.",
)
@_json
def extract(folder: Path, modes: tuple[str, ...], as_json: bool) -> None:
    """Take triples out of a filing, without a model.

    \b
    Example:
      verifaible kg extract graphs/apple --mode xbrl
    """
    from verifaible.kg.folder import KEYLESS, GraphFolder

    triples = GraphFolder(folder).extract(modes or tuple(KEYLESS))
    if as_json:
        click.echo(json.dumps([each.model_dump(mode="json") for each in triples], ensure_ascii=False))
        return
    _told(GraphFolder(folder))


@kg.command()
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("graphs/demo"),
    show_default=True,
    help="The folder that it is taken into.",
)
@_json
def demo(into: Path, as_json: bool) -> None:
    """Do all of it with an invented filing that comes with the package; nobody is asked anything.

    \b
    Example:
      verifaible kg demo
    """
    name = "brennock-10-k-2024.html"
    body = resources.files("verifaible.kg").joinpath("demo", name).read_bytes()
    folder, made = _ingested(body, name, into, "")
    triples = folder.extract()
    if as_json:
        click.echo(json.dumps([each.model_dump(mode="json") for each in triples], ensure_ascii=False))
        return
    click.echo(f"{made.name} (invented): {len(folder.chunks())} chunks, {made.facts} tagged facts.")
    _told(folder)


def _given(source: str, url: str) -> tuple[bytes, str, str]:
    """The bytes of a file or of an address, the file's name, and where it is from."""
    from verifaible.kg.fetching import fetch_filing, is_address
    from verifaible.net.web import Web

    if is_address(source):
        with Web.live(read_settings(None)) as web:
            return asyncio.run(fetch_filing(source, web))
    try:
        return Path(source).read_bytes(), Path(source).name, url
    except OSError as error:
        raise ConfigError(
            f"{source} cannot be read ({error.strerror}). Give the file of a 10-K, or its address."
        ) from error


def _ingested(
    body: bytes, name: str, into: Path, url: str, *, annual: bool = False
) -> tuple[GraphFolder, Ingested]:
    from verifaible.evidence.store.store import Store
    from verifaible.kg.folder import GraphFolder

    folder = GraphFolder(into)
    store = Store.open(read_settings(None))
    try:
        return folder, folder.ingest(body, name, store, url=url, annual=annual)
    finally:
        store.close()


def _told(folder: GraphFolder) -> None:
    """The triples by relation, with an example of each."""
    triples = folder.triples()
    examples = {each.relation: each for each in reversed(triples)}
    for relation, count in Counter(each.relation for each in triples).most_common():
        one = examples[relation]
        value = f" = {one.quote or one.value} ({one.period})" if one.value is not None else ""
        click.echo(f"{count:>6,}  {relation:<16} {one.head} -> {one.tail}{value}")
    hidden = sum(bool(each.ungrounded) for each in triples)
    click.echo(f"{len(triples):,} triples, {hidden:,} of them ungrounded. {folder.path}")
