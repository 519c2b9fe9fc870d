"""Readers of plain text that judging, graphs and answers still use."""
