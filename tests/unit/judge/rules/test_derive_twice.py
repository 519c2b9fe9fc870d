"""Claims with two names for one thing, and which sources a claim makes the rules read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from verifaible.judge.rules.derive import derive
from verifaible.judge.rules.derive_twice import shortened
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.reading import Reading
from verifaible.schema.analyst import Claim, Source


def _claim(text: str) -> Claim:
    return Claim(id="c1", start=0, end=len(text), text=text, kind="number")


def _pair(name: str, text: str) -> tuple[Source, str]:
    given = {"id": name, "kind": "page", "title": name, "capture": "0" * 64, "url": ""}
    return Source.model_validate(given), text


class _Watched(Library):
    """A library that notes which sources were read as a whole."""

    asked: list[Collection[str] | None]

    def readings(self, only: Collection[str] | None = None) -> Sequence[Reading]:
        self.asked = [*getattr(self, "asked", []), only]
        return super().readings(only)


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("Gross profit (毛利) rose 26.1%.", ["Gross profit", "毛利"]),
        ("R&D（researchAndDevelopment）占总收入的18.2%。", ["R&D", "researchAndDevelopment"]),
        ("营业收入（revenue）增长5%。", ["营业收入", "revenue"]),
    ],
)
def test_each_of_two_names_is_left_out_once_and_offsets_stay(text: str, without: list[str]) -> None:
    ways = list(shortened(text))
    assert len(ways) == len(without)
    for way, name in zip(ways, without, strict=True):
        assert len(way) == len(text)
        assert name in text
        assert name not in way
        assert all(char in (" ", text[at]) for at, char in enumerate(way))


@pytest.mark.parametrize(
    "text",
    [
        "Revenue rose 26.1% to $4 million (2023: $3.2 million).",
        "Votes for the proposal (63) were 75% of the total.",
        "TVL fell by 3%, to $4 million.",
    ],
)
def test_a_bracket_with_anything_else_is_no_second_name(text: str) -> None:
    assert list(shortened(text)) == []


def test_a_claim_that_names_no_operands_reads_no_source() -> None:
    library = _Watched([_pair("s1", "Filecoin traded at $4.20. Its volume was $120 million.\n")])
    assert derive(_claim("Filecoin changed +5.4% in the past 24 hours"), library) is None
    assert not hasattr(library, "asked")


def test_only_sources_that_have_the_names_of_a_claim_are_read() -> None:
    library = _Watched(
        [
            _pair("s1", "The TVL of Aave is $30 billion. The TVL of Lido is $20 billion.\n"),
            _pair("s2", "The TVL of Curve is $2 billion.\n"),
        ]
    )
    finding = derive(_claim("Aave's TVL is 1.5 times the TVL of Lido."), library)
    assert finding is not None
    assert finding.verdict == "derived"
    assert {each for ids in library.asked for each in ids or ("s2",)} == {"s1"}


def test_a_caption_that_tells_thousands_of_a_currency_scales_money_and_no_counts() -> None:
    table = (
        "Segments (US$'000)\n\n| Segment | Revenue 2024 | Vessels |\n|---|---|---|\n"
        "| Tankers | 418,620 | 34 |\n| Dry bulk | 263,405 | 41 |\n"
    )
    library = Library([_pair("s1", table)])
    finding = derive(_claim("Tankers earned revenue of $12.3M per vessel in 2024."), library)
    assert finding is not None
    assert finding.derivation is not None
    assert [each.value for each in finding.derivation.operands] == [418_620_000, 34]


def test_values_below_nought_are_added_by_size_only_where_the_claim_speaks_of_losses() -> None:
    table = (
        "| Item (US$ millions) | 2024 |\n|---|---|\n| Port result | (9.4) |\n| Corporate result | (21.6) |\n"
    )
    library = Library([_pair("s1", table)])
    told = derive(_claim("The negative port result and corporate result sum to $31.0M."), library)
    bare = derive(_claim("The port result and the corporate result sum to $31.0M."), library)
    assert told is not None
    assert told.verdict == "derived"
    assert bare is None or bare.verdict != "derived"
