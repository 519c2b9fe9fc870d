"""Judging of triples by a model, after the protocol of FinReflectKG-EvalBench, and the judge's biases."""
