"""Splitting an answer into atomic claims, and how much of it they cover."""

from verifaible.judge.claims.answer import claims_of, coverage_of

__all__ = ["claims_of", "coverage_of"]
