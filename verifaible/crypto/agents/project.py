"""``cryptoProjectAnalysisAgent``: gatherer, synthesiser, critic (seed, section 3.3: PBAgent)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Final

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
from verifaible.crypto.agents.news import news_notes
from verifaible.crypto.agents.report import Report, Section, examined
from verifaible.crypto.tools import coingecko
from verifaible.crypto.tools.news import News, listed
from verifaible.errors import DataNotAvailable
from verifaible.judge.asking.replies import Form
from verifaible.schema.base import Record
from verifaible.tools.presenting import delimited
from verifaible.tools.toolbox import Toolbox

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
    data = Toolbox(coingecko.tools(api, session.places.coingecko))
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
