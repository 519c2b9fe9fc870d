"""Replaying many: failures, restarts and stops, with replays that a test writes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from time import monotonic
from typing import Any, Self
from urllib.parse import urlsplit

import pytest

from tests.unit.evidence import samples
from verifaible import rechecks as recheck
from verifaible.config import Settings
from verifaible.errors import BrowserMissing, InfrastructureError, IntegrityError, StoreError, needing
from verifaible.evidence.audit import record
from verifaible.rechecks import Due, Looker, Replays, chosen, replay_many
from verifaible.runs.executor import Executor, Local
from verifaible.schema.anchor import Shown
from verifaible.schema.check import Check, IndexRow
from verifaible.schema.citation import Citation
from verifaible.store.sealed import citation_file
from verifaible.store.store import Store


class FakeBrowser:
    """A browser that started; nothing else of it is used."""

    version = "1.0"


class Run:
    """A store of some citations, replayed by what ``act`` does."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, count: int = 5) -> None:
        self.store = Store(folder / "store")
        self.citations = [samples.add(self.store, f"claim {number}") for number in range(count)]
        self.act: Callable[[Citation], Check] = samples.check
        self.browser = FakeBrowser()
        self.at_once = self.most_at_once = 0
        self.meeting: asyncio.Barrier | None = None
        self.at: Callable[[Executor], Executor] = lambda places: places
        monkeypatch.setattr(recheck, "replay", self._replay)
        monkeypatch.setattr(recheck, "recheck", self._recheck)

    async def _replay(self, citation: Citation, *given: object) -> Check:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.meeting is not None:
                await asyncio.wait_for(self.meeting.wait(), 60)
            else:
                await asyncio.sleep(0)
            return self.act(citation)
        finally:
            self.at_once -= 1

    async def _recheck(self, citation: Citation, *given: object, **named: object) -> Check:
        return await self._replay(citation)

    async def all(
        self, concurrency: int = 4, live: bool = False, delay_s: float = 0, **options: Any
    ) -> Replays:
        settings = Settings(host_delay_s=delay_s)
        looker = Looker(self.store, self.browser, settings, live=live)  # type: ignore[arg-type]
        places = self.at(Local(lambda: nullcontext(looker), concurrency))
        return await replay_many(self.store, places, settings, live=live, **options)

    def histories(self) -> list[int]:
        return [len(self.store.checks(each.id)) for each in self.citations]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return Run(tmp_path, monkeypatch)


async def test_every_check_is_kept_and_counted(run: Run) -> None:
    seen: list[tuple[str, int]] = []
    done = await run.all(watch=lambda check, asked: seen.append((check.citation_id, asked)))
    assert (done.asked, done.checked, done.counts, done.ok) == (5, 5, {"verified": 5}, True)
    assert sorted(seen) == sorted((each.id, 5) for each in run.citations)
    assert run.histories() == [1] * 5
    assert run.store.custody.faults() == []
    # one entry names them all
    assert run.store.custody.count() == 6


async def test_so_many_at_once_and_live_one_of_a_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, monkeypatch, count=6)
    run.meeting = asyncio.Barrier(3)  # nobody goes on before three have come
    assert (await run.all(concurrency=3)).counts == {"verified": 6}
    assert run.most_at_once == 3
    run.meeting, run.most_at_once = None, 0
    assert (await run.all(concurrency=3, live=True)).counts == {"verified": 6}
    assert run.most_at_once == 1


async def test_a_failure_is_one_error_and_stops_no_other(run: Run) -> None:
    (run.store.files.folder / citation_file(run.citations[1].id)).unlink()  # type: ignore[union-attr]
    lost, strange = run.citations[2].id, run.citations[3].id

    def act(citation: Citation) -> Check:
        if citation.id == lost:
            raise IntegrityError("The capture is missing. Restore it.")
        if citation.id == strange:
            raise ZeroDivisionError("by zero")
        return samples.check(citation)

    run.act = act
    checks: dict[str, Check] = {}
    done = await run.all(watch=lambda check, _: checks.__setitem__(check.citation_id, check))
    assert (done.counts, done.ok) == ({"error": 3, "verified": 2}, False)
    assert "is missing" in checks[run.citations[1].id].message
    assert checks[lost].message == "The capture is missing. Restore it."
    assert checks[strange].message.startswith("Unexpected ZeroDivisionError: by zero")
    assert run.histories() == [1] * 5


