"""Synthetic quality reports of a German group of hospitals: indicators, staff, cases by site and year."""

from __future__ import annotations

from scripts.replicas.common import Site
from scripts.replicas.klinik_example.pages import exchanges

SITE = Site(
    name="klinik.example",
    title="Klinikverbund Ilmenaubogen, Qualitätsberichte (erfunden)",
    description=(
        "Synthetic quality reports of an invented German group of hospitals, built the way real ones are. "
        "The hospitals and every figure are made up."
    ),
    exchanges=exchanges,
)
