"""The three report agents as tools, by the names of the paper (section 3.3: PBAgent, HEAgent, CNAgent).

``cryptoProjectAnalysisAgent`` is a gatherer, a synthesiser and a critic; ``cryptoNewsAgent`` a fetcher and an
analyser of impact; ``historicalEventAnalysisAgent`` is in :mod:`~.events`.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any, Final, Literal

from pydantic import Field

from verifaible.crypto.agents.events import events_report
from verifaible.crypto.agents.material import (
    Session,
    filled,
    from_tools,
    from_web,
    meant,
    news_about,
    news_notes,
)
from verifaible.crypto.agents.report import LeftOut, Report, examined
from verifaible.crypto.assets.resolver import Match, resolve
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.news import NewsItem, listed, news_since
from verifaible.crypto.providers.session import Api
from verifaible.crypto.providers.toolset import coingecko_tools
from verifaible.crypto.query import stamp
from verifaible.errors import DataNotAvailable
from verifaible.llm.base import ModelClient
from verifaible.llm.structured import Form
from verifaible.schema.base import Record
from verifaible.schema.run import ToolReply
from verifaible.text.delimited import delimited
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Tool, Toolbox

#: How far back the news of ``cryptoNewsAgent`` go, and those on a project.
RECENT: Final = timedelta(days=7)
NEWS_BACK: Final = timedelta(days=90)
#: What is searched for, behind the project's name.
TOPICS: Final = (
    "official website documentation whitepaper",
    "founders team funding",
    "technology how it works GitHub",
    "token supply distribution vesting",
    "use cases users competitors",
)


class NoArguments(Record):
    """``cryptoNewsAgent`` takes none."""


class ProjectArguments(Record):
    """Arguments of the agents on one project."""

    project_identifier: str = Field(
        min_length=1, max_length=100, description="Ticker or name of the project."
    )


def tools(api: Api, endpoints: Places, context: ToolContext, client: ModelClient) -> tuple[Tool[Any], ...]:
    """The agents over one session.

    Args:
        api: the session.
        endpoints: where the providers are.
        context: browser, web, search and the settings with the feeds of news.
        client: the model that writes; it is not closed here.
    """
    session = Session(api, client, context, endpoints, context.settings.news_feeds)

    async def project(arguments: ProjectArguments) -> ToolReply:
        return (await project_report(arguments.project_identifier, session)).reply()

    async def events(arguments: ProjectArguments) -> ToolReply:
        return (await events_report(arguments.project_identifier, session)).reply()

    async def latest(_: NoArguments) -> ToolReply:
        return (await news_report(session)).reply()

    return (
        Tool(
            "cryptoProjectAnalysisAgent",
            "Report on a project: purpose, team, technology, token economics, use cases, competitors.",
            ProjectArguments,
            project,
        ),
        Tool(
            "historicalEventAnalysisAgent",
            "Report on a project's past: incidents, regulation, upgrades, and the price around them.",
            ProjectArguments,
            events,
        ),
        Tool(
            "cryptoNewsAgent",
            "Report on the latest news of the crypto market: sentiment, assets concerned, likely effect.",
            NoArguments,
            latest,
        ),
    )


class Facts(Form):
    """What the synthesiser fills in."""

    overview: tuple[str, ...]
    team: tuple[str, ...]
    technology: tuple[str, ...]
    token_economics: tuple[str, ...]
    use_cases: tuple[str, ...]
    competitors: tuple[str, ...]


class Critique(Form):
    """What the critic fills in."""

    utility: tuple[str, ...]
    distribution: tuple[str, ...]
    innovation: tuple[str, ...]
    gaps: tuple[str, ...]


async def project_report(identifier: str, session: Session) -> Report:
    """A report on what a project is.

    Args:
        identifier: its ticker or name.
        session: what the report is made with.

    Raises:
        BadArguments: the name can mean several assets.
        DataNotAvailable: nothing was found.
        ModelError: the model cannot be asked.
        WrongContent: it did not keep to its form.
    """
    asset, name, choice = meant(identifier)
    data = Toolbox(coingecko_tools(session.api, session.places))
    pages, coin, news = await asyncio.gather(
        from_web(session, asset.name if asset else identifier, TOPICS),
        from_tools(data, [("coingecko_coin", {"coin": asset.id if asset else identifier})]),
        news_about(session, asset, NEWS_BACK),
    )
    found = (coin + pages + news).shortened()
    if not found.parts:
        raise DataNotAvailable(
            f"Nothing was found on {name}: {' '.join(found.notes)} Check the name, or search the web."
        )
    facts = await filled(session.client, "project", found.text, Facts, project=name)
    material = f"{found.text}\n\nThe report:\n{facts.model_dump_json(indent=1)}"
    critique = await filled(session.client, "critique", material, Critique, project=name)
    sections = {field.replace("_", " ").capitalize(): getattr(facts, field) for field in Facts.model_fields}
    sections |= {
        f"Critique: {field}": getattr(critique, field) for field in Critique.model_fields if field != "gaps"
    }
    gaps = (f"Not known from the sources: {each}" for each in critique.gaps)
    return await examined(f"{name}: the project", sections, session.api, notes=(*choice, *found.notes, *gaps))


class Impact(Form):
    """What an item may mean: the judgement of a model, in fields."""

    item: str
    what: str
    sentiment: Literal["bullish", "bearish", "neutral"]
    affected: tuple[str, ...]
    magnitude: Literal["none", "small", "medium", "large"]
    horizon: Literal["hours", "days", "weeks", "months"]


class Impacts(Form):
    """What the analyser fills in."""

    items: tuple[Impact, ...]
    summary: tuple[str, ...]


async def news_report(session: Session) -> Report:
    """A report on the news of the last seven days before the time that is asked about.

    Raises:
        DataNotAvailable: there are none.
        ToolError: no feed could be read.
        ModelError: the model cannot be asked.
        WrongContent: it did not keep to its form.
    """
    since = session.until - RECENT
    found = await news_since(session.api, session.feeds, since)
    if not found.items:
        raise DataNotAvailable(
            f"No feed has dated news of the seven days before {stamp(session.until)}. Search the web "
            f"instead. {' '.join(found.missing)}".strip()
        )
    time = f"{stamp(since)} to {stamp(session.until)}"
    material = delimited("feeds", listed(found.items))
    impacts = await filled(session.client, "news", material, Impacts, time=time)
    known = {item.mark: item for item in found.items}
    refused: list[LeftOut] = []
    judged: list[str] = []
    for each in impacts.items:
        if item := known.get(each.item.strip("[]")):
            judged.append(_judged(each, item, refused))
        else:
            refused.append(LeftOut(statement=each.what, reason=f"{each.item} is no item of the news."))
    sections = {"What they have in common": impacts.summary, "Items and what they may mean": judged}
    title = f"News of the crypto market, {time}"
    return await examined(title, sections, session.api, left_out=refused, notes=news_notes(found))


def _judged(each: Impact, item: NewsItem, refused: list[LeftOut]) -> str:
    """An item with the model's judgement behind it; assets that nobody knows are left out of it."""
    assets: dict[str, str] = {}
    for ticker in each.affected:
        match = resolve(ticker)
        if isinstance(match, Match):
            symbol = match.asset.symbol
            assets.setdefault(symbol, symbol if item.names(match.asset) else f"{symbol} (not named)")
        else:
            told = f"{item.title}: affects {ticker}"
            refused.append(LeftOut(statement=told, reason="No such asset is known."))
    mark = f"[{item.mark}]"
    what = each.what if mark in each.what else f"{each.what} {mark}"
    date = stamp(item.published) if item.published else "undated"
    return (
        f"{what} (Published {date}. The model's judgement: {each.sentiment}; assets: "
        f"{', '.join(assets.values()) or 'none'}; magnitude: {each.magnitude}; horizon: {each.horizon}.)"
    )
