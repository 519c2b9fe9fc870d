"""How a run goes, as standard error shows it: live on a terminal, a line now and then in a file or a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from verifaible.runs.progress import Progress, told, told_task

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

_LINE_EVERY_S: Final = 30.0


class Shown:
    """What is shown of one run.

    Args:
        console: where.
        live: what is drawn anew on a terminal; None: it is none.
        clock: in seconds.
    """

    def __init__(
        self, console: Console, live: Live | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._console = console
        self._live = live
        self._clock = clock
        self._said_at = clock()
        self._said: set[str] = set()
        self._last: Progress | None = None

    def ended(self, line: str, error: str) -> None:
        """A task has ended; in a pipe it has a line only where its error is a new one."""
        if self._live is not None or (error and error not in self._said):
            self._said.add(error)
            self._line(line)

    def tell(self, progress: Progress) -> None:
        """Show how far the run is, and once of each call that is stuck that it is."""
        self._last = progress
        stuck = [f"stuck: {told_task(each)}" for each in progress.stuck]
        if self._live is not None:
            from rich.console import Group
            from rich.progress_bar import ProgressBar
            from rich.table import Table
            from rich.text import Text

            line = Table.grid(padding=(0, 1))
            bar = ProgressBar(total=max(1, progress.total), completed=progress.done, width=20)
            line.add_row(bar, Text(told(progress)))
            self._live.update(Group(line, *(Text(each, "bold red") for each in stuck)))
            return
        names = {f"{each.task} {each.doing}": line for each, line in zip(progress.stuck, stuck, strict=True)}
        for name in names.keys() - self._said:
            self._line(names[name])
        self._said |= names.keys()
        if self._clock() - self._said_at >= _LINE_EVERY_S:
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
    from rich.live import Live

    console = Console(stderr=True)
    if not console.is_terminal:
        shown = Shown(console, None)
        yield shown
    else:
        with Live(console=console, transient=True) as live:
            shown = Shown(console, live)
            yield shown
    shown.close()
