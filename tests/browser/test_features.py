"""Thirty small sites by an author who had not seen the code, a feature of the web each: cited and replayed, or refused
for the true cause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.citing import Bench
from tests.features.server import start
from tests.kit.suites import Row, load
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ToolError
from verifaible.net.web import Web

#: Kinds that were refused at first; the others are tried nightly.
ALWAYS = ("idb-library", "hover-shop")


def asked() -> list[Any]:
    return [
        pytest.param(row, id=row.id, marks=() if row.id in ALWAYS else pytest.mark.nightly)
        for row in load("features")
    ]


@pytest.fixture(scope="module")
def sites() -> Iterator[str]:
    url, stop = start()
    yield url
    stop()


@pytest.mark.parametrize("row", asked())
async def test_a_feature(
    row: Row, sites: str, tmp_path: Path, settings: Settings, live_web: Web, browser: Browser
) -> None:
    bench = Bench(tmp_path, settings.model_copy(update={"picture_height": 0}), live_web, browser)
    page, refused = row.input, row.expect.get("refused")
    if refused:
        with pytest.raises(ToolError, match=refused):
            await bench.cite(sites + page["path"], page["steps"], **page["anchor"])
        return
    made = await bench.collect(sites + page["path"], page["steps"], **page["anchor"])
    grade = row.expect.get("replay", "page")
    assert made.citation.replay == grade, made.citation.graded
    assert made.check.kind == "self"  # it was replayed once, offline
    assert grade == "snapshot" or made.check.verdict == "verified"
    assert made.citation.anchor.text == row.expect["text"]
