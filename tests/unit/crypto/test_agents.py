"""The report agents: over the archives, or a provider on loopback, with a scripted model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.unit.crypto.working import REPOSITORY, Data, offline_context, provider
from verifaible.config import Settings
from verifaible.crypto.agents.report import Report, examined
from verifaible.crypto.agents.tools import tools
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.session import Given
from verifaible.llm.base import ModelClient
from verifaible.llm.scripted import ScriptedModel
from verifaible.schema.chat import Message, ModelTurn
from verifaible.schema.data import DataPoint, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.search.base import SearchHit
from verifaible.tools.toolbox import Toolbox

TEXT = "text/plain; charset=utf-8"


def all_at(url: str) -> Places:
    """A provider of everything on loopback."""
    return Places(coingecko=f"{url}/gecko", binance=url)


def says(make: Callable[[str], dict[str, Any]]) -> Callable[[Sequence[Message]], ModelTurn]:
    """A turn that is made from the material: a real model reads its marks there."""
    return lambda messages: ModelTurn(text=json.dumps(make(messages[1].text)))


def mark_of(material: str, words: str) -> str:
    """The mark of the item with these words."""
    found = re.search(rf"\[(src_\d+)\][^\n]*{re.escape(words)}", material)
    assert found, words
    return found[1]


def feed(*items: tuple[str, str, str]) -> str:
    listed = "".join(
        f"<item><title>{title}</title><pubDate>{when}</pubDate><description>{said}</description></item>"
        for title, when, said in items
    )
    return f'<rss version="2.0"><channel><title>Paper</title>{listed}</channel></rss>'


def klines(closes: Mapping[date, str], last: date, days: int = 366) -> str:
    rows = []
    for ago in range(days - 1, -1, -1):
        day = last - timedelta(days=ago)
        opened = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)
        price = closes.get(day, "100")
        rows.append([opened, price, price, price, price, "5", opened + 86_399_999])
    return json.dumps(rows)


def called(data: Data, folder: Path, model: ModelClient, feed_url: str = "") -> Toolbox:
    """The agents of a session."""
    context = offline_context(folder)
    settings = Settings(home=REPOSITORY, store=context.settings.store, **_feeds(feed_url))
    context = replace(context, settings=settings)
    return Toolbox(tools(data.api, all_at(data.endpoints.defillama), context, model))


def _feeds(url: str) -> dict[str, Any]:
    return {"news_feeds": (url,)} if url else {}


def report_of(reply: ToolReply) -> str:
    assert not reply.error_code, reply.text
    (display,) = reply.displays
    assert display.kind == "report"
    assert reply.text == f"# {display.title}\n\n{display.markdown}"
    return reply.text


def section(text: str, title: str) -> str:
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


# --- what a report may say


async def _examined(data: Data, *statements: str) -> Report:
    words = b"Kelpway lost $38 million on 19 February 2026. Withdrawals were paused at noon."
    prices = b'["200", "150", "180"]'
    await data.book.keep(
        [Given("page", words, TEXT, "https://a.example/"), Given("api", prices, "application/json")]
    )
    data.api.points += [
        DataPoint(source="src_2", pointer=f"/{at}", value=Decimal(value), field="price")
        for at, value in enumerate(("200", "150", "180"))
    ]
    for old, new in ((0, 1), (1, 2)):
        inputs = {
            name: [Operand(source="src_2", pointer=f"/{place}")]
            for name, place in (("old", old), ("new", new))
        }
        await data.api.compute("percentage_change", inputs, facets=Facets(asset="SOL", unit="per cent"))
    return await examined("Kelpway", {"All": statements}, data.api)


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("Withdrawals were paused at noon [src_1].", ""),
        ("The price changed by -25.00 % [calc_1], and by +20 % later [calc_2].", ""),
        ("The first price was 200 [src_2#/0].", ""),
        ("The first price was 150 [src_2#/0].", "in the digits shown"),
        ("Kelpway lost $83 million on 19 February 2026 [src_1].", "38"),
        ("Kelpway lost $38 million on 19 February 2026.", "names no source"),
        ("Kelpway lost $38 million on 19 February 2026 [src_9].", "leads to no source"),
        ("The price changed by -24 % [calc_1].", "in the digits shown"),
        ("By [calc_1] it changed by 25 %.", "No mark behind it"),
        ("Kelpway lost $83 million on 19 February 2026 [src_1], and SOL fell by 25 % [calc_1].", "38"),
    ],
)
async def test_a_statement_without_a_source_or_against_it_is_left_out_and_listed(
    tmp_path: Path, statement: str, why: str
) -> None:
    with provider(lambda _: (404, {}, ""), tmp_path) as data:
        report = await _examined(data, statement, "Withdrawals were paused at noon [src_1].")
        stated = report.sections["All"]
        if not why:
            assert statement in stated
            assert not report.left_out
            return
        assert statement not in stated
        (refused,) = report.left_out
        assert why in refused.reason
        assert statement not in report.markdown.partition("## Not supported")[0]
        assert refused.reason in report.markdown
        assert "[src" not in report.markdown.partition("## Not supported")[2].replace(refused.reason, "")


# --- the past of a project

DAY = date(2026, 2, 10)
HACK = ("Solana bridge robbed", "Tue, 10 Feb 2026 09:00:00 GMT", "A Solana bridge lost $9 million.")
LATE = ("Solana gets an upgrade", "Fri, 27 Feb 2026 09:00:00 GMT", "Solana was upgraded on 27 February 2026.")


def events_model(
    effect: dict[str, Any], *, what: str = "A Solana bridge lost $9 million", day: str = "2026-02-10"
) -> ScriptedModel:
    def events(material: str) -> dict[str, Any]:
        mark = mark_of(material, HACK[0])
        return {"events": [{"date": day, "kind": "security", "what": f"{what} [{mark}]."}]}

    def effects(material: str) -> dict[str, Any]:
        return {"effects": [{"event": 0, **effect}], "patterns": []}

    return ScriptedModel([says(events), says(effects)])


def serving(
    closes: Mapping[date, str], *, prices: bool = True
) -> Callable[[str], tuple[int, Mapping[str, str], str]]:
    def answer(path: str) -> tuple[int, Mapping[str, str], str]:
        if path.startswith("/feed"):
            return 200, {"content-type": "application/rss+xml"}, feed(HACK, LATE)
        if path.startswith("/api/v3/klines") and prices:
            return 200, {}, klines(closes, date(2026, 3, 1))
        return 404, {}, "{}"

    return answer


CLOSES = {DAY - timedelta(days=8): "100", DAY - timedelta(days=1): "110", DAY + timedelta(days=6): "88"}
GOOD = {
    "reading": "effect",
    "direction": "down",
    "why": "The price fell by -20.00 % [calc_1] after it had risen by +10.00 % [calc_2].",
}


async def _events(tmp_path: Path, model: ScriptedModel, *, prices: bool = True) -> tuple[str, Data]:
    with provider(serving(CLOSES, prices=prices), tmp_path) as data:
        box = called(data, tmp_path, model, f"{data.endpoints.defillama}/feed")
        reply = await box.call("historicalEventAnalysisAgent", '{"project_identifier": "SOL"}')
        return report_of(reply), data


async def test_an_effect_is_stated_with_a_window_after_the_event_and_a_control_window(tmp_path: Path) -> None:
    text, data = await _events(tmp_path, events_model(GOOD))
    after, before = data.api.computed
    assert (after.result, before.result) == (Decimal(-20), Decimal(10))
    assert (after.field, before.field) == ("change_7d_after", "change_7d_before")
    assert "-20.00 % [calc_1]; in the 7 days before: +10.00 % [calc_2]" in section(text, "Events")
    assert "2026-02-10: An effect is plausible. The price fell by -20.00 %" in section(
        text, "Effects on the price"
    )
    assert "## Not supported" not in text


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"direction": "up"}, "The price went down"),
        ({"why": "The price fell by -20.00 % [calc_1]."}, "does not name both windows"),
        ({"why": "It fell by -21.00 % [calc_1] after +10.00 % [calc_2]."}, "in the digits shown"),
        ({"event": 7}, "no measured windows"),
    ],
)
async def test_an_effect_that_was_not_measured_so_is_left_out(
    tmp_path: Path, changed: dict[str, Any], reason: str
) -> None:
    text, _ = await _events(tmp_path, events_model({**GOOD, **changed}))
    assert "Nothing that the sources support." in section(text, "Effects on the price")
    assert reason in section(text, "Not supported")


async def test_without_prices_it_is_said_that_no_effect_was_measured_and_none_is_stated(
    tmp_path: Path,
) -> None:
    model = events_model(GOOD)
    text, data = await _events(tmp_path, model, prices=False)
    assert len(model.requests) == 1
    assert not data.api.computed
    assert "No effect was measured" in section(text, "Events")
    assert "Nothing that the sources support." in section(text, "Effects on the price")


@pytest.mark.parametrize(
    ("day", "reason"), [("2026-02-11", "has the day"), ("2026-04-01", "had not come"), ("February", "no day")]
)
async def test_an_event_whose_day_no_source_has_is_left_out(tmp_path: Path, day: str, reason: str) -> None:
    text, _ = await _events(tmp_path, events_model(GOOD, day=day))
    assert "Nothing that the sources support." in section(text, "Events")
    assert reason in section(text, "Not supported")


async def test_nothing_later_than_as_of_is_read(tmp_path: Path) -> None:
    model = events_model(GOOD)
    with provider(serving(CLOSES), tmp_path) as data:
        data.api.as_of = datetime(2026, 2, 14, tzinfo=UTC)
        box = called(data, tmp_path, model, f"{data.endpoints.defillama}/feed")
        reply = await box.call("historicalEventAnalysisAgent", '{"project_identifier": "SOL"}')
    asked = model.requests[0].messages[1].text
    assert HACK[0] in asked
    assert LATE[0] not in asked
    assert "The web was not searched" in reply.text


async def test_an_ambiguous_name_is_answered_with_its_bearers_and_no_model_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel([])
    with provider(lambda _: (404, {}, ""), tmp_path) as data:
        for agent in ("historicalEventAnalysisAgent", "cryptoProjectAnalysisAgent"):
            reply = await called(data, tmp_path, model).call(agent, '{"project_identifier": "DEGEN"}')
            assert reply.error_code or "no_such" in reply.text
    assert not model.requests


# --- the news


def impact(material: str, **changed: Any) -> dict[str, Any]:
    mark = mark_of(material, HACK[0])
    item = {
        "item": mark,
        "what": f"A Solana bridge lost $9 million [{mark}].",
        "sentiment": "bearish",
        "affected": ["SOL", "ETH", "NOSUCHCOIN"],
        "magnitude": "medium",
        "horizon": "weeks",
    }
    return {"items": [{**item, **changed}], "summary": [f"A bridge was robbed [{mark}]."]}


async def _news(tmp_path: Path, *turns: Any) -> ToolReply:
    late = ("Solana bridge robbed", "Mon, 02 Mar 2026 09:00:00 GMT", HACK[2])
    body = feed(late, ("Undated tale", "", "Bitcoin."))
    with provider(lambda _: (200, {"content-type": "application/rss+xml"}, body), tmp_path) as data:
        box = called(data, tmp_path, ScriptedModel(turns), f"{data.endpoints.defillama}/feed")
        return await box.call("cryptoNewsAgent", "{}")


async def test_news_are_judged_in_fields_and_undated_ones_are_named_as_such(tmp_path: Path) -> None:
    text = report_of(await _news(tmp_path, says(impact)))
    told = section(text, "Items and what they may mean")
    assert "Published 2026-03-02" in told
    assert (
        "The model's judgement: bearish; assets: SOL, ETH (not named); magnitude: medium; horizon: weeks"
        in told
    )
    assert "No such asset is known" in section(text, "Not supported")
    assert "Undated tale" in section(text, "How it was made")


async def test_an_item_that_the_feed_does_not_have_is_left_out(tmp_path: Path) -> None:
    text = report_of(await _news(tmp_path, says(lambda material: impact(material, item="src_77"))))
    assert "src_77 is no item" in section(text, "Not supported")


async def test_a_reply_out_of_form_is_asked_for_once_more_and_then_refused(tmp_path: Path) -> None:
    assert "bearish" in report_of(await _news(tmp_path, ModelTurn(text="Well..."), says(impact)))
    refused = await _news(tmp_path / "2", ModelTurn(text="Well..."), ModelTurn(text="{}"))
    assert "did not keep to its form" in refused.text
    assert refused.error_code


# --- a project


class Hits:
    """A search that finds pages on loopback, one of them about something else."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[str] = []

    async def search(self, query: str, limit: int) -> Sequence[SearchHit]:
        self.asked.append(query)
        about = SearchHit(
            title="Solana in brief", url=f"{self.url}/solana.txt", snippet="Solana", source="test"
        )
        return about, SearchHit(title="Weather", url=f"{self.url}/rain.txt", snippet="Rain.", source="test")


