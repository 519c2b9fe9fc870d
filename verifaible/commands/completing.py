"""``verifaible completion``: completion of commands and options for shells."""

from __future__ import annotations

import click

_SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_VERIFAIBLE_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, /, shell: str) -> None:
    """Print the script that completes verifaible's commands and options in SHELL.

    Put what it prints into the shell's start-up file, or into its folder for completions.

    \b
    Examples:
      verifaible completion bash
      verifaible completion zsh
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # the choices are click's own
    root = context.find_root()
    click.echo(kind(root.command, {}, "verifaible", _VARIABLE).source())
