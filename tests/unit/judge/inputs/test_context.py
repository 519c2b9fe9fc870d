from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifaible.evidence.sources import SourceDraft
from verifaible.judge.inputs.context import drafts_of


def told(drafts: tuple[SourceDraft, ...]) -> list[tuple[str, str, str, str]]:
    return [(draft.id, draft.kind, draft.url, draft.body.decode()) for draft in drafts]


def missing(context: str, drafts: tuple[SourceDraft, ...]) -> Counter[str]:
    """The characters that are not blank and that no source has."""
    there = "".join(draft.body.decode("utf-8", "surrogatepass") for draft in drafts)
    return Counter(re.sub(r"\s", "", context)) - Counter(re.sub(r"\s", "", there))


def by_id(context: str) -> dict[str, SourceDraft]:
    drafts = drafts_of(context)
    assert not missing(context, drafts)
    return {draft.id: draft for draft in drafts}


HEADS = [
    "From [https://a.example/x]:",
    "From [https://a.example/x]:**",
    "**From [https://a.example/x]:**",
    "**From https://a.example/x:**",
    "From https://a.example/x:**",
    "From https://a.example/x:",
    "- From [https://a.example/x]",
    "### From [A title](https://a.example/x):",
    "[src_1] From [https://a.example/x]:",
    "src_1: From https://a.example/x",
    "From [https://a.example/x] (src_1):",
    "[src_1] https://a.example/x",
    "src_1 (https://a.example/x)",
    "**[src_1]** A title - https://a.example/x",
    "### Source 1: A title (https://a.example/x)",
    "Source [1]: https://a.example/x",
    "[Source 1] (https://a.example/x)",
    "## Result 1 https://a.example/x",
    "【来源1】https://a.example/x",
    '<source id="src_1" url="https://a.example/x">',
    "<document index='1' source='https://a.example/x'>",
]


@pytest.mark.parametrize("head", HEADS)
def test_detailed_sources_begin_with_their_address_or_id(head: str) -> None:
    second = head.replace("a.example", "b.example").replace("1", "2")
    closing = (
        "\n</source>" if head.startswith("<source") else "\n</document>" if head.startswith("<doc") else ""
    )
    context = f"You are an analyst.\n\n{head}\nThe price is $36.36.\n\nTVL is [3] $5B.{closing}\n{second}\nBeta 7 words{closing}"
    drafts = drafts_of(context)
    assert not missing(context, drafts)
    first, other = [draft for draft in drafts if draft.kind != "context"]
    assert (first.url, other.url) == ("https://a.example/x", "https://b.example/x")
    assert "$36.36" in first.body.decode()
    assert "$5B" in first.body.decode()
    assert "Beta" not in first.body.decode()
    assert "Beta 7" in other.body.decode()
    if "1" in head:
        assert any("1" in name for name in (first.id, *first.aliases)), first
        assert any("2" in name for name in (other.id, *other.aliases)), other


def test_snippets_are_one_line_each_with_their_address_behind() -> None:
    context = """Search results:
HYPE jumps... The token rose 5% on Monday. Source: https://news.example/1
- Other title... It fell 3%, and that is all. Source: [news](https://news.example/2)
Third. Source: https://news.example/3.

Answer now."""
    found = by_id(context)
    assert [(draft.kind, draft.url) for draft in found.values()] == [
        ("snippet", "https://news.example/1"),
        ("snippet", "https://news.example/2"),
        ("snippet", "https://news.example/3"),
        ("context", ""),
    ]
    assert "5%" in found["https://news.example/1"].body.decode()
    assert "5%" not in found["https://news.example/2"].body.decode()
    assert "Answer now." in found["context"].body.decode()


def test_snippets_behind_a_detailed_source_are_no_part_of_it() -> None:
    context = """From [https://a.example/x]:**
The price is $36.36.

HYPE jumps... The token rose 5% on Monday. Source: https://news.example/1
Other title... It fell 3%. Source: https://news.example/2
"""
    found = by_id(context)
    assert [draft.kind for draft in found.values()] == ["page", "snippet", "snippet", "context"]
    assert found["context"].body.decode() == "From [https://a.example/x]:**"
    assert "5%" not in found["https://a.example/x"].body.decode()


