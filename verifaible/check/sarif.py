"""A checked text as SARIF 2.1.0 (OASIS standard): what code hosts and editors show beside a line.

Only what somebody must look at is a result; the coverage is in the run's properties. Offsets count code
points of the text, which is a part of the log where it is not the file itself.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC
from typing import Any, Final
from urllib.parse import quote

from verifaible.check.view import STATES, VERDICTS, Term, View, source_words
from verifaible.reporting.pages import is_link
from verifaible.reporting.tables import plain
from verifaible.schema.checked import CheckedClaim

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_RULES: Final[dict[str, Term]] = {
    f"{of}-{name.replace('_', '-')}": term
    for of, terms in (("claim", VERDICTS), ("source", STATES))
    for name, term in terms.items()
    if term.level != "none"
}
#: What a viewer would take for a place to fill in.
_PLACEHOLDER: Final = re.compile(r"\{(\d+)\}")


def sarif(view: View) -> str:
    """The log as JSON; the same text gives the same bytes."""
    checked = view.checked
    rules = [
        {
            "id": name,
            "name": "".join(part.capitalize() for part in name.split("-")),
            "shortDescription": {"text": term.meaning},
            "defaultConfiguration": {"level": term.level},
        }
        for name, term in _RULES.items()
    ]
    notes = [{"level": "note", "message": _message(view.coverage)}]
    notes += [{"level": "warning", "message": _message(each)} for each in checked.faults]
    invocation = {
        "executionSuccessful": True,
        "endTimeUtc": checked.checked_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "toolExecutionNotifications": notes,
    }
    run = {
        "tool": {"driver": {"name": "verifaible", "version": checked.version, "rules": rules}},
        "invocations": [invocation],
        "artifacts": _artifacts(view),
        "columnKind": "unicodeCodePoints",
        "results": [*_claims(view), *_sources(view)],
        "properties": {"coverage": view.figures},
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _artifacts(view: View) -> list[dict[str, Any]]:
    """The text first; where it is not the file itself, its words are here and the file holds it."""
    checked = view.checked
    given = {"location": {"uri": _uri(checked.name)}, "hashes": {"sha-256": checked.sha256}}
    if hashlib.sha256(checked.text.encode()).hexdigest() == checked.sha256:
        return [given]
    words = {"location": {"uri": _uri(checked.name) + "#text"}, "parentIndex": 1}
    return [{**words, "contents": {"text": checked.text}, "mimeType": "text/markdown"}, given]


def _claims(view: View) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for claim in view.checked.claims:
        rule, words = _rule("claim", claim.verdict), plain(claim.claim.text)
        if rule in _RULES:
            seen[words] += 1
            said = [(VERDICTS[claim.verdict].word, words), *view.details(claim)]
            message = "\n".join(f"{what.capitalize()}: {plain(each)}" for what, each in said)
            prints = {"claim/v1": _digest(words, str(seen[words]))}
            yield _result(view, rule, message, prints, claim) | {"relatedLocations": _related(view, claim)}


def _sources(view: View) -> Iterator[dict[str, Any]]:
    """A result for each source that could not be read, at the first claim that cites it."""
    for source in view.unread:
        first = next((each for each in view.checked.claims if source.id in each.claim.cites), None)
        message, prints = f"{plain(source.url)}: {plain(source_words(source))}", _digest(source.url)
        yield _result(view, _rule("source", source.state), message, {"source/v1": prints}, first)


def _rule(of: str, name: str) -> str:
    return f"{of}-{name.replace('_', '-')}"


def _result(
    view: View, rule: str, message: str, fingerprint: dict[str, str], claim: CheckedClaim | None
) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {**_artifacts(view)[0]["location"], "index": 0}}
    if claim is not None:
        start, end = claim.claim.start, claim.claim.end
        (line, column), (end_line, end_column) = view.place(start), view.place(end)
        lines = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
        offsets = {"charOffset": start, "charLength": end - start}
        place["region"] = {**lines, **offsets, "snippet": {"text": view.checked.text[start:end]}}
    return {
        "ruleId": rule,
        "ruleIndex": list(_RULES).index(rule),
        "level": _RULES[rule].level,
        "message": _message(message),
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": fingerprint,
    }


def _related(view: View, claim: CheckedClaim) -> list[dict[str, Any]]:
    """Where the sources say so, or otherwise; offsets are those of the file in the sealed capture."""
    nearest = (claim.nearest.passage,) if claim.nearest else ()
    operands = tuple(each.passage for each in claim.derivation.operands) if claim.derivation else ()
    found = []
    for number, each in enumerate(dict.fromkeys((*claim.passages, *operands, *nearest)), 1):
        source = view.sources.get(each.source)
        location = {"artifactLocation": {"uri": _uri(source.url if source else each.source)}}
        said = {"message": _message(plain(each.quote) or each.source)}
        properties = each.model_dump(mode="json", exclude={"source", "quote"})
        found.append({"id": number, "physicalLocation": location, **said, "properties": properties})
    return found


def _uri(name: str) -> str:
    """A path or an address as a URI reference."""
    return quote(name, safe="/:?#@!$&'()*+,;=%") if is_link(name) else quote(name.replace("\\", "/"))


def _message(text: str) -> dict[str, str]:
    """A message that shows a text as it is: nothing of it is filled in or made a link."""
    return {"text": _PLACEHOLDER.sub(r"{{\1}}", text).replace("](", "] (")}


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
