"""Stage 1: the verified source of a contract, from Sourcify (no key) or Etherscan (key), sealed as it came.

Sourcify: https://docs.sourcify.dev/docs/api/ (v2, contract look-up). Etherscan: https://docs.etherscan.io
(v2, getsourcecode). A source is verified where the provider compiled it and got the bytecode of the chain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from verifaible.crypto.contracts.records import SourceFile, VerifiedContract
from verifaible.crypto.sources import Given
from verifaible.crypto.tools.api import Api, ApiAnswer
from verifaible.crypto.tools.values import Json, Number, at, moment_at, pointer, surprise, text_at
from verifaible.errors import DataNotAvailable, OfflineMiss, PageError, PageNotLoaded
from verifaible.tools.presenting import one_line

SOURCIFY: Final = "https://sourcify.dev/server"
ETHERSCAN: Final = "https://api.etherscan.io/v2/api"
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_VERSION: Final = re.compile(r"\d+\.\d+\.\d+")
_NOT_FOUND: Final = 404


@dataclass(frozen=True, slots=True)
class Sources:
    """Where verified sources are.

    Attributes:
        sourcify: address of its server.
        etherscan: address of its API.
        key: for Etherscan; without one it is not asked.
    """

    sourcify: str = SOURCIFY
    etherscan: str = ETHERSCAN
    key: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A verified contract, and the answer that it was read from."""

    contract: VerifiedContract
    answer: ApiAnswer


async def verified_source(api: Api, chain: int, address: str, sources: Sources) -> Fetched:
    """The verified source at an address.

    Args:
        api: asks, and seals the answer.
        chain: its number (EIP-155).
        address: with ``0x``.
        sources: where to ask: Sourcify, then Etherscan where there is a key.

    Raises:
        DataNotAvailable: no source is verified there, or only later than is asked about.
        WrongContent: an answer has another form than is documented.
        ToolError: a provider cannot be reached, or refuses.
    """
    if not _ADDRESS.fullmatch(address):
        raise DataNotAvailable(
            f"{address!r} is no address of an EVM chain; its contract is not analysed. Say so."
        )
    try:
        answer = await api.get(
            "Sourcify", f"{sources.sourcify}/v2/contract/{chain}/{address}", {"fields": "all"}
        )
        if at(answer.data, ("match",)) is not None:
            return await _sealed(api, answer, _of_sourcify(answer, chain, address))
    except (PageError, OfflineMiss) as error:
        missing = isinstance(error, PageNotLoaded) and error.status == _NOT_FOUND
        if not missing and not sources.key:
            raise
    if not sources.key:
        _not_verified(
            chain,
            address,
            "Sourcify has none",
            "Etherscan is asked too where VERIFAIBLE_ETHERSCAN_API_KEY is set.",
        )
    query = {"chainid": str(chain), "module": "contract", "action": "getsourcecode", "address": address}
    answer = await api.get("Etherscan", sources.etherscan, query, secret_query={"apikey": sources.key})
    return await _sealed(api, answer, _of_etherscan(answer, chain, address))


def _not_verified(chain: int, address: str, who: str, more: str = "") -> NoReturn:
    raise DataNotAvailable(
        f"No verified source of {address} on chain {chain}: {who}. What its code does cannot be said "
        f"from here: say that. {more}".strip()
    )


async def _sealed(api: Api, answer: ApiAnswer, contract: VerifiedContract) -> Fetched:
    moment = contract.verified_at
    if api.as_of is not None and api.as_of < api.now:
        if contract.proxy:
            api.live_only("What a proxy hands its calls to")
        if moment is None or moment > api.as_of:
            api.live_only(f"The source of {contract.address}, which {contract.provider} verified later,")
    title = f"verified source of {contract.name or contract.address}"
    title = f"{title} (replica: synthetic)" if answer.synthetic else title
    given = Given(
        "api", answer.body, answer.media_type, answer.url, title, answer.received_at, answer.exchange
    )
    (source,) = await api.book.keep([given])
    return Fetched(contract.model_copy(update={"source": source.id}), answer)


