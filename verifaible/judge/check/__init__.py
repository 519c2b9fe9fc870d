"""Checking a text against the sources that it cites."""
