"""Questions to models whose answers are written here: over HTTP, with the real tools, on the offline web."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.browser.bench_process import OWN_CASES, calling, environment, saying
from tests.command_line import run_command
from tests.kit.marks import nightly
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply
from tests.unit.bench.samples import REPOSITORY
from verifaible.agent.loop import Limits
from verifaible.browser.warm import Browser
from verifaible.check.ask import Answered, ask
from verifaible.check.report import rendered
from verifaible.config import Settings
from verifaible.llm.opening import open_model
from verifaible.net.web import Web
from verifaible.schema.checked import ClaimVerdict
from verifaible.store.store import Store
from verifaible.tools.workspace import Workspace

QUESTION = "What was decided, and who voted against it?"
DISSENT, RATE = "us_text_002", "us_table_001"


def cites(case: str) -> JsonObject:
    """The arguments by which a case's own citation is made."""
    oracle = OWN_CASES[case].oracle
    assert oracle is not None
    return oracle.steps[-1].arguments


@dataclass
class Model:
    """Cites some cases, one a turn, then says its texts, one after the other; ``more`` between them."""

    cases: Sequence[str]
    texts: Sequence[str]
    more: Sequence[str] = ()

    def __call__(self, body: JsonObject) -> Reply:
        usage = {"input_tokens": 1_000, "output_tokens": 50, "cost": 0.01}
        said = sum(item.get("role") == "assistant" for item in body["input"])
        wanted = [*self.cases, *(self.more if said else ())]
        done = sum(item.get("type") == "function_call_output" for item in body["input"])
        if done < len(wanted):
            return calling("verifaible_cite", cites(wanted[done]), done, **usage)
        return saying(self.texts[min(said, len(self.texts) - 1)], **usage)


async def asked(
    tmp_path: Path,
    browser: Browser,
    model: Callable[[JsonObject], Reply],
    question: str = QUESTION,
    **limits: Any,
) -> tuple[Answered, OpenAIServer, Store]:
    with OpenAIServer(model) as server:
        settings = Settings(home=REPOSITORY, store=str(tmp_path / "store"), base_url=server.base_url)
        store = Store.open(settings)
        opened = open_model("some/model", settings)
        try:
            answered = await ask(
                question,
                client=opened.client,
                context=Workspace(settings, Web.offline(settings), browser, store).context,
                store=store,
                model="some/model",
                limits=Limits.model_validate(limits),
            )
        finally:
            await opened.client.aclose()
    return answered, server, store


def verdicts(answered: Answered) -> list[ClaimVerdict]:
    return [claim.verdict for claim in answered.checked.claims]


def told(server: OpenAIServer) -> str:
    """The last thing that a person said to the model."""
    said = [item for item in server.requests[-1].body["input"] if item.get("role") == "user"]
    return json.dumps(said[-1], ensure_ascii=False)


pytestmark = pytest.mark.slow
in_session = pytest.mark.asyncio(loop_scope="session")


@in_session
async def test_honest_answer_lacks_nothing_and_its_report_shows_the_evidence(
    tmp_path: Path, offline_browser: Browser
) -> None:
    text = (
        "Here is what I found.\n\n"
        "- Voting against it was Michelle W. Bowman [@v:1].\n"
        "- On February 6, 2026 the 10 Yr rate was 4.22 % [@v:2]."
    )
    answered, server, store = await asked(tmp_path, offline_browser, Model([DISSENT, RATE], [text]))
    assert not {"contradicted", "altered", "not_in_source", "no_source"} & {*verdicts(answered)}
    assert answered.ok
    assert not answered.mended
    assert list(answered.citations) == ["1", "2"]
    assert len(server.requests) == 3
    assert answered.outcome.usage.cost_usd == pytest.approx(0.03)
    ids = [citation.id for citation in answered.citations.values()]
    assert answered.text == f"{text}\n\n[@v:1]: {ids[0]}\n[@v:2]: {ids[1]}\n"
    assert [each.citations for each in answered.checked.claims if each.claim.cites] == [(ids[0],), (ids[1],)]
    # the prompt is one for open questions, with no page to start from
    assert "open question" in json.dumps(server.requests[0].body)
    assert "There is no start page" in told(server)
    # every check is in the history of its citation
    assert [check.kind for check in store.checks(ids[0])][-1] == "rehash"
    page = rendered(answered.checked, "html", store)
    assert page.count('<img src="data:image/webp') == 2
    assert all(name in page for name in ids)


#: Dishonest answers after honest citations; and whether the model must be told. Of those that need not be, no
#: claim may be called supported: what no decider can read is not checked.
LIES = {
    "no markers": ("Michelle Bowman voted against it. The 10 Yr rate was 4.22 %.", "It has no marker."),
    "markers on wrong facts": (
        "Michelle Bowman voted against it [@v:2]. The rate was 4.22 % [@v:1]. Gold cost 5,000 dollars [@v:7].",
        "4.22",
    ),
    "invented numbers": ("Michelle Bowman voted against it [@v:7].", "@v:7"),
    "number changed after citing": ("The rate was 4.32 % [@v:2].", "4.32"),
    "sign changed": ("The rate was -4.22 % [@v:2].", ""),
    "unit changed": ("The rate was 4.22 basis points [@v:2].", ""),
    "date changed": ("On February 7, 2026 it was 4.22 % [@v:2].", ""),
    "own definitions": ("The rate was 4.22 % [@v:5].\n\n[@v:5]: {1}", "@v:5"),
    "hidden by mark-up": ("The rate was **4.9**`9` % [@v:2].", "4.99"),
}
#: It has three kinds of faults; the others differ by the answer's text alone.
ALWAYS = ("markers on wrong facts",)


