"""``python -m verifaible.bench``."""

from __future__ import annotations

from verifaible.bench.cli import bench
from verifaible.console.output import guarded

if __name__ == "__main__":
    guarded(bench)
