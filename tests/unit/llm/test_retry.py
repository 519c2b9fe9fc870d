"""Waits of ours, beside those that endpoints ask for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from verifaible.llm.client import RetryPolicy


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
