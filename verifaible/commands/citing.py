"""``verifaible cite``: one citation, without any model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifaible.bench.environment import live_options, read_settings, steps_of
from verifaible.bench.options import web_option
from verifaible.commands.progress import working
from verifaible.errors import ConfigError, worded

if TYPE_CHECKING:
    from verifaible.evidence.cite import Collected
    from verifaible.evidence.request import CiteRequest
    from verifaible.store.store import Store


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
    "--claim",
    default="",
    help="What this supports. Default: the quote, or the cell with its headers.",
)
@click.option(
    "--steps",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON file with action steps to play first.",
)
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
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --from: the .csv or .json file that gets a line for each row. Default: FILE.cited.csv.",
)
@click.option("--resume", is_flag=True, help="With --from: go on with that file; what is cited in it stays.")
@live_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cite(url: str | None, steps: Path | None, web: str, as_json: bool, **options: Any) -> None:
    """Make one citation of URL, or one for each row of a table, without any model.

    \b
    Examples:
      verifaible cite https://example.com --quote "Example Domain"
      verifaible cite https://example.com/rates --row 02/06/2026 --col "10 Yr" --json
      verifaible cite https://example.com/report.pdf --quote "net assets" --page 2
      verifaible cite --from quotes.csv --out cited.csv
    """
    table, out, resume = (options.pop(name) for name in ("table", "out", "resume"))
    if table is not None:
        _fit_together(url, steps, options, as_json=as_json)
        from verifaible.commands.citing_many import cite_many

        cite_many(table, out, offline=web == "offline", resume=resume)
        return
    if url is None or out is not None or resume:
        raise ConfigError("Give the URL to cite, or a table with --from; --out and --resume need --from.")
    from verifaible.evidence.request import cite_request

    # What a person reads of an argument is what a person types.
    names = {
        str(each.name): each.human_readable_name if isinstance(each, click.Argument) else each.opts[0]
        for each in click.get_current_context().command.params
    }
    with worded(names):
        request = cite_request(url, steps=steps_of(steps) if steps else (), **options)
        with working(f"Citing {url}"):
            collected, store = asyncio.run(_cite(request, offline=web == "offline"))
    if as_json:
        click.echo(json.dumps(_made(collected, store), ensure_ascii=False, indent=2))
        return
    from verifaible.evidence.shown import told, where

    citation = collected.citation
    click.echo(citation.id)
    click.echo(
        f"Verified: {where(citation.anchor, names)} of {citation.document_url or citation.final_url}:",
        err=True,
    )
    click.echo(told(citation.anchor), err=True)
    if citation.replay == "snapshot":
        click.echo(citation.graded, err=True)
    click.echo(f"Replay it with: verifaible replay {citation.id}", err=True)


def _fit_together(url: str | None, steps: Path | None, options: dict[str, Any], *, as_json: bool) -> None:
    if url or steps or as_json or any(options.values()):
        raise ConfigError(
            "With --from each row says what to cite. Leave out URL, --json and the options of a single "
            "citation."
        )


async def _cite(request: CiteRequest, *, offline: bool) -> tuple[Collected, Store]:
    from verifaible.api import Verifaible

    async with Verifaible(read_settings(), web="offline" if offline else "live") as v:
        return await v.collect(request), v.store


def _made(collected: Collected, store: Store) -> dict[str, Any]:
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
        "capture": f"{store.location}/{capture_file(citation.capture.sha256)}",
        "citation": citation.model_dump(mode="json"),
        "check": collected.check.model_dump(mode="json"),
    }
