"""Record what Slither says of the source: ``python -m scripts.replicas.sourcify_dev.record``."""

from __future__ import annotations

import asyncio

from scripts.replicas.sourcify_dev.answers import SLITHER, contract
from verifaible.config import Settings
from verifaible.crypto.contracts.slither import Programs, run_slither

if __name__ == "__main__":
    SLITHER.write_bytes(asyncio.run(run_slither(contract(), Programs.of(Settings()))) + b"\n")
