"""How far a run is."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import Field

from verifaible.schema.base import Record


class Progress(Record):
    """How far a run is.

    Attributes:
        at: when this was so.
        total: trials of the run.
        done: that have ended, with those that failed.
        failed: that a machine or an endpoint failed.
        cost_usd: so far, in US dollars; None where nothing was paid.
    """

    at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    total: int
    done: int
    failed: int = 0
    cost_usd: float | None = None

    @property
    def line(self) -> str:
        """In one line."""
        parts = [f"{self.done:,} of {self.total:,} done"]
        parts += [f"{self.failed:,} failed"] if self.failed else []
        parts += [f"${self.cost_usd:,.4f}"] if self.cost_usd is not None else []
        return ", ".join(parts)
