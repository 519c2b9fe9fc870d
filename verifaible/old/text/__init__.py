"""Readers of plain text that every floor above shares: sameness, words, sentences, reservations."""
