"""Check each claim of a text against the sources that the text links to."""

import asyncio

from verifaible import Verifaible

RELEASE = "https://www.federalreserve.gov/newsevents/pressreleases/monetary20240131a1.htm"
TEXT = f"""It "kept the interest rate paid on reserve balances (IORB) at 5.4 percent" ([Fed]({RELEASE})).

It "kept the interest rate paid on reserve balances (IORB) at 4.5 percent" ([Fed]({RELEASE})).
"""


async def main() -> None:
    """Print the verdict and the words of each claim."""
    async with Verifaible(web="offline") as v:
        checked = await v.check("two sentences", data=TEXT.encode())
        for each in checked.claims:
            print(each.verdict, "|", each.claim.text[:70], "|", each.said)


asyncio.run(main())
