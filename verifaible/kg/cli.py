"""The command line of knowledge graphs. Heavy imports happen in the commands: ``--help`` stays quick."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from verifaible.console.options import SHORT_HELP, Amount, api_option, base_url_option, read_settings
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.kg.extract.questions import Mode
    from verifaible.kg.folder import GraphFolder, Ingested

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")
_folder = click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False))
_folders = click.argument(
    "folders",
    metavar="FOLDER...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
)


@click.group(context_settings=SHORT_HELP)
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
@_folders
@click.option(
    "--mode",
    "modes",
    type=click.Choice(["xbrl", "single", "multi", "reflection"]),
    multiple=True,
    default=["xbrl"],
    show_default=True,
    help="Tagged facts, or a model in one call, two, or with a critic.",
)
@click.option("--model", default="", help="The model that is asked.")
@click.option("--normaliser", metavar="MODEL", default="", help="Of multi, the second. Default: the same.")
@click.option("--ontology", type=click.Path(path_type=Path, dir_okay=False), help="Default: the shipped one.")
@click.option("--item", "items", multiple=True, metavar="1A", help="Ask about this item alone; repeat.")
@click.option("--chunks", "first", type=click.IntRange(1), help="Ask about so many chunks at most.")
@click.option(
    "--max-rounds", type=click.IntRange(1), default=3, show_default=True, help="Of reflection: corrections."
)
@click.option(
    "--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Chunks at once."
)
@click.option("--max-cost", "max_cost_usd", type=Amount(), help="US dollars for this start.")
@base_url_option
@api_option
@_json
@click.pass_context
def extract(
    context: click.Context,
    /,
    folders: tuple[Path, ...],
    modes: tuple[str, ...],
    base_url: str | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Take triples out of filings, with or without a model. What was done before is not done again.

    Exits with 1 where a model gave no usable reply to a chunk, or was not asked about it.

    \b
    Examples:
      verifaible kg extract graphs/apple graphs/ibm --mode xbrl
      verifaible kg extract graphs/apple --mode reflection --model glm-5 --item 1A
    """
    from verifaible.kg.extract.by_model import Material, Options, extract_by_model, run_name
    from verifaible.kg.folder import GraphFolder
    from verifaible.kg.triples import XBRL

    graphs, whole = [GraphFolder(folder) for folder in folders], True
    asking = [Options(mode=cast("Mode", mode), **asked) for mode in modes if mode != XBRL]
    if asking and not asked["model"]:
        raise click.UsageError(f"--mode {asking[0].mode} asks a model. Name one with --model.")
    for graph in graphs:
        _ = graph.ingested  # a folder without a filing is named before any is read
    for graph in graphs:
        if XBRL in modes:
            graph.extract()
        for options in asking:
            material = Material(graph.ingested.source.capture, graph.filing(), graph.chunks())
            run = graph.run(run_name(options))
            info = extract_by_model(read_settings(base_url), options, material, run.triples)
            click.echo(info.line(run.name), err=True)
            for chunk, why in {**info.failed, **info.not_asked}.items():
                click.echo(f"{chunk}: {why}", err=True)
            whole = whole and not info.failed and not info.not_asked
    if as_json:
        runs = [*([XBRL] if XBRL in modes else []), *map(run_name, asking)]
        found = [each for graph in graphs for name in runs for each in graph.run(name).triples.read()]
        click.echo(json.dumps([each.model_dump(mode="json") for each in found], ensure_ascii=False))
    else:
        for graph in graphs:
            _told(graph)
    context.exit(not whole)


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
    from verifaible.kg.report.report import read_report, show

    click.echo(f"{made.name} (invented): {len(folder.chunks())} chunks, {made.facts} tagged facts.")
    _told(folder)
    for name, *options in (("check",), ("judge", "--judge", "scripted")):
        click.echo(f"\nverifaible kg {' '.join([name, str(into), *options])}")
        kg.main([name, str(into), *options], standalone_mode=False)
    click.echo()
    show(read_report([folder]), only=("criteria", "ontology"))
    click.echo(
        f"All tables: verifaible kg report {into} --out report.html. To look at it: verifaible serve --open"
    )


