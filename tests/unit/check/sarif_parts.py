"""The parts of SARIF 2.1.0 that are written, as the standard (OASIS, errata 01, section 3) defines them.

The official schema file is not here; this one knows fewer properties and refuses all others.
"""

from __future__ import annotations

from typing import Any


def thing(required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required.split(),
        "properties": {**properties, "properties": {"type": "object"}},
    }


def some(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


WORDS = {"type": "string"}
NUMBER = {"type": "integer", "minimum": 0}
ONE = {"type": "integer", "minimum": 1}
URI = {"type": "string", "pattern": r"^(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-F]{2})*$"}
PRINTS = {"type": "object", "additionalProperties": WORDS}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = thing("text", text={"type": "string", "minLength": 1})
ARTIFACT_LOCATION = thing("uri", uri=URI, index=NUMBER)
REGION = thing(
    "startLine startColumn charOffset charLength",
    startLine=ONE,
    startColumn=ONE,
    endLine=ONE,
    endColumn=ONE,
    charOffset=NUMBER,
    charLength=NUMBER,
    snippet=thing("text", text=WORDS),
)
PHYSICAL = thing("artifactLocation", artifactLocation=ARTIFACT_LOCATION, region=REGION)
LOCATION = thing("physicalLocation", id=NUMBER, physicalLocation=PHYSICAL, message=MESSAGE)
RESULT = thing(
    "ruleId level message locations partialFingerprints",
    ruleId=WORDS,
    ruleIndex=NUMBER,
    level=LEVEL,
    message=MESSAGE,
    locations=some(LOCATION),
    relatedLocations={**some(LOCATION), "uniqueItems": True},
    partialFingerprints=PRINTS,
)
RULE = thing(
    "id",
    id=WORDS,
    name={"type": "string", "pattern": r"^([A-Z][a-z]+)+$"},
    shortDescription=MESSAGE,
    defaultConfiguration=thing("level", level=LEVEL),
)
ARTIFACT = thing(
    "location",
    location=ARTIFACT_LOCATION,
    parentIndex=NUMBER,
    hashes=PRINTS,
    mimeType={"type": "string", "pattern": "[^/]+/.+"},
    contents=thing("text", text=WORDS),
)
INVOCATION = thing(
    "executionSuccessful",
    executionSuccessful={"type": "boolean"},
    endTimeUtc={"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
    toolExecutionNotifications=some(thing("message", level=LEVEL, message=MESSAGE)),
)
RUN = thing(
    "tool",
    tool=thing(
        "driver", driver=thing("name", name=WORDS, version=WORDS, rules={**some(RULE), "uniqueItems": True})
    ),
    invocations=some(INVOCATION),
    artifacts={**some(ARTIFACT), "uniqueItems": True},
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results=some(RESULT),
)
SCHEMA = thing("version runs", **{"$schema": URI, "version": {"const": "2.1.0"}, "runs": some(RUN)})
