"""The verified source of a contract, from Sourcify (no key) or Etherscan (key), sealed as it came.

Sourcify: https://docs.sourcify.dev/docs/api/ (v2, contract look-up). Etherscan: https://docs.etherscan.io
(v2, getsourcecode). A source is verified where the provider compiled it and got the bytecode of the chain.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from pydantic import Field

from verifaible.crypto.chain.node import sealed
from verifaible.crypto.providers.json_values import Json, at, moment_at, surprise, text_at
from verifaible.crypto.providers.session import Api, ApiAnswer
from verifaible.errors import DataNotAvailable, OfflineMiss, PageError, PageNotLoaded
from verifaible.schema.base import Record
from verifaible.tools.presenting import one_line

ETHERSCAN: Final = "https://api.etherscan.io/v2/api"
SOURCIFY: Final = "https://sourcify.dev/server"
ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_VERSION: Final = re.compile(r"\d+\.\d+\.\d+")


class VerifiedContract(Record):
    """A contract whose source was verified by somebody who compiled it and compared the bytecode.

    Attributes:
        chain: its number (EIP-155).
        source: the mark of the sealed answer.
        match: how well the bytecode agrees, in the provider's word.
        compiler: version that it was compiled with, without the commit.
        settings: of the compiler: ``remappings``, ``evmVersion``.
        files: the text of each file by its name as verified.
        proxy: whether the provider says that it is a proxy.
        implementations: addresses that the proxy hands its calls to, as the provider resolved them.
    """

    chain: int
    address: str
    provider: str
    source: str = ""
    match: str = ""
    verified_at: datetime | None = None
    name: str = ""
    language: str = "Solidity"
    compiler: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    files: dict[str, str]
    proxy: bool = False
    implementations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sources:
    """Where verified sources are; Etherscan is not asked without a key."""

    sourcify: str = SOURCIFY
    etherscan: str = ETHERSCAN
    key: str = ""


class Fetched(NamedTuple):
    """A verified contract, and the answer that it was read from."""

    contract: VerifiedContract
    answer: ApiAnswer


async def verified_source(api: Api, chain: int, address: str, sources: Sources) -> Fetched:
    """The verified source at an address: Sourcify's, else Etherscan's where there is a key.

    Raises:
        DataNotAvailable: no source is verified there, or only later than is asked about.
        WrongContent: an answer has another form than is documented.
        ToolError: a provider cannot be reached, or refuses.
    """
    if not ADDRESS.fullmatch(address):
        raise DataNotAvailable(f"{address!r} is no address of an EVM chain; it is not analysed. Say so.")
    none = (
        f"No verified source of {address} on chain {chain}: neither Sourcify nor Etherscan has one. What its "
        "code does cannot be said from here: say that. Etherscan is asked where VERIFAIBLE_ETHERSCAN_API_KEY "
        "is set."
    )
    try:
        url = f"{sources.sourcify}/v2/contract/{chain}/{address}"
        answer = await api.get("Sourcify", url, {"fields": "all"})
        if at(answer.data, ("match",)) is not None:
            return await _sealed(api, answer, _of_sourcify(answer, chain, address))
    except (PageError, OfflineMiss) as error:
        missing = isinstance(error, PageNotLoaded) and error.status == 404
        if not missing and not sources.key:
            raise
    if not sources.key:
        raise DataNotAvailable(none)
    query = {"chainid": str(chain), "module": "contract", "action": "getsourcecode", "address": address}
    answer = await api.get("Etherscan", sources.etherscan, query, secret_query={"apikey": sources.key})
    if said := text_at(answer.data, ("result",)):  # an error comes as a text, with status 200
        raise DataNotAvailable(
            f"Etherscan refused: {one_line(said, 120)}. Set another VERIFAIBLE_ETHERSCAN_API_KEY; "
            "until then say that the contract was not analysed."
        )
    if not isinstance(row := at(answer.data, ("result", 0)), dict):
        raise surprise(answer.name, "no result")
    if not text_at(row, ("SourceCode",)):
        raise DataNotAvailable(none)
    return await _sealed(api, answer, _of_etherscan(answer, row, chain, address))


async def _sealed(api: Api, answer: ApiAnswer, contract: VerifiedContract) -> Fetched:
    moment = contract.verified_at
    if api.as_of is not None and api.as_of < api.now:
        if contract.proxy:
            api.live_only("What a proxy hands its calls to")
        if moment is None or moment > api.as_of:
            api.live_only(f"The source of {contract.address}, which {contract.provider} verified later,")
    mark = await sealed(api, answer, f"verified source of {contract.name or contract.address}")
    return Fetched(contract.model_copy(update={"source": mark}), answer)


def _of_sourcify(answer: ApiAnswer, chain: int, address: str) -> VerifiedContract:
    data = answer.data
    resolved = at(data, ("proxyResolution", "implementations"))
    behind = [text_at(each, ("address",)) for each in (resolved if isinstance(resolved, list) else [])]
    return VerifiedContract(
        chain=chain,
        address=address,
        provider="Sourcify",
        match=text_at(data, ("match",)),
        verified_at=moment_at(data, ("verifiedAt",)),
        name=text_at(data, ("compilation", "name")),
        language=text_at(data, ("compilation", "language")) or "Solidity",
        compiler=_version(answer, text_at(data, ("compilation", "compilerVersion"))),
        settings=_settings(at(data, ("compilation", "compilerSettings"))),
        files=_files(answer, at(data, ("sources",))),
        proxy=at(data, ("proxyResolution", "isProxy")) is True,
        implementations=tuple(each for each in behind if ADDRESS.fullmatch(each)),
    )


def _of_etherscan(answer: ApiAnswer, row: Json, chain: int, address: str) -> VerifiedContract:
    code, name, told = (text_at(row, (key,)) for key in ("SourceCode", "ContractName", "CompilerVersion"))
    behind = text_at(row, ("Implementation",))
    settings: Json = {}
    if code.lstrip().startswith("{"):  # several files: a standard JSON in braces, or the files alone
        text = code.strip()
        try:
            data = json.loads(text[1:-1] if text.startswith("{{") else text)
        except ValueError as error:
            raise surprise(answer.name, "no files in SourceCode") from error
        files, settings = _files(answer, data.get("sources", data)), data.get("settings", {})
    else:
        files = {f"{name or 'Contract'}.sol": code}
    return VerifiedContract(
        chain=chain,
        address=address,
        provider="Etherscan",
        match="verified",
        name=name,
        language="Vyper" if told.casefold().startswith("vyper") else "Solidity",
        compiler=_version(answer, told),
        settings=_settings(settings),
        files=files,
        proxy=text_at(row, ("Proxy",)) == "1",
        implementations=(behind,) if ADDRESS.fullmatch(behind) else (),
    )


def _files(answer: ApiAnswer, found: Any) -> dict[str, str]:
    """The files of an object that has their texts under ``content``, by name."""
    if not isinstance(found, dict) or not found or not all(isinstance(each, dict) for each in found.values()):
        raise surprise(answer.name, "no files of a source")
    return {path: text_at(each, ("content",)) for path, each in found.items()}


def _version(answer: ApiAnswer, told: str) -> str:
    found = _VERSION.search(told)
    if not found:
        raise surprise(answer.name, f"no version of a compiler in {told[:40]!r}")
    return found[0]


def _settings(data: Json) -> dict[str, Any]:
    """The settings of the compiler that matter for its syntax tree."""
    remappings, version = at(data, ("remappings",)), text_at(data, ("evmVersion",))
    listed = [each for each in remappings if isinstance(each, str)] if isinstance(remappings, list) else []
    named = version.isalpha() and version.casefold() != "default"
    return {"remappings": listed, **({"evmVersion": version} if named else {})}
