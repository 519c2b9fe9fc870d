"""Cite a table cell by the text of its row and column headers, and export it for somebody else."""

import asyncio
from pathlib import Path

from verifaible import Verifaible

YIELDS = (
    "https://home.treasury.gov/resource-center/data-chart-center/interest-rates/TextView"
    "?type=daily_treasury_yield_curve&field_tdr_date_value=2026"
)


async def main() -> None:
    """Print the value and the files of the export."""
    async with Verifaible(web="offline") as v:
        citation = await v.cite(YIELDS, row="02/06/2026", column="10 Yr")
        print(citation.claim)
        exported = await v.export(citation.id, Path())
        print(*sorted(exported.files), sep="\n")


asyncio.run(main())
