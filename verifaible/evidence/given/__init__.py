"""Sources that are given as files or texts."""