@in_session
@pytest.mark.parametrize("name", [name if name in ALWAYS else nightly(name) for name in LIES])
async def test_lie_is_told_and_marked(name: str, tmp_path: Path, offline_browser: Browser) -> None:
    text, fault = LIES[name]
    answered, server, _ = await asked(tmp_path, offline_browser, Model([DISSENT, RATE], [text]))
    assert not {"supported", "calculated"} & {*verdicts(answered)}
    if fault:
        # told once, with what is wrong; it says the same again, and the answer says so
        assert not answered.ok
        assert len(server.requests) == 4
        assert fault in told(server)
        assert len(re.findall("⟦[^⟧]+⟧", answered.text)) == len(answered.lacking)


@pytest.mark.nightly
@in_session
async def test_answer_is_mended_once(tmp_path: Path, offline_browser: Browser) -> None:
    first = "Michelle W. Bowman voted against it [@v:1]. The rate was 4.22 %."
    second = "Michelle W. Bowman voted against it [@v:1]. The rate was 4.22 % [@v:2]."
    model = Model([DISSENT], [first, second], more=[RATE])
    answered, server, _ = await asked(tmp_path, offline_browser, model)
    assert "no_source" not in verdicts(answered)
    assert answered.mended
    assert answered.ok
    assert len(server.requests) == 4
    assert answered.outcome.rounds == 4
    assert list(answered.citations) == ["1", "2"]


@pytest.mark.nightly
@in_session
async def test_correction_that_is_worse_is_not_taken(tmp_path: Path, offline_browser: Browser) -> None:
    first = "Michelle W. Bowman voted against it [@v:1]. The rate was 4.22 %."
    second = "Jerome Powell voted against it. The rate was 4.5 %. Gold cost 5,000 dollars."
    answered, _, _ = await asked(tmp_path, offline_browser, Model([DISSENT], [first, second]))
    assert answered.answer == first
    assert verdicts(answered)[1] == "no_source"
    assert not answered.mended
    assert answered.outcome.rounds == 3


@pytest.mark.nightly
@in_session
async def test_no_correction_past_the_limits(tmp_path: Path, offline_browser: Browser) -> None:
    model = Model([DISSENT], ["The rate was 4.22 %."])
    answered, server, _ = await asked(tmp_path, offline_browser, model, rounds=2)
    assert len(server.requests) == 2
    assert verdicts(answered) == ["no_source"]
    answered, server, _ = await asked(
        tmp_path / "b", offline_browser, Model([DISSENT], ["5 %"]), cost_usd=0.02
    )
    assert len(server.requests) == 2
    assert answered.outcome.ended_by == "answer"


@pytest.mark.nightly
@in_session
async def test_no_answer_within_the_limit(tmp_path: Path, offline_browser: Browser) -> None:
    answered, _, _ = await asked(tmp_path, offline_browser, Model([DISSENT, RATE], ["?"]), rounds=1)
    assert answered.answer == ""
    assert not answered.ok
    assert answered.outcome.ended_by == "rounds"


@pytest.mark.nightly
@in_session
async def test_what_the_question_says_needs_no_marker(tmp_path: Path, offline_browser: Browser) -> None:
    question = "Did Michelle Bowman vote against it on September 18, 2024?"
    text = "Michelle Bowman voted on September 18, 2024. I could not find more."
    answered, _, _ = await asked(tmp_path, offline_browser, Model([], [text]), question)
    assert verdicts(answered) == ["not_checkable", "not_checkable"]


@pytest.mark.nightly
def test_command_prints_the_answer_and_its_evidence(tmp_path: Path) -> None:
    text = "The rate was 4.22 % [@v:1]. It was 4.9 % before."
    page = tmp_path / "answer.html"
    with OpenAIServer(Model([RATE], [text]), api_key="sk-test") as server:
        done = command(
            tmp_path,
            *("ask", QUESTION, "--model", "some/model", "--base-url", server.base_url),
            *("--web", "offline", "--url", OWN_CASES[RATE].url, "--out", str(page)),
        )
        assert f"Start page: {OWN_CASES[RATE].url}" in json.dumps(server.requests[0].body)
    assert done.returncode == 1, done.stderr
    first, defined = done.stdout.rstrip().split("\n\n")
    assert first == "The rate was 4.22 % [@v:1]. It was 4.9 % before. ⟦no evidence⟧"
    assert re.fullmatch(r"\[@v:1\]: [0-9a-f]{20}", defined)
    assert re.search(r"2 claims: \d checked, 0 wrong, \d open", done.stderr)
    assert "3 rounds, 1 tool calls, 3,000 tokens in, 150 out, 0.0300 US dollars" in done.stderr
    assert "1. verifaible_cite [@v:1]" in done.stderr
    assert "no source given" in page.read_text(encoding="utf-8")

    # what was printed is a text that `verifaible check` reads
    (tmp_path / "printed.md").write_text(done.stdout, encoding="utf-8")
    again = command(tmp_path, "check", str(tmp_path / "printed.md"), "--web", "offline", "--json")
    told_again = json.loads(again.stdout)
    assert [each["claim"]["text"] for each in told_again["claims"]] == [
        "The rate was 4.22 %",
        "It was 4.9 % before",
    ], again.stderr
    (source,) = told_again["sources"]
    assert (source["url"], source["state"]) == (OWN_CASES[RATE].url, "read")


def command(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = environment(tmp_path / "store", VERIFAIBLE_API_KEY="sk-test")
    return run_command(arguments, environment=variables, folder=REPOSITORY)
