"""When a page says that it was published: only what its metadata states, no guess from its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date

from lxml import etree

#: Names of ``meta`` elements that hold a publication date, best first.
_META_NAMES = (
    "article:published_time",
    "og:published_time",
    "datepublished",
    "pubdate",
    "publishdate",
    "publish_date",
    "publication_date",
    "citation_publication_date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date",
    "dcterms.date",
    "dcterms.created",
    "article.published",
    "parsely-pub-date",
)
_DATE = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})")


def published_date(root: etree._Element) -> str:
    """An ISO 8601 date, or an empty string where the metadata has none.

    Read are ``meta`` elements, microdata (``itemprop="datePublished"``) and JSON-LD.
    """
    stated: dict[str, str] = {}
    for node in root.iter("meta"):
        name = (node.get("property") or node.get("name") or node.get("itemprop") or "").strip().lower()
        stated.setdefault(name, node.get("content") or "")
    texts = [stated[name] for name in _META_NAMES if name in stated]
    for node in root.iter("time", "span", "div"):
        if (node.get("itemprop") or "").lower() == "datepublished":
            texts.append(node.get("datetime") or node.get("content") or "")
    for node in root.iter("script"):
        if (node.get("type") or "").strip().lower() == "application/ld+json":
            texts += _json_ld(node.text or "")
    return next((found for text in texts if (found := _iso(text))), "")


def _json_ld(text: str) -> list[str]:
    try:
        return list(_dates(json.loads(text)))
    except (ValueError, RecursionError):
        return []


def _dates(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(found := value.get("datePublished"), str):
            yield found
        for inner in value.values():
            yield from _dates(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _dates(inner)


def _iso(text: str) -> str:
    match = _DATE.search(text)
    if match is None:
        return ""
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
    except ValueError:
        return ""
