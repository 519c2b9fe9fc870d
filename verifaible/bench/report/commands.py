"""The commands about finished runs, from ``report`` to ``export``.

Heavy imports happen in the commands: ``--help`` stays quick.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifaible.errors import RunError

if TYPE_CHECKING:
    from verifaible.bench.report.data import RunData
    from verifaible.bench.report.export_sft import Reasoning
    from verifaible.bench.report.tables import Findings
    from verifaible.bench.run.folder import RunFolder
    from verifaible.config import Settings
    from verifaible.schema.case import Case
    from verifaible.scoring.gate import Gate

#: Columns of the widest table, unabridged, for a pipe, which has no width.
TABLE_WIDTH = 160

_FORMATS = click.Choice(["terminal", "markdown", "html", "json"])
_output = click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")
_published = click.option(
    "--published", is_flag=True, help="Show the published models beside other cases than theirs too."
)
_cases = click.option(
    "--cases", "source", type=click.Path(path_type=Path), help="Cases of the run. Default: cases/."
)


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--format", "shape", type=_FORMATS, help="Default: by the name of --output, else terminal.")
@_output
@_published
@_json
def report(
    *,
    runs: tuple[str, ...],
    shape: str | None,
    output: Path | None,
    published: bool,
    as_json: bool,
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
    from verifaible.bench.report import markdown as reports
    from verifaible.bench.run.folder import RunFolder

    data = _read(runs)
    found = reports.findings(data, published=published)
    chosen = _shape(shape, output, as_json=as_json)
    if chosen == "terminal" and len(data) == 1:
        RunFolder(data[0].path).write_report(reports.markdown(found))
    _give(_drawn(found, chosen), output) if chosen != "terminal" else _print(reports.terminal(found), output)


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN]")
@click.option(
    "--model", "models", multiple=True, help="Which models: two of one run, or one of each of two runs."
)
@_output
@_published
@_json
def compare(
    *,
    runs: tuple[str, ...],
    models: tuple[str, ...],
    output: Path | None,
    published: bool,
    as_json: bool,
) -> None:
    """Compare two models on the same cases: case by case, with a test and an interval.

    Give one run with two models, or two runs; published:glm-5 instead of a run stands for the published
    figures of a model. Differences are the second less the first.

    \b
    Examples:
      verifaible bench compare RUN --model glm-5 --model kimi-k2.5
      verifaible bench compare published:glm-5 RUN
    """
    from verifaible.bench.report import compare as comparing
    from verifaible.reporting.tables import drawn

    if len(runs) > 2 or len(models) > 2:
        raise click.UsageError("Compare two: give one or two runs, and at most two --model.")
    given = [name for name in runs if not name.startswith(comparing.PUBLISHED_PREFIX)]
    data = _read(given)
    if len(given) == len(runs):
        first, second = comparing.sides(data, models)
    elif data:
        if not (published or data[0].info.beside_published):
            raise click.UsageError(
                "The published models answered other questions than this run. Run the public set"
                " (--cases testset.json), or give --published to compare anyway."
            )
        ours = iter([comparing.side(data[0], models)])
        first, second = (next(ours) if name in given else comparing.published_side(name) for name in runs)
    else:
        raise click.UsageError("Compare with a run: both sides are published figures.")
    found = comparing.compare(first, second, data)
    if as_json:
        payload = {
            **found.model_dump(mode="json"),
            "flipped": [each.case for each in found.flipped],
        }
        _give(_dumped(payload), output)
        return
    told = [each.message for each in found.differences]
    _print(drawn(comparing.comparison_tables(found), told), output)


@click.command()
@click.argument("run")
@_cases
@click.option("--gate", type=click.Choice(["answer", "citation"]), help="Another gate than the run's.")
@_json
def rescore(run: str, source: Path | None, gate: str | None, as_json: bool) -> None:
    """Score the trials of RUN again, into a new run, and show what changes.

    After a change of a case or of the scorer. The evidence is verified again from the store; RUN stays as
    it is.

    \b
    Example:
      verifaible bench rescore latest
    """
    from verifaible.bench.report.data import find_run
    from verifaible.bench.report.rescore import rescore as scored_again
    from verifaible.bench.run.folder import RunFolder
    from verifaible.console.options import read_settings
    from verifaible.store.store import Store

    settings = read_settings()
    folder = RunFolder(find_run(run, settings.runs_dir))
    folder.info()  # before the store is opened: what is no run says so first
    cases = {case.id: case for case in _load(settings, source)}
    chosen: Gate | None = "citation" if gate == "citation" else "answer" if gate else None
    found = scored_again(folder, settings.runs_dir, cases, Store.open(settings), chosen)
    if as_json:
        click.echo(_dumped(found.model_dump(mode="json")))
    else:
        for line in found.changed:
            click.echo(line)
        told = (
            f"{found.trials} trials scored again, {len(found.changed)} scored otherwise; the total changes "
        )
        click.echo(f"{told}by {found.difference:+d}. Gate: {found.gate}.")
    for names, said in (
        (found.changed_cases, "Cases with another text now"),
        (found.unknown_cases, "Not there any more, scores kept"),
    ):
        if names:
            click.echo(f"{said}: {', '.join(names)}.", err=True)
    if found.without_evidence:
        lacking = f"{found.without_evidence} trials have evidence that is not in the store"
        click.echo(f"{lacking}: not verified again.", err=True)
    click.echo(f"Compare them: verifaible bench compare {found.of} {found.run}", err=True)


@click.command()
@click.argument("run")
@click.argument("case")
@click.option("--model", "models", multiple=True, help="Of this model only; repeat for several.")
@click.option("--trial", type=click.IntRange(1), help="Of this trial only.")
@_cases
@_json
def accept(
    *, run: str, case: str, models: tuple[str, ...], trial: int | None, source: Path | None, as_json: bool
) -> None:
    """Accept the pages of unreviewed trials of CASE: right answers cited elsewhere on the site.

    Look at each page first: one that repeats what it is given proves nothing. The addresses are added to the
    pages of the case, in its file; bench rescore then scores the run again.

    \b
    Example:
      verifaible bench accept latest cn_text_001 --trial 1
    """
    from verifaible.bench.cases.load import accept_pages
    from verifaible.bench.report.data import find_run
    from verifaible.bench.run.folder import RunFolder
    from verifaible.console.options import read_settings

    settings = read_settings()
    results = RunFolder(find_run(run, settings.runs_dir)).results()
    pages = tuple(
        dict.fromkeys(
            page
            for each in results
            if each.case == case and each.model in (models or (each.model,)) and trial in (None, each.trial)
            for page in each.unreviewed
        )
    )
    if not pages:
        raise RunError(f"No trial of {case} in this run is unreviewed. See: verifaible bench report {run}")
    path = accept_pages(source or settings.cases_dir, case, pages)
    if as_json:
        click.echo(_dumped({"case": str(path), "pages": pages}))
    else:
        click.echo("\n".join(pages))
    click.echo(f"Added to {path}. Score the run again: verifaible bench rescore {run}", err=True)


@click.command("export")
@click.argument("run")
@click.option("--format", "shape", type=click.Choice(["sft"]), default="sft", show_default=True)
@click.option(
    "--min-score", type=click.IntRange(0, 100), default=0, show_default=True, help="The least score."
)
@click.option("--verified", is_flag=True, help="Only trials whose evidence is verified.")
@click.option("--model", "models", multiple=True, help="Only this model; repeat for several.")
@click.option(
    "--reasoning",
    type=click.Choice(["metadata", "message", "drop"]),
    default="metadata",
    show_default=True,
    help="Where the reasoning goes: the line's metadata, reasoning_content of its messages, or nowhere.",
)
@click.option("--plain", is_flag=True, help="Only the fields that OpenAI's API reads: no metadata.")
@_cases
@_output
@click.option("--json", "as_json", is_flag=True, help="With --output: print how it went as JSON.")
def export_run(
    *,
    run: str,
    shape: str,
    min_score: int,
    verified: bool,
    models: tuple[str, ...],
    reasoning: str,
    plain: bool,
    source: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Export the trials of RUN for fine-tuning: OpenAI's chat format, a JSON object a line.

    Only trials that ended with an answer; what they are filtered by is yours.

    \b
    Example:
      verifaible bench export RUN --format sft --verified
    """
    from verifaible.bench.report.data import find_run
    from verifaible.bench.report.export_sft import Chosen, Exported, examples
    from verifaible.bench.run.folder import RunFolder
    from verifaible.console.options import read_settings
    from verifaible.runs.lines import usable

    settings = read_settings()
    folder = RunFolder(find_run(run, settings.runs_dir))
    total = len(folder.results())
    where: Reasoning = "message" if reasoning == "message" else "drop" if reasoning == "drop" else "metadata"
    chosen = Chosen(min_score, verified, models, where, plain)
    cases = {case.id: case for case in _load(settings, source)}
    written = unanswered = 0
    with (
        usable(output or folder.path),
        click.open_file(str(output or "-"), "w", "utf-8", atomic=bool(output)) as file,
    ):
        for _, example in examples(folder, cases, chosen):
            if example is None:
                unanswered += 1
                continue
            file.write(example.line() + "\n")
            written += 1
    went = Exported(examples=written, filtered=total - written - unanswered, unanswered=unanswered)
    said = f"{written} examples; {went.filtered} trials filtered out, {unanswered} without an answer."
    click.echo(said, err=True)
    if as_json and output:
        click.echo(_dumped({**went.model_dump(), "path": str(output), "format": shape}))


