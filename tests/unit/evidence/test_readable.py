"""A page as it is read: tables in their place, and the way back to what can be cited."""

from verifaible.browser.reading import FrameTable, FrameText, PageText
from verifaible.evidence.observing.material import PageMaterial, PdfMaterial
from verifaible.evidence.observing.readable import readable
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.table import RawCell, RawTable

HEADS = (("Segment", "2022", "2023"), ("Cloud", "1.2", "3.4"), ("Devices", "5.6", "7.8"))


def page(text: str, *tables: RawTable) -> PageMaterial:
    frame = FrameText(path=(), url="https://a.example/", start=0, text=text)
    shown = tuple(FrameTable(frame_path=(), table=table) for table in tables)
    return PageMaterial(url=frame.url, title="Acme", page=PageText(frames=(frame,)), tables=shown)


def table(caption: str = "") -> RawTable:
    rows = tuple(
        tuple(RawCell(text=text, header=not number) for text in row) for number, row in enumerate(HEADS)
    )
    return RawTable(css_path="table", caption=caption, rows=rows, groups=(1, 2), head_rows=1)


def cited(material: PageMaterial | PdfMaterial, words: str) -> AnchorRequest | None:
    read = readable(material)
    start = read.text.index(words)
    return read.request(start, start + len(words))


TEXT = "Acme rose.\nUSD million\nSegment\t2022\t2023\nCloud\t1.2\t3.4\nDevices\t5.6\t7.8\nIt was 3.4 in all. It fell."


def test_a_table_stands_in_its_place_with_its_heads_and_no_second_time() -> None:
    text = readable(page(TEXT, table("USD million"))).text
    assert text.count("Devices") == text.count("USD million") == 1
    assert text.index("Acme rose.") < text.index("| Cloud | 1.2 | 3.4 |") < text.index("It was 3.4")


def test_a_table_that_the_text_shows_otherwise_stands_behind_it() -> None:
    text = readable(page("Cloud: 1.2 then 3.4", table())).text
    assert text.startswith("Cloud: 1.2 then 3.4") and "| Devices | 5.6 | 7.8 |" in text


def test_places_lead_back_to_cells_rows_and_sentences() -> None:
    material = page(TEXT, table("USD million"))
    cell = cited(material, "7.8")
    assert cell is not None and (cell.evidence_type, cell.row, cell.column) == (
        "table",
        ("Devices",),
        ("2023",),
    )
    row = cited(material, "| Cloud | 1.2 |")
    assert row is not None and (row.row, row.column) == (("Cloud",), ())
    words = cited(material, "3.4 in all")
    assert words is not None and words.quote == "It was 3.4 in all."
    assert words.evidence_type == "text"


def test_of_equal_sentences_the_words_before_tell() -> None:
    material = page("In 2022:\nIt fell.\nIn 2023:\nIt fell.")
    read = readable(material)
    request = read.request(read.text.rindex("It fell"), read.text.rindex("It fell") + 7)
    assert request is not None and (request.quote, request.near) == ("It fell.", "In 2023:")


def test_a_sentence_of_a_pdf_goes_over_the_ends_of_lines_and_keeps_its_page() -> None:
    pages = (
        "First page.\n",
        "Acme paid a dividend of 2.5 euros per share\nin 2023, as before.\n\nOther words.\n",
    )
    material = PdfMaterial(url="https://a.example/r.pdf", pages=pages)
    assert "per share in 2023, as before.\n" in readable(material).text
    request = cited(material, "2.5 euros per share in 2023")
    assert request is not None and request.page_number == 2
    assert request.quote == "Acme paid a dividend of 2.5 euros per share\nin 2023, as before."
