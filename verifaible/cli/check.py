"""``verifaible check`` and ``ask``: texts and answers, claim by claim, against their evidence."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

import click

from verifaible.cli.program import within
from verifaible.console.options import (
    Age,
    Amount,
    api_option,
    base_url_option,
    json_option,
    limit_options,
    live_options,
    read_settings,
    web_option,
)
from verifaible.console.output import counting_stages, form_of, say, show, show_json, show_tables, working
from verifaible.errors import InfrastructureError, StoreError, ToolError

if TYPE_CHECKING:
    from verifaible.agent.base import Event
    from verifaible.check.ask import Answered
    from verifaible.schema.checked import Checked

_Form: TypeAlias = Literal["html", "json", "sarif", "md"]
#: The form of a report, by the ending of its name.
_FORMS: Final = {
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
@click.option("--judge", metavar="MODEL", help="Who decides what rules leave open: a model, or nli.")
@click.option(
    "--output",
    "-o",
    "--out",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a report; its ending tells the form: .html, .json, .sarif or .md. Repeat for several.",
)
@json_option
@click.option(
    "--max-age", type=Age(), default="24h", show_default=True, help="How old a visit may be: 30m, 24h, 7d."
)
@click.option("--again", is_flag=True, help="Open every source again.")
@click.option(
    "--allow-undecided", is_flag=True, help="Exit with 0 where claims are only undecided or unreadable."
)
@web_option
@click.option("--max-cost", type=Amount(), help="US dollars that the judge may cost.")
@base_url_option
@api_option
@live_options
def check(source: str, outputs: tuple[Path, ...], as_json: bool, **options: Any) -> None:
    """Check the claims of a text against the sources it names: links, footnotes, [1], (Author, 2023), [@v:1].

    The text is Markdown, HTML, PDF, DOCX, plain text, a page by its address, or - for standard input. Each
    source is opened once and sealed in the store; what supports or contradicts a claim becomes a citation.

    \b
    Exit status: 0 every checkable claim is supported; 1 something is contradicted or not in its source, a
    quotation altered, a source gone or made up; 3 none of these, but something is undecided, unreadable or
    without a source; 4 the check failed; 2 wrong use.

    \b
    Examples:
      verifaible check report.md --output report.html
      verifaible check https://example.com/article --judge glm-5
      pbpaste | verifaible check - --json
    """
    from verifaible.check.report import terminal
    from verifaible.check.view import exit_status

    forms = [form_of(path, _FORMS) for path in outputs]
    data = sys.stdin.buffer.read() if source == "-" else None
    with _failures(), counting_stages() as progress:
        checked = within(
            lambda client: client.check(
                source,
                data=data,
                sources=options["sources"],
                judge=options["judge"] or "",
                max_age=timedelta(0) if options["again"] else options["max_age"],
                max_cost_usd=options["max_cost"],
                api=options["api"],
                progress=progress,
            ),
            web=options["web"],
            base_url=options["base_url"],
        )
    _write_reports(checked, outputs, forms)
    if as_json:
        show_json(checked)
    else:
        show_tables([terminal(checked)])
    if status := exit_status(checked, allow_undecided=options["allow_undecided"]):
        raise click.exceptions.Exit(status)


@click.command()
@click.argument("question")
@click.option("--url", default="", help="A page to start from. Default: the model searches.")
@click.option("--model", required=True, help="Who answers: a name as for `verifaible bench --model`.")
@web_option
@limit_options("Answers of the model, the correction included.")
@base_url_option
@api_option
@live_options
@click.option(
    "--output",
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a report of the check: .html with the evidence, .json, .sarif or .md.",
)
@json_option
def ask(question: str, output: Path | None, as_json: bool, **options: Any) -> None:
    """Let a model answer QUESTION from web pages, with a marker behind every number and name.

    Each claim is compared with the citations it marks, as `verifaible check` does; the model is told once
    which claims lack evidence, and may mend its answer. The answer is printed as Markdown with the ids of its
    citations; what lacks evidence still is marked so. Exits with 0 if no claim lacks evidence, else with 1.

    \b
    Examples:
      verifaible ask "What is the population of Zhengzhou?" --model glm-5 --output answer.html
      verifaible ask "Who dissented?" --url https://www.federalreserve.gov/ --model kimi-k2.5 --max-cost 0.5
    """
    from verifaible.agent.loop import Limits

    forms = [form_of(output, _FORMS)] if output is not None else []
    limits = Limits(
        rounds=options["max_rounds"],
        tokens=options["max_tokens"],
        seconds=options["max_seconds"],
        cost_usd=options["max_cost"],
    )
    with working(f"Asking {options['model']}"):
        answered = within(
            lambda client: client.ask(
                question,
                model=options["model"],
                url=options["url"],
                limits=limits,
                api=options["api"],
                watch=_tell,
            ),
            web=options["web"],
            base_url=options["base_url"],
        )
    if output is not None and answered.answer:
        _write_reports(answered.checked, [output], forms)
    if as_json:
        show_json(_answered(answered))
    elif answered.answer:
        show(answered.text.removesuffix("\n"))
    _say_how_it_went(answered)
    if not answered.ok:
        raise click.exceptions.Exit(1)


def _tell(event: Event) -> None:
    """A line for each call of a tool."""
    from verifaible.schema.run import ToolEvent

    if isinstance(event, ToolEvent):
        made = f" [@v:{event.citation}]" if event.citation else ""
        failed = f" {event.error_code}" if event.error_code else ""
        say(f"{event.round}. {event.name}{made}{failed}")


def _say_how_it_went(answered: Answered) -> None:
    from verifaible.check.view import View

    outcome, usage = answered.outcome, answered.outcome.usage
    if outcome.error:
        say(outcome.error)
    if answered.answer:
        mended = ", after one correction" if answered.mended else ""
        say(f"{View(answered.checked).coverage.removesuffix('.')}{mended}.")
    cost = "cost unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} US dollars"
    say(
        f"{outcome.rounds} rounds, {outcome.tool_calls} tool calls, {usage.input_tokens:,} tokens in, "
        f"{usage.output_tokens:,} out, {cost}"
    )


def _answered(answered: Answered) -> dict[str, Any]:
    from verifaible.evidence.shown import as_json, link_of
    from verifaible.schema.checked import CLAIM_VERDICTS

    checked, outcome = answered.checked, answered.outcome
    citations = [
        {
            "id": each.id,
            "claim": each.claim,
            "text": each.anchor.text,
            **as_json(each.anchor),
            "source_url": each.source_url,
            "link": link_of(each),
        }
        for each in answered.citations.values()
    ]
    return {
        "ok": answered.ok,
        "question": answered.question,
        "answer": answered.answer,
        "summary": {verdict: checked.count(verdict) for verdict in CLAIM_VERDICTS},
        **checked.model_dump(mode="json", include={"claims", "sources", "faults"}),
        "citations": citations,
        "model": answered.model,
        "text": answered.text if answered.answer else "",
        "numbers": {number: each.id for number, each in answered.citations.items()},
        "mended": answered.mended,
        "ended_by": outcome.ended_by,
        "error": outcome.error,
        "rounds": outcome.rounds,
        "tool_calls": outcome.tool_calls,
        "usage": outcome.usage.model_dump(mode="json"),
    }


def _write_reports(checked: Checked, outputs: Sequence[Path], forms: Sequence[str]) -> None:
    """Write reports to files; those that are pages show the pictures of the store."""
    from verifaible.check.report import write
    from verifaible.store.store import Store

    pictures = "html" in forms and any(each.citations for each in checked.claims)
    store = Store.open(read_settings()) if pictures else None
    for path, form in zip(outputs, forms, strict=True):
        write(checked, path, cast("_Form", form), store)
        say(f"Report: {path}")


@contextmanager
def _failures() -> Iterator[None]:
    """A check that failed has a status of its own: it must not look like one that found something."""
    try:
        yield
    except (ToolError, InfrastructureError, StoreError) as error:
        say(f"The check failed: {error}")
        raise click.exceptions.Exit(FAILED) from error
