"""Replaying as a person does: one citation or all, watched, stopped, and without a network."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.browser.bench_process import environment
from tests.browser.citing import Bench, pdf
from tests.browser.conftest import REPOSITORY, Site, serving
from tests.browser.test_bench_offline import LISTENING, in_net_log
from tests.command_line import run_command
from tests.kit.marks import nightly
from tests.unit.evidence import samples
from verifaible.browser.chromium.launch import find_browser
from verifaible.browser.page import watched
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import Marking, paint
from verifaible.browser.warm import Browser
from verifaible.cli import verify as replaying
from verifaible.cli.verify import until_closed
from verifaible.config import Settings
from verifaible.errors import BrowserMissing, InfrastructureError, VerifaibleError
from verifaible.evidence import viewing
from verifaible.evidence.replay import recheck, replay
from verifaible.evidence.viewing import Viewing
from verifaible.net.web import Web
from verifaible.rechecks import Looker, Replays, replay_many
from verifaible.runs.executor import Local
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.store.store import Store

FILLER = "<p>Other words that fill the page stand in this place, and say nothing of the rate.</p>"
PAGE = f"<h1>Report</h1><p>In February the rate was 5.33% in Shanghai.</p>{FILLER * 6}"
QUOTE = "the rate was 5.33%"
TABLE = "<table><tr><th>City</th><th>Rate</th></tr><tr><td>Shanghai</td><td>5.33</td></tr></table>"
CHINESE = f"<h1>统计公报</h1><p>2025年末全国人口140489万人，比上年末减少339万人。</p>{FILLER}"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


@pytest.fixture(scope="module")
def standing() -> Iterator[Site]:
    with serving() as kept:
        yield kept


@pytest.fixture
def site(standing: Site) -> Iterator[Site]:
    """The site of all tests; what a test changes is put back."""
    pages = dict(standing.pages)
    standing.seen.clear()
    yield standing
    standing.pages = pages


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def cited(
    standing: Site,
    tmp_path_factory: pytest.TempPathFactory,
    settings: Settings,
    live_web: Web,
    browser: Browser,
) -> tuple[Path, list[Citation]]:
    """A store with a text, a table cell behind a click that loads data, and a passage of a PDF."""
    bench = Bench(tmp_path_factory.mktemp("three"), settings, live_web, browser)
    standing.file("/rate.json", "application/json", '{"rate": "5.33"}')
    loading = (
        f"<h1>Rates</h1>{FILLER}<button onclick=\"fetch('/rate.json').then(r => r.json()).then(d => "
        "document.querySelector('td').textContent = d.rate)\">Load</button>"
        "<table><tr><th>City</th><th>Rate</th></tr><tr><th>Shanghai</th><td></td></tr></table>"
    )
    report = standing.file("/a.pdf", "application/pdf", pdf("Cover", "Net assets were 5.33 million."))
    citations = [
        await bench.cite(standing.html("/page", PAGE), quote=QUOTE),
        await bench.cite(
            standing.html("/rates", loading),
            [{"type": "click", "elementText": "Load"}],
            evidence_type="table",
            row=("Shanghai",),
            column=("Rate",),
        ),
        await bench.cite(report, evidence_type="pdf", quote="Net assets were 5.33 million"),
    ]
    bench.store.close()
    return bench.folder, citations


@pytest.fixture
def three(cited: tuple[Path, list[Citation]], bench: Bench) -> list[Citation]:
    """Those three, in a store that the test may change."""
    shutil.copytree(cited[0], bench.folder)
    bench.store = bench.collector.store = Store(bench.folder)
    return cited[1]


async def replay_all(
    bench: Bench, browser: Browser, *, live: bool = False, concurrency: int = 4, **options: Any
) -> Replays:
    looker = Looker(bench.store, browser, bench.settings, live=live)
    places = Local(lambda: nullcontext(looker), concurrency)
    return await replay_many(bench.store, places, bench.settings, live=live, **options)


@pytest.mark.nightly
async def test_one_without_its_capture_stops_no_other(
    bench: Bench, three: list[Citation], offline_browser: Browser
) -> None:
    lost, *others = three
    bench.capture_path(lost).unlink()
    done = await replay_all(bench, offline_browser)
    assert (done.counts, done.ok) == ({"verified": 2, "error": 1}, False)
    last = bench.store.checks(lost.id)[-1]
    assert (last.verdict, "missing" in last.message) == ("error", True)
    assert [bench.store.checks(each.id)[-1].verdict for each in others] == ["verified"] * 2


@pytest.mark.nightly
async def test_all_against_the_web_of_today(site: Site, bench: Bench, three: list[Citation]) -> None:
    site.html("/page", PAGE.replace("5.33", "5.38"))
    del site.pages["/a.pdf"]
    checks: list[Check] = []
    done = await replay_all(bench, bench.browser, live=True, watch=lambda check, _: checks.append(check))
    assert done.counts == {"changed": 1, "gone": 1, "verified": 1}
    assert {check.kind for check in checks} == {"live"}


async def test_a_browser_that_cannot_start_is_no_verdict(
    bench: Bench, three: list[Citation], tmp_path: Path
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    settings = bench.settings.model_copy(update={"browser": str(broken)})
    async with Browser(settings, offline=True) as offline:
        with pytest.raises(InfrastructureError, match="did not start"):
            await replay_all(bench, offline)
    assert [[check.kind for check in bench.store.checks(each.id)] for each in three] == [["self"]] * 3


# --- as a program


def run(
    store: Path, *arguments: str, program: tuple[str, ...] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    command = program or (sys.executable, "-m", "verifaible.cli")
    return subprocess.run(
        [*command, "replay", *arguments],
        cwd=REPOSITORY,
        env=environment(store, **variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


async def test_lines_counts_and_status_of_all(bench: Bench, three: list[Citation]) -> None:
    citations = three
    bench.capture_path(citations[0]).unlink()
    done = await asyncio.to_thread(
        run_command,
        ["replay", "--all", "--concurrency", "2"],
        environment=environment(bench.folder),
        folder=REPOSITORY,
    )
    assert done.returncode == 1, done.stderr
    *lines, summary = done.stdout.splitlines()
    assert {tuple(line.split("\t")[:2]) for line in lines} == {
        ("error", citations[0].id),
        ("verified", citations[1].id),
        ("verified", citations[2].id),
    }
    assert summary == "3 of 3 replayed: 2 verified, 1 error"
    assert done.stderr == ""  # how far it is stands only on a terminal
    as_json = await asyncio.to_thread(
        run_command,
        ["replay", "--all", "--json", "--since", "2999-01-01"],
        environment=environment(bench.folder),
        folder=REPOSITORY,
    )
    assert as_json.returncode == 0
    assert json.loads(as_json.stdout)["summary"]["asked"] == 0
    assert "There is no citation to replay" in as_json.stderr


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="has no such terminals")
async def test_a_terminal_shows_how_far_it_is(site: Site, bench: Bench) -> None:
    import pty

    await bench.cite(site.html("/page", PAGE), quote=QUOTE)
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "verifaible.cli", "replay", "--all"),
        cwd=REPOSITORY,
        env=environment(bench.folder),
        stdout=asyncio.subprocess.PIPE,
        stderr=slave,
    )
    os.close(slave)

    def seen() -> str:
        shown = b""
        while True:
            try:
                shown += os.read(master, 4096)
            except OSError:  # nobody writes to it any more
                return shown.decode(errors="replace")

    shown, (out, _) = await asyncio.wait_for(
        asyncio.gather(asyncio.to_thread(seen), process.communicate()), 300
    )
    os.close(master)
    assert "Replaying" in shown
    assert "1/1" in shown
    assert out.decode().splitlines()[-1] == "1 of 1 replayed: 1 verified"


@pytest.mark.nightly
@pytest.mark.slow
async def test_a_stopped_run_keeps_what_it_did(bench: Bench, three: list[Citation]) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-u", "-m", "verifaible.cli", "replay", "--all", "--concurrency", "1"),
        cwd=REPOSITORY,
        env=environment(bench.folder),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    first = (await asyncio.wait_for(process.stdout.readline(), 300)).decode()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the browser gets it too
    out, errors = await asyncio.wait_for(process.communicate(), 300)
    said = errors.decode()
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert "their checks are kept" in said
    told = [line.split("\t") for line in (first + out.decode()).splitlines()]
    store = Store(bench.folder)
    replayed = {each.id for each in three if len(store.checks(each.id)) > 1}
    assert replayed == {line[1] for line in told}
    assert {line[0] for line in told} == {"verified"}, "what was under way when it stopped is no error"
    assert len(replayed) < len(three)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [nightly("latest"), "--all"])
async def test_a_replay_makes_no_connection(
    site: Site, bench: Bench, three: list[Citation], tmp_path: Path, arguments: str
) -> None:
    """Heard in Python and in Chromium's own network log; its counterpart is in test_bench_offline."""
    python_log, net_log = tmp_path / "python.log", tmp_path / "net.json"
    done = await asyncio.to_thread(
        run,
        bench.folder,
        *arguments.split(),
        program=(sys.executable, "-c", LISTENING, str(python_log)),
        VERIFAIBLE_BROWSER_ARGS=f"--log-net-log={net_log}",
    )
    assert done.returncode == 0, done.stderr
    assert not python_log.exists(), python_log.read_text()
    assert in_net_log(net_log) == []
    assert site.seen == []
    if arguments == "--all":
        assert done.stdout.splitlines()[-1] == "3 of 3 replayed: 3 verified"
        store = Store(bench.folder)
        assert [[check.kind for check in store.checks(each.id)] for each in three] == [
            ["self", "offline"]
        ] * 3
        assert store.custody.faults() == []