async def test_a_project_is_gathered_sorted_into_fields_and_criticised(tmp_path: Path) -> None:
    page = "Solana was founded by Anatoly Yakovenko in 2017. Its supply grows by 4.5 % a year."

    def answer(path: str) -> tuple[int, Mapping[str, str], str]:
        if path.endswith(".txt"):
            return 200, {"content-type": "text/plain"}, page
        return 404, {}, "{}"

    def facts(material: str) -> dict[str, Any]:
        mark = mark_of(material, "solana.txt")
        empty: list[str] = []
        return {
            "overview": empty,
            "team": [f"Solana was founded by Anatoly Yakovenko in 2017 [{mark}].", "It has a great team."],
            "technology": empty,
            "token_economics": [f"Its supply grows by 9.5 % a year [{mark}]."],
            "use_cases": empty,
            "competitors": empty,
        }

    def critique(material: str) -> dict[str, Any]:
        assert "Anatoly Yakovenko in 2017 [" in material.partition("The report:")[2]
        mark = mark_of(material, "solana.txt")
        said = [f"Its supply grows by 4.5 % a year, and no cap is told [{mark}]."]
        return {"utility": [], "distribution": said, "innovation": [], "gaps": ["Who holds the supply?"]}

    model = ScriptedModel([says(facts), says(critique)])
    with provider(answer, tmp_path) as data:
        hits = Hits(data.endpoints.defillama)
        context = replace(offline_context(tmp_path), web=data.api.web, search=hits)
        box = Toolbox(tools(data.api, all_at(hits.url), context, model))
        text = report_of(await box.call("cryptoProjectAnalysisAgent", '{"project_identifier": "SOL"}'))
    assert len(hits.asked) == 5
    assert "rain.txt" not in model.requests[0].messages[1].text
    assert "Anatoly Yakovenko" in section(text, "Team")
    assert "great team" not in section(text, "Team")
    assert "great team (It names no source.)" in section(text, "Not supported")
    assert "9.5 %" in section(text, "Not supported")
    assert "no cap" in section(text, "Critique: distribution")
    assert "Not known from the sources: Who holds the supply?" in section(text, "How it was made")
