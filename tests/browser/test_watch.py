"""What ``watch`` says of real captures without opening a page, and what it opens."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.browser.citing import Bench, pdf
from tests.browser.conftest import Site
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.check.drift import is_unopened
from verifaible.evidence.check.due import Due
from verifaible.evidence.check.many import Looker, replay_many
from verifaible.net.web import Web
from verifaible.runs.executor import Local
from verifaible.schema.check import Check

pytestmark = pytest.mark.usefixtures("no_patience")

FILLER = "<p>Other words that fill the page stand in this place, and say nothing of the rate.</p>"
PAGE = f"<h1>Report</h1><p>In February the rate was 5.33% in Shanghai.</p>{FILLER * 6}"
QUOTE = "the rate was 5.33%"
#: A page that shows what a script loads; the words are put together of both.
LOADS = (
    f"<h1>Report</h1><p>In February the rate was <b></b>% in Shanghai.</p>{FILLER * 6}"
    "<script>fetch('{0}').then(r => r.json()).then(d => document.querySelector('b').textContent = d.rate)"
    "</script>"
)
YEAR = (
    f"<h1>Report</h1><p>Copyright <b></b> by the statistics bureau of the city.</p>{FILLER * 6}"
    "<script>document.querySelector('b').textContent = new Date().getFullYear()</script>"
)
CLICK = (
    f"<h1>Report</h1><button>Load</button><p>In February the rate was <b></b>% in Shanghai.</p>{FILLER * 6}"
    "<script>document.querySelector('button').onclick = () => fetch('/clicked.json').then(r => r.json())"
    ".then(d => document.querySelector('b').textContent = d.rate)</script>"
)


async def test_what_captures_of_a_browser_say_without_one(
    site: Site, tmp_path: Path, settings: Settings, live_web: Web, browser: Browser
) -> None:
    bench = Bench(tmp_path, settings.model_copy(update={"picture_height": 0}), live_web, browser)
    for name in ("/same.json", "/new.json", "/clicked.json"):
        site.file(name, "application/json", '{"rate": "5.33"}')
    site.file("/posted", "application/json", '{"rate": "5.33"}')
    site.file("/beacon", "text/plain", "")
    posts = LOADS.replace("fetch('{0}')", "fetch('/posted', {method: 'POST', body: '1'})")
    beacon = f"{PAGE}<script>navigator.sendBeacon('/beacon', '1')</script><img src=/a.png>"
    nonces = iter(f"a1B2c3D4e5F6{number}" for number in range(99))
    site.pages["/nonce"] = lambda *_: (
        200,
        {"content-type": "text/html"},
        f"<!doctype html><title>Report</title><script nonce={next(nonces)}>1</script>{PAGE}",
    )
    site.pages["/old"] = (302, {"location": "/static"}, "")
    #: Path, words of it, and whether it is certain without a browser that they still stand there.
    pages: dict[str, tuple[str, bool]] = {
        "/static": (PAGE, True),
        "/loads": (LOADS.replace("{0}", "/same.json"), True),
        "/changes": (LOADS.replace("{0}", "/new.json"), False),
        "/made-up": (LOADS.replace("'{0}'", "'/same.json?day=' + new Date().toJSON().slice(0, 10)"), False),
        "/posts": (posts, False),
        "/beacons": (beacon, True),
    }
    for path, (body, _) in pages.items():
        site.html(path, body)
    expected = {"/nonce": True, "/old": True, "/report.pdf": True, "/click": True, "/year": False}
    expected |= {path: certain for path, (_, certain) in pages.items()}
    report = site.file("/report.pdf", "application/pdf", pdf("Cover", "Net assets were 5.33 million."))
    cited = {
        path: await bench.cite(site.url + path, quote=QUOTE)
        for path in expected
        if path not in ("/report.pdf", "/click", "/year")
    }
    cited["/report.pdf"] = await bench.cite(report, evidence_type="pdf", quote="Net assets were 5.33 million")
    clicked = [{"type": "click", "elementText": "Load"}]
    cited["/click"] = await bench.cite(site.html("/click", CLICK), clicked, quote=QUOTE)
    site.html("/year", YEAR)
    cited["/year"] = await bench.cite(site.url + "/year", quote=f"Copyright {datetime.now(UTC).year} by")
    site.file("/new.json", "application/json", '{"rate": "5.38"}')

    checks: dict[str, Check] = {}
    looker = Looker(bench.store, browser, settings, live=True)
    due = Due(before=datetime.now(UTC), full_every=timedelta(days=36500))
    await replay_many(
        bench.store,
        Local(lambda: nullcontext(looker), 4),
        settings,
        live=True,
        due=due,
        watch=lambda check, _: checks.__setitem__(check.citation_id, check),
    )
    said = {path: checks[each.id] for path, each in cited.items()}
    assert {path: is_unopened(each) for path, each in said.items()} == expected
    verdicts = {path: each.verdict for path, each in said.items()}
    assert verdicts == {**dict.fromkeys(expected, "verified"), "/changes": "changed"}
