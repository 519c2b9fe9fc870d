"""Runs of the bench while parts of the cluster fail: nothing of their results may be lost or doubled."""
