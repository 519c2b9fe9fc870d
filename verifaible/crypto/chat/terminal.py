"""Turns in a terminal or a pipe: single questions, conversations, the demo."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Iterator
from contextlib import aclosing, suppress
from importlib.util import find_spec
from typing import Final

import click

from verifaible.agent.loop import Limits
from verifaible.config import Settings
from verifaible.crypto.chat.analyst import analyst, ask, demo_info, script
from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    Conversation,
    ConversationInfo,
    Conversations,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
)
from verifaible.crypto.metered import USUAL_LIMITS
from verifaible.errors import UserError, needing
from verifaible.llm.catalogue import Api
from verifaible.reporting.tables import harmless, plain, shortened
from verifaible.schema.data import Display

HELP: Final = """\
/retry    the last question again
/quit     the end; the conversation is kept, and `verifaible serve` shows the evidence of its numbers
Ctrl-C stops an answer."""


class Screen:
    """Shows the events of turns: the answer on the output, all else beside it.

    Args:
        as_json: print each event as a line of JSON, and nothing else.
        quiet: show the calls of tools alone.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self._json = as_json
        self._quiet = quiet
        self._streaming = sys.stdout.isatty() and not as_json

    def show(self, event: ChatEvent) -> None:
        """Show an event."""
        if self._json:
            if not isinstance(event, TextDelta):
                click.echo(event.model_dump_json())
            return
        match event:
            case ToolStarted():
                click.echo(f"  {plain(event.name)} {shortened(event.arguments, 160)}", err=True)
            case ToolFinished():
                fault = f" ({event.error_code}) {shortened(event.text, 300)}" if event.error_code else ""
                click.echo(f"  {plain(event.name)}: {event.duration_s:.1f} s{fault}", err=True)
                for display in () if self._quiet else event.displays:
                    click.echo(f"\n{_displayed(display)}\n")
            case _ if self._quiet:
                return
            case TextDelta() if self._streaming:
                if event.fresh:
                    click.echo("\n\n(Numbers without evidence were found; the answer is written again.)\n")
                click.echo(harmless(event.text), nl=False)
            case Answered():
                click.echo(
                    "\n".join(lacking(event))
                    if self._streaming
                    else "\n".join((annotated(event), *lacking(event)))
                )
                click.echo(f"\n{summary(event)}", err=True)
            case TurnEnded():
                click.echo(f"No answer ({event.reason}). {event.error}".rstrip(), err=True)


def _displayed(display: Display) -> str:
    """A table or a report as it is; of a chart what it shows: `verifaible serve` has the picture."""
    marks = " ".join(f"[{each}]" for each in display.sources)
    if display.kind == "chart":
        return f"[chart] {plain(display.alt)} {marks}"
    return f"{plain(display.title)} {marks}\n\n{harmless(display.markdown)}"


def annotated(answered: Answered) -> str:
    """The text of an answer, with a note behind each number that lacks evidence."""
    text = answered.text
    for each in sorted(answered.numbers, key=lambda number: number.start, reverse=True):
        if each.status != "resolved":
            note = "wrong" if each.status == "wrong" else "no evidence"
            text = f"{text[: each.end]} [{note}]{text[each.end :]}"
    return harmless(text)


def lacking(answered: Answered) -> list[str]:
    """Lines on the numbers that lack evidence; none where each has some."""
    notes = [
        f"- {plain(answered.text[each.start : each.end])}: {plain(each.reason) or 'no mark'}"
        for each in answered.numbers
        if each.status != "resolved"
    ]
    return ["", "Lacking evidence:", *notes] if notes else []


def summary(end: Answered | TurnEnded) -> str:
    """What a turn came to, in a line."""
    usage = end.usage
    cost = f", {usage.cost_usd:.4f} US dollars" if usage.cost_usd is not None else ""
    spent = f"{usage.input_tokens + usage.output_tokens} tokens{cost}"
    if isinstance(end, TurnEnded):
        return f"no answer ({end.reason}): {end.error}; {spent}"
    resting = sum(each.status == "resolved" for each in end.numbers)
    numbers = (
        f"{resting} of {len(end.numbers)} numbers rest on stored data"
        if end.numbers
        else "no number to check"
    )
    return f"{numbers}; {len(end.sources)} sources; {spent}, {end.duration_s:.1f} s"


