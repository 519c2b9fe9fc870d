"""``python -m verifaible.bench``."""

from __future__ import annotations

from verifaible.bench.cli import bench
from verifaible.bench.environment import guarded

if __name__ == "__main__":
    guarded(bench)
