"""What looks at the live web say that those before did not: by citation, by site, and as a feed.

Feeds are JSON Feed 1.1 (jsonfeed.org) and Atom (RFC 4287).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from verifaible.errors import ConfigError, StoreError
from verifaible.evidence.check.unchanged import is_unopened
from verifaible.evidence.store.store import Store
from verifaible.reporting.tables import Column as C
from verifaible.reporting.tables import Table, count, row, table_of, words
from verifaible.schema.base import Record
from verifaible.schema.check import Check, IndexRow, Verdict

#: A look that failed or was kept out says nothing of the evidence.
SAYS_NOTHING = ("blocked", "error")
#: Older ones are left out, as readers of feeds expect.
MOST = 500
_TITLE = "verifaible: cited evidence that changed"
_ID = "urn:verifaible:watch"


class Change(Record):
    """A citation of which the live web says something else than it did at the last look."""

    citation_id: str
    at: datetime
    before: Verdict
    now: Verdict
    claim: str
    url: str
    message: str

    def item(self) -> dict[str, Any]:
        """The change as an item of a JSON Feed."""
        return {
            "id": f"urn:verifaible:{self.citation_id}:{self.at:%Y%m%dT%H%M%S.%f}",
            "url": self.url,
            "title": f"{self.now}: {' '.join(self.claim.split())}",
            "content_text": f"{self.before} before, {self.now} now. {self.message}",
            "date_published": self.at.astimezone(UTC).isoformat(),
            "tags": [self.now],
        }


def change_of(store: Store, check: Check, before: IndexRow) -> Change | None:
    """What a look says that the last one that saw the page did not; a citation was verified when it was made.

    Args:
        store: the store, to which the check may have been added.
        check: the look.
        before: the citation in the list as it was before the look.

    Raises:
        StoreError: the citation or its history cannot be read.
    """
    if check.verdict in SAYS_NOTHING:
        return None
    said = before.live_verdict or "verified"
    if said in SAYS_NOTHING:
        said = _said_before(store, check)
    if said == check.verdict:
        return None
    return Change(
        citation_id=before.id,
        at=check.at,
        before=said,
        now=check.verdict,
        claim=before.claim,
        url=before.source_url,
        message=check.message,
    )


def changes_of(
    store: Store, checks: Sequence[Check], rows: Mapping[str, IndexRow]
) -> tuple[list[Check], list[Change]]:
    """The looks and what they say that is new; one that cannot be compared with the last is an "error".

    Args:
        store: the store, to which the checks may have been added.
        checks: the looks.
        rows: the citations in the list as it was before, by id.
    """
    looks: list[Check] = []
    changes: list[Change] = []
    for each in checks:
        try:
            change = change_of(store, each, rows[each.citation_id])
        except StoreError as error:
            said = f"not compared with its last look. {error}"
            looks.append(each.model_copy(update={"verdict": "error", "message": said}))
            continue
        looks.append(each)
        changes += [change] if change is not None else []
    return looks, changes


def _said_before(store: Store, check: Check) -> Verdict:
    said: Verdict = "verified"
    for each in store.checks(check.citation_id):
        if each.kind == "live" and each.at < check.at and each.verdict not in SAYS_NOTHING:
            said = each.verdict
    return said


def by_site(checks: Sequence[Check], rows: Mapping[str, IndexRow], changes: Sequence[Change]) -> Table:
    """How many citations of each site have which verdict, those with most drift first.

    Args:
        checks: the looks.
        rows: the citations in the list, by id.
        changes: what of it is new.
    """
    sites: dict[str, list[Check]] = {}
    for each in checks:
        sites.setdefault(_site(rows[each.citation_id].source_url), []).append(each)
    drifted = Counter(_site(each.url) for each in changes if each.now != "verified")
    occurring = [each for each in get_args(Verdict) if any(check.verdict == each for check in checks)]

    def verdicts(verdict: Verdict) -> C[str, str]:
        return C(verdict, lambda site: count(sum(each.verdict == verdict for each in sites[site])))

    columns: list[C[str, str]] = [
        C("Site", words),
        C("Looked at", lambda site: count(len(sites[site]))),
        C("Not opened", lambda site: count(sum(map(is_unopened, sites[site])))),
        *map(verdicts, occurring),
        C("Drifted", lambda site: count(drifted[site])),
    ]
    ordered = sorted(sites, key=lambda site: (-drifted[site], site))
    note = "Not opened: the server sends what it sent when it was captured, so no browser was needed."
    return table_of("Looks at the live web by site", columns, ordered, name="drift", note=note)


def of_changes(changes: Sequence[Change]) -> Table:
    """A row for each change."""
    headings = ("Citation", "Before", "Now", "Address", "What is different")
    rows = [row(words(e.citation_id), e.before, e.now, words(e.url), words(e.message)) for e in changes]
    return Table(name="changes", title="Changes", columns=headings, rows=tuple(rows), prose=True)


def write_feed(folder: Path, changes: Sequence[Change]) -> tuple[Path, Path]:
    """Put changes before those that a folder's feed has; gives ``feed.json`` and ``feed.atom``.

    Raises:
        ConfigError: the folder cannot be written, or holds another ``feed.json``.
    """
    as_json, as_atom = folder / "feed.json", folder / "feed.atom"
    newest_first = sorted(changes, key=lambda each: each.at, reverse=True)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        before = json.loads(as_json.read_bytes())["items"] if as_json.exists() else []
        items = [*(each.item() for each in newest_first), *before][:MOST]
        feed = {"version": "https://jsonfeed.org/version/1.1", "title": _TITLE, "items": items}
        _replace(as_json, json.dumps(feed, ensure_ascii=False, indent=1).encode())
        _replace(as_atom, _atom(items))
    except OSError as error:
        raise ConfigError(f"--feed {folder}: cannot be written ({error.strerror}). Name another.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{as_json} is not a JSON Feed. Move it away, or name another folder.") from error
    return as_json, as_atom


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole: a reader may come at any time."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_bytes(data)
    temporary.replace(path)


def _atom(items: Sequence[dict[str, Any]]) -> bytes:
    feed = ET.Element("feed", xmlns="http://www.w3.org/2005/Atom")
    updated = items[0]["date_published"] if items else datetime.now(UTC).isoformat()
    _add(feed, id=_ID, title=_TITLE, updated=updated)
    _add(ET.SubElement(feed, "author"), name="verifaible")
    for each in items:
        entry = ET.SubElement(feed, "entry")
        _add(entry, id=each["id"], title=each["title"], updated=each["date_published"])
        ET.SubElement(entry, "link", href=each["url"])
        _add(entry, content=each["content_text"])
    return bytes(ET.tostring(feed, encoding="utf-8", xml_declaration=True))


def _add(parent: ET.Element, **texts: str) -> None:
    for name, text in texts.items():
        # XML 1.0 has no such characters, not even escaped.
        ET.SubElement(parent, name).text = "".join(c for c in text if c >= " " or c in "\t\n")


def _site(url: str) -> str:
    return urlsplit(url).netloc
