"""Every row of this folder, through its interface."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.rows import Row, load_rows
from tests.conformance.runners import World, run_row
from tests.kit import endpoint, homes, site
from tests.kit.services import Unavailable
from tests.shared import made_once

ROWS = load_rows()
#: Rows that open a browser: pages are the dearest thing a test has.
MOST_IN_A_BROWSER = 200


def _parameter(row: Row) -> object:
    marks = [pytest.mark.nightly] if row.nightly else []
    if row.gap:
        marks.append(pytest.mark.xfail(reason=f"known gap: {row.gap}", strict=True))
    if row.first == "fails":
        marks.append(pytest.mark.xfail(reason=f"the first edition is wrong here: {row.why}", strict=True))
    return pytest.param(row, id=f"{row.kind}:{row.id}", marks=marks)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    def home(name: str) -> homes.Home:
        def make(folder: Path) -> None:
            homes.make_home(name, folder, home)

        return homes.read_home(made_once(tmp_path_factory, f"home-{name}", make))

    with site.serving() as pages, endpoint.serving() as models:
        made = World(home, tmp_path_factory.mktemp("rows"), pages, models)
        with made.stack:
            yield made


@pytest.mark.parametrize("row", [_parameter(row) for row in ROWS])
def test_row(world: World, row: Row) -> None:
    try:
        faults = run_row(world, row)
    except Unavailable as missing:
        pytest.skip(str(missing))
    assert not faults, "\n".join([row.why, *faults])


def test_few_rows_open_a_browser() -> None:
    opened = [row.id for row in ROWS if row.browser]
    assert len(opened) <= MOST_IN_A_BROWSER
