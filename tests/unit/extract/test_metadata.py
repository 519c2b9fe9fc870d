"""What a page says about itself."""

from __future__ import annotations

import pytest
from lxml import html

from verifaible.extract.metadata import published_date, refresh_target


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ('<meta property="article:published_time" content="2026-03-01T10:00Z">', "2026-03-01"),
        ('<meta name="date" content="2026-03-01">', ""),
        ('<meta name="DC.Date" content="2026/3/1"><meta itemprop="datePublished" content="2025-12-31">', "2025-12-31"),
        ('<meta name="pubdate" content="2026年3月1日">', "2026-03-01"),
        ('<meta name="pubdate" content="2026-13-01"><meta name="dc.date" content="2026-01-13">', "2026-01-13"),
        ('<time itemprop="datePublished" datetime="2024-02-29">yesterday</time>', "2024-02-29"),
        ('<script type="application/ld+json">{"@graph": [{"x": {"datePublished": "2023-05-06"}}]}</script>', "2023-05-06"),
        ('<script type="application/ld+json">{broken</script>', ""),
        ("<p>Published 2020-01-01", ""),
    ],
)  # fmt: skip
def test_only_metadata_dates_a_page(head: str, date: str) -> None:
    assert published_date(html.document_fromstring(f"<html>{head}<p>x")) == date


@pytest.mark.parametrize(
    ("head", "sent", "target"),
    [
        ('<meta http-equiv="Refresh" content="0; url=/b">', "", "https://a.example/b"),
        ("<meta http-equiv=refresh content='3;URL=\"c#d\"'>", "", "https://a.example/c"),
        ('<meta http-equiv="refresh" content="90; url=/b">', "", ""),
        ('<meta http-equiv="refresh" content="5">', "", ""),
        ('<noscript><meta http-equiv="refresh" content="0; url=/b"></noscript>', "", ""),
        ('<meta http-equiv="refresh" content="0; url=/a#there">', "", ""),
        ('<meta http-equiv="refresh" content="0; url=javascript:x()">', "", ""),
        ("", "0; url=https://b.example/", "https://b.example/"),
    ],
)
def test_where_a_page_sends_its_readers(head: str, sent: str, target: str) -> None:
    page = html.document_fromstring(f"<html><head>{head}</head><p>x")
    assert refresh_target(page, "https://a.example/a", sent, 10) == target
