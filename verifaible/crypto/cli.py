"""``verifaible crypto``: questions of crypto analysts answered with sealed sources, one or many."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from verifaible.bench.environment import SHORT_HELP, read_settings
from verifaible.bench.options import Amount, api_option, base_url_option, web_option
from verifaible.errors import ConfigError

if TYPE_CHECKING:
    from verifaible.agent.base import Event
    from verifaible.crypto.harness import Asking
    from verifaible.crypto.records import HarnessTrial
    from verifaible.crypto.runs import RunReport
    from verifaible.llm.catalogue import Api

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Result = TypeVar("_Result")

_OPTIONS = (
    click.option("--model", required=True, help="Who answers: a name as for `verifaible bench --model`."),
    web_option,
    click.option("--prefer-api", is_flag=True, help="Structured data go before search results."),
    click.option("--time-context", is_flag=True, help="Tell the model the time, the days asked about, ages."),
    click.option("--depth-prompts", is_flag=True, help="Tell the model what its kind of question needs."),
    click.option("--rewrite", is_flag=True, help="Let the model rewrite the question first."),
    click.option("--now", metavar="TIME", help="Ask as of this time (ISO 8601). Default: the present."),
    click.option(
        "--max-rounds",
        type=click.IntRange(1, 500),
        default=40,
        show_default=True,
        help="Answers of the model.",
    ),
    click.option(
        "--max-tokens", type=click.IntRange(1), help="Tokens of a query, input and output together."
    ),
    click.option("--max-seconds", type=Amount(), help="Seconds of work on a query."),
    click.option("--max-cost", type=Amount(), help="US dollars for a query."),
    base_url_option,
    api_option,
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
)


def _with_options(command: _Command) -> _Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group(context_settings=SHORT_HELP)
def crypto() -> None:
    """Answer questions of crypto analysts with data and pages that are sealed as evidence."""


@crypto.command()
@click.argument("query")
@_with_options
def ask(query: str, **options: Any) -> None:
    """Let a model write a long answer to QUERY, with a mark behind each claim.

    The answer is printed as Markdown, followed by its sources with the captures that hold them. Exits with 1
    if there is no answer.

    \b
    Examples:
      verifaible crypto ask "Compare HYPE with other DEX projects" --model glm-5
      verifaible crypto ask "Where is the highest APY on USDC?" --model kimi-k2.5 --prefer-api --time-context
    """
    from verifaible.crypto.harness import attempt

    _require_query(query)
    now = _now(options["now"])

    async def work(asking: Asking) -> HarnessTrial:
        return await attempt(query, asking, now=now or datetime.now(UTC))

    trial = asyncio.run(_working(options, work))
    if options["as_json"]:
        click.echo(trial.model_dump_json(indent=2))
    elif trial.answer.answer:
        click.echo(f"{trial.answer.answer}\n")
        for source in trial.answer.sources:
            click.echo(f"[{source.id}] {source.title} {source.url} (capture {source.capture[:12]})")
    click.echo(_summary(trial), err=True)
    if not trial.answer.answer:
        raise click.exceptions.Exit(1)


@crypto.command()
@click.argument("queries", metavar="QUERIES.csv", type=click.Path(path_type=Path))
@_with_options
@click.option(
    "--output", type=click.Path(path_type=Path), help="Folder of the run. Default: runs/crypto-MODEL."
)
@click.option("--limit", type=click.IntRange(1), help="Only the first so many queries.")
@click.option(
    "--concurrency", type=click.IntRange(1, 32), default=1, show_default=True, help="Queries at once."
)
@click.option("--max-total-cost", type=Amount(), help="US dollars for the whole run.")
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
    from verifaible.crypto.public_files import folder_name
    from verifaible.crypto.runs import Asked, run_queries
    from verifaible.judge.table import read_queries

    asked = [Asked(each.row, each.query, each.tags) for each in read_queries(queries)][: options["limit"]]
    now = _now(options["now"])
    folder: Path = options["output"] or read_settings().runs_dir / f"crypto-{folder_name(options['model'])}"

    async def work(asking: Asking) -> RunReport:
        return await run_queries(
            asked,
            folder,
            asking,
            now=now,
            at_once=options["concurrency"],
            most_cost_usd=options["max_total_cost"],
            told=lambda trial, done, of: click.echo(f"{done}/{of} {_summary(trial)}", err=True),
        )

    report = asyncio.run(_working(options, work))
    answered = sum(bool(each.answer.answer) for each in report.trials)
    if options["as_json"]:
        told = {
            "folder": str(report.folder),
            "queries": len(asked),
            "answered": answered,
            "not_asked": report.left,
            "usage": report.usage.model_dump(),
        }
        click.echo(json.dumps(told, indent=2))
    else:
        left = f", {report.left} not asked" if report.left else ""
        click.echo(f"{answered} of {len(asked)} queries answered{left}: {report.folder}")
    if answered < len(asked):
        raise click.exceptions.Exit(1)


def _require_query(query: str) -> None:
    if not query.strip():
        raise ConfigError("The query is empty. Ask something.")


def _now(text: str | None) -> datetime | None:
    """The time of ``--now``, in UTC.

    Raises:
        ConfigError: it is no time.
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ConfigError(f"--now {text}: is not a time in ISO 8601, such as 2026-03-02T08:00Z.") from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


