"""What a worker opens: the store of the process that it works for, and no key of a model."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import BrowserMissing, ConfigError
from verifaible.search.live import SECRETS
from verifaible.store.store import Store
from verifaible.tools.workspace import RemoteWorkspace


def test_no_key_of_a_model_is_sent(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, api_key="sk-of-the-models")
    sent = pickle.dumps(RemoteWorkspace.of(settings, Store.open(settings), None))
    assert str(tmp_path).encode() in sent
    assert b"sk-of-the-models" not in sent


@pytest.mark.parametrize(
    ("archives", "needs", "sent"),
    [
        (None, SECRETS, {"tavily_api_key", "brave_api_key", "exa_api_key", "searxng_url", "proxy"}),
        (None, (), {"proxy"}),
        ((), SECRETS, set()),
    ],
    ids=["that searches", "that opens pages", "offline"],
)
def test_work_is_sent_the_keys_that_it_needs_and_no_other(
    tmp_path: Path, archives: Sequence[Path] | None, needs: Sequence[str], sent: set[str]
) -> None:
    keys = {name: f"key-of-{name}" for name, each in Settings.model_fields.items() if "Secret" in str(each)}
    keys |= {"searxng_url": "https://me:key-of-searxng_url@search.example", "api_key": "key-of-api_key"}
    keys |= {
        "proxy": "http://me:key-of-proxy@proxy.example",
        "eth_rpc": "https://node.example/key-of-eth_rpc",
    }
    assert {"eth_rpc", "etherscan_api_key", "proxy", *SECRETS} <= keys.keys()
    settings = Settings.model_validate({"home": tmp_path, **keys})
    packed = pickle.dumps(RemoteWorkspace.of(settings, Store.open(settings), archives, needs))
    assert {name for name in keys if f"key-of-{name}".encode() in packed} == sent


async def test_a_store_is_the_same_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Browser, "warming", lambda *_: nullcontext(AsyncMock()))
    monkeypatch.chdir(tmp_path)
    settings = Settings(home=tmp_path, store="here")
    store = Store.open(settings)
    setup = pickle.loads(pickle.dumps(RemoteWorkspace.of(settings, store, None)))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    async with setup.opened() as own:
        assert own.store.id == setup.store


async def test_nothing_is_open_without_a_browser(tmp_path: Path) -> None:
    """A browser that is not there fails here, and not at the first page."""
    settings = Settings(home=tmp_path, browser=str(tmp_path / "no-browser"))
    with pytest.raises(BrowserMissing, match="no-browser"):
        async with RemoteWorkspace.of(settings, Store.open(settings), None).opened():
            raise AssertionError("a worker without a browser was opened")


@pytest.mark.parametrize("there", [False, True], ids=["no store", "another store"])
async def test_another_store_than_that_of_the_command_is_told_and_none_is_made(
    there: bool, tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path, store=str(tmp_path / "mine"))
    other = settings.model_copy(update={"store": str(tmp_path / "theirs")})
    if there:
        assert Store.open(other).id
    setup = RemoteWorkspace(other, None, Store.open(settings).id)
    with pytest.raises(ConfigError, match=r"not the same at a worker.*VERIFAIBLE_STORE"):
        async with setup.opened():
            pass
    assert (tmp_path / "theirs").exists() is there
