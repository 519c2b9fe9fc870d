"""Frozen records that cross floors. No I/O, no logic beyond validation."""
