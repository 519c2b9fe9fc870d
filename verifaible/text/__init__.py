"""Text: characters, sentences, languages, and the one reader of values."""
