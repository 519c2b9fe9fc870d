"""Names, prices, endpoints and keys."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from verifaible.config import Settings
from verifaible.errors import ConfigError, MissingKey, UnknownModel
from verifaible.llm.catalogue import built_in, cost_usd, prices_of, resolve
from verifaible.llm.endpoint import Endpoint, endpoint
from verifaible.schema.chat import Usage

GLM = resolve("glm-5")


def settings(base_url: str = "", api_key: str = "") -> Settings:
    return Settings(base_url=base_url, api_key=api_key)


def test_short_names_stand_for_the_published_models() -> None:
    assert {entry.name: entry.slug for entry in built_in().models[:4]} == {
        "glm-5": "z-ai/glm-5",
        "kimi-k2.5": "moonshotai/kimi-k2.5",
        "minimax-m2.5": "minimax/minimax-m2.5",
        "deepseek-r1": "deepseek/deepseek-r1",
    }
    assert resolve(" GLM-5 ") == GLM


def test_every_price_says_where_it_was_read() -> None:
    for entry in built_in().models:
        read = json.loads(prices_of(entry))
        assert read["prices"].startswith("$") and "genai-prices" in read["source"]
    assert prices_of(resolve("some/model")) == ""


def test_other_models_pass_through() -> None:
    entry = resolve("openai/gpt-5.5:free")
    assert (entry.name, entry.slug, entry.prices) == ("openai/gpt-5.5:free", "openai/gpt-5.5:free", None)
    by_slug = resolve("z-ai/glm-5")
    assert (by_slug.name, by_slug.prices) == ("z-ai/glm-5", GLM.prices)
    assert resolve("gpt-4o", any_name=True).slug == "gpt-4o"


@pytest.mark.parametrize("name", ["glm5", "gpt-4-x", "", "a//b", "/x", "x/", "a b/c"])
def test_unknown_names_get_the_list(name: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        resolve(name)
    for known in ("glm-5", "kimi-k2.5", "minimax-m2.5", "deepseek-r1", "oracle", "nop", "provider/name"):
        assert known in str(caught.value)


@pytest.mark.parametrize(("name", "near"), [("glm5", "glm-5"), ("kimi", "kimi-k2.5"), ("orcale", "oracle")])
def test_unknown_names_get_the_nearest(name: str, near: str) -> None:
    with pytest.raises(UnknownModel, match=rf"Did you mean {near}\?"):
        resolve(name)


def test_cost_of_cached_tokens() -> None:
    usage = Usage(input_tokens=3_000_000, cached_input_tokens=1_000_000, output_tokens=2_000_000)
    assert cost_usd(GLM, usage) == pytest.approx(2 * 1 + 1 * 0.2 + 2 * 3.2)
    assert cost_usd(resolve("deepseek-r1"), usage) == pytest.approx(3 * 0.7 + 2 * 2.5)
    assert cost_usd(resolve("some/model"), usage) is None


def test_openrouter_is_the_default() -> None:
    place = endpoint(settings(), GLM, {"OPENROUTER_API_KEY": "or", "OPENAI_API_KEY": "oa"})
    assert place == Endpoint("https://openrouter.ai/api/v1", "or", "OPENROUTER_API_KEY")


@pytest.mark.parametrize(
    ("base_url", "api_key", "env", "expected"),
    [
        ("https://api.example.org/v1/", "own", {"OPENAI_API_KEY": "oa"}, "own"),
        ("https://api.example.org/v1", "", {"OPENAI_API_KEY": "oa", "OPENROUTER_API_KEY": "or"}, "oa"),
        ("https://api.example.org/v1", "", {"OPENROUTER_API_KEY": "sk-or"}, "sk-or"),
        ("http://localhost:8000/v1", "", {}, ""),
        ("http://127.0.0.9:8000/v1", "", {}, ""),
        ("http://[::1]:8000/v1", "", {}, ""),
        ("", "own", {"OPENROUTER_API_KEY": "or"}, "own"),
    ],
)
def test_key_of_an_endpoint(base_url: str, api_key: str, env: dict[str, str], expected: str) -> None:
    place = endpoint(settings(base_url, api_key), GLM, env)
    assert place.api_key == expected
    assert not place.base_url.endswith("/")
    assert place.host in place.base_url
    assert not expected or expected not in repr(place)


@pytest.mark.parametrize(
    ("base_url", "env", "variable"),
    [
        ("", {}, "OPENROUTER_API_KEY"),
        ("", {"OPENAI_API_KEY": "oa", "OPENROUTER_API_KEY": " "}, "OPENROUTER_API_KEY"),
        ("https://api.example.org/v1", {}, "VERIFAIBLE_API_KEY"),
    ],
)
def test_missing_key_is_one_sentence(base_url: str, env: dict[str, str], variable: str) -> None:
    with pytest.raises(MissingKey) as caught:
        endpoint(settings(base_url), GLM, env)
    text = str(caught.value)
    assert variable in text
    assert "glm-5" in text
    assert text.count(". ") == 0
    assert "\n" not in text


@pytest.mark.parametrize("base_url", ["openrouter.ai/api/v1", "ftp://a/v1", "http://", "http://a:99999/v1"])
def test_wrong_base_url(base_url: str) -> None:
    with pytest.raises(ConfigError, match="VERIFAIBLE_BASE_URL"):
        endpoint(settings(base_url), GLM, {"OPENAI_API_KEY": "oa"})


def test_importing_the_floor_does_not_import_the_library() -> None:
    code = (
        "import sys, verifaible.llm.opening, verifaible.agent.loop, verifaible.agent.oracle;"
        "sys.exit(any(name in sys.modules for name in ('openai', 'httpx2')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
