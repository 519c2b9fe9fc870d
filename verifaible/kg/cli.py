"""The command line of knowledge graphs. Heavy imports happen in the commands: ``--help`` stays quick."""

from __future__ import annotations

import json
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifaible.bench.environment import read_settings

if TYPE_CHECKING:
    from verifaible.kg.folder import GraphFolder, Ingested

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")
_folder = click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False))


@click.group()
def kg() -> None:
    """Knowledge graphs of annual reports: triples, each with its sealed span."""


@kg.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--into", type=click.Path(path_type=Path, file_okay=False), help="Default: graphs/NAME.")
@click.option("--url", default="", help="Where the filing is from.")
@_json
def ingest(file: Path, into: Path | None, url: str, as_json: bool) -> None:
    """Take in a 10-K in HTML: one capture in the store, and chunks that partition its text.

    \b
    Example:
      verifaible kg ingest aapl-20240928.htm --into graphs/apple
    """
    folder, made = _ingested(file.read_bytes(), file.name, into or Path("graphs") / file.stem, url)
    if as_json:
        click.echo(made.model_dump_json(indent=1))
        return
    click.echo(
        f"{made.name or file.name}: {made.characters:,} characters in {len(folder.chunks()):,} chunks, "
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


def _ingested(body: bytes, name: str, into: Path, url: str) -> tuple[GraphFolder, Ingested]:
    from verifaible.evidence.store.store import Store
    from verifaible.kg.folder import GraphFolder

    folder = GraphFolder(into)
    store = Store.open(read_settings(None))
    try:
        return folder, folder.ingest(body, name, store, url=url)
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


@kg.command()
@_folder
@click.option("--run", "runs", multiple=True, help="An extraction. Default: all.")
@click.option("--ontology", type=click.Path(path_type=Path, dir_okay=False), help="Default: the one shipped.")
@_json
def check(folder: Path, runs: tuple[str, ...], ontology: Path | None, as_json: bool) -> None:
    """Check triples against the ontology, their words and the tags, without a model.

    \b
    Example:
      verifaible kg check graphs/apple
    """
    from verifaible.kg.checks.checking import check_folder, checks_table
    from verifaible.kg.folder import GraphFolder

    found = check_folder(GraphFolder(folder), runs, ontology)
    if as_json:
        told = {name: [each.model_dump(mode="json") for each in each_run] for name, each_run in found.items()}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    for name, findings in found.items():
        click.echo(f"{name}: {len({each.triple for each in findings}):,} triples")
        click.echo(checks_table(findings).as_text())


@kg.command()
@_folder
@click.option("--run", "runs", multiple=True, help="An extraction. Default: all.")
@click.option("--ontology", type=click.Path(path_type=Path, dir_okay=False), help="Default: the one shipped.")
@click.option("--seed", default=0, show_default=True, help="The same seed makes the same mutations.")
@_json
def mutate(folder: Path, runs: tuple[str, ...], ontology: Path | None, seed: int, as_json: bool) -> None:
    """Make triples wrong on purpose, and count what the checks catch.

    \b
    Example:
      verifaible kg mutate graphs/apple
    """
    from verifaible.kg.checks.checking import detected
    from verifaible.kg.folder import GraphFolder
    from verifaible.kg.mutations import detection_table

    table = detection_table(detected(GraphFolder(folder), runs, ontology, seed=seed))
    click.echo(json.dumps(table.as_json(), ensure_ascii=False) if as_json else table.as_text())
