"""Numbers, periods and members of Inline XBRL, as the specifications say."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from lxml import html

from tests.kit import suites
from verifaible.kg.xbrl import Fact, closed, tagged, words_in

_PAGE = """<html><body><ix:header><ix:resources><xbrli:context id="c"><xbrli:entity>
<xbrli:identifier scheme="s">1</xbrli:identifier><xbrli:segment>{segment}</xbrli:segment></xbrli:entity>
<xbrli:period>{period}</xbrli:period></xbrli:context></ix:resources></ix:header>
<p><ix:nonFraction name="x:Swims" contextRef="c" {attributes}>{shown}</ix:nonFraction></p></body></html>"""


def fact(segment: str = "", start: str = "", end: str = "2024-12-31", **attributes: Any) -> Fact:
    shown = attributes.pop("shown", "1")
    period = (
        f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
        if start
        else f"<xbrli:instant>{end}</xbrli:instant>"
    )
    told = " ".join(f'{name}="{value}"' for name, value in attributes.items() if value)
    page = _PAGE.format(segment=segment, period=period, attributes=told, shown=shown)
    ((found, _),) = tagged(html.document_fromstring(closed(page)))
    return found


@pytest.mark.parametrize("row", suites.load("inline_xbrl"), ids=lambda row: row.id)
def test_facts(row: suites.Row) -> None:
    found = fact(**row.input)
    read: dict[str, Any] = {
        "value": found.value,
        "period": str(found.period),
        "members": [list(each) for each in found.members],
    }
    for name, expected in row.expect.items():
        wanted = Decimal(expected) if name == "value" and expected is not None else expected
        assert read[name] == wanted


def test_what_is_excluded_is_no_word_of_a_fact() -> None:
    node = html.fromstring("<div>Elm <ix:exclude>Page <b>3</b> </ix:exclude>Baths</div>")
    assert words_in(node) == "Elm Baths"
