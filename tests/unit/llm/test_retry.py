"""Waits: ours, and those that endpoints ask for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.llm.retry import RetryPolicy, asked_wait_s, duration_s

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("250ms", 0.25),
        ("1h2m3.5s", 3723.5),
        ("12.5", 12.5),
        (f"{NOW.timestamp() + 7:.0f}", 7.0),
        (f"{(NOW.timestamp() + 7) * 1000:.0f}", 7.0),
        ("2026-11-21T12:00:20Z", 20.0),
        ("2026-11-21T12:00:20", 20.0),
        ("6 apples", None),
        ("", None),
    ],
)
def test_durations_and_points_in_time(value: str, seconds: float | None) -> None:
    assert duration_s(value, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "9", "x-ratelimit-reset-tokens": "60s"}, 9.0),
        # only the limit that is used up counts
        (
            {
                "x-ratelimit-remaining-requests": "99",
                "x-ratelimit-reset-requests": "1h",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "6m0s",
            },
            360.0,
        ),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": f"{(NOW.timestamp() + 4) * 1000:.0f}"}, 4.0),
        ({"x-ratelimit-reset": "5"}, 5.0),
        ({"ratelimit-reset": "5"}, 5.0),
        (
            {
                "anthropic-ratelimit-tokens-remaining": "0",
                "anthropic-ratelimit-tokens-reset": "2026-11-21T12:00:20Z",
                "anthropic-ratelimit-requests-remaining": "5",
                "anthropic-ratelimit-requests-reset": "2026-11-21T13:00:00Z",
            },
            20.0,
        ),
        ({"x-ratelimit-remaining": "3", "x-ratelimit-reset": "5"}, None),
        ({"content-type": "text/plain"}, None),
        ({"retry-after": "soon"}, None),
    ],
)
def test_headers_that_ask_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait_s(headers, NOW) == seconds


@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset"]), st.text()))
def test_no_header_can_break_it(headers: dict[str, str]) -> None:
    wait = asked_wait_s(headers, NOW)
    assert wait is None or wait >= 0


def test_an_endpoint_that_asks_for_no_wait_is_not_rushed() -> None:
    policy = RetryPolicy(spread=lambda: 0.0)
    assert [policy.wait_s(failures, 0.0) for failures in (1, 2, 5)] == [1, 2, 16]


@given(
    attempt=st.integers(1, 20),
    asked=st.none() | st.floats(0, 1000),
    elapsed=st.floats(0, 2000),
    spread=st.floats(0, 1),
)
def test_waits_are_bounded_and_never_shorter_than_asked(
    attempt: int, asked: float | None, elapsed: float, spread: float
) -> None:
    policy = RetryPolicy(spread=lambda: spread)
    wait = policy.wait_s(attempt, asked, elapsed_s=elapsed)
    if wait is None:
        assert elapsed + max(asked or 0, policy.longest_wait_s) > policy.total_s
    else:
        assert wait >= (asked or 0)
        assert elapsed + wait <= policy.total_s * (1.1 if asked else 1)


def test_waits_of_ours_double_and_are_spread() -> None:
    full = RetryPolicy(spread=lambda: 0.0)
    half = RetryPolicy(spread=lambda: 1.0)
    assert [full.wait_s(attempt, None) for attempt in (1, 2, 3, 5, 6, 9)] == [
        *(1.0, 2.0, 4.0, 16.0, 30.0, 30.0)
    ]
    assert [half.wait_s(attempt, None) for attempt in (1, 2, 3)] == [0.5, 1.0, 2.0]
    assert len({RetryPolicy().wait_s(3, None) for _ in range(20)}) > 1
