"""What a report is written from, searches and pages, each sealed under a mark; and the model that writes it.

The prompt of a model is a file, and what does not fit its form is asked for once more.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from importlib import resources
from itertools import zip_longest
from string import Template
from typing import Any, Final

from verifaible.crypto.assets.resolver import Ambiguous, Asset, Match, resolve
from verifaible.crypto.periods import stamp
from verifaible.crypto.tools import general
from verifaible.crypto.tools.api import Api
from verifaible.crypto.tools.endpoint import Places
from verifaible.crypto.tools.news import News, NewsPlaces, news_since
from verifaible.errors import BadArguments, ToolError, WrongContent
from verifaible.llm.base import ModelClient
from verifaible.llm.structured import BadReply, FormT, answer_form, read_reply
from verifaible.schema.chat import Message
from verifaible.search.base import SearchHit
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Toolbox

#: Pages that are read for one report, the best of each search first.
MOST_PAGES: Final = 6
#: Results of each search.
_RESULTS: Final = 5
#: Characters of material that a model is given, some 25,000 tokens; what does not fit is named in the report.
MOST_CHARACTERS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Session:
    """What the agents of one answer work with.

    Attributes:
        api: the way to the data, and where all is sealed.
        client: the model that writes; it is not closed here.
        context: browser, web and search.
        places: where the providers of data are.
        news: where news come from.
    """

    api: Api
    client: ModelClient
    context: ToolContext
    places: Places
    news: NewsPlaces


@dataclass(frozen=True, slots=True)
class Gathered:
    """Material with its marks; ``faults`` are what could not be had, a sentence each."""

    parts: tuple[str, ...]
    faults: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As much of it as a model is given."""
        kept: list[str] = []
        for part in self.parts:
            if sum(map(len, kept)) + len(part) <= MOST_CHARACTERS:
                kept.append(part)
        return "\n\n".join(kept)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of a report must know of its material."""
        left = sum(map(len, self.parts)) - len(self.text) > len(self.parts) * 2
        return (*self.faults, *(["Some of the material was left out for its length."] if left else []))


def meant(identifier: str) -> tuple[Asset | None, tuple[str, ...]]:
    """The asset that a project's name or ticker means, and what a reader must be told of that choice.

    None of a project that the table does not have.

    Raises:
        BadArguments: it can mean several; the message names them.
    """
    found = resolve(identifier)
    if isinstance(found, Ambiguous):
        raise BadArguments(str(found))
    if not isinstance(found, Match):
        return None, ()
    return found.asset, (found.note[1:-1],) if found.note else ()


async def from_web(session: Session, project: str, topics: Sequence[str]) -> Gathered:
    """The results of searches, made side by side, and the best pages among them, as the web tools give them.

    A result that does not name the project is left out. The web is of the present: where an earlier time is
    asked about, it is not searched.

    Args:
        session: what the report is made with.
        project: its name.
        topics: what is searched for, behind the name.
    """
    api, context = session.api, session.context
    if api.as_of is not None and api.as_of < api.now:
        told = (
            f"The web was not searched: it is of the present, and the question is as of {stamp(api.as_of)}."
        )
        return Gathered((), (told,))
    searched = await asyncio.gather(*(_search(context, api, project, topic) for topic in topics))
    faults = [fault for _, _, fault in searched if fault]
    # the first result of each search, then the second of each
    columns = zip_longest(*(hits for _, hits, _ in searched))
    ranked = [hit.url for hits in columns for hit in hits if hit is not None]
    pages = list(dict.fromkeys(ranked))[:MOST_PAGES]
    box = Toolbox(general.tools(context, api))
    read = await asyncio.gather(*(box.call("web_fetch", json.dumps({"url": url})) for url in pages))
    faults += [f"{url}: {reply.text}" for url, reply in zip(pages, read, strict=True) if reply.error_code]
    texts = [reply.text for reply in read if not reply.error_code]
    return Gathered((*texts, *(text for text, _, _ in searched if text)), tuple(faults))


async def news_about(session: Session, asset: Asset | None, back: timedelta) -> News | str:
    """The news of an asset in a time before the one that is asked about; a sentence where there are none."""
    api = session.api
    if asset is None:
        return "No news were read: the project is not in the table of assets."
    try:
        return await news_since(api, session.news, (api.as_of or api.now) - back, asset=asset)
    except ToolError as error:
        return f"No news were read: {error}"


async def from_tools(tools: Toolbox, calls: Sequence[tuple[str, dict[str, Any]]]) -> Gathered:
    """The results of data tools, side by side."""
    replies = await asyncio.gather(*(tools.call(name, json.dumps(arguments)) for name, arguments in calls))
    return Gathered(
        tuple(reply.text for reply in replies if not reply.error_code),
        tuple(
            f"{name}: {reply.text}"
            for (name, _), reply in zip(calls, replies, strict=True)
            if reply.error_code
        ),
    )


async def _search(
    context: ToolContext, api: Api, project: str, topic: str
) -> tuple[str, tuple[SearchHit, ...], str]:
    """A search's reply, its hits, and what went wrong; each has tools of its own, which remember it."""
    heard: list[SearchHit] = []
    name = re.compile(rf"(?<!\w){re.escape(project)}(?!\w)", re.IGNORECASE)
    query = f"{project} crypto {topic}"

    class Naming:
        async def search(self, query: str, limit: int) -> Sequence[SearchHit]:
            hits = await context.search.search(query, limit)
            heard.extend(hit for hit in hits if name.search(f"{hit.title} {hit.snippet} {hit.url}"))
            return heard

    tools = Toolbox(general.tools(replace(context, search=Naming()), api))
    reply = await tools.call("verifaible_web_search", json.dumps({"query": query, "max_results": _RESULTS}))
    if reply.error_code:
        return "", (), f"Search for {query!r}: {reply.text}"
    return (reply.text if heard else ""), tuple(heard), ""


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
