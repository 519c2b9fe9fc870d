"""Replaying and verifying what is kept."""