async def test_evidence_that_needs_what_is_not_installed_is_an_error_and_stops_no_other(run: Run) -> None:
    document = run.citations[1].id

    def act(citation: Citation) -> Check:
        if citation.id == document:
            with needing("pdf", "Reading PDF files"):
                raise ModuleNotFoundError("No module named 'pymupdf'", name="pymupdf")
        return samples.check(citation)

    run.act = act
    checks: dict[str, Check] = {}
    done = await run.all(watch=lambda check, _: checks.__setitem__(check.citation_id, check))
    assert (done.checked, done.counts) == (5, {"verified": 4, "error": 1})
    assert 'pip install "verifaible[pdf]"' in checks[document].message
    assert run.histories() == [1] * 5


async def test_a_browser_that_dies_is_tried_once_more(run: Run) -> None:
    tries: list[str] = []

    def act(citation: Citation) -> Check:
        tries.append(citation.id)
        if len(tries) == 1 or len(tries) > 5:  # once the first, always the last
            raise InfrastructureError("The browser died. Try again.")
        return samples.check(citation)

    run.act = act
    done = await run.all(concurrency=1)
    assert done.counts == {"verified": 4, "error": 1}
    assert len(tries) == 5 + 2
    assert tries[0] == tries[1]


async def test_without_a_browser_nothing_is_an_error_of_a_citation(run: Run) -> None:
    def never(citation: Citation) -> Check:
        raise InfrastructureError("It did not start.")

    run.browser.version = ""
    run.act = never
    with pytest.raises(InfrastructureError, match="did not start"):
        await run.all()

    def missing(citation: Citation) -> Check:
        raise BrowserMissing("No Chromium was found.")

    run.act = missing
    with pytest.raises(BrowserMissing):
        await run.all()
    assert run.histories() == [0] * 5


async def test_a_worker_without_a_browser_is_one_that_is_lost(run: Run) -> None:
    """The first that answers has none: its citation is looked at by another, and so are all."""
    tries: list[str] = []

    def act(citation: Citation) -> Check:
        tries.append(citation.id)
        run.browser.version = "" if len(tries) in (1, 4) else "1.0"
        if not run.browser.version:
            raise InfrastructureError("It did not start.")
        return samples.check(citation)

    run.act = act
    assert (await run.all(concurrency=1)).counts == {"verified": 5}
    assert len(tries) == 5 + 2


async def test_a_stop_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(tmp_path, monkeypatch, count=4)
    task: asyncio.Task[Replays] | None = None
    seen: list[str] = []

    def stop(check: Check, _: int) -> None:
        seen.append(check.citation_id)
        if len(seen) == 2:
            assert task is not None
            task.cancel()

    task = asyncio.create_task(run.all(concurrency=1, watch=stop))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(seen) == 2
    assert run.histories() == [int(each.id in seen) for each in run.citations]
    assert run.store.custody.faults() == []


async def test_a_stop_keeps_what_was_about_to_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recheck, "BATCH", 2)
    run = Run(tmp_path, monkeypatch, count=4)
    loop, written = asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    seen: list[str] = []

    def stop(check: Check, _: int) -> None:
        seen.append(check.citation_id)
        if len(seen) == 2:
            loop.run_in_executor(None, written.wait, 20)  # all threads are at work
            loop.call_later(0.05, task.cancel)

    task = asyncio.create_task(run.all(concurrency=1, watch=stop))
    with pytest.raises(asyncio.CancelledError):
        await task
    written.set()
    assert run.histories() == [int(each.id in seen) for each in run.citations]


async def test_checks_are_written_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recheck, "BATCH", 2)
    run = Run(tmp_path, monkeypatch)
    await run.all(concurrency=1)
    assert run.histories() == [1] * 5
    assert run.store.custody.count() == 5 + 3


async def test_what_could_not_be_written_is_written_later(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recheck, "BATCH", 2)
    add, tries = run.store.add_checks, 0

    def away_at_first(checks: Sequence[Check]) -> None:
        nonlocal tries
        tries += 1
        add(checks[: 1 if tries == 1 else None])
        if tries == 1:
            raise StoreError("The bucket is away.")  # with a part of them written

    monkeypatch.setattr(run.store, "add_checks", away_at_first)
    assert (await run.all(concurrency=1)).unrecorded == ""
    assert run.histories() == [1] * 5
    assert run.store.custody.faults() == []
    tried: list[int] = []
    monkeypatch.setattr(run.store, "add_checks", partial(_away, tried))
    assert "bucket is away" in (await run.all(concurrency=1)).unrecorded
    assert run.histories() == [1] * 5
    assert tried == [2, 4, 5]  # not once more for each check


