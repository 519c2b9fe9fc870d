"""The command line of knowledge graphs. Heavy imports happen in the commands: ``--help`` stays quick."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from verifaible.bench.environment import read_settings
from verifaible.bench.options import Amount

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


_Command = TypeVar("_Command", bound=Callable[..., Any])
_judge = click.option(
    "--judge",
    "judge_name",
    metavar="MODEL",
    default="qwen/qwen3-32b",
    show_default=True,
    help="Who judges: the paper's judge, any other model, or scripted (rules of surface, not a result).",
)
_runs = click.option("--run", "names", metavar="NAME", multiple=True, help="Which extraction. Default: all.")
_asking = (
    click.option("--max-cost", type=Amount(), help="US dollars for all calls together."),
    click.option(
        "--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Calls at once."
    ),
    click.option(
        "--same-family", is_flag=True, help="Let a judge judge triples of a model of its own family."
    ),
    _json,
)


def _with_judge(command: _Command) -> _Command:
    for option in reversed((_folder, _judge, _runs, *_asking)):
        command = option(command)
    return command


@kg.command(name="judge")
@_with_judge
@click.option(
    "--criteria",
    type=click.Choice(["faithfulness", "precision", "relevance", "comprehensiveness"]),
    multiple=True,
    help="Only this one; repeat. Default: all four.",
)
@click.option("--retry-failed", is_flag=True, help="Ask again what failed before, instead of the kept reply.")
@click.pass_context
def judge_triples(context: click.Context, /, **options: Any) -> None:
    """Let a model judge each triple, and how much of each chunk they hold; what has a verdict is not asked.

    Exits with 1 where some could not be asked.

    \b
    Example:
      verifaible kg judge graphs/apple --judge scripted
    """
    from verifaible.kg.judging.command import judge_folder

    if left := judge_folder(read_settings(None), **options):
        click.echo(left, err=True)
        context.exit(1)


@kg.command()
@_with_judge
@click.option(
    "--sample", type=click.IntRange(1), metavar="N", help="So many chunks. Default: all with triples."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the sample and of what is shuffled.")
def bias(**options: Any) -> None:
    """Measure how often a judge's verdicts flip when something changes that must not matter.

    \b
    Example:
      verifaible kg bias graphs/apple --judge scripted --sample 10
    """
    from verifaible.kg.judging.command import measure_bias

    measure_bias(read_settings(None), **options)
