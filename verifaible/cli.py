"""The command line: wiring only. A command is imported when it runs; its heavy imports happen in it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from verifaible.bench.environment import SHORT_HELP, choose, guarded
from verifaible.version import __version__

_COMMANDS = {
    "ask": "verifaible.commands.asking:ask",
    "bench": "verifaible.bench.cli:bench",
    "check": "verifaible.commands.texts:check",
    "cite": "verifaible.commands.citing:cite",
    "crypto": "verifaible.crypto.cli:crypto",
    "delete": "verifaible.commands.deleting:delete",
    "doctor": "verifaible.commands.machine:doctor",
    "export": "verifaible.commands.exporting:export",
    "import": "verifaible.commands.exporting:import_",
    "judge": "verifaible.judge.cli:judge",
    "kg": "verifaible.kg.cli:kg",
    "list": "verifaible.commands.finding:list_",
    "mcp": "verifaible.commands.serving:mcp",
    "profile": "verifaible.commands.profiles:profile",
    "record": "verifaible.commands.recording:record",
    "replay": "verifaible.commands.checking:replay",
    "schema": "verifaible.commands.schemas:schema",
    "serve": "verifaible.commands.serving:serve",
    "setup": "verifaible.commands.machine:setup",
    "show": "verifaible.commands.finding:show",
    "store": "verifaible.commands.keeping:store",
    "verify": "verifaible.commands.checking:verify",
    "watch": "verifaible.commands.watching:watch",
}


class LazyGroup(click.Group):
    """A group that imports a command when it is run or its help is shown."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, without importing them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command


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


def main() -> None:
    """The program ``verifaible``."""
    guarded(verifaible)


if __name__ == "__main__":
    main()
