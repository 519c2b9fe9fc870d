"""The program and its groups of commands; a command is imported when it runs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import click

from verifaible.console.options import SHORT_HELP, choose, read_settings
from verifaible.version import __version__

if TYPE_CHECKING:
    from verifaible.client import Verifaible

T = TypeVar("T")

#: The commands of each group, and where they are.
GROUPS: Final = {
    "Cite": {"cite": "cli.cite:cite", "seal": "cli.cite:seal"},
    "Check": {
        "check": "cli.check:check",
        "ask": "cli.check:ask",
        "verify": "cli.verify:verify",
        "replay": "cli.verify:replay",
        "watch": "cli.verify:watch",
    },
    "Keep": {
        "list": "cli.library:list_",
        "show": "cli.library:show_command",
        "export": "cli.library:export",
        "import": "cli.library:import_",
        "delete": "cli.library:delete",
        "store": "cli.store:store",
    },
    "Bench": {"bench": "cli.bench:bench"},
    "Analysts": {"judge": "judge.cli:judge", "kg": "kg.cli:kg", "crypto": "crypto.cli:crypto"},
    "System": {
        "setup": "cli.system:setup",
        "doctor": "cli.system:doctor",
        "serve": "cli.serve:serve",
        "mcp": "cli.serve:mcp",
        "profile": "cli.system:profile",
        "schema": "cli.schema:schema",
    },
}
_PLACES: Final = {name: place for group in GROUPS.values() for name, place in group.items()}


class LazyGroup(click.Group):
    """A group that imports a command when it is run or its help is shown, and helps who misspells one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, without importing them."""
        return list(_PLACES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name not in _PLACES:
            return None
        module, _, name = _PLACES[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"verifaible.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant; a wrong name gets the nearest."""
        if args and args[0] not in _PLACES and not args[0].startswith("-"):
            near = get_close_matches(args[0], _PLACES, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, group by group."""
        for title, commands in GROUPS.items():
            with formatter.section(f"{title} Commands"):
                rows = [(name, self.get_command(ctx, name)) for name in commands]
                formatter.write_dl([(name, found.get_short_help_str(200)) for name, found in rows if found])


@click.group(cls=LazyGroup, context_settings=SHORT_HELP)
@click.version_option(__version__, prog_name="verifaible")
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    callback=choose,
    expose_value=False,
    help="Folder of a project: its store, runs and cases. Default: VERIFAIBLE_HOME, else as doctor says.",
)
def verifaible() -> None:
    """Evidence you can replay: citations that are checked when made and can be checked again.

    \b
    Exit status: 0 done; 1 the evidence does not hold, or the source could not be used; 2 wrong
    use or set-up; `check` has two more. Data go to standard output, everything else to standard error.
    """


def within(
    work: Callable[[Verifaible], Awaitable[T]],
    *,
    web: Literal["live", "offline"] = "live",
    base_url: str | None = None,
) -> T:
    """What a method of the client gives, with the settings of the running command."""
    from verifaible.client import Verifaible

    async def working() -> T:
        async with Verifaible(read_settings(base_url), web=web) as client:
            return await work(client)

    return asyncio.run(working())


def own_command() -> list[str]:
    """The words that start this program from anywhere: cron and other programs do not know its ``PATH``."""
    program = Path(sys.argv[0]).absolute()
    if not program.is_file() or program.suffix == ".py":
        return [sys.executable, "-m", "verifaible.cli"]
    return [str(program)]
