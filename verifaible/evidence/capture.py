"""A capture: what was seen, sealed in a WACZ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from verifaible import __version__
from verifaible.archive.signing import Signer
from verifaible.archive.wacz import WaczWriter
from verifaible.schema.action import ActionStep, StepResult
from verifaible.schema.citation import Anchor, Match, WebMode
from verifaible.schema.web import WebExchange

#: Said in every capture and every report.
WHAT_A_HASH_PROVES = (
    "The hashes prove that these bytes have not changed since they were captured. They do not prove "
    "that the server told the truth, nor when the capture was made."
)


@dataclass(slots=True)
class Evidence:
    """Everything a capture will hold.

    Attributes:
        url: what was asked for.
        final_url: what was reached.
        title: title of the page or document.
        anchor: where the evidence stands.
        exchanges: what the page asked of the web, with the answers.
        files: the files of ``evidence/``, by name, unmodified evidence only.
        derivatives: files made from evidence, by name: (bytes, name of the parent file).
        provenance: further facts for ``provenance.json``.
    """

    url: str
    final_url: str
    title: str
    anchor: Anchor
    exchanges: Sequence[WebExchange]
    web: WebMode
    match: Match
    synthetic: bool
    steps: Sequence[ActionStep] = ()
    results: Sequence[StepResult] = ()
    visible_text: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    derivatives: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)


def write_capture(path: Path, evidence: Evidence, *, captured_at: datetime, signer: Signer) -> str:
    """Write and seal the capture.

    Returns:
        SHA-256 of the file, in hexadecimal.
    """
    files = dict(evidence.files)
    files["anchor.json"] = evidence.anchor.model_dump_json(indent=1, exclude_none=True).encode()
    if evidence.steps:
        files["steps.json"] = _pretty(
            [
                {"step": step.model_dump(mode="json"), "result": result.model_dump(mode="json")}
                for step, result in zip(evidence.steps, evidence.results, strict=True)
            ]
        )
    files["provenance.json"] = _pretty(_provenance(evidence, files, captured_at))
    files |= {name: data for name, (data, _) in evidence.derivatives.items()}
    with WaczWriter(
        path,
        title=evidence.title or evidence.final_url,
        description=f"Evidence captured by verifaible from {evidence.final_url}. {WHAT_A_HASH_PROVES}",
        created=captured_at,
        synthetic=evidence.synthetic,
        signer=signer,
    ) as writer:
        for exchange in evidence.exchanges:
            writer.add_exchange(exchange)
        writer.add_page(evidence.final_url, evidence.title, captured_at, evidence.visible_text)
        for name in sorted(files):
            writer.add_file(f"evidence/{name}", files[name])
        return writer.close()


def _provenance(evidence: Evidence, files: dict[str, bytes], captured_at: datetime) -> dict[str, Any]:
    return {
        "software": f"verifaible {__version__}",
        "captured_at": captured_at.astimezone(UTC).isoformat(),
        "url": evidence.url,
        "final_url": evidence.final_url,
        "web": evidence.web,
        "match": evidence.match,
        "synthetic": evidence.synthetic,
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())},
        "derivatives": {
            name: {
                "made_from": parent,
                "parent_sha256": hashlib.sha256(files[parent]).hexdigest(),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
            for name, (data, parent) in sorted(evidence.derivatives.items())
        },
        "what_a_hash_proves": WHAT_A_HASH_PROVES,
        **evidence.provenance,
    }


def _pretty(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, indent=1).encode()
