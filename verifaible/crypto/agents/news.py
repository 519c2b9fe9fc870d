"""The agents on news and on projects (seed, section 3.3: CNAgent and PBAgent).

``cryptoNewsAgent`` is a fetcher and an analyser of impact; ``cryptoProjectAnalysisAgent`` a gatherer, a
synthesiser and a critic.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final, Literal

from pydantic import Field

from verifaible.crypto.agents.gathering import (
    Gathered,
    Session,
    filled,
    from_tools,
    from_web,
    meant,
    news_about,
)
from verifaible.crypto.agents.report import LeftOut, Report, Section, examined
from verifaible.crypto.assets.resolver import Match, resolve
from verifaible.crypto.periods import stamp
from verifaible.crypto.tools import coingecko
from verifaible.crypto.tools.news import News, NewsItem, listed, news_since
from verifaible.errors import DataNotAvailable
from verifaible.llm.structured import Form
from verifaible.schema.base import Record
from verifaible.text.delimited import delimited
from verifaible.tools.toolbox import Toolbox

#: How far back the news of the agent go.
RECENT: Final = timedelta(days=7)


class NewsArguments(Record):
    """``cryptoNewsAgent`` takes none."""


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
    api, client = session.api, session.client
    until = api.as_of or api.now
    found = await news_since(api, session.news, until - RECENT)
    if not found.items:
        raise DataNotAvailable(
            f"No feed has dated news of the seven days before {stamp(until)}. Search the web instead. "
            f"{' '.join(found.missing)}".strip()
        )
    time = f"{stamp(until - RECENT)} to {stamp(until)}"
    impacts = await filled(client, "news", delimited("feeds", listed(found.items)), Impacts, time=time)
    known = {item.mark: item for item in found.items}
    refused: list[LeftOut] = []
    judged: list[str] = []
    for each in impacts.items:
        if (item := known.get(each.item.strip("[]"))) is None:
            refused.append(LeftOut(statement=each.what, reason=f"{each.item} is no item of the news."))
            continue
        judged.append(_judged(each, item, refused))
    return await examined(
        f"News of the crypto market, {time}",
        [
            Section(title="What they have in common", statements=impacts.summary),
            Section(title="Items and what they may mean", statements=tuple(judged)),
        ],
        api,
        left_out=refused,
        notes=news_notes(found),
    )


def _judged(each: Impact, item: NewsItem, refused: list[LeftOut]) -> str:
    """An item with the model's judgement behind it; assets that nobody knows are left out of it."""
    assets: dict[str, str] = {}
    for ticker in each.affected:
        match = resolve(ticker)
        if not isinstance(match, Match):
            refused.append(
                LeftOut(statement=f"{item.title}: affects {ticker}", reason="No such asset is known.")
            )
        elif match.asset.symbol not in assets:
            named = item.names(match.asset)
            assets[match.asset.symbol] = match.asset.symbol if named else f"{match.asset.symbol} (not named)"
    mark = f"[{item.mark}]"
    what = each.what if mark in each.what else f"{each.what} {mark}"
    date = stamp(item.published) if item.published else "undated"
    return (
        f"{what} (Published {date}. The model's judgement: {each.sentiment}; assets: "
        f"{', '.join(assets.values()) or 'none'}; magnitude: {each.magnitude}; horizon: {each.horizon}.)"
    )


def news_notes(found: News) -> Sequence[str]:
    """What a reader must know of where news came from."""
    notes = [f"Not read: {each}" for each in found.missing]
    if found.undated:
        titles = "; ".join(each.title for each in found.undated[:5])
        notes.append(f"Left out, as they have no date: {titles}.")
    if found.synthetic:
        notes.append("These news are synthetic: a replica stands in for the publisher, and nothing happened.")
    return notes


#: How far back news are read: they tell what others do not yet have.
NEWS_BACK: Final = timedelta(days=90)
#: What is searched for, behind the project's name.
TOPICS: Final = (
    "official website documentation whitepaper",
    "founders team funding",
    "technology how it works GitHub",
    "token supply distribution vesting",
    "use cases users competitors",
)


class ProjectArguments(Record):
    """Arguments of the agents on one project."""

    project_identifier: str = Field(
        min_length=1, max_length=100, description="Ticker or name of the project."
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
    asset, choice = meant(identifier)
    name = f"{asset.name} ({asset.symbol})" if asset else identifier
    api, client = session.api, session.client
    data = Toolbox(coingecko.tools(api, session.places))
    pages, coin, news = await asyncio.gather(
        from_web(session, asset.name if asset else identifier, TOPICS),
        from_tools(data, [("coingecko_coin", {"coin": asset.id if asset else identifier})]),
        news_about(session, asset, NEWS_BACK),
    )
    told = (news,) if isinstance(news, str) else news_notes(news)
    reported = (delimited("feeds", listed(news.items)),) if isinstance(news, News) and news.items else ()
    found = Gathered((*coin.parts, *pages.parts, *reported), (*coin.faults, *pages.faults, *told))
    if not found.parts:
        raise DataNotAvailable(
            f"Nothing was found on {name}: {' '.join(found.faults)} Check the name, or search the web."
        )
    facts = await filled(client, "project", found.text, Facts, project=name)
    written = facts.model_dump_json(indent=1)
    critique = await filled(
        client, "critique", f"{found.text}\n\nThe report:\n{written}", Critique, project=name
    )
    sections = [
        Section(title="Overview", statements=facts.overview),
        Section(title="Team", statements=facts.team),
        Section(title="Technology", statements=facts.technology),
        Section(title="Token economics", statements=facts.token_economics),
        Section(title="Use cases", statements=facts.use_cases),
        Section(title="Competitors", statements=facts.competitors),
        Section(title="Critique: utility", statements=critique.utility),
        Section(title="Critique: distribution", statements=critique.distribution),
        Section(title="Critique: innovation", statements=critique.innovation),
    ]
    gaps = tuple(f"Not known from the sources: {each}" for each in critique.gaps)
    return await examined(f"{name}: the project", sections, api, notes=(*choice, *found.notes, *gaps))
