"""Make a citation, read what it shows, and see a wrong figure refused."""

import asyncio

from verifaible import Verifaible
from verifaible.errors import AnchorNotFound

PAGE = "https://www.federalreserve.gov/newsevents/pressreleases/monetary20240131a1.htm"
QUOTE = "the interest rate paid on reserve balances (IORB) at 5.4 percent"


async def main() -> None:
    """Cite the quote, verify the citation, then ask for a quote with another figure."""
    async with Verifaible(web="offline") as v:
        citation = await v.cite(PAGE, quote=QUOTE, claim="The Fed kept the IORB at 5.4 percent.")
        print(citation.shown.text)
        check = await v.verify(citation.id)
        print("verdict:", check.verdict)
        try:
            await v.cite(PAGE, quote=QUOTE.replace("5.4", "4.5"))
        except AnchorNotFound as refusal:
            print("refused:", refusal)


asyncio.run(main())
