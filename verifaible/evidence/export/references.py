"""A citation for reference managers and word processors: CSL-JSON and BibTeX.

Authors, site and date are those that the captured page states in its metadata (``meta`` elements and JSON-LD
of schema.org); nothing is guessed from its text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date
from typing import Any
from urllib.parse import quote as percent
from urllib.parse import urlsplit

from lxml import etree

from verifaible.archive.reader import WaczReader
from verifaible.reporting.pages import is_link
from verifaible.schema.citation import Citation

#: ``meta`` elements that name authors; those that write "Family, Given" are told apart.
_INVERTED = ("citation_author", "dc.creator", "dcterms.creator")
_AUTHORS = ("author", "article:author", "parsely-author")
_CSL_TYPES = {"pdf": "document", "video": "motion_picture"}
#: What TeX would read as a command. Braces are named, as BibTeX counts them even behind a backslash.
_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{each: f"\\{each}" for each in "$&#%_"},
    }
)


@dataclass(frozen=True, slots=True)
class Name:
    """An author: family and given name where the page tells them apart, else the whole name as ``family``."""

    family: str
    given: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a bibliography says of a citation; ``published`` is None where the page states no date."""

    citation: Citation
    site: str
    authors: tuple[Name, ...] = ()
    published: date | None = None

    @property
    def key(self) -> str:
        """What a document calls it by."""
        return f"verifaible-{self.citation.id}"

    @property
    def url(self) -> str:
        """The address of the source."""
        return self.citation.document_url or self.citation.final_url

    @property
    def note(self) -> str:
        """How the evidence is found again, and what a reader has to know of it."""
        found = f"verifaible citation {self.citation.id}, capture SHA-256 {self.citation.capture.sha256}"
        return "; ".join(filter(None, (found, self.citation.capture.remark)))

    @property
    def accessed(self) -> date:
        """The day (UTC) on which the source was captured."""
        return self.citation.capture.captured_at.astimezone(UTC).date()

    def csl(self) -> str:
        """CSL-JSON: an array of one item (CSL 1.0.2, ``csl-data.json``)."""
        item: dict[str, Any] = {
            "id": self.key,
            "type": _CSL_TYPES.get(self.citation.evidence_type, "webpage"),
            "title": self.citation.title or self.url,
            "container-title": self.site,
            "author": [
                {"family": each.family, "given": each.given} if each.given else {"literal": each.family}
                for each in self.authors
            ],
            "issued": _parts(self.published),
            "accessed": _parts(self.accessed),
            "URL": self.url,
            "note": self.note,
        }
        return json.dumps([{k: v for k, v in item.items() if v}], ensure_ascii=False, indent=2) + "\n"

    def bibtex(self) -> str:
        """A BibTeX entry, UTF-8; ``url`` and ``urldate`` are read by biblatex and most newer styles."""
        named = (
            f"{_tex(each.family)}, {_tex(each.given)}" if each.given else f"{{{_tex(each.family)}}}"
            for each in self.authors
        )
        fields = {
            "title": f"{{{_tex(self.citation.title or self.url)}}}",
            "author": " and ".join(named),
            "howpublished": _tex(self.site),
            "url": percent(self.url, safe=":/?#[]@!$&'()*+,;=%~-._"),
            "urldate": self.accessed.isoformat(),
            "note": _tex(self.note),
        }
        if self.published is not None:
            fields |= {"year": str(self.published.year), "month": f"{self.published:%m}"}
            fields["day"] = f"{self.published:%d}"
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join((f"@misc{{{self.key},", *lines, "}", ""))


def reference_of(citation: Citation, reader: WaczReader) -> Reference:
    """The reference of a citation, with what its sealed page states."""
    host = urlsplit(citation.document_url or citation.final_url).hostname or ""
    if "evidence/dom.html" not in reader.names() or citation.document_url:
        return Reference(citation, host)
    from verifaible.extract.html import parse_html
    from verifaible.extract.published import published_date

    root = parse_html(reader.read("evidence/dom.html").decode("utf-8-sig", "replace"))
    stated, nodes = _metas(root), list(_json_ld(root))
    published = published_date(root)
    publishers = (name for node in nodes for name in _names(node.get("publisher"), nodes))
    site = next(iter(stated.get("og:site_name", ())), "") or next((each.family for each in publishers), host)
    return Reference(
        citation,
        site,
        tuple(dict.fromkeys(_authors(stated, nodes))),
        date.fromisoformat(published) if published else None,
    )


def _metas(root: etree._Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in root.iter("meta"):
        name = (node.get("property") or node.get("name") or "").strip().lower()
        if value := " ".join((node.get("content") or "").split()):
            found.setdefault(name, []).append(value)
    return found


def _authors(stated: Mapping[str, list[str]], nodes: list[dict[str, Any]]) -> Iterable[Name]:
    """From the first place that names any: scholarly elements, JSON-LD, the others."""
    for name in _INVERTED:
        if stated.get(name):
            return [_inverted(value) for value in stated[name]]
    # Authors of what stands inside (comments, reviews) are not those of the page.
    for node in nodes:
        if found := list(_names(node.get("author"), nodes)):
            return found
    return next(
        (found for name in _AUTHORS if (found := [Name(v) for v in stated.get(name, ()) if not is_link(v)])),
        [],
    )


def _inverted(value: str) -> Name:
    family, _, given = value.partition(", ")
    return Name(value) if "," in given else Name(family, given)


def _json_ld(root: etree._Element) -> Iterator[dict[str, Any]]:
    """The objects that a page's JSON-LD says of it: those at the top, and those of a ``@graph``."""
    for node in root.iter("script"):
        if (node.get("type") or "").strip().lower() != "application/ld+json":
            continue
        try:
            value = json.loads(node.text or "")
        except (ValueError, RecursionError):
            continue
        for each in value if isinstance(value, list) else [value]:
            graph = each.get("@graph") if isinstance(each, dict) else None
            yield from (n for n in (graph if isinstance(graph, list) else [each]) if isinstance(n, dict))


def _names(value: object, nodes: list[dict[str, Any]]) -> Iterator[Name]:
    """The names of persons or organisations, given as texts, objects, or references to objects."""
    for each in value if isinstance(value, list) else [value]:
        node = each if isinstance(each, dict) else {"name": each}
        if "name" not in node and "@id" in node:
            node = next((other for other in nodes if other.get("@id") == node["@id"]), node)
        family, given, name = (node.get(key) for key in ("familyName", "givenName", "name"))
        if isinstance(family, str) and isinstance(given, str) and family.strip():
            yield Name(" ".join(family.split()), " ".join(given.split()))
        elif isinstance(name, str) and name.strip() and not is_link(name):
            yield Name(" ".join(name.split()))


def _parts(day: date | None) -> dict[str, list[list[int]]]:
    return {} if day is None else {"date-parts": [[day.year, day.month, day.day]]}


def _tex(text: str) -> str:
    return " ".join(text.split()).translate(_TEX)
