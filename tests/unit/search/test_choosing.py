"""Which engines the settings choose."""

from __future__ import annotations

import pytest

from verifaible.archive.lookup import Archive
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.net.guard import UrlGuard
from verifaible.net.web import Web
from verifaible.search.archive import ArchiveSearch
from verifaible.search.live import LiveSearch, configured_engines, search_for

KEYLESS = ["duckduckgo", "mojeek", "startpage"]


@pytest.mark.parametrize(
    ("variables", "names"),
    [
        ({}, KEYLESS),
        ({"TAVILY_API_KEY": " "}, KEYLESS),
        ({"BRAVE_API_KEY": "k", "SEARXNG_URL": "http://localhost:8888"}, ["searxng", "brave"]),
        ({"EXA_API_KEY": "k", "TAVILY_API_KEY": "k"}, ["tavily", "exa"]),
        (
            {"SEARCH_ENGINES": "exa, keyless,Mojeek", "EXA_API_KEY": "k", "TAVILY_API_KEY": "k"},
            ["exa", *KEYLESS],
        ),
        ({"SEARCH_ENGINES": "mojeek,duckduckgo"}, ["mojeek", "duckduckgo"]),
    ],
)
def test_engines_of_settings(
    variables: dict[str, str], names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"VERIFAIBLE_{name}", value)
    assert [engine.name for engine in configured_engines(Settings(), UrlGuard())] == names


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"search_engines": ("google",)}, "no engine 'google'. Choose from searxng, tavily"),
        ({"search_engines": ("tavily",)}, "VERIFAIBLE_TAVILY_API_KEY"),
        ({"search_engines": ("searxng",)}, "VERIFAIBLE_SEARXNG_URL"),
        ({"searxng_url": "localhost:8888"}, "with http://"),
    ],
)
def test_settings_that_cannot_be_met(variables: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        configured_engines(Settings(**variables), UrlGuard())


def test_offline_it_is_the_archive_live_the_engines() -> None:
    assert isinstance(search_for(Web.offline(Settings(), Archive([]))), ArchiveSearch)
    search = search_for(Web.live(Settings()))
    assert isinstance(search, LiveSearch)
    assert search.engines == tuple(KEYLESS)


def test_keys_are_not_shown() -> None:
    settings = Settings(
        tavily_api_key="tvly-secret-1", brave_api_key="BSA-secret-2", exa_api_key="exa-secret-3"
    )
    assert "secret-" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


def test_every_secret_of_the_settings_is_known() -> None:
    settings = Settings(tavily_api_key="t-1", exa_api_key="e-1", searxng_url="https://me:p%40ss@s.example/")
    assert settings.secrets == ("t-1", "e-1", "p@ss")
