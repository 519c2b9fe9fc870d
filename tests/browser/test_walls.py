"""What stands before a page on the live web: passed as a person's browser passes it, or named for what it is."""

from __future__ import annotations

import asyncio
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress

import pytest
from pydantic import TypeAdapter

from tests.browser.walls import PDF, WALLS, WORDS, served
from verifaible.browser.session import Browser
from verifaible.config import Settings
from verifaible.errors import ToolError
from verifaible.evidence.observe import observe
from verifaible.net.web import Web
from verifaible.schema.action import ActionStep
from verifaible.schema.citation import AnchorRequest

pytestmark = pytest.mark.asyncio(loop_scope="session")
_STEPS: TypeAdapter[tuple[ActionStep, ...]] = TypeAdapter(tuple[ActionStep, ...])
#: A page that looks at the automation itself: nothing here hides it.
_BY_DESIGN = {"webdriver": "HTTP 403.*Access denied"}


@pytest.fixture(scope="module")
def walls() -> Iterator[str]:
    with served() as url:
        yield url


@pytest.fixture(scope="module")
def untouched() -> Iterator[str]:
    """The same walls for those who do not come through: what was asked of one counts for it alone."""
    with served() as url:
        yield url


async def reached(browser: Browser, settings: Settings, url: str, name: str) -> str:
    """The text behind a wall, or what the refusal says."""
    wall = WALLS[name]
    web = Web.live(settings.model_copy(update=dict(wall.settings)))
    request = AnchorRequest(evidence_type=wall.kind, quote=WORDS)  # type: ignore[arg-type]
    async with browser.page(web) as session:
        try:
            steps = _STEPS.validate_python(list(wall.steps))
            seen = await observe(session, f"{url}/{name}{wall.path}", steps, request)
        except ToolError as error:
            return str(error)
    return seen.material.model_dump_json()


@pytest.mark.parametrize("name", WALLS)
async def test_a_wall_is_passed_or_named(walls: str, browser: Browser, settings: Settings, name: str) -> None:
    said = await reached(browser, settings, walls, name)
    named = _BY_DESIGN.get(name, WALLS[name].named)
    assert re.search(named or WORDS, said, re.DOTALL), said
    assert named == "" or WORDS not in said


@pytest.mark.parametrize("name", [name for name, wall in WALLS.items() if not wall.named])
@pytest.mark.every_variant
async def test_the_wall_stands(untouched: str, name: str) -> None:
    """The control: a program that says of itself that it is one, and runs no scripts, does not come through."""
    asked = urllib.request.Request(
        f"{untouched}/{name}", headers={"user-agent": "HeadlessChrome/156.0.0.0 (a program)"}
    )  # noqa: S310

    def ask() -> bytes:
        with suppress(urllib.error.HTTPError), urllib.request.urlopen(asked) as answer:  # noqa: S310
            return bytes(answer.read())
        return b""

    body = await asyncio.to_thread(ask)
    assert name in _PASSED_BY_ALL or (WORDS.encode() not in body and body != PDF)


#: These are about how often is asked, not about who asks.
_PASSED_BY_ALL = {"not-at-once"}
