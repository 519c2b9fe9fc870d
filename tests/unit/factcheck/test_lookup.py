"""Figures of claims, told apart by where the same figures stand: invented tables and sentences."""

from __future__ import annotations

import pytest

from verifaible.factcheck.decide import decide
from verifaible.factcheck.library import Library
from verifaible.factcheck.lookup import look_up
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.verdict import Verdict

TABLE = """Orchard returns of the Lindale growers.

**Harvest by fruit, in tonnes**

| Fruit | 2021 | 2022 | 2023 |
| --- | --- | --- | --- |
| Dessert apples | 4,310 | 4,765 | 5,120 |
| Cider apples | 2,275 | 1,980 | 2,640 |
| Winter pears | 1,145 | 1,390 | 1,205 |
| All fruit | 7,730 | 8,135 | 8,965 |
"""
SWEDISH = """Hamnens årsredovisning.

| Gods | 2022 | 2023 |
| --- | --- | --- |
| Timmer | 12 460 | 13 915 |
| Järnmalm | 48 270 | 45 380 |
"""
ITALIAN = (
    "La strada del vino attraversa le colline, tra filari, casali e piccoli borghi dove si ferma chi ama camminare. "
    "La cantina di Rovello ha venduto 61.300 bottiglie, la cantina di Mestrino 48.750 bottiglie. "
    "Il museo è aperto dal 1987."
)
JAPANESE = "北浜駅の乗客は一日に4,820人で、南浜駅の乗客は一日に3,175人である。"
ENGLISH = (
    "The river works of the three parishes are kept by one board, which meets in the spring and in the autumn. "
    "The Marlow pumping station lifts 312 cubic metres. The Hexby mill employs 146 weavers and 38 dyers. "
    "The new weir is 84 metres long."
)

THEFTS = (
    "Fees in spring: Tessel led with $40.9 million, ahead of Quor with $32.1 million and Vann with $20.1 million. "
    "The limit was raised from 60 to 100 million units."
)
TRIAL = (
    "The trial ran through the winter in towns along the coast. A sore throat was reported by 9.4% of the women. "
    "Severe illness was seen in 3.1% of the men. The council approved the protocol by 28 votes to 19."
)
COUNTY = "\nThe orchards of the whole county brought 9,400 tonnes of dessert fruit.\n"


def _said(text: str, claim: str) -> Verdict | None:
    source = Source(id="1", kind="document", capture="0" * 64)
    of = Claim(id="c1", start=0, end=len(claim), text=claim, kind="number", cites=("1",))
    library = Library([(source, text)])
    sources = library.of()
    return look_up(of, sources, library.places(sources))


@pytest.mark.parametrize(
    ("text", "claim", "said"),
    [
        (TABLE, "Cider apples brought in 4,765 tonnes in 2022.", "1,980"),
        (TABLE, "The growers picked 1,390 tonnes of winter pears in 2023.", "1,205"),
        (TABLE, "Between 2021 and 2023 the crop of dessert apples grew by 1,640 tonnes.", "Dessert apples"),
        (SWEDISH, "Järnmalm stod för 13 915 ton.", "48 270"),
        (ITALIAN, "La cantina di Mestrino arriva a 61.300 bottiglie.", "48.750"),
        (ENGLISH, "The new weir is 84 kilometres long.", "84 metres"),
        (ENGLISH, "The Hexby mill employs 164 weavers.", ""),
        (TRIAL, "Of severe illness there was 2.7%.", "3.1%"),
        (TRIAL, "The protocol was approved by 28 votes to 16.", "by 28 votes to 19"),
    ],
)
def test_a_figure_of_another_place_refutes(text: str, claim: str, said: str) -> None:
    found = _said(text, claim)
    assert found is not None
    assert found.outcome == ("contradicted" if said else "not_found")
    assert said in found.said


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (TABLE, "Cider apples brought in 1,980 tonnes in 2022."),
        (TABLE, "The crop of cider apples came to 2.64 thousand tonnes in 2023."),
        (TABLE, "Dessert apples grew by 810 tonnes between 2021 and 2023."),
        (TABLE, "Cider apples rose by a third in 2023, or 33.3 %."),
        (TABLE, "Dessert and cider apples together made 7,760 tonnes in 2023."),
        (TABLE, "On average the growers picked 4,731.7 tonnes of dessert apples a year."),
        (TABLE, "The growers of Lindale picked 8,965 tonnes."),
        (SWEDISH, "Järnmalm stod för 45 380 ton 2023, alltså 2 890 ton mindre."),
        (ITALIAN, "A Rovello sono state vendute 61.300 bottiglie."),
        (ITALIAN, "Rovello ha venduto 12.550 bottiglie più di Mestrino."),
        (JAPANESE, "北浜駅の乗客は4,820人である。"),
        (ENGLISH, "The mill at Hexby has 184 workers, weavers and dyers together."),
        (ENGLISH, "At the weir one walks 0.084 kilometres."),
        (ENGLISH, "Some 300 cubic metres are lifted at Marlow."),
        (ENGLISH, "Weavers and dyers at the Hexby mill number 184 between them."),
        (
            TABLE + "\nA further 1,390 tonnes were bought in.\n",
            "The press had 4,030 tonnes of cider apples in 2023.",
        ),
        (TRIAL, "Severe illness was 6.3 points rarer than the sore throat."),
        (TRIAL, "Severe illness was seen in 3% of the men."),
        (TABLE + COUNTY, "Dessert fruit from the county's orchards came to 5,120 tonnes in 2023."),
        (THEFTS, "Tessel, Quor and Vann together took $93.1 million."),
    ],
)
def test_what_the_source_says_or_gives_is_not_refuted(text: str, claim: str) -> None:
    assert _said(text, claim) is None


def test_a_figure_that_no_source_has_names_none() -> None:
    found = _said(ITALIAN, "La cantina di Rovello ha 7.415 botti.")
    assert found is not None
    assert (found.outcome, found.said) == ("not_found", "")
    assert "No source has 7.415" in found.reason


def test_decide_asks_it_last() -> None:
    source = Source(id="1", kind="document", capture="0" * 64)
    claim = "Winter pears brought in 2,640 tonnes in 2023."
    of = Claim(id="c1", start=0, end=len(claim), text=claim, kind="number", cites=("1",))
    assert decide(of, Library([(source, TABLE)])).outcome == "contradicted"


def test_letters_before_a_figure_make_a_name_only_where_words_are_parted_by_spaces() -> None:
    source = (
        "人口:年末全国人口总量为140489万人,比上年末减少339万人。城镇常住人口为95380万人,乡村常住人口45109万人。"
        * 4
    )
    assert _said(source, "全国人口总量为140489万人") is None
    found = _said(source, "全国人口总量为140498万人")
    assert found is not None and found.outcome == "not_found"
    assert _said(source, "The model A140498 carries 339 people.") is None


def test_few_digits_in_a_unit_that_measures_something_else_refute_nothing() -> None:
    text = "The board gave holders a dividend of 12 tonnes of grain for December. The fee went up by a tenth."
    assert _said(text, "Holders get 12% more for December.") is None
    assert _said(text, "The board gave holders a dividend of 12 kilograms of grain.") is not None
