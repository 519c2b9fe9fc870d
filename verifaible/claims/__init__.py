"""Splitting an answer into atomic claims with the sources it cites for each."""

from verifaible.claims.extract import coverage_of, extract_claims

__all__ = ["coverage_of", "extract_claims"]
