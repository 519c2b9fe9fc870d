"""``python -m verifaible.crypto``."""

from __future__ import annotations

from verifaible.bench.environment import guarded
from verifaible.crypto.cli import crypto

if __name__ == "__main__":
    guarded(crypto)
