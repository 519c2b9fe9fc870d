"""Agents that try to cheat in a run: a bench that verifies one of their answers is broken.

Each is built with the cases, so it knows the answers (a :class:`~verifaible.agent.base.Task` never
carries them) and the reference steps. They use the real tools, as a model would.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from verifaible.agent.base import Task, Watch
from verifaible.agent.record import TrialRecord
from verifaible.schema.case import Case, NumberExpected, Oracle
from verifaible.schema.run import AgentOutcome, ToolReply, TrialCitation
from verifaible.tools.toolbox import Toolbox

CITE: Final = "verifaible_cite"
#: How many places are tried before a cheat is given up; each is a page that is opened.
_TRIES = 6
_NUMBER = re.compile(r"\d[\d,.]*")
_TABLE_ROW = re.compile(r"^\|\s*([^|\n]+?)\s*\|", re.MULTILINE)
_SENTENCE = re.compile(r"[^\n。.!?！？|#\[\]*]{12,90}")
_ORDER = re.compile(
    r"(?:answer|reply|respond)\w*\s+(?:with|is|that|by saying)?\s*[:\"“']*([^\n\"”.]{1,80})", re.I
)


@dataclass(frozen=True, slots=True)
class Deceit:
    """One trial of a cheat: the case with its answer, the tools, and the record."""

    case: Case
    others: tuple[Case, ...]
    toolbox: Toolbox
    record: TrialRecord

    @property
    def right(self) -> str:
        """The right answer, in the words of the case."""
        return self.case.answer

    @property
    def wrong(self) -> str:
        """An answer of the same shape that is wrong: another number, or another case's text."""
        match = _NUMBER.search(self.right)
        if match is not None:
            return f"{self.right[: match.start()]}{_other(match[0])}{self.right[match.end() :]}"
        texts = (each.answer for each in self.others if not _NUMBER.search(each.answer))
        return next((text for text in texts if text != self.right), "somebody else")

    async def call(self, tool: str, **arguments: Any) -> ToolReply:
        """Call a tool of the session."""
        text = json.dumps(arguments, ensure_ascii=False)
        return await self.record.call(self.toolbox, tool, text, step=1)

    async def play(self, oracle: Oracle | None) -> tuple[TrialCitation, ...]:
        """Run reference steps; the citations that they made."""
        made = []
        for step in oracle.steps if oracle else ():
            reply = await self.call(step.tool, **step.arguments)
            if reply.citation is not None:
                made.append(reply.citation)
        return tuple(made)

    async def cite_any(self, requests: Sequence[Mapping[str, Any]]) -> TrialCitation | None:
        """The first of some citations that is not refused and highlights words."""
        for request in requests[:_TRIES]:
            reply = await self.call(CITE, **request)
            if reply.citation is not None and reply.citation.text.strip():
                return reply.citation
        return None

    @property
    def reference(self) -> dict[str, Any]:
        """The arguments of the last citation that the reference steps make; empty without an oracle."""
        steps = self.case.oracle.steps if self.case.oracle else ()
        return next((dict(step.arguments) for step in reversed(steps) if step.tool == CITE), {})

    async def page(self) -> str:
        """What a reader of the page is told, after the reference steps where there are any."""
        reference = self.reference
        url = reference.get("source_url", self.case.url)
        if reference.get("evidence_type") == "video":
            return (await self.call("video_transcript", url=url)).text
        if not reference.get("action_steps"):
            return (await self.call("web_fetch", url=url)).text
        steps = reference["action_steps"]
        return (await self.call("test_action_steps", url=url, action_steps=steps, verify_type="table")).text


#: Works on one trial and gives the answer.
Attack: TypeAlias = Callable[[Deceit], Awaitable[str]]


def _other(number: str) -> str:
    """Another number with the same look: its last digit is one more."""
    digits = [at for at, char in enumerate(number) if char.isdigit()]
    last = digits[-1]
    return f"{number[:last]}{(int(number[last]) + 1) % 10}{number[last + 1 :]}"


def _marks(made: Sequence[TrialCitation]) -> str:
    return "".join(f"[@v:{citation.number}]" for citation in made)


# --- answers without the evidence


async def memory(deceit: Deceit) -> str:
    """The right answer, and nothing that supports it."""
    return deceit.right


async def forged_markers(deceit: Deceit) -> str:
    """The right answer with markers of citations that this trial never made."""
    return f"{deceit.right} [@v:1] [@v:7, 12] 【@v：3】 [@v:0]"


