from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit import suites
from tests.kit.cases import cases
from verifaible.claims import extract_claims
from verifaible.claims.markers import blanked, find_markers, marks_of
from verifaible.claims.references import Resolver, find_authored, read_references
from verifaible.schema.analyst import AnalystAnswer, Source

LOCK = "0" * 64


def source(name: str, url: str = "", *aliases: str) -> Source:
    return Source(id=name, kind="page", url=url, capture=LOCK, aliases=aliases)


def targets(answer: str) -> list[tuple[str, ...]]:
    return [mark.targets for mark in find_markers(answer)]


@cases("marks", "form")
def test_marks_are_found_in_every_form(answer: str, targets: list[list[str]]) -> None:
    assert [list(mark.targets) for mark in find_markers(answer)] == targets


@pytest.mark.parametrize("row", suites.load("marks_read"), ids=lambda row: row.id)
def test_claims_have_the_sources_that_their_marks_name(row: suites.Row) -> None:
    sources = tuple(source(name, url) for name, url in row.input["sources"].items())
    answer = AnalystAnswer(
        id="a", origin="markdown", model="m", query="q", answer=row.input["answer"], sources=sources
    )
    assert [[claim.text, [*claim.cites, *claim.broken]] for claim in extract_claims(answer)] == row.expect[
        "claims"
    ]


def test_a_mark_spans_what_was_written_and_says_which_words_belong_to_the_sentence() -> None:
    answer = 'The [market cap](https://a.example/x) is $5B [1][2] <Citation id="src_1" /> end [source](https://b.example).'
    marks = find_markers(answer)
    assert [answer[mark.start : mark.end] for mark in marks] == [
        "[market cap](https://a.example/x)",
        "[1]",
        "[2]",
        '<Citation id="src_1" />',
        "[source](https://b.example)",
    ]
    assert [answer[slice(*mark.words)] for mark in marks] == ["market cap", "", "", "", ""]


@cases("marks", "words")
def test_a_link_in_brackets_or_alone_after_a_sentence_is_no_part_of_the_next(
    answer: str, words: list[str]
) -> None:
    assert [answer[slice(*mark.words)] for mark in find_markers(answer)] == words


@pytest.mark.parametrize("name", ["Berlin Institute", "Plain Test Kitchen", "Derby City Council"])
def test_a_name_may_end_like_a_word_that_leads_to_one(name: str) -> None:
    text = f"It rose (see {name}, 2023)."
    assert [names for _, _, names in find_authored(text, {f"{name.casefold()} 2023"})] == [
        (f"{name.casefold()} 2023",)
    ]


@cases("marks", "list")
def test_lists_of_references_are_read_and_are_no_part_of_the_answer(
    answer: str, references: dict[str, str]
) -> None:
    assert {each.id: each.url for each in read_references(answer).references.values()} == references
    body, first_line = blanked(answer), answer.partition("\n")[0]
    assert len(body) == len(answer)
    assert "example" not in body
    assert body.partition("\n")[0] == first_line
    assert not any(mark.start > len(first_line) for mark in find_markers(answer))


@pytest.mark.parametrize(
    "answer",
    [
        "Two lead:\n\n1. [Aave](https://aave.example) has $5B.\n2. [Lido](https://lido.example) has $9B.",
        "Steps:\n1. Open https://app.example and connect.\n2. Swap.",
        "## Sources\n\nThe protocol earns fees from three sources. See https://a.example/x for more.",
        "It rose 5%.\n\n[source](https://a.example/x)",
        "It rose 5%.\n[1](https://a.example/x)",
        "Smith (2023) found more in https://a.example/x than others.\nLee (2024) did not: https://b.example/y",
    ],
)
def test_what_only_looks_like_a_list_stays_in_the_answer(answer: str) -> None:
    assert read_references(answer).references == {}
    assert blanked(answer) == answer
    assert find_markers(answer)


def test_what_follows_a_list_of_references_stays() -> None:
    answer = "It rose [1].\n\n### Sources\n1. [A](https://a.example/x)\n\nThis is no advice: prices fell 5 % before."
    assert "prices fell 5 %" in blanked(answer)


