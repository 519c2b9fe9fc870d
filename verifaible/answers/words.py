"""What is said about a checked answer, in lines for people and for programs."""

from __future__ import annotations

from typing import Any

from verifaible.answers.check import CheckedAnswer, CheckedSentence, State
from verifaible.answers.markers import note

#: A sign and a word for each state, so that it does not depend on colour.
FLAGS: dict[State, tuple[str, str]] = {
    "supported": ("✓", "supported"),
    "partly": ("≠", "not all in the evidence"),
    "unsupported": ("?", "no evidence"),
    "broken": ("✕", "broken marker"),
    "no_facts": ("·", "nothing to support"),
}


def summary(checked: CheckedAnswer) -> str:
    """How many sentences are in which state, in a line."""
    total = len(checked.sentences)
    counted = [f"{number} {FLAGS[state][1]}" for state in FLAGS if (number := checked.count(state))]
    return f"{total} sentence{'' if total == 1 else 's'}: {', '.join(counted) or 'none'}"


def as_json(checked: CheckedAnswer) -> dict[str, Any]:
    """A checked answer as JSON for programs; ranges count code points of ``answer``."""
    return {
        "ok": checked.ok,
        "summary": {state: checked.count(state) for state in FLAGS},
        **checked.model_dump(mode="json", exclude={"markers"}),
    }


def annotated(checked: CheckedAnswer) -> str:
    """The answer with a note behind each sentence that lacks evidence; notes are not read as a part of it."""
    text, answer = "", checked.answer
    at = 0
    for sentence in checked.lacking:
        text += answer[at : sentence.end] + note(sentence.state, _missing(sentence))
        at = sentence.end
    return text + answer[at:]


def _missing(sentence: CheckedSentence) -> tuple[str, ...]:
    return sentence.missing if sentence.state == "partly" else ()
