"""``verifaible bench`` and ``python -m verifaible.bench``: runs and their reports."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click
from click.core import ParameterSource

from verifaible.cli.bench_cases import cases_option, check, grade, new
from verifaible.cli.program import within
from verifaible.console.options import (
    SHORT_HELP,
    Amount,
    Folder,
    api_option,
    base_url_option,
    executor_options,
    json_option,
    limit_options,
    live_options,
    read_settings,
)
from verifaible.console.output import give, json_text, say, show, show_json, show_tables, tables_text

if TYPE_CHECKING:
    from verifaible.bench.pool import Findings
    from verifaible.bench.run_dir import RunFolder
    from verifaible.bench.trial import Watch
    from verifaible.runs.progress import Progress
    from verifaible.schema.case import Case

EPILOG: Final = """\b
Examples:
  python -m verifaible.bench --model oracle
  python -m verifaible.bench --model glm-5 --case cn_dynamic_001
  verifaible bench grade cn_text_001 --answer "140489 万人"
"""
#: Between two lines about how far a run is, where standard error is no terminal.
_LINE_EVERY_S: Final = 30.0
_FORMS: Final = {".html": "html", ".htm": "html", ".md": "markdown", ".json": "json"}
_output = click.option(
    "--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file."
)
_published = click.option(
    "--published", is_flag=True, help="Show the published models beside other cases than theirs too."
)


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
@limit_options("Round trips a trial.", "a trial")
@click.option("--max-run-cost", type=Amount(), help="US dollars for the whole run, continued ones included.")
@base_url_option
@api_option
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
    "--replay-calls",
    "replayed",
    metavar="RUN",
    help="Repeat a run without a model: its own answers are given again. Settings are those of the run.",
)
@click.option(
    "--resume",
    "resumed",
    metavar="RUN",
    help="Continue a run that was stopped or killed. Settings are those of the run.",
)
@click.option("--output", "-o", type=Folder(), help="Folder for run folders. Default: runs/.")
@live_options
@click.option("--tables", is_flag=True, help="Print all tables at the end, not the summary alone.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on standard output.")
@click.pass_context
def bench(context: click.Context, /, tables: bool, as_json: bool, **options: Any) -> None:
    """Run VerifAIble Bench: cases that must be answered with verifiable evidence.

    MODEL is oracle (the reference agent), nop (answers nothing), a short name of the catalogue
    (glm-5, kimi-k2.5, minimax-m2.5, deepseek-r1), or any provider/name of the endpoint.
    RUN is a run folder, the name of one under runs/, or latest.
    """
    if context.invoked_subcommand is not None:
        return
    from verifaible.bench.run_dir import find_run

    given = [name for name in options if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    models = options.pop("models")
    if not (models or options["resumed"] or options["replayed"]):
        raise click.UsageError("Name at least one --model, such as --model oracle.")
    runs = options["output"] or read_settings(options["base_url"]).runs_dir
    for named, doing in (("resumed", "Continuing"), ("replayed", "Repeating")):
        if options[named] is not None:
            options[named] = find_run(options[named], runs)
            say(f"{doing} {options[named]}")
    with _showing() as (watch, progress):
        done = within(
            lambda client: client.run_bench(*models, watch=watch, progress=progress, given=given, **options),
            base_url=options["base_url"],
        )
    show_run(done.folder, as_json=as_json, tables=tables)
    say(f"Run folder: {done.folder.path}")
    replayed = done.folder.info().replayed
    if done.replayed is None or replayed is None:
        return
    say(
        f"{replayed.exact} requests were word for word those of {replayed.run}, "
        f"{replayed.differing} were not."
    )
    for line in done.unlike:
        say(f"scored otherwise: {line}")
    if done.unlike:
        context.exit(1)
    say("Every trial was scored as recorded.")


def show_run(folder: RunFolder, *, as_json: bool, tables: bool = False) -> None:
    """Print a summary of a run that has just ended, or all its tables, and write ``report.md``.

    Raises:
        RunError: it holds no finished trial.
    """
    from verifaible.bench import report as reports
    from verifaible.bench.pool import findings, read_run

    found = findings([read_run(folder.path)])
    path = folder.write_report(reports.markdown(found))
    if as_json:
        show_json({"run": str(folder.path), "report": str(path), **reports.as_json(found)})
    else:
        show_tables(reports.terminal(found) if tables else reports.terminal_summary(found))
        show(f"Report: {path}")


@contextmanager
def _showing() -> Iterator[tuple[Watch, Callable[[Progress], None]]]:
    """Show how a run goes: a bar on a terminal; in a pipe a line now and then, and for each new error."""
    from verifaible.schema.run import TrialResult

    terminal = sys.stderr.isatty()
    said: set[str] = set()
    last: list[Progress] = []
    spoken = time.monotonic()

    def watch(model: str, case: Case, trial: int, event: object) -> None:
        if not isinstance(event, TrialResult):
            return
        error = event.error or ""
        if terminal or (error and error not in said):
            said.add(error)
            mark = "verified" if event.verified else "not verified"
            line = f"{model}  {case.id}  {event.score}  {mark}  {event.duration_s:.1f} s  {error}"
            say(line.rstrip())

    def show_progress(progress: Progress) -> None:
        nonlocal spoken
        last[:] = [progress]
        if bar is not None:
            bar.update(task, total=progress.total, completed=progress.done, description=progress.line)
        elif time.monotonic() - spoken >= _LINE_EVERY_S:
            spoken = time.monotonic()
            say(progress.line)

    bar = None
    if terminal:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (BarColumn(20), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
        # a trial takes minutes: rich's own 30 s would see none end
        bar = Bar(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=3600)
        task = bar.add_task("", total=None)
        bar.start()
    try:
        yield watch, show_progress
    finally:
        if bar is not None:
            bar.stop()
        for progress in last:
            say(progress.line)


# --- reports


@bench.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["terminal", "markdown", "html", "json"]),
    help="Default: by the name of --output, else terminal.",
)
@_output
@_published
@json_option
def report(
    runs: tuple[str, ...], shape: str | None, output: Path | None, published: bool, as_json: bool
) -> None:
    """Report on one run, or several side by side: scores, evidence, failures, tokens and cost.

    RUN is a run folder, the name of one under runs/, or latest. Models are listed best first, with the
    published figures where they are of the same cases. A report on the terminal of one run is written to
    its report.md too.

    \b
    Examples:
      verifaible bench report latest
      verifaible bench report RUN RUN
      verifaible bench report latest --output report.html
    """
    if as_json and shape not in (None, "json"):
        raise click.UsageError(f"--json and --format {shape} contradict each other.")
    from verifaible.bench import report as reports
    from verifaible.bench.run_dir import RunFolder

    found = within(lambda client: client.bench_report(*runs, published=published))
    by_name = _FORMS.get(output.suffix.lower()) if output is not None else None
    shape = "json" if as_json else shape or by_name or "terminal"
    if shape == "terminal":
        if len(found.runs) == 1:
            RunFolder(found.runs[0].path).write_report(reports.markdown(found))
        _give_tables(reports.terminal(found), output)
    else:
        give(_drawn(found, shape), output)


def _drawn(found: Findings, shape: str) -> str:
    from verifaible.bench import report as reports

    if shape == "json":
        return json_text(reports.as_json(found))
    return reports.page(found) if shape == "html" else reports.markdown(found)


def _give_tables(parts: Sequence[Any], output: Path | None) -> None:
    if output is None:
        show_tables(parts)
    else:
        give(tables_text(parts), output)


@bench.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN]")
@click.option(
    "--model", "models", multiple=True, help="Which models: two of one run, or one of each of two runs."
)
@_output
@_published
@json_option
def compare(
    runs: tuple[str, ...], models: tuple[str, ...], output: Path | None, published: bool, as_json: bool
) -> None:
    """Compare two models on the same cases: case by case, with a test and an interval.

    Give one run with two models, or two runs; published:glm-5 instead of a run stands for the published
    figures of a model. Differences are the second less the first.

    \b
    Examples:
      verifaible bench compare RUN --model glm-5 --model kimi-k2.5
      verifaible bench compare published:glm-5 RUN
    """
    if len(runs) > 2 or len(models) > 2:
        raise click.UsageError("Compare two: give one or two runs, and at most two --model.")
    from verifaible.bench.compare import comparison_tables
    from verifaible.reporting.tables import drawn

    found = within(lambda client: client.bench_compare(*runs, models=models, published=published))
    if as_json:
        flipped = [each.case for each in found.flipped]
        give(json_text({**found.model_dump(mode="json"), "flipped": flipped}), output)
    else:
        _give_tables(drawn(comparison_tables(found), [each.message for each in found.differences]), output)


@bench.command()
@click.argument("run")
@cases_option
@click.option("--gate", type=click.Choice(["answer", "citation"]), help="Another gate than the run's.")
@json_option
def rescore(run: str, cases: Path | None, gate: Literal["answer", "citation"] | None, as_json: bool) -> None:
    """Score the trials of RUN again, into a new run, and show what changes.

    After a change of a case or of the scorer. The evidence is verified again from the store; RUN stays as
    it is.

    \b
    Example:
      verifaible bench rescore latest
    """
    found = within(lambda client: client.bench_rescore(run, cases=cases, gate=gate))
    if as_json:
        show_json(found)
    else:
        for line in found.changed:
            show(line)
        show(
            f"{found.trials} trials scored again, {len(found.changed)} scored otherwise; the total changes "
            f"by {found.difference:+d}. Gate: {found.gate}."
        )
    for names, said in (
        (found.changed_cases, "Cases with another text now"),
        (found.unknown_cases, "Not there any more, scores kept"),
    ):
        if names:
            say(f"{said}: {', '.join(names)}.")
    if found.without_evidence:
        say(f"{found.without_evidence} trials have evidence that is not in the store: not verified again.")
    say(f"Compare them: verifaible bench compare {found.of} {found.run}")


@bench.command()
@click.argument("run")
@click.argument("case")
@click.option("--model", "models", multiple=True, help="Of this model only; repeat for several.")
@click.option("--trial", type=click.IntRange(1), help="Of this trial only.")
@cases_option
@json_option
def accept(
    *, run: str, case: str, models: tuple[str, ...], trial: int | None, cases: Path | None, as_json: bool
) -> None:
    """Accept the pages of unreviewed trials of CASE: right answers cited elsewhere on the site.

    Look at each page first: one that repeats what it is given proves nothing. The addresses are added to the
    pages of the case, in its file; bench rescore then scores the run again.

    \b
    Example:
      verifaible bench accept latest cn_text_001 --trial 1
    """
    path, pages = within(
        lambda client: client.bench_accept(run, case, models=models, trial=trial, cases=cases)
    )
    if as_json:
        show_json({"case": str(path), "pages": pages})
    else:
        show("\n".join(pages))
    say(f"Added to {path}. Score the run again: verifaible bench rescore {run}")


@bench.command("export")
@click.argument("run")
@click.option("--format", "shape", type=click.Choice(["sft"]), default="sft", show_default=True)
@click.option(
    "--min-score", type=click.IntRange(0, 100), default=0, show_default=True, help="The least score."
)
@click.option("--verified", is_flag=True, help="Only trials whose evidence is verified.")
@click.option("--model", "models", multiple=True, help="Only this model; repeat for several.")
@click.option("--plain", is_flag=True, help="Only the fields that OpenAI's API reads: no metadata.")
@cases_option
@_output
@click.option("--json", "as_json", is_flag=True, help="With --output: print how it went as JSON.")
def export_run(run: str, shape: str, output: Path | None, as_json: bool, **options: Any) -> None:
    """Export the trials of RUN for fine-tuning: OpenAI's chat format, a JSON object a line.

    Only trials that ended with an answer; what they are filtered by is yours.

    \b
    Example:
      verifaible bench export RUN --verified
    """
    lines, filtered, unanswered = within(lambda client: client.bench_export(run, **options))
    text = "".join(f"{json_text(line, indent=None)}\n" for line in lines)
    if output is None:
        sys.stdout.write(text)
    else:
        from verifaible.runs.lines import write_whole

        write_whole(output, text)
    say(f"{len(lines)} examples; {filtered} trials filtered out, {unanswered} without an answer.")
    if as_json and output:
        went = {"examples": len(lines), "filtered": filtered, "unanswered": unanswered}
        show_json({**went, "path": str(output), "format": shape})


for command in (grade, new, check):
    bench.add_command(command)
