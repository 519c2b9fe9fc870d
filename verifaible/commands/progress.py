"""What a person sees on a terminal while something takes longer than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show that something is being done; nothing where standard error is no terminal.

    Args:
        what: such as ``Opening https://example.com``.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(what, spinner="dots"):
        yield


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how many of how many are done; gives what is told both, after each.

    Args:
        what: such as ``Verifying``.
    """
    with counting_stages(what) as told:
        yield lambda done, total: told(what, done, total)


@contextmanager
def counting_stages(*begun: str) -> Iterator[Callable[[str, int, int], None]]:
    """The same of several stages side by side, each told by its name.

    Args:
        begun: those that are shown from the beginning.
    """
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        tasks = {what: shown.add_task(what, total=None) for what in begun}

        def told(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=done, total=total)

        yield told
