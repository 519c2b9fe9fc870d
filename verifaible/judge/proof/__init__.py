"""Proofs of claims: an expression over quotes and cells of sealed sources, and the check of it."""