# --- looking on


@dataclass
class Looking:
    """A window that nobody sees: what was painted in it, and how often it was left open."""

    marks: list[Marking] = field(default_factory=list)
    lingered: int = 0

    async def paint(self, session: PageSession, marking: Marking) -> bool:
        self.marks.append(marking)
        return await paint(session, marking)

    async def linger(self, page: object) -> None:
        self.lingered += 1


@pytest.fixture
def looking(monkeypatch: pytest.MonkeyPatch) -> Looking:
    found = Looking()
    monkeypatch.setattr(viewing, "paint", found.paint)
    return found


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("changed", "verdict", "marked"),
    [
        (PAGE, "verified", [True]),
        (f"<h1>Report</h1>{FILLER * 6}", "gone", [True]),  # what comes nearest
        (f"<h1>Bulletin</h1><p>{'Quarterly dividends doubled. ' * 9}</p>", "gone", [False]),
        ("<h1>Verify you are human</h1>", "blocked", []),
        (None, "gone", []),
    ],
)
async def test_every_end_is_shown(
    site: Site, bench: Bench, looking: Looking, changed: str | None, verdict: str, marked: list[bool]
) -> None:
    citation = await bench.cite(site.html("/page", PAGE), quote=QUOTE)
    if changed is None:
        del site.pages["/page"]
    else:
        site.html("/page", changed)
    check = await recheck(
        citation, bench.store, bench.browser, bench.settings, observer=Viewing(looking.linger)
    )
    assert (check.verdict, looking.lingered) == (verdict, 1)
    assert [bool(each.boxes or (each.words and each.words.counts)) for each in looking.marks] == marked


