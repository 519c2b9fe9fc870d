"""``verifaible serve``: the viewer; ``verifaible mcp``: the tools and the citations for other agents."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import click

from verifaible.cli.program import own_command
from verifaible.console.options import read_settings, web_option
from verifaible.console.output import say, show_json
from verifaible.errors import ConfigError, VerifaibleError

if TYPE_CHECKING:
    from verifaible.config import Settings

DEFAULT_PORT, MCP_PORT = 8731, 8732
#: Where clients read which servers there are.
_CONFIGURED: Final = {
    "claude": "claude_desktop_config.json (Claude Desktop) or .mcp.json (Claude Code)",
    "cursor": ".cursor/mcp.json, in your home or a project",
    "vscode": ".vscode/mcp.json",
}


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
    from verifaible.access import token_for

    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(read_settings(), host, port, token_for(token, host), opened=opened))


def entrance(token: str) -> str:
    """The path of the first page, for a reader who has no cookie yet."""
    return f"/?token={quote(token, safe='')}" if token else "/"


async def _serve(settings: Settings, host: str, port: int, token: str, *, opened: bool) -> None:
    from verifaible.access import address_of, listen
    from verifaible.access import serve as served
    from verifaible.viewer.app import create_app

    with listen(host, port, token) as listener:
        address = address_of(listener, entrance(token))
        app = create_app(settings, token=token, warm=True)
        # The first reader shall not wait for the index; what is wrong with a store is told to who asks.
        with suppress(VerifaibleError):
            await asyncio.to_thread(app.state.viewer.store.count)

        def begun() -> None:
            click.echo(address)
            if opened:
                click.launch(address)

        await served(app, listener, begun, log_level="warning")


@click.command()
@click.option("--http", "over_http", is_flag=True, help="Serve streamable HTTP at /mcp instead of stdio.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=MCP_PORT,
    show_default=True,
    help="With --http: the port; 0 for any that is free.",
)
@click.option(
    "--token",
    envvar="VERIFAIBLE_TOKEN",
    show_envvar=True,
    default="",
    help="With --http: what clients must send as a bearer token. Off loopback one is made if none is given.",
)
@click.option(
    "--config",
    "configured",
    type=click.Choice(["claude", "cursor", "vscode"]),
    help="Only print the configuration of this client, to put in its file.",
)
@web_option
@click.pass_context
def mcp(
    context: click.Context,
    *,
    over_http: bool,
    host: str,
    port: int,
    token: str,
    configured: str | None,
    web: str,
) -> None:
    """Serve the six tools, the check of an answer, the citations and a prompt to an MCP client.

    Over stdio, the default, the client starts this command itself; standard output belongs to the protocol.

    \b
    Examples:
      verifaible mcp
      verifaible mcp --web offline
      verifaible mcp --http --port 8732
      verifaible mcp --config cursor
    """
    if any(find_spec(name) is None for name in ("mcp", "mcp_types", "uvicorn")):  # 1.x has no mcp_types
        raise ConfigError(
            'The MCP library (mcp 2) is not installed. Install it with pip install "verifaible[mcp]", in an '
            "environment of its own if something else needs mcp 1.x."
        )
    given = click.core.ParameterSource.COMMANDLINE
    for name in ("host", "port", "token"):
        if not over_http and context.get_parameter_source(name) is given:
            raise click.UsageError(f"--{name} needs --http. Add it, or leave --{name} out.")
    settings, offline = read_settings(), web == "offline"
    if configured:
        server: dict[str, Any] = {"type": "http", "url": f"http://{host}:{port}/mcp"}
        if not over_http:
            program, *words = own_command()
            server = {
                "type": "stdio",
                "command": program,
                "args": [*words, "mcp", *(("--web", "offline") if offline else ())],
                "env": {"VERIFAIBLE_HOME": str(settings.home.absolute())},
            }
        elif token:
            server["headers"] = {"Authorization": f"Bearer {token}"}
        say(f"Put this into {_CONFIGURED[configured]}.")
        show_json({"servers" if configured == "vscode" else "mcpServers": {"verifaible": server}})
        return
    if not over_http:
        from verifaible.mcp.transports import serve_stdio

        if sys.stdin.isatty():
            say("Waiting for an MCP client on standard input; end with Ctrl-C.")
        asyncio.run(serve_stdio(settings, offline=offline))
        return
    from verifaible.access import token_for
    from verifaible.mcp.transports import serve_http

    secret = token_for(token, host)
    if secret != token.strip():
        say(f"Token (send it as `Authorization: Bearer TOKEN`): {secret}")
    asyncio.run(serve_http(settings, offline=offline, host=host, port=port, token=secret))
