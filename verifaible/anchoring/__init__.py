"""Locating words and cells in a Document, with the whole sentences and the structure that govern them."""
