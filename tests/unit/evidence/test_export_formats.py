"""The reference that an export holds for other programs: CSL-JSON, read here without our code."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from tests.unit.evidence.samples import NOW, URL, add, evidence, material
from verifaible.cli.library import export as export_command
from verifaible.console.options import SHORT_HELP
from verifaible.evidence.capture import write_capture
from verifaible.evidence.export import FORMATS, Exported, Format, csl_of, export, reference
from verifaible.schema.citation import Citation
from verifaible.store.store import Store

#: All that needs no browser.
PLAIN: tuple[Format, ...] = tuple(each for each in FORMATS if each != "pdf")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def exported(store: Store, citation: Citation, out: Path, formats: tuple[Format, ...] = PLAIN) -> Exported:
    return asyncio.run(export(citation, store, None, out, formats=formats))  # type: ignore[arg-type]


def test_a_reference_says_that_a_replica_was_captured(store: Store, tmp_path: Path) -> None:
    parts = material(store)
    capture = parts["draft"].capture.model_copy(update={"synthetic": True})
    parts["draft"] = parts["draft"].model_copy(update={"capture": capture})
    folder = exported(store, store.add(**parts), tmp_path).folder
    assert "a replica, not the real site" in (folder / "citation.csl.json").read_text(encoding="utf-8")


HEAD = """<!doctype html><title>Release</title><meta property="og:site_name" content="Bureau of  Figures">
<meta name="author" content="Web Team"><meta property="article:published_time" content="2024-01-31T14:00:00Z">
"""


def cited(store: Store, html: str, **page: Any) -> Citation:
    """A citation of a page with this markup."""
    parts = material(store, **page)
    seen = evidence(**page)
    seen = type(seen)(
        **{
            **{f: getattr(seen, f) for f in seen.__slots__},
            "files": {**seen.files, "dom.html": html.encode()},
        }
    )
    capture = write_capture(parts["capture"], seen, captured_at=NOW, signer=store.signer)
    parts["draft"] = parts["draft"].model_copy(update={"capture": capture})
    return store.add(**parts)


#: The parts of the published schema of CSL-JSON (csl-data.json) that an item of ours can use.
_DATE = {
    "type": "object",
    "properties": {
        "date-parts": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": ["string", "number"]}},
        }
    },
    "additionalProperties": False,
}
CSL = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "type": {"enum": ["webpage", "document", "motion_picture"]},
            "id": {"type": ["string", "number"]},
            "issued": _DATE,
            "accessed": _DATE,
            **{each: {"type": "string"} for each in ("title", "container-title", "URL", "note")},
        },
        "required": ["type", "id"],
        "additionalProperties": False,
    },
}


def test_csl_says_what_the_page_states(store: Store) -> None:
    citation = cited(store, HEAD)
    items = json.loads(reference(citation, store))
    jsonschema.validate(items, CSL)
    assert items == [
        {
            "id": f"verifaible-{citation.id}",
            "type": "webpage",
            "title": "Release",
            "container-title": "Bureau of Figures",
            "issued": {"date-parts": [[2024, 1, 31]]},
            "accessed": {"date-parts": [[2026, 3, 2]]},
            "URL": URL,
            "note": f"verifaible citation {citation.id}, capture SHA-256 {citation.capture.sha256}; "
            f"{citation.graded}",
        }
    ]


def test_a_page_that_states_nothing_has_its_host_and_no_date(store: Store) -> None:
    (item,) = json.loads(reference(cited(store, "<!doctype html><title>T</title><p>x"), store))
    assert item["container-title"] == "statistics.example"
    assert "issued" not in item


def test_references_of_documents_and_videos(store: Store) -> None:
    citation = add(store, title="")
    for kind, expected in (("pdf", "document"), ("video", "motion_picture"), ("table", "webpage")):
        anchor = citation.anchor.model_copy(update={"evidence_type": kind})
        with store.open_capture(citation) as reader:
            (item,) = json.loads(csl_of(citation.model_copy(update={"anchor": anchor}), reader))
        assert (item["type"], item["title"]) == (expected, URL)


def test_the_command_prints_a_reference(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    citation = add(store)
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(
        export_command, [citation.id, "--format", "csl"], catch_exceptions=False, **SHORT_HELP
    )
    assert (done.exit_code, json.loads(done.stdout)[0]["URL"]) == (0, URL)
    done = CliRunner().invoke(
        export_command,
        [citation.id, "--format", "csl", "--format", "link", "--json"],
        catch_exceptions=False,
        **SHORT_HELP,
    )
    told = json.loads(done.stdout)
    assert json.loads(told["csl"])[0]["id"] == f"verifaible-{citation.id}"
    assert told["link"].startswith(URL)
    assert not (tmp_path / f"verifaible-{citation.id}").exists()
    done = CliRunner().invoke(
        export_command, [citation.id, "--format", "csl", "--format", "jsonld"], **SHORT_HELP
    )
    assert (tmp_path / f"verifaible-{citation.id}" / "citation.csl.json").is_file()
