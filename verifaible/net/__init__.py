"""The URL guard and the one HTTP client, live or from an archive."""
