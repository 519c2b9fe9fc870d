"""Splitting an answer into atomic claims, with the sources it cites for each, and how much of it they cover."""

from verifaible.claims.extract import coverage_of, extract_claims

__all__ = ["coverage_of", "extract_claims"]
