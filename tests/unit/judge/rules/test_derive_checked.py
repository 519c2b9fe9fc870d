"""The check of derivations that a judge proposes."""

from __future__ import annotations

from decimal import Decimal as D

import pytest

from verifaible.judge.rules.derive_checked import Given, checked
from verifaible.judge.rules.derive_math import DerivationError
from verifaible.judge.rules.library import Library
from verifaible.schema.analyst import Claim, Source

TEXT = (
    "Oakbridge held $4.2 billion of deposits in March 2025. By June 2025 deposits were $4.83 billion. "
    "It served 120,000 clients. One euro costs $1.16. Its loan took 36 hours to settle. Losses were not $9 million."
)
SOURCE = Source(id="s1", kind="page", capture="b" * 64, title="Oakbridge")
LIBRARY = Library([(SOURCE, TEXT)])
MARCH = Given("March", "held $4.2 billion of deposits", "s1", D("4.2e9"))
JUNE = Given("June", "deposits were $4.83 billion", "s1", D("4.83e9"))


def claim(text: str) -> Claim:
    return Claim(id="c1", start=0, end=len(text), text=text, kind="number")


def test_what_holds_becomes_a_finding_with_passages_to_the_byte() -> None:
    finding = checked("percent_change", [MARCH, JUNE], claim("Deposits rose 15%."), LIBRARY)
    assert finding.verdict == "derived" and finding.derivation is not None
    assert finding.derivation.result == 15 and finding.derivation.unit == "%"
    assert [TEXT[p.start : p.end] for p in finding.passages] == ["$4.2 billion", "$4.83 billion"]


def test_money_for_each_of_a_count() -> None:
    clients = Given("clients", "120,000 clients", "s1", D(120000))
    finding = checked("ratio", [JUNE, clients], claim("Deposits per client were $40,250."), LIBRARY)
    assert finding.derivation is not None and finding.derivation.result == D(40250)
    assert finding.derivation.unit == "USD"


def test_a_currency_needs_a_rate_that_stands_in_a_source() -> None:
    euros = Library([(SOURCE, "The fund holds €250 million. One euro costs $1.16.")])
    held = Given("held", "€250 million", "s1", D("250e6"))
    with pytest.raises(DerivationError, match="rate"):
        checked("convert", [held], claim("The fund holds $290 million."), euros)
    rate = Given("rate", "One euro costs $1.16", "s1", D("1.16"))
    finding = checked("convert", [held, rate], claim("The fund holds $290 million."), euros)
    assert finding.verdict == "derived"
    with pytest.raises(DerivationError, match="does not stand"):
        checked(
            "convert",
            [held, Given("rate", "One euro costs $1.16", "s1", D("1.2"))],
            claim("$300 million"),
            euros,
        )


def test_hours_become_days() -> None:
    finding = checked(
        "convert", [Given("settling", "36 hours", "s1", D(36))], claim("It took 1.5 days."), LIBRARY
    )
    assert finding.derivation is not None and finding.derivation.result == D("1.5")


@pytest.mark.parametrize(
    ("operation", "given", "text", "said"),
    [
        ("percent_change", [MARCH, JUNE], "Deposits rose 16%.", "does not say"),
        ("percent_change", [MARCH, JUNE], "Deposits fell 15%.", "does not say"),
        ("percent_change", [JUNE, MARCH], "Deposits rose 15%.", "does not say"),
        (
            "percent_change",
            [MARCH, Given("June", "deposits were $4.83 billion", "s2", D("4.83e9"))],
            "15%",
            "No source",
        ),
        (
            "percent_change",
            [MARCH, Given("June", "deposits of $4.83 billion", "s1", D("4.83e9"))],
            "15%",
            "the words",
        ),
        (
            "percent_change",
            [MARCH, Given("June", "deposits were $4.83 billion", "s1", D("4.9e9"))],
            "15%",
            "does not stand",
        ),
        ("percent_change", [MARCH, Given("June", "", "s1", D("4.83e9"))], "15%", "the words"),
        ("percent_change", [MARCH], "15%", "takes"),
        ("sum", [MARCH, Given("clients", "120,000 clients", "s1", D(120000))], "$4.2 billion", "units"),
        (
            "difference",
            [JUNE, Given("losses", "not $9 million", "s1", D("9e6"))],
            "$4.821 billion",
            "does not stand",
        ),
    ],
)
def test_what_does_not_hold_is_refused(operation: str, given: list[Given], text: str, said: str) -> None:
    with pytest.raises(DerivationError, match=said):
        checked(operation, given, claim(text), LIBRARY)  # type: ignore[arg-type]
