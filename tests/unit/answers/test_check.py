"""The rules of the check: what a marker covers, what counts as a fact, and what is broken."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from verifaible.answers.check import CheckedAnswer, State, check
from verifaible.answers.support import CitedEvidence
from verifaible.answers.words import annotated, summary
from verifaible.errors import CitationNotFound

EVIDENCE = {
    "1": CitedEvidence(id="a" * 20, text="Turnover was 5 million euros in 2025, Acme Corp said."),
    "2": CitedEvidence(id="b" * 20, text="Profit: 600,000 euros"),
    "3": CitedEvidence(
        id="c" * 20, text="Turnover was 5 million euros", ok=False, reason="gone. It is gone."
    ),
}
EVIDENCE["abcd"] = EVIDENCE["1"]


class Source:
    """Evidence by target; counts how often each is asked for."""

    def __init__(self, evidence: Mapping[str, CitedEvidence] = EVIDENCE) -> None:
        self.evidence = evidence
        self.asked: list[str] = []

    def find(self, target: str) -> CitedEvidence:
        self.asked.append(target)
        if target not in self.evidence:
            raise CitationNotFound(f"There is no {target!r}. Correct the marker.")
        return self.evidence[target]


def checked(text: str, question: str = "") -> CheckedAnswer:
    return check(text, Source(), question=question)


def states(text: str, question: str = "") -> list[State]:
    return [sentence.state for sentence in checked(text, question).sentences]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a marker covers its sentence, and no other
        ("Turnover was 5 million euros [@v:1]. Profit was 600,000 euros.", ["supported", "unsupported"]),
        ("Turnover was 5 million euros. [@v:1] Profit was 600,000 euros.", ["supported", "unsupported"]),
        ("Turnover was 5 million euros. Profit was 600,000 euros. [@v:2]", ["unsupported", "supported"]),
        ("[@v:1] Turnover was 5 million euros. Profit was 600,000 euros.", ["supported", "unsupported"]),
        ("Turnover was 5 million euros.\n[@v:1]", ["supported"]),
        ("Turnover was 5 million euros.\n\n[@v:1]", ["supported"]),
        ("[@v:1]", []),
        # several markers: the evidence of all of them
        ("Turnover was 5 million euros, profit 600,000 euros [@v:1][@v:2].", ["supported"]),
        ("Turnover was 5 million euros [@v:1], profit 600,000 euros [@v:2].", ["supported"]),
        ("Turnover was 5 million euros, profit 600,000 euros [@v:1].", ["partly"]),
        # a row
        (
            "|a|b|\n|-|-|\n|Turnover|5 million euros [@v:1]|\n|Profit|600,000 euros|",
            ["no_facts", "supported", "unsupported"],
        ),
        ("|a (million euros)|\n|-|\n|5 [@v:1]|\n|6 [@v:1]|", ["no_facts", "supported", "partly"]),
        # an item, all its sentences; an inner item is another
        (
            "- Turnover was 5 million euros. It was so in 2025 [@v:1].\n  - Profit was 600,000 euros.",
            ["supported", "supported", "unsupported"],
        ),
        ("1. Turnover was 5 million euros [@v:1].\n2. Good.", ["supported", "no_facts"]),
        # what has nothing to support
        ("# 2025 at Acme Corp\n\nThat is all.", ["no_facts", "no_facts"]),
        ("# Turnover of 7 million euros", ["unsupported"]),
        ("Was it 7 million euros?", ["no_facts"]),
        ("```\nx = 7 million euros\n```", ["no_facts"]),
        ("It went well [@v:1].", ["no_facts"]),
        # broken, whatever else is there
        ("Turnover was 5 million euros [@v:1][@v:9].", ["broken"]),
        ("Turnover was 5 million euros [@v:3].", ["broken"]),
        ("It went well [@v:9].", ["broken"]),
        ("It went well [@v:].", ["broken"]),
        # an id instead of a number
        ("Turnover was 5 million euros [@v:ABCD].", ["supported"]),
        # mark-up hides nothing
        ("Turnover was **7** *million* `euros` [@v:1].", ["partly"]),
        ("Turnover was [7 million euros](https://a.example) [@v:1].", ["partly"]),
        ("> Turnover was 7 million euros", ["unsupported"]),
        ("~~Turnover was 7 million euros~~", ["unsupported"]),
        ("<b>Turnover was 7 million euros</b>", ["unsupported"]),
        ("<!-- Turnover was 7 million euros -->", ["unsupported"]),
        ("Turnover was &#x37; million euros [@v:1].", ["partly"]),
        ("Turnover was &#53;&nbsp;million euros [@v:1].", ["supported"]),
    ],
)
def test_rules(text: str, expected: list[State]) -> None:
    assert states(text) == expected


@pytest.mark.parametrize(
    ("evidence", "text", "state"),
    [
        # the sentence says how the quote is meant
        (
            CitedEvidence(id="e", text="5 %", around=("The rate was not ", ".")),
            "It was 5 % [@v:1].",
            "partly",
        ),
        (CitedEvidence(id="e", text="5 %", around=("The rate was ", ".")), "It was 5 % [@v:1].", "supported"),
        (
            CitedEvidence(id="e", text="5 %", around=("It was more than ", ".")),
            "It was 5 % [@v:1].",
            "partly",
        ),
        # the quote says what is cited
        (
            CitedEvidence(id="e", text="5 %", around=("It was ", ", then 6 %.")),
            "It was 6 % [@v:1].",
            "partly",
        ),
        (CitedEvidence(id="e", text="5 %", around=("Acme had ", ".")), "Acme Corp had 5 % [@v:1].", "partly"),
    ],
)
def test_a_quote_is_read_in_its_sentence(evidence: CitedEvidence, text: str, state: State) -> None:
    assert [each.state for each in check(text, Source({"1": evidence})).sentences] == [state]


def test_question_may_be_repeated() -> None:
    question = "Why was the turnover of Widget Holdings 7 million euros in 2024?"
    text = "The turnover of Widget Holdings was 7 million euros in 2024. In 2025 it was 8 million euros."
    assert states(text, question) == ["no_facts", "unsupported"]
    assert states(text) == ["unsupported", "unsupported"]
    (first, _) = checked(text, question).sentences
    assert all(fact.asked for fact in first.facts)
    # a changed number of the question is none of it
    assert states("It was 7 billion euros.", question) == ["unsupported"]


def test_ranges_are_those_of_the_answer() -> None:
    text = "  Intro.\n\n- Turnover was **5** million euros [@v:1]. \n\n[@v:1]: abcd\n"
    found = checked(text)
    assert [text[each.start : each.end] for each in found.sentences] == [
        each.text for each in found.sentences
    ]
    (fact,) = found.sentences[1].facts
    assert (fact.raw, text[fact.start : fact.end]) == ("5 million euros", "5** million euros")
    assert found.ok
    assert found.citations == ("a" * 20,)


def test_evidence_is_asked_for_once() -> None:
    source = Source()
    check("A 5 [@v:1]. B 6 [@v:1][@v:9]. C 7 [@v:9].", source)
    assert source.asked == ["1", "9"]


def test_crowded_evidence_singles_nothing_out() -> None:
    crowd = CitedEvidence(id="d" * 20, text=" ".join(f"{number}.5;" for number in range(100, 141)))
    (sentence,) = check("It was 120.5 [@v:1].", Source({"1": crowd})).sentences
    assert (sentence.state, sentence.missing) == ("partly", ("120.5",))


def test_unit_of_a_cell_may_stand_on_its_page() -> None:
    cell = CitedEvidence(id="e" * 20, evidence_type="table", text="12.4", page_text="All in million dollars.")
    source = Source({"1": cell})
    wanted = {"12.4 million dollars": "supported", "12.4 billion dollars": "partly", "12.4 euros": "partly"}
    wanted |= {"12.4 basis points": "partly", "12.4%": "supported", "12.5 million dollars": "partly"}
    found = {text: check(f"It was {text} [@v:1].", source).sentences[0].state for text in wanted}
    assert found == wanted


def test_title_tells_names_and_dates_but_no_numbers() -> None:
    page = CitedEvidence(id="f" * 20, text="It rose 3%.", title="Acme Corp, March 2026: 5% up")
    source = Source({"1": page})
    assert check("Acme Corp rose 3% in March 2026 [@v:1].", source).ok
    assert check("Acme Corp rose 5% in March 2026 [@v:1].", source).sentences[0].missing == ("5%",)


def test_what_is_said_about_it() -> None:
    text = "Turnover was 7 million euros [@v:1]. Fine. Profit was 9 euros.\nIt was 5 [@v:9]"
    found = checked(text)
    assert summary(found) == (
        "4 sentences: 1 not all in the evidence, 1 no evidence, 1 broken marker, 1 nothing to support"
    )
    assert [(each.state, each.missing, each.faults) for each in found.sentences] == [
        ("partly", ("7 million euros",), ()),
        ("no_facts", (), ()),
        ("unsupported", ("9 euros",), ()),
        ("broken", ("5",), ("There is no '9'. Correct the marker.",)),
    ]
    noted = annotated(found)
    assert noted == (
        "Turnover was 7 million euros [@v:1]. ⟦not in the evidence: 7 million euros⟧ Fine. Profit was 9 euros."
        " ⟦no evidence⟧\nIt was 5 [@v:9] ⟦broken marker⟧"
    )
    assert [each.state for each in checked(noted).sentences] == [each.state for each in found.sentences]
