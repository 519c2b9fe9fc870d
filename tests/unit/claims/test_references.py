"""The sources that an answer lists at its end."""

from __future__ import annotations

from verifaible.claims.references import read_references


def test_a_numbered_list_with_titles_at_the_end_is_read_where_its_numbers_are_marks() -> None:
    listed = (
        "\n\n---\n\n1. Office of Weirs: *Levels*. <https://weirs.example/a>\n\n"
        "2. *Fish*. <https://fish.example/b>\n"
    )
    found = read_references("Water rose [1]. Fish came back [2]." + listed).references
    assert {name: each.url for name, each in found.items()} == {
        "1": "https://weirs.example/a",
        "2": "https://fish.example/b",
    }
    assert not read_references("Water rose. Fish came back." + listed).references


def test_a_line_of_sources_under_each_section_lists_what_that_section_is_from() -> None:
    once = "The weir is old.\n\nSources: [Levels](https://weirs.example/a), [Fish](https://fish.example/b)\n"
    assert len(read_references(once).ranges) == 1
    again = f"{once}\n## Fish\n\nFish came back.\n\nSources: [Fish](https://fish.example/b)\n\nThe end.\n"
    assert not read_references(again).ranges
