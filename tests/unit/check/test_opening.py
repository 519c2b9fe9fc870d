"""Sources opened at the places of an executor: in their order, and one line each, whatever is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from tests.unit.runs.losing import Losing
from verifaible.check.cache import Cache
from verifaible.check.sources import Opener
from verifaible.errors import StoreError
from verifaible.evidence.seal import Opened
from verifaible.runs.executor import Executor, Local, Opening
from verifaible.schema.analyst import Source
from verifaible.schema.checked import CheckedSource
from verifaible.store.store import Store

SOURCES = [Source(id=str(n), kind="page", url=f"https://{n}.example/", capture="") for n in range(1, 9)]
LABELS = {each.id: f"[{each.id}]" for each in SOURCES}


class Sites:
    """Opens what does not exist: the later ones first; the third is gone, the fifth may be another time."""

    async def opened(self, base: CheckedSource) -> tuple[CheckedSource, Opened | None]:
        await asyncio.sleep(0.001 * (9 - int(base.id)))
        state = {"3": "gone", "5": "error"}.get(base.id, "blocked")
        return base.model_copy(update={"state": state, "said": f"of {base.url}"}), None


@asynccontextmanager
async def sites() -> AsyncIterator[Sites]:
    yield Sites()


def losing(*lost: int) -> Callable[[Opening], Losing]:
    return lambda opening: Losing(opening, 3, frozenset(lost))


async def opened(executor: Executor, folder: Path) -> tuple[list[CheckedSource], list[str]]:
    """The sources as they were told, and the addresses of which a line is kept."""
    file = folder / "checked.jsonl"
    told: list[int] = []
    store = Store(folder / "store")
    async with executor as places:
        opener = Opener(places, store, Cache(file, "s"), "live", timedelta(hours=1))
        found = await opener.open_all(SOURCES, LABELS, lambda done, _: told.append(done))
    assert told == list(range(1, 9))
    return [state for state, _ in found], sorted(file.read_text().splitlines())


async def test_what_was_lost_is_opened_again_and_kept_once(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    states, lines = await opened(Local(sites, 4), tmp_path / "here")
    assert [each.id for each in states] == [each.id for each in SOURCES]
    assert [each.label for each in states] == list(LABELS.values())
    assert len(lines) == len(SOURCES) - 1  # what may be otherwise a minute later is not kept
    for number, lost in enumerate([(1,), (2, 3, 4), (6, 7, 10)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        executor = losing(*lost)(sites)
        assert (await opened(executor, folder))[0] == states
        assert len(executor.calls) == len(SOURCES) + len(lost)
        kept = (folder / "checked.jsonl").read_text().splitlines()
        assert len(kept) == len(lines)


async def test_what_is_kept_needs_no_place(tmp_path: Path) -> None:
    states, _ = await opened(Local(sites, 4), tmp_path)
    executor = losing()(sites)
    assert (await opened(executor, tmp_path))[0] == states
    assert executor.calls == ["opened"]  # only the one that may be otherwise now


async def test_a_store_that_cannot_be_written_ends_the_check(tmp_path: Path) -> None:
    class Full(Sites):
        async def opened(self, base: CheckedSource) -> tuple[CheckedSource, Opened | None]:
            raise StoreError("The disk is full.")

    @asynccontextmanager
    async def full() -> AsyncIterator[Full]:
        yield Full()

    with pytest.raises(StoreError, match="full"):
        await opened(Local(full, 4), tmp_path)
