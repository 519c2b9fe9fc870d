"""Time stamps by others."""
