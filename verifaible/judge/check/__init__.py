"""Checking any text: its claims against the sources that it names."""
