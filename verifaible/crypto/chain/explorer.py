"""Etherscan's API, version 2, as a node: the same questions, each in a request of its own.

Source of paths, parameters and fields: https://docs.etherscan.io (read in November 2026).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from verifaible.crypto.chain.node import MAINNET, Call, Told
from verifaible.crypto.tools.api import Api
from verifaible.crypto.tools.values import at, text_at
from verifaible.errors import DataNotAvailable, PageBlocked, PageError, PageNotLoaded

ETHERSCAN: Final = "https://api.etherscan.io/v2/api"
PROVIDER: Final = "Etherscan"
#: A free key may ask three times a second.
_PAUSE_S: Final = 0.34
#: Logs in one answer at most: one that has so many may lack others.
_MOST_LOGS: Final = 1_000


class Explorer:
    """Etherscan in place of a node.

    Args:
        api: of the session.
        key: of the person's.
        url: of the API.
        chain_id: of the chain that is asked about.
    """

    def __init__(self, api: Api, key: str, url: str = ETHERSCAN, chain_id: int = MAINNET) -> None:
        self._api = api
        self._key = key
        self._url = url
        self._chain_id = chain_id
        self._round = 0

    def again(self) -> None:
        """As :meth:`~verifaible.crypto.chain.node.Node.again`."""
        self._round += 1

    async def ask(self, calls: Sequence[Call]) -> list[Told]:
        """As :meth:`~verifaible.crypto.chain.node.Node.ask`."""
        told = []
        for call in calls:
            try:
                told.append(await self._asked(call))
            except PageBlocked:
                raise
            except (PageError, DataNotAvailable) as error:
                told.append(Told(None, fault=error))
        return told

    async def _asked(self, call: Call) -> Told:
        query = {"chainid": str(self._chain_id), **_query(call)}
        if self._round:
            query["round"] = str(self._round)  # an equal request would be answered from the session's memory
        await self._api.sleep(_PAUSE_S)
        answer = await self._api.get(PROVIDER, self._url, query, secret_query={"apikey": self._key})
        result = at(answer.data, ("result",))
        if text_at(answer.data, ("message",)) == "NOTOK":
            raise PageNotLoaded(f"Etherscan refused a call: {str(result)[:200]}. Ask for less, or later.")
        if call.method == "eth_getLogs" and isinstance(result, list) and len(result) >= _MOST_LOGS:
            raise PageNotLoaded("Etherscan gives no more logs in one answer. Ask for fewer blocks.")
        return Told(answer, ("result",))


def _query(call: Call) -> Mapping[str, str]:
    """The parameters of a call.

    Raises:
        DataNotAvailable: Etherscan does not answer this one.
    """
    params = call.params
    if call.method == "eth_getLogs":
        wanted = params[0]
        return {
            "module": "logs",
            "action": "getLogs",
            "fromBlock": str(int(wanted["fromBlock"], 16)),
            "toBlock": str(int(wanted["toBlock"], 16)),
            "address": wanted["address"],
            "topic0": wanted["topics"][0],
            "page": "1",
            "offset": str(_MOST_LOGS),
        }
    proxy = {"module": "proxy", "action": call.method}
    if call.method == "eth_getBlockByNumber":
        return {**proxy, "tag": params[0], "boolean": "true" if params[1] else "false"}
    if call.method == "eth_call":
        return {**proxy, **params[0], "tag": params[1]}
    if call.method in ("eth_getCode", "eth_getTransactionCount"):
        return {**proxy, "address": params[0], "tag": params[1]}
    raise DataNotAvailable(
        f"Etherscan does not answer {call.method} as of a block. Set a node (VERIFAIBLE_ETH_RPC)."
    )