def converse(
    settings: Settings,
    conversation: Conversation,
    questions: Iterable[str],
    *,
    limits: Limits,
    api: Api | None = None,
    as_json: bool = False,
) -> Iterator[Answered | None]:
    """A conversation on a screen: for each question or command its answer, None where there is none.

    Args:
        settings: home, store, keys.
        conversation: a new one, or one that goes on.
        questions: what is asked, taken when the one before is answered.
        limits: of each turn.
        api: the API that both models are asked in.
        as_json: print each event as a line of JSON, and nothing else.
    """
    screen = Screen(as_json=as_json)

    async def shown(prompt: str | None) -> Answered | None:
        async with aclosing(ask(conversation, answering, prompt)) as events:
            async for event in events:
                screen.show(event)
                if isinstance(event, Answered):
                    return event
        return None

    with asyncio.Runner() as runner:  # Ctrl-C ends what it runs, and nothing else
        opening = analyst(settings, conversation.info, api=api, limits=limits)
        answering = runner.run(opening.__aenter__())
        try:
            for line in filter(str.strip, questions):
                try:
                    match line.split():
                        case ["/quit"]:
                            return
                        case ["/retry"]:
                            yield runner.run(shown(None))
                        case [command, *_] if command.startswith("/"):
                            click.echo(HELP, err=True)
                        case _:
                            yield runner.run(shown(line))
                except KeyboardInterrupt:
                    click.echo("\nStopped. /retry asks again.", err=True)
                    yield None
                except UserError as error:
                    click.echo(f"Error: {error}", err=True)
                    yield None
        finally:
            runner.run(opening.__aexit__(None, None, None))


def lines() -> Iterator[str]:
    """What a person or a pipe enters, line by line, until its end, or until they leave with Ctrl-C."""
    sign = "> " if sys.stdin.isatty() else ""
    if sign:
        click.echo(HELP, err=True)
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            yield input(sign)


class _Entry(ConversationInfo):
    """A conversation in a list."""

    id: str
    title: str


def listed(conversations: Conversations, *, as_json: bool) -> None:
    """Print the conversations, a line each."""
    for each in conversations.all():
        if as_json:
            click.echo(_Entry(**dict(each.info), id=each.id, title=each.title).model_dump_json())
        else:
            models = " and ".join(dict.fromkeys((each.info.caller, each.info.answerer)))
            click.echo(f"{each.id}  {plain(models)}  {plain(each.title) or '-'}")


def demo(settings: Settings, *, as_json: bool) -> bool:
    """Every question of the demo in one conversation; whether each number of the answers has evidence."""
    settings.require_archives()
    with needing("crypto", "The demo"):
        for name in ("eth_utils", "feedparser", "matplotlib"):
            if find_spec(name) is None:
                raise ModuleNotFoundError(name=name)
    conversation = Conversations(settings.conversations_dir).new(demo_info())

    def tell(text: str) -> None:
        if not as_json:
            click.echo(text)

    def questions() -> Iterator[str]:
        for each in script().questions:
            tell(f"\n> {each.prompt}\n")
            yield each.prompt

    tell(
        "The model of this demo is scripted, and its data are replicas: figures that were made up, held "
        f"at {conversation.info.as_of:%Y-%m-%d %H:%M} UTC. The tools, the evidence and the check of each "
        "number are the real ones."
    )
    answers = list(converse(settings, conversation, questions(), limits=USUAL_LIMITS, as_json=as_json))
    tell(f"\nGo on: verifaible crypto chat --resume {conversation.id}")
    return all(each and all(one.status == "resolved" for one in each.numbers) for each in answers)
