"""The pages of the chat without a browser: what they send, and what they never send."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from time import sleep
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.unit.viewer.chat_samples import HOSTILE, PNG, StandIn
from verifaible.config import Settings
from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    ToolFinished,
    ToolStarted,
    Turn,
    TurnEnded,
    TurnStarted,
)
from verifaible.errors import ConfigError
from verifaible.schema.data import NumberEvidence
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store
from verifaible.viewer.app import create_app
from verifaible.viewer.chat import Chat
from verifaible.viewer.chat_answers import answer_html, calls_of
from verifaible.viewer.chat_turns import Busy, Running, Turns

AT = "/chat/c/turns/1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(Settings(home=tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def analyst(store: Store) -> StandIn:
    made = StandIn()
    made.store = store
    return made


@pytest.fixture
def client(tmp_path: Path, analyst: StandIn) -> Iterator[TestClient]:
    app = create_app(Settings(home=tmp_path), answering=analyst)
    with TestClient(app, base_url="http://localhost") as opened:
        yield opened


def begun(client: TestClient, prompt: str = "What is the price of BTC?") -> str:
    """The path of a conversation that was asked one question, when it is answered."""
    path = client.post("/chat", data={"demo": "1"}).url.path
    if prompt:
        client.post(path, data={"prompt": prompt})
        while 'data-state="running"' in client.get(f"{path}/turns/1").text:
            sleep(0.01)
    return path


def soup(client: TestClient, path: str, status: int = 200) -> BeautifulSoup:
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    return BeautifulSoup(answer.text, "lxml")


# --- pages


def test_the_value_is_shown_where_it_stands_in_the_sealed_bytes(client: TestClient) -> None:
    page = soup(client, f"{begun(client)}/turns/1/evidence?number=0")
    shown = page.select_one("pre")
    assert shown is not None
    assert shown.text.startswith('{"synthetic"')
    assert [mark.text for mark in shown.select("mark")] == ["64250.12"]
    facts = {row.th.text: row.td.text for row in page.select("table.facts:first-of-type tr")}  # type: ignore[union-attr]
    assert facts["Field"] == "price (USD)"
    assert facts["Fetched"] == "2026-03-02 12:00:00 UTC replica"
    assert facts["Request"] == "GET 200, read by example, version 1"
    assert page.select_one("a[href^='https://api.example/']") is not None


def test_a_source_that_was_changed_is_said_to_be(client: TestClient, store: Store) -> None:
    path = begun(client)
    evidence = f"{path}/turns/1/evidence?number=0"
    digest = soup(client, evidence).select("td.fixed")[-1].text
    file = next(
        each for each in Path(store.location).rglob("*") if each.name == capture_file(digest).split("/")[-1]
    )
    file.chmod(0o600)
    file.write_bytes(file.read_bytes().replace(b"64250.12", b"74250.12"))
    page = soup(client, evidence)
    assert page.select("mark") == []
    assert "changed" in page.text
    assert "not the same" in soup(client, f"{path}/turns/1/evidence?mark=calc_1").text


def test_a_chart_is_a_picture_with_words_for_those_who_do_not_see_it(client: TestClient) -> None:
    picture = soup(client, begun(client)).select_one(".display img")
    assert picture is not None and picture["alt"] == "Chart: BTCUSDT: candles of 1d"
    shown = client.get(str(picture["src"]))
    assert shown.headers["content-type"] == "image/png"
    assert shown.content == base64.b64decode(PNG)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/turns/1/evidence", 404),
        ("/turns/1/evidence?number=99", 404),
        ("/turns/1/evidence?number=-1", 404),
        ("/turns/1/evidence?number=99999999999", 404),
        ("/turns/1/evidence?number=%C2%B2", 404),
        ("/turns/1/evidence?mark=src_9&pointer=/x", 200),
        ("/turns/1/evidence?mark=src_1&pointer=/%5B%28", 200),
        ("/turns/1/evidence?mark=src_1&pointer=/*/*", 200),
        ("/turns/1/source?mark=src_9", 404),
        ("/turns/1/source?mark=calc_1", 200),
        ("/turns/1/source?mark=src_1&pointer=/nothing&from=999999", 200),
        ("/turns/9/evidence?number=0", 404),
        ("/turns/9", 404),
        ("/turns/1/charts/9.png", 404),
        ("/turns/1?seen=999999", 200),
        ("?turn=9&number=1", 200),
        ("?turn=1&number=%C2%B2", 200),
        ("?whole=turn-1-call-2", 200),
    ],
)
def test_strange_addresses_give_a_page(client: TestClient, path: str, status: int) -> None:
    assert client.get(begun(client) + path).status_code == status


def test_a_question_must_be_there_and_be_short(client: TestClient) -> None:
    path = begun(client, "")
    for prompt in ("", "  ", "x" * 8001):
        answer = client.post(path, data={"prompt": prompt})
        assert answer.status_code == 400
        assert 'role="alert"' in answer.text
    assert prompt in answer.text


def test_another_site_cannot_ask_stop_or_delete(client: TestClient) -> None:
    path = begun(client)
    for each in ("", "/stop", "/retry", "/delete"):
        answer = client.post(path + each, data={"prompt": "x"}, headers={"Origin": "https://evil.example"})
        assert answer.status_code == 403
    assert client.get(path).status_code == 200


def test_a_model_that_cannot_be_asked_is_told_on_the_form(client: TestClient) -> None:
    answer = client.post("/chat", data={"caller": HOSTILE, "answerer": "glm-5"})
    assert answer.status_code == 400
    page = BeautifulSoup(answer.text, "lxml")
    assert page.select("main script, main img") == []
    assert "There is no model" in page.select_one("[role=alert]").text  # type: ignore[union-attr]


def test_long_replies_are_cut_and_can_be_read_whole(client: TestClient) -> None:
    path = begun(client)
    call = soup(client, path).select_one("#turn-1-call-2")
    assert call is not None
    assert len(call.text) < 6000
    link = call.select_one("p a[href*=whole]")
    assert link is not None
    assert len(soup(client, str(link["href"])).select_one("#turn-1-call-2").text) > 9000  # type: ignore[union-attr]


def test_what_a_stopped_turn_has_shown_leads_to_its_source(client: TestClient, analyst: StandIn) -> None:
    analyst.gate.clear()
    path = begun(client, "")
    client.post(path, data={"prompt": "What is the price of BTC?"})
    client.post(f"{path}/stop")
    page = soup(client, path)
    assert "Stopped." in page.text
    link = page.select_one("figcaption a.marker")
    assert link is not None
    assert "64250.12" in soup(client, str(link["href"])).text


def test_a_turn_is_followed_by_asking_what_is_new(client: TestClient, analyst: StandIn) -> None:
    analyst.gate.clear()
    path = begun(client, "")
    client.post(path, data={"prompt": "What is the price of BTC?"})
    while "Bitcoin trades at" not in (page := client.get(f"{path}/turns/1").text):
        sleep(0.01)
    seen = BeautifulSoup(page, "lxml").select_one("article")["data-seen"]  # type: ignore[index]
    assert client.get(f"{path}/turns/1?seen={seen}").status_code == 204
    analyst.gate.set()
    while client.get(f"{path}/turns/1?seen={seen}").status_code == 204:
        sleep(0.01)
    begun_again = client.get(f"{path}.json").json()["turns"]
    assert [each["number"] for each in begun_again] == [1]


# --- answers


@given(st.text(max_size=40), st.data())
def test_numbers_keep_their_places_whatever_the_text(words: str, data: st.DataObject) -> None:
    digits = str(data.draw(st.integers(0, 10**6)))
    text = f"{words}\n\n{digits} [src_1#/a] and {words}"
    start = len(words) + 2
    number = NumberEvidence(
        start=start, end=start + len(digits), status="resolved", mark="src_1", pointer="/a"
    )
    html = answer_html(Answered(text=text, numbers=(number,)), AT)
    page = BeautifulSoup(str(html), "lxml")
    assert [each.text for each in page.select("a.figure")] in ([digits], [])
    if not words.strip():
        assert [each.text for each in page.select("a.figure")] == [digits]
        assert page.text.replace("\ufffd", " ").split() == [digits, "and"]
    assert page.select("script, img, iframe, style") == []


def test_a_mark_is_a_link_only_where_no_number_leads_there() -> None:
    text = "It fell 5 [src_1#/a], said two [src_2, src_3#/b].\r\nThen 6 7 [src_1#/x, src_1#/y]."
    places = [(text.index(f" {digit} ") + 1, digit) for digit in "567"]
    marks = {"5": ("src_1", "/a"), "6": ("src_1", "/x"), "7": ("src_1", "/y")}
    numbers = tuple(
        NumberEvidence(
            start=place, end=place + 1, status="resolved", mark=marks[digit][0], pointer=marks[digit][1]
        )
        for place, digit in places
        if digit != "5"
    )
    html = answer_html(Answered(text=text, numbers=numbers), AT)
    page = BeautifulSoup(str(html), "lxml")
    assert [each.text for each in page.select("a.figure")] == ["6", "7"]
    assert [each.text for each in page.select("a.marker")] == ["src_1", "src_2", "src_3"]
    assert "[src_" not in page.text


def test_calls_of_one_id_each_have_their_reply() -> None:
    events: list[ChatEvent] = [ToolStarted(call="x", name=name, arguments="{}") for name in ("a", "b", "c")]
    events += [ToolFinished(call="x", name=name, text=name) for name in ("a", "b")]
    drawn = list(calls_of(events, AT))
    assert [(each.name, each.reply.text, each.done) for each in drawn] == [
        ("a", "a", True),
        ("b", "b", True),
        ("c", "", False),
    ]


# --- turns under way


async def happening(*events: ChatEvent | Exception) -> AsyncGenerator[ChatEvent, None]:
    for each in events:
        await asyncio.sleep(0)
        if isinstance(each, Exception):
            raise each
        yield each


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (ConfigError("Set the key."), ("failed", "Set the key.", "config")),
        (
            RuntimeError("inner"),
            ("failed", "RuntimeError. Try again; the output of `verifaible serve` says more.", "internal"),
        ),
    ],
)
async def test_a_turn_that_fails_says_so_to_whoever_follows(
    fault: Exception, told: tuple[str, str, str]
) -> None:
    running = Running(happening(TurnStarted(turn=1, prompt="?"), fault))
    await running.begun()
    await asyncio.wait([running.task])
    last = running.events[-1]
    assert isinstance(last, TurnEnded)
    assert (last.reason, last.error, last.error_code) == told


async def test_a_conversation_has_one_turn_at_a_time_and_each_can_be_stopped() -> None:
    async def endless() -> AsyncGenerator[ChatEvent, None]:
        yield TurnStarted(turn=1, prompt="?")
        await asyncio.Event().wait()

    turns = Turns()
    running = turns.begin("c", endless())
    await running.begun()
    with pytest.raises(Busy):
        turns.begin("c", happening())
    turns.begin("d", happening(TurnStarted(turn=1, prompt="?"), Answered(text="")))
    await turns.close()
    assert isinstance(running.events[-1], TurnEnded)
    assert turns.of("c") is None
    assert turns.of("d") is None


async def test_a_turn_that_ends_while_its_page_is_made_is_shown_with_its_end() -> None:
    gate, loop = asyncio.Event(), asyncio.get_running_loop()

    async def answering() -> AsyncGenerator[ChatEvent, None]:
        yield TurnStarted(turn=1, prompt="?")
        await gate.wait()
        yield Answered(text="5")

    chat = Chat(kept=None, answering=None)  # type: ignore[arg-type]
    running = chat.running.begin("c", answering())
    await running.begun()

    def read() -> tuple[Turn, ...]:
        loop.call_soon_threadsafe(gate.set)  # what was read is older than the end
        while not running.task.done():
            sleep(0.001)
        return (Turn(number=1, prompt="?"),)

    found = SimpleNamespace(id="c", turns=read)
    turns, under_way = await asyncio.to_thread(chat.turns, found)  # type: ignore[arg-type]
    assert under_way in (0, 1)
    assert turns[1].end == Answered(text="5")


def test_a_question_that_was_stopped_before_it_was_taken_in_is_said_to_be(
    client: TestClient, analyst: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stopped(*_: object) -> AsyncGenerator[ChatEvent, None]:
        raise asyncio.CancelledError
        yield

    monkeypatch.setattr(analyst, "turn", stopped)
    answer = client.post(begun(client, ""), data={"prompt": "What?"})
    assert answer.status_code == 409
    page = BeautifulSoup(answer.text, "lxml")
    assert "Stopped." in page.select_one("[role=alert]").text  # type: ignore[union-attr]
    assert page.select_one("#prompt").text.strip() == "What?"  # type: ignore[union-attr]
