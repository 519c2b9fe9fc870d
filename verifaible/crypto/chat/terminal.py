"""Conversations in a terminal, or through a pipe: turns as they happen."""

from __future__ import annotations

import asyncio
import base64
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from importlib.util import find_spec
from typing import Final

import click

from verifaible.config import Settings
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
    TurnStarted,
)
from verifaible.crypto.chat.metered import TurnLimits
from verifaible.crypto.chat.opening import analyst, demo_info, script
from verifaible.crypto.chat.talk import Talk
from verifaible.errors import VerifaibleError, needing
from verifaible.llm.catalogue import Api
from verifaible.reporting.tables import harmless, plain, shortened
from verifaible.runs.lines import usable
from verifaible.schema.data import Display

HELP: Final = """\
/retry    the last question again
/quit     the end; the conversation is kept, and `verifaible serve` shows the evidence of its numbers
Ctrl-C stops an answer."""


class Chat:
    """One conversation on a screen.

    Args:
        settings: home, store, keys.
        conversation: a new one, or one that goes on.
        api: the API that both models are asked in.
        limits: of each turn.
        as_json: print each event as a line of JSON, and nothing else.
    """

    def __init__(
        self,
        settings: Settings,
        conversation: Conversation,
        *,
        limits: TurnLimits,
        api: Api | None = None,
        as_json: bool = False,
    ) -> None:
        self._settings = settings
        self._limits = limits
        self._api = api
        self.conversation = conversation
        self._json = as_json
        self._streaming = sys.stdout.isatty() and not as_json
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._talk: Talk | None = None

    def __enter__(self) -> Chat:
        opened = analyst(self._settings, self.conversation.info, api=self._api, limits=self._limits)
        self._runner.__enter__()
        try:
            self._talk = Talk(self.conversation, self._runner.run(self._stack.enter_async_context(opened)))
        except BaseException:
            self._runner.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._runner.run(self._stack.aclose())
        finally:
            self._runner.close()

    def ask(self, prompt: str) -> Answered | None:
        """One turn, shown as it happens; None where it has no answer."""
        assert self._talk is not None
        return self._shown(self._talk.ask(prompt))

    def read(self) -> Answered | None:
        """Questions and commands, line by line, until the input ends; gives the last turn's answer."""
        asking = sys.stdin.isatty() and not self._json
        if asking:
            click.echo(HELP, err=True)
        answered = None
        while (line := _line("> " if asking else "")) is not None:
            words = line.split()
            try:
                match words:
                    case []:
                        continue
                    case ["/quit"]:
                        break
                    case ["/retry"]:
                        assert self._talk is not None
                        answered = self._shown(self._talk.retry())
                    case [command, *_] if command.startswith("/"):
                        click.echo(HELP, err=True)
                    case _:
                        answered = self.ask(line)
            except VerifaibleError as error:
                click.echo(f"Error: {error}", err=True)
        return answered

    def _shown(self, events: AsyncGenerator[ChatEvent, None]) -> Answered | None:
        async def show() -> Answered | None:
            async with aclosing(events):
                async for event in events:
                    self._show(event)
                    if isinstance(event, Answered):
                        return event
            return None

        try:
            return self._runner.run(show())
        except KeyboardInterrupt:
            click.echo("\nStopped. /retry asks again.", err=True)
            return None

    def _show(self, event: ChatEvent) -> None:
        if self._json:
            if not isinstance(event, TextDelta):
                click.echo(event.model_dump_json())
            return
        match event:
            case TurnStarted():
                return
            case ToolStarted():
                click.echo(f"  {plain(event.name)} {shortened(event.arguments, 160)}", err=True)
            case ToolFinished():
                fault = f" ({event.error_code}) {shortened(event.text, 300)}" if event.error_code else ""
                click.echo(f"  {plain(event.name)}: {event.duration_s:.1f} s{fault}", err=True)
                for display in event.displays:
                    click.echo(f"\n{self._display(display)}\n")
            case TextDelta() if self._streaming:
                if event.fresh:
                    click.echo("\n\n(Numbers without evidence were found; the answer is written again.)\n")
                click.echo(harmless(event.text), nl=False)
            case Answered():
                click.echo("" if self._streaming else annotated(event))
                self._summary(event)
            case TurnEnded():
                click.echo(f"No answer ({event.reason}). {event.error}".rstrip(), err=True)

    def _display(self, display: Display) -> str:
        """A table or a report as it is; a chart as the path of its picture."""
        marks = " ".join(f"[{each}]" for each in display.sources)
        if display.kind != "chart":
            return f"{plain(display.title)} {marks}\n\n{harmless(display.markdown)}"
        folder = self.conversation.folder / "charts"
        with usable(folder):
            folder.mkdir(exist_ok=True)
            path = folder / f"{len(list(folder.iterdir())) + 1}.png"
            path.write_bytes(base64.b64decode(display.png_base64))
        return f"[chart] {plain(display.alt)} {marks}\n{path}"

    def _summary(self, answered: Answered) -> None:
        lacking = [each for each in answered.numbers if each.status != "resolved"]
        usage = answered.usage
        cost = f", {usage.cost_usd:.4f} US dollars" if usage.cost_usd is not None else ""
        count = len(answered.numbers)
        resting = f"{count - len(lacking)} of {count} numbers rest on stored data"
        click.echo(
            f"\n{resting if count else 'no number to check'}; "
            f"{usage.input_tokens + usage.output_tokens} tokens{cost}, {answered.duration_s:.1f} s",
            err=True,
        )
        for each in lacking if self._streaming else ():
            click.echo(f"  no evidence: {_digits(answered, each.start, each.end)}. {each.reason}", err=True)


