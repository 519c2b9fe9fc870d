"""The Python API where it is misused, and where no browser is needed."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import verifaible
from tests.unit.evidence.samples import add
from verifaible import Verifaible
from verifaible.bench.config import RunConfig
from verifaible.client import BenchOptions
from verifaible.config import Settings
from verifaible.errors import BadArguments, ConfigError, OfflineMiss, Said, StoreError, UserError, worded
from verifaible.evidence.capture import Evidence
from verifaible.evidence.cite import _own_claim
from verifaible.evidence.request import CiteRequest, cite_request
from verifaible.evidence_client import _NAMES
from verifaible.schema.anchor import Anchor, AnchorRequest, TableAnchor
from verifaible.store.store import Store
from verifaible.tools.cite import CiteArguments


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
    assert cite_request("https://example.com/", at=at, quote="x").anchor.evidence_type == "video"


@pytest.mark.parametrize("at", [None, ""])
def test_no_moment_tells_of_nothing(at: str | None) -> None:
    assert cite_request("https://example.com/", at=at, quote="x").anchor.evidence_type == "text"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "quote= is missing: evidence_type='text' needs"),
        ({"evidence_type": "image"}, "selector=, alt= or position= is missing"),
        ({"quote": "x", "at": "soon"}, "at=: must be seconds"),
        ({"quote": "x", "steps": [{"type": "click", "wait": -1}]}, "steps=: 0.click.wait: "),
    ],
)
async def test_a_fault_is_told_with_the_arguments_of_python(
    settings: Settings, given: dict[str, Any], said: str
) -> None:
    async with Verifaible(settings) as v:
        with pytest.raises(UserError, match=re.escape(said)):
            await v.cite("https://example.com/", **given)


async def test_an_offline_miss_names_what_python_calls_it(settings: Settings) -> None:
    with pytest.raises(OfflineMiss, match=r"run with web='live'\.$"), worded(_NAMES):
        raise OfflineMiss("https://a.test/{x}")
    assert str(OfflineMiss("https://a.test/{x}")).endswith("or run with --web live.")


def test_every_caller_reads_its_own_names() -> None:
    said = Said("{arg[quote]} or {arg[page_number]:3} on {url}", url="https://a.test/{x}")
    assert said == "quote or page number 3 on https://a.test/{x}"
    told = Said("{said} {arg[steps]}.", said=said)
    assert told.by({"quote": "--quote", "page_number": "--page"}).endswith(
        "--page 3 on https://a.test/{x} steps."
    )
    with pytest.raises(BadArguments) as raised, worded({"quote": "quote=", "page_number": "page_number="}):
        raise BadArguments(said)
    assert str(raised.value) == "quote= or page_number=3 on https://a.test/{x}"


def test_no_message_below_the_tools_names_an_argument_of_a_tool() -> None:
    own = (
        set(CiteArguments.model_fields)
        - set(AnchorRequest.model_fields)
        - {"claim", "source_url", "anchor", "at"}
    )
    package = Path(verifaible.__file__).parent
    below = ("evidence", "browser", "net", "extract", "anchoring", "schema/action.py")
    paths = [
        path
        for each in below
        for path in ((package / each).rglob("*.py") if "." not in each else [package / each])
    ]
    assert len(paths) > 100 and {"quoted_text", "action_steps", "row_anchor"} <= own
    named = [
        f"{path.name}: {name}"
        for path in paths
        for name in own
        if re.search(rf"\b{name}\b", path.read_text())
    ]
    assert named == []


def test_the_options_of_the_bench_are_those_of_its_command() -> None:
    names = RunConfig.model_fields.keys() - {"models"}
    assert set(BenchOptions.__annotations__) == names


@pytest.mark.parametrize(
    ("anchor", "claim"),
    [
        (
            {
                "text": "5.6 million",
                "table": TableAnchor(mode="crosshair", row_path=("Norway",), column_path=("2024",)),
            },
            "Norway, 2024: 5.6 million",
        ),
        (
            {"text": "a\tb", "table": TableAnchor(mode="row", row_path=("Europe", "Norway"))},
            "Europe › Norway: a b",
        ),
        ({"text": "x", "table": TableAnchor(mode="table", caption="People")}, "People: x"),
        ({"text": "its words"}, "its words"),
    ],
)
def test_a_claim_that_nobody_wrote_says_what_the_evidence_says(anchor: dict[str, Any], claim: str) -> None:
    kind = "table" if "table" in anchor else "text"
    request = CiteRequest(url="https://a.test/", anchor=AnchorRequest(evidence_type=kind))
    evidence = SimpleNamespace(anchor=Anchor(evidence_type=kind, **anchor), title="A page")
    assert _own_claim(request, cast(Evidence, evidence)) == claim
