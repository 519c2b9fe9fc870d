"""A viewer for tests: served over real HTTP, read in a real Chromium, looked over by axe-core."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, async_playwright

from tests.command_line import run_command
from tests.shared import made_once
from tests.unit.bench.samples import REPOSITORY
from verifaible.access import address_of, listen
from verifaible.browser.chromium.launch import find_browser
from verifaible.config import Settings
from verifaible.viewer.app import create_app
from verifaible.viewer.chat_turns import Analyst

#: Set it for screenshots of the pages that the tests look at.
SCREENSHOTS = "VERIFAIBLE_SCREENSHOTS"
WIDE = {"width": 1200, "height": 900}
PHONE = {"width": 390, "height": 844}
_STARTED_S = 60


def house_in(home: Path) -> Settings:
    """An empty house on the committed cases and archives."""
    (home / "snapshots").mkdir(parents=True)
    (home / "cases").symlink_to(REPOSITORY / "cases")
    (home / "snapshots" / "sites").symlink_to(REPOSITORY / "snapshots" / "sites")
    return Settings(home=home)


#: Cases on real pages, a text and a table with steps.
CASES = ("cn_text_001", "cn_dynamic_002")
#: The other kinds of evidence, as a table for ``cite --from``.
CITED = '''url,quote,page,at,alt,claim
https://static.sse.com.cn/disclosure/listedinfo/announcement/c/new/2026-01-31/600916_20260131_P00R.pdf,郑州分公司负责人：李宗阳,1,,,The head of the Zhengzhou branch
https://www.youtube.com/watch?v=iG9CE55wbtY,"And the girl said, ""They will in a minute.""",,4:08,,What the girl said
https://www.stats.gov.cn/sj/zxfb/202601/t20260131_1962416.html,,,,图1　制造业PMI指数（经季节调整）,The index over a year
'''


def fill(home: Path) -> None:
    """Let the reference agent solve those cases in a new home, and cite what they do not."""
    house_in(home)
    (home / "cited.csv").write_text(CITED, encoding="utf-8")
    environment = {"PATH": "/usr/bin:/bin", "VERIFAIBLE_HOME": str(home)}
    for arguments in (
        ["cite", "--from", "cited.csv", "--web", "offline"],
        ["bench", "--model", "oracle", *(word for case in CASES for word in ("--case", case))],
    ):
        done = run_command(arguments, environment=environment, folder=home)
        assert done.returncode == 0, done.stdout + done.stderr


def filled_home(factory: pytest.TempPathFactory, home: Path) -> Settings:
    """A home with a run of the reference agent and a citation of each kind; a copy that the test may change."""
    shutil.copytree(made_once(factory, "filled", fill), home, symlinks=True)
    return Settings(home=home)


@contextmanager
def served(settings: Settings, token: str = "", answering: Analyst | None = None) -> Iterator[str]:
    """Serve the viewer from a thread; gives its address without a slash at the end."""
    listening = listen("127.0.0.1", 0)
    config = uvicorn.Config(
        create_app(settings, token=token, answering=answering), log_level="error", timeout_graceful_shutdown=3
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield address_of(listening, "")
    finally:
        server.should_exit = True
        thread.join(_STARTED_S)
        listening.close()


@asynccontextmanager
async def reading() -> AsyncIterator[Browser]:
    """A Chromium of a reader's, with nothing of ours in it."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_browser(Settings(), playwright.chromium.executable_path).path,
            args=["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
        )
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def reader(
    chromium: Browser, address: str, *, forgiven: str = "", **options: Any
) -> AsyncIterator[Page]:
    """A reader's page, which complains about nothing and asks nobody but the viewer.

    ``forgiven`` is what a line of the console may say all the same.
    """
    context = await chromium.new_context(**{"viewport": WIDE, **options})
    opened = await context.new_page()
    said: list[str] = []
    asked: list[str] = []
    opened.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("dialog", lambda dialog: said.append(dialog.message))
    opened.on("request", lambda request: asked.append(request.url))
    yield opened
    await context.close()
    assert [line for line in said if not forgiven or forgiven not in line] == [], said
    assert [url for url in asked if not url.startswith((f"{address}/", "data:"))] == []


#: axe-core is in none of the frames of a page: it would wait for its answer from each. Nor does a rule need what it
#: would load again.
_AXE: dict[str, Any] = {"resultTypes": ["violations"], "iframes": False, "preload": False}


async def faults_of(page: Page) -> list[str]:
    """What axe-core calls serious or critical, a line each."""
    found: Any = (await Axe().run(page, options=_AXE)).response
    return [
        f"{fault['id']}: {node['target']} {node['failureSummary']}"
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


async def picture(page: Page, name: str, *, whole: bool = True) -> None:
    """Keep a screenshot under that name, if the environment names a folder for them."""
    if folder := os.environ.get(SCREENSHOTS):
        await page.screenshot(path=Path(folder) / f"{name}.png", full_page=whole)


async def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))
