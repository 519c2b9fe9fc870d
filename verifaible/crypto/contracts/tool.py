"""``contractAnalysisTool``: a coin's contract, its verified source, what is found in it, and a report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, get_args

from pydantic import Field

from verifaible.crypto.assets.resolver import Ambiguous, Match, chain_id, resolve
from verifaible.crypto.chain.node import chains
from verifaible.crypto.contracts.compiling import Unanalysed
from verifaible.crypto.contracts.report import Analysis, report
from verifaible.crypto.contracts.review import reviewed
from verifaible.crypto.contracts.slither import (
    Detection,
    Impact,
    Programs,
    input_sha256,
    read_result,
    run_slither,
)
from verifaible.crypto.contracts.source import Fetched, Sources, VerifiedContract, verified_source
from verifaible.crypto.session import Api, Given
from verifaible.crypto.tools.values import SHOWN_CHARACTERS
from verifaible.errors import BadArguments, DataNotAvailable, OfflineMiss, ToolError, WrongContent
from verifaible.llm.base import ModelClient
from verifaible.schema.base import Record
from verifaible.schema.data import DataPoint, Display, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Tool

#: Where an archive keeps results of Slither that were recorded, by the digest of what was analysed.
RECORDED: Final = "https://slither.example"
LONGEST_SYMBOL: Final = 120
_GIVEN: Final = re.compile(r"(?:(?P<chain>[\w-]+):)?(?P<address>0x[0-9a-f]{40})", re.IGNORECASE)


class ContractArguments(Record):
    """Arguments of ``contractAnalysisTool``."""

    symbol: str = Field(
        min_length=1,
        max_length=LONGEST_SYMBOL,
        description="Ticker, such as LINK; or a contract's address, with its chain as in base:0x...",
    )


def tools(
    api: Api, client: ModelClient | None = None, sources: Sources | None = None
) -> tuple[Tool[Any], ...]:
    """The tool over one session.

    Args:
        api: of the session; its web's settings name Slither, the compilers and the key of Etherscan.
        client: the model that reviews findings; without one there is no review.
        sources: where verified sources are; default: Sourcify, and Etherscan where there is a key.
    """
    settings = api.web.settings
    key = settings.etherscan_api_key.get_secret_value() if settings.etherscan_api_key else ""

    async def analyse(arguments: ContractArguments) -> ToolReply:
        return await _Analyst(api, client, sources or Sources(key=key)).reply(arguments.symbol)

    about = (
        "Security of a token's smart contract: its verified source, and what the analyser Slither finds in "
        "it, with the lines. Says what was not looked at."
    )
    return (Tool("contractAnalysisTool", about, ContractArguments, analyse),)


@dataclass(frozen=True, slots=True)
class Deployment:
    """Where a contract is: what the person calls it, the number of its chain, and its address.

    ``notes`` are what to know of the choice.
    """

    name: str
    chain: int
    address: str
    notes: tuple[str, ...] = ()


def deployment(written: str) -> Deployment:
    """The contract that a ticker, a name or an address means; of several chains Ethereum's, or the first.

    Raises:
        BadArguments: no asset, several assets or an unknown chain are meant.
        DataNotAvailable: the asset has no contract that can be analysed.
    """
    if given := _GIVEN.fullmatch(written.strip()):
        chain = given["chain"] or "ethereum"
        known = chains().get(chain_id(chain))
        if known is None and not chain.isdigit():
            raise BadArguments(f"No chain is called {chain!r} here. Give its number (EIP-155), as in 1:0x...")
        return Deployment(given["address"], known.id if known else int(chain), given["address"])
    found = resolve(written)
    if isinstance(found, Ambiguous):
        raise BadArguments(str(found))
    if not isinstance(found, Match):
        near = "; ".join(map(str, found.nearest)) or "none"
        raise BadArguments(f"No asset is known as {written!r}. Nearest: {near}. Give a ticker or an address.")
    asset = found.asset
    there = [
        (each, address)
        for name, each in chains().items()
        if _GIVEN.fullmatch(address := asset.contracts.get(name, ""))
    ]
    if not there:
        other = ", ".join(chain for chain, each in asset.contracts.items() if each != "native")
        why = (
            f"only one on {other}, whose contracts are not read"
            if other
            else "it is the coin of its own chain"
        )
        raise DataNotAvailable(
            f"{asset.name} ({asset.symbol}) has no contract that is analysed: {why}. Say so."
        )
    (first, address), *others = there
    notes = [found.note, *(f"The contract on {each.name} ({place})." for each, place in others)]
    return Deployment(asset.symbol, first.id, address, tuple(filter(None, notes)))


class _Analyst:
    def __init__(self, api: Api, client: ModelClient | None, sources: Sources) -> None:
        self._api = api
        self._client = client
        self._sources = sources

    async def reply(self, written: str) -> ToolReply:
        place = deployment(written)
        fetched = await verified_source(self._api, place.chain, place.address, self._sources)
        proxy, left = None, list(place.notes)
        if fetched.contract.proxy and fetched.contract.implementations:
            proxy, fetched = fetched, await self._behind(fetched, left)
        contract = fetched.contract
        detection = await self._detected(contract)
        review = "none, as no model was there for it."
        if self._client is not None and detection.done:
            findings, review = await reviewed(contract, detection.findings, self._client)
            detection = detection.model_copy(update={"findings": findings})
        analysis = Analysis(
            asked=place.name,
            contract=contract,
            proxy=proxy.contract if proxy and proxy is not fetched else None,
            detection=detection,
            review=review,
            counts=await self._counts(place.name, detection),
            left=left,
            synthetic=fetched.answer.synthetic,
        )
        return await self._told(place.name, fetched, analysis)

    async def _behind(self, proxy: Fetched, left: list[str]) -> Fetched:
        """The contract behind a proxy; the proxy itself where that has no verified source."""
        first, *others = proxy.contract.implementations
        left += [f"The further implementation `{each}`." for each in others]
        try:
            behind = await verified_source(self._api, proxy.contract.chain, first, self._sources)
        except (DataNotAvailable, OfflineMiss) as error:
            left.append(f"The implementation `{first}`: {error}")
            return proxy
        left.append(f"The code of the proxy itself, `{proxy.contract.address}`.")
        return behind

    async def _detected(self, contract: VerifiedContract) -> Detection:
        """What Slither finds: offline a recorded result, where there is one."""
        title = f"Slither on the source of {contract.name}"
        if self._api.web.mode == "offline":
            try:
                answer = await self._api.get("Slither", f"{RECORDED}/{input_sha256(contract)}.json")
                found = read_result(answer.body, contract)
                source = await self._api.seal(answer, f"{title} (recorded)")
                return found.model_copy(update={"source": source.id, "recorded": True, "network_off": False})
            except ToolError:  # not recorded: it is run
                pass
        try:
            body = await run_slither(contract, Programs.of(self._api.web.settings))
            found = read_result(body, contract)
        except (Unanalysed, WrongContent) as error:
            return Detection(done=False, message=str(error))
        given = Given("api", body, "application/json", title=title, at=self._api.now)
        (source,) = await self._api.book.keep([given])
        return found.model_copy(update={"source": source.id})

    async def _counts(self, name: str, detection: Detection) -> dict[Impact, str]:
        """How many findings there are of each impact, with the mark of that value."""
        told: dict[Impact, str] = {}
        for impact in get_args(Impact):
            lines = detection.first_lines.get(impact, ())
            if lines and all(lines):
                operands = [Operand(source=detection.source, pointer=each) for each in lines]
                facets = Facets(asset=name, field=f"findings_{impact.lower()}")
                value = await self._api.compute("count", {"values": operands}, facets=facets)
                told[impact] = f"{value.result} [{value.id}]"
            elif lines:
                told[impact] = str(len(lines))
        return told

    async def _told(self, name: str, fetched: Fetched, analysis: Analysis) -> ToolReply:
        contract, detection = analysis.contract, analysis.detection
        body = shown = report(analysis)
        if len(body) > SHOWN_CHARACTERS:
            cut = body.rfind("\n", 0, SHOWN_CHARACTERS)
            shown = f"{body[:cut]}\n(The report goes on for the person; call nothing again for the rest.)"
        lines = {
            (f"{place.lines}/{at}", Decimal(line))
            for finding in detection.findings
            for place in finding.places[:1]
            for at, line in ((0, place.start), (place.end - place.start, place.end))
        }
        self._api.points += [
            DataPoint(asset=name, field="line", source=detection.source, pointer=each, value=value)
            for each, value in sorted(lines)
        ]
        proxy = analysis.proxy.source if analysis.proxy else ""
        marks = tuple(filter(None, (contract.source, proxy, detection.source)))
        title = f"security of the contract of {name}"
        display = Display(kind="report", title=title, sources=marks, markdown=body)
        return await self._api.reply(
            fetched.answer, title, shown, as_of=contract.verified_at, displays=(display,)
        )
