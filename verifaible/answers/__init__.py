"""The sentences, markers and facts of answers."""
