"""What "at the same place" means: the order among the blocks of the page that are left."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from tests.unit.evidence.pages import page, paragraphs, pdf
from tests.unit.evidence.pages import table as as_html
from verifaible.anchoring.evidence import Found
from verifaible.evidence.material import Material
from verifaible.evidence.place import place
from verifaible.schema.anchor import AnchorRequest


def again(before: Material, now: Material, request: AnchorRequest) -> Found:
    """What a check says of something that was cited before."""
    cited = place(before, request)
    assert cited.verdict == "verified", cited
    return place(now, request, cited.anchor, before)


def quoted(before: str, now: str, quote: str) -> str:
    """The verdict on a quote; the blocks of both pages are parted by bars."""
    old, new = (page("\n\n".join(text.split(" | "))) for text in (before, now))
    return again(old, new, AnchorRequest(quote=quote)).verdict


PAGE = "Top of it | One is here. | Two is here. | The rate was 5.33% in May. | Four is here. | Five is here. | Foot"
QUOTE = "The rate was 5.33%"


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        (PAGE, "verified"),
        (PAGE.replace("One is here.", "New at the top. | And more. | One is here."), "verified"),
        (PAGE.replace("Two is here. | ", ""), "verified"),
        (
            PAGE.replace("Two is here. | ", "Advertisement | ").replace("Four is here.", "Also new."),
            "verified",
        ),
        (PAGE.replace("Two", "Second").replace("Four", "Fourth"), "verified"),
        # others change places around it
        (PAGE.replace("One is here. | Two is here.", "Two is here. | One is here."), "verified"),
        ("Foot | " + PAGE.removesuffix(" | Foot"), "verified"),
        # it goes elsewhere itself
        (PAGE.replace("The rate was 5.33% in May. | ", "") + " | The rate was 5.33% in May.", "moved"),
        ("The rate was 5.33% in May. | " + PAGE.replace("The rate was 5.33% in May. | ", ""), "moved"),
        # of two neighbours that changed places either has moved
        (
            PAGE.replace("May. | Four is here.", "May.").replace("The rate", "Four is here. | The rate"),
            "moved",
        ),
        # nothing of the page is left
        ("Another page | The rate was 5.33% in May. | It says so.", "moved"),
        ("The rate was 5.33% in May.", "moved"),
    ],
)
def test_a_quote_is_at_its_place_among_the_blocks_that_are_left(now: str, verdict: str) -> None:
    assert quoted(PAGE, now, QUOTE) == verdict


def test_of_two_places_the_one_in_its_order_is_the_cited_one() -> None:
    before = "Alpha | The price is 5 euros. | Beta | Gamma"
    now = "Alpha | The price is 5 euros. | Beta | The price is 5 euros. | Gamma"
    assert quoted(before, now, "The price is 5 euros.") == "verified"
    gone = "Alpha | Beta | The price is 5 euros. | Gamma"
    assert quoted(before, gone, "The price is 5 euros.") == "moved"


def test_a_page_of_nothing_else_has_one_place() -> None:
    assert quoted("The rate was 5.33% in May.", "New. | The rate was 5.33% in May.", QUOTE) == "verified"


def test_items_that_repeat_tell_no_order() -> None:
    before = " | ".join(f"Item {n} costs {n} euros. | Read more" for n in range(3, 10))
    now = " | ".join(f"Item {n} costs {n} euros. | Read more" for n in (1, 2, *range(3, 6)))
    assert quoted(before, now, "Item 4 costs 4 euros.") == "verified"


WORDS = [
    "river",
    "stone",
    "market",
    "council",
    "winter",
    "harvest",
    "bridge",
    "letter",
    "garden",
    "engine",
    "island",
    "theatre",
    "copper",
    "music",
]


class Shapes:
    """Pages of several shapes, made from a seed: each a list of blocks and what may be quoted of them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def sentence(self) -> str:
        chosen = self.random.choices(WORDS, k=self.random.randint(4, 12))
        return f"The {' '.join(chosen)} {self.random.randint(10, 9999)}."

    def article(self) -> list[str]:
        return [" ".join(self.sentence() for _ in range(self.random.randint(1, 3))) for _ in range(10)]

    def listing(self) -> list[str]:
        blocks = []
        for _ in range(9):
            blocks += [self.sentence(), self.random.choice(("Read more", "Share", "3 comments"))]
        return blocks

    def short_lines(self) -> list[str]:
        return [f"{self.random.choice(WORDS)} {self.random.randint(1, 99999)}" for _ in range(30)]

    def few(self) -> list[str]:
        return [self.sentence() for _ in range(4)]

    def table_lines(self) -> list[str]:
        return [
            "\t".join([self.random.choice(WORDS), *(f"{self.random.uniform(0, 99):.2f}" for _ in range(4))])
            for _ in range(20)
        ]


