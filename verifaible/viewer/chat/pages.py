"""The pages of the chat: conversations, their turns as they happen, and the evidence beside the text."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from verifaible.crypto.chat.conversations import (
    Answered,
    ChatEvent,
    Conversation,
    Conversations,
    ToolFinished,
    ToolStarted,
    Turn,
    TurnEnded,
)
from verifaible.errors import ConfigError, UserError
from verifaible.viewer.chat.drawing import (
    ENDS,
    SIGNS,
    STATES,
    Addresses,
    DrawnTurn,
    calls_of,
    displays_of,
    draw,
    written,
)
from verifaible.viewer.chat.evidence import Looking
from verifaible.viewer.chat.running import Busy, Turns
from verifaible.viewer.judged.claims import web_link
from verifaible.viewer.rendering import asset_address, page, part
from verifaible.viewer.runs.timeline import visible
from verifaible.viewer.state import House, house_of, read, whole_number

if TYPE_CHECKING:
    from starlette.requests import Request

    from verifaible.viewer.chat.analysts import Answering

#: Of a question, in characters; the form says the same.
MOST_CHARS: Final = 8_000
_A_PAGE: Final = 50
_NO_TURN: Final = "The conversation has no such answer. It may have been stopped, or tried again."
_NO_EVIDENCE: Final = "The answer has no such evidence."


@dataclass(slots=True)
class Chat:
    """What the pages of the chat work with.

    Attributes:
        kept: all conversations.
        answering: answers.
        running: the turns under way in this server.
    """

    kept: Conversations
    answering: Answering
    running: Turns = field(default_factory=Turns)

    def turns(self, conversation: Conversation) -> tuple[dict[int, Turn], int]:
        """The turns of a conversation by number, and the number of the one under way (0: none is)."""
        before = self.running.of(conversation.id)  # it may end while what was kept is read
        turns = {each.number: each for each in conversation.turns()}
        running = self.running.of(conversation.id) or before
        if running is None or not running.number:
            return turns, 0
        turns[running.number] = running.turn
        return turns, running.number


def chat_routes() -> list[Route]:
    """The routes of the chat."""
    posted = ["POST"]
    return [
        Route("/chat", conversations, name="chat"),
        Route("/chat", start, methods=posted),
        Route("/chat/nothing", nothing, name="chat-nothing"),
        Route("/chat/{id}", conversation, name="chat-conversation"),
        Route("/chat/{id}", ask, methods=posted),
        Route("/chat/{id}/retry", retry, methods=posted),
        Route("/chat/{id}/stop", stop, methods=posted),
        Route("/chat/{id}/delete", delete, methods=["GET", "POST"]),
        Route("/chat/{id}/turns/{turn:int}", turn, name="chat-turn"),
        Route("/chat/{id}/turns/{turn:int}/events", events),
        Route("/chat/{id}/turns/{turn:int}/evidence", evidence, name="chat-evidence"),
        Route("/chat/{id}/turns/{turn:int}/source", source, name="chat-source"),
        Route("/chat/{id}/turns/{turn:int}/charts/{number:int}.png", picture, name="chat-chart"),
    ]


async def conversations(request: Request) -> Response:
    """All conversations, the newest first, and how to begin one."""
    return await _listed(request)


async def start(request: Request) -> Response:
    """Begin a conversation with the models of the form, or one that follows a script."""
    chat = chat_of(request)
    async with request.form() as form:
        caller, answerer = (str(form.get(name, "")).strip() for name in ("caller", "answerer"))
        demo = form.get("demo") == "1"
    try:
        info = await chat.answering.begin(caller, answerer, demo=demo)
    except UserError as fault:
        return await _listed(request, str(fault), (caller, answerer))
    begun = await asyncio.to_thread(chat.kept.new, info)
    return RedirectResponse(Addresses(begun.id, 0).page, 303)


async def nothing(request: Request) -> Response:
    """What stands beside a conversation before a number was chosen."""
    return page(request, "chat_nothing.html")


async def conversation(request: Request) -> Response:
    """A conversation: its turns, the form for the next question, and evidence beside them."""
    chat, found = await _asked(request)
    return await _conversation(request, chat, found)


async def ask(request: Request) -> Response:
    """Take a question in; its answer goes on whoever looks."""
    chat, found = await _asked(request)
    async with request.form() as form:
        prompt = str(form.get("prompt", "")).strip()
    if not prompt or len(prompt) > MOST_CHARS:
        fault = "Write a question first."
        if prompt:
            fault = f"The question is too long. At most {MOST_CHARS:,} characters can be sent."
        return await _conversation(request, chat, found, fault=fault, prompt=prompt, status=400)
    return await _begun(request, chat, found, prompt)


async def retry(request: Request) -> Response:
    """Answer the last question once more."""
    chat, found = await _asked(request)
    if not await asyncio.to_thread(found.turns):
        return RedirectResponse(Addresses(found.id, 0).page, 303)
    return await _begun(request, chat, found, "")


async def stop(request: Request) -> Response:
    """Stop the answer that is being written."""
    chat, found = await _asked(request)
    running = chat.running.of(found.id)
    number = running.number if running else 0
    await chat.running.stop(found.id)
    return RedirectResponse(f"{Addresses(found.id, 0).page}{f'#turn-{number}' if number else ''}", 303)


async def delete(request: Request) -> Response:
    """Ask whether a conversation shall be deleted; delete it where that is confirmed."""
    chat, found = await _asked(request)
    if request.method == "GET":
        return page(request, "chat_delete.html", at=Addresses(found.id, 0), **_values(found))
    await chat.running.stop(found.id)
    await asyncio.to_thread(chat.kept.delete, found.id)
    return RedirectResponse("/chat", 303)


async def turn(request: Request) -> Response:
    """One turn as a part of the page of its conversation."""
    chat, found = await _asked(request)
    number = request.path_params["turn"]
    turns, under_way = await read(house_of(request), lambda: chat.turns(found))
    if number not in turns:
        raise HTTPException(404, _NO_TURN)
    drawn = _drawn(request, found, turns[number], running=number == under_way)
    return page(request, "chat_turn.html", **_values(found), drawn=drawn, last=number == max(turns))


async def events(request: Request) -> Response:
    """A turn as it happens, as server-sent events: tool calls as HTML, the answer's text as it is written.

    ``after`` events are drawn already. A client that lost the connection names the last it had.
    """
    chat, found = await _asked(request)
    number = request.path_params["turn"]
    after = whole_number(request.headers.get("last-event-id") or request.query_params.get("after", ""))
    running, at = chat.running.of(found.id), Addresses(found.id, number)

    async def told() -> AsyncIterator[str]:
        count = after
        if running is not None and number == running.number:
            async for fresh in running.follow(after + 1):  # the first is the question
                if not fresh:
                    yield ": still at it\n\n"
                    continue
                count += len(fresh)
                for kind, data in _messages(request, running.events[1 : count + 1], fresh, at):
                    yield f"id: {count}\nevent: {kind}\ndata: {json.dumps(data)}\n\n"
            await running.kept()
        yield "event: end\ndata: {}\n\n"

    return StreamingResponse(told(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def evidence(request: Request) -> Response:
    """What a number of an answer, or a mark, rests on, for the frame beside the text."""
    _, found, looking, at = await _looking(request)
    asked = request.query_params

    def looked() -> Any:
        if "number" in asked:
            return looking.number(_place(asked["number"]))
        return looking.mark(asked.get("mark", ""), asked.get("pointer", ""))

    seen = await read(house_of(request), looked)
    if seen.kind == "missing" and seen.number is None and not seen.mark:
        raise HTTPException(404, _NO_EVIDENCE)
    return page(
        request,
        "chat_evidence.html",
        **_values(found),
        e=seen,
        at=at,
        linked=at.linked(**{name: asked[name] for name in ("number", "mark", "pointer") if name in asked}),
    )


async def source(request: Request) -> Response:
    """A source as a whole, with the value marked that a pointer names."""
    _, found, looking, at = await _looking(request)
    asked = request.query_params
    mark, pointer = asked.get("mark", ""), asked.get("pointer", "")
    kept = looking.source(mark)
    if kept is None:
        raise HTTPException(404, _NO_EVIDENCE)
    first = whole_number(asked["from"]) if "from" in asked else None
    shown = await read(house_of(request), lambda: looking.whole(kept, pointer, first))
    return page(
        request,
        "chat_source.html",
        **_values(found),
        s=shown,
        at=at,
        back=at.linked(mark=mark, pointer=pointer),
    )


async def picture(request: Request) -> Response:
    """A chart, as a picture of its own."""
    chat, found = await _asked(request)
    turns, _ = await read(house_of(request), lambda: chat.turns(found))
    asked, number = turns.get(request.path_params["turn"]), request.path_params["number"]
    displays = displays_of(asked.events if asked else ())
    if number >= len(displays) or not displays[number].png_base64:
        raise HTTPException(404, "The answer has no such chart.")
    return Response(base64.b64decode(displays[number].png_base64), media_type="image/png")


def chat_of(request: Request) -> Chat:
    """The chat of the viewer that a request is served from."""
    return cast(Chat, request.app.state.chat)


async def _asked(request: Request) -> tuple[Chat, Conversation]:
    chat = chat_of(request)
    try:
        return chat, await asyncio.to_thread(chat.kept.get, str(request.path_params["id"]))
    except ConfigError as error:
        raise HTTPException(404, "There is no such conversation. It may have been deleted.") from error


async def _looking(request: Request) -> tuple[House, Conversation, Looking, Addresses]:
    chat, found = await _asked(request)
    house, number = house_of(request), request.path_params["turn"]

    def read_it() -> Looking | None:
        turns, _ = chat.turns(found)
        if number not in turns:
            return None
        end = turns[number].end
        return Looking(house.store, found.evidence(), end if isinstance(end, Answered) else None)

    looking = await read(house, read_it)
    if looking is None:
        raise HTTPException(404, _NO_TURN)
    return house, found, looking, Addresses(found.id, number)


async def _listed(request: Request, fault: str = "", asked: tuple[str, str] | None = None) -> Response:
    chat, first = chat_of(request), whole_number(request.query_params.get("from", ""))

    def found() -> tuple[list[tuple[Conversation, str, Addresses]], int]:
        kept = chat.kept.all()
        shown = [(each, each.title, Addresses(each.id, 0)) for each in kept[first : first + _A_PAGE]]
        return shown, len(kept)

    shown, total = await asyncio.to_thread(found)
    models = chat.answering.models()
    return page(
        request,
        "chat.html",
        status=400 if fault else 200,
        conversations=shown,
        total=total,
        start=first,
        most=_A_PAGE,
        models=models,
        asked=asked or (models[0], models[0]),
        fault=fault,
        visible=visible,
    )


async def _begun(request: Request, chat: Chat, found: Conversation, prompt: str) -> Response:
    """Let a turn run (without a prompt the last one again), and lead to it."""
    try:
        running = chat.running.begin(found.id, chat.answering.turn(found, prompt))
    except Busy:
        fault = "The last question is still being answered. Wait for the answer, or stop it."
        return await _conversation(request, chat, found, fault=fault, prompt=prompt, status=409)
    await running.begun()
    if not running.number and isinstance(end := running.events[-1], TurnEnded):
        fault = visible(end.error) or ENDS[end.reason]
        return await _conversation(request, chat, found, fault=fault, prompt=prompt, status=409)
    return RedirectResponse(f"{Addresses(found.id, 0).page}#turn-{running.number}", 303)


async def _conversation(
    request: Request,
    chat: Chat,
    found: Conversation,
    *,
    fault: str = "",
    prompt: str = "",
    status: int = 200,
) -> Response:
    turns, under_way = await read(house_of(request), lambda: chat.turns(found))
    asked, at = request.query_params, Addresses(found.id, 0)
    drawn = {
        number: _drawn(request, found, each, running=number == under_way) for number, each in turns.items()
    }
    shown = {name: asked[name] for name in ("number", "mark", "pointer") if asked.get(name)}
    beside = Addresses(found.id, whole_number(asked.get("turn", "")))
    return page(
        request,
        "chat_conversation.html",
        status=status,
        **_values(found),
        at=at,
        turns=list(drawn.values()),
        beside=_evidence_of(beside, shown) if shown and beside.turn in drawn else "/chat/nothing",
        suggested=chat.answering.suggested(found.info),
        fault=fault,
        prompt=prompt,
        most=MOST_CHARS,
        follower=asset_address("chat.js"),
    )


def _evidence_of(at: Addresses, asked: dict[str, str]) -> str:
    if (number := _place(asked.get("number", ""))) >= 0:
        return at.evidence(number=number)
    return at.evidence(mark=asked.get("mark", ""), pointer=asked.get("pointer", ""))


def _place(text: str) -> int:
    """The place that an address names in digits; -1 for anything else."""
    number = whole_number(text)
    return number if str(number) == text else -1


def _drawn(request: Request, found: Conversation, turn: Turn, *, running: bool) -> DrawnTurn:
    return draw(
        turn,
        Addresses(found.id, turn.number),
        running=running,
        whole=request.query_params.get("whole", ""),
    )


def _values(found: Conversation) -> dict[str, Any]:
    return {
        "c": found.info,
        "title": visible(found.title),
        "visible": visible,
        "web_link": web_link,
        "signs_of_numbers": SIGNS,
        "number_states": STATES,
        "turn_ends": ENDS,
        "addresses": lambda number: Addresses(found.id, number),
    }


def _messages(
    request: Request, events: Sequence[ChatEvent], fresh: Sequence[ChatEvent], at: Addresses
) -> list[tuple[str, dict[str, object]]]:
    """What a page that follows a turn is sent: each call that began or ended, and text that was written."""
    changed = {each.call for each in fresh if isinstance(each, ToolStarted | ToolFinished)}
    told: list[tuple[str, dict[str, object]]] = []
    if changed:
        started = [each.call for each in events if isinstance(each, ToolStarted)]
        for call, drawn in zip(started, calls_of(events, at), strict=True):
            if call in changed:
                html = part(request, "chat_call.html", call=drawn, at=at)
                told.append(("call", {"id": drawn.id, "html": html}))
    text, anew = written(fresh)
    if text or anew:
        told.append(("text", {"text": visible(text), "anew": anew}))
    return told
