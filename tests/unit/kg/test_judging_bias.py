"""Bias of a judge, measured: a planted one is found where it is and nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.marks import nightly
from tests.unit.kg.judged import Forgetful, judge_by, line, question, said, triple
from verifaible.kg.judging.bias import CONTROLS, Flip, bias_table, flips_of, sampled
from verifaible.kg.judging.protocol import Question, item_of
from verifaible.kg.triples import COVERAGE, CRITERIA

FILER = "Brennock Water Technologies, Inc."
NAMES = ("Aldern", "Birke", "Corvo", "Dunmore")


def chunk(number: int, criterion: str) -> Question:
    """A chunk of eight sentences, three of which triples rest on."""
    sentences = [
        "The filer sells pumps to towns of every size.",
        f"{FILER} bought the plant in {NAMES[0]} in spring.",
        "Rain was heavy that year, and rivers rose.",
        f"{FILER} sold its works in {NAMES[1]} to Corvo Metals Limited.",
        "Wages rose a little in most regions.",
        f"Orders from {NAMES[2]} doubled, says {FILER} in its letter.",
        "Steel was dear until the autumn came.",
        f"Chunk {number} ends with a word on the weather.",
    ]
    text = f"**Business of the year**\n\n{' '.join(sentences)}\n"
    ends = [NAMES[0], NAMES[1], NAMES[2]]
    triples = [
        triple(at, FILER, "acts_in", end, start=text.index(end), end=text.index(end) + len(end))
        for at, end in enumerate(ends)
    ]
    return question(criterion, text, triples, chunk=f"c{number}", filer=FILER)


def chunks() -> list[Question]:
    return [chunk(number, criterion) for number in range(12) for criterion in (*CRITERIA, COVERAGE)]


def parts(user: str) -> dict[str, str]:
    found = re.findall(r"--- content of ([^(]+) \(.*?---\n(.*?)\n--- end of content", user, re.S)
    return {label.strip(): text for label, text in found}


Rule = Callable[[str, list[list[str]], int], bool]


def reply_by(rule: Rule) -> Callable[[str], str]:
    """A judge whose verdict on the triple at a place is decided by a rule; of a set, by that on the first."""

    def reply(user: str) -> str:
        shown = parts(user)
        text = shown["the text"]
        triples = [json.loads(each.partition(" ")[2]) for each in shown["the triples"].splitlines()]
        held = [rule(text, triples, at) for at in range(len(triples))]
        if user.endswith("1 item."):
            return line([said("good" if held[0] else "bad")])
        return line(
            [said(int(each), span=tail[2] if each else "") for each, tail in zip(held, triples, strict=True)]
        )

    return reply


def before(text: str, first: str, second: str) -> bool:
    return text.index(first) < text.index(second)


def sentences(text: str) -> int:
    return len(re.findall(r"\.\s+[A-Z]", text))


BIASES: dict[str, Rule] = {
    "order of the sentences": lambda text, triples, at: (
        before(text, "Rain was", "Wages rose")
        and before(text, "Wages rose", "Steel was")
        and before(text, "Steel was", "on the weather")
    ),
    "place of the relevant sentence": lambda text, triples, at: (
        sentences(text.partition(triples[at][2])[0]) < 5
    ),
    "order of the triples": lambda text, triples, at: (
        triples[at][2] == sorted(each[2] for each in triples)[at]
    ),
    "longer names": lambda text, triples, at: len(triples[at][0]) <= len(FILER),
    "shorter names": lambda text, triples, at: "," in triples[at][0],
    "neutral padding": lambda text, triples, at: sentences(text) < 9,
    "another company": lambda text, triples, at: triples[at][0].startswith("Brennock"),
}


async def shares(rule: Rule, folder: Path) -> dict[tuple[str, str], tuple[int, int]]:
    flips = await flips_of(judge_by(reply_by(rule), Forgetful(folder)), chunks(), seed=7)
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for each in flips:
        assert each.outcome == "decided"
        flipped, all_of = found.get((each.control, each.criterion), (0, 0))
        found[each.control, each.criterion] = flipped + (each.before != each.after), all_of + 1
    return found


@pytest.mark.parametrize("planted", [*list(CONTROLS)[:3], *map(nightly, list(CONTROLS)[3:])])
async def test_a_planted_bias_is_found_exactly_where_it_is(planted: str, tmp_path: Path) -> None:
    found = await shares(BIASES[planted], tmp_path)
    assert found.keys() == {(control, each) for control in CONTROLS for each in (*CRITERIA, COVERAGE)}
    for (control, criterion), (flipped, of) in found.items():
        assert of == (12 if criterion == COVERAGE else 36)
        assert (flipped / of > 0.5) if control == planted else flipped == 0, (control, criterion)


async def test_a_judge_without_bias_flips_nothing(tmp_path: Path) -> None:
    found = await shares(lambda text, triples, at: triples[at][2] in text, tmp_path)
    assert len(found) == 28 and all(flipped == 0 for flipped, _ in found.values())


@pytest.mark.parametrize("control", list(CONTROLS))
def test_a_change_keeps_every_word_that_counts(control: str) -> None:
    asked = chunk(1, "faithfulness")
    changed = CONTROLS[control](asked, "7/c1")
    assert changed != asked
    assert {each.id for each in changed.triples} == {each.id for each in asked.triples}
    assert item_of(changed).system == item_of(asked).system
    for each in changed.triples:
        assert each.head in changed.text and each.tail in changed.text
    if "order" in control or "place" in control:
        assert sorted(changed.text.split()) == sorted(asked.text.split())
    again = CONTROLS[control](asked, "7/c1")
    assert again == changed


def test_a_heading_goes_with_its_table_and_what_cannot_change_is_not_asked() -> None:
    text = "(In millions)\n\n| | 2024 |\n| --- | --- |\n| Sales | 12.5 |\n\nIt rained. Nobody came.\n"
    one = triple(1, "we", "reports", "12.5", start=text.index("12.5"), end=text.index("12.5") + 4)
    asked = question("faithfulness", text, [one])
    moved = CONTROLS["place of the relevant sentence"](asked, "7/c")
    assert moved.text.startswith("It rained.") and "(In millions)\n\n| | 2024 |" in moved.text
    alone = question("faithfulness", "It rained.", [one])
    unchanged = (
        "order of the sentences",
        "place of the relevant sentence",
        "order of the triples",
        "another company",
    )
    assert all(CONTROLS[control](alone, "7/c") == alone for control in unchanged)


def test_a_sample_is_of_chunks_with_triples_and_the_same_for_a_seed() -> None:
    asked = [*chunks(), question("precision", "It rained.", [], chunk="empty")]
    drawn = sampled(asked, 3, 5)
    assert len({each.chunk for each in drawn}) == 3 and len(drawn) == 12
    assert drawn == sampled(asked, 3, 5) != sampled(asked, 3, 6)
    assert len(sampled(asked, 99, 5)) == len(chunks())


def test_what_failed_is_no_flip_and_is_counted() -> None:
    def flip(number: int, after: str) -> Flip:
        outcome = "decided" if after else "failed"
        return Flip.model_validate(
            {"control": "longer names", "criterion": "precision", "chunk": f"c{number % 4}", "of": f"t{number}",
             "outcome": outcome, "before": "1", "after": after}
        )  # fmt: skip

    flips = [flip(at, after) for at, after in enumerate(["1", "0", "1", "1", "", "0", "1", "1"])]
    table = bias_table(flips, "mind")
    (row,) = [each for each in table.rows if each.cells[0].text == "longer names"]
    cell = row.cells[2]
    assert cell.value == pytest.approx(2 / 7)
    assert (cell.n, cell.of) == (7, 8)
    assert cell.low is not None and cell.low < 2 / 7 < (cell.high or 0)
    assert row.cells[1].state == "nothing"
