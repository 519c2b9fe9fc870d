"""The command line of the bench. Heavy imports happen in the commands: ``--help`` stays quick."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifaible.errors import CaseError, ConfigError, RunError, UserError

if TYPE_CHECKING:
    from verifaible.bench.folder import RunFolder
    from verifaible.bench.runner import Plan
    from verifaible.config import Settings
    from verifaible.schema.case import Case

#: Columns of the widest table, unabridged.
TABLE_WIDTH = 140

EPILOG = """\b
Examples:
  python -m verifaible.bench --model oracle
  python -m verifaible.bench --model glm-5 --case cn_dynamic_001
  verifaible bench grade cn_text_001 --answer "140489 万人" --json
"""


class Amount(click.FloatRange):
    """A positive, finite number: ``nan`` and ``inf`` would be limits that never end anything."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, or a usage error."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


@click.group(invoke_without_command=True, epilog=EPILOG)
@click.option("--model", "models", multiple=True, help="Model to run; repeat for several. See below.")
@click.option(
    "--cases",
    "source",
    type=click.Path(path_type=Path),
    help="Folder of case files, or one file (own or public format). Default: cases/.",
)
@click.option("--case", "ids", multiple=True, help="Only this case; repeat for several.")
@click.option("--category", "categories", multiple=True, help="Only this category; repeat for several.")
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
    "--trials", type=click.IntRange(1, 100), default=1, show_default=True, help="Trials of each case."
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 32),
    default=2,
    show_default=True,
    help="Trials under way at once.",
)
@click.option(
    "--max-rounds", type=click.IntRange(1, 500), default=30, show_default=True, help="Round trips a trial."
)
@click.option("--max-tokens", type=click.IntRange(1), help="Tokens a trial, input and output together.")
@click.option("--max-seconds", type=Amount(), help="Seconds a trial.")
@click.option("--max-cost", type=Amount(), help="US dollars a trial.")
@click.option("--base-url", help="OpenAI-compatible endpoint instead of OpenRouter.")
@click.option("--output", type=click.Path(path_type=Path), help="Folder for run folders. Default: runs/.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on standard output.")
@click.pass_context
def bench(context: click.Context, /, **options: Any) -> None:
    """Run VerifAIble Bench: cases that must be answered with verifiable evidence.

    MODEL is oracle (the reference agent), nop (answers nothing), a short name of the catalogue
    (glm-5, kimi-k2.5, minimax-m2.5, deepseek-r1), or any provider/name of the endpoint.
    """
    if context.invoked_subcommand is not None:
        return
    if not options["models"]:
        raise click.UsageError("Name at least one --model, such as --model oracle.")
    run(**options)


