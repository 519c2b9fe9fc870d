"""Collecting, sealing, storing, verifying and replaying citations."""
