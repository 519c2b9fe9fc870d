"""What exports say to other programs: W3C annotation, CSL-JSON, BibTeX, RO-Crate; read here without our code."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from tests.unit.evidence.samples import NOW, QUOTE, URL, add, check, evidence, material
from tests.unit.evidence.test_places import CELL, page, titled
from verifaible.bench.environment import SHORT_HELP
from verifaible.commands.exporting import export as export_command
from verifaible.evidence.export.export import FORMATS, Exported, Format, export, reference, web_annotation
from verifaible.evidence.export.references import Reference
from verifaible.evidence.export.report_table import table_of
from verifaible.evidence.make.capture import write_capture
from verifaible.evidence.observing.places import place
from verifaible.evidence.store import annotation
from verifaible.evidence.store.store import Store
from verifaible.schema.citation import Citation

#: All that needs no browser.
PLAIN: tuple[Format, ...] = tuple(each for each in FORMATS if each != "pdf")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def exported(store: Store, citation: Citation, out: Path, formats: tuple[Format, ...] = PLAIN) -> Exported:
    return asyncio.run(export(citation, store, None, out, formats=formats))  # type: ignore[arg-type]


# --- the annotation


def test_the_annotation_leads_to_the_files_beside_it(store: Store, tmp_path: Path) -> None:
    citation = add(store)
    folder = exported(store, citation, tmp_path).folder
    found = json.loads((folder / "annotation.jsonld").read_bytes())
    assert found["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert found["canonical"] == f"urn:verifaible:{citation.id}"
    sealed = json.loads((folder / found["via"]).read_bytes())
    assert (folder / found["target"]["state"]["cached"]).read_bytes()[:2] == b"PK"
    assert found["target"]["selector"] == sealed["target"]["selector"]
    assert "verifaible" not in found
    part = json.loads(
        (exported(store, citation, tmp_path / "b", ("jsonld",)).folder / found["id"]).read_bytes()
    )
    assert "cached" not in part["target"]["state"]


def test_a_cell_is_a_quote_with_the_words_beside_it(store: Store) -> None:
    seen = page("", tables=(titled(),))
    placed = place(seen, CELL)
    assert placed.anchor is not None
    citation = add(store).model_copy(update={"anchor": placed.anchor})
    table = table_of(seen, placed.table, placed.anchor)
    found = json.loads(web_annotation(citation, annotation.to_bytes(citation), table, capture=True))
    css, quote = found["target"]["selector"]
    assert css == {"type": "CssSelector", "value": "table"}
    assert quote == {"type": "TextQuoteSelector", "exact": "5.33", "prefix": "Shanghai", "suffix": ""}


def test_each_format_says_that_a_replica_was_captured(store: Store, tmp_path: Path) -> None:
    parts = material(store)
    capture = parts["draft"].capture.model_copy(update={"synthetic": True})
    parts["draft"] = parts["draft"].model_copy(update={"capture": capture})
    folder = exported(store, store.add(**parts), tmp_path).folder
    for name in ("annotation.jsonld", "citation.csl.json", "citation.bib", "ro-crate-metadata.json"):
        assert "a replica, not the real site" in (folder / name).read_text(encoding="utf-8"), name


# --- references

HEAD = """<!doctype html><title>Release</title><meta property="og:site_name" content="Bureau of  Figures">
<meta name="author" content="Web Team"><meta property="article:published_time" content="2024-01-31T14:00:00Z">
<script type="application/ld+json">{"@graph": [
{"@type": "Comment", "author": []},
{"@type": "Article", "author": [{"@id": "#j"}, {"@type": "Person", "familyName": "Roe", "givenName": "J. & M."},
"https://people.example/x", {"@type": "Organization", "name": "Office {for} 5% Rates"}]},
{"@id": "#j", "@type": "Person", "name": "Jane\\nDoe"}]}</script>
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
    sha256 = write_capture(parts["capture"], seen, captured_at=NOW, signer=store.signer)
    capture = parts["draft"].capture.model_copy(
        update={"sha256": sha256, "size_bytes": parts["capture"].stat().st_size}
    )
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
_NAME = {
    "type": "object",
    "properties": {each: {"type": "string"} for each in ("family", "given", "literal")},
    "additionalProperties": False,
}
CSL = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "type": {"enum": ["webpage", "document", "motion_picture"]},
            "id": {"type": ["string", "number"]},
            "author": {"type": "array", "items": _NAME},
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
    items = json.loads(reference(citation, store).csl())
    jsonschema.validate(items, CSL)
    assert items == [
        {
            "id": f"verifaible-{citation.id}",
            "type": "webpage",
            "title": "Release",
            "container-title": "Bureau of Figures",
            "author": [
                {"literal": "Jane Doe"},
                {"family": "Roe", "given": "J. & M."},
                {"literal": "Office {for} 5% Rates"},
            ],
            "issued": {"date-parts": [[2024, 1, 31]]},
            "accessed": {"date-parts": [[2026, 3, 2]]},
            "URL": URL,
            "note": f"verifaible citation {citation.id}, capture SHA-256 {citation.capture.sha256}",
        }
    ]


