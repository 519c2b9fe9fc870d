"""Taking triples out of a filing."""
