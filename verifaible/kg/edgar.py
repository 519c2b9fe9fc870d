"""From a ticker to the addresses of annual reports, by EDGAR's own JSON.

The SEC asks at most ten requests a second of everybody together, and of each who asks a name and a mail
address in the user agent (sec.gov, "Accessing EDGAR Data").
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, Self, TypeVar

from pydantic import BaseModel, Field, RootModel, ValidationError, model_validator

from verifaible.errors import ConfigError, PageBlocked, WrongContent
from verifaible.net.client import HttpClient
from verifaible.net.web import Web
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


class _Listed(BaseModel):
    """A company as the list of tickers has it."""

    cik_str: int = Field(ge=0)
    ticker: str


class _Tickers(RootModel[dict[str, _Listed]]):
    """The companies that are traded, by a number of no meaning."""


class _Columns(BaseModel):
    """Filings, which EDGAR lists by column, the latest first; a day may be empty."""

    form: tuple[str, ...]
    report_date: tuple[date | Literal[""], ...] = Field(alias="reportDate")
    accession_number: tuple[str, ...] = Field(alias="accessionNumber")
    primary_document: tuple[str, ...] = Field(alias="primaryDocument")

    def rows(self) -> zip[tuple[str, date | Literal[""], str, str]]:
        """A row for each filing."""
        return zip(self.form, self.report_date, self.accession_number, self.primary_document, strict=True)

    @model_validator(mode="after")
    def _equally_long(self) -> Self:
        if len({len(column) for column in dict(self).values()}) > 1:
            raise ValueError("its columns have not the same length")
        return self


class _Older(BaseModel):
    """A file of earlier filings."""

    name: str


class _Filings(BaseModel):
    """The latest filings, and where the earlier ones are."""

    recent: _Columns
    files: tuple[_Older, ...]


class _Submissions(BaseModel):
    """What EDGAR has of a company."""

    name: str
    filings: _Filings


_Answer = TypeVar("_Answer", bound=BaseModel)


def is_ticker(text: str) -> bool:
    """Whether it is written like a ticker, in capitals: ``AAPL``, ``BRK-B``."""
    return bool(_TICKER.fullmatch(text))


async def find_reports(ticker: str, years: int, web: Web) -> list[Report]:
    """As :func:`annual_reports`, asked over a web."""
    async with web.client() as client:
        return await annual_reports(ticker, years, client)


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
    listed = (await _read(_TICKERS, _Tickers, client)).root.values()
    wanted = ticker.upper().replace(".", "-")
    company = next((each for each in listed if each.ticker.upper() == wanted), None)
    if company is None:
        raise ConfigError(
            f"EDGAR lists no company with the ticker {ticker}. Give the file of its annual report, or its "
            "address."
        )
    cik = company.cik_str
    about = await _read(_SUBMISSIONS.format(name=f"CIK{cik:010}.json"), _Submissions, client)
    forms = set[str]()
    found: dict[date, Report] = {}
    for page in ("", *(each.name for each in about.filings.files)):
        listing = about.filings.recent
        if page:
            listing = await _read(_SUBMISSIONS.format(name=page), _Columns, client)
        forms |= set(listing.form)
        for each in _annual(listing, about.name, cik):
            found.setdefault(each.period, each)
        if len(found) >= years:
            break
    if not found:
        others = "".join(f", but {form}" for form in _FOREIGN if form in forms)
        raise ConfigError(f"{about.name} files no 10-K{others}. Give the address of a report, with --any.")
    return [found[period] for period in sorted(found, reverse=True)][:years]


def _annual(listing: _Columns, company: str, cik: int) -> Iterator[Report]:
    """The annual reports among filings, the latest first."""
    for form, period, accession, document in listing.rows():
        if form in _ANNUAL and period and document:
            url = _DOCUMENT.format(cik=cik, accession=accession.replace("-", ""), document=document)
            yield Report(company, form, period, url)


async def _read(url: str, shape: type[_Answer], client: HttpClient) -> _Answer:
    await asyncio.sleep(PAUSE_S)
    answer = (await client.fetch(WebRequest(url))).answer
    if answer.response.status == 403:
        raise PageBlocked(
            "EDGAR answers 403 to readers that do not say who they are. Set VERIFAIBLE_USER_AGENT to your "
            "name and mail address, as the SEC asks."
        )
    check_status(url, answer.response)
    try:
        return shape.model_validate_json(answer.response.body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise WrongContent(
            f"{url} is no JSON object as EDGAR documents it ({where and where + ': '}{first['msg']}). Try "
            "again, or give the report's address."
        ) from error
