"""One page in a fresh context: opened, waited for and used."""
