"""Replica of two YouTube watch pages with captions; synthetic, written by hand."""

from __future__ import annotations

from scripts.replicas.common import Site
from scripts.replicas.youtube_com.pages import exchanges

SITE = Site(
    name="youtube.com",
    title="YouTube: two talks with timed captions (replica)",
    description=(
        "Synthetic, hand-written replica of two watch pages, without media. The times of the caption lines "
        "that the cases ask about are the true ones, their words mostly the replica's own; all other lines "
        "are made up."
    ),
    exchanges=exchanges,
)
