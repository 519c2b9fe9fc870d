"""The command line of judging. Heavy imports happen in the commands: ``--help`` stays quick."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from verifaible.console.options import SHORT_HELP, Amount, Folder, read_settings

if TYPE_CHECKING:
    from verifaible.schema.judged import Protocol

EPILOG = """\b
Examples:
  python -m verifaible.judge all answers.csv --offline
  verifaible judge all answers.csv --judge deepseek-r1 --repeats 3
  verifaible judge verify latest
"""

_Command = TypeVar("_Command", bound=Callable[..., Any])

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")
_INPUT_OPTIONS = (
    click.argument("file", metavar="INPUT", type=click.Path(path_type=Path)),
    click.option(
        "--judge",
        "judge_name",
        metavar="MODEL",
        help="The model that judges what rules leave open; nli: the local one.",
    ),
    click.option("--offline", is_flag=True, help="Ask no model: the rules decide alone."),
    click.option(
        "--models", "models", multiple=True, metavar="NAME", help="Judge only this model's answers; repeat."
    ),
    click.option(
        "--traces",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of <model>/traces/<chat_id>.json. Default: output/ beside the CSV.",
    ),
    click.option(
        "--sources",
        type=click.Path(path_type=Path),
        help="Of a Markdown file: a folder or a JSON file with the sources it cites.",
    ),
    click.option("--limit", type=click.IntRange(1), help="So many answers at most."),
    click.option(
        "--claims",
        "claims_by",
        type=click.Choice(["rules", "judge"]),
        default="rules",
        show_default=True,
        help="Who splits answers into claims.",
    ),
    click.option(
        "--repeats", type=click.IntRange(1, 25), default=1, show_default=True, help="Times each is judged."
    ),
    click.option(
        "--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Calls at once."
    ),
    click.option("--max-cost", type=Amount(), help="US dollars for the whole run."),
    click.option("--base-url", help="OpenAI-compatible endpoint of the judge."),
    click.option("--api", type=click.Choice(["responses", "chat"]), help="API to ask the judge in."),
    click.option("--output", type=Folder(), help="Folder for the results. Default: judged/."),
    _json,
)


def _with_input(command: _Command) -> _Command:
    for option in reversed(_INPUT_OPTIONS):
        command = option(command)
    return command


@click.group(epilog=EPILOG, context_settings=SHORT_HELP)
def judge() -> None:
    """Verify and judge long answers, claim by claim, against what their authors had.

    INPUT is a CSV with query and <model>_response columns (and <model>_chat_id, which name traces), a run
    folder of the bench or of verifaible crypto, a JSONL or Markdown file. Rules decide what they can prove or
    refute; a judge model is asked for the rest, if one is named. Every verdict points to words in a sealed
    capture of the store.
    """


@judge.command(epilog="\b\nExample:\n  verifaible judge citations answers.csv --offline")
@_with_input
def citations(**options: Any) -> None:
    """Check each claim against what it cites: direct, derivable, incorrect, missing, not needed."""
    _run(("citations",), options)


@judge.command(epilog="\b\nExample:\n  verifaible judge hallucination answers.csv --offline")
@_with_input
def hallucination(**options: Any) -> None:
    """Check each claim against all sources: exact, derivable, fabricated, contradiction."""
    _run(("hallucination",), options)


@judge.command(epilog="\b\nExample:\n  verifaible judge rubric answers.csv --judge deepseek-r1")
@_with_input
def rubric(**options: Any) -> None:
    """Let a judge score each answer from 1 to 10: temporal relevance, data consistency, depth, relevance."""
    _run(("rubric",), options)


@judge.command(epilog="\b\nExample:\n  verifaible judge taxonomy answers.csv --judge deepseek-r1")
@_with_input
def taxonomy(**options: Any) -> None:
    """Let a judge look for the seven categories of error in each answer."""
    _run(("taxonomy",), options)


@judge.command(name="all", epilog="\b\nExample:\n  verifaible judge all answers.csv --offline")
@_with_input
def all_(**options: Any) -> None:
    """Do all of it: citations, hallucination, rubric and taxonomy."""
    from verifaible.schema.judged import PROTOCOLS

    _run(PROTOCOLS, options)


@judge.command(epilog="\b\nExample:\n  verifaible judge report latest")
@click.argument("folder")
@_json
def report(folder: str, as_json: bool) -> None:
    """Write the reports of FOLDER again: report.html, report.md, tables.json and the CSV files."""
    from verifaible.judge.command import find_folder, show
    from verifaible.judge.report import write_outputs

    found = find_folder(read_settings(), folder)
    write_outputs(found)
    show(found, as_json=as_json)


@judge.command(epilog="\b\nExample:\n  verifaible judge compare BEFORE AFTER")
@click.argument("before")
@click.argument("after")
@_json
def compare(before: str, after: str, as_json: bool) -> None:
    """Compare two folders of judging over the same queries, model by model: what changed, and how surely."""
    from verifaible.judge.command import find_folder, show_tables
    from verifaible.judge.compare import before_and_after

    settings = read_settings()
    tables = before_and_after(find_folder(settings, before), find_folder(settings, after))
    show_tables(tables, as_json=as_json)


@judge.command(epilog="\b\nExample:\n  verifaible judge sheet latest --annotator Ann --output ann.csv")
@click.argument("folder")
@click.option("--annotator", required=True, metavar="NAME", help="Who will fill it in.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file, which must not exist. Default: annotations.csv of the folder.",
)
@_json
def sheet(folder: str, annotator: str, output: Path | None, as_json: bool) -> None:
    """Write an empty CSV sheet in which a person annotates the answers and claims of FOLDER."""
    from verifaible.judge.annotations import FILE, write_sheet
    from verifaible.judge.command import find_folder

    found = find_folder(read_settings(), folder)
    path = output or found.path / FILE
    count = write_sheet(found, annotator, path)
    if as_json:
        click.echo(json.dumps({"path": str(path), "lines": count}, indent=2))
    click.echo(f"Written: {path}, {count} lines. Fill in the column value.", err=True)


@judge.command(epilog="\b\nExample:\n  verifaible judge agreement latest --annotations people.csv")
@click.argument("folder")
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
    from verifaible.judge.command import find_folder, show_tables

    found = find_folder(read_settings(), folder)
    if not files and not (found.path / FILE).is_file():
        raise ConfigError(
            f"There is no {FILE} in {found.path}. Let people fill in a sheet (verifaible judge sheet), or "
            "name their files."
        )
    said = read_annotations(found, *files)
    for fault in said.faults:
        click.echo(f"line {fault.line}: {fault.message}", err=True)
    show_tables(agreement_of(found, said), as_json=as_json)


@judge.command(epilog="\b\nExample:\n  verifaible judge verify latest")
@click.argument("folder")
@_json
@click.pass_context
def verify(context: click.Context, folder: str, as_json: bool) -> None:
    """Look again at every passage of FOLDER in the captures of the store, to the byte.

    Exits with 0 if each supported claim points to words, and all words stand where they should, else with 1.
    """
    from verifaible.evidence.sources import SourceTexts
    from verifaible.judge.command import find_folder
    from verifaible.judge.reverify import reverify
    from verifaible.store.store import Store

    settings = read_settings()
    judged = find_folder(settings, folder)
    with closing(Store.open(settings)) as store:
        found = reverify(judged, SourceTexts(store))
    if as_json:
        click.echo(
            json.dumps({"ok": found.ok, **found.model_dump(mode="json")}, ensure_ascii=False, indent=2)
        )
    else:
        holding = found.passages - len(found.broken)
        share = f" ({_percent(holding, found.passages)})" if found.passages else ""
        click.echo(
            f"{found.claims} claims, {found.supported} of them supported; {found.passages} passages, "
            f"{holding} of them hold{share}."
        )
        for each in found.broken:
            click.echo(f"{each.answer} {each.claim}: {each.fault}")
        for name in found.unsupported:
            click.echo(f"{name}: called supported, and points to nothing.")
    if not found.ok:
        context.exit(1)


def _percent(part: int, whole: int) -> str:
    """A share that says 100 % only where it is all."""
    return "100 %" if part == whole else f"{int(1000 * part / whole) / 10:.1f} %"


def _run(protocols: tuple[Protocol, ...], options: dict[str, Any]) -> None:
    from verifaible.judge.command import Options, run, show

    chosen = Options(protocols=protocols, **options)
    folder = run(read_settings(chosen.base_url), chosen)
    show(folder, as_json=chosen.as_json)
    click.echo(f"Results: {folder.path}", err=True)
