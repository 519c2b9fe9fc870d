"""The exchanges of the replica of Sourcify."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.replicas.common import Exchange
from verifaible.crypto.contracts.records import SourceFile, VerifiedContract
from verifaible.crypto.contracts.slither import input_sha256
from verifaible.crypto.contracts.tool import RECORDED
from verifaible.crypto.contracts.verified import SOURCIFY

HERE = Path(__file__).resolve().parent
LINK = "0x514910771AF9Ca656af840dff83E8264EcF986CA"
PEPE = "0x6982508145454Ce325dDbE47a25d4ec3d2311933"
#: What Slither said of the source, as :mod:`.record` wrote it.
SLITHER = HERE / "slither.json"
_COMPILER = "0.8.28"


def sources() -> dict[str, str]:
    """The files of the source by their verified names."""
    files = sorted((HERE / "source").rglob("*.sol"))
    return {f"contracts/{file.relative_to(HERE / 'source').as_posix()}": file.read_text() for file in files}


def contract() -> VerifiedContract:
    """The contract as the analysis gets it from the answer."""
    return VerifiedContract(
        chain=1,
        address=LINK,
        provider="Sourcify",
        source="src_1",
        name="LinkToken",
        compiler=_COMPILER,
        settings={"remappings": [], "evmVersion": "cancun"},
        files=tuple(SourceFile(path=path, content=text, pointer="") for path, text in sources().items()),
    )


def exchanges() -> Iterator[Exchange]:
    """A verified contract, one that nobody verified, and the recorded result of Slither."""
    settings = {"evmVersion": "cancun", "optimizer": {"enabled": True, "runs": 200}, "remappings": []}
    yield _answer(
        LINK,
        200,
        {
            "match": "exact_match",
            "creationMatch": "exact_match",
            "runtimeMatch": "exact_match",
            "chainId": "1",
            "address": LINK,
            "verifiedAt": "2024-08-08T12:19:06Z",
            "sources": {path: {"content": text} for path, text in sources().items()},
            "compilation": {
                "language": "Solidity",
                "compiler": "solc",
                "compilerVersion": f"{_COMPILER}+commit.7893614a",
                "compilerSettings": settings,
                "name": "LinkToken",
                "fullyQualifiedName": "contracts/LinkToken.sol:LinkToken",
            },
            "proxyResolution": {"isProxy": False, "proxyType": None, "implementations": []},
        },
    )
    missing = {"match": None, "creationMatch": None, "runtimeMatch": None, "chainId": "1", "address": PEPE}
    yield _answer(PEPE, 404, missing)
    yield Exchange(f"{RECORDED}/{input_sha256(contract())}.json", SLITHER.read_bytes(), "application/json")


def _answer(address: str, status: int, data: dict[str, Any]) -> Exchange:
    url = f"{SOURCIFY}/v2/contract/1/{address}?fields=all"
    return Exchange(url, json.dumps(data, indent=1).encode(), "application/json", status=status)
