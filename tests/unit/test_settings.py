"""Every fault of a setting is a ConfigError that names the variable, says what to do, and tells no password."""

from __future__ import annotations

import os

import pytest

from verifaible.config import Settings
from verifaible.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("INDEX", "postgresql://[::1/x"),
        ("INDEX", "postgresql://u:hush@a.example:port/x"),
        ("INDEX", "postgresql://u:x/hush,x@hush@a.example:port/x"),
        ("PROXY", "http://u:hush@[bad"),
        ("PROXY", "gopher://u:hush@a.example"),
        ("PROXY", "http://u:hush@a.example:99999"),
        ("PROXY", "*.cn=socks4://u:hush@a.example"),
        ("PROXY", "a.example="),
        ("SEARXNG_URL", "http://u:hush@[bad"),
        ("BASE_URL", "http://u:hush@[bad"),
        ("BASE_URL", "ftp://u:hush@a.example"),
        ("ETH_RPC", "https://u:hush@[bad"),
        ("STORE", "s3://[bad"),
        ("HOME", os.fsdecode(b"/tmp/h\xe9")),
        ("RUNS", os.fsdecode(b"/tmp/h\xe9")),
        ("RUNS", "s3://bucket"),
        ("TIMEZONE", "Mars/Olympus"),
        ("PAGE_TIMEOUT_S", "soon"),
        ("HOST_CONNECTIONS", "0"),
        ("USER_AGENT", "reader “1”"),
        ("USER_AGENT", "reader\r\nx: y"),
        ("API_KEY", "sk-hush-“quoted”"),
        ("TAVILY_API_KEY", "ключ-hush"),
        ("BRAVE_API_KEY", "a\nhush"),
        ("EXA_API_KEY", "\u00a0hush\u00e9"),
        ("COINGECKO_API_KEY", "hush…"),
        ("ETHERSCAN_API_KEY", "hush…"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"VERIFAIBLE_{name}", value)
    with pytest.raises(ConfigError, match=f"^VERIFAIBLE_{name}[=:]") as caught:
        Settings()
    said = str(caught.value)
    assert "hush" not in said and said.endswith("Correct or unset it.")
    said.encode()  # it can be printed


def test_several_faults_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFAIBLE_TIMEZONE", "Mars/Olympus")
    monkeypatch.setenv("VERIFAIBLE_RETRY_S", "-1")
    with pytest.raises(ConfigError, match=r"VERIFAIBLE_TIMEZONE=.*VERIFAIBLE_RETRY_S="):
        Settings()


def test_what_is_given_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFAIBLE_RETRY_S", "5")
    monkeypatch.setenv("VERIFAIBLE_LOCAL_ENDPOINTS", "10.0.0.5:8000, *.lan")
    assert Settings().retry_s == 5
    assert Settings.model_validate({"retry_s": 7}).retry_s == 7
    assert Settings().local_endpoints == ("10.0.0.5:8000", "*.lan")