def _away(tried: list[int], checks: Sequence[Check]) -> None:
    tried.append(len(checks))
    raise StoreError("The bucket is away.")


async def test_only_those_of_a_day(run: Run) -> None:
    newest = max(each.created_at for each in run.citations)
    assert (await run.all(since=newest + timedelta(days=1))).asked == 0
    assert (await run.all(since=newest)).asked >= 1


async def test_a_host_is_asked_in_turns_and_holds_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, monkeypatch, count=0)
    hosts = ("a.example", "b.example", "c.example")
    for number in range(9):
        samples.add(run.store, f"claim {number}", url=f"https://{hosts[number % 3]}/{number}")
    begun: dict[str, list[float]] = {host: [] for host in hosts}

    def act(citation: Citation) -> Check:
        begun[urlsplit(citation.source_url).netloc].append(monotonic())
        return samples.check(citation)

    run.act = act
    assert (await run.all(live=True, concurrency=2, delay_s=1.0)).counts == {"verified": 9}
    for turns in begun.values():
        assert all(later - earlier >= 1.0 for earlier, later in pairwise(turns))
    # whoever waits for a host's turn takes no place from others
    assert all(turns[1] < max(each[2] for each in begun.values()) for turns in begun.values())
    assert any(later - earlier < 1.0 for earlier, later in pairwise(sorted(chain(*begun.values()))))


class Lossy:
    """Places at workers of which each is lost once, after its work and before it could say so."""

    def __init__(self, places: Executor) -> None:
        self._places = places
        self.at_once = places.at_once
        self.lost: list[object] = []

    async def __aenter__(self) -> Self:
        await self._places.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._places.__aexit__(*_)

    async def call(self, method: str, *arguments: Any) -> Any:
        given = await self._places.call(method, *arguments)
        if arguments not in self.lost:
            self.lost.append(arguments)
            raise InfrastructureError("A worker of the cluster was lost.")
        return given


async def test_what_a_lost_worker_had_done_is_done_again_and_written_once(run: Run) -> None:
    done: list[str] = []

    def act(citation: Citation) -> Check:
        done.append(citation.id)
        return samples.check(citation)

    run.act, run.at = act, Lossy
    assert (await run.all()).counts == {"verified": 5}
    assert len(done) == 10
    assert run.histories() == [1] * 5
    assert run.store.custody.faults() == []


async def test_a_run_that_was_killed_is_continued(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recheck, "BATCH", 2)
    due = Due(before=datetime.now(UTC))
    made: list[str] = []

    def act(citation: Citation) -> Check:
        made.append(citation.id)
        return samples.check(citation, at=datetime.now(UTC)).model_copy(update={"kind": "live"})

    def killed(check: Check, _: int) -> None:
        if len(made) == 4:
            monkeypatch.setattr(recheck, "record", lambda *_: "killed")  # nothing more is written
            raise RuntimeError("killed")

    run.act = act
    with pytest.raises(ExceptionGroup):
        await run.all(live=True, due=due, watch=killed)
    assert sum(run.histories()) == 2
    monkeypatch.setattr(recheck, "record", record)
    assert (await run.all(live=True, due=due)).checked == 3
    assert run.histories() == [1] * 5


def test_the_most_urgent_go_first() -> None:
    now = datetime(2026, 3, 31, tzinfo=UTC)

    def row(name: str, page: str, days: int) -> IndexRow:
        told = dict.fromkeys(("claim", "text", "title", "capture_sha256"), "") | {"shown": Shown()}
        return IndexRow.model_validate(
            {"id": name, "created_at": now - timedelta(days=days), "verdict": None, "checked_at": None}
            | told
            | {"source_url": page, "evidence_type": "text"}
        )

    rows = [
        row("new", "a", 1),
        row("old", "b", 20),
        row("one", "c", 12),
        row("two", "c", 11),
        row("late", "d", 9),
    ]
    due = Due(before=now - timedelta(days=7), limit=3)
    assert [each.id for each in chosen(rows, due, now)] == ["one", "two", "old"]
