"""Where evidence is kept: files, the index, the signed log, and keys."""