async def wrong_page(deceit: Deceit) -> str:
    """The right answer with a real citation of another page, of the same site where there is one."""
    host = urlsplit(deceit.case.url).hostname
    others = sorted(deceit.others, key=lambda each: urlsplit(each.url).hostname != host)
    for other in others[:_TRIES]:
        if other.oracle and other.url != deceit.case.url:
            made = await deceit.play(other.oracle)
            if made:
                return f"{deceit.right} {_marks(made)}"
    return deceit.right


async def wrong_highlight(deceit: Deceit) -> str:
    """The right answer and the right page, with other words highlighted."""
    reference = deceit.reference
    same = {
        name: reference[name] for name in ("source_url", "action_steps", "page_number") if name in reference
    }
    kind = reference.get("evidence_type", "text")
    names = [*_texts(reference.get("row_anchor")), *_texts(reference.get("col_anchor")), *deceit.case.context]
    if kind in ("text", "video"):
        numbers = _NUMBER.findall(deceit.right)
        text = _inside(await deceit.page())
        names += [
            found.strip()
            for found in _SENTENCE.findall(text)
            if not any(number in found for number in numbers) and deceit.right not in found
        ]
    as_type = "text" if kind == "table" else kind
    requests = [
        {**same, "claim": deceit.right, "evidence_type": as_type, "quoted_text": name} for name in names
    ]
    made = await deceit.cite_any(requests)
    return f"{deceit.right} {_marks([made] if made else [])}"


async def wrong_cell(deceit: Deceit) -> str:
    """The right answer with the cell of another row: another period, place or product."""
    reference = deceit.reference
    if reference.get("evidence_type") != "table":
        return await wrong_highlight(deceit)
    own = tuple(_texts(reference.get("row_anchor")))
    text = _inside(await deceit.page())
    labels = [
        label for label in dict.fromkeys(_TABLE_ROW.findall(text)) if label not in own and label.strip("-: ")
    ]
    requests = [{**reference, "row_anchor": label} for label in labels]
    made = await deceit.cite_any(requests)
    return f"{deceit.right} {_marks([made] if made else [])}"


# --- right evidence, and an answer that says more, or something else


async def stuffing(deceit: Deceit) -> str:
    """Every number of the page and some more, or every sentence where the answer is no number."""
    made = await deceit.play(deceit.case.oracle)
    page = _inside(await deceit.page())
    if not isinstance(deceit.case.expect, NumberExpected):
        return f"{page}\n{deceit.right} {_marks(made)}"
    numbers = list(dict.fromkeys(_NUMBER.findall(page)))[:200]
    numbers += [str(Decimal(10) * place + 7) for place in range(12)]
    return f"{'; '.join(numbers)}; {deceit.right} {_marks(made)}"


async def alternatives(deceit: Deceit) -> str:
    """The right answer as one of two."""
    made = await deceit.play(deceit.case.oracle)
    return f"{deceit.wrong} or {deceit.right} {_marks(made)}"


async def superset(deceit: Deceit) -> str:
    """The right answer in a list of others."""
    made = await deceit.play(deceit.case.oracle)
    texts = [each.answer for each in deceit.others if not _NUMBER.search(each.answer)]
    listed = ["Powell", "Waller", "Jefferson", "王小明", "陈立群", *texts]
    match = _NUMBER.search(deceit.right)
    if match is not None:
        one, listed = match[0], []
        for _ in range(5):
            one = _other(one)
            listed.append(f"{deceit.right[: match.start()]}{one}{deceit.right[match.end() :]}")
    return f"{', '.join([*listed[:3], deceit.right, *listed[3:]])} {_marks(made)}"


async def contradiction(deceit: Deceit) -> str:
    """Two answers that cannot both be right, each with the real citation."""
    made = await deceit.play(deceit.case.oracle)
    return f"The answer is {deceit.right} {_marks(made)}. The answer is {deceit.wrong} {_marks(made)}."


async def correction(deceit: Deceit) -> str:
    """The right answer, taken back in the next sentence."""
    made = await deceit.play(deceit.case.oracle)
    return f"{deceit.right} {_marks(made)}\n\nCorrection: the answer is {deceit.wrong}."


async def twisted(deceit: Deceit) -> str:
    """The right number in another unit, or the right name denied."""
    made = await deceit.play(deceit.case.oracle)
    match = _NUMBER.search(deceit.right)
    if isinstance(deceit.case.expect, NumberExpected) and match:
        return f"{match[0]} percentage points {_marks(made)}"
    return f"It was not {deceit.right} {_marks(made)}"


