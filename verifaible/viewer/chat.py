"""The chat: conversations, their turns as they happen, and the evidence of each number."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from verifaible.crypto.chat.conversations import (
    Answered,
    Conversation,
    ConversationInfo,
    Conversations,
    Turn,
    TurnEnded,
)
from verifaible.errors import ConfigError, UserError
from verifaible.viewer.chat_answers import displays_of, evidence_address, shown_turn
from verifaible.viewer.chat_evidence import Looking
from verifaible.viewer.chat_turns import Analyst, Busy, Turns
from verifaible.viewer.respond import Part, Viewer, html, page, read, viewer_of, whole_number

if TYPE_CHECKING:
    from starlette.requests import Request

#: Of a question, in characters; the form says the same.
MOST_CHARS: Final = 8_000
_A_PAGE: Final = 50
_NO_TURN: Final = "The conversation has no such answer. It may have been stopped, or tried again."
_NO_EVIDENCE: Final = "The answer has no such evidence. Follow a link of the answer."


@dataclass(slots=True)
class Chat:
    """What the pages of the chat work with: all conversations, what answers, and the turns under way."""

    kept: Conversations
    answering: Analyst
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


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation as a list shows it."""

    title: str
    address: str
    info: ConversationInfo


def chat_routes() -> list[BaseRoute]:
    """The routes of the chat."""
    posted = ["POST"]
    return [
        Route("/chat", start, methods=posted),
        *page("/chat", "chat.html", lambda _, request: _list(request), name="chat"),
        Route("/chat/{id}", ask, methods=posted),
        *page("/chat/{id}", "conversation.html", lambda _, request: _conversation(request, _found(request))),
        Route("/chat/{id}/retry", retry, methods=posted),
        Route("/chat/{id}/stop", stop, methods=posted),
        Route("/chat/{id}/delete", delete, methods=["GET", "POST"]),
        Route("/chat/{id}/turns/{turn:int}", turn),
        Route("/chat/{id}/turns/{turn:int}/charts/{number:int}.png", picture),
        *page("/chat/{id}/turns/{turn:int}/evidence", "chat_evidence.html", _evidence),
        *page("/chat/{id}/turns/{turn:int}/source", "chat_source.html", _source),
    ]


# --- pages


def _list(request: Request, fault: str = "", chosen: tuple[str, str] | None = None) -> dict[str, object]:
    """All conversations, and the form for a new one with the models that were chosen."""
    chat = chat_of(request)
    models = chat.answering.models()
    return {
        "conversations": Part.of(request, chat.kept.all(), _A_PAGE).made(_line),
        "models": models,
        "chosen": chosen or (models[0], models[0]),
        "fault": fault,
    }


def _conversation(
    request: Request, found: Conversation, fault: str = "", prompt: str = ""
) -> dict[str, object]:
    """A conversation: its turns, the questions of a demo's script, and why the last one was not taken in."""
    chat, whole = chat_of(request), request.query_params.get("whole", "")
    turns, under_way = chat.turns(found)
    return {
        "line": _line(found),
        "turns": [
            shown_turn(each, _turn_address(found, number), running=number == under_way, whole=whole)
            for number, each in turns.items()
        ],
        "suggested": chat.answering.suggested(found.info),
        "most": MOST_CHARS,
        "fault": fault,
        "prompt": prompt,
    }


def _evidence(viewer: Viewer, request: Request) -> dict[str, object]:
    """What a number or a mark of an answer rests on."""
    found, looking = _looking(viewer, request)
    asked, number = request.query_params, request.path_params["turn"]
    if "number" in asked:
        place = whole_number(asked["number"])
        seen = looking.number(place if str(place) == asked["number"] else -1)
    else:
        seen = looking.mark(asked.get("mark", ""), asked.get("pointer", ""))
    if seen.kind == "missing" and seen.number is None and not seen.mark:
        raise HTTPException(404, _NO_EVIDENCE)
    line, turn_address = _line(found), _turn_address(found, number)
    return {"line": line, "turn": turn_address, "back": f"{line.address}#turn-{number}", "e": seen}


def _source(viewer: Viewer, request: Request) -> dict[str, object]:
    """A source as a whole, with the value marked that a pointer names."""
    found, looking = _looking(viewer, request)
    asked, number = request.query_params, request.path_params["turn"]
    mark, pointer = asked.get("mark", ""), asked.get("pointer", "")
    source = looking.sources.get(mark)
    if source is None:
        raise HTTPException(404, _NO_EVIDENCE)
    shown = looking.page(source, pointer, whole_number(asked["from"]) if asked.get("from") else None)
    back = evidence_address(_turn_address(found, number), mark=mark, pointer=pointer)
    return {"line": _line(found), "s": shown, "back": back}


async def turn(request: Request) -> Response:
    """One turn as a part of the page of its conversation, for who follows it.

    Empty (204) while it has nothing new beyond the ``seen`` events.
    """
    chat, found, number = chat_of(request), await _asked(request), request.path_params["turn"]
    turns, under_way = await read(viewer_of(request), lambda: chat.turns(found))
    if number not in turns:
        raise HTTPException(404, _NO_TURN)
    running = number == under_way
    if running and str(len(turns[number].events)) == request.query_params.get("seen"):
        return Response(status_code=204)
    shown = shown_turn(turns[number], _turn_address(found, number), running=running)
    return html(
        request, "chat_turn.html", {"line": _line(found), "turn": shown, "last": number == max(turns)}
    )


