from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifaible.evidence.sources import SourceDraft
from verifaible.judge.context import sources_in_context


def missing(context: str, drafts: tuple[SourceDraft, ...]) -> Counter[str]:
    """The characters that are not blank and that no source has."""
    there = "".join(draft.body.decode("utf-8", "surrogatepass") for draft in drafts)
    return Counter(re.sub(r"\s", "", context)) - Counter(re.sub(r"\s", "", there))


A, B = "https://a.example/x", "https://b.example/y"
BODY = "ETF flows (USD millions)\n\n| Day | Total |\n|---|---|\n| 2025-11-14 | -492.1 |"
DATA = '{"bitcoin": {"usd": 95589.10, "change":-2.9100}}'
#: The line that begins a detailed source; {u} is its address, and {n} the number of the source where it has one.
HEADS = [
    "From [{u}]:",
    "From [{u}]:**",
    "**From [{u}]:**",
    "**From {u}:**",
    "From {u}:",
    "- From [{u}]",
    "### From [A title]({u}):",
    "[src_{n}] From [{u}]:",
    "src_{n}: From {u}",
    "From [{u}] (src_{n}):",
    "From [{u}]: src_{n}",
    "From [{u}]: [src_{n}]",
    "From [{u}] (id: src_{n}):",
    "From [{u}]: **src_{n}**",
    "**From {u}:** src_{n}",
    "From [{u}]: 来源{n}",
    "[{n}] From [{u}]:",
]


def names(draft: SourceDraft) -> set[str]:
    return {draft.id, *draft.aliases}


def sources(context: str) -> list[SourceDraft]:
    drafts = sources_in_context(context)
    assert not missing(context, drafts)
    return [draft for draft in drafts if draft.kind != "context"]


@pytest.mark.parametrize("head", HEADS)
def test_a_head_gives_address_and_id_and_leaves_the_words_alone(head: str) -> None:
    first_head, second_head = (head.format(n=n, u=u) for n, u in ((1, A), (2, B)))
    for body, kind in ((BODY, "page"), (DATA, "api"), (f"```json\n{DATA}\n```", "api")):
        context = f"You are an analyst.\n\n{first_head}\n{body}\n\n{second_head}\nBeta [3] words.\n</context>"
        first, second = sources(context)
        assert (first.url, first.kind, second.url, second.kind) == (A, kind, B, "page")
        assert first.body.decode() == (BODY if kind == "page" else DATA)
        assert second.body.decode() == "Beta [3] words."
        if "{n}" in head:
            assert ("1" in names(first), "2" in names(second)) == (True, True)
        if "src_" in head:
            assert (first.id, second.id) == ("src_1", "src_2")


def test_words_around_json_are_kept_and_both_are_found_by_the_id() -> None:
    page, data = sources(f"From [{A}]: src_1\nPrices in US dollars:\n{DATA}\nSource of data: CoinGecko feed.")
    assert (page.kind, data.kind, data.body.decode()) == ("page", "api", DATA)
    assert all("src_1" in names(draft) and draft.url == A for draft in (page, data))
    assert "US dollars" in page.body.decode()
    assert "CoinGecko feed" in page.body.decode()


def test_snippets_are_one_line_each_with_their_address_behind() -> None:
    context = """From [https://a.example/x]:**
The price is $36.36.

HYPE jumps... The token rose 5% on Monday. Source: https://news.example/1
- Other title... It fell 3%, and that is all. Source: [news](https://news.example/2)
Third. Source: https://news.example/3.

Answer now."""
    found = sources(context)
    assert [(draft.kind, draft.url) for draft in found] == [
        ("page", "https://a.example/x"),
        *(("snippet", f"https://news.example/{n}") for n in (1, 2, 3)),
    ]
    assert [("5%" in draft.body.decode(), draft.title) for draft in found[:3]] == [
        (False, ""),
        (True, "HYPE jumps"),
        (False, "Other title"),
    ]
    rest = sources_in_context(context)[-1].body.decode()
    assert "Answer now." in rest
    assert "From [https://a.example/x]:**" in rest


@pytest.mark.parametrize(
    "value",
    [
        [{"id": "hyperliquid", "symbol": "hype", "current_price": 36.36, "market_cap": 9900000000}],
        {"hyperliquid": {"usd": 36.36, "usd_market_cap": 9900000000.5}},
        {"id": "1", "name": "Aave", "url": "https://aave.example", "tvl": 5100000000.25},
        {"prices": [[1731715200000, 36.36], [1731801600000, 37.5]]},
        [{"src_id": "src_5", "url": A, "score": 0.5, "content": "The price is 5."}],
    ],
)
def test_data_of_an_api_stay_byte_for_byte(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=1)):
        (only,) = sources_in_context(text)
        assert (only.kind, only.body.decode()) == ("api", text)


