"""Security of a contract: its verified source, what Slither finds in it, and a model's review of that."""
