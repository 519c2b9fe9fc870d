"""The same client without ``await``: each method forwards to the asynchronous one, on a loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, Literal, ParamSpec, Self, TypeVar, cast

from verifaible.client import Verifaible as Client
from verifaible.config import Settings
from verifaible.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")


def _waiting(
    method: Callable[Concatenate[Client, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Verifaible, P], T]:
    """The method of the same name that waits for what the asynchronous one gives."""

    @wraps(method)
    def forwarded(self: Verifaible, /, *arguments: P.args, **named: P.kwargs) -> T:
        return self._runner.run(method(self._client, *arguments, **named))

    return cast("Callable[Concatenate[Verifaible, P], T]", forwarded)


class Verifaible:
    """A :class:`verifaible.Verifaible` for programs without asyncio; a context manager.

    Args:
        settings: limits, paths, keys; default: what the environment says.
        web: ``live`` or ``offline``.

    Raises:
        ConfigError: as of the asynchronous client.
    """

    def __init__(self, settings: Settings | None = None, *, web: Literal["live", "offline"] = "live") -> None:
        self._client = Client(settings, web=web)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.run(self._client.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._runner.run(self._client.__aexit__(kind, error, trace))
        finally:
            self._runner.close()

    @property
    def settings(self) -> Settings:
        """The settings in use."""
        return self._client.settings

    @property
    def store(self) -> Store:
        """The evidence store."""
        return self._client.store

    cite = _waiting(Client.cite)
    cite_table = _waiting(Client.cite_table)
    seal = _waiting(Client.seal)
    check = _waiting(Client.check)
    ask = _waiting(Client.ask)
    verify = _waiting(Client.verify)
    verify_all = _waiting(Client.verify_all)
    replay = _waiting(Client.replay)
    replay_all = _waiting(Client.replay_all)
    watch = _waiting(Client.watch)
    list = _waiting(Client.list)
    show = _waiting(Client.show)
    export = _waiting(Client.export)
    import_ = _waiting(Client.import_)
    delete = _waiting(Client.delete)
    reindex = _waiting(Client.reindex)
    rotate_key = _waiting(Client.rotate_key)
    keys = _waiting(Client.keys)
    head = _waiting(Client.head)
    stamp = _waiting(Client.stamp)
    stamps = _waiting(Client.stamps)
    bench = _waiting(Client.bench)
    run_bench = _waiting(Client.run_bench)
    bench_report = _waiting(Client.bench_report)
    bench_compare = _waiting(Client.bench_compare)
    bench_rescore = _waiting(Client.bench_rescore)
    bench_accept = _waiting(Client.bench_accept)
    bench_export = _waiting(Client.bench_export)
    bench_grade = _waiting(Client.bench_grade)
    bench_new = _waiting(Client.bench_new)
    bench_check = _waiting(Client.bench_check)