def _of_sourcify(answer: ApiAnswer, chain: int, address: str) -> VerifiedContract:
    data = answer.data
    sources = at(data, ("sources",))
    if not isinstance(sources, dict) or not sources:
        raise surprise(answer.name, "no sources")
    files = [
        SourceFile(
            path=path, content=text_at(each, ("content",)), pointer=pointer(("sources", path, "content"))
        )
        for path, each in sources.items()
    ]
    resolved = at(data, ("proxyResolution", "implementations"))
    found = resolved if isinstance(resolved, list) else []
    return VerifiedContract(
        chain=chain,
        address=address,
        provider="Sourcify",
        source="",
        match=text_at(data, ("match",)),
        verified_at=moment_at(data, ("verifiedAt",)),
        name=text_at(data, ("compilation", "name")),
        language=text_at(data, ("compilation", "language")) or "Solidity",
        compiler=_version(answer, text_at(data, ("compilation", "compilerVersion"))),
        settings=_settings(at(data, ("compilation", "compilerSettings"))),
        files=tuple(files),
        proxy=at(data, ("proxyResolution", "isProxy")) is True,
        implementations=_addresses(text_at(each, ("address",)) for each in found),
    )


def _of_etherscan(answer: ApiAnswer, chain: int, address: str) -> VerifiedContract:
    row, base = at(answer.data, ("result", 0)), ("result", 0)
    if said := text_at(answer.data, ("result",)):  # an error comes as a text, with status 200
        raise DataNotAvailable(
            f"Etherscan refused: {one_line(said, 120)}. Set another VERIFAIBLE_ETHERSCAN_API_KEY; "
            "until then say that the contract was not analysed."
        )
    if not isinstance(row, dict):
        raise surprise(answer.name, "no result")
    if not (code := text_at(row, ("SourceCode",))):
        _not_verified(chain, address, "neither Sourcify nor Etherscan has one")
    name, told = text_at(row, ("ContractName",)), text_at(row, ("CompilerVersion",))
    place = pointer((*base, "SourceCode"))
    settings: Json = {}
    if code.lstrip().startswith("{"):  # several files: a standard JSON in braces, or the files alone
        text = code.strip()
        try:
            data = json.loads(text[1:-1] if text.startswith("{{") else text)
            listed = data.get("sources", data)
            files = [
                SourceFile(path=path, content=each["content"], pointer=place) for path, each in listed.items()
            ]
        except (ValueError, AttributeError, TypeError, KeyError) as error:
            raise surprise(answer.name, "no files in SourceCode") from error
        settings = data.get("settings", {})
    else:
        files = [SourceFile(path=f"{name or 'Contract'}.sol", content=code, pointer=place)]
    return VerifiedContract(
        chain=chain,
        address=address,
        provider="Etherscan",
        source="",
        match="verified",
        name=name,
        language="Vyper" if told.casefold().startswith("vyper") else "Solidity",
        compiler=_version(answer, told),
        settings=_settings(settings),
        files=tuple(files),
        proxy=text_at(row, ("Proxy",)) == "1",
        implementations=_addresses([text_at(row, ("Implementation",))]),
    )


def _addresses(told: Iterable[str]) -> tuple[str, ...]:
    return tuple(each for each in told if _ADDRESS.fullmatch(each))


def _version(answer: ApiAnswer, told: str) -> str:
    found = _VERSION.search(told)
    if not found:
        raise surprise(answer.name, f"no version of a compiler in {told[:40]!r}")
    return found[0]


def _settings(data: Json) -> dict[str, Any]:
    """The settings of the compiler that matter for its syntax tree."""
    kept = data if isinstance(data, dict) else {}
    remappings = kept.get("remappings")
    listed = [each for each in remappings if isinstance(each, str)] if isinstance(remappings, list) else []
    version = kept.get("evmVersion")
    named = isinstance(version, str) and not isinstance(version, Number) and version.casefold() != "default"
    return {"remappings": listed, **({"evmVersion": version} if named else {})}
