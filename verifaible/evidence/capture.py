"""A capture: what was seen, sealed in a WACZ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from verifaible.archive.matching import normalise
from verifaible.archive.signing import Signer
from verifaible.archive.wacz import WaczWriter
from verifaible.extract.snapshot import SNAPSHOT_NAME
from verifaible.schema.action import ActionStep, StepResult
from verifaible.schema.anchor import Anchor
from verifaible.schema.citation import CITATION_FORMAT, CaptureRef, Match, WebMode
from verifaible.schema.web import WebExchange
from verifaible.store.store import Store
from verifaible.version import __version__

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
        exchanges: what the page asked of the web, with the answers.
        anchor: where the evidence stands; of a source that is sealed before it is cited, nowhere.
        document_url: the document the evidence stands in, where that is another one.
        signed_in: whether the page was seen with a person's cookies.
        files: the files of ``evidence/``, by name, unmodified evidence only.
        provenance: further facts for ``provenance.json``.
    """

    url: str
    final_url: str
    title: str
    exchanges: Sequence[WebExchange]
    web: WebMode
    match: Match
    synthetic: bool
    anchor: Anchor = field(default_factory=lambda: Anchor(evidence_type="text", text=""))
    document_url: str = ""
    steps: Sequence[ActionStep] = ()
    results: Sequence[StepResult] = ()
    signed_in: bool = False
    files: dict[str, bytes] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)


def state_sha256(evidence: Evidence) -> str:
    """The digest of the page's state: two loads that have it can share one capture.

    It covers the address, the steps and what they returned, each request with the status and body
    of its answer, and every evidence file. Left out is what differs from load to load without
    changing the page: the order of parallel requests, cache-busters, times, headers, and the engine's own
    numbers in its snapshot, of which the text and the markup stand in files of their own.
    """
    state: dict[str, Any] = {
        "format": CITATION_FORMAT,
        "url": evidence.url,
        "final_url": evidence.final_url,
        "document_url": evidence.document_url,
        "web": evidence.web,
        "steps": [step.model_dump(mode="json") for step in evidence.steps],
        "results": [result.model_dump(mode="json", exclude={"duration_ms"}) for result in evidence.results],
        "exchanges": sorted(_exchange_state(each) for each in evidence.exchanges),
        "files": {
            name: hashlib.sha256(data).hexdigest()
            for name, data in evidence.files.items()
            if name != SNAPSHOT_NAME
        },
    }
    if evidence.signed_in:
        state["signed_in"] = True
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def _exchange_state(exchange: WebExchange) -> list[str]:
    request, response = exchange.request, exchange.response
    asked = hashlib.sha256(request.body or b"").hexdigest()
    answered = hashlib.sha256(response.body or b"").hexdigest()
    return [request.method, normalise(request.url).key, asked, str(response.status), answered]


def captured(store: Store, evidence: Evidence, path: Path) -> tuple[CaptureRef, bool]:
    """The capture of what was seen, and whether it was written to ``path`` just now.

    A page in a state that the store has already is not captured again.
    """
    state = state_sha256(evidence)
    if known := store.capture_of_state(state):
        return known, False
    return write_capture(path, evidence, signer=store.signer, state=state), True


def write_capture(
    path: Path,
    evidence: Evidence,
    *,
    signer: Signer,
    captured_at: datetime | None = None,
    state: str = "",
) -> CaptureRef:
    """Write and seal the capture into a file: the page's state, whatever is cited in it.

    Args:
        path: the file to be.
        evidence: what it will hold.
        signer: signs it.
        captured_at: when; now by default.
        state: its :func:`state_sha256`, where that is known.

    Returns:
        What citations call it.
    """
    now = captured_at or datetime.now(UTC)
    files = dict(evidence.files)
    if evidence.steps:
        played = zip(evidence.steps, evidence.results, strict=True)
        files["steps.json"] = _pretty(
            [
                {"step": step.model_dump(mode="json"), "result": result.model_dump(mode="json")}
                for step, result in played
            ]
        )
    files["provenance.json"] = _pretty(
        {
            "format": CITATION_FORMAT,
            "software": f"verifaible {__version__}",
            "captured_at": now.astimezone(UTC).isoformat(),
            **{name: getattr(evidence, name) for name in ("url", "final_url", "web", "match", "synthetic")},
            **({"signed_in": True} if evidence.signed_in else {}),
            "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())},
            "document_url": evidence.document_url,
            "what_a_hash_proves": WHAT_A_HASH_PROVES,
            **evidence.provenance,
        }
    )
    with WaczWriter(
        path,
        title=evidence.title or evidence.final_url,
        description=f"Evidence captured by verifaible from {evidence.final_url}. {WHAT_A_HASH_PROVES}",
        created=now,
        synthetic=evidence.synthetic,
        signer=signer,
    ) as writer:
        for exchange in evidence.exchanges:
            writer.add_exchange(exchange)
        # Its text is in evidence/ already: a second copy would double the archive of a long page.
        writer.add_page(evidence.final_url, evidence.title, now)
        for name in sorted(files):
            writer.add_file(f"evidence/{name}", files[name])
        sha256 = writer.close()
    return CaptureRef(
        sha256=sha256,
        size_bytes=path.stat().st_size,
        captured_at=now,
        state_sha256=state or state_sha256(evidence),
        web=evidence.web,
        match=evidence.match,
        synthetic=evidence.synthetic,
        signed_in=evidence.signed_in,
    )


def _pretty(data: object) -> bytes:
    return json.dumps(data, ensure_ascii=False, indent=1).encode()
