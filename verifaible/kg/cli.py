"""The command line of knowledge graphs. Heavy imports happen in the commands: ``--help`` stays quick."""

from __future__ import annotations

import json
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    """Do all of it with an invented filing that comes with the package, without a key or a network.

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
    from verifaible.kg.report.report import read_report
    from verifaible.kg.report.write import show

    click.echo(f"{made.name} (invented): {len(folder.chunks())} chunks, {made.facts} tagged facts.")
    _told(folder)
    for name, options in (("check", []), ("judge", ["--judge", "scripted"])):
        if name in kg.commands:
            click.echo(f"\nverifaible kg {' '.join([name, str(into), *options])}")
            kg.commands[name].main([str(into), *options], standalone_mode=False)
    click.echo()
    show(read_report([folder]), only=("criteria", "ontology"))
    click.echo(
        f"All tables: verifaible kg report {into} --out report.html. To look at it: verifaible serve --open"
    )


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
@click.argument(
    "folders",
    metavar="FOLDER...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
)
@click.option("--run", "runs", multiple=True, help="Only this extraction; may be given again. Default: all.")
@click.option("--judge", "judges", multiple=True, help="Only this judge; may be given again. Default: all.")
@click.option(
    "--coverage-points",
    default="100,50,0",
    show_default=True,
    help="What good, partial and bad coverage count, in per cent; the paper gives no mapping.",
)
@click.option("--published", is_flag=True, help="Put the paper's own figures beside the criteria.")
@click.option("--ontology", type=click.Path(path_type=Path, dir_okay=False), help="Whose use is counted.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write FILE.html, .md, .json or .xlsx.",
)
@_json
def report(folders: tuple[Path, ...], out: Path | None, as_json: bool, **options: Any) -> None:
    """Average the verdicts on the triples of filings, in the layout of the paper's table 1.

    \b
    Example:
      verifaible kg report graphs/apple graphs/ibm --out report.html
    """
    from verifaible.kg.folder import GraphFolder
    from verifaible.kg.ontology import read_ontology
    from verifaible.kg.report import write
    from verifaible.kg.report.averages import CoveragePoints
    from verifaible.kg.report.report import read_report

    if out:
        write.writable_form(out)
    made = read_report(
        [GraphFolder(each) for each in folders],
        runs=options["runs"],
        judges=options["judges"],
        points=CoveragePoints.parse(options["coverage_points"]),
        published=options["published"],
        ontology=read_ontology(options["ontology"]),
    )
    if out:
        write.write_report(made, out)
    write.show(made, as_json=as_json)
