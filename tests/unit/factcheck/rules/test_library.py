"""The library finds through its indexes what reading everything finds."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kit.suites import load
from tests.unit.factcheck.rules.made import library
from verifaible.factcheck.rules.json_scan import scan_json
from verifaible.factcheck.rules.library import Library
from verifaible.text.json_pointer import value_spans

#: The sources of every scene, and its name.
SCENES = {tuple(row.input["sources"]): row.input["scene"] for row in load("lookalikes", split="dev")}


def of(scene: str) -> tuple[str, ...]:
    """The sources of a scene."""
    (sources,) = (sources for sources, name in SCENES.items() if name == scene)
    return sources


SPELLED = "Twenty-one validators hold 三百万 tokens, 14亿489万元 and half a million users; two-thirds pay 1.234,50 EUR or 3e6."


@pytest.mark.parametrize("sources", SCENES, ids=SCENES.values())
def test_every_value_is_found_by_its_value(sources: tuple[str, ...]) -> None:
    everything = library(sources).readings()
    asked = library(sources)  # nothing of it is read yet
    assert everything
    for reading in everything:
        assert reading in asked.near(reading.value, Decimal(0), reading.unit)


def test_spelled_and_compound_numbers_are_found_by_value() -> None:
    sources = library([SPELLED])
    for value in ("21", "3000000", "1404890000", "500000", "1234.5"):
        assert library([SPELLED]).near(Decimal(value), Decimal(0)), value
    assert len(sources.readings()) >= 5


@given(st.decimals("0.001", "999999999", places=3), st.decimals("0", "50", places=2))
def test_near_finds_what_a_scan_finds(value: Decimal, share: Decimal) -> None:
    sources = SHARED
    tolerance = value * share / 100
    found = sources.near(value, tolerance)
    wanted = [reading for reading in sources.readings() if abs(reading.value - value) <= tolerance]
    assert list(found) == wanted


SHARED: Library = library([text for sources in SCENES for text in sources])


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["HYPE", "market cap"], "9857283441"),
        (["Hyperliquid", "fully diluted valuation"], "36354000600"),
        (["hyperliquid", "circulating_supply"], "270772999.0"),
        (["ethereum", "volume"], "53710000000"),
    ],
)
def test_labels_are_found_by_alias_and_synonym(words: list[str], value: str) -> None:
    sources = library([*of("coin json"), *of("markets json")])
    assert Decimal(value) in [reading.value for reading in sources.labelled(words)]


def test_labels_of_tables_and_headings_are_found() -> None:
    sources = library([*of("table of assets"), *of("bullets under headings")])
    assert [r.passage.quote for r in sources.labelled(["AVAX", "price"])] == [
        "20.11",
        "8.5",
        "$0.9B",
        "-28.7%",
    ]
    assert "$8.1B" in [r.passage.quote for r in sources.labelled(["Morpho", "TVL"])]
    assert sources.labelled(["Morpho", "no such word"]) == []


def test_only_limits_every_question() -> None:
    sources = library(["HYPE price: $36.36", "SOL price: $183.07"])
    assert {r.source.id for r in sources.readings(["src_1"])} == {"src_1"}
    assert sources.near(Decimal("36.36"), Decimal(0), None, ["src_1"]) == []
    assert sources.labelled(["price"], ["src_0"])[0].value == Decimal("36.36")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1]), st.booleans())
def test_the_scan_places_every_value_as_json_reads_it(
    value: object, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    scanned = scan_json(text)
    assert scanned is not None and scanned.end == len(text)
    spans = value_spans(text)
    for leaf in scanned.leaves:
        assert spans[scanned.pointer(leaf)] == (leaf.start, leaf.end)
        json.loads(text[leaf.start : leaf.end])


@given(st.text(alphabet='{}[]:,"\\ 019.eE-+tfnaulrse\n', max_size=40))
def test_the_scan_takes_what_json_takes(text: str) -> None:
    try:
        json.loads(text, strict=False)
        valid = True
    except ValueError:
        valid = False
    scanned = scan_json(text)
    whole = scanned is not None and not text[scanned.end :].strip()
    assert whole is valid


@given(st.text(max_size=60), st.decimals("0.01", "99999", places=2))
@example("A,", Decimal("1000.00"))
def test_words_inside_json_strings_keep_their_places(words: str, value: Decimal) -> None:
    text = json.dumps({"note": f"{words}\nHYPE price: ${value:,} “now”", "n": 1})
    readings = library([text]).readings()
    for reading in readings:
        passage = reading.passage
        assert text[passage.start : passage.end] == passage.quote
        start, end = value_spans(text)[passage.pointer]
        assert start <= passage.start and passage.end <= end
    assert value in [reading.value for reading in readings]
