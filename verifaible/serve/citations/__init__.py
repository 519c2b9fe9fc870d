"""The pages of citations."""
