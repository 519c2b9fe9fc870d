"""A synthetic replica of the pages of stats.gov.cn that eight cases ask about, with lists and neighbours."""

from __future__ import annotations

from scripts.replicas.common import Site
from scripts.replicas.stats_gov_cn.pages import exchanges

SITE = Site(
    name="stats.gov.cn",
    title="国家统计局（仿制）",
    description=(
        "Synthetic, hand-written replica of www.stats.gov.cn for offline tests. Headline figures are true "
        "where a source was found; other rows are made up to be plausible. Not published by the bureau."
    ),
    exchanges=exchanges,
)
