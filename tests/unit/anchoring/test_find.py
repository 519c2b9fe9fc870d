"""What is asked of a Document: whole sentences, cells and rows, with what governs them."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.kit import suites
from tests.kit.documents import Draft, edited, lines
from verifaible.anchoring.evidence import Found
from verifaible.anchoring.find import find
from verifaible.extract.document import Box, Document, Image, Moment, Step
from verifaible.schema.anchor import AnchorRequest


def page() -> Document:
    draft = Draft()
    draft.add("River news", "heading")
    draft.add(
        "The river rose by 10<sup>6</sup> litres.<note>[1]</note> It fell. “It is safe. It is dry,” said nobody."
    )
    draft.list("It is not true that:", ["<li>1.</li> the bridge is open", "the road is shut."])
    draft.table([["City", "2023", "2024"], ["Bergen", "5.0", "5.1"], ["Oslo", "6.1", "6.2"]], caption="Rates")
    draft.add("Fees", "heading")
    draft.add("The fee is <del>9</del> <ins>6</ins> pounds.")
    question = draft.add("Is the lift safe?")
    draft.add("Nobody knows.", governors=[("question", question)])
    speaker = draft.add("A rival of the firm said:")
    draft.add("It has no money.", "quotation", governors=[("speaker", speaker)])
    note = draft.add("Before tax.", "paragraph")
    draft.add("It earned 5 million.<note>2</note>", governors=[("footnote", note)])
    for place, text in enumerate(("Status", "not in force")):
        draft.add(text, rows=(Step(99, 0, place),))
    dam = draft.add("Is the dam old?\nIt is. Very.\nThe dam is tall? No. It leaks.")
    draft.add("Is the quay open?", governors=[("answer", dam + 2)])
    draft.add("Not yet. Come in May.")
    return draft.document


PAGE = page()


def asked(quote: str, document: Document = PAGE, **fields: Any) -> Found:
    return find(document, AnchorRequest(quote=quote, **fields))


#: Words, the evidence that they are of, and what a reader is shown.
SHOWN = (
    ("it fell", "It fell.", "River news\nIt fell."),
    ("is dry", "“It is safe. It is dry,” said nobody.", "River news\n“It is safe. It is dry,” said nobody."),
    ("10⁶ litres", None, "River news\nThe river rose by 10⁶ litres.[1]"),
    ("litres. It fell", None, "River news\nThe river rose by 10⁶ litres.[1] It fell."),
    ("bridge is open", None, "River news\nIt is not true that:\n(item 1 of 2) 1. the bridge is open"),
    (
        "the bridge is open the road is shut",
        "1. the bridge is open\nthe road is shut.",
        "River news\nIt is not true that:\n(item 1 of 2) 1. the bridge is open\n(item 2 of 2) the road is shut.",
    ),
    ("5.1", "5.1", "River news\nRates\nCity: Bergen | 2023: 5.0 | 2024: 5.1"),
    ("Bergen 5.0", "Bergen\n5.0", "River news\nRates\nCity: Bergen | 2023: 5.0 | 2024: 5.1"),
    (
        "Bergen 5.0 5.1 Oslo 6.1 6.2",
        None,
        "River news\nRates\nCity: Bergen | 2023: 5.0 | 2024: 5.1\nCity: Oslo | 2023: 6.1 | 2024: 6.2",
    ),
    ("the fee is 6", None, "Fees\nThe fee is [struck out: 9] [inserted: 6] pounds."),
    ("nobody knows", None, "Fees\nIs the lift safe?\nNobody knows."),
    ("no money", None, "Fees\nA rival of the firm said:\nIt has no money."),
    ("earned 5 million", None, "Fees\nIt earned 5 million.2\nBefore tax."),
    ("in force", "not in force", "Fees\nStatus | not in force"),
    ("the dam old", "Is the dam old?", "Fees\nIs the dam old?\nIt is. Very."),
    ("very", "Very.", "Fees\nIs the dam old?\nVery."),
    ("the dam is tall", "The dam is tall?", "Fees\nThe dam is tall?\nNo."),
    ("quay open", "Is the quay open?", "Fees\nIs the quay open?\nNot yet."),
)


@pytest.mark.parametrize(("quote", "evidence", "shown"), SHOWN)
def test_evidence_is_whole_and_stands_under_what_governs_it(
    quote: str, evidence: str | None, shown: str
) -> None:
    found = asked(quote)
    anchor = found.anchor
    assert found.verdict == "verified"
    assert anchor is not None
    assert anchor.shown.text == shown
    assert evidence is None or anchor.evidence == evidence
    assert anchor.evidence[anchor.in_evidence :].startswith(anchor.text)
    assert PAGE.text[anchor.start : anchor.end] == anchor.text
    told = "".join(anchor.shown.text[a:b] for a, b in anchor.shown.words)
    said = "".join(PAGE.blocks[w.block].text[w.start : w.end] for w in found.words)
    assert "".join(told.split()) == "".join(said.replace("106", "10⁶").split())
    assert {each.text for each in anchor.structure if each.kind == "heading"} == {shown.partition("\n")[0]}


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("Rain fell. Snow fell.", "verified"),
        ("It was cold. Rain fell. Snow fell. It was late.", "verified"),
        ("fell. Snow fell.", "changed"),
        ("Rain fell. Snow", "changed"),
    ],
)
def test_a_quote_over_blocks_has_whole_sentences_of_each(quote: str, verdict: str) -> None:
    document = lines("It was cold. Rain fell.", "Snow fell. It was late.")
    assert find(document, AnchorRequest(quote=quote)).verdict == verdict


REFUSED = (
    "2024 Bergen",
    "5.1 Oslo",
    "5.0 5.1 Oslo 6.1",
    "bridge is open the road is shut",
    "106 litres",
    "fell dry",
)


@pytest.mark.parametrize("quote", REFUSED)
def test_words_that_nobody_reads_so_are_no_quote(quote: str) -> None:
    found = asked(quote)
    assert found.verdict in ("changed", "gone")
    assert found.verdict == "gone" or found.nearest


def test_what_a_quote_leaves_out_is_told_so_that_it_can_be_looked_at() -> None:
    found = asked("litres. It fell")
    assert [PAGE.blocks[place.block].text[place.start : place.end] for place in found.between] == [
        "[",
        "1",
        "]",
    ]
    assert len(found.words) == 2


def test_one_of_several_places_is_told_by_what_stands_near() -> None:
    document = lines("The rate in Ulm.", "It rose by 5.", "The rate in Bonn.", "It rose by 5.")
    several = asked("It rose by 5.", document)
    assert (several.verdict, several.candidates) == ("ambiguous", ("It rose by 5.",) * 2)
    found = asked("It rose by 5.", document, near="Bonn")
    assert found.anchor is not None
    assert (found.verdict, found.words[0].block) == ("verified", 3)
    nowhere = asked("The rate in Ulm.", document, near="Paris")
    assert (nowhere.verdict, nowhere.near_found) == ("moved", False)


def test_a_miss_shows_the_nearest_words_and_what_differs() -> None:
    document = lines("Nothing here.", "In May the rate rose to 5.3 per cent in Ulm.", "Last words.")
    found = asked("the rate rose to 5.4 per cent", document)
    assert (found.verdict, found.nearest) == ("changed", "the rate rose to 5.3 per cent")
    assert [(d.op, d.text, d.kind) for d in found.difference if d.op != "same"] == [
        ("removed", "5.4", "number"),
        ("added", "5.3", "number"),
    ]
    assert asked("the rate was not what it seemed to be", document).verdict == "gone"
    assert asked("", document).verdict == "gone"


def test_a_page_is_a_hint_and_a_sentence_may_go_over_its_end() -> None:
    draft = Draft(medium="pdf")
    boxes = (Box(0, 12, 0, 700, 90, 10), Box(12, 26, 0, 20, 90, 10, page=2))
    draft.add("The levy fell to 5 per ton.", page_number=1, boxes=boxes)
    draft.add("It fell.", page_number=1)
    draft.add("It fell.", page_number=2)
    document = draft.document
    for quote, page_number, there in (("It fell.", 2, 2), ("to 5 per", 2, 2), ("The levy fell to", 9, 1)):
        found = asked(quote, document, evidence_type="pdf", page_number=page_number)
        assert found.anchor is not None
        assert (found.verdict, found.anchor.page_number) == ("verified", there)
        assert found.anchor.text_fragment.endswith(f"#page={there}")
    assert asked("It fell.", document, evidence_type="pdf").verdict == "ambiguous"
    (place,) = asked("levy fell to", document, evidence_type="pdf").words
    parts = document.blocks[place.block].drawn(place.start, place.end)
    assert [(part.page, part.x, part.width) for part in parts] == [
        (1, 30.0, 60.0),
        (2, 0.0, pytest.approx(90 * 4 / 14)),
    ]


def test_captions_are_found_at_their_time() -> None:
    draft = Draft(medium="captions")
    moments = (Moment(0, 11, 1.0, 3.0), Moment(11, 26, 3.0, 6.5))
    draft.add("We went out and came home.", "cue", start_s=1.0, end_s=6.5, moments=moments)
    draft.add("We went out again.", "cue", start_s=90.0, end_s=92.0)
    found = asked("We went out", draft.document, evidence_type="video", at_s=88)
    assert found.anchor is not None
    assert found.anchor.time is not None
    assert (found.verdict, found.anchor.time.start_s) == ("verified", 90.0)
    late = asked("came home", draft.document, evidence_type="video", at_s=70)
    assert late.anchor is not None
    assert late.anchor.time is not None
    assert (late.verdict, late.anchor.time.start_s, late.anchor.time.end_s) == ("moved", 3.0, 6.5)


def test_images_are_found_by_path_text_and_place() -> None:
    box = Box(0, 0, 10, 10, 20, 20)
    images = (Image("body > img", "img", "A map", "a.png", box), Image("p > img", "img", "", "b.png", box))
    document = edited(lines("Words."), images=images)
    for fields in ({"selector": "p > img"}, {"alt": "a MAP"}):
        found = asked("", document, evidence_type="image", **fields)
        assert found.verdict == "verified"
        assert found.image == (1 if "selector" in fields else 0)
    assert asked("", document, evidence_type="image", position=(15, 15)).verdict == "ambiguous"
    assert asked("", document, evidence_type="image", alt="no").verdict == "gone"


def test_large_pages_are_searched_quickly() -> None:
    draft = Draft()
    draft.table(
        [
            ["Row", *(f"col {c}" for c in range(23))],
            *([f"name {r}", *(f"{r}.{c}" for c in range(23))] for r in range(1000)),
        ]
    )
    cells = draft.document
    paragraphs = lines(
        *(f"In {n} the rate rose to {n}.5 per cent. Why {n * 7} fell is not clear." for n in range(2500))
    )
    for document, quote in (
        (cells, "777.5"),
        (paragraphs, "rate rose to 1234.5"),
        (paragraphs, "rate rose to 9999.9"),
    ):
        began = time.process_time()
        assert asked(quote, document).verdict in ("verified", "changed", "gone")
        assert time.process_time() - began < 1


@pytest.mark.parametrize("row", suites.load("shown"), ids=lambda row: row.id)
def test_a_reader_is_shown_the_whole_sentence_in_any_language(row: suites.Row) -> None:
    document = lines(row.input["text"], language=row.input["language"])
    found = asked(row.input["quote"], document)
    assert found.anchor is not None
    assert (found.verdict, found.anchor.shown.text) == ("verified", row.expect["shown"])
