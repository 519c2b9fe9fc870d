"""Asking a judge over real HTTP: repeats, caches, limits, and what is never a score."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.servers.judge_server import JudgeServer, Question, Said, spoken
from tests.servers.openai_server import Reply, error
from tests.unit.llm.judges import client_of, judging
from verifaible.config import Settings
from verifaible.errors import ContentRefused
from verifaible.llm.opening import open_model
from verifaible.llm.replies import ReplyCache
from verifaible.llm.structured import BadReply, Form
from verifaible.llm.voting import Asked, Item, Judge, Taken, tally
from verifaible.schema.chat import ModelTurn, Usage
from verifaible.schema.judged import Vote


class Small(Form):
    verdict: Literal["yes", "no", "abstain"]
    reason: str


def taken(form: Small) -> Taken[str]:
    if form.reason == "forbidden":
        raise BadReply("content", "The reason is one that cannot be.")
    if form.verdict == "abstain":
        return Taken("abstain", "", form.reason, "")
    return Taken("decided", form.verdict, form.reason, form.verdict)


def item(user: str = "Is it?", system: str = "Judge. Reply with JSON.") -> Item[Small, str]:
    return Item("small", system, user, Small, taken)


def yes(reason: str = "It says so.") -> dict[str, str]:
    return {"verdict": "yes", "reason": reason}


def in_order(*said: Said) -> JudgeServer:
    replies = iter(said)
    return JudgeServer(lambda question: next(replies))


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_a_question_is_asked_in_a_context_of_its_own_with_its_form(
    api: Literal["chat", "responses"], tmp_path: Path
) -> None:
    with JudgeServer(lambda question: yes()) as server:
        async with judging(server, tmp_path, client=client_of(server, api)) as judge:
            first = await judge.ask(item("one"))
            second = await judge.ask(item("two"))
    assert (first.vote.outcome, first.vote.value, first.vote.reason) == ("decided", "yes", "It says so.")
    assert second.vote.call != first.vote.call
    assert [question.user for question in server.questions] == ["one", "two"]
    for question in server.questions:
        assert question.system == "Judge. Reply with JSON."
        assert question.form == "small"
        assert question.body["temperature"] == 0.0
        assert len(question.body.get("messages") or [1, *question.body["input"]]) == 2
    body = server.questions[0].body
    sent = body["response_format"]["json_schema"] if api == "chat" else body["text"]["format"]
    assert sent["strict"] is True
    assert sent["schema"]["required"] == ["verdict", "reason"]


async def test_a_reply_that_cannot_be_used_is_asked_for_once_more(tmp_path: Path) -> None:
    with in_order("I think yes.", yes()) as server:
        async with judging(server, tmp_path) as judge:
            asked = await judge.ask(item())
    assert asked.vote.value == "yes"
    assert asked.vote.notes == ("second reply; the first could not be used",)
    assert judge.spending.calls == 2
    assert server.questions[0].body == server.questions[1].body
    assert asked.vote.usage.input_tokens == 200


async def test_two_replies_that_cannot_be_used_are_a_failed_vote(tmp_path: Path) -> None:
    with in_order("I think yes.", yes("forbidden"), yes()) as server:
        async with judging(server, tmp_path) as judge:
            asked = await judge.ask(item())
            again = await judge.ask(item())
    assert asked == again
    assert asked.taken is None
    assert (asked.vote.outcome, asked.vote.value) == ("failed", "")
    assert asked.vote.fault == (
        "not_json: The reply is not one JSON object.; then content: The reason is one that cannot be."
    )
    assert (judge.spending.calls, judge.spending.cached_calls) == (2, 2)
    assert (judge.spending.votes, judge.spending.failed) == (2, 2)


BAD: dict[str, tuple[Said, str]] = {
    "prose": ("The claim is well supported.", "not_json"),
    "half": ('{"verdict": "yes", "reas', "cut_off"),
    "wrong type": ({"verdict": True, "reason": "x"}, "form"),
    "missing": ({"reason": "x"}, "form"),
    "list": (json.dumps([yes(), yes()]), "not_an_object"),
    "two": (json.dumps(yes()) + json.dumps(yes()), "several"),
    "null": ("null", "not_an_object"),
    "empty": ("", "empty"),
    "NaN": ('{"verdict": "yes", "reason": NaN}', "cut_off"),
    "doubled": ('{"verdict": "no", "verdict": "yes", "reason": "x"}', "doubled_key"),
    "huge": (json.dumps(yes("x" * 5_000_000)), "too_long"),
    "name": ({"verdict": "grok4", "reason": "x"}, "form"),
    "null content": (
        Reply({"choices": [{"message": {"content": None}, "finish_reason": "stop"}]}),
        "model_answer_invalid",
    ),
    "no choice": (Reply({"id": "x", "choices": []}), "model_answer_invalid"),
    "page": (
        Reply(b"<html>Bad gateway</html>", headers={"Content-Type": "text/html"}),
        "model_answer_invalid",
    ),
    "rubbish": (Reply(b"\xff\xfe\x80{]" * 50), "model_answer_invalid"),
    "torn": (Reply(b'{"choices": [{"message": {"content": "{}"}}]}', drop="middle"), "model_unreachable"),
    "gone": (Reply(drop="before"), "model_unreachable"),
    "500": (error(500, "Internal error"), "model_unreachable"),
    "503": (error(503, "Overloaded"), "model_unreachable"),
    "429": (error(429, "Slow down"), "model_unreachable"),
    "400": (error(400, "Something about the field top_k"), "model_rejected"),
    "policy": (error(400, "Flagged by our content policy", "content_filter"), "content_refused"),
    "too long": (error(400, "This model's maximum context length is 8192 tokens"), "context_overflow"),
}


@pytest.mark.parametrize("name", BAD)
async def test_what_cannot_be_used_is_a_failed_vote_with_a_named_fault(name: str, tmp_path: Path) -> None:
    said, fault = BAD[name]
    with JudgeServer(lambda question: said) as server:
        async with judging(server, tmp_path) as judge:
            asked = await judge.ask(item())
    assert asked.taken is None
    assert asked.vote.outcome == "failed"
    assert asked.vote.value == ""
    assert asked.vote.fault.startswith(f"{fault}: ")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"message": {"refusal": "I cannot help with that."}}, "content_refused"),
        ({"finish_reason": "content_filter"}, "content_refused"),
        ({"finish_reason": "length"}, "output_cut_off"),
    ],
)
async def test_refusals_filters_and_cut_outputs_are_kept_as_replies(
    fields: dict[str, Any], fault: str, tmp_path: Path
) -> None:
    with JudgeServer(lambda question: spoken(question, None, **fields)) as server:
        async with judging(server, tmp_path) as judge:
            asked = await judge.ask(item())
            made = len(server.questions)
            again = await judge.ask(item())
    assert asked.vote.fault.startswith(f"{fault}: ")
    assert again == asked
    assert len(server.questions) == made


async def test_a_reply_that_was_cut_off_by_length_is_no_reply(tmp_path: Path) -> None:
    half = json.dumps(yes())[:-3]
    with JudgeServer(lambda question: spoken(question, half, finish_reason="length")) as server:
        async with judging(server, tmp_path) as judge:
            assert (await judge.ask(item())).vote.fault.startswith("cut_off: ")


async def test_a_time_out_is_a_failed_vote(tmp_path: Path) -> None:
    hold = threading.Event()
    with JudgeServer(lambda question: Reply(hold=hold)) as server:
        client = client_of(server, timeout_s=0.2)
        async with judging(server, tmp_path, client=client) as judge:
            asked = await judge.ask(item())
        hold.set()
    assert asked.vote.fault.startswith("model_unreachable: ")


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_an_endpoint_without_schemas_is_asked_for_less(
    api: Literal["chat", "responses"], tmp_path: Path
) -> None:
    def mind(question: Question) -> Said:
        body = question.body
        sent = body.get("response_format") or (body.get("text") or {}).get("format") or {}
        if sent:
            return error(400, f"response_format: {sent['type']} is not supported by this model")
        return f"```json\n{json.dumps(yes())}\n```"

    with JudgeServer(mind) as server:
        async with judging(server, tmp_path, client=client_of(server, api)) as judge:
            asked = await judge.ask(item("one"))
            await judge.ask(item("two"))
    assert (asked.vote.value, asked.vote.notes) == ("yes", ("fenced",))
    assert len(server.questions) == 4  # schema, object, nothing, and then nothing at once


# --- the cache


async def test_a_rerun_makes_no_call_and_says_the_same(tmp_path: Path) -> None:
    said: dict[str, list[Said]] = {
        "one": [yes()],
        "two": ["prose", {"verdict": "no", "reason": "a " * 20}],
        "three": ["prose", "prose"],
    }
    with JudgeServer(lambda question: said[question.user].pop(0), cost=0.001) as server:
        async with judging(server, tmp_path) as judge:
            first = await judge.ask_all([item("one"), item("two"), item("three")])
        async with judging(server, tmp_path) as later:
            second = await later.ask_all([item("one"), item("two"), item("three")])
    assert [each.vote.outcome for each in first] == ["decided", "decided", "failed"]
    assert "reason of more than 15 words" in first[1].vote.notes
    assert len(first[1].vote.reason.split()) == 20
    assert second == first
    assert [each.vote.model_dump_json() for each in second] == [each.vote.model_dump_json() for each in first]
    assert (judge.spending.calls, later.spending.calls, later.spending.cached_calls) == (5, 0, 5)
    assert judge.spending.usage.cost_usd == pytest.approx(0.005)
    assert later.spending.usage.cost_usd is None
    assert later.spending.cached_usage.cost_usd == pytest.approx(0.005)


async def test_repeats_are_questions_of_their_own_and_equal_questions_are_asked_once(tmp_path: Path) -> None:
    with JudgeServer(lambda question: yes(f"Reply {question.number}.")) as server:
        async with judging(server, tmp_path) as judge:
            repeats = await judge.ask_all([item()] * 3)
            same = await asyncio.gather(*(judge.ask(item("same")) for _ in range(5)))
    assert len({each.vote.call for each in repeats}) == 3
    assert len({each.vote.reason for each in same}) == 1
    assert len(server.questions) == 4


async def test_a_failure_of_the_endpoint_is_asked_again_by_the_next_run(tmp_path: Path) -> None:
    broken = True
    with JudgeServer(lambda question: error(500, "Down") if broken else yes()) as server:
        async with judging(server, tmp_path) as judge:
            assert (await judge.ask(item())).vote.outcome == "failed"
            broken = False
            assert (await judge.ask(item())).vote.value == "yes"


async def test_another_judge_asks_for_itself(tmp_path: Path) -> None:
    with JudgeServer(lambda question: yes()) as server:
        for api, fields in (
            ("chat", {}),
            ("chat", {"temperature": None}),
            ("responses", {}),
            ("chat", {"request": {"seed": 7}}),
        ):
            client = client_of(server, api, **fields)  # type: ignore[arg-type]
            async with judging(server, tmp_path, client=client) as judge:
                await judge.ask(item())
                await judge.ask(item(system="Judge otherwise."))
                await judge.ask(item())
    assert len(server.questions) == 8


async def test_what_a_stopped_run_has_asked_is_kept(tmp_path: Path) -> None:
    hold = threading.Event()
    with JudgeServer(lambda question: yes() if question.user != "slow" else Reply(hold=hold)) as server:
        async with judging(server, tmp_path) as judge:
            await judge.ask_all([item("one"), item("two")])
            running = asyncio.create_task(judge.ask(item("slow")))
            await asyncio.sleep(0.05)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
        hold.set()
        async with judging(server, tmp_path) as judge:
            assert (await judge.ask(item("one"))).vote.value == "yes"
            assert (await judge.ask(item("two"), 1)).vote.value == "yes"
        asked = [question.user for question in server.questions]
    assert (asked.count("one"), asked.count("two")) == (1, 1)


# --- limits


async def test_no_more_than_so_many_calls_are_under_way(tmp_path: Path) -> None:
    now = most = 0
    lock = threading.Lock()

    class Counting(JudgeServer):
        def reply(self, path: str, headers: object, raw: bytes) -> Reply:
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            threading.Event().wait(0.02)
            with lock:
                now -= 1
            return super().reply(path, headers, raw)  # type: ignore[arg-type]

    with Counting(lambda question: yes()) as server:
        async with judging(server, tmp_path, concurrency=3) as judge:
            await asyncio.gather(*(judge.ask(item(str(number))) for number in range(12)))
    assert most == 3


async def test_a_limit_of_cost_leaves_the_rest_unjudged(tmp_path: Path) -> None:
    with JudgeServer(lambda question: yes(), cost=0.01) as server:
        async with judging(server, tmp_path, max_cost_usd=0.055, concurrency=8) as judge:
            asked = await asyncio.gather(*(judge.ask(item(str(number))) for number in range(20)))
        judged = [each for each in asked if each.vote.outcome == "decided"]
        rest = [each for each in asked if each.vote.outcome == "not_judged"]
        assert len(judged) + len(rest) == 20
        assert 5 <= len(judged) <= 6
        assert len(server.questions) == len(judged)
        assert all("limit of 0.055 US dollars" in each.vote.reason for each in rest)
        async with judging(server, tmp_path, max_cost_usd=1.0) as judge:
            asked = await asyncio.gather(*(judge.ask(item(str(number))) for number in range(20)))
    assert all(each.vote.outcome == "decided" for each in asked)
    assert judge.spending.cached_calls == len(judged)


async def test_a_limit_cannot_be_held_where_nobody_says_what_a_call_costs(tmp_path: Path) -> None:
    with JudgeServer(lambda question: yes()) as server:
        async with judging(server, tmp_path, max_cost_usd=1.0, concurrency=8) as judge:
            asked = await asyncio.gather(*(judge.ask(item(str(number))) for number in range(5)))
    assert sorted(each.vote.outcome for each in asked) == ["decided"] + ["not_judged"] * 4
    assert len(server.questions) == 1


@pytest.mark.parametrize(("status", "text"), [(401, "Bad key"), (402, "No credit"), (404, "No such model")])
async def test_what_every_question_would_meet_stops_the_asking(
    status: int, text: str, tmp_path: Path
) -> None:
    with JudgeServer(lambda question: error(status, text)) as server:
        async with judging(server, tmp_path, concurrency=1) as judge:
            asked = await asyncio.gather(*(judge.ask(item(str(number))) for number in range(10)))
    assert [each.vote.outcome for each in asked].count("failed") == 1
    assert all(
        each.vote.reason.startswith("not judged: ") for each in asked if each.vote.outcome == "not_judged"
    )
    assert len(server.questions) == 1


class Refusing:
    """A model that declines every question, for which its endpoint bills all the same."""

    async def complete(self, messages: object, tools: object, *, form: object = None) -> ModelTurn:
        error = ContentRefused("The model declined to answer. Use another model.")
        error.usage = Usage(input_tokens=100, cost_usd=0.6)
        raise error

    async def aclose(self) -> None:
        """Nothing is open."""


async def test_a_refusal_that_is_billed_counts_towards_the_limit_of_cost(tmp_path: Path) -> None:
    judge = Judge(Refusing(), ReplyCache(tmp_path), max_cost_usd=1.0, concurrency=1)
    asked = [await judge.ask(item(str(number))) for number in range(3)]
    assert [each.vote.outcome for each in asked] == ["failed", "not_judged", "not_judged"]
    assert judge.spending.usage.cost_usd == pytest.approx(1.2)
    assert asked[0].vote.usage.cost_usd == pytest.approx(1.2)
    again = await Judge(Refusing(), ReplyCache(tmp_path)).ask(item("0"))
    assert again.vote == asked[0].vote


async def test_an_error_of_ours_while_a_reply_is_checked_costs_one_vote(tmp_path: Path) -> None:
    def broken(form: Small) -> Taken[str]:
        raise ArithmeticError("no such number")

    with JudgeServer(lambda question: yes()) as server:
        async with judging(server, tmp_path) as judge:
            asked = await judge.ask(Item("small", "Judge.", "Is it?", Small, broken))
    assert asked.vote.outcome == "failed"
    assert "unforeseen: The reply could not be checked (ArithmeticError)" in asked.vote.fault
    assert asked.taken is None


async def test_a_judge_is_opened_by_its_name_at_temperature_0(tmp_path: Path) -> None:
    with JudgeServer(lambda question: yes()) as server:
        settings = Settings(base_url=server.base_url, store=str(tmp_path / "store"))
        client = open_model("deepseek-v3.1", settings, temperature=0.0).client
        judge = Judge(client, ReplyCache(tmp_path / "replies"))
        asked = await judge.ask(item())
        await judge.aclose()
    assert asked.vote.value == "yes"
    assert server.questions[0].body["temperature"] == 0.0
    assert judge.identity.host in server.base_url


# --- votes


def votes(*values: str) -> list[Asked[str]]:
    made: list[Asked[str]] = []
    for value in values:
        if value in ("failed", "not_judged"):
            made.append(Asked(Vote(outcome=value, fault="x: y.")))
        else:
            outcome: Literal["decided", "abstain"] = "abstain" if value == "abstain" else "decided"
            said = "" if value == "abstain" else value
            made.append(Asked(Vote(outcome=outcome, value=said), Taken(outcome, said, f"{value}.", value)))
    return made


@pytest.mark.parametrize(
    ("given", "outcome", "value"),
    [
        (["yes"], "decided", "yes"),
        (["yes", "yes", "no"], "decided", "yes"),
        (["no", "yes", "no"], "decided", "no"),
        (["yes", "no"], "abstain", ""),
        (["yes", "no", "maybe"], "abstain", ""),
        (["yes", "yes", "no", "no"], "abstain", ""),
        (["yes", "abstain"], "abstain", ""),
        (["yes", "abstain", "yes"], "decided", "yes"),
        (["abstain", "abstain", "yes"], "abstain", ""),
        (["abstain"], "abstain", ""),
        (["failed"], "failed", ""),
        (["failed", "failed", "failed"], "failed", ""),
        (["failed", "not_judged"], "failed", ""),
        (["not_judged", "not_judged"], "not_judged", ""),
        (["failed", "yes", "failed"], "decided", "yes"),
        (["failed", "yes", "no"], "abstain", ""),
        (["failed", "abstain"], "abstain", ""),
        ([], "not_judged", ""),
    ],
)
def test_a_majority_of_the_usable_replies_decides(given: list[str], outcome: str, value: str) -> None:
    found = tally(votes(*given))
    assert (found.outcome, found.value) == (outcome, value)
    assert (found.winner is not None) == (outcome == "decided")
    if outcome == "decided":
        assert found.winner is not None
        assert found.winner.data == value


def test_the_judge_can_be_told_by_what_it_is(tmp_path: Path) -> None:
    with JudgeServer() as server:
        judge = Judge(client_of(server), ReplyCache(tmp_path), name="the judge")
    assert judge.barred("gpt5") == ""
    assert "deepseek" in judge.barred("DeepSeek-R1")
    assert "mystery" in judge.doubts("mystery-7")
