"""``verifaible_cite`` as a model calls it: numbers, confirmations, and refusals it can act on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from tests.browser.citing import Bench, nothing_stored
from tests.browser.conftest import Site
from verifaible.browser.page import watched
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web
from verifaible.schema.run import ToolReply
from verifaible.search.base import SearchBackend
from verifaible.tools.cite import CiteArguments, cite
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Toolbox

PAGE = """<p>In February the rate was 5.33% in Shanghai.</p>
<table><tr><th>City</th><th>Rate</th></tr><tr><td>Shanghai</td><td>5.33</td></tr></table>"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


@pytest.fixture
def tools(bench: Bench) -> Toolbox:
    search = cast(SearchBackend, None)
    return Toolbox([cite(ToolContext(bench.settings, bench.web, bench.browser, bench.collector, search))])


async def call(tools: Toolbox, **arguments: Any) -> ToolReply:
    return await tools.call("verifaible_cite", json.dumps({"claim": "A claim", **arguments}))


async def test_numbers_count_what_was_made(site: Site, bench: Bench, tools: Toolbox) -> None:
    url = site.html("/page", PAGE)
    first = await call(tools, source_url=url, quoted_text="the rate was 5.33%")
    refused = await call(tools, source_url=url, quoted_text="the rate was 5.34%")
    second = await call(
        tools, source_url=url, evidence_type="table", row_anchor="Shanghai", col_anchor='["Rate"]'
    )
    assert first.citation is not None
    assert second.citation is not None
    assert refused.citation is None
    assert (first.citation.number, second.citation.number) == (1, 2)
    assert "[@v:1]" in first.text
    assert "[@v:2]" in second.text
    assert "row “Shanghai”, column “Rate”" in second.text
    assert second.citation.text == "5.33"
    assert "5.33%" in refused.text
    made = [citation.id for citation in bench.store.citations()]
    assert made == [first.citation.id, second.citation.id]


async def test_steps_as_a_json_string(site: Site, tools: Toolbox) -> None:
    url = site.html(
        "/page", "<p id=p>before</p><button onclick=\"p.textContent = 'the rate was 5.33%'\">Go</button>"
    )
    steps = json.dumps([{"type": "click", "elementText": "Go"}])
    reply = await call(tools, source_url=url, quoted_text="the rate was 5.33%", action_steps=steps)
    assert reply.citation is not None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"source_url": "ftp://a.test/"}, "source_url"),
        ({"source_url": "http://127.0.0.1:1/", "evidence_type": "poem"}, "evidence_type"),
        ({"source_url": "http://127.0.0.1:1/", "unheard": 1}, "unheard"),
        ({"source_url": "http://127.0.0.1:1/", "at": "later"}, "4:07"),
        ({"source_url": "http://127.0.0.1:1/", "page_number": 0}, "page_number"),
        ({"source_url": "http://127.0.0.1:1/", "action_steps": "[{"}, "action_steps"),
        ({"source_url": "http://127.0.0.1:1/"}, "quoted_text is missing"),
    ],
)
async def test_arguments_that_do_not_validate(
    bench: Bench, tools: Toolbox, arguments: dict[str, Any], words: str
) -> None:
    with nothing_stored(bench):
        reply = await call(tools, **arguments)
    assert reply.citation is None
    assert words in reply.text


@pytest.mark.parametrize(
    ("at", "seconds"),
    [("4:07", 247.0), ("1:02:03", 3723.0), (12.5, 12.5), ("12.5s", 12.5), ("", None), (None, None)],
)
def test_moments(at: object, seconds: float | None) -> None:
    arguments = CiteArguments.model_validate({"claim": "x", "source_url": "http://a.test/", "at": at})
    assert arguments.request().anchor.at_s == seconds


@pytest.mark.parametrize(
    ("row", "texts"),
    [
        ("郑州", ("郑州",)),
        ('["a", "b"]', ("a", "b")),
        (["a", "b"], ("a", "b")),
        (2024, ("2024",)),
        ("", ()),
        ("[a]", ("[a]",)),
    ],
)
def test_headers(row: object, texts: tuple[str, ...]) -> None:
    arguments = CiteArguments.model_validate(
        {"claim": "x", "source_url": "http://a.test/", "row_anchor": row}
    )
    assert arguments.request().anchor.row == texts
