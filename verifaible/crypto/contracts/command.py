"""What ``verifaible crypto contract`` does."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, cast

import click

from verifaible.config import Settings
from verifaible.console.options import read_settings
from verifaible.crypto.contracts.tool import LONGEST_SYMBOL, ContractArguments, tools
from verifaible.crypto.session import ORIGIN, Api, SourceBook
from verifaible.errors import ConfigError, ToolError, UserError
from verifaible.evidence.sources import SourceOrigin
from verifaible.llm.catalogue import BUILT_IN
from verifaible.llm.catalogue import Api as ModelApi
from verifaible.llm.opening import open_model
from verifaible.net.web import Web
from verifaible.schema.analyst import Source
from verifaible.schema.run import ToolReply
from verifaible.store.store import Store


def show_contract(symbol: str, options: dict[str, Any]) -> None:
    """Analyse a contract, print the report and its sources.

    Raises:
        UserError: an option or the store cannot be used, or the contract cannot be analysed.
    """
    if not 0 < len(symbol) <= LONGEST_SYMBOL:
        raise click.UsageError("SYMBOL is empty or too long. Name a ticker, such as LINK, or an address.")
    settings = read_settings(options["base_url"])
    try:
        reply, sources = asyncio.run(_analysed(symbol, settings, options))
    except ToolError as error:
        raise UserError(str(error)) from error
    for display in reply.displays:
        if options["as_json"]:
            click.echo(display.model_dump_json(indent=2))
            continue
        click.echo(display.markdown)
        for source in sources:
            click.echo(f"[{source.id}] {source.title} {source.url} (capture {source.capture[:12]})")


async def _analysed(
    symbol: str, settings: Settings, options: dict[str, Any]
) -> tuple[ToolReply, tuple[Source, ...]]:
    name = options["model"]
    if name in BUILT_IN:
        raise ConfigError(f"--model {name}: answers only the bench's cases. Name a model, such as glm-5.")
    opened = open_model(name, settings, cast("ModelApi | None", options["api"])) if name else None
    try:
        web = Web.offline(settings) if options["web"] == "offline" else Web.live(settings)
        origin = SourceOrigin(kind="trial", name=ORIGIN, sha256=sha256(symbol.encode()).hexdigest())
        api = Api(web, SourceBook(Store.open(settings), origin), datetime.now(UTC))
        (tool,) = tools(api, opened.client if opened else None)
        return await tool.handle(ContractArguments(symbol=symbol)), api.book.sources
    finally:
        if opened:
            await opened.client.aclose()
