"""What can be said of a claim without a model: a source states or refutes it, or it follows from others."""
