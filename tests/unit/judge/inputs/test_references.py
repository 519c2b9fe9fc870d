"""The sources that an answer lists at its end."""

from __future__ import annotations

from verifaible.judge.inputs.references import listed_in


def test_a_numbered_list_with_titles_at_the_end_is_read_where_its_numbers_are_marks() -> None:
    listed = (
        "\n\n---\n\n1. Office of Weirs: *Levels*. <https://weirs.example/a>\n\n"
        "2. *Fish*. <https://fish.example/b>\n"
    )
    found = listed_in("Water rose [1]. Fish came back [2]." + listed).references
    assert {name: each.url for name, each in found.items()} == {
        "1": "https://weirs.example/a",
        "2": "https://fish.example/b",
    }
    assert not listed_in("Water rose. Fish came back." + listed).references
