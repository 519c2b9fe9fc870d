"""Verifying and judging long answers, on the evidence store."""
