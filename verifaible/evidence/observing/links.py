"""Addresses that lead to the evidence itself: with a text directive, a page of a PDF, a time of a video."""

from __future__ import annotations

from verifaible.anchoring.evidence import text_link
from verifaible.reporting.pages import is_link
from verifaible.schema.citation import Citation


def link_of(citation: Citation) -> str:
    """Where the evidence stands on the web, as an http or https address; empty if it has none."""
    source = citation.document_url or citation.final_url
    if not is_link(source):
        return ""
    if citation.evidence_type == "text":
        return text_link(source, citation.anchor.text)
    kept = citation.anchor.text_fragment
    return kept if is_link(kept) else source
