"""``python -m verifaible.crypto``."""

from __future__ import annotations

from verifaible.console.output import guarded
from verifaible.crypto.cli import crypto

if __name__ == "__main__":
    guarded(crypto)
