"""The command line of the bench. Heavy imports happen in the commands: ``--help`` stays quick."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifaible.bench.authoring import check, new
from verifaible.bench.report.commands import (
    accept,
    compare,
    export_run,
    report,
    rescore,
    show_run,
)
from verifaible.console.options import (
    SHORT_HELP,
    Amount,
    Folder,
    base_url_option,
    executor_options,
    live_options,
    read_settings,
)
from verifaible.errors import CaseError

if TYPE_CHECKING:
    from verifaible.config import Settings
    from verifaible.schema.case import Case

EPILOG = """\b
Examples:
  python -m verifaible.bench --model oracle
  python -m verifaible.bench --model glm-5 --case cn_dynamic_001
  verifaible bench grade cn_text_001 --answer "140489 万人" --json
"""


@click.group(invoke_without_command=True, epilog=EPILOG, context_settings=SHORT_HELP)
@click.option("--model", "models", multiple=True, help="Model to run; repeat for several. See below.")
@click.option(
    "--cases",
    "source",
    type=click.Path(path_type=Path),
    help="Folder of case files, or one file (own or public format). Default: cases/.",
)
@click.option("--case", "ids", multiple=True, help="Only this case; repeat for several.")
@click.option("--category", "categories", multiple=True, help="Only this category; repeat for several.")
@click.option("--tag", "tags", multiple=True, help="Only cases with this tag; repeat for several.")
@click.option("--limit", type=click.IntRange(1), help="So many of the chosen cases at most.")
@click.option(
    "--web",
    type=click.Choice(["live", "record", "offline"]),
    help="Default: live for models, offline for built-in agents. record is live, and keeps what was "
    "loaded in the run folder.",
)
@click.option(
    "--gate",
    type=click.Choice(["answer", "citation"]),
    default="answer",
    show_default=True,
    help="What zeroes a score: a wrong answer, or also a missing citation.",
)
@click.option(
    "--trials", type=click.IntRange(1, 1000), default=1, show_default=True, help="Trials of each case."
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 32),
    default=2,
    show_default=True,
    help="Trials under way at once; with --executor ray, at each worker.",
)
@executor_options
@click.option(
    "--max-rounds", type=click.IntRange(1, 500), default=30, show_default=True, help="Round trips a trial."
)
@click.option("--max-tokens", type=click.IntRange(1), help="Tokens a trial, input and output together.")
@click.option("--max-seconds", type=Amount(), help="Seconds a trial.")
@click.option("--max-cost", type=Amount(), help="US dollars a trial.")
@click.option("--max-run-cost", type=Amount(), help="US dollars for the whole run, continued ones included.")
@base_url_option
@click.option(
    "--api", type=click.Choice(["responses", "chat"]), help="API to ask models in. Default: by the catalogue."
)
@click.option(
    "--provider",
    multiple=True,
    help="Provider of OpenRouter, such as deepinfra/fp8: no other answers. Repeat for several, in order.",
)
@click.option(
    "--prompt",
    default="full",
    show_default=True,
    metavar="short|full|FILE",
    help="System prompt. full also teaches how to spend rounds and to operate pages.",
)
@click.option(
    "--published",
    is_flag=True,
    help="Show the published models beside these cases too, which are not those that they were asked.",
)
@click.option(
    "--record-calls", is_flag=True, help="Keep every request to a model and its answer, for --replay-calls."
)
@click.option(
    "--replay-calls",
    "replayed",
    metavar="RUN",
    help="Repeat a run without a model: its recorded calls answer. Settings are those of the run.",
)
@click.option(
    "--resume",
    "resumed",
    metavar="RUN",
    help="Continue a run that was stopped or killed. Settings are those of the run.",
)
@click.option("--output", type=Folder(), help="Folder for run folders. Default: runs/.")
@live_options
@click.option("--tables", is_flag=True, help="Print all tables at the end, not the summary alone.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on standard output.")
@click.pass_context
def bench(context: click.Context, /, tables: bool, **options: Any) -> None:
    """Run VerifAIble Bench: cases that must be answered with verifiable evidence.

    MODEL is oracle (the reference agent), nop (answers nothing), a short name of the catalogue
    (glm-5, kimi-k2.5, minimax-m2.5, deepseek-r1), or any provider/name of the endpoint.
    RUN is a run folder, the name of one under runs/, or latest.
    """
    if context.invoked_subcommand is not None:
        return
    from verifaible.bench.report.data import find_run
    from verifaible.bench.run.commands import Options, run

    given = {
        name
        for name in options
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    if not (options["models"] or options["resumed"] or options["replayed"]):
        raise click.UsageError("Name at least one --model, such as --model oracle.")
    settings = read_settings(options["base_url"])
    runs = options["output"] or settings.runs_dir
    for named, doing in (("resumed", "Continuing"), ("replayed", "Repeating")):
        if options[named] is not None:
            options[named] = find_run(options[named], runs, recorded=named == "replayed")
            click.echo(f"{doing} {options[named]}", err=True)
    chosen = Options(**options)
    done = run(settings, chosen, given)
    show_run(done.folder, as_json=chosen.as_json, tables=tables)
    click.echo(f"Run folder: {done.folder.path}", err=True)
    replayed = done.folder.info().replayed
    if done.unlike is None or replayed is None:
        return
    click.echo(
        f"{replayed.exact} requests were word for word those of {replayed.run}, "
        f"{replayed.differing} were not.",
        err=True,
    )
    for line in done.unlike:
        click.echo(f"scored otherwise: {line}", err=True)
    if done.unlike:
        context.exit(1)
    click.echo("Every trial was scored as recorded.", err=True)


@bench.command()
@click.argument("case")
@click.option("--answer", required=True, help="The text of an answer; - reads standard input.")
@click.option("--cases", "source", type=click.Path(path_type=Path), help="As for bench.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def grade(case: str, answer: str, source: Path | None, as_json: bool) -> None:
    """Tell what an answer to CASE (an id, or a case file) would score, and why.

    \b
    Example:
      verifaible bench grade cn_text_001 --answer "140489 万人"
    """
    from verifaible.bench.grade import grade as graded

    text = sys.stdin.read() if answer == "-" else answer
    result = graded(_one_case(read_settings(), source, case), text)
    if as_json:
        click.echo(result.model_dump_json(indent=2))
        return
    click.echo(f"{result.case}: {'correct' if result.answer_correct else 'wrong'}. {result.explanation}")
    click.echo(
        f"Score of the text alone: {result.score}; with fitting evidence: {result.score_with_citation}."
    )


for _command in (new, check, report, compare, rescore, accept, export_run):
    bench.add_command(_command)


def _one_case(settings: Settings, source: Path | None, name: str) -> Case:
    from verifaible.bench.cases.load import load_cases

    path = Path(name)
    if path.suffix == ".json" and path.is_file():
        found = load_cases(path, settings.cases_dir)
        if len(found) == 1:
            return found[0]
    for case in load_cases(source or settings.cases_dir, settings.cases_dir):
        if case.id == name:
            return case
    raise CaseError([f"{name}: there is no such case"])