def annotated(answered: Answered) -> str:
    """The text of an answer, with a note behind each number that lacks evidence."""
    text, notes = answered.text, []
    for each in sorted(answered.numbers, key=lambda number: number.start, reverse=True):
        if each.status != "resolved":
            note = "wrong" if each.status == "wrong" else "no evidence"
            text = f"{text[: each.end]} [{note}]{text[each.end :]}"
            notes.append(f"- {_digits(answered, each.start, each.end)}: {plain(each.reason) or 'no mark'}")
    return "\n".join((harmless(text), *(("", "Lacking evidence:", *reversed(notes)) if notes else ())))


def demo(settings: Settings, *, as_json: bool) -> bool:
    """Every question of the demo in one conversation; whether each number of the answers has evidence."""
    settings.require_archives()
    with needing("crypto", "The demo"):
        for name in ("eth_utils", "feedparser", "matplotlib"):
            if find_spec(name) is None:
                raise ModuleNotFoundError(name=name)
    conversation = Conversations(settings.conversations_dir).new(demo_info())
    resting = True
    if not as_json:
        click.echo(
            "The model of this demo is scripted, and its data are replicas: figures that were made up, held "
            f"at {conversation.info.as_of:%Y-%m-%d %H:%M} UTC. The tools, the evidence and the check of each "
            "number are the real ones."
        )
    with Chat(settings, conversation, limits=TurnLimits(), as_json=as_json) as chat:
        for each in script().questions:
            if not as_json:
                click.echo(f"\n> {each.prompt}\n")
            answered = chat.ask(each.prompt)
            if answered is None:
                return False
            resting &= all(one.status == "resolved" for one in answered.numbers)
    if not as_json:
        click.echo(f"\nGo on: verifaible crypto chat --resume {conversation.id}", err=True)
    return resting


def listed(conversations: Conversations, *, as_json: bool) -> None:
    """Print the conversations, a line each."""
    for each in conversations.all():
        if as_json:
            click.echo(_entry(each).model_dump_json())
        else:
            models = " and ".join(dict.fromkeys((each.info.caller, each.info.answerer)))
            click.echo(f"{each.id}  {plain(models)}  {plain(each.title) or '-'}")


class Entry(ConversationInfo):
    """A conversation in a list."""

    id: str
    title: str


def _entry(conversation: Conversation) -> Entry:
    return Entry(**dict(conversation.info), id=conversation.id, title=conversation.title)


def _digits(answered: Answered, start: int, end: int) -> str:
    return plain(answered.text[start:end])


def _line(sign: str) -> str | None:
    """The next line of the input; None at its end, and where a person leaves with Ctrl-C."""
    try:
        return input(sign)
    except (EOFError, KeyboardInterrupt):
        return None
