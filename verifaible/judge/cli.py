"""The command line of judging. Heavy imports happen in the commands: ``--help`` stays quick."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifaible.console.options import SHORT_HELP, Amount, Folder, read_settings

if TYPE_CHECKING:
    from verifaible.judge.folder import JudgeFolder
    from verifaible.reporting.tables import Table

EPILOG = """\b
Examples:
  python -m verifaible.judge run answers.csv --offline
  verifaible judge run answers.csv --judge deepseek-r1 --repeats 3
  verifaible judge verify latest
"""

_path = click.Path(path_type=Path)
_file = click.Path(path_type=Path, dir_okay=False)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")
_folder = click.argument("folder")


@click.group(epilog=EPILOG, context_settings=SHORT_HELP)
def judge() -> None:
    """Verify and judge long answers, claim by claim, against what their authors had.

    Rules decide what they can prove or refute; a judge model is asked for the rest, if one is named. Every
    verdict points to words in a sealed capture of the store.
    """


@judge.command(
    epilog="\b\nExample:\n  verifaible judge run answers.csv --judge deepseek-r1 --protocol rubric"
)
@click.argument("file", metavar="INPUT", type=_path)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    type=click.Choice(["citations", "hallucination", "rubric", "taxonomy"]),
    help="Do only this; repeat. Default: all.",
)
@click.option(
    "--judge",
    "judge_name",
    metavar="MODEL",
    help="The model that judges what rules leave open; nli: the local one.",
)
@click.option("--offline", is_flag=True, help="Ask no model: the rules decide alone.")
@click.option("--models", multiple=True, metavar="NAME", help="Judge only this model's answers; repeat.")
@click.option(
    "--traces",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of <model>/traces/<chat_id>.json. Default: output/ beside the CSV.",
)
@click.option(
    "--sources", type=_path, help="Of a Markdown file: a folder or a JSON file with the sources it cites."
)
@click.option("--limit", type=click.IntRange(1), help="So many answers at most.")
@click.option(
    "--split",
    type=click.Choice(["rules", "model"]),
    help="Who splits answers into claims. Default: the judge model, else rules.",
)
@click.option(
    "--repeats", type=click.IntRange(1, 25), default=1, show_default=True, help="Times each is judged."
)
@click.option("--max-cost", type=Amount(), help="US dollars for the whole run.")
@click.option("--output", "-o", type=Folder(), help="Folder for the results. Default: judged/.")
@_json
def run(protocols: tuple[Any, ...], as_json: bool, **options: Any) -> None:
    """Judge the answers of INPUT by the protocols of CryptoAnalystBench.

    citations: each claim against what it cites; hallucination: against all that its author had; rubric: four
    scores from 1 to 10; taxonomy: seven categories of error. The last two need a judge.

    INPUT is a CSV with query and <model>_response columns (and <model>_chat_id, which name traces), a run
    folder of verifaible crypto, a JSONL or Markdown file.
    """
    from verifaible.judge import run as judging

    chosen = judging.Options(**options, protocols=protocols or judging.PROTOCOLS)
    folder = judging.run(read_settings(), chosen)
    _show(folder, as_json=as_json)
    click.echo(f"Results: {folder.path}", err=True)


@judge.command(epilog="\b\nExample:\n  verifaible judge report latest")
@_folder
@_json
def report(folder: str, as_json: bool) -> None:
    """Write the reports of FOLDER again: report.html, report.md, tables.json and the CSV files."""
    from verifaible.judge.folder import find_folder
    from verifaible.judge.report import write_outputs

    found = find_folder(read_settings(), folder)
    write_outputs(found)
    _show(found, as_json=as_json)


@judge.command(epilog="\b\nExample:\n  verifaible judge compare BEFORE AFTER")
@click.argument("before")
@click.argument("after")
@_json
def compare(before: str, after: str, as_json: bool) -> None:
    """Compare two folders of judging over the same queries, model by model: what changed, and how surely."""
    from verifaible.judge.compare import before_and_after
    from verifaible.judge.folder import find_folder

    settings = read_settings()
    tables = before_and_after(find_folder(settings, before), find_folder(settings, after))
    _show_tables(tables, as_json=as_json)


@judge.command(epilog="\b\nExample:\n  verifaible judge sheet latest --annotator Ann --output ann.csv")
@_folder
@click.option("--annotator", required=True, metavar="NAME", help="Who will fill it in.")
@click.option(
    "--output",
    "-o",
    type=_file,
    help="The file, which must not exist. Default: annotations.csv of the folder.",
)
@_json
def sheet(folder: str, annotator: str, output: Path | None, as_json: bool) -> None:
    """Write an empty CSV sheet in which a person annotates the answers and claims of FOLDER."""
    from verifaible.judge.annotations import FILE, write_sheet
    from verifaible.judge.folder import find_folder

    found = find_folder(read_settings(), folder)
    path = output or found.path / FILE
    count = write_sheet(found, annotator, path)
    if as_json:
        click.echo(json.dumps({"path": str(path), "lines": count}, indent=2))
    click.echo(f"Written: {path}, {count} lines. Fill in the column value.", err=True)


@judge.command(epilog="\b\nExample:\n  verifaible judge agreement latest --annotations people.csv")
@_folder
@click.option(
    "--annotations",
    "files",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A sheet that was filled in; repeat. Default: annotations.csv of the folder.",
)
@_json
def agreement(folder: str, files: tuple[Path, ...], as_json: bool) -> None:
    """Tell how well the judge agrees with people."""
    from verifaible.errors import ConfigError
    from verifaible.judge.agreement import agreement_of
    from verifaible.judge.annotations import FILE, read_annotations
    from verifaible.judge.folder import find_folder

    found = find_folder(read_settings(), folder)
    if not files and not (found.path / FILE).is_file():
        raise ConfigError(
            f"There is no {FILE} in {found.path}. Let people fill in a sheet (verifaible judge sheet), or "
            "name their files."
        )
    said = read_annotations(found, *files)
    _show_tables(agreement_of(found, said.rows), as_json=as_json, told=said.faults)


@judge.command(epilog="\b\nExample:\n  verifaible judge verify latest")
@_folder
@_json
@click.pass_context
def verify(context: click.Context, folder: str, as_json: bool) -> None:
    """Look again at every passage of FOLDER in the captures of the store, to the byte.

    Exits with 0 if each supported claim points to words, and all words stand where they should, else with 1.
    """
    from verifaible.evidence.sources import SourceTexts
    from verifaible.judge.folder import find_folder, reverify
    from verifaible.store.store import Store

    settings = read_settings()
    judged = find_folder(settings, folder)
    with closing(Store.open(settings)) as store:
        found = reverify(judged, SourceTexts(store))
    if as_json:
        said = {"ok": found.ok, **found.model_dump(mode="json")}
        click.echo(json.dumps(said, ensure_ascii=False, indent=2))
    else:
        click.echo(
            f"{found.claims} claims, {found.supported} of them supported; "
            f"{found.passages - len(found.broken)} of {found.passages} passages hold."
        )
        for each in found.broken:
            click.echo(f"{each.answer} {each.claim}: {each.fault}")
        for name in found.unsupported:
            click.echo(f"{name}: called supported, and points to nothing.")
    if not found.ok:
        context.exit(1)


def _show(folder: JudgeFolder, *, as_json: bool) -> None:
    """Print the tables of a folder, and what a reader must know first."""
    from verifaible.judge.report import warnings
    from verifaible.judge.results import read_results
    from verifaible.judge.tables import all_tables

    results = read_results(folder)
    _show_tables(all_tables(results), as_json=as_json, told=warnings(results))


def _show_tables(tables: Sequence[Table], *, as_json: bool, told: Sequence[str] = ()) -> None:
    """Print tables, what was not judged left out as text; on standard error what a reader must know first."""
    from verifaible.reporting.outcomes import without_unjudged

    if as_json:
        click.echo(json.dumps([table.as_json() for table in tables], ensure_ascii=False, indent=2))
    else:
        for table in without_unjudged(tables)[0]:
            click.echo(table.as_text())
    for line in told or ([] if as_json else without_unjudged(tables)[1]):
        click.echo(line, err=True)
