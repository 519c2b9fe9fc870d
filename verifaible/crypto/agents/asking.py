"""Asking a model for a form: its prompt is a file, and what does not fit is asked for once more."""

from __future__ import annotations

from functools import cache
from importlib import resources
from string import Template

from verifaible.errors import WrongContent
from verifaible.judge.asking.replies import BadReply, FormT, answer_form, read_reply
from verifaible.llm.base import ModelClient
from verifaible.schema.chat import Message


@cache
def prompt(name: str) -> str:
    """A prompt file of the agents."""
    place = resources.files("verifaible.crypto.agents").joinpath("prompts", f"{name}.md")
    return place.read_text(encoding="utf-8").strip()


async def filled(client: ModelClient, name: str, material: str, form: type[FormT], **told: str) -> FormT:
    """What a model fills into a form.

    Args:
        client: the model.
        name: of the prompt file.
        material: what it works on, content of the web between its lines.
        form: what is filled in.
        told: the values of the prompt's ``$`` words.

    Raises:
        ModelError: the model cannot be asked.
        WrongContent: two replies in a row do not have the form.
    """
    system = f"{prompt('common')}\n\n{Template(prompt(name)).substitute(told)}"
    messages = [Message(role="system", text=system), Message(role="user", text=material)]
    for _ in range(2):
        turn = await client.complete(messages, (), form=answer_form(form, name))
        try:
            return read_reply(turn.text, form, material).value
        except BadReply as bad:
            fault = str(bad)
            objection = f"{fault} Reply with the one JSON object that was asked for, and nothing else."
            messages += [turn.as_message(), Message(role="user", text=objection)]
    raise WrongContent(f"The model that writes this report did not keep to its form: {fault} Ask again.")