def test_a_list_of_sources_with_their_ids_is_a_source_each() -> None:
    listed: list[dict[str, object]] = [
        {"src_id": "src_5", "url": A, "title": "One", "content": 'The "price" is 5 €\nand more.'},
        {"src_id": "src_6", "url": B, "content": {"usd": 36.36}},
        {"src_id": "src_7", "url": B, "content": DATA},
    ]
    first, second, third = sources_in_context(json.dumps(listed))
    assert (first.id, first.url, first.aliases) == ("src_5", A, ("5",))
    assert first.body.decode() == 'One\n\nThe "price" is 5 €\nand more.'
    assert (second.id, second.kind, json.loads(second.body)) == ("src_6", "api", listed[1])
    assert (third.id, third.kind, third.body.decode()) == ("src_7", "api", DATA)


def test_one_address_twice_gives_two_sources_that_it_leads_to() -> None:
    first, second = sources(f"From [{A}]:\nAlpha\nFrom [{A}]:\nBeta")
    assert (first.id, second.id, second.aliases) == (A, f"{A}#2", (A,))


@pytest.mark.parametrize(
    "context",
    [
        "Just some words about Web3: the future. Result: 12 wins.\nSource: my head",
        "From January 2024 to May the price rose.\nFrom there it fell.",
        "A list [1] and {name} and [a, b].",
        "<context>\nwords in </context> and <context> again",
        f"Sources:\nsrc_1: {A}\nsrc_2: {B}",
        f"1. A result\n   {A}\n   Its words.",
        '<source id="src_1" url="https://a.example/x">\nAn odd layout of others.\n</source>',
        "{not json at all",
        "[[[[[[",
        "价格上涨了百分之五。",
    ],
)
def test_what_is_no_source_is_one_context(context: str) -> None:
    (only,) = sources_in_context(context)
    assert (only.kind, only.id, only.body.decode()) == ("context", "context", context.strip())


@pytest.mark.parametrize(
    "context",
    [
        f"From [{A}]:\nsrc_1 is how the file names its first field.\nMore.",
        f"From [{A}]:\nSource 3 of the leak was a former employee.",
    ],
)
def test_words_below_a_head_are_no_id(context: str) -> None:
    (only,) = sources(context)
    assert (only.body.decode(), names(only)) == (context.partition("\n")[2], {A})


def test_an_empty_context_has_no_sources() -> None:
    assert sources_in_context("") == sources_in_context(" \n\t") == ()


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=30)
_BLOCK = st.one_of(
    st.tuples(st.sampled_from([each.format(n=1, u=A) for each in HEADS]), _WORDS).map("\n".join),
    _WORDS.map(lambda words: f"T... {words}. Source: https://n.example/1"),
    _WORDS.map(
        lambda words: (
            f"```json\n{json.dumps({'price': words, 'more': [1, 2, 3.50]}, ensure_ascii=False)}\n```"
        )
    ),
    _WORDS.map(lambda words: f"1. {words}\n   https://l.example/2\n   {words}"),
    _WORDS.map(lambda words: f"Title: {words}\nURL: https://u.example\nContent: {words}"),
    _WORDS.map(lambda words: f"Tool: price\nResult:\n{words}"),
    st.sampled_from(
        ["</context>", "## Search results", "[1] A", "src_9", "---", "{", "Source: https://z.example"]
    ),
    _WORDS,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_BLOCK, max_size=12), st.sampled_from(["\n", "\n\n", " "]))
def test_no_character_of_a_context_is_lost(blocks: list[str], between: str) -> None:
    context = between.join(blocks)
    drafts = sources_in_context(context)
    assert not missing(context, drafts)
    assert len({draft.id for draft in drafts}) == len(drafts)
    for draft in drafts:
        if draft.id != "context":
            assert all(line in context for line in draft.body.decode().split("\n"))


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | _WORDS
    | st.sampled_from(["https://a.example", "From [https://b.example]:\n" + "words " * 20]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "src_id", "url", "title", "content", "data", "results", "tvl"]) | _WORDS,
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=150, deadline=None)
@given(_JSON)
def test_no_word_of_a_context_in_json_is_lost(value: object) -> None:
    context = json.dumps(value, ensure_ascii=False)
    drafts = sources_in_context(context)
    there = "".join(draft.body.decode() for draft in drafts)
    lost = Counter(_letters(context)) - Counter(_letters(there)) - Counter("nrtbfux0123456789abcdef")
    # An escape such as \n in a text is a line break in its source: its letter is no word.
    escapes = Counter("".join(re.findall(r"\\(u[0-9a-f]{4}|.)", context)))
    assert not lost - escapes


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def test_a_long_context_is_read() -> None:
    context = "\n\n".join(
        f"[src_{n}] From [https://a.example/{n}]:\n" + f"The price is ${n}. " * 200 for n in range(200)
    )
    drafts = sources_in_context(context)
    assert len(drafts) == 200 + 1  # and the heads
    assert not missing(context, drafts)


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "{",
        '{"a":',
        "[\n",
        "From [",
        "<source ",
        "Source: ",
        "https://",
        "T... ",
        "1. x\n https://a.b/\n",
        "src_1:\n",
    ],
)
def test_a_long_context_that_only_begins_things(unit: str) -> None:
    context = unit * (150_000 // len(unit))
    assert not missing(context, sources_in_context(context))
