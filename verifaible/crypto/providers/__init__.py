"""The endpoints of the providers of data, as tables (TOML)."""