@bench.command()
@click.argument("case")
@click.option("--answer", required=True, help="The text of an answer; - reads standard input.")
@click.option("--cases", "source", type=click.Path(path_type=Path), help="As for bench.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def grade(case: str, answer: str, source: Path | None, as_json: bool) -> None:
    """Tell what an answer to CASE (an id, or a case file) would score, and why."""
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


@bench.command()
def schema() -> None:
    """Print the JSON Schema of a case file."""
    from verifaible.schema.case import Case

    click.echo(json.dumps(Case.model_json_schema(), ensure_ascii=False, indent=2))


@bench.command()
@click.argument("source", required=False, type=click.Path(path_type=Path))
def check(source: Path | None) -> None:
    """Check case files (default: cases/) and list them."""
    from verifaible.bench.cases import load_cases

    settings = read_settings()
    cases = load_cases(source or settings.cases_dir, settings.cases_dir)
    for case in cases:
        click.echo(f"{case.id}\t{case.category}\t{','.join(case.evidence_types)}\t{case.question}")
    click.echo(f"{len(cases)} cases, no fault.", err=True)


@bench.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def report(folder: Path) -> None:
    """Print the report of a run folder again."""
    from verifaible.bench.folder import RunFolder

    _show(RunFolder(folder), as_json=False)


def run(
    *,
    models: tuple[str, ...],
    source: Path | None,
    ids: tuple[str, ...],
    categories: tuple[str, ...],
    web: str | None,
    gate: str,
    trials: int,
    concurrency: int,
    max_rounds: int,
    max_tokens: int | None,
    max_seconds: float | None,
    max_cost: float | None,
    base_url: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run the bench with the options of the command line."""
    from verifaible.agent.loop import Limits
    from verifaible.bench.agents import entrant, is_built_in
    from verifaible.bench.cases import load_cases, select
    from verifaible.bench.folder import RunFolder
    from verifaible.bench.runner import RECORDED_SITES, Plan

    settings = read_settings(base_url)
    limits = Limits(rounds=max_rounds, tokens=max_tokens, seconds=max_seconds, cost_usd=max_cost)
    entrants = tuple(entrant(name, settings, limits) for name in dict.fromkeys(models))
    cases = select(
        load_cases(source or settings.cases_dir, settings.cases_dir), ids=ids, categories=categories
    )
    if web is None:
        web = "offline" if all(is_built_in(name) for name in models) else "live"
    if web == "offline" and not any(settings.sites_dir.glob("*.wacz")):
        raise RunError(
            f"There is no archive in {settings.sites_dir}. Run from the folder that holds snapshots/, set "
            "VERIFAIBLE_HOME to it, or use --web live."
        )
    plan = Plan(
        entrants=entrants,
        cases=cases,
        trials=trials,
        web="offline" if web == "offline" else "record" if web == "record" else "live",
        gate="citation" if gate == "citation" else "answer",
        concurrency=concurrency,
    )
    folder = RunFolder.create(output or settings.runs_dir, tuple(each.name for each in entrants))
    try:
        _run_with_progress(settings, plan, folder)
    except KeyboardInterrupt:
        click.echo(f"Finished trials are kept in {folder.path}.", err=True)
        if web == "record":
            click.echo("No recording was written: it is whole or it is not there.", err=True)
        raise
    _show(folder, as_json=as_json)
    click.echo(f"Run folder: {folder.path}", err=True)
    if web == "record":
        click.echo(f"Recorded sites: {folder.path / RECORDED_SITES}", err=True)


def _run_with_progress(settings: Settings, plan: Plan, folder: RunFolder) -> None:
    """Run the plan with a live line on standard error; a plain line a trial where it is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from verifaible.agent.base import Event
    from verifaible.bench.runner import Runner
    from verifaible.schema.run import ToolEvent, TrialResult

    console = Console(stderr=True)
    total = len(plan.entrants) * len(plan.cases) * plan.trials
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("starting", total=total)

        def watch(model: str, case: Case, trial: int, event: Event | TrialResult) -> None:
            if isinstance(event, TrialResult):
                mark = "verified" if event.verified else "not verified"
                said = f"{model}  {case.id}  {event.score}  {mark}  {event.duration_s:.1f} s"
                console.print(
                    f"{said}  {event.error or ''}".rstrip(), highlight=False, markup=False, soft_wrap=True
                )
                progress.advance(task)
            elif isinstance(event, ToolEvent):
                progress.update(task, description=f"{model} {case.id}: {event.name}")

        asyncio.run(Runner(settings, plan, folder, watch).run())


def _show(folder: RunFolder, *, as_json: bool) -> None:
    from verifaible.bench.report import to_markdown, to_terminal
    from verifaible.bench.summary import summarise

    info, results = folder.info(), folder.results()
    if not results:
        raise RunError(f"{folder.path} holds no finished trial, so there is nothing to report. Run it again.")
    places = {case: place for place, case in enumerate(info.cases)}
    # in the order of the cases, whichever trial finished first
    results = tuple(sorted(results, key=lambda each: (places.get(each.case, -1), each.trial)))
    summaries = summarise(results)
    path = folder.write_report(to_markdown(summaries, results, info))
    if as_json:
        payload = {
            "run": str(folder.path),
            "report": str(path),
            "models": [summary.model_dump(mode="json") for summary in summaries],
        }
        click.echo(json.dumps(payload, ensure_ascii=False, indent=2))
        return
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a pipe has no width; the tables need this much
        console = Console(width=TABLE_WIDTH)
    for part in to_terminal(summaries, results, info):
        console.print(part)


def _one_case(settings: Settings, source: Path | None, name: str) -> Case:
    from verifaible.bench.cases import load_cases

    path = Path(name)
    if path.suffix == ".json" and path.is_file():
        found = load_cases(path, settings.cases_dir)
        if len(found) == 1:
            return found[0]
    for case in load_cases(source or settings.cases_dir, settings.cases_dir):
        if case.id == name:
            return case
    raise CaseError([f"{name}: there is no such case"])


def read_settings(base_url: str | None = None) -> Settings:
    """The settings of this process; ``base_url`` goes before the one of the environment.

    Raises:
        ConfigError: a ``VERIFAIBLE_*`` variable holds what it cannot; names each.
    """
    from pydantic import ValidationError

    from verifaible.config import Settings

    try:
        return Settings(base_url=base_url) if base_url else Settings()
    except ValidationError as error:
        faults = "; ".join(
            f"VERIFAIBLE_{str(fault['loc'][0]).upper()}={fault['input']!r}: {fault['msg']}"
            for fault in error.errors(include_url=False)
        )
        raise ConfigError(f"{faults}. Correct or unset it.") from error


def guarded(command: click.Command) -> None:
    """Run a command as a program: typed errors become a sentence on standard error and status 2."""
    from verifaible.errors import VerifaibleError

    try:
        status = command.main(standalone_mode=False)
        if isinstance(status, int) and status:  # an Exit is returned here, not raised
            sys.exit(status)
    except click.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except UserError as error:
        click.echo(f"{error}", err=True)
        sys.exit(2)
    except VerifaibleError as error:
        click.echo(f"{error}", err=True)
        sys.exit(1)
