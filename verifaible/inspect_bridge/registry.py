"""What Inspect AI finds of us, through the entry point group ``inspect_ai``."""

from __future__ import annotations

from verifaible.inspect_bridge.scores import verified_bench, wilson_high, wilson_low
from verifaible.inspect_bridge.tasks import answer_with_evidence, bench

__all__ = ["answer_with_evidence", "bench", "verified_bench", "wilson_high", "wilson_low"]
