"""How a run goes, on a terminal and in a pipe."""

from __future__ import annotations

import io
from datetime import UTC, datetime

from rich.console import Console
from rich.live import Live

from verifaible.runs.on_terminal import Shown
from verifaible.runs.progress import Progress, UnderWay


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


STUCK = UnderWay(task="glm-5 us_text_001", worker="worker 2", doing="web_fetch", seconds=240, quiet_s=200)


def at(done: int, *stuck: UnderWay) -> Progress:
    return Progress(at=datetime.now(UTC), total=300, done=done, under_way=4, stuck=stuck)


def test_a_pipe_has_a_line_now_and_then_and_each_fault_once() -> None:
    out, clock = io.StringIO(), Clock()
    shown = Shown(Console(file=out), None, clock)
    for second in range(95):
        clock.now = second
        shown.ended(f"oracle case_{second}  100  verified  1.0 s", "")
        if second % 2:
            shown.ended(f"glm-5 case_{second}  0  not verified  1.0 s  No connection.", "No connection.")
        shown.tell(at(second, *([STUCK] if second > 50 else [])))
    shown.close()
    assert out.getvalue().splitlines() == [
        "glm-5 case_1  0  not verified  1.0 s  No connection.",
        "30 of 300 done, 4 under way",
        "stuck: glm-5 us_text_001 (4 min at worker 2: web_fetch for 3 min)",
        "60 of 300 done, 4 under way",
        "90 of 300 done, 4 under way",
        "94 of 300 done, 4 under way",
    ]


def test_a_terminal_shows_each_trial_and_what_is_stuck() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=160)
    with Live(console=console, transient=True, auto_refresh=False) as live:
        shown = Shown(console, live)
        shown.ended("oracle us_text_001  100  verified  1.0 s", "")
        shown.tell(at(94, STUCK))
        live.refresh()
    for each in ("oracle us_text_001  100  verified", "94 of 300 done", "stuck: glm-5 us_text_001 (4 min at"):
        assert each in out.getvalue()
