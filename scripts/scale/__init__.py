"""Measures what larger runs rest on: the custody log with many writers, a large index, a large bucket."""
