"""What ``verifaible crypto chat`` does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import click

from verifaible.console.options import read_settings
from verifaible.crypto.chat.conversations import ConversationInfo, Conversations
from verifaible.crypto.chat.metered import TurnLimits
from verifaible.crypto.chat.opening import DEMO, DEMO_TIME, USUAL_LIMITS
from verifaible.crypto.chat.terminal import Chat, listed
from verifaible.errors import ConfigError
from verifaible.llm.catalogue import Api


def run_chat(options: dict[str, Any], *, as_of: datetime | None) -> bool:
    """List, delete, or talk; whether the last turn has an answer.

    Raises:
        UserError: an option, a model, a conversation or the store cannot be used.
    """
    settings = read_settings(options["base_url"])
    conversations = Conversations(settings.conversations_dir)
    if options["listing"]:
        listed(conversations, as_json=options["as_json"])
        return True
    if options["delete"]:
        click.echo(f"Deleted: {conversations.delete(options['delete'])}", err=True)
        return True
    if options["resume"]:
        given = [name for name in ("model", "caller", "answerer", "as_of") if options[name]]
        if given:
            raise ConfigError(
                f"A conversation goes on with the models and the time that it was begun with. Leave out "
                f"--{given[0].replace('_', '-')}, or begin a new one."
            )
        conversation = conversations.get(options["resume"])
    else:
        conversation = conversations.new(_begun(options, as_of))
    limits = TurnLimits(
        tokens=options["max_tokens"],
        seconds=options["max_seconds"] or USUAL_LIMITS.seconds,
        cost_usd=options["max_cost"],
    )
    api = cast("Api | None", options["api"])
    try:
        with Chat(settings, conversation, limits=limits, api=api, as_json=options["as_json"]) as chat:
            if options["once"] is not None:
                return chat.ask(options["once"]) is not None
            answered = chat.read()
    finally:
        if not (asked := conversation.turns()):
            conversations.delete(conversation.id)
    if asked and not options["as_json"]:
        click.echo(f"Kept: verifaible crypto chat --resume {conversation.id}", err=True)
    return answered is not None or not asked


def _begun(options: dict[str, Any], as_of: datetime | None) -> ConversationInfo:
    caller = options["caller"] or options["model"]
    answerer = options["answerer"] or options["model"]
    if not (caller and answerer):
        raise click.UsageError(
            "Give --model, or both --caller and --answerer. `verifaible crypto demo` needs neither."
        )
    demo = DEMO in (caller, answerer)
    return ConversationInfo(
        started_at=datetime.now(UTC),
        caller=caller,
        answerer=answerer,
        web="offline" if demo else options["web"],
        as_of=as_of or (DEMO_TIME if demo or options["web"] == "offline" else None),
    )
