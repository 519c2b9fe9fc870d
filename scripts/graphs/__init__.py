"""Measures of knowledge graphs, over filings that are not part of this repository."""
