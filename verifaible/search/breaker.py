"""A circuit breaker: what keeps failing is left alone for a while, then tried once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

#: Consecutive failures after which an engine is left alone, and for how long.
FAILURES_TO_OPEN = 3
OPEN_S = 60.0
#: An engine may ask for a longer pause (Retry-After), up to this.
LONGEST_OPEN_S = 3600.0


@dataclass(slots=True)
class Breaker:
    """Counts the failures of one engine.

    Closed, it lets every call through. After ``failures_to_open`` failures in a row it is open for
    ``open_s`` seconds; then it is half open: one call is let through, and decides.
    """

    failures_to_open: int = FAILURES_TO_OPEN
    open_s: float = OPEN_S
    clock: Callable[[], float] = monotonic
    _failures: int = field(default=0, init=False)
    _open_until: float | None = field(default=None, init=False)
    _trying: bool = field(default=False, init=False)

    def enter(self) -> bool:
        """Whether a call may be made now; each True must be followed by one of the three below."""
        if self._open_until is None:
            return True
        if self._trying or self.clock() < self._open_until:
            return False
        self._trying = True
        return True

    @property
    def wait_s(self) -> float:
        """How long calls are refused from now, in seconds; 0 when closed or half open."""
        return 0.0 if self._open_until is None else max(0.0, self._open_until - self.clock())

    def succeeded(self) -> None:
        """The call was answered: closed again."""
        self._failures, self._open_until, self._trying = 0, None, False

    def failed(self, retry_after_s: float = 0.0) -> None:
        """The call failed; with ``retry_after_s`` the other side asked for a pause itself."""
        self._failures += 1
        if retry_after_s > 0:
            self._open_until = self.clock() + min(retry_after_s, LONGEST_OPEN_S)
        elif self._trying or self._failures >= self.failures_to_open:
            self._open_until = self.clock() + self.open_s
        self._trying = False

    def abandoned(self) -> None:
        """The call was cancelled from outside: it says nothing about the engine."""
        self._trying = False
