"""The records of anchor, citation and check: their fields, and that what JSON says of them is all of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from verifaible.schema.anchor import Anchor, AnchorRequest, Shown, Structure
from verifaible.schema.base import Record
from verifaible.schema.check import Check, DiffToken, Verdict
from verifaible.schema.citation import CaptureRef, Citation

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)

QUOTE = Anchor(
    evidence_type="text",
    text="the plant will close",
    evidence="The minister denied that the plant will close.",
    in_evidence=25,
    structure=(Structure(kind="heading", text="Energy"), Structure(kind="lead_in", text="What is not true:")),
    shown=Shown(
        text="Energy\nWhat is not true:\nThe minister denied that the plant will close.", words=((50, 70),)
    ),
    start=25,
    end=45,
)
CELL = Anchor(
    evidence_type="table",
    text="5.33",
    evidence="5.33",
    structure=(Structure(kind="column_head", text="Rate"), Structure(kind="row_head", text="Shanghai")),
    shown=Shown(text="Rate\nShanghai\n5.33", words=((14, 18),)),
)


def citation(**fields: Any) -> Citation:
    """A citation of the quote."""
    given = {
        "id": "0" * 20,
        "created_at": NOW,
        "claim": "It stays open",
        "source_url": "https://a.example/",
        "final_url": "https://a.example/",
        "request": AnchorRequest(quote=QUOTE.text),
        "anchor": QUOTE,
        "capture": CaptureRef(
            sha256="0" * 64, size_bytes=1, captured_at=NOW, state_sha256="1" * 64, web="live"
        ),
    }
    return Citation.model_validate({**given, **fields})


def check(**fields: Any) -> Check:
    """A check of it."""
    given = {"citation_id": "0" * 20, "at": NOW, "kind": "live", "verdict": "changed", "message": "m"}
    return Check.model_validate({**given, **fields})


@pytest.mark.parametrize(
    ("anchor", "around"),
    [
        (QUOTE, ("The minister denied that ", ".")),
        (CELL, ("", "")),
        (Anchor(evidence_type="image", text=""), ("", "")),
    ],
    ids=["quote", "cell", "image"],
)
def test_what_the_evidence_says_before_and_after_the_words(anchor: Anchor, around: tuple[str, str]) -> None:
    assert anchor.around == around
    assert "".join((around[0], anchor.text, around[1])) == anchor.evidence
    assert [anchor.shown.text[start:end] for start, end in anchor.shown.words] == [anchor.text] * bool(
        anchor.text
    )


def test_a_citation_shows_what_its_anchor_does() -> None:
    assert citation().shown == QUOTE.shown


@pytest.mark.parametrize(
    "record",
    [
        QUOTE,
        CELL,
        citation(),
        citation(anchor=CELL, replay="snapshot", replay_reason="The page draws its numbers by chance."),
        check(found="5.38", difference=(DiffToken(op="removed", text="5.33", kind="number"),)),
    ],
    ids=["quote", "cell", "page", "snapshot", "check"],
)
def test_json_has_the_whole_record(record: Record) -> None:
    assert type(record).model_validate_json(record.model_dump_json()) == record


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (citation, {"format": "four"}),
        (citation, {"highlight": None}),
        (citation, {"replay": "none"}),
        (citation, {"anchor": {"evidence_type": "text", "text": "x", "sentence": "x"}}),
        (
            citation,
            {
                "anchor": {
                    "evidence_type": "text",
                    "text": "x",
                    "structure": [{"kind": "footer", "text": "x"}],
                }
            },
        ),
        (check, {"verdict": "similar"}),
        (check, {"kind": "again"}),
    ],
)
def test_what_is_not_of_the_form_is_refused(make: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        make(**wrong)


def test_a_citation_replays_its_page_unless_it_says_why_not() -> None:
    assert (citation().format, citation().replay, citation().replay_reason) == (5, "page", "")


def test_the_seven_verdicts() -> None:
    expected = ("verified", "moved", "changed", "ambiguous", "gone", "blocked", "error")
    assert get_args(Verdict) == expected


@pytest.mark.parametrize(
    ("text", "words", "most", "marked"),
    [
        ("Non è permesso fumare qui.", ((4, 25),), 99, "Non ⟦è permesso fumare qui⟧."),
        ("Non è permesso fumare qui.", ((4, 25),), 22, "Non ⟦è permesso fumare qui⟧."),
        ("Non è permesso fumare qui, mai.", ((4, 25),), 22, "Non ⟦è permesso fumare qui⟧, …"),
        ("Non è permesso fumare qui.", ((4, 25),), 11, "Non ⟦è permesso⟧ …"),
        ("All of it was asked for.", ((0, 24),), 99, "All of it was asked for."),
        ("All of it was asked for.", ((0, 24),), 9, "⟦All of it⟧ …"),
        ("A 5 and B 6 and more of it", ((2, 3), (10, 11)), 10, "A ⟦5⟧ and B ⟦6⟧ …"),
        ("Nothing was asked for here.", (), 7, "Nothing …"),
        ("", (), 7, ""),
    ],
)
def test_what_is_shown_is_cut_at_the_words_and_shortened_at_its_end(
    text: str, words: tuple[tuple[int, int], ...], most: int, marked: str
) -> None:
    shown = Shown(text=text, words=words)
    assert "".join(piece.text for piece in shown.pieces) == text
    assert tuple(piece.text for piece in shown.pieces if piece.asked) == tuple(text[a:b] for a, b in words)
    assert shown.shortened(most).marked == marked
