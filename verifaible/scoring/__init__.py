"""Answer matching, the gated score, the verified score, statistics: pure functions."""
