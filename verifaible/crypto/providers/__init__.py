"""Data of providers as rows (``*.toml``), one handler for all, and the tools over them."""
