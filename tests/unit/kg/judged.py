"""Questions about triples, and models that answer them by a function, for tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from verifaible.kg.judging.protocol import Question
from verifaible.kg.triples import COVERAGE, Triple
from verifaible.llm.base import AnswerForm
from verifaible.llm.replies import KeptReply, ModelIdentity, ReplyCache
from verifaible.llm.voting import Judge
from verifaible.schema.chat import Message, ModelTurn, ToolSpec, Usage

COST = Usage(input_tokens=100, output_tokens=10, cost_usd=0.001)


class Mind:
    """A model that replies what a function says to the words of the question, headed by its name where it is
    of a whole chunk.

    Attributes:
        asked: the questions so far.
        forms: the forms that were wanted.
    """

    def __init__(self, reply: Callable[[str], str]) -> None:
        self._reply = reply
        self.asked: list[tuple[str, str]] = []
        self.forms: list[AnswerForm | None] = []

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        self.asked.append((messages[0].text, messages[-1].text))
        self.forms.append(form)
        whole = f"{COVERAGE}\n" if "\nComprehensiveness: " in messages[0].text else ""
        return ModelTurn(text=self._reply(whole + messages[-1].text), usage=COST)

    async def aclose(self) -> None:
        """It holds nothing open."""


class Forgetful(ReplyCache):
    """Keeps nothing, which is quick."""

    def get(self, key: str) -> KeptReply | None:
        return None

    def keep(self, reply: KeptReply, *, instead: bool = False) -> KeptReply:
        return reply


def judge_by(
    reply: Callable[[str], str], replies: Path | ReplyCache, name: str = "mind", **options: Any
) -> Judge:
    """A judge whose model replies by a function."""
    cache = ReplyCache(replies) if isinstance(replies, Path) else replies
    judge = Judge(Mind(reply), cache, name=name, **options)
    judge.identity = ModelIdentity(slug=name)
    return judge


def triple(number: int, head: str, relation: str, tail: str, **fields: Any) -> Triple:
    """A triple with the fields that matter."""
    types = {"head_type": "company", "tail_type": "amount"} | fields
    return Triple(id=f"t{number}", chunk="c", head=head, relation=relation, tail=tail, by="a-model", **types)


def question(criterion: str, text: str, triples: Sequence[Triple], **fields: Any) -> Question:
    """A question about a text."""
    given: dict[str, Any] = {"chunk": "c", "start": 0, "context": (), "filer": ""} | fields
    return Question(criterion=criterion, text=text, triples=tuple(triples), **given)


def said(
    verdict: object, warning: str = "", span: str | None = None, reasoning: str = "So it is."
) -> dict[str, Any]:
    """An item of a reply."""
    item: dict[str, Any] = {"verdict": verdict, "reasoning": reasoning, "warning": warning}
    return item if span is None else item | {"span": span}


def line(items: Sequence[object]) -> str:
    """A reply."""
    return json.dumps(items, ensure_ascii=False)
