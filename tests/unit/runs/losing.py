"""An executor whose workers are lost now and then, before or after the work is done."""

from __future__ import annotations

from typing import Any

from verifaible.errors import InfrastructureError
from verifaible.runs.executor import Local, Opening


class Losing(Local):
    """Of the calls that are counted, those that ``lost`` names come to nothing: the even ones once done.

    Attributes:
        calls: the methods that were called, in order.
    """

    def __init__(self, opening: Opening, at_once: int, lost: frozenset[int] = frozenset()) -> None:
        super().__init__(opening, at_once)
        self.lost = lost
        self.calls: list[str] = []

    async def call(self, method: str, *arguments: Any) -> Any:
        self.calls.append(method)
        number = len(self.calls)
        lost = number in self.lost
        if lost and number % 2:
            raise InfrastructureError("A worker of the cluster was lost.")
        done = await super().call(method, *arguments)
        if lost:
            raise InfrastructureError("A worker of the cluster was lost.")
        return done