async def _working(
    options: dict[str, Any], work: Callable[[Asking], Coroutine[Any, Any, _Result]]
) -> _Result:
    """Open the model, the store and the browser, and do the work with them."""
    from verifaible.agent.loop import Limits
    from verifaible.check.ask import session
    from verifaible.crypto.harness import Asking
    from verifaible.crypto.records import Switches
    from verifaible.llm.catalogue import BUILT_IN
    from verifaible.llm.opening import open_model
    from verifaible.store.store import Store

    name: str = options["model"]
    if name in BUILT_IN:
        raise ConfigError(f"--model {name}: answers only the bench's cases. Name a model, such as glm-5.")
    settings = read_settings(options["base_url"])
    opened = open_model(name, settings, cast("Api | None", options["api"]))
    try:
        limited = options["max_cost"] is not None or options.get("max_total_cost") is not None
        if limited and not opened.priced:
            raise ConfigError(
                f"What {name} costs is not known here, so a limit of cost would never end anything. Leave it "
                "out, or use --max-tokens."
            )
        store = Store.open(settings)
        async with session(settings, store, offline=options["web"] == "offline") as context:
            asking = Asking(
                client=opened.client,
                context=context,
                model=name,
                switches=Switches(
                    prefer_api=options["prefer_api"],
                    time_context=options["time_context"],
                    depth_prompts=options["depth_prompts"],
                ),
                limits=Limits(
                    rounds=options["max_rounds"],
                    tokens=options["max_tokens"],
                    seconds=options["max_seconds"],
                    cost_usd=options["max_cost"],
                ),
                rewriting=options["rewrite"],
                watch=_tell,
            )
            return await work(asking)
    finally:
        await opened.client.aclose()


def _tell(event: Event) -> None:
    """A line for each call of a tool."""
    from verifaible.schema.run import ToolEvent

    if isinstance(event, ToolEvent):
        fault = f" ({event.error_code})" if event.error_code else ""
        click.echo(f"  {event.name} {event.arguments[:160]}{fault}", err=True)


def _summary(trial: HarnessTrial) -> str:
    usage = trial.usage
    cost = f", {usage.cost_usd:.4f} US dollars" if usage.cost_usd is not None else ""
    state = "answered" if trial.answer.answer else f"no answer ({trial.ended_by}): {trial.error}"
    return (
        f"{state}; {len(trial.answer.sources)} sources, {trial.rounds} rounds, "
        f"{trial.tool_calls} tool calls, {usage.input_tokens + usage.output_tokens} tokens{cost}"
    )


