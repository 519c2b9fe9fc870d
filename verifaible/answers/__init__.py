"""Answers with markers: read, checked against the evidence, rendered; and asked of a model."""
