"""Averages of what judges said of a graph's triples, and the tables of them."""
