"""A busy machine says the same: no verdict depends on how long a page stays open, or how slowly it is answered."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import pytest_asyncio

from tests.browser.bench_process import bench as run_bench
from tests.browser.citing import Bench
from tests.kit.dynamic_site import Asked, Reply, Trap, served, traps
from verifaible.browser.page.session import PageSession
from verifaible.browser.traffic import offline
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import VerifaibleError
from verifaible.evidence.replay import replay
from verifaible.evidence.verify import verify
from verifaible.net.web import Web
from verifaible.schema.citation import Citation
from verifaible.store.store import Store

#: At ten times the load nine others want each processor, too.
OTHERS = 9 * (os.cpu_count() or 1)
CITATIONS = 60
AT_ONCE = 4

_PAUSE = "const pause = (ms) => new Promise((done) => setTimeout(done, ms));"


def _page(name: str, script: str, quote: str, delays_s: dict[str, float] | None = None) -> tuple[Trap, str]:
    def answer(asked: Asked) -> Reply:
        delay_s = (delays_s or {}).get(asked.query.get("i", ""), 0.0)
        return Reply((asked.query.get("i", "7").encode(),), delay_s=delay_s)

    return Trap("time", name, _PAUSE + script, {"api/q": answer}), quote


#: Pages that go on by themselves, with what they show when they are cited.
PAGES = (
    _page(
        "slides, that count between answers",
        "let [slide, sum] = ['First', 0]; const put = () => only(`${slide} 5.33 of ${sum} units`);"
        "setTimeout(() => { slide = 'Second'; put() }, 3500);"
        "for (let i = 1; i < 9; i += 1) { await pause(80); sum += Number(await ask(`api/q?i=${i}`)); put() }",
        "First 5.33 of 36 units",
    ),
    _page(
        "asks once more",
        "show('It is ' + await ask('api/q') + '.25 units'); setTimeout(async () => {"
        "try { await ask('api/q?i=8'); only('Another state of things') } catch { only('Connection lost') } }, 4000)",
        "It is 7.25 units",
    ),
    _page(
        "short pauses",
        "for (let i = 0; i < 60; i += 1) await pause(8); show('It ended at 4,711 units')",
        "It ended at 4,711 units",
    ),
    _page(
        "the answer that comes last wins",
        "ask('api/q?i=5').then((it) => only('Last came ' + it + ' units')); await pause(200);"
        "ask('api/q?i=6').then((it) => only('Last came ' + it + ' units'))",
        "Last came 5 units",
        {"5": 0.6},
    ),
    _page(
        "a worker",
        "const source = 'let x = 0; for (let k = 0; k < 2e7; k += 1) x += k % 7; postMessage(89)';"
        "const worker = new Worker(URL.createObjectURL(new Blob([source])));"
        "worker.onmessage = (it) => show('The worker counted ' + it.data)",
        "The worker counted 89",
    ),
    _page(
        "a frame",
        "const frame = document.createElement('iframe'); frame.srcdoc = '<p id=q></p><script>setTimeout(() => {"
        "q.textContent = \"In it stand 27.5 units\" }, 300)<\\/script>'; document.body.append(frame)",
        "In it stand 27.5 units",
    ),
    _page(
        "a ticker beside",
        "show('Beside it stands 66.5'); const clock = document.createElement('p'); document.body.append(clock);"
        "setInterval(() => { clock.textContent = performance.now() }, 20)",
        "Beside it stands 66.5",
    ),
)  # fmt: skip


async def cited(bench: Bench, pages: Sequence[tuple[Trap, str]], most: int) -> None:
    """Cite of each page what it shows, until there are so many citations."""
    with served({str(place): trap for place, (trap, _) in enumerate(pages)}) as host:
        for place, (trap, quote) in enumerate(pages):
            if bench.store.count() >= most:
                return
            tries = 20 if trap.kind == "time" else 1  # one that goes on by itself may have gone on too far
            for last in (*(False,) * (tries - 1), True):
                try:
                    await bench.cite(f"{host}/{place}/", list(map(dict, trap.steps)), quote=quote)
                    break
                except VerifaibleError:
                    if last and trap.kind == "time":
                        raise


async def verdicts(store: Store, browser: Browser, settings: Settings) -> dict[str, tuple[str, ...]]:
    """What replaying and verifying each citation says."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(citation: Citation) -> tuple[str, ...]:
        async with places:
            check = await replay(citation, store, browser, settings)
            verified = (await asyncio.to_thread(verify, citation, store)).check
            return (citation.source_url, check.verdict, check.found, verified.verdict)

    citations = list(store.citations())
    said = await asyncio.gather(*map(one, citations))
    return {citation.id: each for citation, each in zip(citations, said, strict=True)}


@contextmanager
def busy() -> Iterator[None]:
    """The machine with ten times the load."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(OTHERS)]
    try:
        yield
    finally:
        for each in others:
            each.kill()
            each.wait()


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def slides(
    tmp_path_factory: pytest.TempPathFactory, settings: Settings, live_web: Web, browser: Browser
) -> Store:
    """A citation of the first page, for tests that only replay it."""
    bench = Bench(tmp_path_factory.mktemp("slides"), settings, live_web, browser)
    await cited(bench, PAGES[:1], 1)
    return bench.store


@pytest.mark.nightly
async def test_a_page_that_stays_open_for_long_and_is_answered_late_shows_the_same(
    slides: Store, offline_browser: Browser, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate, answered = PageSession.evaluate, offline._fulfil

    async def late(*arguments: Any, **options: Any) -> Any:
        await asyncio.sleep(0.3)
        return await evaluate(*arguments, **options)

    async def answered_late(*arguments: Any) -> None:
        await asyncio.sleep(0.25)
        await answered(*arguments)

    monkeypatch.setattr(PageSession, "evaluate", late)
    monkeypatch.setattr(offline, "_fulfil", answered_late)
    began = monotonic()
    (said,) = (await verdicts(slides, offline_browser, settings)).values()
    assert monotonic() - began > 3.5  # the second slide's turn
    assert said[1:] == ("verified", "First 5.33 of 36 units", "verified")


async def test_a_limit_that_ends_is_an_error_and_nothing_else(
    slides: Store, offline_browser: Browser, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurried = settings.model_copy(update={"page_timeout_s": 0.01})
    monkeypatch.setattr(offline_browser, "_settings", hurried)
    (said,) = (await verdicts(slides, offline_browser, settings)).values()
    assert said[1] == "error"


@pytest.mark.nightly
@pytest.mark.slow
async def test_sixty_citations_at_ten_times_the_load(
    bench: Bench, offline_browser: Browser, settings: Settings, tmp_path: Path
) -> None:
    await asyncio.to_thread(run_bench, tmp_path, "--model", "oracle")
    oracle = Store(tmp_path / "store")
    bench.store = bench.collector.store = oracle
    pages = [(trap, "5.12") for trap in traps() if trap.kind in ("JSONP", "cache-buster")]
    pages += [(trap, "rate of Chur") for trap in traps() if trap.kind == "bodies"]
    await cited(bench, (*PAGES, *pages), CITATIONS)
    alone = await verdicts(oracle, offline_browser, settings)
    with busy():
        loaded = await verdicts(oracle, offline_browser, settings)
    assert len(alone) == CITATIONS
    assert {"verified"} == {each[1] for each in alone.values()}
    assert loaded == alone
