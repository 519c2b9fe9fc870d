"""Speed, size and memory, measured and published: ``python -m scripts.benchmark``."""
