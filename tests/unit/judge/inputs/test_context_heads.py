"""The forms in which contexts name their sources, and what becomes of the lines that do."""

from __future__ import annotations

import json

import pytest

from tests.unit.judge.inputs.test_context import missing
from verifaible.evidence.sources import SourceDraft
from verifaible.judge.inputs.context import drafts_of

A, B = "https://a.example/x", "https://b.example/y"
BODY = "ETF flows (USD millions)\n\n| Day | Total |\n|---|---|\n| 2025-11-14 | -492.1 |"
DATA = '{"bitcoin": {"usd": 95589.10, "change":-2.9100}}'

#: A head, with {n} for the number of the source and {u} for its address, and what the body then begins with.
NAMED = [
    "From [{u}]: src_{n}",
    "From [{u}]: [src_{n}]",
    "From [{u}]: (src_{n})",
    "From [{u}] - src_{n}",
    "From [{u}] – id: src_{n}",
    "From [{u}] (id: src_{n}):",
    "From [{u}], src_{n}:",
    "From [{u}]: **src_{n}**",
    "From [{u}]: `src_{n}`",
    "From [{u}] | Source ID: src_{n}",
    "From [{u}] => src_{n}",
    "From [{u}]:\nsrc_{n}",
    "From [{u}]:\n[src_{n}]",
    "From [{u}]:\n(src_{n})",
    "From [{u}]:\nid: src_{n}",
    "From [{u}]:\n**ID:** src_{n}",
    "From [{u}]\n\nsource_id: src_{n}",
    "**From {u}:** src_{n}",
    "**From [{u}]: src_{n}**",
    "### From [{u}] (src_{n})",
    "From {u} [src_{n}]:",
    "[src_{n}] From [{u}]:",
    "src_{n}: From {u}",
    "(src_{n}) From [{u}]:",
    "id: src_{n}\nFrom [{u}]:",
    "[src_{n}]\nFrom [{u}]:",
    "src_{n}\n{u}",
    "### src_{n}\nURL: {u}",
    "## Source {n}\n{u}\n",
    "- src_{n}: {u}",
    "ID: src_{n}\nURL: {u}",
    "- id: src_{n}\n  url: {u}",
    "[src_{n}]({u})",
    "**[src_{n}]** <{u}>",
    "From [{u}]: 来源{n}",
    "From [{u}]: [{n}]",
    "From [{u}]: #{n}",
    "[{n}] From [{u}]:",
]


def names(draft: SourceDraft) -> set[str]:
    return {draft.id, *draft.aliases}


def two(head: str, first: str, second: str) -> str:
    filled = [head.replace("{n}", str(n)).replace("{u}", u) for n, u in ((1, A), (2, B))]
    return f"{filled[0]}\n{first}\n\n{filled[1]}\n{second}"


def sources(context: str) -> list[SourceDraft]:
    drafts = drafts_of(context)
    if context[0] not in "[{":  # escapes and quotes of JSON are no words of the sources in it
        assert not missing(context, drafts)
    return [draft for draft in drafts if draft.kind != "context"]


@pytest.mark.parametrize("head", NAMED)
def test_a_head_gives_address_and_id_and_leaves_the_words_alone(head: str) -> None:
    first, second = sources(two(head, BODY, "Beta words, nothing more."))
    assert (first.url, second.url) == (A, B)
    assert first.body.decode() == BODY
    assert second.body.decode() == "Beta words, nothing more."
    assert (first.kind, second.kind) == ("page", "page")
    assert "1" in names(first)
    assert "2" in names(second)
    if "src_" in head:
        assert (first.id, second.id) == ("src_1", "src_2")


