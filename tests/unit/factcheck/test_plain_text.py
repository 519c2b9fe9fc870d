"""Words in a plain source: only whole sentences that nothing governs say what they say alone."""

from __future__ import annotations

import pytest

from verifaible.factcheck.plain_text import PlainText

CLAIM = "The bridge is open to lorries"


@pytest.mark.parametrize(
    ("source", "states"),
    [
        ("It rained. The bridge is open to lorries. Cars pass, too.", True),
        ("# Roads\n\nThe bridge is open\nto lorries.", True),
        ("- The bridge is open to lorries.\n- It has two lanes.", True),
        ("It is not true that the bridge is open to lorries.", False),
        ("The bridge is open to lorries, if the wind allows it.", False),
        ("Not true are:\n\n- It has two lanes.\n- The bridge is open to lorries.", False),
        ("Myth: \nThe bridge is open to lorries.", False),
        ("Is that so? The bridge is open to lorries.", False),
        ("The bridge is open to lorries?", False),
        ("| No | The bridge is open to lorries |", False),
        ("~~The bridge is open to lorries.~~", False),
    ],
)
def test_a_source_states_whole_sentences_that_nothing_governs(source: str, states: bool) -> None:
    place = PlainText(source).states(CLAIM)
    assert (place is not None) is states
    if place:
        assert " ".join(source[slice(*place)].rstrip(".").split()) == CLAIM


def test_places_are_those_of_the_text() -> None:
    text = "One: 5.4 per cent.\n\nTwo,  then 5.4 per\ncent more."
    assert [text[slice(*each)] for each in PlainText(text).places("5.4 per cent")] == [
        "5.4 per cent",
        "5.4 per\ncent",
    ]
