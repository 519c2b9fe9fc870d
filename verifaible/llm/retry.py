"""How long to wait for an endpoint that is busy, failing or away."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from verifaible.net.politeness import number, retry_after_s, until_s

#: A number past which a reset is a point in time: seconds, or milliseconds, since 1970.
_EPOCH_S, _EPOCH_MS = 1e9, 1e11
_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_RESET = re.compile(r"\A(?:x-|anthropic-)?rate-?limit-(?:(?P<before>[\w-]+)-)?reset(?:-(?P<after>[\w-]+))?\Z")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long an endpoint that fails, is busy or is away is asked again.

    Attributes:
        total_s: seconds from the first failure past which it is not asked again. An endpoint that asks for a
            longer wait is given up at once.
        first_wait_s: wait after the first failure; doubled after each further one.
        longest_wait_s: longest wait of ours; one that the endpoint asks for may be longer.
        spread: a random number from 0 to 1 for each wait, so that trials do not all return at once: a wait
            of ours is shortened by up to half, one the endpoint asked for is lengthened by up to a tenth.
    """

    total_s: float = 240.0
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0
    spread: Callable[[], float] = random.random

    def wait_s(self, failures: int, asked_s: float | None, *, elapsed_s: float = 0.0) -> float | None:
        """Seconds to wait after so many failures, ``elapsed_s`` after the first; None to give up."""
        wait = min(self.first_wait_s * 2 ** min(failures - 1, 30), self.longest_wait_s)
        wait *= 1 - 0.5 * self.spread()
        if asked_s is not None and asked_s >= wait:  # one that asks for less, or for nothing, is not rushed
            wait = asked_s * (1 + 0.1 * self.spread())
            return wait if elapsed_s + asked_s <= self.total_s else None
        return wait if elapsed_s + wait <= self.total_s else None


def asked_wait_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds the headers of a busy endpoint ask to wait; None if they do not.

    ``retry-after-ms``, then ``Retry-After`` (RFC 9110, section 10.2.3), then the reset of the rate limits
    that are used up: ``x-ratelimit-reset-requests: 6m0s`` (OpenAI), ``anthropic-ratelimit-tokens-reset``
    with a date, ``X-RateLimit-Reset`` with milliseconds since 1970 (OpenRouter). The name of a header may
    be in any case.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    milliseconds = number(lower.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    wait = retry_after_s(lower.get("retry-after"), now)
    return wait if wait is not None else _reset_s(lower, now)


def duration_s(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds in ``6m0s``, ``250ms``, ``1.5``, a point in time since 1970, or an ISO 8601 date."""
    seconds = number(value)
    if seconds is not None:
        if seconds < _EPOCH_S:
            return max(0.0, seconds)
        stamp = seconds / 1000 if seconds >= _EPOCH_MS else seconds
        return max(0.0, stamp - (now or datetime.now(UTC)).timestamp())
    text = (value or "").strip().lower()
    parts = _DURATION.findall(text)
    if parts and _DURATION.sub("", text) == "":
        return sum(float(amount) * _UNITS_S[unit] for amount, unit in parts)
    return until_s(value, now, datetime.fromisoformat)


def _reset_s(lower: Mapping[str, str], now: datetime | None) -> float | None:
    """The longest reset among the limits of which nothing remains, or whose rest is not told."""
    waits = []
    for name, value in lower.items():
        match = _RESET.match(name)
        wait = duration_s(value, now) if match else None
        if wait is None or (number(lower.get(name.replace("reset", "remaining"))) or 0) > 0:
            continue
        waits.append(wait)
    return max(waits, default=None)
