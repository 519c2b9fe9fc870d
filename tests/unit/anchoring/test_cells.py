"""Cells by their heads, and found again: a head that is gone is gone, never its neighbour's value."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.kit import suites
from tests.kit.documents import Draft
from verifaible.anchoring.evidence import Found
from verifaible.anchoring.find import find, find_again
from verifaible.extract.document import Document
from verifaible.extract.html import html_document
from verifaible.schema.anchor import AnchorRequest
from verifaible.text.equivalence import folded

CITIES = (
    ("City", "2023", "2024<sup>1</sup>"),
    ("Bergen", "5.0", "5.1"),
    ("Oslo", "6.1", ""),
    ("New Oslo", "7", "8"),
)
PLAIN = (("月份", "CPI", "PPI"), ("2024年1月", "-0.8", "-2.5"), ("2月", "0.7", "-2.7"))
FUNDS = (("Fund", "Price", "Currency"), ("Oak", "104.2", "EUR"), ("Elm", "98.7", "USD"))


def tables(*rows: Sequence[Sequence[str]], heads: int = 1, caption: str = "") -> Document:
    draft = Draft()
    for each in rows:
        draft.table(each, heads=heads, caption=caption)
    return draft.document


def asked(document: Document, row: str = "", column: str = "") -> Found:
    return find(document, request(row, column))


def request(row: str = "", column: str = "") -> AnchorRequest:
    return AnchorRequest(
        evidence_type="table",
        row=tuple(filter(None, row.split(">"))),
        column=tuple(filter(None, column.split(">"))),
    )


CASES = (
    (CITIES, 1, "Bergen", "2023", "5.0"),
    (CITIES, 1, "BERGEN", "2024", "5.1"),
    (CITIES, 1, "Oslo", "2024", ""),
    (CITIES, 1, "New", "2024", "8"),
    (CITIES, 1, "Oslo", "", "Oslo\t6.1\t"),
    (CITIES, 1, "", "2023", "5.0\n6.1\n7"),
    (CITIES, 1, "", "", "Bergen\t5.0\t5.1\nOslo\t6.1\t\nNew Oslo\t7\t8"),
    (PLAIN, 0, "2024年2月", "CPI", "0.7"),
    (FUNDS, 0, "Elm", "Price", "98.7"),
)


@pytest.mark.parametrize(("rows", "heads", "row", "column", "text"), CASES)
def test_the_cell_under_its_heads(
    rows: Sequence[Sequence[str]], heads: int, row: str, column: str, text: str
) -> None:
    found = asked(tables(rows, heads=heads), row, column)
    assert found.verdict == "verified"
    assert found.anchor is not None
    assert found.anchor.text == text


@pytest.mark.parametrize(
    ("row", "column", "missing", "nearest"),
    [("Paris", "2023", "row", "Bergen"), ("Bergen", "2022", "column", "2023"), ("202", "2023", "row", "")],
)
def test_a_miss_names_the_nearest_heads(row: str, column: str, missing: str, nearest: str) -> None:
    found = asked(tables(CITIES), row, column)
    assert (found.verdict, found.missing) == ("gone", missing)
    assert nearest in found.nearest


def test_a_cell_is_shown_in_its_row_under_its_heads() -> None:
    found = asked(tables(CITIES, caption="Rates in per cent"), "Bergen", "2024")
    assert found.anchor is not None
    shown = found.anchor.shown
    assert shown.text == "Rates in per cent\nCity: Bergen | 2023: 5.0 | 2024¹: 5.1"
    assert [shown.text[a:b] for a, b in shown.words] == ["5.1"]
    assert [(each.kind, each.text) for each in found.anchor.structure] == [
        ("caption", "Rates in per cent"),
        ("column_head", "2024¹"),
        ("row_head", "Bergen"),
    ]


def test_cells_of_two_tables_are_ambiguous_and_a_picture_without_words_is_no_value() -> None:
    assert asked(tables(CITIES, CITIES), "Bergen", "2023").verdict == "ambiguous"
    drawn = (("City", "Open"), ("Ulm", "<img>[picture: tick]</img>"), ("Bonn", "<img>[picture]</img>"))
    assert asked(tables(drawn), "Ulm", "Open").text == "[picture: tick]"
    assert asked(tables(drawn), "Bonn", "Open").verdict == "gone"
    ticked = html_document("<table><tr><th>City<th>Open<tr><td>Ulm<td><input type=checkbox checked></table>")
    assert asked(ticked, "Ulm", "Open").verdict == "gone"  # how a tick is written is ours
    assert asked(ticked, "Ulm").text == "Ulm\t[checked]"
    empty = asked(tables(CITIES), "Oslo", "2024").anchor
    assert empty is not None
    assert empty.shown.text == "City: Oslo | 2023: 6.1 | 2024¹: "


@pytest.mark.parametrize(
    ("row", "column", "text"),
    [
        ("", "2023", "1\n3"),
        ("", "2024", "2"),
        ("Moss", "2025", "4"),
        ("Oslo", "2025", ""),
        ("Moss", "2024", ""),
    ],
)
def test_a_column_goes_on_under_heads_that_stand_again(row: str, column: str, text: str) -> None:
    rows = ("th>City<th>2023<th>2024", "td>Oslo<td>1<td>2", "th>Town<th>2023<th>2025", "td>Moss<td>3<td>4")
    document = html_document(f"<table>{''.join(f'<tr><{each}' for each in rows)}</table>")
    assert asked(document, row, column).text == text


def named(given: str | list[str] | None) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())


@pytest.mark.parametrize("name", ["cells", "headers"])
def test_the_suites_of_tables(name: str) -> None:
    wrong = []
    for row in suites.load(name):
        given, expect = row.input, row.expect
        verdict = expect.get("verdict", expect.get("status"))
        if "html" not in given or "anchor" in given or verdict is None:
            continue
        document = html_document(f"<!doctype html><html lang=en><body>{given['html']}</body></html>")
        names = {"row": named(given.get("row")), "column": named(given.get("column"))}
        found = find(document, AnchorRequest(evidence_type="table", **names))
        texts = expect.get("cell") or ([expect["text"]] if "text" in expect else [])
        text = found.anchor.text if found.anchor is not None else ""
        right = (found.verdict == "verified") is (verdict == "verified")
        if not right or (verdict == "verified" and texts and folded(text) not in map(folded, texts)):
            wrong.append((row.id, found.verdict, text))
    assert wrong == []


def changed(rows: Sequence[Sequence[str]], at: tuple[int, int], text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(text if (r, c) == at else cell for c, cell in enumerate(row)) for r, row in enumerate(rows)
    )


AGAIN = (
    (CITIES, "verified"),
    ((CITIES[0], ("Aachen", "1", "2"), *CITIES[1:]), "verified"),
    ((CITIES[0], CITIES[3], CITIES[2], CITIES[1]), "moved"),
    (changed(CITIES, (1, 1), "5.2"), "changed"),
    (changed(CITIES, (0, 1), "2022"), "gone"),
    (changed(CITIES, (1, 0), "Bergen (county)"), "changed"),
    ((CITIES[0], *CITIES[2:]), "gone"),
)


@pytest.mark.parametrize(("rows", "verdict"), AGAIN)
def test_what_became_of_a_cell(rows: Sequence[Sequence[str]], verdict: str) -> None:
    then = tables(CITIES, caption="Rates")
    found = asked(then, "Bergen", "2023")
    assert found.anchor is not None
    later = find_again(tables(rows, caption="Rates"), found.anchor, then, request("Bergen", "2023"))
    assert later.verdict == verdict


def test_another_caption_is_another_statement() -> None:
    then = tables(CITIES, caption="Rates of 2024, million")
    found = asked(then, "Bergen", "2023")
    assert found.anchor is not None
    for caption, verdict in (
        ("Rates of 2024, million", "verified"),
        ("Rates of 2025, million", "changed"),
        ("Rates of 2024, billion", "changed"),
        ("Rates of 2024, not adjusted, million", "changed"),
        ("", "moved"),
    ):
        now = tables(CITIES, caption=caption)
        assert find_again(now, found.anchor, then, request("Bergen", "2023")).verdict == verdict


@pytest.mark.parametrize(
    ("name", "verdict"), [("Acme", "verified"), ("Acme Holdings", "gone"), ("Elm", "gone")]
)
def test_a_row_named_by_another_cell_is_not_taken_for_one_with_a_longer_name(name: str, verdict: str) -> None:
    head, asked_for = "<thead><tr><th>Rank<th>Name<th>Sales</thead>", request("Acme", "Sales")
    then, now = (
        html_document(f"<table>{head}<tr><th>1<td>Oak<td>10<tr><th>2<td>{each}<td>20</table>")
        for each in ("Acme", name)
    )
    found = find(then, asked_for)
    assert found.anchor is not None
    assert find_again(now, found.anchor, then, asked_for).verdict == verdict


def test_a_table_of_one_row_has_that_row() -> None:
    document = html_document("<table><tr><td>Name<td>Oak</table>")
    assert asked(document).text == "Name\tOak"


def test_the_year_above_goes_for_months_alone() -> None:
    document = tables((*PLAIN, ("全年", "0.2", "-2.2")), heads=0)
    for row, path in (("2月", ("2024年", "2月")), ("全年", ("全年",))):
        anchor = asked(document, row, "CPI").anchor
        assert anchor is not None and anchor.table is not None
        assert anchor.table.row_path == path


@pytest.mark.parametrize("row", ["2024年 / 2月", "2024年 › 2月", "2024年>2月", "2024年2月"])
def test_a_path_may_be_written_as_one(row: str) -> None:
    assert asked(tables(PLAIN, heads=0), row, "PPI").text == "-2.7"
