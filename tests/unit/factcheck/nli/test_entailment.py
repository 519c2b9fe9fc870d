from __future__ import annotations

from typing import Any

import pytest

from tests.unit.factcheck.nli.tiny import write_model
from verifaible.config import Settings
from verifaible.factcheck.library import Library
from verifaible.factcheck.nli import entailment
from verifaible.factcheck.nli.entailment import Entailment, amounts_of
from verifaible.factcheck.nli.model import CrossEncoder, find_model
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.verdict import Passage, Verdict

TEXT = (
    "# News\n\nThe council approved a budget for the library on Tuesday. It is open every day.\n\n"
    "The tower lies east of the river. The mayor did not praised the plan.\n\n"
    "| open | visitors |\n|---|---|\n| library | 2024 visitors |\n"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoder:
    folder = write_model(tmp_path_factory.mktemp("model"))
    return CrossEncoder(find_model(Settings(nli_model=str(folder))))


def library(*texts: str) -> Library:
    return Library(
        [
            (Source(id=f"src_{number}", kind="page", capture=f"{number}" * 64), text)
            for number, text in enumerate(texts, 1)
        ]
    )


def claim(text: str, *cites: str, **changes: Any) -> Claim:
    given = {"id": "c1", "start": 0, "end": len(text), "text": text, "kind": "name", "cites": cites}
    return Claim.model_validate(given | changes)


def holds(passage: Passage, texts: Library) -> bool:
    text = next(text for source, text in texts.pairs if source.id == passage.source)
    return text[passage.start : passage.end] == passage.quote


async def found(judge: Entailment, text: str, sources: Library, *cites: str, **changes: Any) -> Verdict:
    finding = await judge.decide(claim(text, *cites, **changes), sources)
    assert finding is not None
    assert all(holds(passage, sources) for passage in finding.passages)
    return finding


async def test_a_claim_is_supported_by_the_shortest_passage_that_entails_it(model: CrossEncoder) -> None:
    finding = await found(
        Entailment(model), "The **council** approved the budget (src_1).", library(TEXT), "src_1"
    )
    assert finding.outcome == "supported"
    (passage,) = finding.passages
    assert passage.quote == "The council approved a budget for the library on Tuesday."
    assert (passage.source, passage.capture) == ("src_1", "1" * 64)


async def test_sentences_beside_each_other_entail_together_what_none_does_alone(model: CrossEncoder) -> None:
    finding = await found(Entailment(model), "The council approved a budget and is open every day.", library(
        "The council approved a budget. And it is open every day. Rain."
    ))  # fmt: skip
    assert finding.outcome == "supported"
    assert finding.passages[0].quote.startswith("The council approved a budget. And it is open every day.")


async def test_a_claim_is_refuted_by_what_contradicts_it(model: CrossEncoder) -> None:
    finding = await found(Entailment(model), "The mayor praised the plan.", library(TEXT))
    assert finding.outcome == "contradicted"
    assert finding.said == finding.passages[0].quote == "The mayor did not praised the plan."


async def test_only_the_sources_that_a_claim_cites_count(model: CrossEncoder) -> None:
    sources = library("The tower lies west.", TEXT)
    text = "The tower lies east of the river."
    assert (await found(Entailment(model), text, sources, "src_2")).outcome == "supported"
    assert (await found(Entailment(model), text, sources)).outcome == "supported"
    assert (await found(Entailment(model), text, sources, "src_1")).outcome == "open"
    assert await Entailment(model).decide(claim(text, "src_9"), sources) is None


async def test_what_a_claim_is_about_is_part_of_what_must_be_entailed(model: CrossEncoder) -> None:
    text, sources = "It is open every day.", library(TEXT)
    assert (await found(Entailment(model), text, sources)).outcome == "supported"
    about = await found(Entailment(model), text, sources, context=("Museum: rain in August",))
    assert about.outcome == "open"


async def test_a_passage_for_and_one_against_decide_nothing(model: CrossEncoder) -> None:
    sources = library("The mayor praised the plan.", "The mayor did not praised the plan.")
    finding = await found(Entailment(model), "The mayor praised the plan.", sources)
    assert finding.outcome == "open"
    assert {each.source for each in finding.passages} == {"src_1", "src_2"}


async def test_each_quantity_of_a_supported_claim_stands_in_its_passage(
    model: CrossEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entailment, "SURE", 0.5)
    sources = library("The library is open on 2024 days.", "The library is open every day for two visitors.")
    right, wrong = "The library is open for two visitors.", "The library is open for three visitors."
    assert (await found(Entailment(model), right, sources)).outcome == "supported"
    assert (await found(Entailment(model), wrong, sources)).outcome == "open"


async def test_a_claim_with_a_quantity_is_never_refuted_by_the_model(
    model: CrossEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = library("The mayor did not praised two plan.")
    bare = await found(Entailment(model), "The mayor praised plan.", sources)
    assert bare.outcome == "contradicted"
    monkeypatch.setattr(entailment, "SURE", 0.01)
    for quantity in ("two", "2", "three", "2024", "5 %", "twelve"):
        finding = await found(Entailment(model), f"The mayor praised {quantity} plan.", sources)
        assert finding.outcome == "open", quantity


async def test_an_opinion_and_a_claim_of_which_no_source_has_a_word_are_not_read(model: CrossEncoder) -> None:
    assert (
        await Entailment(model).decide(claim("The tower lies east.", kind="opinion"), library(TEXT)) is None
    )
    assert await Entailment(model).decide(claim("Zürich schläft."), library(TEXT)) is None
    assert await Entailment(model).decide(claim("The tower lies east."), library()) is None


async def test_a_source_longer_than_the_model_reads_is_judged_at_its_end_too(model: CrossEncoder) -> None:
    text = "The tower lies east of the river and is open every day, " * 60 + "and the mayor praised a plan."
    finding = await found(Entailment(model), "The mayor praised a plan.", library(text))
    assert finding.outcome == "supported"
    assert finding.passages[0].quote.endswith("and the mayor praised a plan.")


@pytest.mark.parametrize(
    ("own", "other", "stands"),
    [
        ("It fell 3.2 % in 2024.", "In 2024 it fell by 3.2 per cent.", True),
        ("It fell 3.2 % in 2024.", "In 2024 it rose by 3.2 per cent.", False),
        ("It fell 3.2 % in 2024.", "It fell by 3.2 per cent.", False),
        ("It cost $5 million.", "It cost 5,000,000 dollars.", True),
        ("It cost $5 million.", "It cost €5 million.", False),
        ("It cost $5 million.", "It cost 5 million.", False),
        ("It took 3 hours.", "It took 3 days.", False),
        ("Nine of them spoke.", "She spoke.", False),
        ("It stood on 5 May.", "It stood on 6 May.", False),
        ("She spoke.", "Nine spoke.", True),
    ],
)
def test_quantities_stand_in_a_passage_with_value_sign_scale_and_unit(
    own: str, other: str, stands: bool
) -> None:
    assert amounts_of(own).stand_in(amounts_of(other)) is stands
