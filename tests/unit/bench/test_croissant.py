"""The Croissant card of the cases: up to date, and as the specification wants it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from scripts.croissant import CARD, card
from tests.unit.bench.samples import CASES

DATA: dict[str, Any] = json.loads(CARD.read_text(encoding="utf-8"))


def test_it_is_up_to_date() -> None:
    assert card() == DATA, "run python -m scripts.croissant"


def test_it_has_what_the_specification_requires() -> None:
    """http://mlcommons.org/croissant/1.0, "Dataset-level Information" and "Resources"."""
    required = {
        "@context",
        "@type",
        "conformsTo",
        "description",
        "license",
        "name",
        "url",
        "creator",
        "datePublished",
    }
    assert required <= set(DATA)
    assert DATA["@type"] == "sc:Dataset"
    assert DATA["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    # Each term is of schema.org (the vocabulary) or defined as one of Croissant's.
    context = DATA["@context"]
    assert (context["@vocab"], context["cr"]) == ("https://schema.org/", "http://mlcommons.org/croissant/")
    files = {each["@id"]: each for each in DATA["distribution"] if each["@type"] == "cr:FileObject"}
    (every,) = [each for each in DATA["distribution"] if each["@type"] == "cr:FileSet"]
    assert set(files) == set(every["includes"]) == {path.name for path in CASES.glob("*.json")}
    for name, each in files.items():
        data = (CASES / name).read_bytes()
        assert (each["contentUrl"], each["contentSize"]) == (name, f"{len(data)} B")
        assert each["sha256"] == hashlib.sha256(data).hexdigest()
        assert each["encodingFormat"] == "application/json"


def test_ids_are_unique_and_references_lead_somewhere() -> None:
    named, referred = [], set()

    def seen(part: Any) -> None:
        for each in part if isinstance(part, list) else [part]:
            if isinstance(each, dict):
                if set(each) == {"@id"}:
                    referred.add(each["@id"])
                elif "@id" in each:
                    named.append(each["@id"])
                for value in each.values():
                    seen(value)

    seen({key: value for key, value in DATA.items() if key != "@context"})
    assert len(named) == len(set(named))
    assert referred <= set(named)


def test_fields_are_found_in_every_case() -> None:
    (records,) = DATA["recordSet"]
    for path in CASES.glob("*.json"):
        case = json.loads(path.read_bytes())
        for field in records["field"]:
            key = field["source"]["extract"]["jsonPath"].removeprefix("$.")
            assert isinstance(case[key], list) == field.get("repeated", False)
            assert case[key]
