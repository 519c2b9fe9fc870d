"""How a run goes, on a terminal and in a pipe."""

from __future__ import annotations

import io
from datetime import UTC, datetime

from rich.console import Console

from verifaible.runs.on_terminal import Shown, bar_on
from verifaible.runs.progress import Progress


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def at(done: int) -> Progress:
    return Progress(at=datetime.now(UTC), total=300, done=done, under_way=4)


def test_a_pipe_has_a_line_now_and_then_and_each_fault_once() -> None:
    out, clock = io.StringIO(), Clock()
    shown = Shown(Console(file=out), None, clock)
    for second in range(95):
        clock.now = second
        shown.ended(f"oracle case_{second}  100  verified  1.0 s", "")
        if second % 2:
            shown.ended(f"glm-5 case_{second}  0  not verified  1.0 s  No connection.", "No connection.")
        shown.tell(at(second))
    shown.close()
    assert out.getvalue().splitlines() == [
        "glm-5 case_1  0  not verified  1.0 s  No connection.",
        "30 of 300 done, 4 under way",
        "60 of 300 done, 4 under way",
        "90 of 300 done, 4 under way",
        "94 of 300 done, 4 under way",
    ]


def test_a_terminal_shows_each_trial_how_far_the_run_is_and_the_time_left() -> None:
    out, clock = io.StringIO(), Clock()
    console = Console(file=out, force_terminal=True, width=160)
    with bar_on(console, clock) as bar:
        shown = Shown(console, bar)
        shown.ended("oracle us_text_001  100  verified  1.0 s", "")
        for done in (100, 110, 120):  # ten in a minute, once it goes on
            clock.now += 60
            shown.tell(at(done))
        bar.refresh()
    for each in ("oracle us_text_001  100  verified", "120 of 300 done", "0:18:00"):
        assert each in out.getvalue()
