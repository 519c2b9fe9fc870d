"""A scripted judge behind both OpenAI APIs, over real HTTP on the loopback interface.

It reads a question as a model would: the parts between the boundaries, and the form that is wanted. Its own
verdicts are simple and the same in every run, whatever the order of what it is shown: a claim is carried by a
line that has all its numbers and most of its words, and scores are drawn from the words of the answer. A
test may give it another mind.

    python -m tests.servers.judge_server --port 8765
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, error, message, response

_PART = re.compile(
    r"^--- content of (?P<label>[^\n]*?) \(untrusted; [^\n]*?\) (?P<mark>[0-9a-f]+) ---\n(?P<text>.*?)\n"
    r"--- end of content (?P=mark) ---$",
    re.M | re.S,
)
_LINE_NUMBER = re.compile(r"^\[\d+\] ", re.M)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SENTENCE = re.compile(r"[^\n|]+?(?:[.!?](?=\s)|(?=[\n|]|\Z))")
_WORD = re.compile(r"[^\W\d_]{3,}|[\u3400-\u9fff]")
_DIMENSIONS = ("temporal_relevance", "data_consistency", "depth", "relevance")
_CATEGORIES = (
    "staleness_missing_time_bounds",
    "inconsistent_claims",
    "source_reconciliation_failure",
    "shallow_synthesis",
    "missing_risk_or_mechanism_context",
    "overconfident_prediction",
    "partial_or_misframed_answer",
)


@dataclass(frozen=True)
class Question:
    """A request as the judge understands it.

    Attributes:
        api: ``chat`` or ``responses``.
        form: the name of the form that is wanted; empty where none is.
        system: the instructions.
        user: the question.
        parts: what stands between the boundaries, by its label.
        body: the whole request.
        number: of the request, from 0.
    """

    api: str
    form: str
    system: str
    user: str
    parts: Mapping[str, str]
    body: JsonObject
    number: int

    @property
    def outside(self) -> str:
        """What of the question stands outside all boundaries: the words of who asks."""
        return _PART.sub("", self.user)

    @property
    def sources(self) -> dict[str, str]:
        """The sources that are shown, by their labels."""
        return {
            label.removeprefix("source "): _LINE_NUMBER.sub("", text)
            for label, text in self.parts.items()
            if label.startswith("source ")
        }


#: What a judge says: an object, a text, or a whole HTTP answer.
Said: TypeAlias = JsonObject | str | Reply
Mind: TypeAlias = Callable[[Question], Said]


def sensible(question: Question) -> Said:
    """Verdicts of a judge that reads, and that has no taste for places."""
    if question.form in ("citations", "hallucination"):
        return claim_verdict(question)
    if question.form == "rubric":
        text = question.parts["the answer"]
        return {each: {"score": 1 + _drawn(each, text) % 10, "reason": "Drawn."} for each in _DIMENSIONS}
    if question.form == "taxonomy":
        text = question.parts["the answer"]
        return {
            each: {"present": int(_drawn(each, text) % 5 == 0), "reason": "Drawn."} for each in _CATEGORIES
        }
    if question.form == "claims":
        sentences = (each.strip() for each in _SENTENCE.findall(question.parts["the answer"]))
        return {
            "claims": [
                {"quote": each, "text": each, "kind": "number" if _NUMBER.search(each) else "opinion"}
                for each in sentences
                if _WORD.search(each)
            ]
        }
    return error(400, f"This judge has no mind for the form {question.form!r}.")


def claim_verdict(question: Question) -> JsonObject:
    """Whether a line of a source carries the claim."""
    claim = question.parts["the claim"]
    numbers = set(_NUMBER.findall(claim))
    words = {word.casefold() for word in _WORD.findall(claim)}
    for label, text in sorted(question.sources.items(), key=lambda item: item[1]):
        for line in text.splitlines():
            has = {word.casefold() for word in _WORD.findall(line)}
            if numbers <= set(_NUMBER.findall(line)) and words and 2 * len(words & has) >= len(words):
                return verdict(
                    "direct" if question.form == "citations" else "exact", (label, line.strip()[:600])
                )
    return verdict("incorrect" if question.form == "citations" else "fabricated")


def verdict(value: str, *quotes: tuple[str, str], reason: str = "As it says.", **fields: Any) -> JsonObject:
    """A filled form about a claim."""
    given = [{"source": source, "quote": quote} for source, quote in quotes]
    return {
        "verdict": value,
        "reason": reason,
        "quotes": given,
        "expression": "",
        "operands": [],
        **fields,
    }


class JudgeServer(OpenAIServer):
    """The server, as a context manager; several questions are answered at once.

    Args:
        mind: what it says to a question.
        cost: US dollars that it states for each reply; None: it states none.

    Attributes:
        questions: every question that was understood, in the order they came.
    """

    def __init__(
        self, mind: Mind = sensible, *, cost: float | None = None, api_key: str = "", port: int = 0
    ) -> None:
        super().__init__(self._said, api_key=api_key, port=port)
        self._mind = mind
        self._cost = cost
        self.questions: list[Question] = []

    def reply(self, path: str, headers: Mapping[str, str], raw: bytes) -> Reply:
        """The answer to one request of either API."""
        if path != "/v1/chat/completions":
            return super().reply(path, headers, raw)
        # the base class looks at the path and the fields of its own API
        passed = json.dumps({**json.loads(raw), "input": []}).encode()
        reply = super().reply("/v1/responses", headers, passed)
        self.requests[-1].body.pop("input", None)
        return reply

    def _said(self, body: JsonObject) -> Reply:
        question = _understood(body, len(self.questions))
        self.questions.append(question)
        said = self._mind(question)
        if isinstance(said, Reply):
            return said
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        return spoken(question, text, cost=self._cost)


def spoken(question: Question, text: str | None, *, cost: float | None = None, **fields: Any) -> Reply:
    """A text as an answer of the API in which was asked; ``fields`` replace those of a chat message."""
    if question.api == "responses":
        return response(message(text or ""), cost=cost)
    usage: JsonObject = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    if cost is not None:
        usage["cost"] = cost
    said = {"role": "assistant", "content": text, **fields.pop("message", {})}
    choice = {"index": 0, "message": said, "finish_reason": "stop", **fields}
    return Reply({"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice], "usage": usage})


def _understood(body: JsonObject, number: int) -> Question:
    if "messages" in body:
        texts = {each["role"]: each["content"] for each in body["messages"]}
        system, user = texts.get("system", ""), texts.get("user", "")
        wanted = (body.get("response_format") or {}).get("json_schema") or {}
    else:
        system = body.get("instructions", "")
        user = body["input"][-1]["content"][0]["text"]
        wanted = (body.get("text") or {}).get("format") or {}
    return Question(
        api="chat" if "messages" in body else "responses",
        form=wanted.get("name", ""),
        system=system,
        user=user,
        parts={match["label"]: match["text"] for match in _PART.finditer(user)},
        body=body,
        number=number,
    )


def _drawn(*texts: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(texts).encode()).digest()[:4], "big")


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--cost", type=float)
    chosen = parser.parse_args()
    with JudgeServer(cost=chosen.cost, port=chosen.port) as server:
        print(server.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