def show_run(folder: RunFolder, *, as_json: bool, tables: bool = False) -> None:
    """Print a summary of a run that has just ended, or all its tables, and write ``report.md``.

    Raises:
        RunError: it holds no finished trial.
    """
    from verifaible.bench.report import markdown as reports
    from verifaible.bench.report.data import read_run

    found = reports.findings([read_run(folder.path)])
    path = folder.write_report(reports.markdown(found))
    if as_json:
        click.echo(_dumped({"run": str(folder.path), "report": str(path), **reports.as_json(found)}))
    else:
        _print(reports.terminal(found) if tables else reports.terminal_summary(found), None)
        click.echo(f"Report: {path}")


# --- what the commands share


def _read(names: Sequence[str]) -> list[RunData]:
    from verifaible.bench.report.data import find_run, read_run
    from verifaible.console.options import read_settings

    runs = read_settings().runs_dir
    return [read_run(find_run(name, runs)) for name in names]


def _load(settings: Settings, source: Path | None) -> tuple[Case, ...]:
    from verifaible.bench.cases.load import load_cases

    return load_cases(source or settings.cases_dir, settings.cases_dir)


def _shape(shape: str | None, output: Path | None, *, as_json: bool) -> str:
    if as_json:
        if shape not in (None, "json"):
            raise click.UsageError(f"--json and --format {shape} contradict each other.")
        return "json"
    known = {".html": "html", ".htm": "html", ".md": "markdown", ".json": "json"}
    return shape or (known.get(output.suffix.lower(), "terminal") if output else "terminal")


def _drawn(found: Findings, shape: str) -> str:
    from verifaible.bench.report import markdown as reports
    from verifaible.bench.report.page import page

    if shape == "html":
        return page(found)
    return _dumped(reports.as_json(found)) if shape == "json" else reports.markdown(found)


def _dumped(payload: object) -> str:
    return json.dumps(payload, ensure_ascii=False, indent=2)


def _give(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text.removesuffix("\n"))
        return
    try:
        output.write_text(text.removesuffix("\n") + "\n", encoding="utf-8")
    except OSError as error:
        raise RunError(f"{output} cannot be written ({error.strerror}). Name another file.") from error
    click.echo(f"Written: {output}", err=True)


def _print(parts: Sequence[Any], output: Path | None) -> None:
    from io import StringIO

    from rich.console import Console

    if output is not None:
        kept = Console(width=TABLE_WIDTH, file=StringIO(), record=True)
        for part in parts:
            kept.print(part)
        _give(kept.export_text(), output)
        return
    console = Console()
    if not console.is_terminal:
        console = Console(width=TABLE_WIDTH)
    for part in parts:
        console.print(part)
