"""What a page says about itself in its mark-up: when it was published, and where it sends its readers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from urllib.parse import urldefrag, urljoin

import lxml.html
from lxml import etree

#: Names of ``meta`` elements that hold a publication date, best first.
_DATE_NAMES = (
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
#: WHATWG HTML, "shared declarative refresh steps", without its rarest spellings;
#: possessive, so that blanks are read once.
_REFRESH = re.compile(
    r"\s*+(?P<delay>\d*+(?:\.\d*+)?+)(?:\s*+[;,]|\s)\s*+(?:url\s*+=\s*+)?"
    r"(?:\"(?P<double>[^\"]*)\"?|'(?P<single>[^']*)'?|(?P<bare>\S.*))",
    re.IGNORECASE,
)


def page_tree(markup: str) -> etree._Element:
    """The tree of a page's mark-up; one without anything where there is none."""
    parser = lxml.html.HTMLParser(huge_tree=True, encoding="utf-8")
    data = markup.replace("\x00", "").encode("utf-8", "replace")
    try:
        return lxml.html.document_fromstring(data, parser=parser, ensure_head_body=True)
    except etree.ParserError:
        return etree.Element("html")


def published_date(root: etree._Element) -> str:
    """An ISO 8601 date, or an empty string where the metadata has none.

    Read are ``meta`` elements, microdata (``itemprop="datePublished"``) and JSON-LD, and no text.
    """
    stated: dict[str, str] = {}
    for name, content in _metas(root):
        stated.setdefault(name, content)
    texts = [stated[name] for name in _DATE_NAMES if name in stated]
    for node in root.iter("time", "span", "div"):
        if (node.get("itemprop") or "").lower() == "datepublished":
            texts.append(node.get("datetime") or node.get("content") or "")
    texts += [str(value["datePublished"]) for value in _linked_data(root) if "datePublished" in value]
    return next((found for text in texts if (found := _iso(text))), "")


def refresh_target(root: etree._Element, url: str, sent: str, longest_s: float) -> str:
    """The absolute address of another page that this one leads to; an empty string where it stays.

    Args:
        root: tree of the page.
        url: its address.
        sent: value of the header ``Refresh``, or an empty string.
        longest_s: a page that stays longer than this is content.
    """
    stated = [
        node.get("content") or ""
        for node in root.iter("meta")
        if (node.get("http-equiv") or "").strip().lower() == "refresh"
        and next(node.iterancestors("noscript", "template"), None) is None
    ]
    for text in [sent, *stated]:
        match = _REFRESH.match(text)
        if match is None or float(match["delay"].strip(".") or 0) > longest_s:
            continue
        try:
            target = urljoin(url, (match["double"] or match["single"] or match["bare"] or "").strip())
        except ValueError:
            continue
        if target.startswith(("http:", "https:")) and urldefrag(target).url != urldefrag(url).url:
            return str(urldefrag(target).url)
    return ""


def _metas(root: etree._Element) -> Iterator[tuple[str, str]]:
    for node in root.iter("meta"):
        name = (node.get("property") or node.get("name") or node.get("itemprop") or "").strip().lower()
        if name and (content := " ".join((node.get("content") or "").split())):
            yield name, content


def _linked_data(root: etree._Element) -> Iterator[dict[str, object]]:
    """The objects of the page's JSON-LD, outer before inner."""
    for node in root.iter("script"):
        if (node.get("type") or "").strip().lower() == "application/ld+json":
            try:
                waiting: list[object] = [json.loads(node.text or "")]
            except (ValueError, RecursionError):
                continue
            while waiting:
                value = waiting.pop(0)
                if isinstance(value, dict):
                    yield value
                    waiting += value.values()
                elif isinstance(value, list):
                    waiting += value


def _iso(text: str) -> str:
    match = _DATE.search(text)
    if match is None:
        return ""
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
    except ValueError:
        return ""
