"""``ro-crate-metadata.json``: the export as an RO-Crate 1.1 (https://w3id.org/ro/crate/1.1).

It names every file with its SHA-256, and who did what when: capture, citation, checks, time stamps, export.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any
from urllib.parse import quote as percent

from verifaible.evidence.export import bundle
from verifaible.evidence.export.bundle import ExportDescription, fingerprint
from verifaible.evidence.export.statement import Signed
from verifaible.evidence.store.annotation import canonical
from verifaible.evidence.store.keys import KeyRecord
from verifaible.reporting.pages import is_link
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation

#: The context of 1.1 is of schema.org 10, which had no ``sha256`` yet.
_CONTEXT = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "http://schema.org/sha256"}]
_SPECIFICATION = "https://w3id.org/ro/crate/1.1"
_TYPES = {
    ".wacz": "application/wacz",
    ".jsonld": "application/ld+json",
    ".json": "application/json",
    ".bib": "application/x-bibtex",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".pem": "application/x-pem-file",
    ".tst": "application/vnd.etsi.timestamp-token",
    ".der": "application/octet-stream",
}
#: What describes a format that no browser opens.
_FORMATS = {
    ".wacz": ("https://www.nationalarchives.gov.uk/PRONOM/fmt/1840", "Web Archive Collection Zipped (WACZ)"),
    ".tst": ("https://www.rfc-editor.org/rfc/rfc3161", "RFC 3161 TimeStampToken"),
}
_NAMES = {
    bundle.CAPTURE: "Sealed capture of the page",
    bundle.CITATION: "The citation as the store keeps it",
    bundle.ANNOTATION: "The citation as a W3C Web Annotation with links into this crate",
    bundle.CSL: "Reference in CSL-JSON",
    bundle.BIBTEX: "Reference in BibTeX",
    bundle.MARKED: "Picture of the evidence with the marks drawn over it",
    bundle.PAGE: "Everything on one page",
    bundle.REPORT: "Everything on one printed page",
    bundle.INSTRUCTIONS: "How to check all of it by hand",
    bundle.ENTRY: "Signed entry of the store's log",
    bundle.SUMS: "SHA-256 of every other file",
    bundle.SUMS_SIGNATURE: "Signature of SHA256SUMS",
}
#: These name the crate in turn, so it cannot have their hashes.
_UNSUMMED = (bundle.SUMS, bundle.SUMS_SIGNATURE)
_RIGHTS, _SOFTWARE, _BROWSER = ({"@id": each} for each in ("#rights", "#verifaible", "#browser"))


def crate(
    citation: Citation,
    files: Mapping[str, bytes],
    description: ExportDescription,
    signed: Signed,
    browser: str,
) -> bytes:
    """The metadata of an export, as canonical JSON.

    Args:
        citation: what was exported.
        files: every other file of the export, but the list of hashes and its signature.
        description: when it was exported, and by which software.
        signed: the keys behind it, and the time stamps.
        browser: the name and version of what opened the page; may be empty.
    """
    entities = [*(_file(*each) for each in sorted(files.items())), *map(_file, _UNSUMMED)]
    source = _source(citation)
    actions = _actions(citation, files, description, signed, browser)
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"verifaible citation {citation.id}",
        "description": f"Evidence for the claim: {citation.claim}"
        + (f" ({citation.capture.remark})" if citation.capture.remark else ""),
        "identifier": f"urn:verifaible:{citation.id}",
        "datePublished": description.exported_at.isoformat(),
        "license": _RIGHTS,
        "author": _keeper(signed.export),
        "publisher": _keeper(signed.export),
        "isBasedOn": {"@id": source["@id"]},
        "hasPart": [{"@id": each["@id"]} for each in entities],
        "mentions": [{"@id": each["@id"]} for each in actions],
    }
    metadata = {
        "@id": bundle.CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": _SPECIFICATION},
        "about": {"@id": "./"},
    }
    graph = [
        metadata,
        root,
        source,
        *_named(description, signed, browser),
        *_formats(files),
        *entities,
        *actions,
    ]
    return canonical({"@context": _CONTEXT, "@graph": graph})


def _file(name: str, data: bytes | None = None) -> dict[str, Any]:
    suffix = PurePath(name).suffix
    kind = _TYPES.get(suffix, "text/plain")
    found = {
        "@id": name,
        "@type": "File",
        "name": _NAMES.get(name, name),
        "encodingFormat": [kind, {"@id": _FORMATS[suffix][0]}] if suffix in _FORMATS else kind,
    }
    if data is None:
        return found
    return {**found, "contentSize": str(len(data)), "sha256": hashlib.sha256(data).hexdigest()}


def _formats(files: Iterable[str]) -> list[dict[str, Any]]:
    there = sorted({PurePath(name).suffix for name in files} & _FORMATS.keys())
    return [{"@id": _FORMATS[s][0], "@type": "WebSite", "name": _FORMATS[s][1]} for s in there]


def _source(citation: Citation) -> dict[str, Any]:
    url = citation.document_url or citation.final_url
    name = percent(url, safe=":/?#[]@!$&'()*+,;=%~-._") if is_link(url) else "#source"
    return {"@id": name, "@type": "CreativeWork", "name": citation.title or url, "url": url}


def _named(description: ExportDescription, signed: Signed, browser: str) -> list[dict[str, Any]]:
    """The rights, the software, and whoever acted."""
    programs = {"#verifaible": description.software, "#browser": browser}
    tokens = signed.stamps.tokens.values() if signed.stamps is not None else ()
    agents = {_keeper(key)["@id"]: f"Keeper of key {fingerprint(key.public_key)}" for key in _keepers(signed)}
    agents |= {_authority(each.authority)["@id"]: each.authority for each in tokens}
    rights = {
        **_RIGHTS,
        "@type": "CreativeWork",
        "name": "Rights in the source",
        "description": "The captured source, its pictures and its words belong to whoever published them; "
        "this crate grants no rights in them.",
    }
    software = [
        {
            "@id": key,
            "@type": "SoftwareApplication",
            "name": value.rpartition(" ")[0] or value,
            "version": value.rpartition(" ")[2],
        }
        for key, value in programs.items()
        if value
    ]
    return [rights, *software, *({"@id": k, "@type": "Organization", "name": v} for k, v in agents.items())]


def _actions(
    citation: Citation,
    files: Mapping[str, bytes],
    description: ExportDescription,
    signed: Signed,
    browser: str,
) -> list[dict[str, Any]]:
    """What was done; files that are not in the export are not named."""
    source = _source(citation)["@id"]
    maker, exporter = map(_keeper, _keepers(signed))
    capture = bundle.CAPTURE if bundle.CAPTURE in files else source
    sealed = bundle.CITATION if bundle.CITATION in files else source
    cited = [each for each in (bundle.CITATION, *bundle.picture_files(citation)) if each in files]
    at, seen, done = citation.capture.captured_at, citation.created_at, description.exported_at
    captured = [capture] if capture != source else []
    by = {"agent": exporter, "instrument": _SOFTWARE}
    opened = {"agent": maker, "instrument": _BROWSER if browser else None}
    found = [
        _action("capture", "Captured the source", at, source, captured, **opened),
        _action("citation", "Cited the evidence", seen, capture, cited, agent=maker),
        _action("export", "Exported the citation", done, sealed, ["./"], **by),
    ]
    for name in sorted(each for each in files if each.startswith(f"{bundle.CHECKS}/")):
        check = Check.model_validate_json(files[name])
        said = f"Check ({check.kind}): {check.verdict}"
        made = _action(PurePath(name).stem, said, check.at, sealed, [name], description=check.message)
        found.append(made | {"@type": "CheckAction"})
    if signed.stamps is None:
        return found
    for name, stamp in signed.stamps.tokens.items():
        said = f"Time stamp ({stamp.kind}) on the store's log"
        told = {"agent": _authority(stamp.authority), "description": stamp.status}
        found.append(_action(PurePath(name).stem, said, stamp.stamped_at, signed.stamps.last, [name], **told))
    return found


def _action(
    name: str, said: str, at: datetime | None, used: str, results: Sequence[str], **more: object
) -> dict[str, Any]:
    made = [{"@id": each} for each in results]
    action = {
        "@id": f"#{name}",
        "@type": "CreateAction",
        "name": said,
        "endTime": at.isoformat() if at is not None else "",
        "object": {"@id": used},
        "result": made[0] if len(made) == 1 else made,  # compacted JSON-LD has no list of one
        **more,
    }
    return {key: value for key, value in action.items() if value}


def _keepers(signed: Signed) -> tuple[KeyRecord, KeyRecord]:
    """Whose keys sealed the capture, and signed the export."""
    return signed.capture, signed.export


def _keeper(key: KeyRecord) -> dict[str, str]:
    return {"@id": f"#keeper-{key.id}"}


def _authority(name: str) -> dict[str, str]:
    return {"@id": f"#authority-{hashlib.sha256(name.encode()).hexdigest()[:8]}"}
