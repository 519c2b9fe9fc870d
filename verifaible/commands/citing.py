"""``verifaible cite``: one citation, without any model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifaible.bench.environment import live_options, read_settings
from verifaible.bench.options import web_option
from verifaible.commands.progress import working
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.evidence.make.collect import Collected
    from verifaible.evidence.store.store import Store


@click.command()
@click.argument("url")
@click.option("--quote", default="", help="Exact words of the page, PDF or video.")
@click.option("--near", default="", help="A short text in or beside the quote, if it stands there twice.")
@click.option("--row", multiple=True, help="Row header of a table cell; repeat for a path.")
@click.option("--col", multiple=True, help="Column header of a table cell; repeat for a path.")
@click.option("--page", type=click.IntRange(1), help="Page of a PDF.")
@click.option("--at", help="When it is said in a video: 4:07, or seconds.")
@click.option("--selector", default="", help="CSS selector of the table or the image.")
@click.option("--alt", default="", help="Alternative text of the image.")
@click.option("--position", default="", help="A point on the image, in pixels from the page's corner: X,Y.")
@click.option(
    "--type",
    "kind",
    type=click.Choice(["text", "table", "pdf", "video", "image"]),
    help="Kind of evidence, if the other options do not tell.",
)
@click.option("--claim", default="", help="The statement that this supports.")
@click.option(
    "--steps",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON file with action steps to play first.",
)
@web_option
@live_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cite(url: str, steps: Path | None, web: str, as_json: bool, **options: Any) -> None:
    """Make one citation of URL, without any model.

    \b
    Examples:
      verifaible cite https://example.com --quote "Example Domain"
      verifaible cite https://example.com/rates --row 02/06/2026 --col "10 Yr" --json
      verifaible cite https://example.com/report.pdf --quote "net assets" --page 2
    """
    arguments = _cite_arguments(url, steps, options)
    with working(f"Citing {url}"):
        collected, store = asyncio.run(_cite(arguments, offline=web == "offline"))
    if as_json:
        click.echo(json.dumps(_made(collected, store), ensure_ascii=False, indent=2))
        return
    from verifaible.evidence.observing.sentence import told
    from verifaible.tools.cite import where

    citation = collected.citation
    click.echo(citation.id)
    click.echo(
        f"Verified: {where(citation.anchor)} of {citation.document_url or citation.final_url}:", err=True
    )
    click.echo(told(citation.anchor), err=True)
    click.echo(f"Replay it with: verifaible replay {citation.id}", err=True)


def _cite_arguments(url: str, steps: Path | None, options: dict[str, Any]) -> dict[str, Any]:
    """The options as arguments of the API, so that all doors check the same."""
    return {
        "url": url,
        "claim": options["claim"],
        "quote": options["quote"],
        "near": options["near"],
        "row": options["row"],
        "column": options["col"],
        "page_number": options["page"],
        "at": options["at"],
        "selector": options["selector"],
        "alt": options["alt"],
        "position": options["position"],
        "evidence_type": options["kind"],
        "steps": _text_of(steps) if steps else "",
    }


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"--steps {path}: cannot be read ({error.strerror}). Name another file.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"--steps {path}: is not UTF-8 text ({error}). Save it as UTF-8.") from error


async def _cite(arguments: dict[str, Any], *, offline: bool) -> tuple[Collected, Store]:
    from verifaible.api import Verifaible

    async with Verifaible(read_settings(), web="offline" if offline else "live") as house:
        return await house.collect(**arguments), house.store


def _made(collected: Collected, store: Store) -> dict[str, Any]:
    from verifaible.evidence.observing.sentence import as_json
    from verifaible.evidence.store.store import capture_file

    citation = collected.citation
    return {
        "id": citation.id,
        "verdict": collected.check.verdict,
        "text": citation.anchor.text,
        **as_json(citation.anchor),
        "capture": f"{store.location}/{capture_file(citation.capture.sha256)}",
        "citation": citation.model_dump(mode="json"),
        "check": collected.check.model_dump(mode="json"),
    }
