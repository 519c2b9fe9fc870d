"""The sources that an answer lists at its end."""

from __future__ import annotations

from verifaible.judge.inputs.references import references_of


def test_a_numbered_list_with_titles_at_the_end_is_read_where_its_numbers_are_marks() -> None:
    listed = (
        "\n\n---\n\n1. Office of Weirs: *Levels*. <https://weirs.example/a>\n\n"
        "2. *Fish*. <https://fish.example/b>\n"
    )
    found = references_of("Water rose [1]. Fish came back [2]." + listed)
    assert {name: each.url for name, each in found.items()} == {
        "1": "https://weirs.example/a",
        "2": "https://fish.example/b",
    }
    assert not references_of("Water rose. Fish came back." + listed)