def test_json_results_are_a_source_each_with_their_words_decoded() -> None:
    value = {
        "results": [
            {
                "src_id": "src_5",
                "url": "https://a.example",
                "title": "One",
                "content": 'The "price" is 5 €\nand more.',
                "score": 0.5,
            },
            {"src_id": "src_6", "url": "https://b.example", "content": "Other words"},
        ]
    }
    for context in (
        json.dumps(value),
        json.dumps(value, ensure_ascii=False, indent=2),
        f"Results:\n```json\n{json.dumps(value)}\n```\nGo.",
    ):
        drafts = {draft.id: draft for draft in drafts_of(context)}
        assert drafts["src_5"].body.decode() == 'One\n\nThe "price" is 5 €\nand more.'
        assert drafts["src_5"].url == "https://a.example"
        assert "5" in drafts["src_5"].aliases
        assert drafts["src_6"].body.decode() == "Other words"
        assert "0.5" in drafts["context"].body.decode()


@pytest.mark.parametrize(
    "value",
    [
        [
            {
                "id": "hyperliquid",
                "symbol": "hype",
                "current_price": 36.36,
                "image": "https://x.example/i.png",
                "market_cap": 9900000000,
            }
        ],
        {"hyperliquid": {"usd": 36.36, "usd_market_cap": 9900000000.5}},
        {
            "id": "1",
            "name": "Aave",
            "url": "https://aave.example",
            "description": "A lending protocol",
            "tvl": 5100000000.25,
        },
        [{"name": "Aave", "url": "https://aave.example", "tvl": 1.5, "chainTvls": {"Ethereum": 1.0}}],
        {"prices": [[1731715200000, 36.36], [1731801600000, 37.5]]},
    ],
)
def test_data_of_an_api_stay_byte_for_byte(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=1)):
        (only,) = drafts_of(text)
        assert (only.kind, only.body.decode()) == ("api", text)
        headed = {
            draft.kind: draft
            for draft in drafts_of(f"[src_4] From [https://api.example/v3]:\n{text}\n\nThat is all.")
        }
        assert headed["api"].body.decode() == text
        assert (headed["api"].id, headed["api"].url) == ("src_4", "https://api.example/v3")


def test_data_beside_an_id_are_one_source() -> None:
    first = {"src_id": "src_1", "tool": "price", "data": {"usd": 36.36}}
    second = {"src_id": "src_2", "tool": "tvl", "data": [{"date": "2025-11-16", "tvl": 5}]}
    drafts = drafts_of(json.dumps([first, second]))
    assert [draft.id for draft in drafts if draft.kind == "api"] == ["src_1", "src_2"]
    assert json.loads(drafts[0].body) == first
    assert json.loads(drafts[1].body) == second


def test_a_context_in_json_is_taken_apart_too() -> None:
    inner = "**From [https://a.example]:**\nAlpha words are here, and there are enough of them to be seen.\n**From [https://b.example]:**\nBeta"
    drafts = drafts_of(json.dumps({"query": "what?", "context": inner}))
    assert [draft.url for draft in drafts] == ["https://a.example", "https://b.example", ""]
    assert "what?" in drafts[-1].body.decode()


def test_ids_that_are_given_to_addresses_apart_are_aliases() -> None:
    context = "Sources:\nsrc_1: https://a.example/1\nsrc_2: https://b.example/2\n\nFrom [https://a.example/1]:\nAlpha words\nFrom [https://b.example/2]:\nBeta words"
    found = by_id(context)
    assert found["https://a.example/1"].aliases == ("src_1", "1")
    assert found["https://b.example/2"].aliases == ("src_2", "2")


def test_one_address_twice_gives_two_sources_that_it_leads_to() -> None:
    context = "From [https://a.example]:\nAlpha\nFrom [https://a.example]:\nBeta"
    found = by_id(context)
    assert list(found) == ["https://a.example", "https://a.example#2", "context"]
    assert found["https://a.example#2"].aliases == ("https://a.example",)


@pytest.mark.parametrize(
    "context",
    [
        "Just some words about Web3: the future. Result: 12 wins.\nSource: my head",
        "From January 2024 to May the price rose.\nFrom there it fell.",
        "A list [1] and {name} and [a, b].",
        "<context>\nwords in </context> and <context> again",
        "{not json at all",
        "[[[[[[",
        "价格上涨了百分之五。",
    ],
)
def test_what_is_no_source_is_one_context(context: str) -> None:
    (only,) = drafts_of(context)
    assert (only.kind, only.id, only.body.decode()) == ("context", "context", context.strip())


def test_an_empty_context_has_no_sources() -> None:
    assert drafts_of("") == drafts_of(" \n\t") == ()


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=30)
_BLOCK = st.one_of(
    st.tuples(st.sampled_from(HEADS), _WORDS).map("\n".join),
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
    drafts = drafts_of(context)
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
    drafts = drafts_of(context)
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
    drafts = drafts_of(context)
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
    assert not missing(context, drafts_of(context))
