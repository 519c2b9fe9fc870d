"""How much the tests catch: seeded faults, one for each promise, and a random sample of mutants."""
