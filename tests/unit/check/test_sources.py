"""Sources that a text names in all the ways in which texts do."""

from pathlib import Path

import pytest

from tests.unit.check.made import source
from verifaible.check.document import InputText
from verifaible.check.sources import evidence_text, name_sources
from verifaible.evidence.sources import SourceDraft
from verifaible.judge.claims import claims_of
from verifaible.schema.anchor import Anchor, Structure, TableAnchor
from verifaible.store.store import Store

REFERENCES = """

## References

[1]: https://one.example/a "One"
[2] Two: https://two.example/b
[^n]: A note, https://note.example/n.
- Smith, J., & Lee, K. (2023). Wages and prices. https://smith.example/wages
World Bank. (2021). World report: trade. World Bank Press. https://bank.example/report
"""


@pytest.mark.parametrize(
    ("sentence", "url"),
    [
        ("Wages rose by 4.2 per cent [1].", "https://one.example/a"),
        ("Wages rose by 4.2 per cent [2].", "https://two.example/b"),
        ("Wages rose by 4.2 per cent.[^n]", "https://note.example/n"),
        ("Wages rose by 4.2 per cent (Smith & Lee, 2023).", "https://smith.example/wages"),
        ("Wages rose by 4.2 per cent (see Smith et al., 2023, p. 5).", "https://smith.example/wages"),
        ("Smith (2023) says that wages rose by 4.2 per cent.", "https://smith.example/wages"),
        ("According to the World Bank (2021), wages rose by 4.2 per cent.", "https://bank.example/report"),
        (
            "[The filing](https://file.example/f) says that wages rose by 4.2 per cent.",
            "https://file.example/f",
        ),
        ("Wages rose by 4.2 per cent ([office](https://file.example/f)).", "https://file.example/f"),
        ("Wages rose by 4.2 per cent (https://file.example/f).", "https://file.example/f"),
    ],
)
def test_a_claim_finds_its_source(sentence: str, url: str, tmp_path: Path) -> None:
    named = name_sources(InputText("-", "0", f"# Wages\n\n{sentence}{REFERENCES}"), Store(tmp_path / "store"))
    by_id = {source.id: source.url for source in named.answer.sources}
    (claim,) = [claim for claim in claims_of(named.answer) if "4.2" in claim.text]
    assert [by_id[name] for name in claim.cites] == [url]


def test_each_address_is_one_source_by_whatever_name(tmp_path: Path) -> None:
    text = "It rose [1]. It fell ([here](https://one.example/a)).\n\n[1]: https://one.example/a"
    named = name_sources(InputText("-", "0", text), Store(tmp_path / "store"))
    assert [source.url for source in named.answer.sources] == ["https://one.example/a"]


def test_a_file_goes_before_the_address_that_ends_as_it_is_called(tmp_path: Path) -> None:
    draft = SourceDraft(
        id="report", kind="document", body=b"It rose by 4.2 per cent.", media_type="text/plain"
    )
    text = "It rose by 4.2 per cent [1].\n\n[1]: https://one.example/files/report.pdf"
    named = name_sources(InputText("-", "0", text), Store(tmp_path / "store"), [draft])
    (source,) = named.answer.sources
    assert source.capture and source.url == "https://one.example/files/report.pdf"
    assert claims_of(named.answer)[0].cites == (source.id,)


def test_a_mark_that_leads_nowhere_is_broken(tmp_path: Path) -> None:
    named = name_sources(InputText("-", "0", "It rose by 4.2 per cent [7]."), Store(tmp_path / "store"))
    assert named.answer.sources == ()
    assert claims_of(named.answer)[0].broken == ("7",)


def test_the_row_of_a_passage_stands_under_its_heads_and_a_sentence_alone() -> None:
    text = "Sales rose. They fell later.\n\n| Region | Sales |\n|---|---:|\n| Asia | 18 |\n| Europe | 21 |\n"
    read = source(text)
    at = text.index("21")
    assert read.around(read.passage(at, at + 2)) == "| Region | Sales |\n| Europe | 21 |"
    at = text.index("fell")
    assert read.around(read.passage(at, at + 4)) == "They fell later."


def test_the_evidence_of_a_citation_is_read_with_what_governs_it() -> None:
    cell = Anchor(
        evidence_type="table",
        text="4.22",
        structure=(Structure(kind="heading", text="Yields"), Structure(kind="column_head", text="10 Yr")),
        table=TableAnchor(
            mode="crosshair",
            row_path=("02/06/2026",),
            column_path=("10 Yr",),
            cells=((25, 12),),
            row_cells=(("1 Mo", "3.72"),),
        ),
    )
    assert evidence_text(cell) == (
        "# Yields\n\n|  | 10 Yr | 1 Mo |\n| --- | --- | --- |\n| 02/06/2026 | 4.22 | 3.72 |"
    )
    words = Anchor(evidence_type="text", text="It rose", evidence="It rose by 5 %.")
    assert evidence_text(words) == "It rose by 5 %."
