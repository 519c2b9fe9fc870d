"""How a run goes, as standard error shows it: a bar on a terminal, a line now and then in a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from verifaible.runs.progress import Progress, told

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

_LINE_EVERY_S: Final = 30.0


class Shown:
    """What is shown of one run.

    Args:
        console: where.
        bar: what is drawn anew on a terminal, with rich's estimate of the time left; None: it is none.
        clock: in seconds.
    """

    def __init__(
        self, console: Console, bar: Bar | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._console = console
        self._bar = bar
        self._task = bar.add_task("", total=None) if bar is not None else None
        self._clock = clock
        self._said_at = clock()
        self._said: set[str] = set()
        self._last: Progress | None = None

    def ended(self, line: str, error: str) -> None:
        """A task has ended; in a pipe it has a line only where its error is a new one."""
        if self._bar is not None or (error and error not in self._said):
            self._said.add(error)
            self._line(line)

    def tell(self, progress: Progress) -> None:
        """Show how far the run is."""
        self._last = progress
        if self._bar is not None and self._task is not None:
            self._bar.update(
                self._task, total=progress.total, completed=progress.done, description=told(progress)
            )
        elif self._clock() - self._said_at >= _LINE_EVERY_S:
            self._said_at = self._clock()
            self._line(told(progress))

    def close(self) -> None:
        """Say how far the run has come."""
        if self._last is not None:
            self._line(told(self._last))

    def _line(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def showing() -> Iterator[Shown]:
    """Show on standard error how a run goes."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        shown = Shown(console, None)
        yield shown
    else:
        with bar_on(console) as bar:
            shown = Shown(console, bar)
            yield shown
    shown.close()


def bar_on(console: Console, clock: Callable[[], float] = time.monotonic) -> Bar:
    """A bar with the time left and a line of text."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        BarColumn(20),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
        get_time=clock,
        speed_estimate_period=3600,  # a trial takes minutes: rich's own 30 s would see none end
    )
