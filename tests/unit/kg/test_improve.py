"""What judges said goes back to extraction.

Four chunks of a filing, a triple or two in each, by the letters of their tails::

    chunk  before                    sent back                       after
    1      a 1 (warning), b 0        remarks on a and b              a 1, bb 1 in other words
    2      d 0, e 1                  a remark on d, and what lacks   e 1, gg 1 (d dropped, gg added)
    3      h 1                       nothing                         h 1
    4      i 0                       a remark, and no usable reply   i 0, as it was
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.unit.kg.judged import judge_by, line, said
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.kg.folder import GraphFolder
from verifaible.kg.improve import improve
from verifaible.kg.judging.run import judge_extraction
from verifaible.kg.report import read_report
from verifaible.kg.triples import COVERAGE, Triple
from verifaible.store.store import Store

BEFORE = {"1": "ab", "1A": "de", "7": "h", "8": "i"}
PAGE = "<p>Front.</p>" + "".join(
    f"<p>Item {item}. Words</p><p>Ravel Pumps makes {' and '.join(f'thing-{each}' for each in 'abdehi')}, it says "
    f"in item {item}.</p>"
    for item in BEFORE
)


def triple(name: str, chunk: str) -> Triple:
    types = {"head_type": "company", "tail_type": "product"}
    return Triple(id=name, chunk=chunk, head="Ravel", relation="makes", tail=f"thing-{name}", by="m", **types)


@pytest.fixture
def folder(tmp_path: Path) -> GraphFolder:
    made, store = GraphFolder(tmp_path / "g"), Store.open(Settings(home=tmp_path))
    try:
        made.ingest(PAGE.encode(), "ravel.html", store)
    finally:
        store.close()
    chunks = {each.item: each.id for each in made.chunks()}
    made.run("single-m").replace(
        [triple(each, chunks[item]) for item, names in BEFORE.items() for each in names]
    )
    return made


def judged(user: str) -> str:
    """0 for b, d and i, a warning for a; of a set whether it has what it needs."""
    if user.startswith(COVERAGE):
        lacks = "thing-d" in user.partition("content of the triples")[2]
        return line([said("bad", "missing_information", reasoning="No date.") if lacks else said("good")])
    tails = re.findall(r'^\d+\. \[.*"thing-(\w+)"\]', user, re.M)
    return line(
        [
            said(
                int(each not in "bdi"),
                "vague_relation" if each in "ab" else "",
                "thing-" + each,
                f"So {each}.",
            )
            for each in tails
        ]
    )


class Corrector:
    """Corrects by a table, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[tuple[int, str]]] = []

    def __call__(self, user: str) -> str:
        lines = re.findall(r'^\{"triple": \d+, "remark".*\}$', user, re.M)
        self.asked.append([(each["triple"], each["remark"]) for each in map(json.loads, lines)])
        if "item 8" in user:
            return "I will not."
        new = {"head": "Ravel", "head_type": "company", "relation": "makes", "tail_type": "product"}
        quote = "Ravel Pumps makes thing-a"
        if "item 1A" in user:
            return json.dumps(
                {"triples": [{**new, "tail": "thing-gg", "quote": quote, "of": 0}], "dropped": [1]}
            )
        return json.dumps({"triples": [{**new, "tail": "thing-bb", "quote": quote, "of": 2}], "dropped": []})


async def test_what_was_warned_of_goes_back_and_is_judged_again(folder: GraphFolder, tmp_path: Path) -> None:
    run, corrector = folder.run("single-m"), Corrector()
    judge = judge_by(judged, tmp_path / "judge", "judge-m")
    assert await judge_extraction(folder, run, judge) == ""
    judge = judge_by(judged, tmp_path / "judge", "judge-m")
    made = await improve(folder, run, judge_by(corrector, tmp_path / "corrector", "m"), judge)
    of_b = [(2, f"{each} 0: vague_relation. So b.") for each in ("faithfulness", "precision", "relevance")]
    of_a = [(1, f"{each} 1: vague_relation. So a.") for each in ("faithfulness", "precision", "relevance")]
    asked = {len(each): each for each in corrector.asked}
    assert sorted(asked[6]) == sorted(of_a + of_b)
    assert (0, "comprehensiveness bad: missing_information. No date.") in asked[4]
    assert (made.sent, made.left) == (3, "")
    assert [why.partition(":")[0] for why in made.failed.values()] == ["correct"]
    assert made.run.name == "single-m-improved"
    assert [each.tail.removeprefix("thing-") for each in made.run.triples] == ["a", "bb", "e", "gg", "h", "i"]
    assert len(run.triples.read()) == 6
    # what did not change is answered from the replies that were kept: of chunks 1 and 2 four criteria each
    assert len(judge._client.asked) == 8  # type: ignore[attr-defined]
    report = read_report([folder], runs=["single-m", made.run.name], judges=["judge-m"])
    rows = {row[0]: [each.partition(" ")[0] for each in row[1:3]] for row in report.tables[0].texts}
    assert rows["Relevance"] == ["50.00", "83.33"]


async def test_without_verdicts_it_says_what_to_do(folder: GraphFolder, tmp_path: Path) -> None:
    judge = judge_by(judged, tmp_path)
    with pytest.raises(ConfigError, match="kg evaluate"):
        await improve(folder, folder.run("single-m"), judge, judge)
