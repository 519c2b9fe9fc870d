"""A stand-in for the analyst: turns whose events a test chooses, over sources that are really sealed."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import threading
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from decimal import Decimal

from PIL import Image

from verifaible.config import Settings
from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    Conversation,
    ConversationInfo,
    Evidence,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from verifaible.errors import ConfigError
from verifaible.evidence.computation import computed_from
from verifaible.evidence.sources import SourceDraft, SourceTexts, keep_sources
from verifaible.schema.analyst import Source
from verifaible.schema.data import Computed, DataPoint, Display, Exchange, Facets, NumberEvidence, Operand
from verifaible.store.store import Store
from verifaible.viewer.chat_turns import Analyst

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> [go](javascript:alert(3)) "
    "![spy](https://evil.example/a.png) \u202eevil {{ 7*7 }}"
)
MARKET = {
    "synthetic": "a made-up answer of a provider",
    "bitcoin": {"usd": 64250.12, "usd_24h_change": -1.75},
    "prices": [[1, 63000.5], [2, 63500.25], [3, 64250.12]],
}


def _png() -> str:
    with io.BytesIO() as file:
        Image.new("RGB", (640, 240), "white").save(file, "PNG")
        return base64.b64encode(file.getvalue()).decode()


PNG = _png()
ANSWER = (
    "Bitcoin trades at **64250.12** [src_1#/bitcoin/usd] US dollars, after 63500 [src_1#/prices/1/1] the day "
    "before; its mean is 63583.62 [calc_1]. Others expect 99999.\n\n| coin | price |\n|---|---|\n| BTC | 64250.12 "
    "[src_1#/bitcoin/usd] |\n\nThe source as a whole: [src_1]."
)


def sealed(store: Store) -> Source:
    """The provider's answer, in the store."""
    draft = SourceDraft(
        id="src_1",
        kind="api",
        body=json.dumps(MARKET).encode(),
        media_type="application/json",
        url="https://api.example/simple/price?ids=bitcoin",
        title="Example /simple/price",
        at=datetime(2026, 3, 2, 12, tzinfo=UTC),
        exchange=Exchange(
            method="GET",
            url="https://api.example/simple/price?ids=bitcoin",
            status=200,
            fetched_at=datetime(2026, 3, 2, 12, tzinfo=UTC),
            adapter="example",
            synthetic=True,
        ),
    )
    return keep_sources(store, [draft], origin="chat")[0]


def mean_of_prices(store: Store, source: Source) -> tuple[Computed, Source]:
    """The mean of the provider's prices, and where it is sealed."""
    value = computed_from(
        "calc_1",
        "mean",
        {"values": (Operand(source="src_1", pointer="/prices/*/1"),)},
        {},
        Facets(asset="BTC", field="price", unit="USD"),
        sources=[source],
        texts=SourceTexts(store),
    )
    draft = SourceDraft(
        id="calc_1",
        kind="computed",
        body=value.model_dump_json().encode(),
        media_type="application/json",
        title="mean of BTC",
    )
    return value.computed, keep_sources(store, [draft], origin="chat")[0]


def numbers_of(text: str) -> tuple[NumberEvidence, ...]:
    """What the numbers of :data:`ANSWER` rest on."""

    def at(place: int, digits: str, **rest: str) -> NumberEvidence:
        return NumberEvidence.model_validate({"start": place, "end": place + len(digits), **rest})

    found = [(each.start(), each[0]) for each in re.finditer(r"(?<![\w/#])\d+(?:\.\d+)?(?![\w/])", text)]
    kinds = {
        "64250.12": {"status": "resolved", "mark": "src_1", "pointer": "/bitcoin/usd"},
        "63500": {
            "status": "wrong",
            "mark": "src_1",
            "pointer": "/prices/1/1",
            "reason": "The data say 63500.25.",
        },
        "63583.62": {"status": "resolved", "mark": "calc_1"},
        "99999": {"status": "none", "reason": "No mark stands behind it."},
    }
    return tuple(at(place, digits, **kinds[digits]) for place, digits in found if digits in kinds)


class StandIn(Analyst):
    """Answers in steps; ``gate`` holds a turn before its answer until a test lets it go on."""

    def __init__(self) -> None:
        super().__init__(Settings())
        self.store: Store | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.answer = ANSWER

    def models(self) -> Sequence[str]:
        return ("glm-5", "other-model")

    async def begin(self, caller: str, answerer: str, *, demo: bool) -> ConversationInfo:
        if not demo and caller not in self.models():
            raise ConfigError(f"There is no model {caller!r}.")
        now = datetime(2026, 3, 2, 12, tzinfo=UTC)
        names = ("demo", "demo") if demo else (caller, answerer)
        return ConversationInfo(started_at=now, caller=names[0], answerer=names[1])

    def suggested(self, info: ConversationInfo) -> Sequence[str]:
        return ("What is the price of BTC?",) if info.caller == "demo" else ()

    async def turn(self, conversation: Conversation, prompt: str) -> AsyncGenerator[ChatEvent, None]:
        turns = conversation.turns()
        number = len(turns) + 1 if prompt else len(turns)
        events = self._events(number, prompt or turns[-1].prompt)
        if number == 1 and prompt:
            conversation.keep(self.found())
        ended = False
        try:
            for event in events:
                if isinstance(event, Answered):
                    while not self.gate.is_set():  # noqa: ASYNC110 - opened in another thread
                        await asyncio.sleep(0.01)
                conversation.keep(event)
                ended = isinstance(event, Answered)
                yield event
        finally:
            if not ended:
                conversation.keep(TurnEnded(reason="stopped"))

    def found(self) -> Evidence:
        """What the tools find: one price is said to be one."""
        assert self.store is not None
        source = sealed(self.store)
        computed, kept = mean_of_prices(self.store, source)
        price = DataPoint(
            asset="BTC",
            field="price",
            unit="USD",
            source="src_1",
            pointer="/bitcoin/usd",
            value=Decimal("64250.12"),
        )
        return Evidence(sources=(source, kept), points=(price,), computed=(computed,))

    def _events(self, number: int, prompt: str) -> Sequence[ChatEvent]:
        found = self.found()
        shown = (
            Display(
                kind="chart",
                title="BTCUSDT, 1d",
                sources=("src_1",),
                png_base64=PNG,
                alt="BTCUSDT: candles of 1d",
            ),
            Display(
                kind="table", title="Prices", sources=("src_1",), markdown="| a | b |\n|---|---|\n| 1 | 2 |"
            ),
            Display(kind="report", title=HOSTILE, markdown=f"# News\n\n{HOSTILE}"),
        )
        return (
            TurnStarted(turn=number, prompt=prompt),
            ToolStarted(call="a", name="realTimeMarketInfoTool", arguments='{"token": "BTC"}'),
            ToolStarted(call="b", name="kLineChartTool", arguments=json.dumps({"note": HOSTILE})),
            ToolFinished(
                call="b", name="kLineChartTool", text=HOSTILE + "x" * 9000, displays=shown, duration_s=0.4
            ),
            ToolFinished(call="a", name="realTimeMarketInfoTool", text="Error", error_code="rate_limited"),
            TextDelta(text="Bitcoin was "),
            TextDelta(text="Bitcoin trades at 64250.12 <b>bold</b>", fresh=True),
            Answered(
                text=self.answer,
                numbers=numbers_of(self.answer),
                sources=found.sources,
                computed=found.computed,
                duration_s=1.5,
            ),
        )
