"""The command line of knowledge graphs. Heavy imports happen in the commands: ``--help`` stays quick."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from verifaible.console.options import SHORT_HELP, Amount, api_option, base_url_option, read_settings
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.kg.extraction import Extracted, Models, Options
    from verifaible.kg.extraction_prompts import Mode
    from verifaible.kg.folder import GraphFolder, Ingested
    from verifaible.kg.report import Report
    from verifaible.net.web import Web
    from verifaible.schema.base import Record

_Found = TypeVar("_Found")
_Command = TypeVar("_Command", bound=Callable[..., Any])
_MODES = ("single", "multi", "reflection")
#: The paper's judge.
_JUDGE = "qwen/qwen3-32b"


def _path(**more: Any) -> click.Path:
    return click.Path(path_type=Path, **more)


def _option(*names: str, **more: Any) -> Callable[[_Command], _Command]:
    """An option that shows its default."""
    return click.option(*names, show_default=bool(more.get("default")), **more)


_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")
_folder = click.argument("folder", metavar="FOLDER", type=_path(file_okay=False))
_folders = click.argument(
    "folders", metavar="FOLDER...", nargs=-1, required=True, type=_path(file_okay=False)
)
_runs = click.option("--run", "runs", metavar="NAME", multiple=True, help="Only this extraction; repeat.")
_ontology = click.option("--ontology", type=_path(dir_okay=False), help="Default: the shipped one.")
_output = click.option("--output", "--out", "-o", "output", type=_path(dir_okay=False), help="File.")


def _asking(command: _Command) -> _Command:
    """The options of commands that ask models."""
    limit = _option("--max-cost", "max_cost_usd", type=Amount(), help="US dollars for all calls.")
    slots = _option("--concurrency", type=click.IntRange(1, 64), default=4, help="Calls at once.")
    return base_url_option(api_option(limit(slots(command))))


def _extracting(command: _Command) -> _Command:
    """The options of commands that extract by a model."""
    rounds = _option("--max-rounds", type=click.IntRange(1), default=3, help="Of reflection.")
    return _option("--model", default="", help="The model that extracts.")(rounds(_ontology(command)))


@click.group(context_settings=SHORT_HELP)
def kg() -> None:
    """Knowledge graphs of annual reports: triples, each with its sealed span."""


@kg.command()
@click.argument("source", metavar="FILE|ADDRESS|TICKER")
@click.option("--into", type=_path(file_okay=False), help="Default: graphs/NAME; of a ticker, graphs.")
@click.option("--url", default="", help="Where a file is from.")
@_option("--years", type=click.IntRange(1, 30), default=1, help="Of a ticker, the latest so many reports.")
@click.option("--any", "other", is_flag=True, help="Also a page that has not the items of a 10-K.")
@_json
def ingest(*, source: str, into: Path | None, url: str, years: int, other: bool, as_json: bool) -> None:
    """Take in annual reports, HTML or PDF: one capture of each, and chunks that partition its text.

    A ticker, in capitals, is looked up at EDGAR, which wants VERIFAIBLE_USER_AGENT to say who you are.

    \b
    Examples:
      verifaible kg ingest aapl-20240928.htm --into graphs/apple
      verifaible kg ingest https://www.sec.gov/Archives/edgar/data/320193/000032019324000123/aapl-20240928.htm
      verifaible kg ingest AAPL --years 5
    """
    from verifaible.kg.edgar import find_reports, is_ticker
    from verifaible.kg.filing import fetch_filing, is_address

    given: Iterable[tuple[Path | None, tuple[bytes, str, str]]]
    if is_ticker(source) and not Path(source).is_file():
        # documents of two years may have the same name
        named = source.lower().replace(".", "-")
        into = into or Path("graphs")
        reports = _live(partial(find_reports, source, years))
        given = (
            (into / f"{named}-{each.period}", _live(partial(fetch_filing, each.url))) for each in reports
        )
    elif is_address(source):
        given = [(into, _live(partial(fetch_filing, source)))]
    elif Path(source).is_file():
        given = [(into, (Path(source).read_bytes(), Path(source).name, url))]
    else:
        raise ConfigError(
            f"{source} is no file. Give the file of an annual report, or its address, or a ticker in "
            "capitals."
        )
    for folder, (body, name, at) in given:
        graph, made = _ingested(body, name, folder or Path("graphs") / Path(name).stem, at, annual=not other)
        click.echo(
            made.model_dump_json(indent=1)
            if as_json
            else f"{made.name or name}: {made.characters:,} characters in {len(graph.chunks()):,} chunks, "
            f"{made.facts:,} tagged facts ({made.hidden:,} hidden). {graph.path}"
        )


@kg.command()
@_folders
@_option("--mode", "modes", type=click.Choice(["xbrl", *_MODES]), multiple=True, default=["xbrl"])
@click.option("--item", "items", multiple=True, metavar="1A", help="Ask about this item alone; repeat.")
@click.option("--chunks", "first", type=click.IntRange(1), help="Ask about so many chunks at most.")
@_extracting
@_asking
@_json
@click.pass_context
def extract(
    context: click.Context, /, folders: tuple[Path, ...], modes: tuple[str, ...], as_json: bool, **asked: Any
) -> None:
    """Take triples out of filings, with or without a model. What was done before is not paid again.

    The modes are tagged facts (xbrl), or a model in one call, two, or with a critic (reflection). Exits with
    1 where a model gave no usable reply to a chunk, or was not asked about it.

    \b
    Examples:
      verifaible kg extract graphs/apple graphs/ibm --mode xbrl
      verifaible kg extract graphs/apple --mode reflection --model glm-5 --item 1A
    """
    from verifaible.kg.extraction import extract_by_model
    from verifaible.kg.triples import XBRL

    items, first, model = asked.pop("items"), asked.pop("first"), asked.pop("model")
    options = _options([mode for mode in modes if mode != XBRL], asked)
    if options and not model:
        raise click.UsageError(f"--mode {options[0].mode} asks a model. Name one with --model.")
    models, graphs, runs, whole = _models(asked), _opened(folders), [], True

    async def by_model(graph: GraphFolder, chosen: set[str]) -> list[Extracted]:
        async with models.open(model, graph) as opened:
            return [await extract_by_model(opened, each, graph, chosen) for each in options]

    for graph in graphs:
        chunks = graph.chunks()
        if unknown := set(items) - {each.item for each in chunks}:
            there = ", ".join(dict.fromkeys(filter(None, (each.item for each in chunks))))
            raise ConfigError(f"The filing has no item {', '.join(sorted(unknown))}, but {there or 'none'}.")
        if XBRL in modes:
            graph.extract()
            runs.append(graph.run(XBRL))
        chosen = {each.id for each in [each for each in chunks if each.item in items or not items][:first]}
        for came in asyncio.run(by_model(graph, chosen)) if options else ():
            runs.append(came.run)
            for line in (came.line(), *(f"{chunk}: {why}" for chunk, why in came.lacking.items())):
                click.echo(line, err=True)
            whole = whole and not came.lacking
    if as_json:
        _print_json([each for run in runs for each in run.triples])
    else:
        for graph in graphs:
            _told(graph)
    context.exit(not whole)


@kg.command()
@_option("--into", type=_path(file_okay=False), default=Path("graphs/demo"), help="Its folder.")
@_json
def demo(into: Path, as_json: bool) -> None:
    """Take in an invented filing that comes with the package, without a key or a network.

    \b
    Example:
      verifaible kg demo
    """
    name = "brennock-10-k-2024.html"
    body = resources.files("verifaible.kg").joinpath("demo", name).read_bytes()
    folder, made = _ingested(body, name, into, "")
    folder.extract()
    if as_json:
        _print_json([each for run in folder.runs() for each in run.triples])
        return
    click.echo(f"{made.name} (invented): {len(folder.chunks())} chunks, {made.facts} tagged facts.")
    _told(folder)
    for command in ("check", "verify"):
        click.echo(f"\nverifaible kg {command} {into}")
        kg.main([command, str(into)], standalone_mode=False)
    click.echo(
        "\nTo look at it: verifaible serve --open\nTo have models extract and judge: verifaible kg evaluate "
        f"{into} --model glm-5 --judge qwen/qwen3-32b"
    )


@kg.command()
@_folder
@_runs
@_ontology
@_json
def check(folder: Path, runs: tuple[str, ...], ontology: Path | None, as_json: bool) -> None:
    """Check triples against the ontology, their words and the tags, without a model.

    \b
    Example:
      verifaible kg check graphs/apple
    """
    from verifaible.kg.checks.checking import check_folder, checks_table

    found = check_folder(_opened([folder])[0], runs, ontology)
    if as_json:
        told = {name: [each.model_dump(mode="json") for each in findings] for name, findings in found.items()}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    for name, findings in found.items():
        click.echo(f"{name}: {len({each.triple for each in findings}):,} triples")
        click.echo(checks_table(findings).as_text())


@kg.command()
@_folders
@_json
@click.pass_context
def verify(context: click.Context, /, folders: tuple[Path, ...], as_json: bool) -> None:
    """Verify the capture of each filing, and that the words of each triple stand in it where the triple says.

    Exits with 1 where the words of a triple do not.

    \b
    Example:
      verifaible kg verify graphs/apple
    """
    from verifaible.kg.folder import CHANGED

    found = [graph.verify() for graph in _opened(folders)]
    wrong = [triple for each in found for triple in each.changed]
    if as_json:
        click.echo(json.dumps([each.as_json() for each in found]))
    for each in () if as_json else found:
        click.echo(str(each))
    for triple in wrong:
        click.echo(f"{triple.id}: {CHANGED}", err=True)
    context.exit(bool(wrong))


@kg.command()
@click.argument("folders", metavar="[FOLDER]...", nargs=-1, type=_path(file_okay=False))
@_option("--filings", type=click.IntRange(1), help="So many of the folders at most.")
@_option("--chunks", type=click.IntRange(1), help="So many of each filing, drawn by the seed. Default: all.")
@_option("--mode", "modes", type=click.Choice(_MODES), multiple=True, default=_MODES)
@_extracting
@_option("--judge", "judges", metavar="MODEL", multiple=True, default=[_JUDGE], help="Who judges; repeat.")
@_option("--bias", type=click.IntRange(0), default=3, help="Measure flips on so many chunks a filing.")
@_option("--seed", type=int, default=0, help="Of all that is drawn.")
@_option("--sheet", type=_path(dir_okay=False), help="Write FILE.csv with triples for people to judge.")
@_option("--labels", type=_path(dir_okay=False, exists=True), help="A sheet that people filled in.")
@_output
@_asking
@_json
@click.pass_context
def evaluate(context: click.Context, /, folders: tuple[Path, ...], **options: Any) -> None:
    """Make the paper's table 1: extract in each mode, judge, measure the judges' biases.

    Without --model the extractions that are there are judged. Without a FOLDER it takes those in graphs/.
    The default judge is the paper's; the output is HTML, Markdown or JSON. What was asked before costs
    nothing. Exits with 1 where something failed, was not asked, or nothing was judged.

    \b
    Examples:
      verifaible kg evaluate --model glm-5 --judge qwen/qwen3-32b --filings 10 --chunks 20
      verifaible kg evaluate graphs/apple --judge glm-5 --sheet people.csv
      verifaible kg evaluate graphs/apple --judge glm-5 --labels people.csv
    """
    from verifaible.kg.evaluate import Plan
    from verifaible.kg.evaluate import evaluate as evaluated

    graphs = _opened(folders or sorted(path.parent for path in Path("graphs").glob("*/filing.json")))
    if not graphs:
        raise ConfigError("There are no graphs in graphs/. Take in filings with `verifaible kg ingest FILE`.")
    filings, output, as_json = (options.pop(name) for name in ("filings", "output", "as_json"))
    models, modes = _models(options), _options(options.pop("modes"), options)
    made = asyncio.run(evaluated(models, graphs[:filings], Plan(modes=modes, **options)))
    for line in (*made.notes, *made.faults):
        click.echo(line, err=True)
    _shown(made.report, output, as_json=as_json)
    context.exit(bool(made.faults))


@kg.command()
@_folders
@_runs
@click.option("--judge", "judges", multiple=True, help="Only this judge; repeat. Default: all.")
@_output
@_json
def report(folders: tuple[Path, ...], output: Path | None, as_json: bool, **options: Any) -> None:
    """Average the verdicts on the triples of filings, in the layout of the paper's table 1.

    \b
    Example:
      verifaible kg report graphs/apple graphs/ibm --output report.html
    """
    from verifaible.kg.report import read_report

    _shown(read_report(_opened(folders), **options), output, as_json=as_json)


@kg.command()
@_folder
@click.option("--run", "name", metavar="NAME", required=True, help="Which extraction goes back.")
@click.option("--model", metavar="MODEL", required=True, help="Who corrects.")
@_option("--judge", metavar="MODEL", default=_JUDGE, help="Who judged it.")
@_asking
@_json
@click.pass_context
def improve(context: click.Context, /, folder: Path, name: str, as_json: bool, **asked: Any) -> None:
    """Send back what a judge gave a 0 or a warning, and report on the extraction before and after.

    \b
    Example:
      verifaible kg improve graphs/apple --run single-glm-5 --model glm-5 --judge qwen/qwen3-32b
    """
    from verifaible.kg.improve import Improved
    from verifaible.kg.improve import improve as send_back
    from verifaible.kg.report import read_report

    model, judge = asked.pop("model"), asked.pop("judge")
    models, (graph,) = _models(asked), _opened([folder])
    (run,) = graph.runs([name])

    async def through() -> Improved:
        async with models.open(model, graph) as corrector, models.open(judge, graph) as judging:
            return await send_back(graph, run, corrector, judging)

    made = asyncio.run(through())
    click.echo(made.line(), err=True)
    _shown(read_report([graph], runs=[name, made.run.name], judges=[judge]), None, as_json=as_json)
    if made.left:
        click.echo(made.left, err=True)
    context.exit(bool(made.left))


@kg.command()
@_folder
@click.option("--same", nargs=3, metavar="TYPE NAME INTO", help="Merge NAME into INTO: they are one thing.")
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
    from verifaible.kg.graph import Merges

    merges = Merges(_opened([folder])[0])
    if undo:
        merges.undo(undo)
    elif same:
        merges.given(*same)
    else:
        merges.by_rules()
    active = merges.active()
    if as_json:
        _print_json(active)
        return
    for each in active:
        click.echo(f"{each.id:>4}  {each.type}: {each.name} -> {each.into} ({each.why})")
    click.echo(f"{len(active):,} names are merged. {folder}")


@kg.command()
@_folders
@_option("--format", "form", type=click.Choice(["graphml", "turtle", "json-ld", "csv"]), default="graphml")
@_output
@_json
def export(folders: tuple[Path, ...], form: str, output: Path | None, as_json: bool) -> None:
    """Write the graph of one or more filings as a file for other programs: graph.* in the first, or --output.

    \b
    Example:
      verifaible kg export graphs/apple graphs/ibm --format turtle --output both.ttl
    """
    from verifaible.kg.exports import FORMATS
    from verifaible.kg.exports import export as write
    from verifaible.kg.graph import KnowledgeGraph

    graph = KnowledgeGraph(_opened(folders))
    written = write(graph, form, output or folders[0] / f"graph{FORMATS[form]}")
    entities, triples = graph.nx.number_of_nodes(), graph.nx.number_of_edges()
    if as_json:
        files = [str(each) for each in written]
        click.echo(json.dumps({"entities": entities, "triples": triples, "files": files}))
        return
    click.echo(f"{entities:,} entities, {triples:,} triples: {', '.join(map(str, written))}")


@kg.command()
@click.argument("question")
@_folders
@_json
def ask(question: str, folders: tuple[Path, ...], as_json: bool) -> None:
    """Answer a question for a metric over years from tagged triples, each number with its sealed place.

    \b
    Example:
      verifaible kg ask "How did Apple's net sales of services grow since 2022?" graphs/apple
    """
    from verifaible.kg.series import find_series, series_table

    table = series_table(find_series(question, _opened(folders)))
    click.echo(json.dumps(table.as_json(), ensure_ascii=False) if as_json else table.as_text())


# --- what several commands do


def _opened(folders: Sequence[Path]) -> list[GraphFolder]:
    """Folders whose captures are verified, all of them before anything is done."""
    from verifaible.kg.folder import GraphFolder

    return [GraphFolder.open(each) for each in folders]


def _models(asked: dict[str, Any]) -> Models:
    """How models are asked; takes its options out of those of a command."""
    from verifaible.kg.extraction import Models

    limits = {name: asked.pop(name) for name in ("concurrency", "max_cost_usd", "api")}
    return Models(read_settings(asked.pop("base_url")), **limits)


def _options(modes: Sequence[str], asked: dict[str, Any]) -> list[Options]:
    """What a model is asked in each mode; takes its options out of those of a command."""
    from verifaible.kg.extraction import Options

    more = {name: asked.pop(name) for name in ("ontology", "max_rounds")}
    return [Options(mode=cast("Mode", mode), **more) for mode in modes]


def _live(work: Callable[[Web], Coroutine[Any, Any, _Found]]) -> _Found:
    """What is found on today's web."""
    from verifaible.net.web import Web

    with Web.live(read_settings(None)) as web:
        return asyncio.run(work(web))


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


def _shown(report: Report, output: Path | None, *, as_json: bool) -> None:
    from verifaible.kg.report import show, write_report

    if output:
        write_report(report, output)
    show(report, as_json=as_json)


def _print_json(records: Sequence[Record]) -> None:
    click.echo(json.dumps([each.model_dump(mode="json") for each in records], ensure_ascii=False))


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
