"""``contractAnalysisTool`` and ``verifaible crypto contract``: what is found in a coin's contract.

The report says what was found, what a model doubts, and what was not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final, NamedTuple, get_args

from pydantic import Field

from verifaible.config import Settings
from verifaible.crypto.assets.resolver import Ambiguous, Match, chain_id, resolve
from verifaible.crypto.chain.node import chains
from verifaible.crypto.contracts.review import reviewed
from verifaible.crypto.contracts.slither import (
    Detection,
    Finding,
    Impact,
    Place,
    Programs,
    Unanalysed,
    input_sha256,
    read_result,
    run_slither,
)
from verifaible.crypto.contracts.source import ADDRESS, Fetched, Sources, VerifiedContract, verified_source
from verifaible.crypto.providers.json_values import SHOWN_CHARACTERS
from verifaible.crypto.providers.session import ORIGIN, Api, Given, SourceBook
from verifaible.crypto.runs import opened
from verifaible.errors import BadArguments, DataNotAvailable, OfflineMiss, ToolError, WrongContent
from verifaible.evidence.sources import SourceOrigin
from verifaible.llm.base import ModelClient
from verifaible.llm.catalogue import Api as ModelApi
from verifaible.net.web import Web
from verifaible.reporting.tables import escaped
from verifaible.schema.analyst import Source
from verifaible.schema.base import Record
from verifaible.schema.data import DataPoint, Display, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.store.store import Store
from verifaible.tools.presenting import one_line
from verifaible.tools.toolbox import Tool

#: Where an archive keeps results of Slither that were recorded, by the digest of what was analysed.
RECORDED: Final = "https://slither.example"
LONGEST_SYMBOL: Final = 120
_GIVEN: Final = re.compile(rf"(?:(?P<chain>[\w-]+):)?(?P<address>{ADDRESS.pattern})")
#: Lines of the source that are quoted of a finding.
_QUOTED: Final = 8
_LIMITS: Final = (
    "Slither looks for known patterns in the code. It does not see what a function should have forbidden, "
    "who holds the keys of its owners, the economics of the token, prices from oracles, or the contracts "
    "that this one calls. A source without findings is not thereby free of faults."
)


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
        return await _analysed(api, client, sources or Sources(key=key), arguments.symbol)

    about = (
        "Security of a token's smart contract: its verified source, and what the analyser Slither finds in "
        "it, with the lines. Says what was not looked at."
    )
    return (Tool("contractAnalysisTool", about, ContractArguments, analyse),)


async def contract_report(
    symbol: str, settings: Settings, *, model: str = "", api: ModelApi | None = None, offline: bool = False
) -> tuple[ToolReply, tuple[Source, ...]]:
    """The report on a contract, and the sources that it rests on, in a session of its own.

    Args:
        symbol: as :class:`ContractArguments` takes it.
        settings: home, store, keys.
        model: who reviews the findings; empty: nobody.
        api: that it is asked in.
        offline: whether the archives are read in place of the web.

    Raises:
        ToolError: the contract cannot be analysed.
        UserError: the model or the store cannot be used.
    """
    web = Web.offline(settings) if offline else Web.live(settings)
    origin = SourceOrigin(kind="trial", name=ORIGIN, sha256=sha256(symbol.encode()).hexdigest())
    session = Api(web, SourceBook(Store.open(settings), origin), datetime.now(UTC))

    async def told(client: ModelClient | None) -> tuple[ToolReply, tuple[Source, ...]]:
        (tool,) = tools(session, client)
        return await tool.handle(ContractArguments(symbol=symbol)), session.book.sources

    if not model:
        return await told(None)
    async with opened(model, settings, api, limited=False) as reviewer:
        return await told(reviewer.client)


class Deployment(NamedTuple):
    """Where a contract is: what the person calls it, its chain by number, its address, and notes on that."""

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


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that is known of a contract.

    Attributes:
        asked: what the person named.
        contract: whose source was analysed.
        detection: what Slither said.
        proxy: in front of it, where that is another contract.
        review: a sentence about the review.
        counts: how many findings there are of each impact, with the mark of that value.
        left: further contracts that were not looked at, a sentence each.
        synthetic: whether the source is from a replica.
    """

    asked: str
    contract: VerifiedContract
    detection: Detection
    proxy: VerifiedContract | None = None
    review: str = "none, as no model was there for it."
    counts: Mapping[Impact, str] = field(default_factory=dict)
    left: Sequence[str] = ()
    synthetic: bool = False


