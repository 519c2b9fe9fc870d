"""``verifaible check``: any text, claim by claim, against the sources that it names."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import click

from verifaible.bench.environment import live_options, read_settings
from verifaible.bench.options import Amount, web_option
from verifaible.commands.ages import age_of
from verifaible.commands.progress import counting_stages
from verifaible.errors import ConfigError, InfrastructureError, StoreError, ToolError

Form: TypeAlias = Literal["html", "json", "sarif", "md"]

if TYPE_CHECKING:
    from verifaible.check.run import Progress
    from verifaible.schema.checked import Checked
    from verifaible.store.store import Store

#: The form of an output, by the ending of its name.
_FORMS: Final[dict[str, Form]] = {
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".sarif": "sarif",
    ".md": "md",
    ".markdown": "md",
}
#: The check itself failed: the text was not compared with its sources to the end.
FAILED: Final = 4


@click.command()
@click.argument("source", metavar="FILE|URL|-")
@click.option(
    "--sources",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Files to take sources from, named by number, id or as the address ends; or a JSON list.",
)
@click.option(
    "--judge", "judge_name", metavar="MODEL", help="Who decides what rules leave open: a model, or nli."
)
@click.option(
    "--out",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a report; its ending tells the form: .html, .json, .sarif or .md. Repeat for several.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--max-age", default="24h", show_default=True, help="How old a visit may be: 30m, 24h, 7d.")
@click.option("--again", is_flag=True, help="Open every source again.")
@click.option(
    "--allow-undecided", is_flag=True, help="Exit with 0 where claims are only undecided or unreadable."
)
@web_option
@click.option("--max-cost", type=Amount(), help="US dollars that the judge may cost.")
@click.option("--base-url", help="OpenAI-compatible endpoint of the judge.")
@click.option("--api", type=click.Choice(["responses", "chat"]), help="API to ask the judge in.")
@live_options
def check(source: str, outputs: tuple[Path, ...], **options: Any) -> None:
    """Check the claims of a text against the sources it names: links, footnotes, [1], (Author, 2023), [@v:1].

    The text is Markdown, HTML, PDF, DOCX, plain text, a page by its address, or - for standard input. Each
    source is opened once and sealed in the store; what supports or contradicts a claim becomes a citation.

    \b
    Exit status: 0 every checkable claim is supported; 1 something is contradicted or not in its source, a
    quotation altered, a source gone or made up; 3 none of these, but something is undecided, unreadable or
    without a source; 4 the check failed; 2 wrong use.

    \b
    Examples:
      verifaible check report.md --out report.html
      verifaible check https://example.com/article --judge glm-5
      pbpaste | verifaible check - --json
    """
    from verifaible.check.view import exit_status

    forms = [report_form(path) for path in outputs]
    data = sys.stdin.buffer.read() if source == "-" else None
    with _failures(), counting_stages() as progress:
        checked = asyncio.run(_checked(source, data, options, progress))
    write_reports(checked, outputs, forms)
    if options["as_json"]:
        click.echo(json.dumps(checked.model_dump(mode="json"), ensure_ascii=False, indent=2))
    else:
        _show(checked)
    if status := exit_status(checked, allow_undecided=options["allow_undecided"]):
        raise click.exceptions.Exit(status)


async def _checked(source: str, data: bytes | None, options: dict[str, Any], progress: Progress) -> Checked:
    from verifaible.api import Verifaible

    age = timedelta(0) if options["again"] else age_of("--max-age", options["max_age"])
    settings = read_settings(options["base_url"])
    async with Verifaible(settings, web=options["web"]) as verifier:
        return await verifier.check(
            source,
            data=data,
            sources=options["sources"],
            judge=options["judge_name"] or "",
            max_age=age,
            max_cost_usd=options["max_cost"],
            api=options["api"],
            progress=progress,
        )


def write_reports(
    checked: Checked, outputs: Sequence[Path], forms: Sequence[Form], store: Store | None = None
) -> None:
    """Write reports to files; those that are pages show the pictures of a store: the settings' by default."""
    from verifaible.check.report import write
    from verifaible.store.store import Store

    if store is None and "html" in forms and any(each.citations for each in checked.claims):
        store = Store.open(read_settings())
    for path, form in zip(outputs, forms, strict=True):
        write(checked, path, form, store)
        click.echo(f"Report: {path}", err=True)


def _show(checked: Checked) -> None:
    from rich.console import Console

    from verifaible.check.report import terminal

    Console().print(terminal(checked))


def report_form(path: Path) -> Form:
    """The form of a report by the ending of its name.

    Raises:
        ConfigError: no form has it, or there is no such folder.
    """
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise ConfigError(f"--out {path}: unknown extension. Use {', '.join(_FORMS)}.")
    if not path.absolute().parent.is_dir():
        raise ConfigError(f"--out {path}: its folder does not exist. Create it, or name another file.")
    return form


@contextmanager
def _failures() -> Iterator[None]:
    """A check that failed has a status of its own: it must not look like one that found something."""
    try:
        yield
    except (ToolError, InfrastructureError, StoreError) as error:
        click.echo(f"The check failed: {error}", err=True)
        raise click.exceptions.Exit(FAILED) from error