@crypto.command()
@click.option(
    "--prompts",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="JSON list of prompts with the calls that each needs.",
)
@click.option("--model", help="Let this model plan: a name as for `verifaible bench --model`.")
@click.option(
    "--calls",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Measure calls that were made elsewhere, in the same form; repeat to compare.",
)
@click.option(
    "--replay",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Plan again from the replies that a run kept.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run. Default: runs/plan-MODEL.")
@click.option("--resume", is_flag=True, help="Go on in a folder that has plans.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many prompts.")
@click.option(
    "--concurrency", type=click.IntRange(1, 32), default=1, show_default=True, help="Prompts at once."
)
@click.option("--max-cost", type=Amount(), help="US dollars for the whole run.")
@click.option("--published", is_flag=True, help="Show the published rows beside.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the bootstrap.")
@base_url_option
@api_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plan(prompts: Path, **options: Any) -> None:
    """Measure which tools a model calls for annotated prompts; no tool is executed.

    Precision, recall and F1 are those of the Coinvisor paper, beside what trivial callers reach. Exits with
    1 if a prompt has no plan.

    \b
    Examples:
      verifaible crypto plan --prompts gt.json --model glm-5 --out runs/plan-glm-5
      verifaible crypto plan --prompts gt.json --calls base_xlam.json --calls rl_xlam.json --published
      verifaible crypto plan --prompts gt.json --replay runs/plan-glm-5
    """
    if not (options["model"] or options["replay"] or options["calls"]):
        raise click.UsageError("Give --model, --replay or --calls: nothing is there to measure.")
    if options["model"] and options["replay"]:
        raise click.UsageError("--model asks and --replay does not. Give one of them.")
    if options["max_cost"] is not None and not options["model"]:
        raise click.UsageError("--max-cost limits a run: it needs --model.")
    from verifaible.crypto.planning.command import measure

    if not measure(prompts, options):
        raise click.exceptions.Exit(1)


@crypto.command()
@click.argument("file", metavar="FILE.csv", type=click.Path(path_type=Path))
@click.option(
    "--choices",
    multiple=True,
    metavar="COLUMN",
    help="A column of options, parted by semicolons; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def survey(file: Path, choices: tuple[str, ...], as_json: bool) -> None:
    """Means, deviations and counts of a questionnaire, with N beside every figure.

    A row is a person. Columns named `Group [item]` hold ratings from 1 to 5; empty cells and N/A are none.

    \b
    Example:
      verifaible crypto survey answers.csv --choices "Better at"
    """
    from verifaible.crypto.survey import read_survey, report

    found = read_survey(file, choices=choices)
    report(found).show(as_json=as_json)
    if found.unread:
        click.echo(f"Not read: {', '.join(found.unread)}", err=True)


@crypto.command()
@click.option("--model", help="Who chooses tools and who writes: a name as for `verifaible bench --model`.")
@click.option("--caller", help="Who chooses the tools, if another than --model.")
@click.option("--answerer", help="Who writes, if another than --model.")
@web_option
@click.option("--as-of", metavar="TIME", help="Hold the conversation at this time (ISO 8601).")
@click.option("--once", metavar="QUESTION", help="Ask this, print the answer, end.")
@click.option("--resume", metavar="ID", help="Go on with a conversation.")
@click.option("--list", "listing", is_flag=True, help="List the conversations.")
@click.option("--delete", metavar="ID", help="Delete a conversation; its sources stay in the store.")
@click.option("--max-tokens", type=click.IntRange(1), help="Tokens of a turn, input and output together.")
@click.option("--max-seconds", type=Amount(), help="Seconds of a turn. Default: 900.")
@click.option("--max-cost", type=Amount(), help="US dollars for a turn.")
@base_url_option
@api_option
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each event.")
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
    from verifaible.crypto.chat.command import run_chat

    if not run_chat(options, as_of=_now(options["as_of"])):
        raise click.exceptions.Exit(1)


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
    "--calls", required=True, metavar="FILE", type=click.Path(path_type=Path), help="Calls for each prompt."
)
@click.option(
    "--prompts", required=True, metavar="FILE", type=click.Path(path_type=Path), help="The annotated prompts."
)
@click.option("--judge", help="Who scores the plans: a name as for `verifaible bench --model`.")
@click.option(
    "--replay", metavar="FOLDER", type=click.Path(path_type=Path), help="Use the replies that a folder keeps."
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder. Default: runs/reward-JUDGE-CALLS.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many prompts.")
@click.option(
    "--concurrency", type=click.IntRange(1, 32), default=1, show_default=True, help="Questions at once."
)
@click.option("--max-cost", type=Amount(), help="US dollars for all.")
@base_url_option
@api_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def reward(calls: Path, prompts: Path, **options: Any) -> None:
    """Reward plans of tool calls: 0.7 of a judge's scores and 0.3 of correctness (Coinvisor, 3.1.2).

    Without --judge and --replay only correctness is measured. Exits with 1 if the judge failed for a plan.

    \b
    Examples:
      verifaible crypto reward --prompts gt.json --calls rl_xlam.json --judge qwen3-30b-a3b
      verifaible crypto reward --prompts gt.json --calls rl_xlam.json --replay runs/reward-qwen3
    """
    if options["judge"] and options["replay"]:
        raise click.UsageError("--judge asks and --replay does not. Give one of them.")
    from verifaible.crypto.reward.command import measure

    if not measure(calls, prompts, options):
        raise click.exceptions.Exit(1)


@crypto.command()
@click.argument("symbol")
@click.option("--model", help="Let this model review the findings: a name as for `verifaible bench --model`.")
@web_option
@base_url_option
@api_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def contract(symbol: str, **options: Any) -> None:
    """Report what a static analyser finds in the verified source of a token's contract.

    SYMBOL is a ticker, or an address with its chain (base:0x...). The source is sealed as evidence, and each
    finding is shown with its lines. Needs Slither and Node.js; without them the report says what is missing.

    \b
    Examples:
      verifaible crypto contract LINK --web offline
      verifaible crypto contract 0x514910771AF9Ca656af840dff83E8264EcF986CA --model glm-5
    """
    from verifaible.crypto.contracts.command import show_contract

    show_contract(symbol.strip(), options)
