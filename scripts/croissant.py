"""Write cases/croissant.jsonld: the 21 cases as a Croissant 1.0 data set (http://mlcommons.org/croissant/1.0).

``--check`` only says whether it is up to date. The file ends in ``.jsonld``, as each ``.json`` in the folder
is a case.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from verifaible.schema.case import Case

CASES = Path(__file__).resolve().parents[1] / "cases"
CARD = CASES / "croissant.jsonld"

#: The context of the published data sets, which readers compare with (croissant/datasets/1.0).
_TERMS = """citeAs column equivalentProperty excludes extract field fileObject fileProperty fileSet format
includes isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace
samplingRate separator source subField transform"""
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{each: f"cr:{each}" for each in _TERMS.split()},
}
#: Fields of a case that are one text each, and what they are.
_FIELDS = {
    "id": "Name of the case",
    "category": "Kind of source",
    "language": "BCP 47 tag of the question and the source",
    "url": "Where the agent starts; the evidence must come from the same site",
    "question": "What the agent is asked",
    "answer": "The answer as a person would write it",
}


def card() -> dict[str, Any]:
    """The data set, made from the case files alone."""
    files = sorted(CASES.glob("*.json"))
    cases = [Case.model_validate_json(path.read_bytes()) for path in files]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "verifaible-bench-cases",
        "description": f"{len(cases)} questions whose answers must come with evidence from web page, PDF "
        "or video: those of VerifAIble Bench (February 2026), restated, with expected answers and the steps "
        "of a reference agent.",
        "citeAs": "VerifAIble Bench: Evaluating LLM Agents on Verifiable Evidence Collection from Real-World "
        "Web Sources. February 2026.",
        "license": "https://www.apache.org/licenses/LICENSE-2.0",
        "url": "https://github.com/ChizhongWang/verifaible-bench",
        "creator": {"@type": "sc:Organization", "name": "verifaible"},
        "datePublished": "2026-11-21",
        "version": "1.0.0",
        "inLanguage": sorted({case.language for case in cases if case.language}),
        "distribution": [
            *({**_file(path), "description": case.question} for path, case in zip(files, cases, strict=True)),
            {
                "@type": "cr:FileSet",
                "@id": "case-files",
                "name": "case-files",
                "description": "All cases, a JSON file each",
                "encodingFormat": "application/json",
                # By name: to some readers * goes into folders, and extended/ is another set.
                "includes": [path.name for path in files],
            },
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "cases",
                "name": "cases",
                "description": "One record a case",
                "key": {"@id": "cases/id"},
                "field": [
                    *(_field(name, meaning) for name, meaning in _FIELDS.items()),
                    _field("evidence_types", "Types of evidence that count; none: any") | {"repeated": True},
                ],
            }
        ],
    }


def _file(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{len(data)} B",
        "encodingFormat": "application/json",
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _field(name: str, meaning: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"cases/{name}",
        "name": name,
        "description": meaning,
        "dataType": "sc:URL" if name == "url" else "sc:Text",
        "source": {"fileSet": {"@id": "case-files"}, "extract": {"jsonPath": f"$.{name}"}},
    }


def main() -> int:
    """Write the card, or compare it."""
    text = json.dumps(card(), ensure_ascii=False, indent=2) + "\n"
    if "--check" in sys.argv[1:]:
        fresh = CARD.is_file() and CARD.read_text(encoding="utf-8") == text
        print("up to date" if fresh else f"{CARD.name} is not up to date: run python -m scripts.croissant")
        return 0 if fresh else 1
    CARD.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
