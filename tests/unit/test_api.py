"""The Python API where it is misused, and where no browser is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.evidence.samples import add
from verifaible import Verifaible
from verifaible.api import _tool_arguments
from verifaible.config import Settings
from verifaible.errors import ConfigError, StoreError
from verifaible.evidence.store.store import Store


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, store=str(tmp_path / "store"), browser=str(tmp_path / "no-browser"))


async def test_outside_of_the_context_no_browser_is_started(settings: Settings, tmp_path: Path) -> None:
    citation = add(Store.open(settings))
    house = Verifaible(settings)
    for call in (
        lambda: house.cite("https://example.com/", quote="x"),
        lambda: house.replay(citation.id),
        lambda: house.export(citation.id, tmp_path),
    ):
        with pytest.raises(ConfigError, match="async with"):
            await call()
    assert (await house.verify(citation.id)).verdict == "verified"
    async with house:
        pass
    with pytest.raises(ConfigError, match="async with"):
        await house.replay(citation.id)


async def test_a_context_is_entered_once_at_a_time_and_again_later(settings: Settings) -> None:
    async with Verifaible(settings) as house:
        with pytest.raises(ConfigError, match="in use"):
            async with house:
                pass
        citation = add(house.store)
    async with house:
        assert (await house.verify(citation.id)).verdict == "verified"


async def test_a_check_that_could_not_be_recorded_is_a_warning(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    citation = add(Store.open(settings))

    def refuse(*_: object) -> None:
        raise StoreError("The store cannot be used.")

    monkeypatch.setattr(Store, "add_checks", refuse)
    with pytest.warns(UserWarning, match="not recorded: The store cannot be used"):
        assert (await Verifaible(settings).verify(citation.id)).verdict == "verified"


@pytest.mark.parametrize("at", [0, 0.0, "0:00", 12.5])
def test_a_moment_tells_of_a_video_the_first_one_too(at: float | str) -> None:
    assert _tool_arguments("https://example.com/", {"at": at, "quote": "x"})["evidence_type"] == "video"


@pytest.mark.parametrize("at", [None, ""])
def test_no_moment_tells_of_nothing(at: str | None) -> None:
    assert _tool_arguments("https://example.com/", {"at": at, "quote": "x"})["evidence_type"] == "text"
