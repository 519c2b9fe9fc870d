"""Model endpoints, the model catalogue, and a scripted model for tests."""
