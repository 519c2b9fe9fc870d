"""``verifaible serve``: the viewer."""

from __future__ import annotations

import asyncio
import secrets
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from verifaible.bench.environment import read_settings
from verifaible.errors import ConfigError, VerifaibleError

if TYPE_CHECKING:
    from verifaible.config import Settings

DEFAULT_PORT = 8731
_TOKEN_BYTES = 24


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
    help="What readers must have. Needed off this machine: one is made if none is given.",
)
@click.option("--open", "opened", is_flag=True, help="Open the viewer in a browser.")
def serve(host: str, port: int, token: str | None, opened: bool) -> None:
    """Show runs, citations and their evidence in a browser.

    Listens on this machine alone, unless --host says otherwise. The address is printed on standard output;
    Ctrl-C ends it.

    \b
    Examples:
      verifaible serve --open
      verifaible serve --host 0.0.0.0 --port 8080
    """
    from verifaible.serve.security import is_loopback

    if token is not None and not token.strip():
        raise ConfigError("--token is empty. Give a secret, or leave it out.")
    secret = (token or "").strip()
    if not secret and not is_loopback(host):
        secret = secrets.token_urlsafe(_TOKEN_BYTES)
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(read_settings(), host, port, secret, opened=opened))


async def _serve(settings: Settings, host: str, port: int, token: str, *, opened: bool) -> None:
    import uvicorn

    from verifaible.serve.app import create_app

    listening = listen(host, port)
    address = address_of(listening, token)
    app = create_app(settings, token=token)
    # The first reader shall not wait for the index; what is wrong with a store is told to who asks.
    with suppress(VerifaibleError):
        await asyncio.to_thread(app.state.house.store.count)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=3,
        )
    )
    click.echo(address)
    if opened:
        click.launch(address)
    with listening:
        await server.serve([listening])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on an address.

    Raises:
        ConfigError: the address is not of this machine, or the port is taken.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        opened = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ConfigError(f"--host {host}: is no address ({error.strerror}). Use 127.0.0.1.") from error
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(place)
        opened.listen(socket.SOMAXCONN)
    except OSError as error:
        opened.close()
        raise ConfigError(
            f"{host}:{port} cannot be listened on ({error.strerror}). Name another --port; 0 takes a free "
            "one."
        ) from error
    return opened


def address_of(listening: socket.socket, token: str) -> str:
    """The address under which a reader on this machine finds the server, with the token if there is one."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not listened on
        host = "127.0.0.1"
    named = f"[{host}]" if ":" in host else host
    return f"http://{named}:{port}/{f'?token={token}' if token else ''}"
