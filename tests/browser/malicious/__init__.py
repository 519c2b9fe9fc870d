"""Captures of pages that were written to attack whoever looks at them."""
