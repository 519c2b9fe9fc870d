"""A citation as the store's file: all of it comes back, and an edit of any part is noticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.schema.test_evidence_records import CELL, QUOTE, citation
from verifaible.errors import IntegrityError, NewerFormat, OlderFormat, StoreError
from verifaible.schema.anchor import Anchor, TimeSpan
from verifaible.schema.citation import Citation, CitationDraft
from verifaible.store import annotation

FILMED = Anchor(
    evidence_type="video",
    text="rates stay",
    evidence="We think rates stay.",
    in_evidence=9,
    time=TimeSpan(start_s=61, end_s=64.5),
)


def stored(**fields: Any) -> Citation:
    """A citation with the id of its content."""
    made = citation(**fields)
    draft = CitationDraft.model_validate(made.model_dump(exclude={"id"}))
    return made.model_copy(update={"id": annotation.citation_id(draft)})


@pytest.mark.parametrize(
    "made",
    [
        stored(),
        stored(anchor=CELL),
        stored(anchor=FILMED),
        stored(replay="snapshot", replay_reason="The page draws its numbers by chance."),
    ],
    ids=["quote", "cell", "video", "snapshot"],
)
def test_a_file_gives_the_citation_back(made: Citation) -> None:
    data = annotation.to_bytes(made)
    again = annotation.from_bytes(data, made.id)
    assert again == made
    assert annotation.to_bytes(again) == data


@pytest.mark.parametrize(
    ("anchor", "selectors"),
    [
        (
            QUOTE,
            [
                {"type": "TextQuoteSelector", "exact": QUOTE.text, "prefix": "", "suffix": ""},
                {"type": "TextPositionSelector", "start": 25, "end": 45},
            ],
        ),
        (CELL.model_copy(update={"css_path": "#rates"}), [{"type": "CssSelector", "value": "#rates"}]),
        (
            FILMED,
            [
                {
                    "type": "FragmentSelector",
                    "conformsTo": "http://www.w3.org/TR/media-frags/",
                    "value": "t=61.000,64.500",
                }
            ],
        ),
    ],
    ids=["quote", "cell", "video"],
)
def test_selectors_find_the_words(anchor: Anchor, selectors: list[dict[str, Any]]) -> None:
    record = json.loads(annotation.to_bytes(stored(anchor=anchor)))
    assert record["target"]["selector"] == selectors


def _shown(record: dict[str, Any]) -> None:
    record["anchor"]["shown"]["text"] = "The plant will close."


def _evidence(record: dict[str, Any]) -> None:
    record["anchor"]["evidence"] = "The minister said that the plant will close."


def _structure(record: dict[str, Any]) -> None:
    record["anchor"]["structure"].pop()


def _grade(record: dict[str, Any]) -> None:
    record["replay"] = "snapshot"


@pytest.mark.parametrize("edit", [_shown, _evidence, _structure, _grade])
def test_an_edited_record_is_noticed(edit: Callable[[dict[str, Any]], None]) -> None:
    made = stored()
    record = json.loads(annotation.to_bytes(made))
    edit(record["verifaible"])
    with pytest.raises(IntegrityError, match="changed after it was made"):
        annotation.from_bytes(annotation.canonical(record), made.id)


@pytest.mark.parametrize(
    ("found", "error", "said"),
    [
        (3, OlderFormat, r"made by verifaible 0\.1 \(format 3\), which this version does not read"),
        (6, NewerFormat, r"has format 6; this version knows formats up to 5\. Update verifaible"),
    ],
)
def test_another_format_is_refused_in_a_sentence(found: int, error: type[StoreError], said: str) -> None:
    made = stored()
    record = json.loads(annotation.to_bytes(made))
    record["verifaible"]["format"] = found
    with pytest.raises(error, match=said):
        annotation.from_bytes(annotation.canonical(record), made.id)
