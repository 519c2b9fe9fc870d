"""``python -m verifaible.judge``."""

from __future__ import annotations

from verifaible.console.output import guarded
from verifaible.judge.cli import judge

if __name__ == "__main__":
    guarded(judge)
