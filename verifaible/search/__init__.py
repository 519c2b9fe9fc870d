"""Search backends, one a file."""
