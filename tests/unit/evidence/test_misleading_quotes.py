"""Words that stand on a page whose sentence says something else: refused when cited, changed when checked again."""

from __future__ import annotations

import pytest

from verifaible.browser.reading import FrameText, PageText
from verifaible.evidence.observing.material import Material, PageMaterial, PdfMaterial, VideoMaterial
from verifaible.evidence.observing.places import Placement, place
from verifaible.schema.anchor import Anchor, AnchorRequest
from verifaible.schema.transcript import Caption, Transcript


def page(text: str, language: str = "") -> PageMaterial:
    frame = FrameText(path=(), url="http://a.test/", start=0, text=text, language=language)
    return PageMaterial(url="http://a.test/", title="", page=PageText(frames=(frame,)))


def video(*lines: str, language: str = "en") -> VideoMaterial:
    captions = tuple(Caption(start_s=4.0 * n, duration_s=4.0, text=text) for n, text in enumerate(lines))
    return VideoMaterial(
        url="http://a.test/v",
        title="",
        transcript=Transcript(video_id="v", language=language, captions=captions),
    )


def pdf(*pages: str) -> PdfMaterial:
    return PdfMaterial(url="http://a.test/a.pdf", title="", pages=pages)


def cited(material: Material, quote: str) -> Placement:
    kind = {PdfMaterial: "pdf", VideoMaterial: "video"}.get(type(material), "text")
    return place(material, AnchorRequest.model_validate({"quote": quote, "evidence_type": kind}))


def checked(before: Material, after: Material, quote: str) -> Placement:
    """A quote that was let pass then, looked for in what the source says now."""
    first = cited(before, quote)
    assert first.verdict == "verified"
    assert first.anchor is not None
    again = AnchorRequest(quote=quote, evidence_type=first.anchor.evidence_type)
    return place(after, again, first.anchor)


#: Sentence, quote, and of what kind the rest of the sentence is.
LEFT_OUT = [
    ("The plan was not approved by the board.", "approved by the board", "negation"),
    ("The office in Zürich isn’t closed.", "closed", "negation"),
    ("Inflation is not where we want it to be.", "where we want it to be", "negation"),
    ("股东会不同意该方案。", "同意该方案", "negation"),
    ("股东会不同意该方案。", "该方案", "negation"),
    ("董事会未批准该议案。", "批准该议案", "negation"),
    ("调查的结果尚未公布。", "公布", "negation"),
    ("1月份，非制造业商务活动指数为49.4%。", "制造业商务活动指数为49.4%", "negation"),
    ("会议没收到任何报告。", "收到任何报告", "negation"),
    ("議会は無条件の援助を可決した。", "条件の援助を可決した", "qualifier"),
    ("損失は発生しない。", "損失は発生し", "negation"),
    ("Der Vorstand hat den Plan nicht genehmigt.", "den Plan", "negation"),
    ("Le conseil n’a pas approuvé le plan.", "approuvé le plan", "negation"),
    ("Правление не одобрило план, о котором говорилось на заседании.", "одобрило план", "negation"),
    ("If rents stop rising, the board will close the mine.", "the board will close the mine", "condition"),
    ("The board reportedly closed the mine in May.", "closed the mine in May", "doubt"),
    ("Did the board close the mine?", "the board close the mine", "question"),
]


@pytest.mark.parametrize(("sentence", "quote", "kind"), LEFT_OUT)
def test_a_new_quote_that_turns_its_sentence_round_is_refused(sentence: str, quote: str, kind: str) -> None:
    found = cited(page(sentence), quote)
    assert found.verdict == "changed"
    assert found.left_out is not None
    assert found.left_out.kind == kind
    assert found.anchor is not None
    assert found.anchor.evidence == sentence


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("股东会不同意该方案。", "股东会不同意该方案"),
        ("1月份，非制造业商务活动指数为49.4%。", "非制造业商务活动指数为49.4%"),
        ("东非国家的贸易增长。", "国家的贸易增长"),
        ("收入不断增长，利润持平。", "增长，利润持平"),
        ("价格没有上涨；产量增长5%。", "产量增长5%"),
        ("损失没有发生，工厂恢复生产。", "工厂恢复生产"),
        ("Nebo most opravili v květnu.", "most opravili v květnu"),
        ("The plan was not approved; the budget was.", "the budget was"),
    ],
)
def test_a_quote_that_leaves_out_nothing_of_weight_is_accepted(sentence: str, quote: str) -> None:
    found = cited(page(sentence), quote)
    assert (found.verdict, found.left_out) == ("verified", None)


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Net assets were -5.4 million.", "5.4 million"),
        ("净额为负5.4亿元。", "5.4亿元"),
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


def test_a_number_whose_unit_was_swapped_behind_it_is_changed() -> None:
    # Sealed when a quote might still end before its unit.
    old = Anchor(
        evidence_type="text", text="140489", prefix="人口", suffix="万人，其中男性过半。", start=2, end=8,
        evidence="人口140489万人，其中男性过半。", in_evidence=2
    )  # fmt: skip
    found = place(page("人口140489亿人，其中男性过半。"), AnchorRequest(quote="140489"), old)
    assert found.verdict == "changed"
    assert {token.text for token in found.difference if token.kind == "unit"} == {"万人", "亿"}


def test_the_captions_around_a_quote_belong_to_it() -> None:
    said = ("Inflation is", "where we want it to be.", "Thank you.")
    turned = ("Inflation is not", "where we want it to be.", "Thank you.")
    refused = cited(video(*turned), "where we want it to be")
    assert refused.verdict == "changed"
    assert refused.left_out is not None
    assert refused.left_out.kind == "negation"
    assert cited(video(*turned, language=""), "where we want it to be").verdict == "changed"
    assert checked(video(*said), video(*said), "where we want it to be").verdict == "verified"
    assert checked(video(*said), video(*turned), "where we want it to be").verdict == "changed"


def test_the_sentence_of_a_passage_goes_on_over_the_end_of_its_page() -> None:
    head, foot = "Annual report\nThe board has not approved the", "plan to close the mine."
    quote = "approved the plan to close"
    refused = cited(pdf(head, foot), quote)
    assert refused.verdict == "changed"
    assert refused.left_out is not None
    assert refused.left_out.kind == "negation"
    plain = head.replace(" not", "")
    again = checked(pdf(plain, foot), pdf(plain, foot), quote)
    assert again.verdict == "verified"
    assert again.anchor is not None
    assert again.anchor.evidence.endswith("The board has approved the\nplan to close the mine.")
    assert checked(pdf(plain, foot), pdf(head, foot), quote).verdict == "changed"
    assert checked(pdf(plain, foot), pdf(plain, foot[:-1] + " if it may."), quote).verdict == "changed"


NOTICES = "Berths lapse upon sale\nBoats are not for rent\nThe kitchen has a stove\n"


def test_a_paragraph_of_a_pdf_is_not_read_with_the_one_above_it() -> None:
    parted = PdfMaterial(url="http://a.test/a.pdf", pages=(NOTICES,), paragraphs=((23, 46),))
    found = cited(parted, "The kitchen has a stove")
    assert found.verdict == "verified"
    assert found.anchor is not None
    assert found.anchor.evidence == "The kitchen has a stove"
    assert cited(pdf(NOTICES), "The kitchen has a stove").verdict == "changed"  # as far as the text tells
    across = cited(parted, "for rent The kitchen has a stove")
    assert across.left_out is not None
    assert across.left_out.kind == "block"