@pytest.mark.nightly
async def test_the_page_of_a_pdf_is_shown_marked(
    site: Site, bench: Bench, three: list[Citation], looking: Looking
) -> None:
    site.file("/a.pdf", "application/pdf", pdf("Cover", "New", "Net assets were 5.35 million."))
    check = await recheck(
        three[2], bench.store, bench.browser, bench.settings, observer=Viewing(looking.linger)
    )
    assert (check.verdict, looking.lingered) == ("changed", 1)
    assert [len(each.boxes) for each in looking.marks] == [1]


@pytest.mark.nightly
async def test_looking_on_changes_nothing_of_a_check(site: Site, bench: Bench, looking: Looking) -> None:
    citation = await bench.cite(site.html("/page", PAGE), quote=QUOTE)
    plain, watched = [
        await replay(citation, bench.store, bench.browser, bench.settings, observer=observer)
        for observer in (None, Viewing(looking.linger))
    ]
    fields = {"at", "duration_s"}
    assert plain.model_dump(exclude=fields) == watched.model_dump(exclude=fields)
    assert looking.lingered == 1


# --- in a window


def window_browser() -> str:
    """A whole Chromium, which can be told to show its window to nobody."""
    try:
        return str(find_browser(Settings(browser=""), "", headed=True).path)
    except VerifaibleError:
        return ""


