"""Chunks of every kind of document: they partition it, and are the same in every run and Python."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from functools import cache
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.kit.marks import nightly
from tests.kit.public import needs_public
from tests.unit.kg.test_filing import REAL
from verifaible.kg.chunks import MOST, chunks_of
from verifaible.kg.filing import Filing, read_filing

DEMO = resources.files("verifaible.kg").joinpath("demo", "brennock-10-k-2024.html")

WORDS = st.sampled_from(
    [
        *("Revenue rose.", "The plant in Ostrava closed in 2023; costs fell by $1,204.5 million.", "x", "—"),
        *(
            "שלום עולם",
            "إيرادات الشركة 714 مليون",
            "売上高は714億円",
            "a | b",
            "\\_ __ *",
            "﷽ 😀 e\u0301",
            "1." * 400,
        ),
        *("word " * 700, "Table of Contents", "PART II", "Item 7A.", "(Continued)"),
    ]
)
HEADINGS = st.sampled_from(
    ["Item 1. Business", "Item 1A. Risk Factors", "ITEM 7", "PART I", "Item 8. Statements", "Notes"]
)


def _table(rows: list[list[str]]) -> str:
    return (
        "<table>"
        + "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        + "</table>"
    )


def _listed(items: list[str], ordered: bool) -> str:
    name = "ol" if ordered else "ul"
    return f"<{name}>" + "".join(f"<li>{item}</li>" for item in items) + f"</{name}>"


INNER = st.recursive(
    WORDS,
    lambda inner: st.one_of(
        st.builds(_listed, st.lists(inner, max_size=5), st.booleans()),
        st.builds(_table, st.lists(st.lists(inner, min_size=1, max_size=4), max_size=4)),
        st.builds("<div>{}</div>".format, inner),
        st.builds("<p dir='rtl'>{}</p>".format, inner),
    ),
    max_leaves=12,
)
BLOCKS = st.one_of(
    st.builds("<p>{}</p>".format, WORDS),
    st.builds("<p><b>{}</b></p>".format, HEADINGS),
    st.builds("<h2>{}</h2>".format, HEADINGS),
    st.builds("<div></div>{}<hr>".format, INNER),
    INNER,
)
HUGE = _table([["Line", "2024", "2023"], *([f"Line {n}", f"{n * 1000:,}", "—"] for n in range(900))])
DEEP = "<ul><li>one" * 30 + "</li></ul>" * 30
WITHIN = _table([["a", _table([["b", _table([["c " * 900]])]] * 3)]] * 3)
ONLY_HEADINGS = "".join(f"<p><b>Item {n}. Title</b></p>" for n in range(1, 16))


@cache
def filing_of(body: str) -> Filing:
    return read_filing(f"<html><body><p>Report</p>{body}</body></html>".encode())


@given(st.lists(BLOCKS, max_size=14).map("".join))
@example(HUGE)
@example(DEEP)
@example(WITHIN)
@example(ONLY_HEADINGS)
@example(f"<p>Item 7. Discussion</p>{HUGE}<p>Item 8. Statements</p><p>Item 9.</p>")
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_character_is_in_exactly_one_chunk(body: str) -> None:
    filing = filing_of(body)
    chunks = chunks_of(filing)
    assert (chunks[0].start, chunks[-1].end) == (0, len(filing.text))
    assert all(one.end == other.start for one, other in itertools.pairwise(chunks))
    assert all(chunk.start < chunk.end for chunk in chunks)
    assert "".join(filing.text[chunk.start : chunk.end] for chunk in chunks) == filing.text
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for chunk in chunks:  # what is longer is one line without a place to cut it
        assert chunk.tokens <= MOST or "\n" not in filing.text[chunk.start : chunk.end].strip()


@pytest.mark.parametrize("item", ["1A", "7"])
def test_an_edit_leaves_the_chunks_of_other_items_as_they_are(item: str) -> None:
    before = read_filing(DEMO.read_bytes())
    body, heading = DEMO.read_text(), f"Item {item}."
    place = body.index("<p", body.rindex(heading))
    after = read_filing(
        f"{body[:place]}{'<p>New words, with a figure of 12 million.</p>' * 90}{body[place:]}".encode()
    )
    kept = {chunk.id for chunk in chunks_of(after)}
    assert {chunk.item for chunk in chunks_of(before) if chunk.id not in kept} == {item}
    assert len(kept) > len(chunks_of(before))


def test_words_that_stand_in_another_item_too_do_not_change_an_id() -> None:
    def ids(first: str) -> list[str]:
        chunks = chunks_of(
            filing_of(f"<p>Item 1. Business</p>{first}<p>Item 7. Discussion</p><p>Same words.</p>")
        )
        return [chunk.id for chunk in chunks if chunk.item == "7"]

    assert ids("<p>Other words.</p>") == ids("<p>Item 7. Discussion</p><p>Same words.</p>")


PROGRAM = """
import sys
from pathlib import Path
from verifaible.kg.chunks import chunks_of
from verifaible.kg.filing import read_filing
for name in sys.argv[1:]:
    filing = read_filing(Path(name).read_bytes())
    sys.stdout.write(filing.text)
    for chunk in chunks_of(filing):
        sys.stdout.write(chunk.model_dump_json())
"""


def _made(python: str, *names: Path, seed: int = 0) -> bytes:
    """The text and the chunks of filings, as another process writes them."""
    root = Path(__file__).resolve().parents[3]
    environment = {
        "PYTHONPATH": str(root),
        "PYTHONHASHSEED": str(seed),
        "PYTHONUTF8": "1",
        "PATH": os.environ["PATH"],
    }
    done = subprocess.run(
        [python, "-c", PROGRAM, *map(str, names)], env=environment, capture_output=True, check=True, cwd=root
    )
    return done.stdout


_IBM = pytest.param("ibm-10-k-2025-02-25", marks=needs_public("filings"))
FILINGS = pytest.mark.parametrize(
    "name", ["demo", _IBM, *(nightly(path.stem) for path in sorted(REAL.glob("[!i]*.html")))]
)


def _path(name: str) -> Path:
    return Path(str(DEMO)) if name == "demo" else REAL / f"{name}.html"


@FILINGS
def test_two_runs_write_the_same_bytes(name: str) -> None:
    path = _path(name)
    assert _made(sys.executable, path, seed=1) == _made(sys.executable, path, seed=2)
