"""The person's own models and endpoints, and which endpoint, key and API a name leads to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from verifaible.agent.loop import Limits
from verifaible.bench.agents import entrant
from verifaible.config import Settings
from verifaible.errors import ConfigError, MissingKey, UnknownModel
from verifaible.llm.catalogue import Catalogue, ModelEntry, built_in, cost_usd, known_models, resolve
from verifaible.llm.chat import ChatClient
from verifaible.llm.client import ApiClient
from verifaible.llm.endpoint import Endpoint, api_for, endpoint
from verifaible.llm.responses import ResponsesClient
from verifaible.schema.chat import Usage

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "models.md"


def settings_of(tmp_path: Path, written: object = None, **fields: Any) -> Settings:
    if written is not None:
        text = written if isinstance(written, str) else json.dumps(written)
        (tmp_path / "models.json").write_text(text, encoding="utf-8")
    return Settings(home=tmp_path, **fields)


def place_of(settings: Settings, name: str, **env: str) -> Endpoint:
    entry = resolve(name, any_name=bool(settings.base_url), known=known_models(settings))
    return endpoint(settings, entry, env)


def test_no_file_is_the_built_in_catalogue(tmp_path: Path) -> None:
    assert known_models(settings_of(tmp_path)) is built_in()


def test_own_model_and_endpoint(tmp_path: Path) -> None:
    settings = settings_of(
        tmp_path,
        {
            "endpoints": {
                "lab": {"base_url": "https://lab.example.org/v1/", "api": "chat", "key_env": "LAB_KEY"}
            },
            "models": [
                {
                    "name": "My-Qwen",
                    "slug": "Qwen/Qwen3-8B",
                    "endpoint": "lab",
                    "prices": {"input": 0.1, "output": "0.4"},
                    "temperature": None,
                    "max_output_tokens": 8192,
                }
            ],
        },
    )
    entry = resolve("my-qwen", known=known_models(settings))
    assert (entry.slug, entry.temperature, entry.max_output_tokens) == ("Qwen/Qwen3-8B", None, 8192)
    assert cost_usd(entry, Usage(input_tokens=1_000_000, output_tokens=1_000_000)) == pytest.approx(0.5)
    place = place_of(settings, "my-qwen", LAB_KEY="sk-lab", OPENAI_API_KEY="sk-other")
    assert place == Endpoint("https://lab.example.org/v1", "sk-lab", "LAB_KEY")
    assert api_for(settings, entry) == "chat"
    assert api_for(settings, entry, "responses") == "responses"
    assert resolve("glm-5", known=known_models(settings)) == resolve("glm-5")


def test_own_entries_replace_only_what_they_give(tmp_path: Path) -> None:
    settings = settings_of(
        tmp_path,
        {
            "endpoints": {"vllm": {"base_url": "http://10.0.0.5:9000/v1"}},
            "models": [{"name": "GLM-5", "prices": {"input": 2, "output": 4}, "endpoint": "vllm"}],
        },
    )
    known = known_models(settings)
    entry = resolve("glm-5", known=known)
    assert entry.slug == "z-ai/glm-5"
    assert entry.prices is not None
    assert entry.prices.input == 2
    assert known.endpoints["vllm"].api == "chat"
    assert sum(each.name.lower() == "glm-5" for each in known.models) == 1


def test_file_in_another_place(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('\ufeff{"models": [{"name": "x", "slug": "a/x"}]}', encoding="utf-8")
    assert resolve("x", known=known_models(Settings(home=tmp_path, models=other))).slug == "a/x"
    with pytest.raises(ConfigError, match="VERIFAIBLE_MODELS"):
        known_models(Settings(home=tmp_path, models=tmp_path / "missing.json"))


@pytest.mark.parametrize(
    ("written", "faults"),
    [
        ("{", ["models.json: is not JSON"]),
        ("[]", ["models.json: Input should be a valid dictionary"]),
        ({"model": []}, ["models.json: model: Extra inputs are not permitted"]),
        ({"models": [{"slug": "a/b"}]}, ["models.json: models[0].name: Field required"]),
        ({"models": [{"name": "x"}]}, ["models.json: models[0].slug: Field required"]),
        (
            {"models": [{"name": "x", "slug": "a/x", "prices": {"input": -1}}]},
            ["models[0].prices.input: Input should be greater", "models[0].prices.output: Field required"],
        ),
        ({"models": [{"name": "x", "slug": "a/x", "temprature": 1}]}, ["models[0].temprature: Extra inputs"]),
        ({"models": [{"name": "x", "slug": "a/x", "api": "rest"}]}, ["models[0].api: Input should be"]),
        (
            {"models": [{"name": "x", "slug": "a/x", "endpoint": "nowhere"}]},
            ["models[0].endpoint: there is no endpoint 'nowhere'; there are openrouter"],
        ),
        (
            {"models": [{"name": "oracle", "slug": "a/x"}]},
            ["models[0].name: oracle is the name of a built-in"],
        ),
        (
            {"models": [{"name": "x", "slug": "a/x"}, {"name": "X", "slug": "a/y"}]},
            ["models[1].name: X is there twice"],
        ),
        ({"endpoints": {"lab": {}}}, ["endpoints.lab.base_url: Field required"]),
        (
            {"endpoints": {"lab": {"base_url": "lab.example.org"}}},
            ["endpoints.lab.base_url: Value error, Not an http:// or https:// address"],
        ),
        ({"endpoints": {"a/b": {"base_url": "http://a/v1"}}}, ["endpoints.a/b: a name has no colon"]),
        (
            {"endpoints": {"lab": {"base_url": "http://a/v1", "key_env": "sk-123"}}},
            ["endpoints.lab.key_env: String should match"],
        ),
    ],
)
def test_faults_are_named_by_path_and_field(tmp_path: Path, written: object, faults: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        known_models(settings_of(tmp_path, written))
    for fault in faults:
        assert fault in str(caught.value)
    assert str(tmp_path / "models.json") in str(caught.value)


# --- names


@pytest.mark.parametrize(
    ("name", "slug", "place", "api"),
    [
        ("vllm/Qwen/Qwen3-8B", "Qwen/Qwen3-8B", "http://localhost:8000/v1", "chat"),
        ("ollama/llama3.1:8b", "llama3.1:8b", "http://localhost:11434/v1", "chat"),
        ("lmstudio/qwen3-4b", "qwen3-4b", "http://localhost:1234/v1", "chat"),
        ("litellm/any", "any", "http://localhost:4000/v1", "chat"),
        ("vllm:Qwen/Qwen3-8B", "Qwen/Qwen3-8B", "http://localhost:8000/v1", "chat"),
        ("openai:gpt-5", "gpt-5", "https://api.openai.com/v1", "responses"),
        ("openrouter:z-ai/glm-5", "z-ai/glm-5", "https://openrouter.ai/api/v1", "responses"),
        # slugs of OpenRouter stay what they are
        ("openai/gpt-5", "openai/gpt-5", "https://openrouter.ai/api/v1", "responses"),
        ("openrouter/auto", "openrouter/auto", "https://openrouter.ai/api/v1", "responses"),
        ("qwen/qwen3-8b:free", "qwen/qwen3-8b:free", "https://openrouter.ai/api/v1", "responses"),
    ],
)
def test_names_of_endpoints(tmp_path: Path, name: str, slug: str, place: str, api: str) -> None:
    settings = settings_of(tmp_path)
    entry = resolve(name, known=known_models(settings))
    keys = {"OPENAI_API_KEY": "sk-openai", "OPENROUTER_API_KEY": "sk-or"}
    assert (entry.name, entry.slug) == (name, slug)
    assert endpoint(settings, entry, keys).base_url == place
    assert api_for(settings, entry) == api


def test_own_endpoint_named_like_a_maker_needs_the_colon(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, {"endpoints": {"qwen": {"base_url": "http://localhost:1/v1"}}})
    known = known_models(settings)
    assert resolve("qwen/x", known=known) == ModelEntry(name="qwen/x", slug="qwen/x")
    assert resolve("qwen:x", known=known).endpoint == "qwen"


@pytest.mark.parametrize("name", ["nowhere:x", "vllm:", "vllm/", ":x", "gpt-4-x"])
def test_names_that_lead_nowhere(name: str) -> None:
    with pytest.raises(UnknownModel, match="endpoint:name, where endpoint is one of openrouter, openai"):
        resolve(name)


def test_base_url_goes_before_endpoints_and_takes_every_name(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, base_url="http://127.0.0.1:5/v1")
    for name, slug in (("vllm/x", "vllm/x"), ("llama3.1:8b", "llama3.1:8b"), ("glm-5", "z-ai/glm-5")):
        entry = resolve(name, any_name=True, known=known_models(settings))
        assert entry.slug == slug
        assert endpoint(settings, entry, {}).base_url == "http://127.0.0.1:5/v1"
        assert api_for(settings, entry) == "responses"


# --- keys


def test_key_goes_only_to_the_endpoint_it_is_for(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, api_key="sk-general")
    keys = {"OPENAI_API_KEY": "sk-openai", "OPENROUTER_API_KEY": "sk-or", "VLLM_API_KEY": "sk-vllm"}
    assert place_of(settings, "openai:gpt-5", **keys).api_key == "sk-openai"
    assert place_of(settings, "vllm/x", **keys).api_key == "sk-vllm"
    assert place_of(settings, "ollama/x", **keys).api_key == ""
    assert place_of(settings, "glm-5", **keys).api_key == "sk-general"


def test_missing_key_of_an_endpoint_names_its_variable(tmp_path: Path) -> None:
    with pytest.raises(MissingKey, match=r"api\.openai\.com, .* variable OPENAI_API_KEY"):
        place_of(settings_of(tmp_path), "openai:gpt-5", OPENROUTER_API_KEY="sk-or")
    assert place_of(settings_of(tmp_path), "vllm/x").api_key == ""  # on this machine none is needed


@pytest.mark.parametrize("key", ["sk-“quoted”", "sk-a\nb", "ключ"])
def test_key_that_no_header_can_hold(tmp_path: Path, key: str) -> None:
    with pytest.raises(ConfigError, match="OPENROUTER_API_KEY") as caught:
        place_of(settings_of(tmp_path), "glm-5", OPENROUTER_API_KEY=key)
    assert key not in str(caught.value)


def test_messages_do_not_hold_a_password_of_the_address() -> None:
    place = Endpoint("http://user:secret@127.0.0.1:5/v1?token=hidden")
    assert place.shown_url == "http://127.0.0.1:5/v1"


# --- clients


@pytest.mark.parametrize(
    ("name", "api", "kind"),
    [
        ("glm-5", None, ResponsesClient),
        ("glm-5", "chat", ChatClient),
        ("vllm/x", None, ChatClient),
        ("vllm/x", "responses", ResponsesClient),
    ],
)
async def test_entrant_asks_in_the_api_that_was_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, api: Any, kind: type[ApiClient]
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or")
    made = entrant(name, settings_of(tmp_path), Limits(), api)
    assert type(made.client) is kind
    assert (made.name, made.client.api) == (name, kind.api)
    await made.client.aclose()


# --- prices


def test_long_requests_cost_what_their_tier_says() -> None:
    entry = resolve("gemini-2.5-pro")
    assert cost_usd(entry, Usage(input_tokens=200_000, output_tokens=100)) == pytest.approx(0.251)
    long = Usage(input_tokens=300_000, cached_input_tokens=100_000, output_tokens=100)
    assert cost_usd(entry, long) == pytest.approx(0.2 * 2.5 + 0.1 * 0.25 + 0.0015)


def test_an_endpoint_has_the_prices_of_its_provider_or_none() -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    assert cost_usd(resolve("openai:gpt-5"), usage) == pytest.approx(11.25)
    assert cost_usd(resolve("vllm:Qwen/Qwen3-8B"), usage) is None


def test_models_of_openrouter_go_by_their_names_there() -> None:
    for name in (
        *(
            "gpt-5.2",
            "claude-haiku-4.5",
            "gemini-2.5-pro",
            "deepseek-v3.2",
            "Qwen3-Max",
            "mistral-large-2512",
        ),
        *("grok-4.5", "glm-4.6", "kimi-k2-thinking", "minimax-m2"),
    ):
        entry = resolve(name)
        assert entry.slug.endswith(f"/{name.lower()}")
        assert cost_usd(entry, Usage(input_tokens=1, output_tokens=1))
    names = [entry.name for entry in built_in().models]
    assert len(set(names)) == len(names)


def test_the_example_of_the_document_is_valid(tmp_path: Path) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    example = text.split("<!-- models.json -->\n```text\n")[1].split("```")[0]
    known = known_models(settings_of(tmp_path, example))
    mine = Catalogue.model_validate({"endpoints": {}, **json.loads(example)}, strict=False)
    for entry in mine.models:
        assert entry in known.models


def test_the_document_lists_the_catalogue() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for entry in built_in().models:
        assert f"| `{entry.name}` | `{entry.slug}` |" in text
    for name, profile in built_in().endpoints.items():
        assert f"| `{name}` | `{profile.base_url}` | {profile.api} |" in text