@pytest.mark.parametrize(
    ("head", "authors"),
    [
        ('<meta name="citation_author" content="Doe, Jane"><meta name="citation_author" content="OECD">',
         [{"family": "Doe", "given": "Jane"}, {"literal": "OECD"}]),
        ('<meta name="DC.creator" content="Board of Governors, Washington, DC">',
         [{"literal": "Board of Governors, Washington, DC"}]),
        ('<meta name="author" content="Doe, Jane"><meta name="author" content="https://x.example/">',
         [{"literal": "Doe, Jane"}]),
        ('<script type="application/ld+json">{"author": {"name": ["x"]}, "review": {"author": "Y"}}</script>', None),
        ('<script type="application/ld+json">[[{"author": "X"}], 5, {"@graph": 5, "author": {"@id": []}}]</script>', None),
        ('<script type="application/ld+json">{broken</script>', None),
        ("", None),
    ],
)  # fmt: skip
def test_authors_are_those_that_the_page_states(store: Store, head: str, authors: object) -> None:
    (item,) = json.loads(reference(cited(store, f"<!doctype html><title>T</title>{head}<p>x"), store).csl())
    assert item.get("author") == authors
    assert item["container-title"] == "statistics.example"
    assert "issued" not in item


def test_bibtex_can_be_parsed(store: Store) -> None:
    hostile = "100% of $5 & more_{x \\input{y} ~ #1 ^ } {"
    citation = cited(store, HEAD, title=hostile, url="https://statistics.example/a_b?c=%7B&d={")
    entry = reference(citation, store).bibtex()
    fields = parsed(entry)
    assert entry.startswith(f"@misc{{verifaible-{citation.id},\n")
    assert fields["url"] == "https://statistics.example/a_b?c=%7B&d=%7B"
    assert (fields["urldate"], fields["year"], fields["month"]) == ("2026-03-02", "2024", "01")
    assert (
        fields["author"]
        == r"{Jane Doe} and Roe, J. \& M. and {Office \textbraceleft{}for\textbraceright{} 5\% Rates}"
    )
    assert fields["howpublished"] == "Bureau of Figures"
    assert citation.id in fields["note"]
    assert citation.capture.sha256 in fields["note"]
    # Nothing of a page is a command: what is left besides escapes is plain.
    plain = re.sub(r"\\(?:text[a-z]+\{\}|[$&#%_])", "", fields["title"][1:-1])
    assert not re.search(r"[\\{}$&#%_^~]", plain)


def parsed(entry: str) -> dict[str, str]:
    """The fields of a BibTeX entry, by the rule of BibTeX: a value ends where its braces are balanced."""
    body = entry[entry.index(",") + 1 :]
    found: dict[str, str] = {}
    while match := re.match(r"\s*(\w+) = \{", body):
        depth, at = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(body[at], 0)
            at += 1
        found[match[1]] = body[match.end() : at - 1]
        body = body[at:].removeprefix(",")
    assert body.strip() == "}"
    return found


def test_references_of_documents_and_videos(store: Store) -> None:
    citation = add(store, title="")
    for kind, expected in (("pdf", "document"), ("video", "motion_picture"), ("table", "webpage")):
        anchor = citation.anchor.model_copy(update={"evidence_type": kind})
        made = Reference(citation.model_copy(update={"anchor": anchor}), "site")
        (item,) = json.loads(made.csl())
        assert (item["type"], item["title"]) == (expected, URL)
        assert "author" not in parsed(made.bibtex())


