"""No browser, which every run would start ahead of its first page."""

import pytest


@pytest.fixture(autouse=True)
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFAIBLE_BROWSER", "/no/browser")
