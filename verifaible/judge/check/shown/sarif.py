"""A checked text as SARIF 2.1.0 (OASIS standard): what code hosts and editors show beside a line.

Only what somebody must look at is a result; coverage and the count of each verdict are in the run's
properties. Offsets count code points of the text, which is a part of the log where it is not the file itself.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC
from typing import Any, Final
from urllib.parse import quote

from verifaible.judge.check.shown.words import STATES, VERDICTS, Told, View, source_words
from verifaible.reporting.pages import is_link
from verifaible.reporting.tables import plain
from verifaible.schema.checked import CheckedClaim, CheckedSource
from verifaible.schema.verdict import Passage

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#: Verdicts that are results.
_RESULTS: Final = tuple(verdict for verdict, told in VERDICTS.items() if told.level != "none")
_UNREAD: Final = tuple(state for state in STATES if state != "read")
#: What a viewer would take for a place to fill in, or for a link.
_PLACEHOLDER: Final = re.compile(r"\{(\d+)\}")


def sarif(view: View) -> str:
    """The log as JSON; the same text gives the same bytes."""
    rules = _rules()
    at = {rule["id"]: number for number, rule in enumerate(rules)}
    artifacts = _artifacts(view)
    results = [*_claims(view), *_sources(view)]
    for result in results:
        result["ruleIndex"] = at[result["ruleId"]]
        place = result["locations"][0]["physicalLocation"]
        place["artifactLocation"] = {**artifacts[0]["location"], "index": 0}
    run = {
        "tool": {"driver": {"name": "verifaible", "version": view.checked.version, "rules": rules}},
        "invocations": [
            {
                "executionSuccessful": True,
                "endTimeUtc": view.checked.checked_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "toolExecutionNotifications": [
                    {"level": "note", "message": _message(view.coverage)},
                    *({"level": "warning", "message": _message(each)} for each in view.checked.faults),
                ],
            }
        ],
        "artifacts": artifacts,
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {"coverage": view.figures},
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _rules() -> list[dict[str, Any]]:
    told = [(_rule("claim", each), VERDICTS[each]) for each in _RESULTS]
    told += [(_rule("source", each), STATES[each]) for each in _UNREAD]
    return [
        {
            "id": name,
            "name": "".join(part.capitalize() for part in name.split("-")),
            "shortDescription": {"text": each.meaning},
            "defaultConfiguration": {"level": each.level},
        }
        for name, each in told
    ]


def _rule(kind: str, name: str) -> str:
    return f"{kind}-{name.replace('_', '-')}"


def _artifacts(view: View) -> list[dict[str, Any]]:
    """The text first; where it is not the file itself, its words are here and the file holds it."""
    checked = view.checked
    given = {"location": {"uri": _uri(checked.name)}, "hashes": {"sha-256": checked.sha256}}
    if hashlib.sha256(checked.text.encode()).hexdigest() == checked.sha256:
        return [given]
    words = {"location": {"uri": _uri(checked.name) + "#text"}, "parentIndex": 1}
    return [{**words, "contents": {"text": checked.text}, "mimeType": "text/markdown"}, given]


def _uri(name: str) -> str:
    """A path or an address as a URI reference."""
    return quote(name, safe="/:?#@!$&'()*+,;=%") if is_link(name) else quote(name.replace("\\", "/"))


def _claims(view: View) -> list[dict[str, Any]]:
    seen: Counter[str] = Counter()
    results = []
    for claim in view.checked.claims:
        if claim.verdict not in _RESULTS:
            continue
        words = plain(claim.claim.text)
        seen[words] += 1
        result = _result(view, _rule("claim", claim.verdict), VERDICTS[claim.verdict], claim)
        said = [(VERDICTS[claim.verdict].word, words), *view.tells(claim)]
        lines = [f"{what.capitalize()}: {plain(each)}" for what, each in said]
        result["message"] = _message("\n".join(lines))
        result["partialFingerprints"] = {"claim/v1": _digest(words, str(seen[words]))}
        result["relatedLocations"] = _related(view, claim)
        results.append(result)
    return results


def _sources(view: View) -> list[dict[str, Any]]:
    """A result for each source that could not be read, at the first claim that cites it."""
    results = []
    for source in view.unread:
        first = next((each for each in view.checked.claims if source.id in each.claim.cites), None)
        result = _result(view, _rule("source", source.state), STATES[source.state], first)
        result["message"] = _message(f"{plain(source.url)}: {plain(source_words(source))}")
        result["partialFingerprints"] = {"source/v1": _digest(source.url)}
        results.append(result)
    return results


def _result(view: View, rule: str, told: Told, claim: CheckedClaim | None) -> dict[str, Any]:
    place = {"region": _region(view, claim.claim.start, claim.claim.end)} if claim else {}
    return {"ruleId": rule, "level": told.level, "locations": [{"physicalLocation": place}]}


def _region(view: View, start: int, end: int) -> dict[str, Any]:
    (line, column), (end_line, end_column) = view.place(start), view.place(end)
    return {
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
        "charOffset": start,
        "charLength": end - start,
        "snippet": {"text": view.checked.text[start:end]},
    }


def _related(view: View, claim: CheckedClaim) -> list[dict[str, Any]]:
    """Where the sources say so, or otherwise; offsets are those of the file in the sealed capture."""
    nearest = (claim.nearest.passage,) if claim.nearest else ()
    operands = tuple(each.passage for each in claim.derivation.operands) if claim.derivation else ()
    passages: Sequence[Passage] = tuple(dict.fromkeys((*claim.passages, *operands, *nearest)))
    found = [_location(view, each.source, each) for each in passages]
    told = {each.source for each in passages}
    found += [_location(view, name, None) for name in claim.claim.cites if name not in told]
    return [{"id": number, **each} for number, each in enumerate(found, 1)]


def _location(view: View, name: str, passage: Passage | None) -> dict[str, Any]:
    source: CheckedSource | None = view.sources.get(name)
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(source.url if source else name)}},
        "message": _message(plain(passage.quote if passage else source.title if source else "") or name),
    }
    if passage:
        location["properties"] = passage.model_dump(mode="json", exclude={"source", "quote"})
    return location


def _message(text: str) -> dict[str, str]:
    """A message that shows a text as it is: nothing of it is filled in or made a link."""
    return {"text": _PLACEHOLDER.sub(r"{{\1}}", text).replace("](", "] (")}


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
