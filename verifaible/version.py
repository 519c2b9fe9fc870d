"""The version, below every floor."""

__version__ = "0.1.0"
