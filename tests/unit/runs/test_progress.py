"""How far a run is."""

from __future__ import annotations

import pytest

from verifaible.runs.progress import Progress, Tracker, attempt_lost, doing, told


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_slowest_task_is_named_with_what_it_does_and_where() -> None:
    clock = Clock()
    tracker = Tracker(3, clock=clock)
    assert tracker.progress().slowest is None
    with tracker.task("glm-5 us_text_001"):
        clock.now = 10
        with doing("web_fetch", "worker 2"):
            clock.now = 51
            slowest = tracker.progress().slowest
            assert slowest is not None
            assert (slowest.task, slowest.worker, slowest.doing) == (
                "glm-5 us_text_001",
                "worker 2",
                "web_fetch",
            )
            assert (slowest.seconds, slowest.quiet_s) == (51, 41)
        with tracker.task("glm-5 us_text_002"):
            clock.now = 60
            slowest = tracker.progress().slowest
            assert slowest is not None
            # a call has ended, and where the last one was is still known
            assert (slowest.task, slowest.worker, slowest.doing) == ("glm-5 us_text_001", "worker 2", "")
            assert slowest.quiet_s == 9
            assert tracker.progress().under_way == 2
    assert tracker.progress().under_way == 0


def test_a_call_that_fails_has_ended() -> None:
    tracker = Tracker(1, clock=Clock())
    with tracker.task("a"):
        with pytest.raises(ValueError), doing("web_fetch"):
            raise ValueError
        slowest = tracker.progress().slowest
        assert slowest is not None
        assert not slowest.doing


def test_a_progress_in_one_line() -> None:
    clock = Clock()
    tracker = Tracker(300, done=36, clock=clock)
    tracker.ended(failed=True)
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
