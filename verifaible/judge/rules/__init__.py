"""What can be said of a claim without a model: it stands in a source, follows from named operands, or is refuted."""