@pytest.mark.parametrize("head", NAMED)
def test_json_below_a_head_is_its_source_byte_for_byte(head: str) -> None:
    first, second = sources(two(head, DATA, BODY))
    assert (first.kind, first.url, first.media_type) == ("api", A, "application/json")
    assert first.body.decode() == DATA
    assert "1" in names(first)
    assert (second.kind, second.url, second.body.decode()) == ("page", B, BODY)


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```", "```\n{}\n```", "Response:\n{}", "\n{}\n"])
def test_json_below_a_head_may_stand_in_a_fence_or_behind_a_word(fence: str) -> None:
    first, second = sources(two("From [{u}]: src_{n}", fence.format(DATA), BODY))
    assert (first.id, first.kind, first.url, first.body.decode()) == ("src_1", "api", A, DATA)
    assert second.id == "src_2"


def test_words_around_json_are_kept_and_both_are_found_by_the_id() -> None:
    context = f"From [{A}]: src_1\nPrices in US dollars, as of 16 November:\n{DATA}\nSource of data: CoinGecko feed."
    found = sources(context)
    assert [draft.kind for draft in found] == ["page", "api"]
    assert all("src_1" in names(draft) and draft.url == A for draft in found)
    assert found[1].body.decode() == DATA
    assert "US dollars" in found[0].body.decode()
    assert "CoinGecko feed" in found[0].body.decode()


def test_results_in_json_below_a_head_are_found_by_its_id() -> None:
    results = json.dumps(
        {"results": [{"url": A, "content": "Alpha words."}, {"url": B, "content": "Beta words."}]}
    )
    found = sources(f"[src_7] Tool: web_search\nResult:\n{results}")
    assert [draft.url for draft in found] == [A, B]
    assert all("src_7" in names(draft) for draft in found)


@pytest.mark.parametrize(
    "head",
    [
        "From [Aave report for Q3]({u}): src_{n}",
        "### Source {n}: Aave report for Q3 ({u})",
        "**[src_{n}]** Aave report for Q3 - {u}",
        "[src_{n}] Aave report for Q3\nURL: {u}",
    ],
)
def test_the_title_in_a_head_stays_with_its_words(head: str) -> None:
    first, second = sources(two(head, BODY, "Beta."))
    assert (first.title, first.url) == ("Aave report for Q3", A)
    assert first.body.decode().split("\n")[0] == "Aave report for Q3"
    assert "From" not in first.body.decode()
    assert first.body.decode().endswith(BODY)
    assert "1" in names(first)
    assert "2" in names(second)


@pytest.mark.parametrize(
    ("context", "words"),
    [
        (f"[src_1] Bitcoin trades at $95,589 on Friday. {A}\n[src_2] It fell 3%. {B}", "$95,589"),
        (f"src_1: Bitcoin trades at $95,589 on Friday. ({A})\nsrc_2: It fell 3%. ({B})", "$95,589"),
        (f"From [{A}]: src_1 Bitcoin trades at $95,589.\nFrom [{B}]: src_2 It fell 3%.", "$95,589"),
        (f"From [{A}]: Bitcoin trades at $95,589. (src_1)\nFrom [{B}]: It fell 3%. (src_2)", "$95,589"),
    ],
)
def test_a_source_on_one_line_keeps_its_words(context: str, words: str) -> None:
    first, second = sources(context)
    assert words in first.body.decode()
    assert "3%" in second.body.decode()
    assert (first.url, second.url) == (A, B)
    assert {"src_1"} <= names(first)
    assert {"src_2"} <= names(second)


@pytest.mark.parametrize(
    "context",
    [
        f'<document index="1">\n<source>{A}</source>\n<document_content>\n{BODY}\n</document_content>\n</document>\n'
        f'<document index="2">\n<source>{B}</source>\n<document_content>\nBeta.\n</document_content>\n</document>',
        f"<source>\n<id>src_1</id>\n<url>{A}</url>\n<content>{BODY}</content>\n</source>\n"
        f"<source>\n<id>src_2</id>\n<url>{B}</url>\n<content>Beta.</content>\n</source>",
        f'<source id="src_1" url="{A}">\n{BODY}\n</source>\n<source id="src_2" url="{B}">\nBeta.\n</source>',
    ],
)
def test_elements_give_what_stands_in_them(context: str) -> None:
    first, second = sources(context)
    assert (first.url, second.url) == (A, B)
    assert "1" in names(first)
    assert "2" in names(second)
    assert first.body.decode() == BODY
    assert second.body.decode() == "Beta."


@pytest.mark.parametrize(
    "listing",
    [
        "Sources:\n- {a} (src_1)\n- {b} (src_2)",
        "Sources:\n{a} -> src_1\n{b} -> src_2",
        "Sources:\n| src_1 | {a} |\n| src_2 | {b} |",
        "Sources:\n[src_1]: {a}\n[src_2]: {b}",
        "Sources:\n[src_1]: A report of the third quarter {a}\n[src_2]: Another one, of 2025 {b}",
    ],
)
def test_a_list_elsewhere_gives_the_ids(listing: str) -> None:
    context = f"From [{A}]:\n{BODY}\n\nFrom [{B}]:\nBeta words.\n\n## Sources\n" + listing.format(a=A, b=B)
    by_url = {draft.url: draft for draft in reversed(sources(context))}
    assert by_url[A].body.decode() == BODY
    assert by_url[B].body.decode().startswith("Beta words.")
    assert "src_1" in names(by_url[A])
    assert "src_2" in names(by_url[B])
    assert "src_2" not in names(by_url[A])


def test_objects_under_ids_are_sources_of_that_id() -> None:
    value = {
        "src_1": {"url": A, "title": "One", "content": BODY},
        "src_2": {"content": "Beta words that are long enough to be a source of their own, and no more."},
        "src_3": "Gamma words that are long enough to be a source of their own, and certainly no more.",
    }
    found = {draft.id: draft for draft in sources(json.dumps(value))}
    assert {"src_1", "src_2", "src_3"} <= set(found)
    assert found["src_1"].url == A
    assert found["src_3"].body.decode() == value["src_3"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("The token rose 5% on Monday, traders said.", "snippet"),
        ("The token rose 5% on Monday.\nIt fell on Tuesday.", "snippet"),
        ("Week 46 of 2025.\n\n| Rollup | TVS |\n|---|---|\n| Base | 17.2 |", "page"),
        ("First paragraph.\n\nSecond paragraph.\n\nThird.", "page"),
        ("A long one. " * 80, "page"),
    ],
)
def test_a_snippet_is_a_line_or_two(content: str, kind: str) -> None:
    (only,) = sources(json.dumps([{"src_id": "src_3", "url": A, "title": "L2 weekly", "content": content}]))
    assert (only.id, only.kind) == ("src_3", kind)


def test_no_id_is_invented_where_the_context_gives_none() -> None:
    first, second = sources(two("**From {u}:**", BODY, "Beta words."))
    assert names(first) == {A}
    assert names(second) == {B}


@pytest.mark.parametrize(
    "context",
    [
        f"From [{A}]:\nsrc_1 is how the file names its first field.\nMore.",
        f"From [{A}]:\nSource 3 of the leak was a former employee.",
        f"From [{A}]:\nResult 1 of the match was a draw, he said, and more.",
    ],
)
def test_words_below_a_head_are_no_id(context: str) -> None:
    (only,) = sources(context)
    assert only.body.decode() == context.partition("\n")[2]
    assert names(only) == {A}
