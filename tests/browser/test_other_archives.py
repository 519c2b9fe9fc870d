"""Captures in the programs of others: py-wacz finds no fault, pywb serves them, ReplayWeb.page shows and marks."""

from __future__ import annotations

import asyncio
import json
import zipfile
from pathlib import Path

import pytest
from playwright.async_api import Browser as Chromium

from tests.browser.archive_tools import pywb_says, replayer_says, serving_replayer, tools, wacz_says
from tests.browser.bench_process import bench as run_bench
from tests.browser.citing import Bench
from tests.browser.conftest import Site
from verifaible.archive.wacz import WaczWriter
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store

#: Far below the window, with a field of a form, on a page in the bytes of another charset.
PAGE = f"""<!doctype html><meta charset="gbk"><title>价格</title><input name="q" value="郑州">{"<p>…</p>" * 90}
<p>2025年末全国人口140489万人，比上年末减少339万人。</p>{"<p>…</p>" * 90}""".encode("gbk")


@pytest.mark.nightly
@pytest.mark.slow
async def test_the_captures_of_all_cases(
    request: pytest.FixtureRequest, tmp_path: Path, chromium: Chromium
) -> None:
    found = tools(request.config, install=True)
    await asyncio.to_thread(run_bench, tmp_path, "--model", "oracle")
    store = Store(tmp_path / "store")
    cited = {tmp_path / "store" / capture_file(each.capture.sha256): each for each in store.citations()}
    assert len(cited) >= 20
    faults = {f"py-wacz, {each}": fault for each in cited if (fault := wacz_says(found, each))}
    (tmp_path / "pywb").mkdir()
    said = pywb_says(found, list(cited), tmp_path / "pywb")
    faults |= {f"pywb, {each}": fault for each, fault in said.items()}
    with serving_replayer(found, {each.name: each for each in cited}) as url:
        for each, citation in cited.items():
            if fault := await replayer_says(chromium, url, each.name, each, citation):
                faults[f"ReplayWeb.page, {citation.evidence_type} {each}"] = fault
    assert not faults


async def test_a_capture(
    request: pytest.FixtureRequest,
    site: Site,
    tmp_path: Path,
    settings: Settings,
    live_web: Web,
    browser: Browser,
    chromium: Chromium,
    no_patience: None,
) -> None:
    found = tools(request.config, install=False)
    bench = Bench(tmp_path, settings, live_web, browser)
    citation = await bench.cite(site.file("/p", "text/html", PAGE), quote="减少339万人")
    capture = bench.capture_path(citation)
    assert wacz_says(found, capture) == ""
    (tmp_path / "pywb").mkdir()
    assert pywb_says(found, [capture], tmp_path / "pywb") == {}
    with serving_replayer(found, {"capture.wacz": capture}) as url:
        assert await replayer_says(chromium, url, "capture.wacz", capture, citation) == ""


async def test_the_kept_dom_says_its_charset(
    site: Site,
    tmp_path: Path,
    settings: Settings,
    live_web: Web,
    browser: Browser,
    chromium: Chromium,
    no_patience: None,
) -> None:
    """The page's own meta says GBK, the bytes that are kept are UTF-8."""
    bench = Bench(tmp_path, settings, live_web, browser)
    citation = await bench.cite(site.file("/p", "text/html", PAGE), quote="减少339万人")
    (tmp_path / "dom.html").write_bytes(bench.file(citation, "dom.html"))
    page = await chromium.new_page()
    await page.goto((tmp_path / "dom.html").as_uri())
    assert "比上年末减少339万人" in await page.inner_text("body")
    await page.close()


def test_no_file_is_taken_for_a_schema(tmp_path: Path) -> None:
    """A key at the top of a JSON file means nothing to a validator: every file is declared a plain one."""
    from frictionless import validate

    keys = (
        "fields",
        "resources",
        "tasks",
        "steps",
        "checks",
        "path",
        "packages",
        "mark",
        "$schema",
        "header",
    )
    from datetime import UTC, datetime

    with WaczWriter(tmp_path / "a.wacz", title="a", created=datetime(2026, 1, 1, tzinfo=UTC)) as writer:
        for number, key in enumerate(keys):
            writer.add_file(f"evidence/n{number}.json", json.dumps({key: [{"a": 1}]}).encode())
    with zipfile.ZipFile(tmp_path / "a.wacz") as opened:
        opened.extractall(tmp_path / "a")
    report = validate(str(tmp_path / "a" / "datapackage.json"))
    assert report.valid, report.to_summary()
    (tmp_path / "a" / "evidence" / "n0.json").write_text("changed")
    assert not validate(str(tmp_path / "a" / "datapackage.json")).valid
