"""A feed of what changed on the live web, as JSON Feed 1.1 (jsonfeed.org) and Atom (RFC 4287)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from verifaible.errors import ConfigError
from verifaible.schema.base import Record
from verifaible.schema.check import Verdict

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