SHAPES: tuple[Callable[[Shapes], list[str]], ...] = (
    Shapes.article, Shapes.listing, Shapes.short_lines, Shapes.few, Shapes.table_lines
)  # fmt: skip


def text_page(blocks: Sequence[str]) -> Material:
    return page("\n".join(blocks))


def document(blocks: Sequence[str]) -> Material:
    return pdf("\n\n".join(blocks), "The last page.")


@pytest.mark.parametrize("make", [text_page, document], ids=["page", "pdf"])
def test_on_generated_pages_what_moved_is_moved_and_what_stayed_is_verified(
    make: Callable[[Sequence[str]], Material],
) -> None:
    kind = "pdf" if make is document else "text"
    moved, stayed = [], []
    for seed in range(64):
        shapes = Shapes(seed)
        # The lines of a document without a full stop are read as one sentence, which changes with them.
        made = SHAPES if kind == "text" else (Shapes.article, Shapes.few)
        blocks = made[seed % len(made)](shapes)
        single = [block for block in blocks if blocks.count(block) == 1]
        at = blocks.index(shapes.random.choice(single))
        request = AnchorRequest(evidence_type=kind, quote=blocks[at])
        if place(make(blocks), request).verdict != "verified":
            continue
        rest = blocks[:at] + blocks[at + 1 :]
        others = [
            n for n in range(len(rest) + 1) if any(rest.count(b) == 1 for b in rest[min(n, at) : max(n, at)])
        ]
        to = shapes.random.choice(others)
        moved.append(again(make(blocks), make([*rest[:to], blocks[at], *rest[to:]]), request).verdict)
        edited = []
        for n, block in enumerate(blocks):
            if n == at or shapes.random.random() > 0.2:
                edited.append(block)
            if shapes.random.random() < 0.2:
                edited.append(shapes.sentence())
        stayed.append(again(make(blocks), make(edited), request).verdict)
    assert len(moved) > 54
    assert moved.count("moved") >= 0.95 * len(moved), moved
    assert stayed.count("verified") >= 0.98 * len(stayed), stayed


# --- tables


def table(text: str, path: str = "a", heading: str = "") -> str:
    above = f"<h2>{heading}</h2>" if heading else ""
    return above + as_html(
        [[cell.strip() for cell in row.split(",")] for row in text.split(" / ")], path=path
    )


def with_tables(*tables: str, before: str = "Words before it.", after: str = "Words behind it.") -> Material:
    return page(before, markup="".join(tables) + paragraphs(after))


CITIES = "City, Rate, Stock / Berlin, 4.10, 8 / Hamburg, 3.70, 9 / Munich, 5.33, 7 / Cologne, 4.90, 6"
MUNICH = AnchorRequest(evidence_type="table", row=("Munich",), column=("Rate",))


@pytest.mark.parametrize(
    ("now", "verdict", "found"),
    [
        (CITIES, "verified", "5.33"),
        (CITIES.replace(" / Ham", " / Bonn, 1, 1 / Ham"), "verified", "5.33"),
        (CITIES.replace(" / Berlin, 4.10, 8", ""), "verified", "5.33"),
        (CITIES.replace("4.10", "4.11").replace("3.70", "3.71"), "verified", "5.33"),
        (CITIES.replace(" / Munich, 5.33, 7", "") + " / Munich, 5.33, 7", "moved", "5.33"),
        ("City, Stock, Rate / Berlin, 8, 4.10 / Hamburg, 9, 3.70 / Munich, 7, 5.33", "moved", "5.33"),
        (CITIES.replace("5.33", "5.34"), "changed", "5.34"),
        (CITIES.replace(" / Munich, 5.33, 7", ""), "gone", ""),
        (CITIES.replace(" / Munich, 5.33, 7", " / Munich Land, 6.10, 2"), "gone", ""),
        ("City, Stock / Berlin, 8 / Hamburg, 9 / Munich, 7 / Cologne, 6", "gone", ""),
        (CITIES.replace("Rate", "Rate change").replace("5.33", "0.10"), "gone", ""),
        (CITIES.replace("Munich", "Munich*"), "changed", "5.33"),
        (CITIES.replace("Rate", "Rates"), "changed", "5.33"),
        (CITIES.replace("Munich", "Vienna"), "gone", ""),
    ],
)
def test_a_cell_is_found_again_under_its_own_headers(now: str, verdict: str, found: str) -> None:
    checked = again(with_tables(table(CITIES)), with_tables(table(now, "b")), MUNICH)
    assert (checked.verdict, checked.text) == (verdict, found)


