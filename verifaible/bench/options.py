"""Options that several commands have."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click


class Amount(click.FloatRange):
    """A positive, finite number: ``nan`` and ``inf`` would be limits that never end anything."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, or a usage error."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class Folder(click.Path):
    """A folder on this machine: ``s3://bucket`` would otherwise become a folder of that name."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or a usage error."""
        if "://" in str(value):
            self.fail(f"{value} is an address. Give a folder on this machine, and copy it there.", param, ctx)
        return super().convert(value, param, ctx)


web_option = click.option(
    "--web",
    type=click.Choice(["live", "offline"]),
    default="live",
    show_default=True,
    help="The internet, or the archives in snapshots/sites.",
)
base_url_option = click.option("--base-url", help="OpenAI-compatible endpoint instead of OpenRouter.")
api_option = click.option(
    "--api", type=click.Choice(["responses", "chat"]), help="API to ask in. Default: by the catalogue."
)

_Command = TypeVar("_Command", bound=Callable[..., Any])
_executor = click.option(
    "--executor",
    default="local",
    show_default=True,
    metavar="local|ray|ray:ADDRESS",
    help="Where the work is done: in this process, or on the workers of a Ray cluster.",
)
_workers = click.option(
    "--workers",
    type=click.IntRange(0),
    default=0,
    help="Workers of the cluster; 0: all it has room for.",
)


def executor_options(command: _Command) -> _Command:
    """``--executor`` and ``--workers``, which ``executor_of`` reads."""
    return _executor(_workers(command))