@pytest.mark.nightly
def test_a_window_needs_a_screen(tmp_path: Path) -> None:
    citation = samples.add(Store(tmp_path / "store"))
    done = run(tmp_path / "store", citation.id, "--headed", DISPLAY="", WAYLAND_DISPLAY="")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("There is no screen for a browser window")
    assert "Traceback" not in done.stderr


@pytest.mark.nightly
async def test_a_window_is_shown_marked_and_closed(
    bench: Bench, three: list[Citation], monkeypatch: pytest.MonkeyPatch
) -> None:
    chromium = window_browser()
    if not chromium:
        pytest.skip("there is only a headless shell here")
    monkeypatch.setenv("DISPLAY", ":none")  # nobody looks: the window is drawn nowhere
    _, table, _ = three
    settings = bench.settings.model_copy(update={"browser": chromium, "browser_args": ("--headless=new",)})
    marked: list[bool] = []

    async def linger(page: object) -> None:
        assert not page.is_closed()  # type: ignore[attr-defined]
        marked.append(await page.evaluate("document.documentElement.lastElementChild.tagName") == "DIV")  # type: ignore[attr-defined]

    async with Browser(settings, offline=True, headed=True, slow_ms=50) as window:
        check = await replay(table, bench.store, window, settings, observer=Viewing(linger))
    assert (check.verdict, marked) == ("verified", [True])


@pytest.mark.nightly
async def test_a_window_stays_until_it_is_closed_or_a_key_is_pressed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, press = os.pipe()
    async with bench.browser.page(bench.web) as session:
        with os.fdopen(keys) as keyboard, os.fdopen(press, "w") as finger:
            monkeypatch.setattr(sys, "stdin", keyboard)
            waiting = asyncio.create_task(until_closed(session.page, by_hand=True))
            await session.page.evaluate("1")  # time passes
            assert not waiting.done()
            finger.write("\n")
            finger.flush()
            await asyncio.wait_for(waiting, 60)
            assert not session.page.is_closed()
            waiting = asyncio.create_task(until_closed(session.page, by_hand=True))
            await session.page.evaluate("1")
            assert not waiting.done()
            await session.page.close()
            await asyncio.wait_for(waiting, 60)


@pytest.mark.nightly
async def test_a_window_that_nobody_can_close_closes_itself(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "SHOWN_S", 0.01)
    async with bench.browser.page(bench.web) as session:
        await asyncio.wait_for(until_closed(session.page, by_hand=False), 60)
        assert not session.page.is_closed()


@pytest.mark.nightly
def test_a_headless_shell_has_no_window(tmp_path: Path) -> None:
    shell = tmp_path / "chromium-headless-shell"
    shell.write_text("")
    with pytest.raises(BrowserMissing, match="cannot show a window"):
        find_browser(Settings(browser=str(shell)), "", headed=True)
    assert find_browser(Settings(browser=str(shell)), "").path == shell
