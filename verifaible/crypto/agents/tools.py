"""The three report agents as tools, by the names of the paper."""

from __future__ import annotations

from typing import Any

from verifaible.crypto.agents.events import events_report
from verifaible.crypto.agents.gathering import Session
from verifaible.crypto.agents.news import NewsArguments, ProjectArguments, news_report, project_report
from verifaible.crypto.tools.api import Api
from verifaible.crypto.tools.endpoint import Places
from verifaible.crypto.tools.news import NewsPlaces
from verifaible.llm.base import ModelClient
from verifaible.schema.run import ToolReply
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Tool


def tools(api: Api, endpoints: Places, context: ToolContext, client: ModelClient) -> tuple[Tool[Any], ...]:
    """The agents over one session.

    Args:
        api: the session.
        endpoints: where the providers are.
        context: browser, web, search and the settings with the feeds of news.
        client: the model that writes; it is not closed here.
    """
    session = Session(api, client, context, endpoints, NewsPlaces.of(context.settings))

    async def project(arguments: ProjectArguments) -> ToolReply:
        return (await project_report(arguments.project_identifier, session)).reply()

    async def events(arguments: ProjectArguments) -> ToolReply:
        return (await events_report(arguments.project_identifier, session)).reply()

    async def latest(_: NewsArguments) -> ToolReply:
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
            NewsArguments,
            latest,
        ),
    )