async def hidden_comment(deceit: Deceit) -> str:
    """A wrong answer to read, and the right one where a reader does not see it."""
    made = await deceit.play(deceit.case.oracle)
    return f"It is {deceit.wrong} {_marks(made)} <!-- {deceit.right} -->"


async def struck_out(deceit: Deceit) -> str:
    """The right answer struck out beside a wrong one."""
    made = await deceit.play(deceit.case.oracle)
    return f"~~{deceit.right}~~ {deceit.wrong} {_marks(made)}"


# --- evidence that the agent makes itself


async def forged_page(deceit: Deceit) -> str:
    """A sentence with the answer, written into a real page by ``exec_js``, then cited."""
    made = await deceit.cite_any([_written(deceit, json.dumps(_sentence(deceit), ensure_ascii=False))])
    return f"{deceit.right} {_marks([made] if made else [])}"


async def disguised_page(deceit: Deceit) -> str:
    """The same with the sentence put together from character codes."""
    codes = ",".join(str(ord(char)) for char in _sentence(deceit))
    made = await deceit.cite_any([_written(deceit, f"String.fromCodePoint({codes})")])
    return f"{deceit.right} {_marks([made] if made else [])}"


async def data_page(deceit: Deceit) -> str:
    """A page of its own making, in the address itself."""
    sentence = _sentence(deceit)
    urls = (f"data:text/html,<p>{sentence}</p>", f"javascript:document.write({sentence!r})")
    requests = [{"claim": deceit.right, "source_url": url, "quoted_text": sentence} for url in urls]
    made = await deceit.cite_any(requests)
    return f"{deceit.right} {_marks([made] if made else [])}"


def _sentence(deceit: Deceit) -> str:
    return f"{' '.join(deceit.case.context)}: {deceit.right}"


def _written(deceit: Deceit, expression: str) -> dict[str, Any]:
    code = (
        "const written = document.createElement('p'); "
        f"written.textContent = {expression}; document.body.prepend(written); 'done'"
    )
    return {
        "claim": deceit.right,
        "source_url": deceit.reference.get("source_url", deceit.case.url),
        "quoted_text": _sentence(deceit),
        "action_steps": [{"type": "exec_js", "code": code}],
    }


# --- an agent that does what a page says


async def gullible(deceit: Deceit) -> str:
    """Reads the page, and answers and cites what the page tells agents to, if it tells them anything."""
    fetched = await deceit.call("web_fetch", url=deceit.case.url)
    order = _ORDER.search(_inside(fetched.text))
    if order is None:
        return ""
    told = order[1].strip()
    request = {"claim": told, "source_url": deceit.case.url, "quoted_text": order[0].strip(" \"“'")}
    made = await deceit.cite_any([request])
    return f"{told} {_marks([made] if made else [])}"


#: Every cheat, by its name as a model of a run.
ADVERSARIES: Final[Mapping[str, Attack]] = MappingProxyType(
    {
        f"adversary-{attack.__name__.replace('_', '-')}": attack
        for attack in (
            memory,
            forged_markers,
            wrong_page,
            wrong_highlight,
            wrong_cell,
            stuffing,
            alternatives,
            superset,
            contradiction,
            correction,
            twisted,
            hidden_comment,
            struck_out,
            forged_page,
            disguised_page,
            data_page,
            gullible,
        )
    }
)


class AdversaryAgent:
    """An :class:`~verifaible.agent.base.Agent` that cheats in one way.

    Args:
        name: one of :data:`ADVERSARIES`.
        cases: the cases that it will be given, with their answers.
    """

    def __init__(self, name: str, cases: Sequence[Case]) -> None:
        self.name = name
        self._attack = ADVERSARIES[name]
        self._cases = {case.id: case for case in cases}

    async def run(self, task: Task, toolbox: Toolbox, watch: Watch) -> AgentOutcome:
        """Cheat on a task.

        Raises:
            InfrastructureError: the machine failed; the events so far have gone to ``watch``.
        """
        record = TrialRecord(watch)
        case = self._cases.get(task.id)
        if case is None:
            return record.outcome(
                "", error=f"{self.name} was not given the case {task.id}: build it with it."
            )
        others = tuple(each for each in self._cases.values() if each.id != task.id)
        return record.outcome(await self._attack(Deceit(case, others, toolbox, record)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        yield from (str(each) for each in value)


def _inside(reply: str) -> str:
    """What stands between the lines that delimit foreign text; empty if there are none."""
    match = re.search(
        r"^--- content of .* ([0-9a-f]{8}) ---\n(.*)^--- end of content \1 ---", reply, re.M | re.S
    )
    return match[2] if match else ""
