"""``verifaible serve``: the viewer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from verifaible.bench.environment import read_settings
from verifaible.errors import VerifaibleError

if TYPE_CHECKING:
    from verifaible.config import Settings

DEFAULT_PORT = 8731


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port; 0 takes a free one.",
)
@click.option(
    "--token",
    envvar="VERIFAIBLE_TOKEN",
    default="",
    help="What readers must have. Needed off this machine: one is made if none is given.",
)
@click.option("--open", "opened", is_flag=True, help="Open the viewer in a browser.")
def serve(host: str, port: int, token: str, opened: bool) -> None:
    """Show runs, citations and their evidence in a browser.

    Listens on this machine alone, unless --host says otherwise. The address is printed on standard output;
    Ctrl-C ends it.

    \b
    Examples:
      verifaible serve --open
      verifaible serve --host 0.0.0.0 --port 8080
    """
    from verifaible.serve.security import token_for

    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(read_settings(), host, port, token_for(token, host), opened=opened))


def entrance(token: str) -> str:
    """The path of the first page, for a reader who has no cookie yet."""
    return f"/?token={quote(token, safe='')}" if token else "/"


async def _serve(settings: Settings, host: str, port: int, token: str, *, opened: bool) -> None:
    from verifaible.serve.app import create_app
    from verifaible.serve.listening import address_of, listen
    from verifaible.serve.listening import serve as served

    with listen(host, port) as listener:
        address = address_of(listener, entrance(token))
        app = create_app(settings, token=token, warm=True)
        # The first reader shall not wait for the index; what is wrong with a store is told to who asks.
        with suppress(VerifaibleError):
            await asyncio.to_thread(app.state.house.store.count)

        def begun() -> None:
            click.echo(address)
            if opened:
                click.launch(address)

        await served(app, listener, begun, ending=app.state.chat.running.close, log_level="warning")