def test_the_command_prints_references(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    citation = add(store)
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    for form, start in (("csl", "["), ("bibtex", "@misc{")):
        done = CliRunner().invoke(
            export_command, [citation.id, "--format", form], catch_exceptions=False, **SHORT_HELP
        )
        assert (done.exit_code, done.stdout[: len(start)]) == (0, start)
    done = CliRunner().invoke(
        export_command,
        [citation.id, "--format", "bibtex", "--format", "link", "--json"],
        catch_exceptions=False,
        **SHORT_HELP,
    )
    told = json.loads(done.stdout)
    assert told["bibtex"].startswith("@misc{")
    assert told["link"].startswith(URL)
    assert not (tmp_path / f"verifaible-{citation.id}").exists()
    done = CliRunner().invoke(
        export_command, [citation.id, "--format", "csl", "--format", "jsonld"], **SHORT_HELP
    )
    assert (tmp_path / f"verifaible-{citation.id}" / "citation.csl.json").is_file()


# --- RO-Crate

#: Types and properties of the 1.1 context (schema.org 10) that may be used; ``sha256`` is defined by the crate.
_TERMS = {
    "@id", "@type", "about", "author", "publisher", "actionStatus", "agent", "conformsTo", "contentSize", "datePublished", "description",
    "encodingFormat", "endTime", "hasPart", "identifier", "instrument", "isBasedOn", "license", "mentions", "name",
    "object", "result", "url", "version", "sha256",
}  # fmt: skip
_TYPES = {
    "CheckAction", "CreateAction", "CreativeWork", "Dataset", "File", "Organization", "SoftwareApplication", "WebSite",
}  # fmt: skip
_ISO = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?")


def crate_of(folder: Path) -> dict[str, dict[str, Any]]:
    """The entities of a crate by id, after the rules of the specification were asserted.

    https://w3id.org/ro/crate/1.1: "Root Data Entity", "Data Entities", "Provenance", and appendix "RO-Crate JSON-LD".
    """
    data = json.loads((folder / "ro-crate-metadata.json").read_bytes())
    assert set(data) == {"@context", "@graph"}
    assert data["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    assert all(value.startswith("http") for each in data["@context"][1:] for value in each.values())
    entities = {each["@id"]: each for each in data["@graph"]}
    assert len(entities) == len(data["@graph"])
    # The descriptor leads to the root.
    descriptor = entities["ro-crate-metadata.json"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    root = entities[descriptor["about"]["@id"]]
    assert (root["@id"], root["@type"]) == ("./", "Dataset")
    assert root["name"]
    assert root["description"]
    assert _ISO.fullmatch(root["datePublished"])
    licence = entities[root["license"]["@id"]]
    assert licence["name"]
    assert licence["description"]
    for entity in entities.values():
        assert set(entity) <= _TERMS, set(entity) - _TERMS
        assert entity["@type"] in _TYPES
        assert re.fullmatch(r"[\w:/?#\[\]@!$&'()*+,;=%~.-]+", entity["@id"])
        assert not entity["@id"].startswith("../")
        for name, value in entity.items():
            # Flattened: references are objects with an id alone; compacted: no list of one.
            assert not (isinstance(value, list) and len(value) < 2), f"{entity['@id']} {name}"
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, dict):
                    assert set(each) == {"@id"}
                    assert each["@id"] in entities or name == "conformsTo", each
                else:
                    assert isinstance(each, str)
                    assert each
    # Files are there, part of the root, and what is said of them is so.
    parts = {each["@id"] for each in root["hasPart"]}
    files = {name: each for name, each in entities.items() if each["@type"] == "File"}
    assert parts == set(files)
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert set(files) == there - {"ro-crate-metadata.json"}
    for name, entity in files.items():
        content = (folder / name).read_bytes()
        if "sha256" in entity:
            assert entity["sha256"] == hashlib.sha256(content).hexdigest()
            assert entity["contentSize"] == str(len(content))
    assert {name for name, each in files.items() if "sha256" not in each} == {
        "SHA256SUMS",
        "signatures/SHA256SUMS.sig.der",
    }
    for entity in entities.values():
        if entity["@type"].endswith("Action"):
            assert entity["name"]
            assert entity["object"]
            assert _ISO.fullmatch(entity.get("endTime", "2026-01-01"))
            assert {"@id": entity["@id"]} in root["mentions"]
    return entities


def test_an_export_is_a_crate(store: Store, tmp_path: Path) -> None:
    citation = add(store, title='Release "one" & two')
    store.add_check(check(citation, "changed", NOW + timedelta(days=3)))
    entities = crate_of(exported(store, citation, tmp_path).folder)
    assert entities[URL]["@type"] == "CreativeWork"
    assert entities["#capture"]["result"] == {"@id": "capture.wacz"}
    assert entities["#capture"]["endTime"] == "2026-03-02T08:00:00+00:00"
    assert entities["#citation"]["result"] == [{"@id": "citation.jsonld"}, {"@id": "picture.webp"}]
    (later,) = [each for each in entities.values() if each["@type"] == "CheckAction"]
    assert (later["name"], later["endTime"]) == ("Check (rehash): changed", "2026-03-05T08:00:00+00:00")
    assert entities["#export"]["instrument"] == {"@id": "#verifaible"}
    assert entities["./"]["description"] == "Evidence for the claim: A claim"


@pytest.mark.parametrize("formats", [("html",), ("jsonld",), ("wacz", "csl")])
def test_a_part_of_an_export_is_a_crate(store: Store, tmp_path: Path, formats: tuple[Format, ...]) -> None:
    crate_of(exported(store, add(store), tmp_path, formats).folder)


@pytest.mark.parametrize("url", ['https://evil.example/"><script> ü', "https://a.example/%E4%BD%A0?q=[1]"])
def test_addresses_in_a_crate_are_valid(store: Store, tmp_path: Path, url: str) -> None:
    entities = crate_of(exported(store, add(store, QUOTE, url=url), tmp_path).folder)
    assert url in {each.get("url") for each in entities.values()}
