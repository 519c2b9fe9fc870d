"""What a report is written from, each piece sealed under a mark; and the model that writes it.

The prompt of a model is a file, and what does not fit its form is asked for once more.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from importlib import resources
from itertools import zip_longest
from string import Template
from typing import Final

from verifaible.crypto.assets.resolver import Ambiguous, Asset, Match, resolve
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.news import News, listed, news_since
from verifaible.crypto.providers.session import Api
from verifaible.crypto.providers.toolset import web_tools
from verifaible.crypto.query import stamp
from verifaible.errors import BadArguments, ToolError, WrongContent
from verifaible.llm.base import ModelClient
from verifaible.llm.structured import BadReply, FormT, answer_form, read_reply
from verifaible.schema.chat import Message
from verifaible.search.base import SearchHit
from verifaible.text.delimited import delimited
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Toolbox

#: Pages that are read for one report, the best of each search first; and results of each search.
MOST_PAGES: Final = 6
_RESULTS: Final = 5
#: Characters of material that a model is given, some 25,000 tokens.
MOST_CHARACTERS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Session:
    """What the agents of one answer work with; the client is not closed here."""

    api: Api
    client: ModelClient
    context: ToolContext
    places: Places
    feeds: tuple[str, ...]

    @property
    def until(self) -> datetime:
        """The time that is asked about."""
        return self.api.as_of or self.api.now


@dataclass(frozen=True, slots=True)
class Material:
    """Texts with their marks, and what a reader must know of them, a sentence each."""

    parts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: Material) -> Material:
        return Material(self.parts + other.parts, self.notes + other.notes)

    def shortened(self) -> Material:
        """As many parts as a model is given; what does not fit is told."""
        room, kept = MOST_CHARACTERS, []
        for part in self.parts:
            if len(part) <= room:
                kept.append(part)
                room -= len(part)
        left = ("Some of the material was left out for its length.",) if len(kept) < len(self.parts) else ()
        return Material(tuple(kept), self.notes + left)

    @property
    def text(self) -> str:
        """All parts."""
        return "\n\n".join(self.parts)


def meant(identifier: str) -> tuple[Asset | None, str, tuple[str, ...]]:
    """The asset that a project's name or ticker means, its name, and what to tell of that choice.

    No asset of a project that the table does not have.

    Raises:
        BadArguments: it can mean several; the message names them.
    """
    found = resolve(identifier)
    if isinstance(found, Ambiguous):
        raise BadArguments(str(found))
    if not isinstance(found, Match):
        return None, identifier, ()
    asset = found.asset
    return asset, f"{asset.name} ({asset.symbol})", (found.note[1:-1],) if found.note else ()


async def from_web(session: Session, project: str, topics: Sequence[str]) -> Material:
    """The results of searches for a project, made side by side, and the best pages among them.

    A result that does not name the project is left out. The web is of the present: where an earlier time is
    asked about, it is not searched.
    """
    api, context = session.api, session.context
    if session.until < api.now:
        held = stamp(session.until)
        told = f"The web was not searched: it is of the present, and the question is as of {held}."
        return Material(notes=(told,))
    searches = [_Search(context, api, project, topic) for topic in topics]
    searched = await asyncio.gather(*(each.material() for each in searches))
    # the first result of each search, then the second of each
    ranked = [hit.url for hits in zip_longest(*(each.hits for each in searches)) for hit in hits if hit]
    pages = [("web_fetch", {"url": url}) for url in list(dict.fromkeys(ranked))[:MOST_PAGES]]
    read = await from_tools(Toolbox(web_tools(context, api)), pages)
    return sum(searched, read)


async def from_tools(tools: Toolbox, calls: Sequence[tuple[str, dict[str, str]]]) -> Material:
    """The results of tools, called side by side; what one of them refuses is a note."""
    replies = await asyncio.gather(*(tools.call(name, json.dumps(arguments)) for name, arguments in calls))
    named = [
        (" ".join((name, *arguments.values())), reply)
        for (name, arguments), reply in zip(calls, replies, strict=True)
    ]
    return Material(
        tuple(reply.text for _, reply in named if not reply.error_code),
        tuple(f"{name}: {reply.text}" for name, reply in named if reply.error_code),
    )


async def news_about(session: Session, asset: Asset | None, back: timedelta) -> Material:
    """The news of an asset in a time before the one that is asked about."""
    if asset is None:
        return Material(notes=("No news were read: the project is not in the table of assets.",))
    try:
        found = await news_since(session.api, session.feeds, session.until - back, asset=asset)
    except ToolError as error:
        return Material(notes=(f"No news were read: {error}",))
    return Material((delimited("feeds", listed(found.items)),) if found.items else (), news_notes(found))


def news_notes(found: News) -> tuple[str, ...]:
    """What a reader must know of where news came from."""
    notes = [f"Not read: {each}" for each in found.missing]
    if found.undated:
        titles = "; ".join(each.title for each in found.undated[:5])
        notes.append(f"Left out, as they have no date: {titles}.")
    if found.synthetic:
        notes.append("These news are synthetic: a replica stands in for the publisher, and nothing happened.")
    return tuple(notes)


class _Search:
    """One search, which keeps the hits that name the project."""

    def __init__(self, context: ToolContext, api: Api, project: str, topic: str) -> None:
        self._backend = context.search
        self._tools = Toolbox(web_tools(replace(context, search=self), api))
        self._query = f"{project} crypto {topic}"
        self._name = re.compile(rf"(?<!\w){re.escape(project)}(?!\w)", re.IGNORECASE)
        self.hits: tuple[SearchHit, ...] = ()

    async def search(self, query: str, limit: int) -> Sequence[SearchHit]:
        found = await self._backend.search(query, limit)
        self.hits = tuple(hit for hit in found if self._name.search(f"{hit.title} {hit.snippet} {hit.url}"))
        return self.hits

    async def material(self) -> Material:
        arguments = json.dumps({"query": self._query, "max_results": _RESULTS})
        reply = await self._tools.call("verifaible_web_search", arguments)
        if reply.error_code:
            return Material(notes=(f"Search for {self._query!r}: {reply.text}",))
        return Material((reply.text,) if self.hits else ())


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
