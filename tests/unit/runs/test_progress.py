"""How far a run is: the time left against runs whose end is known, and what is called stuck."""

from __future__ import annotations

import random
from collections.abc import Callable
from heapq import heappop, heappush

import pytest

from verifaible.runs.progress import Progress, Tracker, attempt_lost, doing, told, told_task


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def like_pages(chance: random.Random) -> float:
    return chance.lognormvariate(2.5, 0.8)


def two_kinds(chance: random.Random) -> float:
    return chance.gauss(60, 8) if chance.random() < 0.25 else chance.gauss(10, 2)


def forecasts(
    duration: Callable[[random.Random], float], tasks: int, at_once: int, seed: int
) -> list[tuple[float, float, float]]:
    """Low, high and true seconds left of a run, asked at each fifth of its tasks."""
    chance, clock = random.Random(seed), Clock()
    tracker = Tracker(tasks, clock=clock)
    tracker.at_once = at_once
    durations = [max(0.5, duration(chance)) for _ in range(tasks)]
    waiting = iter(range(tasks))
    ends = []
    opened = {}

    def begin(task: int) -> None:
        opened[task] = tracker.task(str(task))
        opened[task].__enter__()
        heappush(ends, (clock.now + durations[task], task))

    for _ in range(at_once):
        begin(next(waiting))
    asked = []
    done = 0
    while ends:
        clock.now, task = heappop(ends)
        del opened[task]  # closes it
        tracker.ended(durations[task])
        done += 1
        following = next(waiting, None)
        if following is not None:
            begin(following)
        if done % (tasks // 5) == 0 and done < tasks and (left := tracker.progress().left_s):
            asked.append((*left, clock.now))
    return [(low, high, clock.now - at) for low, high, at in asked]


@pytest.mark.parametrize("duration", [like_pages, two_kinds])
def test_the_end_lies_between_the_times_that_are_told(duration: Callable[[random.Random], float]) -> None:
    kinds = ((1, 60), (1, 400), (4, 60), (4, 400), (16, 400), (64, 400))
    runs = [forecasts(duration, tasks, at_once, seed) for at_once, tasks in kinds for seed in range(3)]
    asked = [each for run in runs for each in run]
    within = sum(low <= true <= high for low, high, true in asked) / len(asked)
    widths = sorted((high - low) / true for run in runs for low, high, true in run[:2])
    print(f"{duration.__name__}: {within:.3f} of {len(asked)} within, width {widths[len(widths) // 2]:.2f}")
    assert within >= 0.8
    assert widths[len(widths) // 2] <= 0.9


def test_no_time_is_told_before_enough_have_ended() -> None:
    tracker = Tracker(100)
    tracker.at_once = 8
    for _ in range(15):
        tracker.ended(10.0)
        assert tracker.progress().left_s is None
    tracker.ended(11.0)
    assert tracker.progress().left_s is not None


def test_what_is_quiet_for_long_is_named_with_what_it_does_and_where() -> None:
    clock = Clock()
    tracker = Tracker(3, patience=5, clock=clock)
    for _ in range(30):
        tracker.took("web_fetch", 2.0)
        tracker.took("model", 40.0)
    with tracker.task("glm-5 us_text_001"):
        with doing("web_fetch", "worker 2"):
            clock.now = 49
            assert not tracker.progress().stuck
            clock.now = 51  # five times ten seconds: shorter calls count so much
            (stuck,) = tracker.progress().stuck
            assert stuck.worker == "worker 2" and stuck.doing == "web_fetch" and stuck.quiet_s == 51
            assert told_task(stuck) == "glm-5 us_text_001 (51 s at worker 2: web_fetch for 51 s)"
        assert not tracker.progress().stuck  # a call has ended
        with doing("model", ""):
            clock.now += 199
            assert not tracker.progress().stuck
            clock.now += 2
            assert [each.doing for each in tracker.progress().stuck] == ["model"]
            assert tracker.progress().slowest == tracker.progress().stuck[0]


def test_a_call_that_fails_says_nothing_of_how_long_one_takes() -> None:
    clock = Clock()
    tracker = Tracker(1, patience=2, clock=clock)
    with tracker.task("a"):
        with pytest.raises(ValueError), doing("web_fetch"):
            clock.now = 500
            raise ValueError
        with doing("web_fetch"):
            clock.now += 21
            assert tracker.progress().stuck


def test_a_progress_in_one_line() -> None:
    clock = Clock()
    tracker = Tracker(300, done=36, clock=clock)
    tracker.ended(12.0, failed=True)
    with tracker.task("glm-5 us_text_001"), doing("web_fetch", "worker 2"):
        attempt_lost()
        clock.now = 41
        said = told(tracker.progress(cost_usd=0.1234, workers=3, answering=2))
    assert said == (
        "37 of 300 done, 1 failed, 1 attempts lost, 1 under way, 2 of 3 workers answer, $0.1234, "
        "slowest: glm-5 us_text_001 (41 s at worker 2: web_fetch for 41 s)"
    )
    assert Progress.model_validate_json(tracker.progress().model_dump_json()).done == 37


def test_outside_of_a_task_nothing_is_followed() -> None:
    with doing("web_fetch"):
        attempt_lost()
