"""Full-text search over archived pages: Chinese words, ranking, snippets, limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from verifaible.errors import BadArguments
from verifaible.search.archive import ArchiveSearch, snippet
from verifaible.search.base import MAX_HITS


@dataclass(frozen=True)
class Page:
    url: str
    title: str
    text: str


class FakeArchive:
    def __init__(self, *pages: Page) -> None:
        self.all = pages
        self.read = 0

    def pages(self) -> Iterator[Page]:
        self.read += 1
        return iter(self.all)


PAGES = (
    Page(
        "https://www.stats.gov.cn/a.html",
        "2024年12月份70个大中城市商品住宅销售价格变动情况",
        "一线城市二手住宅同比下降。\n郑　　州 90.9\n" + "其他内容。" * 200,
    ),
    Page("https://www.stats.gov.cn/b.html", "居民消费价格", "居民消费价格同比上涨0.1%。住宅租金下降。"),
    Page(
        "https://www.federalreserve.gov/c.htm",
        "FOMC statement",
        "The Committee lowered the federal funds rate.",
    ),
    Page("https://home.treasury.gov/d", "Daily rates", "Par yield curve rates, statements and café 1,234.5"),
    Page("https://empty.example.org/e", "住宅 statement", "  \n "),
)


@pytest.fixture
def search() -> ArchiveSearch:
    return ArchiveSearch(FakeArchive(*PAGES))  # type: ignore[arg-type]


async def urls(search: ArchiveSearch, query: str, limit: int = 10) -> list[str]:
    return [hit.url.rpartition("/")[2] for hit in await search.search(query, limit)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("住宅", ["a.html", "b.html"]),
        ("二手", ["a.html"]),
        ("宅二", []),
        ("郑　　州", ["a.html"]),
        ("居民消费价格同比", ["b.html", "a.html"]),
        ("70个大中城市 住宅", ["a.html", "b.html"]),
        ("statements", ["c.htm", "d"]),
        ("STATEMENT federal", ["c.htm", "d"]),
        ("cafe", ["d"]),
        ("1,234.5", ["d"]),
        ("９０.９", ["a.html"]),
        ("federalreserve.gov", ["c.htm"]),
        ("site:stats.gov.cn 住宅 rate", ["a.html", "b.html"]),
        ("site:gov.cn rate", []),
        ("site:https://www.federalreserve.gov/x rate", ["c.htm"]),
        ('"funds rate"', ["c.htm"]),
        ('"rate funds"', []),
        ("“二手住宅”", ["a.html"]),
        ('fed" OR * NEAR(x (rate', ["d", "c.htm"]),
        ("zebra", []),
    ],
)
async def test_what_is_found_and_in_which_order(search: ArchiveSearch, query: str, found: list[str]) -> None:
    assert await urls(search, query) == found


async def test_pages_with_all_words_come_before_pages_with_some(search: ArchiveSearch) -> None:
    assert await urls(search, "住宅") == ["a.html", "b.html"]
    assert await urls(search, "住宅 租金") == ["b.html", "a.html"]


LONG = (
    Page("https://e.com/whole", "一", "前言。居民消费价格指数同比上涨。" + "无关的话。" * 400),
    Page("https://e.com/parts", "二", "居民消费多。说费价低。价格高。有格指。指数升。为数同。同比上涨。"),
    Page("https://e.com/some", "三", "居民住在这里。"),
)


@pytest.mark.parametrize(
    "query",
    [
        *("居", "消费", "消费价", "费价格指", "民消费价格指数", "居民消费价格指数同比上涨", "前言 指数同比"),
    ],
)
async def test_a_substring_of_any_length_is_found_and_whole_ones_come_first(query: str) -> None:
    found = await urls(ArchiveSearch(FakeArchive(*LONG)), query)  # type: ignore[arg-type]
    assert "whole" in found
    if len(query) > 2:
        assert found[0] == "whole"


async def test_a_hit_is_whole(search: ArchiveSearch) -> None:
    (hit,) = await search.search("federal funds", 1)
    assert (hit.title, hit.source, hit.published) == ("FOMC statement", "archive", "")
    assert "federal funds rate" in hit.snippet


async def test_the_index_is_built_once() -> None:
    archive = FakeArchive(*PAGES)
    search = ArchiveSearch(archive)  # type: ignore[arg-type]
    assert archive.read == 0
    await search.search("住宅")
    await search.search("rate")
    assert archive.read == 1


async def test_a_page_in_two_archives_is_one_hit() -> None:
    search = ArchiveSearch(FakeArchive(PAGES[2], PAGES[2]))  # type: ignore[arg-type]
    assert len(await search.search("federal", 10)) == 1


async def test_hits_are_capped() -> None:
    pages = [Page(f"https://e.com/{number}", "t", "same word") for number in range(MAX_HITS + 10)]
    search = ArchiveSearch(FakeArchive(*pages))  # type: ignore[arg-type]
    assert len(await search.search("word", 3)) == 3
    assert len(await search.search("word", 10_000)) == MAX_HITS


@pytest.mark.parametrize("query", ["", "   ", "?!*", '""', "site:gov.cn"])
async def test_a_query_without_words_is_refused(search: ArchiveSearch, query: str) -> None:
    with pytest.raises(BadArguments, match="query"):
        await search.search(query, 5)


@pytest.mark.parametrize("limit", [0, -1])
async def test_a_limit_is_positive(search: ArchiveSearch, limit: int) -> None:
    with pytest.raises(BadArguments, match="limit"):
        await search.search("住宅", limit)


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("short text", ("text",), "short text"),
        ("x " * 100 + "needle here", ("needle",), "needle"),
        ("one " + "x " * 100 + "one two" + " y" * 100, ("one", "two"), "one two"),
        ("İ" * 30 + " straße needle", ("needle",), "needle"),
    ],
)
def test_a_snippet_shows_the_words(text: str, terms: tuple[str, ...], expected: str) -> None:
    shown = snippet(text, terms, 60)
    assert expected in shown
    assert len(shown) <= 62
    assert shown.startswith("…") is not text.startswith(shown[:5])
