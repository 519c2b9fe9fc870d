"""What is left out of a conversation once it has done its work."""

from __future__ import annotations

import json

from verifaible.agent.loop import (
    BULKY_CHARACTERS,
    MOST_CHARACTERS,
    fold_cited,
    fold_followed,
    fold_oldest,
)
from verifaible.schema.chat import Message, ToolCall

PAGE = "http://site.test/page"
LONG = "x" * (BULKY_CHARACTERS + 1)
START = [Message(role="system", text="s" * 5_000), Message(role="user", text="u" * 5_000)]


def called(name: str, result: str, call_id: str = "1", **arguments: str) -> list[Message]:
    """A call and its result."""
    call = ToolCall(id=call_id, name=name, arguments=json.dumps(arguments))
    return [
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", text=result, tool_call_id=call_id),
    ]


def texts(messages: list[Message]) -> list[str]:
    return [message.text for message in messages if message.role == "tool"]


def test_results_about_the_cited_page_and_searches_are_left_out() -> None:
    messages = [
        *START,
        *called("verifaible_web_search", LONG, "1", query="words"),
        *called("web_fetch", LONG, "2", url=PAGE),
        *called("analyze_page", LONG, "3", url=f"{PAGE}#part"),
        *called("web_fetch", LONG, "4", url="http://site.test/other"),
        *called("verifaible_cite", LONG, "5", source_url=PAGE),
    ]
    folded = fold_cited(messages, PAGE, 2)
    assert [text == LONG for text in texts(folded)] == [False, False, False, True, True]
    assert texts(folded)[1] == (
        f"(This result of web_fetch, {len(LONG):,} characters, is left out here, since its page is cited as "
        "[@v:2]. Call again to see it.)"
    )
    assert folded[:2] == START
    assert [message.tool_call_id for message in folded] == [message.tool_call_id for message in messages]


def test_short_results_stay() -> None:
    messages = called("web_fetch", LONG[:-1], url=PAGE)
    assert fold_cited(messages, PAGE, 1) == messages


def test_ids_that_begin_anew_in_every_turn_are_told_apart() -> None:
    messages = [
        *called("web_fetch", LONG, "call_0", url=PAGE),
        *called("web_fetch", LONG, "call_0", url="http://site.test/other"),
    ]
    assert [text == LONG for text in texts(fold_cited(messages, PAGE, 1))] == [False, True]


def test_arguments_that_are_no_object_are_of_no_page() -> None:
    for arguments in ("[]", "{", "3"):
        call = ToolCall(id="1", name="web_fetch", arguments=arguments)
        messages = [
            Message(role="assistant", tool_calls=(call,)),
            Message(role="tool", text=LONG, tool_call_id="1"),
        ]
        assert fold_cited(messages, PAGE, 1) == messages


def test_a_list_is_left_out_when_a_page_of_it_has_been_read() -> None:
    listed = f"1. A page\n   {PAGE}\n{LONG}"
    search = [*START, *called("verifaible_web_search", listed, "1", query="words")]
    assert fold_followed(search) == search
    elsewhere = [*search, *called("web_fetch", LONG, "2", url="http://site.test/other")]
    assert fold_followed(elsewhere) == elsewhere
    followed = fold_followed([*elsewhere, *called("web_fetch", LONG, "3", url=f"{PAGE}#part")])
    assert [text == LONG for text in texts(followed)] == [False, True, True]
    assert "a page that it lists has been read" in texts(followed)[0]


def test_what_fits_is_not_folded() -> None:
    messages = [*START, *called("web_fetch", "x" * MOST_CHARACTERS, url=PAGE)]
    assert fold_oldest(messages) == messages


def test_the_oldest_are_folded_to_half_and_the_latest_two_stay() -> None:
    size = MOST_CHARACTERS // 10
    messages = [*START]
    for number in range(11):
        messages += called("web_fetch", str(number % 10) * size, str(number), url=f"{PAGE}/{number}")
    folded = fold_oldest(messages)
    left = [len(text) == size for text in texts(folded)]
    assert left == [False] * 6 + [True] * 5
    assert fold_oldest(folded) == folded  # and then it rests: a provider's cache holds again

    two = [*START, *called("web_fetch", "a" * MOST_CHARACTERS, "1"), *called("web_fetch", LONG, "2")]
    assert fold_oldest(two) == two
