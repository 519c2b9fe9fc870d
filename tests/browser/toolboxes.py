"""The five tools that make no citation, as a toolbox over any web."""

from __future__ import annotations

import json
from typing import Any, cast

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.cite import Collector
from verifaible.net.web import Web
from verifaible.schema.run import ToolReply
from verifaible.search.archive import ArchiveSearch
from verifaible.search.base import SearchBackend
from verifaible.tools.action_steps import action_steps
from verifaible.tools.analyze_page import analyze_page
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Toolbox
from verifaible.tools.video_transcript import video_transcript
from verifaible.tools.web_fetch import web_fetch
from verifaible.tools.web_search import web_search


class Caller:
    """Calls tools with keyword arguments."""

    def __init__(self, settings: Settings, web: Web, browser: Browser) -> None:
        search = ArchiveSearch(web.archive) if web.archive else cast(SearchBackend, None)
        context = ToolContext(settings, web, browser, cast(Collector, None), search)
        factories = (web_search, web_fetch, analyze_page, action_steps, video_transcript)
        self.toolbox = Toolbox([factory(context) for factory in factories])

    async def __call__(self, name: str, **arguments: Any) -> ToolReply:
        return await self.toolbox.call(name, json.dumps(arguments))
