"""The agent loop, its limits, and the two built-in agents."""
