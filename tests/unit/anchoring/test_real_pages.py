"""Sentences of saved pages of the web: found as they stand, and never with another number, name or negation."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifaible.anchoring.find import find
from verifaible.extract.document import Document
from verifaible.extract.html import html_document
from verifaible.schema.anchor import AnchorRequest

DATA = os.environ.get("VERIFAIBLE_TEST_DATA", "")
PAGES = sorted(Path(DATA, "pages").glob("*.html")) if DATA else []
EACH = 5


def chosen(document: Document, chance: random.Random) -> list[str]:
    """Some of the sentences that are long enough to be one."""
    texts = {
        block.text[start:end]
        for block in document.blocks
        for start, end in block.sentences
        if 30 <= end - start <= 300 and not block.marks
    }
    return chance.sample(sorted(texts), min(EACH, len(texts)))


def edits(sentence: str, chance: random.Random) -> Iterator[str]:
    """The sentence with another digit, another name, a negation more or less."""
    for pattern, new in (
        (r"\d", ""),
        (r"(?<=[a-z,] )[A-Z][a-z]{3,}", "Zorvan"),
        (r"(?<=\w) (?=\w)", " not "),
    ):
        places = list(re.finditer(pattern, sentence))
        if places:
            at = chance.choice(places)
            said = new or str((int(at.group()) + chance.randint(1, 9)) % 10)
            yield sentence[: at.start()] + said + sentence[at.end() :]
    if " not " in sentence:
        yield sentence.replace(" not ", " ", 1)


@pytest.mark.skipif(not PAGES, reason="VERIFAIBLE_TEST_DATA names no folder with pages")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_sentences_of_a_page(path: Path) -> None:
    chance = random.Random(path.stem)
    document = html_document(path.read_text("utf-8", errors="replace"), "https://example.org/")
    for sentence in chosen(document, chance):
        found = find(document, AnchorRequest(quote=sentence))
        assert found.verdict in ("verified", "ambiguous"), sentence
        for edited in edits(sentence, chance):
            assert find(document, AnchorRequest(quote=edited)).verdict not in ("verified", "ambiguous"), (
                edited
            )