async def _analysed(api: Api, client: ModelClient | None, sources: Sources, written: str) -> ToolReply:
    place = deployment(written)
    fetched = await verified_source(api, place.chain, place.address, sources)
    proxy, left = None, list(place.notes)
    if fetched.contract.proxy and fetched.contract.implementations:
        behind = await _behind(api, fetched, sources, left)
        proxy, fetched = (fetched.contract, behind) if behind else (None, fetched)
    contract = fetched.contract
    detection = await _detected(api, contract)
    review = "none, as no model was there for it."
    if client is not None and not detection.message:
        findings, review = await reviewed(contract, detection.findings, client)
        detection = detection.model_copy(update={"findings": findings})
    analysis = Analysis(
        asked=place.name,
        contract=contract,
        detection=detection,
        proxy=proxy,
        review=review,
        counts=await _counts(api, place.name, detection),
        left=left,
        synthetic=fetched.answer.synthetic,
    )
    body = shown = report(analysis)
    if len(body) > SHOWN_CHARACTERS:
        cut = body.rfind("\n", 0, SHOWN_CHARACTERS)
        shown = f"{body[:cut]}\n(The report goes on for the person; call nothing again for the rest.)"
    api.points += _lines(place.name, detection)
    marks = (contract.source, proxy.source if proxy else "", detection.source)
    title = f"security of the contract of {place.name}"
    display = Display(kind="report", title=title, sources=tuple(filter(None, marks)), markdown=body)
    return await api.reply(fetched.answer, title, shown, as_of=contract.verified_at, displays=(display,))


async def _behind(api: Api, proxy: Fetched, sources: Sources, left: list[str]) -> Fetched | None:
    """The contract behind a proxy; None where that has no verified source. What is left out is noted."""
    first, *others = proxy.contract.implementations
    left += [f"The further implementation `{each}`." for each in others]
    try:
        behind = await verified_source(api, proxy.contract.chain, first, sources)
    except (DataNotAvailable, OfflineMiss) as error:
        left.append(f"The implementation `{first}`: {error}")
        return None
    left.append(f"The code of the proxy itself, `{proxy.contract.address}`.")
    return behind


async def _detected(api: Api, contract: VerifiedContract) -> Detection:
    """What Slither finds: offline a recorded result, where there is one."""
    title = f"Slither on the source of {contract.name}"
    if api.web.mode == "offline":
        try:
            answer = await api.get("Slither", f"{RECORDED}/{input_sha256(contract)}.json")
            found = read_result(answer.body, contract)
            mark = (await api.seal(answer, f"{title} (recorded)")).id
            return found.model_copy(update={"source": mark, "recorded": True, "network_off": False})
        except ToolError:  # not recorded: it is run
            pass
    try:
        body = await run_slither(contract, Programs.of(api.web.settings))
        found = read_result(body, contract)
    except (Unanalysed, WrongContent) as error:
        return Detection(message=str(error))
    (source,) = await api.book.keep([Given("api", body, "application/json", title=title, at=api.now)])
    return found.model_copy(update={"source": source.id})


async def _counts(api: Api, name: str, detection: Detection) -> dict[Impact, str]:
    """How many findings there are of each impact, with the mark of that value."""
    told: dict[Impact, str] = {}
    for impact in get_args(Impact):
        lines = detection.first_lines.get(impact, ())
        if lines and all(lines):
            operands = [Operand(source=detection.source, pointer=each) for each in lines]
            facets = Facets(asset=name, field=f"findings_{impact.lower()}")
            value = await api.compute("count", {"values": operands}, facets=facets)
            told[impact] = f"{value.result} [{value.id}]"
        elif lines:
            told[impact] = str(len(lines))
    return told


def _lines(name: str, detection: Detection) -> list[DataPoint]:
    """The numbers of the lines that the report names."""
    lines = {
        (f"{place.lines}/{at}", Decimal(line))
        for finding in detection.findings
        for place in finding.places[:1]
        for at, line in ((0, place.start), (place.end - place.start, place.end))
    }
    return [
        DataPoint(asset=name, field="line", source=detection.source, pointer=each, value=value)
        for each, value in sorted(lines)
    ]


