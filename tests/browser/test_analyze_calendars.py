"""Date pickers: the steps that analyze_page suggests set the date, in real libraries from npm, in a new session."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tests.browser.conftest import Site
from tests.browser.toolboxes import Caller
from tests.browser.widgets.packages import bundled, installed
from tests.browser.widgets.pages import WIDGETS, Widget
from tests.kit.marks import nightly
from verifaible.browser.steps.playing import play
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web
from verifaible.schema.action import ActionSteps

STEPS: TypeAdapter[ActionSteps] = TypeAdapter(ActionSteps)
CONTENT = {"css": "text/css", "js": "application/javascript"}


@pytest.fixture(scope="session")
def folder(request: pytest.FixtureRequest) -> Path:
    """Where the libraries are installed: pytest's cache."""
    cache = request.config.cache
    assert cache is not None
    return Path(cache.mkdir("widgets"))


def serve(site: Site, widget: Widget, folder: Path) -> str:
    modules = installed(folder, widget)
    for path in widget.files:
        site.file(f"/lib/{path}", CONTENT[path.rpartition(".")[2]], (modules / path).read_bytes())
    if widget.bundle:
        name = re.sub(r"\W+", "-", widget.name)
        site.file("/bundle.js", CONTENT["js"], bundled(modules, folder, name, widget.bundle))
    return site.html("/widget", widget.html(), widget.name)


@pytest.mark.parametrize("widget", [*WIDGETS[:2], *map(nightly, WIDGETS[2:])], ids=lambda widget: widget.name)
async def test_suggested_steps_set_the_date(
    widget: Widget,
    site: Site,
    folder: Path,
    settings: Settings,
    live_web: Web,
    browser: Browser,
) -> None:
    url = serve(site, widget, folder)
    text = (await Caller(settings, live_web, browser)("analyze_page", url=url)).text
    assert f"date box ({widget.library})" in text
    suggested = re.search(r"set a date: (\[.*\])$", text, re.MULTILINE)
    assert suggested, text
    async with browser.page(live_web) as session:
        await session.open(url)
        await play(session, STEPS.validate_json(suggested[1]))
        assert await session.page.evaluate("document.body.dataset.chosen") == "2025-01-15"
