"""Stores of format 1: read where they are, taken over into the custody log, never rewritten.

Format 1 kept the custody log in ``custody.jsonl``, the checks of a citation in
``checks/<id>.jsonl``, and the anchor and the highlight inside the capture.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from pydantic import ValidationError

from verifaible.errors import IntegrityError
from verifaible.evidence.store import annotation
from verifaible.evidence.store.entries import CustodyItem, item
from verifaible.evidence.store.files import Files
from verifaible.schema.check import Check

LOG = "custody.jsonl"
_START_OF_CHAIN = "0" * 64


def is_there(files: Files) -> bool:
    """Whether files of format 1 are in the store."""
    return files.exists(LOG)


def items(files: Files) -> list[CustodyItem]:
    """Everything whole that format 1 had stored, for the entry that takes it over."""
    found = [item("file", LOG, files.read(LOG))]
    for file in files.names("citations"):
        name = file.removesuffix(".json")
        data = files.read(f"citations/{file}")
        try:
            citation = annotation.from_bytes(data, name)
        except IntegrityError:
            continue  # an audit says that no entry names it
        sha256 = citation.capture.sha256
        found.append(CustodyItem(kind="capture", name=f"captures/{sha256}.wacz", sha256=sha256))
        found.append(item("citation", f"citations/{file}", data))
        history = f"checks/{name}.jsonl"
        if files.exists(history):
            found.append(item("file", history, files.read(history)))
    return found


def checks(files: Files, citation_id: str) -> tuple[Check, ...]:
    """The checks that format 1 kept; a line that a kill cut off is left out.

    Raises:
        IntegrityError: a line is damaged.
    """
    name = f"checks/{citation_id}.jsonl"
    try:
        data = files.read(name)
    except FileNotFoundError:
        return ()
    try:
        return tuple(Check.model_validate_json(line) for line in data.split(b"\n")[:-1])
    except ValidationError as error:
        raise IntegrityError(f"{name} is damaged. Restore it from a copy of the store.") from error


def chain_faults(files: Files) -> Iterator[str]:
    """What is wrong with the log of format 1: lines that do not continue its chain."""
    try:
        lines = files.read(LOG).splitlines()
    except FileNotFoundError:
        return
    previous = b""
    for number, line in enumerate(lines, start=1):
        expected = hashlib.sha256(previous).hexdigest() if previous else _START_OF_CHAIN
        try:
            chained = json.loads(line).get("previous") == expected
        except (ValueError, AttributeError):
            chained = False
        if not chained:
            yield f"{LOG} line {number}: the chain is broken."
        previous = line
