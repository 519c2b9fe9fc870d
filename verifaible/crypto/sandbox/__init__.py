"""Calculations over cited data: formulas, and small Python programs in a sandbox without files or network."""
