"""Checks of triples without a model: against the ontology, against their words, and against the tags."""
