"""From a ticker to the addresses of annual reports, by EDGAR's own JSON.

The SEC asks at most ten requests a second of everybody together, and of each who asks a name and a mail
address in the user agent (sec.gov, "Accessing EDGAR Data").
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from verifaible.errors import ConfigError, PageBlocked, WrongContent
from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest
from verifaible.tools.fetch_status import check_status

_TICKERS: Final = "https://www.sec.gov/files/company_tickers.json"
_SUBMISSIONS: Final = "https://data.sec.gov/submissions/{name}"
_DOCUMENT: Final = "https://www.sec.gov/Archives/edgar/data/{cik}/{accession}/{document}"
#: The forms of an annual report with the items of a 10-K; amendments repeat parts of one.
_ANNUAL: Final = ("10-K", "10-K405", "10-KT")
#: What companies from elsewhere file instead, which has other items.
_FOREIGN: Final = ("20-F", "40-F")
_TICKER: Final = re.compile(r"[A-Z][A-Z0-9]{0,5}(?:[.-][A-Z]{1,2})?")
#: Between two requests, in seconds.
PAUSE_S: Final = 0.15


@dataclass(frozen=True, slots=True)
class Report:
    """An annual report that EDGAR lists.

    Attributes:
        company: the registrant's name.
        form: as it was filed: ``10-K``.
        period: the day that its year ends.
        url: of its main document.
    """

    company: str
    form: str
    period: date
    url: str


def is_ticker(text: str) -> bool:
    """Whether it is written like a ticker, in capitals: ``AAPL``, ``BRK-B``."""
    return bool(_TICKER.fullmatch(text))


async def annual_reports(ticker: str, years: int, client: HttpClient) -> list[Report]:
    """The latest annual reports of a company, the latest first; one for each year that it closed.

    Args:
        ticker: as it is traded.
        years: so many reports at most.
        client: asks EDGAR.

    Raises:
        ConfigError: no company has this ticker, or it files no 10-K.
        PageBlocked: EDGAR does not answer who does not say who they are.
        PageNotLoaded, WrongContent: EDGAR does not answer, or not in its JSON.
    """
    listed = (await _json(_TICKERS, client)).values()
    wanted = ticker.upper().replace(".", "-")
    company = next((each for each in listed if str(each["ticker"]).upper() == wanted), None)
    if company is None:
        raise ConfigError(
            f"EDGAR lists no company with the ticker {ticker}. Give the file of its annual report, or its "
            "address."
        )
    cik = int(company["cik_str"])
    about = await _json(_SUBMISSIONS.format(name=f"CIK{cik:010}.json"), client)
    filings, forms = about["filings"], set[str]()
    found: dict[date, Report] = {}
    for page in ("", *(each["name"] for each in filings["files"])):
        listing = await _json(_SUBMISSIONS.format(name=page), client) if page else filings["recent"]
        forms |= set(listing["form"])
        for each in _annual(listing, str(about["name"]), cik):
            found.setdefault(each.period, each)
        if len(found) >= years:
            break
    if not found:
        others = "".join(f", but {form}" for form in _FOREIGN if form in forms)
        raise ConfigError(f"{about['name']} files no 10-K{others}. Give the address of a report, with --any.")
    return [found[period] for period in sorted(found, reverse=True)][:years]


def _annual(listing: Mapping[str, Sequence[str]], company: str, cik: int) -> Iterator[Report]:
    """The annual reports among filings, which EDGAR lists by column, the latest first."""
    columns = ("form", "reportDate", "accessionNumber", "primaryDocument")
    for form, period, accession, document in zip(*(listing[name] for name in columns), strict=True):
        if form in _ANNUAL and period and document:
            url = _DOCUMENT.format(cik=cik, accession=accession.replace("-", ""), document=document)
            yield Report(company, form, date.fromisoformat(period), url)


async def _json(url: str, client: HttpClient) -> dict[str, Any]:
    await asyncio.sleep(PAUSE_S)
    answer = (await client.fetch(WebRequest(url))).answer
    if answer.response.status == 403:
        raise PageBlocked(
            "EDGAR answers 403 to readers that do not say who they are. Set VERIFAIBLE_USER_AGENT to your "
            "name and mail address, as the SEC asks."
        )
    check_status(url, answer.response)
    try:
        found = json.loads(answer.response.body)
    except ValueError as error:
        raise WrongContent(f"{url} is no JSON ({error}). Try again, or give the report's address.") from error
    if not isinstance(found, dict):
        raise WrongContent(f"{url} is no JSON object. Try again, or give the report's address.")
    return found
