"""A page as it is read: tables in their place, and the way back to what can be cited."""

from __future__ import annotations

from verifaible.evidence.observing.material import Material
from verifaible.evidence.observing.readable import Readable, readable
from verifaible.extract.document import Block, Document
from verifaible.extract.html import html_document
from verifaible.schema.anchor import AnchorRequest
from verifaible.text.segmentation import sentences

PAGE = """<p>Acme rose. It was 3.4 in all.</p><table><caption>USD million</caption><tr><th>Segment<th>2022<th>2023
<tr><th>Cloud<td>1.2<td>3.4<tr><th>Devices<td>5.6<td>7.8</table><p>It fell.</p><p>In 2023:</p><p>It fell.</p>"""


def page() -> Readable:
    return readable(Material(html_document(PAGE)))


def cited(read: Readable, words: str) -> AnchorRequest:
    start = read.text.rindex(words)
    request = read.request(start, start + len(words))
    assert request is not None
    return request


def test_a_table_stands_in_its_place_with_its_heads_and_no_second_time() -> None:
    text = page().text
    assert text.count("Devices") == text.count("USD million") == 1
    assert text.index("Acme rose.") < text.index("| Cloud | 1.2 | 3.4 |") < text.index("It fell.")


def test_places_lead_back_to_cells_rows_and_sentences() -> None:
    cell = cited(page(), "7.8")
    assert (cell.evidence_type, cell.row, cell.column) == ("table", ("Devices",), ("2023",))
    row = cited(page(), "Cloud | 1.2 |")
    assert (row.row, row.column) == (("Cloud",), ())
    words = cited(page(), "3.4 in all")
    assert (words.evidence_type, words.quote) == ("text", "It was 3.4 in all.")
    assert page().request(0, 0) is None


def test_a_sentence_of_a_pdf_keeps_its_page() -> None:
    text = "Acme paid a dividend of 2.5 euros per share\nin 2023, as before. Other words."
    block = Block(text, sentences=tuple(sentences(text)), page_number=2)
    request = cited(readable(Material(Document((block,), medium="pdf"))), "2.5 euros per share\nin 2023")
    assert (request.evidence_type, request.page_number) == ("pdf", 2)
    assert request.quote == "Acme paid a dividend of 2.5 euros per share\nin 2023, as before."
