"""``verifaible ask``: questions answered with evidence."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from verifaible.bench.environment import live_options, read_settings
from verifaible.bench.options import Amount, api_option, base_url_option, web_option
from verifaible.commands.progress import working
from verifaible.commands.texts import report_form, write_reports
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.agent.base import Event
    from verifaible.agent.loop import Limits
    from verifaible.check.ask import Answered
    from verifaible.config import Settings
    from verifaible.llm.catalogue import Api
    from verifaible.store.store import Store


@click.command()
@click.argument("question")
@click.option("--url", default="", help="A page to start from. Default: the model searches.")
@click.option("--model", required=True, help="Who answers: a name as for `verifaible bench --model`.")
@web_option
@click.option(
    "--max-rounds",
    type=click.IntRange(1, 500),
    default=30,
    show_default=True,
    help="Answers of the model, the correction included.",
)
@click.option("--max-tokens", type=click.IntRange(1), help="Tokens, input and output together.")
@click.option("--max-seconds", type=Amount(), help="Seconds of work.")
@click.option("--max-cost", type=Amount(), help="US dollars.")
@base_url_option
@api_option
@live_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a report of the check: .html with the evidence, .json, .sarif or .md.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def ask(question: str, **options: Any) -> None:
    """Let a model answer QUESTION from web pages, with a marker behind every number and name.

    Each claim is compared with the citations it marks, as `verifaible check` does; the model is told once
    which claims lack evidence, and may mend its answer. The answer is printed as Markdown with the ids of its
    citations; what lacks evidence still is marked so. Exits with 0 if no claim lacks evidence, else with 1.

    \b
    Examples:
      verifaible ask "What is the population of Zhengzhou?" --model glm-5 --out answer.html
      verifaible ask "Who dissented?" --url https://www.federalreserve.gov/ --model kimi-k2.5 --max-cost 0.5
    """
    from verifaible.agent.loop import Limits

    out: Path | None = options["out"]
    if out is not None:
        report_form(out)
    _check_question(question, options["url"])
    limits = Limits(
        rounds=options["max_rounds"],
        tokens=options["max_tokens"],
        seconds=options["max_seconds"],
        cost_usd=options["max_cost"],
    )
    settings = read_settings(options["base_url"])
    answered, store = asyncio.run(_asked(settings, question, limits, options))
    if out is not None and answered.answer:
        write_reports(answered.checked, [out], [report_form(out)], store)
    if options["as_json"]:
        click.echo(json.dumps(_answered(answered), ensure_ascii=False, indent=2))
    elif answered.answer:
        click.echo(answered.text, nl=False)
    _say_how_it_went(answered)
    if not answered.ok:
        raise click.exceptions.Exit(1)


def _check_question(question: str, url: str) -> None:
    from verifaible.reporting.pages import is_link

    if not question.strip():
        raise ConfigError("The question is empty. Ask something.")
    if url and not is_link(url):
        raise ConfigError(
            f"--url {url}: is not a web address. Give one that begins with https:// or http://."
        )


async def _asked(
    settings: Settings, question: str, limits: Limits, options: dict[str, Any]
) -> tuple[Answered, Store]:
    from verifaible.check import ask as asking
    from verifaible.llm.catalogue import BUILT_IN
    from verifaible.llm.opening import open_model
    from verifaible.store.store import Store

    name: str = options["model"]
    if name in BUILT_IN:
        raise ConfigError(f"--model {name}: answers only the bench's cases. Name a model, such as glm-5.")
    opened = open_model(name, settings, cast("Api | None", options["api"]))
    try:
        if limits.cost_usd is not None and not opened.priced:
            raise ConfigError(
                f"What {name} costs is not known here, so --max-cost would have no effect. Leave it out, "
                "or use --max-tokens."
            )
        store = Store.open(settings)
        offline = options["web"] == "offline"
        async with asking.session(settings, store, offline=offline) as context:
            with working(f"Asking {name}"):
                answered = await asking.ask(
                    question,
                    client=opened.client,
                    context=context,
                    store=store,
                    url=options["url"],
                    model=name,
                    limits=limits,
                    watch=_tell,
                )
    finally:
        await opened.client.aclose()
    return answered, store


def _tell(event: Event) -> None:
    """A line for each call of a tool."""
    from verifaible.schema.run import ToolEvent

    if isinstance(event, ToolEvent):
        made = f" [@v:{event.citation}]" if event.citation else ""
        failed = f" {event.error_code}" if event.error_code else ""
        click.echo(f"{event.round}. {event.name}{made}{failed}", err=True)


def _say_how_it_went(answered: Answered) -> None:
    from verifaible.check.view import View

    outcome, usage = answered.outcome, answered.outcome.usage
    if outcome.error:
        click.echo(outcome.error, err=True)
    if answered.answer:
        mended = ", after one correction" if answered.mended else ""
        click.echo(f"{View(answered.checked).coverage.removesuffix('.')}{mended}.", err=True)
    cost = "cost unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} US dollars"
    click.echo(
        f"{outcome.rounds} rounds, {outcome.tool_calls} tool calls, {usage.input_tokens:,} tokens in, "
        f"{usage.output_tokens:,} out, {cost}",
        err=True,
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
