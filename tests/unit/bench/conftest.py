"""The S3 server of the store's tests; and no browser, which every run would start ahead of its first page."""

import pytest

from tests.unit.evidence.conftest import s3_endpoint, s3_url

__all__ = ["s3_endpoint", "s3_url"]


@pytest.fixture(autouse=True)
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFAIBLE_BROWSER", "/no/browser")