def report(analysis: Analysis) -> str:
    """The report; words of a stranger in it are escaped."""
    contract, detection = analysis.contract, analysis.detection
    parts = [f"# Contract of {_plain(analysis.asked)}: {_plain(contract.name) or 'no name'}"]
    parts.append("\n".join(f"- {line}" for line in _facts(analysis)))
    parts.append("## Findings")
    if detection.message:
        parts.append(f"The source was not analysed: {_plain(detection.message)}")
    else:
        parts.append(_counted(analysis))
        if detection.findings:
            parts.append(_table(detection.findings))
        files = {path: text.split("\n") for path, text in contract.files.items()}
        parts += [_finding(each, files, analysis) for each in detection.findings]
    left = [*analysis.left, *([] if detection.message else [_LIMITS])]
    parts += ["## Not looked at", "\n".join(f"- {line}" for line in left)] if left else []
    return "\n\n".join(parts) + "\n"


def _facts(analysis: Analysis) -> list[str]:
    contract, proxy, detection = analysis.contract, analysis.proxy, analysis.detection
    verified = f"{contract.verified_at:%Y-%m-%d}" if contract.verified_at else "a day that is not told"
    lines = [
        f"Address: `{contract.address}` on chain {contract.chain} (EIP-155).",
        f"Source: verified by {contract.provider} ({_plain(contract.match)}) on {verified}, "
        f"{contract.language} {contract.compiler} [{contract.source}].",
    ]
    if analysis.synthetic:
        lines.insert(0, "Made up: a replica stands in for the provider, and its source is no real token's.")
    if proxy:
        behind = f"({_plain(proxy.name)}) hands its calls to `{contract.address}`"
        lines.insert(0, f"Proxy: `{proxy.address}` {behind}; that can be another one later [{proxy.source}].")
    if contract.proxy:
        lines.append(f"`{contract.address}` is a proxy itself; the contract behind it was not analysed.")
    if not detection.message:
        how = "recorded before, not run now" if detection.recorded else "run now"
        network = "" if detection.recorded or detection.network_off else " with the network not cut off"
        lines.append(
            f"Analysis: Slither {_plain(detection.slither)}, {how}{network}; compiled with Solidity "
            f"{_plain(detection.compiler)} [{detection.source}]."
        )
        lines.append(f"Review: {_plain(analysis.review)}")
    return lines


def _counted(analysis: Analysis) -> str:
    told = [
        f"{analysis.counts[each]} of impact {each}" for each in ("High", "Medium") if each in analysis.counts
    ]
    more = [f"{count} {each}" for each, count in analysis.counts.items() if each not in ("High", "Medium")]
    grave = " and ".join(told) or "nothing of impact High or Medium"
    said = f"Slither reports {grave}."
    return f"{said} Not listed: {', '.join(more)}." if more else said


def _table(findings: Sequence[Finding]) -> str:
    lines = ["| | impact | confidence | detector | where | review |", "|---|---|---|---|---|---|"]
    for each in findings:
        where = _where(each.places[0]) if each.places else "the whole source"
        review = "likely false" if each.doubt else ""
        cells = (each.id, each.impact, _plain(each.confidence), _plain(each.detector), where, review)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _finding(finding: Finding, files: Mapping[str, Sequence[str]], analysis: Analysis) -> str:
    parts = [f"### {finding.id}: {_plain(finding.detector)} ({finding.impact})"]
    parts.append(f"{_plain(finding.description)} [{analysis.detection.source}]")
    for place in finding.places[:1]:
        lines = files[place.path][place.start - 1 : place.end]
        text = "\n".join(f"{number}: {line}" for number, line in enumerate(lines[:_QUOTED], place.start))
        more = "" if len(lines) <= _QUOTED else f" The first {_QUOTED} lines are quoted."
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
        parts.append(f"{_where(place)} [{analysis.contract.source}].{more}\n\n{fence}\n{text}\n{fence}")
    if doubt := finding.doubt:
        parts.append(
            f"A model calls this likely false: {_plain(doubt.reason)} It quotes {_plain(doubt.path)}, "
            f"line {doubt.line}: “{_plain(doubt.quote)}”"
        )
    return "\n\n".join(parts)


def _where(place: Place) -> str:
    lines = f"line {place.start}" if place.start == place.end else f"lines {place.start} to {place.end}"
    return f"{_plain(place.path)}, {lines}"


def _plain(text: str) -> str:
    return escaped(one_line(text, 600)).replace("|", "\\|")