def test_an_edited_header_is_shown_in_the_difference() -> None:
    checked = again(
        with_tables(table(CITIES)), with_tables(table(CITIES.replace("Munich", "Munich (city)"))), MUNICH
    )
    assert checked.verdict == "changed"
    assert "(city)" in "".join(token.text for token in checked.difference if token.op == "added")


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("at", range(1, 7))
def test_no_value_of_another_row_or_column_is_given_for_a_deleted_one(at: int, sealed: bool) -> None:
    lines = [
        "Item, 2024, 2024 adjusted, 2025",
        *(f"{name}, {n}1, {n}2, {n}3" for n, name in enumerate(
            ("Revenue", "Revenue 2", "Revenue 3", "Total", "Total assets", "Total liabilities"), 1
        )),
    ]  # fmt: skip
    request = AnchorRequest(evidence_type="table", row=(lines[at].split(",")[0],), column=("2024",))
    before = with_tables(table(" / ".join(lines)))
    cited = place(before, request)
    assert cited.text == f"{at}1"
    rows = with_tables(table(" / ".join(lines[:at] + lines[at + 1 :])))
    columns = with_tables(
        table(" / ".join(",".join(line.split(",")[:1] + line.split(",")[2:]) for line in lines))
    )
    for now in (rows, columns):
        found = place(now, request, cited.anchor, before if sealed else None)
        assert (found.verdict, found.text) == ("gone", "")


def test_a_deleted_row_is_not_taken_from_another_table() -> None:
    one, other = (
        table("City, Rate / Rome, 1.5 / Oslo, 2.5", "a"),
        table("City, Rate / Rome, 3.5 / Bern, 4.5", "b"),
    )
    request = AnchorRequest(evidence_type="table", row=("Oslo",), column=("Rate",))
    before = with_tables(one, other)
    assert again(before, with_tables(table("City, Rate / Rome, 1.5", "a"), other), request).verdict == "gone"
    assert again(before, with_tables(other), request).verdict == "gone"
    grown = table("City, Rate / Rome, 3.5 / Oslo, 9.5 / Bern, 4.5", "b")
    assert again(before, with_tables(grown), request).verdict == "gone"


def test_a_row_named_by_a_cell_of_it_is_that_row_whatever_its_rank() -> None:
    ranked = "Rank, Price, Coin / 1, 120.5, Alpha / 2, 88.0, Beta / 3, 10.1, Gamma"
    request = AnchorRequest(evidence_type="table", row=("Beta",), column=("Price",))
    now = "Rank, Price, Coin / 1, 88.0, Beta / 2, 80.5, Alpha / 3, 10.1, Gamma"
    assert again(with_tables(table(ranked)), with_tables(table(now)), request).text == "88.0"
    less = "Rank, Price, Coin / 1, 120.5, Alpha / 2, 10.1, Gamma"
    assert again(with_tables(table(ranked)), with_tables(table(less)), request).verdict == "gone"


def test_a_table_that_goes_behind_the_words_has_moved() -> None:
    blocks = [f"Paragraph {n} of it." for n in range(4)]
    before = with_tables(table(CITIES), after="\n".join(blocks))
    now = with_tables(table(CITIES, "b"), before="\n".join(["Words before it.", *blocks]), after="")
    assert again(before, now, MUNICH).verdict == "moved"
    put_in = with_tables(table(CITIES, "b"), before="Words before it.\nNew words.", after="\n".join(blocks))
    assert again(before, put_in, MUNICH).verdict == "verified"


@pytest.mark.parametrize(
    ("row", "nearest"),
    [("Total", ("Total assets", "Total liabilities")), ("Revenue 3", ("Revenue 2",)), ("Margin", ())],
)
def test_a_row_that_is_not_there_is_no_row_and_the_nearest_are_named(
    row: str, nearest: tuple[str, ...]
) -> None:
    there = with_tables(table("Item, 2024 / Revenue 2, 1 / Total assets, 2 / Total liabilities, 3"))
    found = place(there, AnchorRequest(evidence_type="table", row=(row,), column=("2024",)))
    assert (found.verdict, found.missing) == ("gone", "row")
    assert all(name in found.nearest for name in nearest)


def test_two_rows_of_one_name_stay_ambiguous() -> None:
    there = with_tables(table("Item, 2024 / Total, 1 / Total, 2"))
    found = place(there, AnchorRequest(evidence_type="table", row=("Total",), column=("2024",)))
    assert found.verdict == "ambiguous"