@kg.command()
@_folder
@click.option(
    "--same", nargs=3, metavar="TYPE NAME INTO", help="Merge NAME into INTO: they are one thing, you say."
)
@click.option("--undo", metavar="ID", help="Take back a merge.")
@_json
def merge(folder: Path, same: tuple[str, str, str] | None, undo: str | None, as_json: bool) -> None:
    """Merge names of one thing: what the filing calls its filer, and case. Each merge is recorded.

    \b
    Examples:
      verifaible kg merge graphs/apple
      verifaible kg merge graphs/apple --undo 2
      verifaible kg merge graphs/apple --same company AAPL "Apple Inc."
    """
    from verifaible.kg.folder import GraphFolder
    from verifaible.kg.graph.merging import Merges

    merges = Merges(GraphFolder(folder))
    if undo:
        merges.undo(undo)
    elif same:
        merges.given(*same)
    else:
        merges.by_rules()
    active = merges.active()
    if as_json:
        click.echo(json.dumps([each.model_dump(mode="json") for each in active], ensure_ascii=False))
        return
    for each in active:
        click.echo(f"{each.id:>4}  {each.type}: {each.name} -> {each.into} ({each.why}, {each.by})")
    click.echo(f"{len(active):,} names are merged. {folder}")


@kg.command()
@_folders
@click.option(
    "--format",
    "form",
    type=click.Choice(["graphml", "turtle", "csv"]),
    default="graphml",
    show_default=True,
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Default: graph.* in the first.")
@_json
def export(folders: tuple[Path, ...], form: str, out: Path | None, as_json: bool) -> None:
    """Write the graph of one or more filings as a file for other programs.

    \b
    Example:
      verifaible kg export graphs/apple graphs/ibm --format turtle --out both.ttl
    """
    from verifaible.kg.folder import GraphFolder
    from verifaible.kg.graph.exports import FORMATS
    from verifaible.kg.graph.exports import export as write
    from verifaible.kg.graph.graph import KnowledgeGraph

    graph = KnowledgeGraph([GraphFolder(each) for each in folders])
    written = write(graph, form, out or folders[0] / f"graph{FORMATS[form]}")
    entities, triples = graph.nx.number_of_nodes(), graph.nx.number_of_edges()
    if as_json:
        files = [str(each) for each in written]
        click.echo(json.dumps({"entities": entities, "triples": triples, "files": files}))
        return
    click.echo(f"{entities:,} entities, {triples:,} triples: {', '.join(map(str, written))}")


def _given(source: str, url: str) -> tuple[bytes, str, str]:
    """The bytes of a file or of an address, the file's name, and where it is from."""
    from verifaible.kg.filing import fetch_filing, is_address
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
    from verifaible.kg.folder import GraphFolder
    from verifaible.store.store import Store

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
    _json,
)


def _with_judge(command: _Command) -> _Command:
    return _folder(_judge(_runs(_with_asking(command))))


def _with_asking(command: _Command) -> _Command:
    for option in reversed(_asking):
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
@click.pass_context
def judge_triples(context: click.Context, /, **options: Any) -> None:
    """Let a model judge each triple, and how much of each chunk they hold; what has a verdict is not asked.

    Exits with 1 where some could not be asked, or nothing was judged.

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
    help="Also write FILE.html, .md, .json, or its figures as .csv.",
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
    from verifaible.kg.report.judged import CoveragePoints
    from verifaible.kg.report.report import read_report, show, writable_form, write_report

    if out:
        writable_form(out)
    made = read_report(
        [GraphFolder(each) for each in folders],
        runs=options["runs"],
        judges=options["judges"],
        points=CoveragePoints.parse(options["coverage_points"]),
        published=options["published"],
        ontology=read_ontology(options["ontology"]),
    )
    if out:
        write_report(made, out)
    show(made, as_json=as_json)


@kg.command()
@_folder
@click.option("--run", "name", metavar="NAME", required=True, help="Which extraction goes back.")
@click.option("--model", metavar="MODEL", required=True, help="Who corrects.")
@_judge
@_with_asking
def improve(folder: Path, name: str, max_cost: float | None, as_json: bool, **asked: Any) -> None:
    """Send back what a judge gave a 0 or a warning, and report on the extraction before and after.

    \b
    Example:
      verifaible kg improve graphs/apple --run single-glm-5 --model glm-5 --judge qwen/qwen3-32b
    """
    from verifaible.kg.folder import GraphFolder
    from verifaible.kg.improve import improve_by_model
    from verifaible.kg.report.report import read_report, show

    graph = GraphFolder(folder)
    made = improve_by_model(read_settings(None), graph, name, max_cost_usd=max_cost, **asked)
    click.echo(made.line(), err=True)
    report = read_report([graph], runs=[name, made.run.name], judges=[asked["judge_name"]])
    show(report, as_json=as_json, only=("criteria", "warnings"))


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
