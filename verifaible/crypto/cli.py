"""``verifaible crypto``: questions of analysts answered with sealed sources; planning, rewards, surveys."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from verifaible.console.options import (
    SHORT_HELP,
    Amount,
    Day,
    api_option,
    base_url_option,
    json_option,
    read_settings,
    web_option,
)
from verifaible.errors import ConfigError, ToolError, UserError

if TYPE_CHECKING:
    from verifaible.agent.loop import Limits
    from verifaible.crypto.chat.conversations import ConversationInfo, Conversations
    from verifaible.crypto.chat.turn import Analyst

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FILE = click.Path(path_type=Path)


def _options(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_limits = _options(
    click.option(
        "--max-tokens", type=click.IntRange(1), help="Tokens of an answer, input and output together."
    ),
    click.option("--max-seconds", type=Amount(), help="Seconds of work on an answer. Default: 900."),
    click.option("--max-cost", type=Amount(), help="US dollars for an answer."),
)
_time = click.option(
    "--as-of", "--now", "as_of", type=Day(), metavar="TIME", help="Ask as of this time (ISO 8601)."
)
_endpoint = _options(base_url_option, api_option)
_asking = _options(
    click.option("--model", required=True, help="Who answers: a name as for `verifaible bench --model`."),
    web_option,
    click.option("--prefer-api", is_flag=True, help="Structured data go before search results."),
    click.option("--time-context", is_flag=True, help="Tell the model the time, the days asked about, ages."),
    click.option("--depth-prompts", is_flag=True, help="Tell the model what its kind of question needs."),
    click.option("--rewrite", is_flag=True, help="Let the model rewrite the question first."),
    _time,
    click.option(
        "--max-rounds",
        type=click.IntRange(1, 500),
        default=40,
        show_default=True,
        help="Answers of the model.",
    ),
    _limits,
    _endpoint,
)
_many = _options(
    click.option("--limit", type=click.IntRange(1), help="Only the first so many."),
    click.option(
        "--concurrency", type=click.IntRange(1, 32), default=1, show_default=True, help="Questions at once."
    ),
)


@click.group(context_settings=SHORT_HELP)
def crypto() -> None:
    """Answer questions of crypto analysts with data and pages that are sealed as evidence."""


@crypto.command()
@click.argument("query")
@_asking
@json_option
def ask(query: str, **options: Any) -> None:
    """Let a model write a long answer to QUERY, with a mark behind each claim.

    The answer is printed as Markdown, each number that lacks evidence marked, followed by its sources with
    the captures that hold them. Exits with 1 if there is no answer.

    \b
    Examples:
      verifaible crypto ask "Compare HYPE with other DEX projects" --model glm-5
      verifaible crypto ask "Where is the highest APY on USDC?" --model kimi-k2.5 --prefer-api --time-context
    """
    from verifaible.crypto.chat.terminal import Screen, annotated, lacking, summary
    from verifaible.crypto.run import Trial
    from verifaible.crypto.run import ask as answer
    from verifaible.reporting.tables import plain

    if not query.strip():
        raise ConfigError("The query is empty. Ask something.")

    async def answered() -> Trial:
        async with _analyst(options) as analyst:
            model, as_of = options["model"], options["as_of"]
            return await answer(query, analyst, model=model, as_of=as_of, watch=Screen(quiet=True).show)

    trial = asyncio.run(answered())
    if options["as_json"]:
        click.echo(trial.model_dump_json(indent=2))
    elif trial.end.type == "answered":
        click.echo("\n".join((annotated(trial.end), *lacking(trial.end), "")))
        for source in trial.end.sources:
            click.echo(
                f"[{source.id}] {plain(source.title)} {plain(source.url)} (capture {source.capture[:12]})"
            )
    click.echo(summary(trial.end), err=True)
    if trial.error:
        raise click.exceptions.Exit(1)


@crypto.command()
@click.argument("queries", metavar="QUERIES.csv", type=_FILE)
@_asking
@click.option("--output", "-o", type=_FILE, help="Folder of the run. Default: runs/crypto-MODEL.")
@_many
@click.option("--max-total-cost", type=Amount(), help="US dollars for the whole run.")
@json_option
def run(queries: Path, **options: Any) -> None:
    """Answer every query of a table with the columns query and tags.

    The folder takes answers.csv and output/MODEL/traces/ in the form of the public scripts, answers.jsonl
    with every source and its capture, and trials.jsonl. The same command again goes on where a run stopped.
    Exits with 1 if a query has no answer.

    \b
    Examples:
      verifaible crypto run dataset.csv --model glm-5 --output runs/glm-5-plain
      verifaible crypto run dataset.csv --model glm-5 --prefer-api --time-context --depth-prompts --limit 20
    """
    from verifaible.crypto.chat.terminal import Screen, summary
    from verifaible.crypto.run import RunReport, read_queries, run_queries
    from verifaible.crypto.runs import folder_name

    asked, model = read_queries(queries)[: options["limit"]], options["model"]

    async def answered() -> RunReport:
        async with _analyst(options, limited=options["max_total_cost"] is not None) as analyst:
            return await run_queries(
                asked,
                options["output"] or read_settings().runs_dir / f"crypto-{folder_name(model)}",
                analyst,
                model=model,
                as_of=options["as_of"],
                at_once=options["concurrency"],
                most_cost_usd=options["max_total_cost"],
                told=lambda trial, done, of: click.echo(f"{done}/{of} {summary(trial.end)}", err=True),
                watch=Screen(quiet=True).show,
            )

    report = asyncio.run(answered())
    if options["as_json"]:
        told = {
            "folder": str(report.folder),
            "queries": len(asked),
            "answered": report.answered,
            "not_asked": report.left,
            "usage": report.usage.model_dump(),
        }
        click.echo(json.dumps(told, indent=2))
    else:
        left = f", {report.left} not asked" if report.left else ""
        click.echo(f"{report.answered} of {len(asked)} queries answered{left}: {report.folder}")
    if report.answered < len(asked):
        raise click.exceptions.Exit(1)


def _analyst(options: dict[str, Any], *, limited: bool = False) -> AbstractAsyncContextManager[Analyst]:
    """The model of a single question, with every tool."""
    from verifaible.crypto.chat.analyst import analyst
    from verifaible.crypto.chat.conversations import ConversationInfo
    from verifaible.crypto.query import Switches

    model, as_of = options["model"], options["as_of"]
    info = ConversationInfo(
        started_at=datetime.now(UTC), caller=model, answerer=model, web=options["web"], as_of=as_of
    )
    return analyst(
        read_settings(options["base_url"]),
        info,
        preset="react",
        switches=Switches(**{name: options[name] for name in Switches.model_fields}),
        rewriting=options["rewrite"],
        api=options["api"],
        limits=_turn_limits(options),
        limited=limited,
    )


def _turn_limits(options: dict[str, Any]) -> Limits:
    from verifaible.agent.loop import Limits

    return Limits(
        rounds=options.get("max_rounds", 40),
        tokens=options["max_tokens"],
        seconds=options["max_seconds"] or 900.0,
        cost_usd=options["max_cost"],
    )


@crypto.command()
@click.option("--model", help="Who chooses tools and who writes: a name as for `verifaible bench --model`.")
@click.option("--caller", help="Who chooses the tools, if another than --model.")
@click.option("--answerer", help="Who writes, if another than --model.")
@web_option
@_time
@click.option("--once", metavar="QUESTION", help="Ask this, print the answer, end.")
@click.option("--resume", metavar="ID", help="Go on with a conversation.")
@click.option("--list", "listing", is_flag=True, help="List the conversations.")
@click.option("--delete", metavar="ID", help="Delete a conversation; its sources stay in the store.")
@_limits
@_endpoint
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each event or conversation.")
def chat(**options: Any) -> None:
    """Talk to an analyst of crypto assets whose every number points into stored data.

    One model calls tools, another writes from their results. Questions are read line by line, also through a
    pipe; `verifaible serve` shows the evidence of each number. With --once, exits with 1 if there is no
    answer. This is information and no advice, and nothing is traded.

    \b
    Examples:
      verifaible crypto chat --model glm-5
      verifaible crypto chat --caller qwen3-8b --answerer glm-5 --once "How did ETH move this week?"
      verifaible crypto chat --resume 20261123T150000Z-chat
      verifaible crypto chat --list
    """
    from verifaible.crypto.chat.conversations import Conversations
    from verifaible.crypto.chat.terminal import listed

    conversations = Conversations(read_settings().conversations_dir)
    if options["listing"]:
        listed(conversations, as_json=options["as_json"])
    elif options["delete"] is not None:
        click.echo(f"Deleted: {conversations.delete(options['delete'])}", err=True)
    elif not _talked(conversations, options):
        raise click.exceptions.Exit(1)


def _talked(conversations: Conversations, options: dict[str, Any]) -> bool:
    """Hold a conversation; whether its last turn has an answer."""
    from verifaible.crypto.chat.terminal import converse, lines

    once: str | None = options["once"]
    if once is not None and not once.strip():
        raise ConfigError("The question is empty. Ask something.")
    if options["resume"]:
        given = [name for name in ("model", "caller", "answerer", "as_of") if options[name]]
        if given:
            raise ConfigError(
                f"A conversation goes on with the models and the time that it was begun with. Leave out "
                f"--{given[0].replace('_', '-')}, or begin a new one."
            )
        conversation = conversations.get(options["resume"])
    else:
        conversation = conversations.new(_begun(options))
    try:
        answers = list(
            converse(
                read_settings(options["base_url"]),
                conversation,
                lines() if once is None else [once],
                limits=_turn_limits(options),
                api=options["api"],
                as_json=options["as_json"],
            )
        )
    finally:
        if not (asked := conversation.turns()):
            conversations.delete(conversation.id)
    if asked and once is None and not options["as_json"]:
        click.echo(f"Kept: verifaible crypto chat --resume {conversation.id}", err=True)
    return not answers or answers[-1] is not None


def _begun(options: dict[str, Any]) -> ConversationInfo:
    from verifaible.crypto.chat.analyst import DEMO, DEMO_TIME
    from verifaible.crypto.chat.conversations import ConversationInfo

    caller, answerer = (options[each] or options["model"] for each in ("caller", "answerer"))
    if not (caller and answerer):
        raise click.UsageError(
            "Give --model, or both --caller and --answerer. `verifaible crypto demo` needs neither."
        )
    web = "offline" if DEMO in (caller, answerer) else options["web"]
    return ConversationInfo(
        started_at=datetime.now(UTC),
        caller=caller,
        answerer=answerer,
        web=web,
        as_of=options["as_of"] or (DEMO_TIME if web == "offline" else None),
    )


@crypto.command()
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each event.")
def demo(as_json: bool) -> None:
    """Hold a conversation with a scripted model over recorded archives, without a key or the internet.

    Exits with 1 if a number of an answer has no evidence.

    \b
    Example:
      verifaible crypto demo
    """
    from verifaible.crypto.chat.terminal import demo as show_demo

    if not show_demo(read_settings(), as_json=as_json):
        raise click.exceptions.Exit(1)


@crypto.command()
@click.option(
    "--prompts",
    required=True,
    metavar="FILE",
    type=_FILE,
    help="JSON list of prompts with the calls that each needs.",
)
@click.option("--model", help="Let this model plan: a name as for `verifaible bench --model`.")
@click.option(
    "--calls",
    multiple=True,
    metavar="FILE",
    type=_FILE,
    help="Measure calls that were made elsewhere, in the same form; repeat to compare.",
)
@click.option("--output", "-o", type=_FILE, help="Folder of the run. Default: runs/plan-MODEL.")
@_many
@click.option("--max-cost", type=Amount(), help="US dollars for the whole run.")
@click.option("--published", is_flag=True, help="Show the published rows beside.")
@_endpoint
@json_option
def plan(prompts: Path, **options: Any) -> None:
    """Measure which tools a model calls for annotated prompts; no tool is executed.

    Precision, recall and F1 are those of the Coinvisor paper, beside what trivial callers reach. The same
    command again asks for what has no plan yet. Exits with 1 if a prompt has none.

    \b
    Examples:
      verifaible crypto plan --prompts gt.json --model glm-5 --output runs/plan-glm-5
      verifaible crypto plan --prompts gt.json --calls base_xlam.json --calls rl_xlam.json --published
      verifaible crypto plan --prompts gt.json --calls runs/plan-glm-5/calls.json
    """
    if not (options["model"] or options["calls"]):
        raise click.UsageError("Give --model or --calls: nothing is there to measure.")
    if options["max_cost"] is not None and not options["model"]:
        raise click.UsageError("--max-cost limits a run: it needs --model.")
    from verifaible.crypto.planning.measure import measure

    if not measure(prompts, options):
        raise click.exceptions.Exit(1)


@crypto.command()
@click.option("--calls", required=True, metavar="FILE", type=_FILE, help="Calls for each prompt.")
@click.option("--prompts", required=True, metavar="FILE", type=_FILE, help="The annotated prompts.")
@click.option("--judge", help="Who scores the plans: a name as for `verifaible bench --model`.")
@click.option("--output", "-o", type=_FILE, help="Folder. Default: runs/reward-JUDGE-CALLS.")
@_many
@click.option("--max-cost", type=Amount(), help="US dollars for all.")
@_endpoint
@json_option
def reward(calls: Path, prompts: Path, **options: Any) -> None:
    """Reward plans of tool calls: 0.7 of a judge's scores and 0.3 of correctness (Coinvisor, 3.1.2).

    Without --judge only correctness is measured. The same command again asks the judge only for plans that
    have no reward yet. Exits with 1 if it failed for a plan.

    \b
    Example:
      verifaible crypto reward --prompts gt.json --calls rl_xlam.json --judge qwen3-30b-a3b
    """
    from verifaible.crypto.planning.reward import measure

    if not measure(calls, prompts, options):
        raise click.exceptions.Exit(1)


@crypto.command()
@click.argument("file", metavar="FILE.csv", type=_FILE)
@click.option(
    "--choices",
    multiple=True,
    metavar="COLUMN",
    help="A column of options, parted by semicolons; repeatable.",
)
@json_option
def survey(file: Path, choices: tuple[str, ...], as_json: bool) -> None:
    """Means, deviations and counts of a questionnaire, with N beside every figure.

    A row is a person. Columns named `Group [item]` hold ratings from 1 to 5; empty cells and N/A are none.

    \b
    Example:
      verifaible crypto survey answers.csv --choices "Better at"
    """
    from verifaible.crypto.survey import survey as read_survey

    found = read_survey(file, choices)
    found.show(as_json=as_json)
    if unread := found.figures["unread"]:
        click.echo(f"Not read: {', '.join(unread)}", err=True)


@crypto.command()
@click.argument("symbol")
@click.option("--model", help="Let this model review the findings: a name as for `verifaible bench --model`.")
@web_option
@_endpoint
@json_option
def contract(symbol: str, **options: Any) -> None:
    """Report what a static analyser finds in the verified source of a token's contract.

    SYMBOL is a ticker, or an address with its chain (base:0x...). The source is sealed as evidence, and each
    finding is shown with its lines. Needs Slither and Node.js; without them the report says what is missing.

    \b
    Examples:
      verifaible crypto contract LINK --web offline
      verifaible crypto contract 0x514910771AF9Ca656af840dff83E8264EcF986CA --model glm-5
    """
    from verifaible.crypto.contracts.report import LONGEST_SYMBOL, contract_report

    symbol, settings = symbol.strip(), read_settings(options["base_url"])
    if not 0 < len(symbol) <= LONGEST_SYMBOL:
        raise click.UsageError("SYMBOL is empty or too long. Name a ticker, such as LINK, or an address.")
    offline, model = options["web"] == "offline", options["model"] or ""
    try:
        reply, sources = asyncio.run(
            contract_report(symbol, settings, model=model, api=options["api"], offline=offline)
        )
    except ToolError as error:
        raise UserError(str(error)) from error
    for display in reply.displays:
        if options["as_json"]:
            click.echo(display.model_dump_json(indent=2))
            continue
        click.echo(display.markdown)
        for source in sources:
            click.echo(f"[{source.id}] {source.title} {source.url} (capture {source.capture[:12]})")
