"""Texts to check, in all the forms in which people have them."""

import asyncio
import builtins
import io
import sys
import zipfile
from typing import Any

import pymupdf
import pytest

from verifaible.check.document import FetchedText, InputText, read_document
from verifaible.errors import ConfigError

PAGE = """<html><head><title>Wages</title></head><body><nav><a href="/home">Home</a></nav>
<h1>Wages in 2023</h1>
<p>Wages rose by 4.2 per cent, <a href="https://stats.example/wages">the office</a> says.<sup id="r1"><a
href="#fn1">[1]</a></sup> They had fallen in the year before, when prices rose faster than anybody expected.</p>
<ol><li id="fn1"><a href="#r1">↑</a> Office of Statistics, <a href="https://stats.example/note">Note 7</a>.</li></ol>
</body></html>"""


def read(data: bytes, name: str = "-") -> InputText:
    async def fetch(url: str) -> FetchedText:
        return FetchedText(url, data)

    return asyncio.run(read_document(name, data=None if "://" in name else data, fetch=fetch))


def test_markdown_is_taken_as_it_is_without_its_front_matter() -> None:
    given = read(b"---\nauthor: A\n---\n# Wages\r\n\r\nThey rose [1].\r\n")
    assert (given.title, given.text) == ("Wages", "# Wages\n\nThey rose [1].\n")


def test_notes_of_ours_are_no_part_of_a_text_and_nothing_hides_in_one() -> None:
    given = read("They rose. ⟦no evidence⟧ They fell ⟦not in the evidence⟧. ⟦no evidence It fell⟧\n".encode())
    assert given.text == "They rose. They fell. ⟦no evidence It fell⟧\n"


@pytest.mark.parametrize("name", ["report.html", "https://news.example/wages"])
def test_links_and_footnotes_of_a_page_are_those_of_the_text(name: str, tmp_path: Any) -> None:
    given = read(PAGE.encode(), name) if "://" in name else read(PAGE.encode())
    assert given.title == "Wages"
    assert "[the office](https://stats.example/wages) says.[^1]" in given.text
    assert "[^1]: Office of Statistics, Note 7. https://stats.example/note" in given.text
    assert "↑" not in given.text


def test_words_under_a_link_of_a_pdf_are_a_link() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Wages rose by 4.2 per cent, the office says.", fontsize=12)
    area = page.search_for("the office")[0]
    page.insert_link({"kind": pymupdf.LINK_URI, "from": area, "uri": "https://stats.example/wages"})
    given = read(document.tobytes())
    assert "4.2 per cent, [the office](https://stats.example/wages) says." in given.text


def test_docx_keeps_links_and_footnotes() -> None:
    given = read(docx())
    assert "Wages rose by 4.2 per cent[^1]" in given.text
    assert "[the office](https://stats.example/wages)" in given.text
    assert "[^1]: See https://stats.example/note" in given.text.replace("<", "").replace(">", "")


def test_without_the_extra_docx_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any, **more: Any) -> Any:
        if name == "mammoth":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ConfigError, match=r"verifaible\[docx\]"):
        read(docx())


def test_html_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bs4", None)
    with pytest.raises(ConfigError, match=r'pip install "verifaible\[reading\]"'):
        read(PAGE.encode())


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"  \n ", "no text"),
        (b"PK\x03\x04broken", "cannot be read as DOCX"),
        (b"\x00\x01\x02\x03" * 40, "is not text"),
        (b"%PDF-1.7 broken", "PDF"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        read(data)


def test_a_file_that_is_not_there_says_so() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        asyncio.run(read_document("/nowhere/report.md", data=None, fetch=lambda url: asyncio.sleep(0)))  # type: ignore[arg-type, return-value]


def docx() -> bytes:
    """A document with a link and a footnote, as word processors write them."""
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        f'PartName="/word/document.xml" ContentType="{types}.document.main+xml"/><Override '
        f'PartName="/word/footnotes.xml" ContentType="{types}.footnotes+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship '
        f'Id="r2" Type="{office}/hyperlink" Target="https://stats.example/wages" TargetMode="External"/>'
        f'<Relationship Id="r3" Type="{office}/footnotes" Target="footnotes.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{word}" xmlns:r="{office}"><w:body><w:p><w:r><w:t>Wages rose by '
        '4.2 per cent</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t xml:space="preserve">, as '
        '</w:t></w:r><w:hyperlink r:id="r2"><w:r><w:t>the office</w:t></w:r></w:hyperlink><w:r><w:t '
        'xml:space="preserve"> says.</w:t></w:r></w:p></w:body></w:document>',
        "word/footnotes.xml": f'<w:footnotes xmlns:w="{word}"><w:footnote w:id="2"><w:p><w:r><w:t>See '
        "https://stats.example/note</w:t></w:r></w:p></w:footnote></w:footnotes>",
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return target.getvalue()
