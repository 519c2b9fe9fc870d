"""A later look compares the whole evidence: what governs the words, and what is struck out, counts as the words do."""

from __future__ import annotations

import pytest

from tests.unit.evidence.pages import page
from verifaible.evidence.place import place, place_again, reads_alike
from verifaible.evidence.verdict import message_of
from verifaible.schema.anchor import AnchorRequest

QUOTE = "The bridge may be crossed by lorries."
LIST = "<p>Before.</p><p>{lead}</p><ul><li>The bridge may be crossed by lorries.</li><li>It is lit.</li></ul>"
TERM = "<dl><dt>{lead}</dt><dd>The bridge may be crossed by lorries.</dd></dl><p>After.</p>"
FAQ = "<details open><summary>{lead}</summary><p>The bridge may be crossed by lorries.</p></details>"
TABLE = (
    "<table><caption>{caption}</caption><thead><tr><th>Town<th>{column}</tr></thead>"
    "<tbody><tr><th>{row}<td>14.2</tr><tr><th>Brook<td>11.9</tr></tbody></table>"
)
HEADS = {"caption": "Rents, in euros", "column": "2024", "row": "Alder"}


@pytest.mark.parametrize(
    ("form", "then", "now", "said"),
    [
        (LIST, {"lead": "It holds that:"}, {"lead": "It is not true that:"}, "not"),
        (LIST, {"lead": "Since 2021:"}, {"lead": "Until 2021:"}, "Until"),
        (TERM, {"lead": "Allowed"}, {"lead": "Forbidden"}, "Forbidden"),
        ("<p>{body}</p>", {"body": QUOTE}, {"body": f"<del>{QUOTE}</del>"}, "bridge"),
        ("<p>{body}</p>", {"body": QUOTE}, {"body": QUOTE.replace("may", "may <ins>not</ins>")}, "not"),
        ("<p>{body}</p>", {"body": QUOTE}, {"body": QUOTE.replace("lorries", "cars")}, "cars"),
    ],
)
def test_words_whose_governors_or_marks_say_something_else(
    form: str, then: dict[str, str], now: dict[str, str], said: str
) -> None:
    request = AnchorRequest(evidence_type="text", quote=QUOTE)
    sealed, later = (page("", markup=form.format(**each)) for each in (then, now))
    cited = place(sealed, request)
    assert cited.verdict == "verified" and cited.anchor is not None
    again = place_again(later, request, cited.anchor, sealed)
    assert again.verdict == "changed"
    assert said in message_of(again)


@pytest.mark.parametrize(
    ("now", "verdict", "said"),
    [
        ({"column": "2025"}, "gone", ""),
        ({"row": "Ash"}, "gone", ""),
        ({"caption": "Rents, in dollars"}, "changed", "dollars"),
        ({}, "verified", ""),
    ],
)
def test_a_cell_whose_heads_or_caption_say_something_else(
    now: dict[str, str], verdict: str, said: str
) -> None:
    request = AnchorRequest(evidence_type="table", row=("Alder",), column=("2024",))
    sealed, later = (page("", markup=TABLE.format(**{**HEADS, **each})) for each in ({}, now))
    cited = place(sealed, request)
    assert cited.verdict == "verified" and cited.anchor is not None
    again = place_again(later, request, cited.anchor, sealed)
    assert again.verdict == verdict
    assert said in message_of(again)


def test_sources_that_read_alike_need_no_search_and_others_are_not_alike() -> None:
    twice = f"<p>{QUOTE}</p><p>Between.</p><p>{QUOTE}</p>"
    request = AnchorRequest(evidence_type="text", quote=QUOTE, near="Between.")
    sealed, same = page("", markup=twice), page("", markup=f"<div style='margin: 9px'>{twice}</div>")
    second = [at for at, block in enumerate(sealed.document.blocks) if block.text == QUOTE][1]
    start = sealed.document.starts[second]
    anchor = place(page(QUOTE), AnchorRequest(evidence_type="text", quote=QUOTE)).anchor
    assert anchor is not None
    anchor = anchor.model_copy(update={"start": start, "end": start + len(QUOTE)})
    assert reads_alike(sealed.document, same.document)
    again = place_again(same, request, anchor, sealed)
    assert (again.verdict, again.words[0].block) == ("verified", second)
    for other in (
        twice.replace("lorries", "cars"),
        twice.replace("<p>Between.</p>", ""),
        f"<h2>A</h2>{twice}",
    ):
        assert not reads_alike(sealed.document, page("", markup=other).document)
