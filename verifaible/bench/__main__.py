"""``python -m verifaible.bench``: the command of the bench, which lies above it."""

from __future__ import annotations

from importlib import import_module

from verifaible.console.output import guarded

if __name__ == "__main__":
    guarded(import_module("verifaible.cli.bench").bench)
