"""The command line: wiring only. Heavy imports happen in the commands."""

from __future__ import annotations

import click

from verifaible.bench.cli import bench, guarded
from verifaible.commands.answering import answer, ask
from verifaible.commands.checking import replay, verify
from verifaible.commands.citing import cite
from verifaible.commands.completing import completion
from verifaible.commands.exporting import export, import_
from verifaible.commands.finding import list_, search, show
from verifaible.commands.keeping import store
from verifaible.commands.machine import doctor
from verifaible.commands.mcp import mcp
from verifaible.commands.recording import record
from verifaible.commands.serving import serve
from verifaible.crypto.cli import crypto
from verifaible.judge.cli import judge
from verifaible.version import __version__


@click.group()
@click.version_option(__version__, prog_name="verifaible")
def verifaible() -> None:
    """Evidence you can replay: citations that are checked when made and can be checked again.

    \b
    Exit status: 0 done; 1 the evidence does not hold, or the source could not be used; 2 wrong
    use or set-up. Data go to standard output, everything else to standard error.
    """


for _command in (
    answer,
    ask,
    bench,
    cite,
    completion,
    crypto,
    doctor,
    export,
    import_,
    judge,
    list_,
    mcp,
    record,
    replay,
    search,
    serve,
    show,
    store,
    verify,
):
    verifaible.add_command(_command)


def main() -> None:
    """The program ``verifaible``."""
    guarded(verifaible)


if __name__ == "__main__":
    main()
