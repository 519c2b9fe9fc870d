"""Quotes that a cut turns round: shown with their whole sentence, never cut inside a word or a quantity, and
changed when the sentence around them is."""

from __future__ import annotations

import pytest

from tests.unit.evidence.pages import page, pdf, video
from verifaible.anchoring.evidence import Found
from verifaible.evidence.material import Material
from verifaible.evidence.place import place
from verifaible.schema.anchor import AnchorRequest


def cited(material: Material, quote: str) -> Found:
    kind = {"pdf": "pdf", "captions": "video"}.get(material.document.medium, "text")
    return place(material, AnchorRequest.model_validate({"quote": quote, "evidence_type": kind}))


def checked(before: Material, after: Material, quote: str) -> Found:
    """A quote that was cited then, looked for in what the source says now."""
    first = cited(before, quote)
    assert first.verdict == "verified"
    assert first.anchor is not None
    again = AnchorRequest(quote=quote, evidence_type=first.anchor.evidence_type)
    return place(after, again, first.anchor, before)


#: Sentence and quote.
LEFT_OUT = [
    ("The plan was not approved by the board.", "approved by the board"),
    ("The office in Zürich isn’t closed.", "closed"),
    ("Inflation is not where we want it to be.", "where we want it to be"),
    ("股东会不同意该方案。", "同意该方案"),
    ("股东会不同意该方案。", "该方案"),
    ("董事会未批准该议案。", "批准该议案"),
    ("调查的结果尚未公布。", "公布"),
    ("1月份，非制造业商务活动指数为49.4%。", "制造业商务活动指数为49.4%"),
    ("会议没收到任何报告。", "收到任何报告"),
    ("議会は無条件の援助を可決した。", "条件の援助を可決した"),
    ("損失は発生しない。", "損失は発生し"),
    ("Der Vorstand hat den Plan nicht genehmigt.", "den Plan"),
    ("Le conseil n’a pas approuvé le plan.", "approuvé le plan"),
    ("Правление не одобрило план, о котором говорилось на заседании.", "одобрило план"),
    ("If rents stop rising, the board will close the mine.", "the board will close the mine"),
    ("The board reportedly closed the mine in May.", "closed the mine in May"),
    ("Did the board close the mine?", "the board close the mine"),
]


@pytest.mark.parametrize(("sentence", "quote"), LEFT_OUT)
def test_whoever_is_shown_the_quote_is_shown_what_turns_it_round(sentence: str, quote: str) -> None:
    found = cited(page(sentence), quote)
    assert found.verdict == "verified"
    assert found.anchor is not None
    assert found.anchor.shown.text == found.anchor.evidence == sentence


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Net assets were -5.4 million.", "5.4 million"),
        ("人口140489万人，其中男性过半。", "140489"),
        ("정부는 이 안을 승인하지 않았다.", "정부는 이 안을 승인하"),
        ("The non-manufacturing PMI was 49.4.", "manufacturing PMI was 49.4"),
    ],
)
def test_a_quote_that_cuts_a_word_or_a_quantity_is_refused(sentence: str, quote: str) -> None:
    assert cited(page(sentence), quote).verdict == "changed"


#: What was said, what is said now, and the quote, whose own words stay.
TURNED = [
    ("The board approved the plan in May.", "The board never approved the plan in May.", "approved the plan"),
    ("股东会同意该方案。", "股东会不同意该方案。", "同意该方案"),
    ("结果已于5月公布。", "结果未于5月公布。", "于5月公布"),
    ("Bodi inaidhinisha mpango huo.", "Bodi haikuidhinisha, si inaidhinisha mpango huo.", "mpango huo"),
    ("The rate rose by 5%.", "The rate rose by 5% in Berlin only.", "The rate rose by 5%"),
]  # fmt: skip


@pytest.mark.parametrize(("then", "now", "quote"), TURNED)
def test_a_sentence_that_was_turned_round_about_its_quote_is_changed(then: str, now: str, quote: str) -> None:
    found = checked(page(then), page(now), quote)
    assert found.verdict == "changed"
    assert found.difference


def test_the_captions_around_a_quote_belong_to_it() -> None:
    said = ("Inflation is", "where we want it to be.", "Thank you.")
    turned = ("Inflation is not", "where we want it to be.", "Thank you.")
    found = cited(video(*turned), "where we want it to be")
    assert found.anchor is not None
    assert found.anchor.shown.text == "Inflation is not where we want it to be."
    assert checked(video(*said), video(*said), "where we want it to be").verdict == "verified"
    assert checked(video(*said), video(*turned), "where we want it to be").verdict == "changed"


def test_the_sentence_of_a_passage_goes_on_over_the_end_of_its_page() -> None:
    head = "The annual report of the mine for the year that has just ended.\nAfter long talks, the board of the mine has not approved the"
    foot = "plan to close the mine, which its owners had asked it for."
    quote = "approved the plan to close"
    found = cited(pdf(head, foot), quote)
    assert found.anchor is not None
    assert found.anchor.shown.text.startswith(
        "After long talks, the board of the mine has not approved the plan"
    )
    plain = head.replace(" not", " now")
    assert checked(pdf(plain, foot), pdf(plain, foot), quote).verdict == "verified"
    assert checked(pdf(plain, foot), pdf(head, foot), quote).verdict == "changed"
    assert checked(pdf(plain, foot), pdf(plain, foot[:-1] + " if it may."), quote).verdict == "changed"


def test_a_paragraph_of_a_pdf_is_not_read_with_the_one_above_it() -> None:
    parted = pdf("Berths lapse upon sale\n\nBoats are not for rent\n\nThe kitchen has a stove\n")
    found = cited(parted, "The kitchen has a stove")
    assert found.verdict == "verified"
    assert found.anchor is not None
    assert found.anchor.evidence == "The kitchen has a stove"
    assert cited(parted, "for rent The kitchen has a stove").verdict == "changed"
