"""``verifaible cite`` and ``seal``: citations without any model, and pages kept without a citation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from verifaible.cli.program import within
from verifaible.console.options import json_option, live_options, steps_of, steps_option, web_option
from verifaible.console.output import counting, say, show, show_json, working
from verifaible.errors import ConfigError, worded

if TYPE_CHECKING:
    from verifaible.evidence.cite import Collected


@click.command()
@click.argument("url", required=False)
@click.option("--quote", default="", help="Exact words of the page, PDF or video.")
@click.option("--near", default="", help="A short text in or beside the quote, if it stands there twice.")
@click.option("--row", multiple=True, help="Row header of a table cell; repeat for a path.")
@click.option("--col", "column", multiple=True, help="Column header of a table cell; repeat for a path.")
@click.option("--page", "page_number", type=click.IntRange(1), help="Page of a PDF.")
@click.option("--at", help="When it is said in a video: 4:07, or seconds.")
@click.option("--selector", default="", help="CSS selector of the table or the image.")
@click.option("--alt", default="", help="Alternative text of the image.")
@click.option("--position", default="", help="A point on the image, in pixels from the page's corner: X,Y.")
@click.option(
    "--type",
    "evidence_type",
    type=click.Choice(["text", "table", "pdf", "video", "image"]),
    help="Kind of evidence, if the other options do not tell.",
)
@click.option(
    "--claim", default="", help="What this supports. Default: the quote, or the cell with its headers."
)
@steps_option
@web_option
@click.option(
    "--from",
    "table",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Cite each row: columns url, quote, claim, near, row, column, page, at, selector, alt, position, "
    "type, steps.",
)
@click.option(
    "--output",
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --from: the CSV file that gets a line for each row. Default: FILE.cited.csv.",
)
@click.option("--resume", is_flag=True, help="With --from: go on with that file; what is cited in it stays.")
@live_options
@json_option
def cite(
    url: str | None, steps: Path | None, web: Literal["live", "offline"], as_json: bool, **options: Any
) -> None:
    """Make one citation of URL, or one for each row of a table, without any model.

    \b
    Examples:
      verifaible cite https://example.com --quote "Example Domain"
      verifaible cite https://example.com/rates --row 02/06/2026 --col "10 Yr" --json
      verifaible cite https://example.com/report.pdf --quote "net assets" --page 2
      verifaible cite --from quotes.csv --output cited.csv
    """
    table, output, resume = (options.pop(name) for name in ("table", "output", "resume"))
    if table is not None:
        if url or steps or as_json or any(options.values()):
            raise ConfigError(
                "With --from each row says what to cite. Leave out URL, --json and the options of a single "
                "citation."
            )
        _cite_table(table, output, web, resume=resume)
        return
    if url is None or output is not None or resume:
        raise ConfigError("Give the URL to cite, or a table with --from; --output and --resume need --from.")
    from verifaible.evidence.request import cite_request

    # What a person reads of an argument is what a person types.
    names = {
        str(each.name): each.human_readable_name if isinstance(each, click.Argument) else each.opts[0]
        for each in click.get_current_context().command.params
    }
    with worded(names):
        request = cite_request(url, steps=steps_of(steps) if steps else (), **options)
        with working(f"Citing {url}"):
            collected = within(lambda client: client.collect(request), web=web)
    if as_json:
        show_json(_made(collected))
    else:
        _show(collected)


def _cite_table(table: Path, output: Path | None, web: Literal["live", "offline"], *, resume: bool) -> None:
    with counting("Citing") as progress:
        done = within(
            lambda client: client.cite_table(table, output, resume=resume, progress=progress), web=web
        )
    for number, why in done.failed.items():
        say(f"row {number}: {why}")
    say(f"{done.rows - len(done.failed)} of {done.rows} cited: {done.path}")
    if done.failed:
        raise click.exceptions.Exit(1)


def _show(collected: Collected) -> None:
    from verifaible.evidence.shown import told, where

    citation = collected.citation
    show(citation.id)
    place = where(citation.anchor)
    say(f"Verified: {place} of {citation.document_url or citation.final_url}:")
    say(told(citation.anchor))
    if citation.replay == "snapshot":
        say(citation.graded)
    say(f"Replay it with: verifaible replay {citation.id}")


def _made(collected: Collected) -> dict[str, Any]:
    from verifaible.console.options import read_settings
    from verifaible.evidence.shown import as_json
    from verifaible.store.sealed import capture_file

    citation = collected.citation
    return {
        "id": citation.id,
        "verdict": collected.check.verdict,
        "replay": citation.replay,
        "graded": citation.graded,
        "text": citation.anchor.text,
        **as_json(citation.anchor),
        "capture": f"{read_settings().store_location}/{capture_file(citation.capture.sha256)}",
        "citation": citation.model_dump(mode="json"),
        "check": collected.check.model_dump(mode="json"),
    }


@click.command()
@click.argument("url")
@web_option
@live_options
@json_option
def seal(url: str, web: Literal["live", "offline"], as_json: bool) -> None:
    """Keep URL in a sealed capture of the store, with all that can be read on it, without a citation.

    \b
    Example:
      verifaible seal https://example.com/report.pdf
    """
    with working(f"Sealing {url}"):
        opened = within(lambda client: client.seal(url), web=web)
    if as_json:
        show_json(opened)
        return
    show(opened.capture.sha256)
    say(f"Sealed: {opened.title or opened.final_url}")
    if opened.incomplete:
        say(f"Not all of it was read: {opened.incomplete}.")
