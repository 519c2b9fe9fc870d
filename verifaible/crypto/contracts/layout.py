"""A verified source as a compiler gets it: every file at a name that cannot leave the working folder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from shlex import quote
from typing import Any, Final

from verifaible.crypto.contracts.records import VerifiedContract
from verifaible.errors import WrongContent

#: The largest verified projects have some hundred files and a few megabytes.
MOST_FILES: Final = 1000
MOST_BYTES: Final = 10_000_000
#: The compiler's input in the folder that Slither works in, and the compiler that it is given.
INPUT: Final = "input.json"
SOLC: Final = "solc"
_LONGEST_NAME: Final = 200
_FOLDER: Final = "src"
_HEAD: Final = re.compile(r"[^/]*/+")


def placed(path: str) -> str:
    """The name of a source file below the working folder.

    Verified names may be absolute, or addresses (``https://host/A.sol``): those become folders too.

    Raises:
        WrongContent: it leads out of the folder, or is no name of a file.
    """
    head = _HEAD.match(path)
    rest = path[head.end() :] if head and not head[0].strip("/") else path
    parts = [part for part in rest.split("/") if part not in ("", ".")]
    bad = not parts or ".." in parts or any(ord(sign) < 32 for sign in path)
    if bad or any(len(part.encode()) > _LONGEST_NAME for part in parts):
        raise WrongContent(
            f"The verified source has a file named {path[:80]!r}, which leads out of its folder or "
            "is no name of a file. It was not analysed: say so."
        )
    return "/".join((_FOLDER, *(("root",) if rest is not path else ()), *parts))


def standard_json(contract: VerifiedContract) -> dict[str, Any]:
    """The compiler's input (standard JSON) that gives the syntax tree, and no bytecode.

    Each first part of a name is remapped to where the files are; relative imports need nothing.

    Raises:
        WrongContent: a name is unsafe, two files would be one, or the source is too large.
    """
    size = sum(len(each.content) for each in contract.files)
    if len(contract.files) > MOST_FILES or size > MOST_BYTES:
        raise WrongContent(
            f"The verified source has {len(contract.files)} files and {size} characters; at most "
            f"{MOST_FILES} and {MOST_BYTES} are analysed. Say that it was not analysed."
        )
    sources = {placed(each.path): {"content": each.content} for each in contract.files}
    names = {PurePosixPath(name) for name in sources}
    if len(sources) < len(contract.files) or any(names & set(name.parents) for name in names):
        raise WrongContent(
            "Two files of the verified source have the same name in a folder. It was not analysed: say so."
        )
    settings: dict[str, Any] = {
        "remappings": _remappings(contract),
        "outputSelection": {"*": {"*": ["abi"], "": ["ast"]}},
    }
    if version := contract.settings.get("evmVersion"):
        settings["evmVersion"] = str(version)
    return {"language": "Solidity", "sources": sources, "settings": settings}


def _remappings(contract: VerifiedContract) -> list[str]:
    heads = {
        head[0] if head else each.path
        for each in contract.files
        if not each.path.startswith("./")
        for head in [_HEAD.match(each.path)]
    }
    own = {head: _prefix(head) for head in sorted(heads)}
    given: list[str] = []
    listed = contract.settings.get("remappings")
    for each in listed if isinstance(listed, list) else []:
        before, _, target = str(each).partition("=")
        context, colon, prefix = before.partition(":")
        context, prefix = (context, prefix) if colon else ("", context)
        if not prefix or any(ord(sign) < 32 for sign in each):
            continue
        if not context:
            own.pop(prefix, None)
        given.append(f"{_prefix(context) if context else ''}:{prefix}={_prefix(target)}")
    # a colon before the name ends its context, which is empty: an address has one of its own
    return [*(f":{head}={place}" for head, place in own.items()), *given]


def _prefix(path: str) -> str:
    """Where names that begin so are; nothing is read from there but the files that were given."""
    absolute = path.startswith("/")
    body = re.sub(r"/+", "/", path.removeprefix("./")).lstrip("/")
    return f"{_FOLDER}/{'root/' if absolute else ''}{body}"


def write_project(folder: Path, given: Mapping[str, Any], made: Mapping[str, Any], version: str) -> None:
    """Write sources, the compiler's input, and a ``solc`` that answers with the output there is already.

    Args:
        folder: empty.
        given: the compiler's input.
        made: its output.
        version: of the compiler.
    """
    for name, source in given["sources"].items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(source["content"].encode("utf-8", "surrogatepass"))
    # no bytecode was made: detectors read the tree alone, and code that is too deep for it is analysed too
    code = {"object": "", "sourceMap": ""}
    contracts = {
        file: {
            name: {"abi": each.get("abi", []), "evm": {"bytecode": code, "deployedBytecode": code}}
            for name, each in found.items()
        }
        for file, found in made.get("contracts", {}).items()
    }
    output = {"sources": made["sources"], "contracts": contracts}
    (folder / INPUT).write_text(json.dumps(given), encoding="utf-8")
    (folder / "output.json").write_text(json.dumps(output), encoding="utf-8")
    solc = folder / SOLC
    told = quote(f"Version: {version}")
    solc.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {told} || exec /bin/cat output.json\n')
    solc.chmod(0o700)
