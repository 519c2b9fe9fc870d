"""A page as it is read: tables in their place, and the way back to what can be cited."""

from tests.kit.snapshots import page_of
from tests.unit.evidence.pages import page, paragraphs, pdf, table
from verifaible.evidence.material import Material
from verifaible.evidence.readable import readable
from verifaible.schema.anchor import AnchorRequest

HEADS = (("Segment", "2022", "2023"), ("Cloud", "1.2", "3.4"), ("Devices", "5.6", "7.8"))
ACME = page_of(
    paragraphs("Acme rose.") + table(HEADS, caption="USD million") + paragraphs("It was 3.4 in all. It fell.")
)


def cited(material: Material, words: str) -> AnchorRequest | None:
    read = readable(material)
    start = read.text.index(words)
    return read.request(start, start + len(words))


def test_a_table_stands_in_its_place_with_its_heads_and_no_second_time() -> None:
    text = readable(ACME).text
    assert text.count("Devices") == text.count("USD million") == 1
    assert text.index("Acme rose.") < text.index("| Cloud | 1.2 | 3.4 |") < text.index("It was 3.4")


def test_places_lead_back_to_cells_rows_and_sentences() -> None:
    cell = cited(ACME, "7.8")
    assert cell is not None and (cell.evidence_type, cell.row, cell.column) == (
        "table",
        ("Devices",),
        ("2023",),
    )
    row = cited(ACME, "| Cloud | 1.2 |")
    assert row is not None and (row.row, row.column) == (("Cloud",), ())
    words = cited(ACME, "3.4 in all")
    assert words is not None and words.quote == "It was 3.4 in all."
    assert words.evidence_type == "text"


def test_of_equal_sentences_the_words_before_tell() -> None:
    material = page("In 2022:\nIt fell.\nIn 2023:\nIt fell.")
    read = readable(material)
    request = read.request(read.text.rindex("It fell"), read.text.rindex("It fell") + 7)
    assert request is not None and (request.quote, request.near) == ("It fell.", "In 2023:")


def test_a_sentence_of_a_pdf_goes_over_the_ends_of_lines_and_keeps_its_page() -> None:
    material = pdf(
        "First page.",
        "Acme paid a dividend of two and a half (2.5) euros per share\nin 2023, as before.\n\nOther words.",
    )
    assert "per share in 2023, as before.\n" in readable(material).text
    request = cited(material, "(2.5) euros per share in 2023")
    assert request is not None and request.page_number == 2
    assert request.quote == "Acme paid a dividend of two and a half (2.5) euros per share in 2023, as before."