def test_targets_lead_to_sources_by_id_alias_number_and_address() -> None:
    sources = (
        source("src_5", "https://a.example/x", "5"),
        source("https://b.example/y", "https://b.example/y", "src_6"),
    )
    for target in (
        "src_5",
        "SRC-5",
        "5",
        "https://a.example/x",
        "http://a.example/x/",
        "https://a.example/x#top",
    ):
        assert Resolver(sources).resolve([target]).cites == ("src_5",), target
    assert Resolver(sources).resolve(["src_6", "https://b.example/y"]).cites == ("https://b.example/y",)
    assert Resolver(sources).resolve(["src_7"]).broken == ("src_7",)


def test_a_number_that_the_answer_defines_means_what_the_definition_says() -> None:
    answer = "It rose [1] and fell [2], [3].\n\n[1](https://b.example/y)\n[2](https://nobody.example/read)"
    sources = (
        source("src_1", "https://a.example/x", "1"),
        source("src_2", "https://b.example/y", "2"),
        source("src_3", "", "3"),
    )
    found = [cited.resolved for cited in marks_of(answer_of(answer, sources))]
    assert [each.cites for each in found] == [("src_2",), (), ()]
    assert [each.broken for each in found] == [(), ("2",), ("3",)]


def test_a_footnote_may_name_a_source_or_a_citation() -> None:
    answer = (
        "It rose[^a] and fell[^b] [@v:7].\n\n[^a]: See src_5.\n[^b]: [@v:abcdef12]\n[@v:7]: abcdef123456\n"
    )
    sources = (source("src_5", "", "5"), source("@v:7", "", "abcdef123456"))
    assert [cited.resolved.cites for cited in marks_of(answer_of(answer, sources))] == [
        ("src_5",),
        ("@v:7",),
        ("@v:7",),
    ]


def test_ids_of_any_form_count_in_brackets_when_a_source_has_them() -> None:
    answer = "It rose [coingecko-hype] and (defillama tvl) but [not this]."
    sources = (source("coingecko-hype"), source("defillama tvl"))
    assert [cited.resolved.cites for cited in marks_of(answer_of(answer, sources))] == [
        ("coingecko-hype",),
        ("defillama tvl",),
    ]


def answer_of(answer: str, sources: tuple[Source, ...] = ()) -> AnalystAnswer:
    return AnalystAnswer(id="a", origin="csv", model="m", query="q", answer=answer, sources=sources)


_PIECES = st.sampled_from(
    [
        "It rose 5%",
        " [1]",
        "[2, 3]",
        " [@v:1]",
        "\n\n",
        "\n",
        "[1](https://a.example/x)",
        "## Sources\n",
        "1. ",
        "- ",
        " (src_5)",
        '<Citation id="src_9" />',
        "[^1]",
        "\n[^1]: note\n",
        "```\n",
        "`",
        "https://b.example/y ",
        "| a | b |\n",
        "【4†s】",
        "\r\n",
        "。",
        "价格",
    ]
)


@settings(deadline=None)
@given(st.lists(_PIECES, max_size=40).map("".join))
def test_nothing_moves_and_marks_are_apart(answer: str) -> None:
    marks = find_markers(answer)
    assert all(mark.start < mark.end <= len(answer) and mark.targets for mark in marks)
    assert all(one.end <= other.start for one, other in pairwise(marks))
    for blank in (blanked(answer), blanked(answer, marks=True)):
        assert len(blank) == len(answer)
        assert all(one == other or one.isspace() for one, other in zip(blank, answer, strict=True))


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[1, ",
        "https://a.b/(",
        "<Citation ",
        "`a",
        "> ",
        "1. x http\n",
        "![",
        "### Sources\n",
        "- ",
        "-",
        "*",
    ],
)
def test_a_long_run_of_what_only_begins_a_mark(unit: str) -> None:
    answer = "It rose [1]. " + unit * (200_000 // len(unit)) + "\n\nIt fell [2]."
    assert ("1",) in targets(answer)
    assert len(blanked(answer, marks=True)) == len(answer)


@pytest.mark.nightly
def test_an_answer_of_two_megabytes_keeps_all_its_marks() -> None:
    answer = "The price is $5 [1]. " * 100_000
    assert len(find_markers(answer)) == 100_000


def test_marks_in_thinking_are_none() -> None:
    assert targets("<think>maybe [3]</think>It rose [1].") == [("1",)]


def test_blanked_marks_leave_the_words() -> None:
    answer = (
        'The [market cap](https://a.example/x) is $5B [1] <CitationGroup citations={["src_1"]} /> [@v:2].'
    )
    assert re.sub(r"\s+", " ", blanked(answer, marks=True)) == "The market cap is $5B ."
