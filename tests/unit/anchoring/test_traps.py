"""Quotes by authors who have not seen the code: the good ones are found, and of the others nothing is cut off.

Read as static mark-up, so that what scripts write and style sheets hide is not told here.
"""

from __future__ import annotations

from functools import cache
from html import escape

from tests.kit import suites
from verifaible.anchoring.evidence import Found
from verifaible.anchoring.find import find
from verifaible.extract.document import Document
from verifaible.extract.html import html_document
from verifaible.schema.anchor import AnchorRequest
from verifaible.text.normalise import key

PAGE = "<!doctype html><html lang={lang}><meta charset=utf-8><title>A page</title><body>{body}</body></html>"
#: Good quotes of words that scripts write or show.
MOST_REFUSED = 4
#: Traps of which a sentence of the page is not shown: mostly what is struck out, which is shown as such, and
#: what stands beside words that a style sheet or a script hides.
MOST_IN_PART = 17


@cache
def asked() -> list[tuple[suites.Row, Document, Found]]:
    found = []
    for row in suites.load("traps/texts"):
        given = row.input
        markup = PAGE.format(lang=escape(given.get("lang", "")), body=given["html"])
        document = html_document(markup, "https://example.org/")
        found.append((row, document, find(document, AnchorRequest(quote=given["quote"]))))
    return found


def test_good_quotes_are_found() -> None:
    good = [(row, found) for row, _, found in asked() if row.expect["verdict"] == "accept"]
    refused = [row.id for row, found in good if found.verdict != "verified"]
    assert len(good) > 800
    assert len(refused) <= MOST_REFUSED, refused


def test_nothing_is_cut_off_what_turns_words_round() -> None:
    in_part = []
    for row, document, found in asked():
        if row.expect["verdict"] == "refuse" and found.verdict == "verified":
            assert found.anchor is not None
            shown = key(found.anchor.shown.text)
            told = [block.text[a:b] for block in document.blocks for a, b in block.sentences]
            if any(key(sentence) not in shown for sentence in told):
                in_part.append(row.id)
    assert len(in_part) <= MOST_IN_PART, in_part
