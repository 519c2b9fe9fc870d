"""Readers of long answers: the public CSV and traces, our own trials, Markdown."""