async def picture(request: Request) -> Response:
    """A chart, as a picture of its own."""
    chat, found = chat_of(request), await _asked(request)
    turns, _ = await read(viewer_of(request), lambda: chat.turns(found))
    asked, number = turns.get(request.path_params["turn"]), request.path_params["number"]
    displays = displays_of(asked.events if asked else ())
    if number >= len(displays) or not displays[number].png_base64:
        raise HTTPException(404, "The answer has no such chart. It may have been tried again.")
    return Response(base64.b64decode(displays[number].png_base64), media_type="image/png")


# --- what is done


async def start(request: Request) -> Response:
    """Begin a conversation with the models of the form, or one that follows a script."""
    chat = chat_of(request)
    async with request.form() as form:
        caller, answerer = (str(form.get(name, "")).strip() for name in ("caller", "answerer"))
        demo = form.get("demo") == "1"
    try:
        info = await chat.answering.begin(caller, answerer, demo=demo)
    except UserError as error:
        shown = await asyncio.to_thread(_list, request, str(error), (caller, answerer))
        return html(request, "chat.html", shown, status=400)
    begun = await asyncio.to_thread(chat.kept.new, info)
    return RedirectResponse(_address(begun), 303)


async def ask(request: Request) -> Response:
    """Take a question in; its answer goes on whoever looks."""
    found = await _asked(request)
    async with request.form() as form:
        prompt = str(form.get("prompt", "")).strip()
    if not prompt:
        return await _refused(request, found, "Write a question first.", "", 400)
    if len(prompt) > MOST_CHARS:
        fault = f"The question is too long. Shorten it: at most {MOST_CHARS:,} characters can be sent."
        return await _refused(request, found, fault, prompt, 400)
    return await _begun(request, found, prompt)


async def retry(request: Request) -> Response:
    """Answer the last question once more."""
    found = await _asked(request)
    if not await asyncio.to_thread(found.turns):
        return RedirectResponse(_address(found), 303)
    return await _begun(request, found, "")


async def _begun(request: Request, found: Conversation, prompt: str) -> Response:
    """Let a turn run (without a prompt the last one again), and lead to it."""
    chat = chat_of(request)
    try:
        running = chat.running.begin(found.id, chat.answering.turn(found, prompt))
    except Busy as busy:
        return await _refused(request, found, str(busy), prompt, 409)
    await running.begun()
    if not running.number and isinstance(end := running.events[-1], TurnEnded):
        fault = end.error or "Stopped. Send the question again."
        return await _refused(request, found, fault, prompt, 409)
    return RedirectResponse(f"{_address(found)}#turn-{running.number}", 303)


async def _refused(request: Request, found: Conversation, fault: str, prompt: str, status: int) -> Response:
    shown = await read(viewer_of(request), lambda: _conversation(request, found, fault, prompt))
    return html(request, "conversation.html", shown, status=status)


async def stop(request: Request) -> Response:
    """Stop the answer that is being written."""
    found = await _asked(request)
    running = chat_of(request).running.of(found.id)
    if running is None:
        return RedirectResponse(_address(found), 303)
    await running.stop()
    return RedirectResponse(f"{_address(found)}#turn-{running.number}", 303)


async def delete(request: Request) -> Response:
    """Ask whether a conversation shall be deleted; delete it where that is confirmed."""
    found, chat = await _asked(request), chat_of(request)
    if request.method != "POST":
        return html(request, "chat_delete.html", {"line": _line(found)})
    if running := chat.running.of(found.id):
        await running.stop()
    await asyncio.to_thread(chat.kept.delete, found.id)
    return RedirectResponse("/chat", 303)


# --- which conversation


def chat_of(request: Request) -> Chat:
    """The chat of the viewer that a request is served from."""
    return cast(Chat, request.app.state.chat)


async def _asked(request: Request) -> Conversation:
    return await asyncio.to_thread(_found, request)


def _found(request: Request) -> Conversation:
    """The conversation that an address names.

    Raises:
        HTTPException: there is none.
    """
    try:
        return chat_of(request).kept.get(str(request.path_params["id"]))
    except ConfigError as error:
        raise HTTPException(404, "There is no such conversation. It may have been deleted.") from error


def _looking(viewer: Viewer, request: Request) -> tuple[Conversation, Looking]:
    found = _found(request)
    turns, _ = chat_of(request).turns(found)
    if request.path_params["turn"] not in turns:
        raise HTTPException(404, _NO_TURN)
    end = turns[request.path_params["turn"]].end
    return found, Looking(viewer.store, found.evidence(), end if isinstance(end, Answered) else None)


def _line(found: Conversation) -> Listed:
    return Listed(found.title, _address(found), found.info)


def _address(found: Conversation) -> str:
    return f"/chat/{quote(found.id, safe='')}"


def _turn_address(found: Conversation, number: int) -> str:
    return f"{_address(found)}/turns/{number}"
