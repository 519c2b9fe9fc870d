"""Sentences of answers beside the evidence that they mark: the suite ``answers``.

What it calls supported was decided fact by fact; a check decides claims, and leaves open what it cannot read.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from tests.kit.suites import Row, load
from verifaible.check.run import Comparison
from verifaible.check.sources import OpenedSource, state_of_sealed
from verifaible.claims import extract_claims
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.schema.checked import ClaimVerdict
from verifaible.store.store import Store

#: Sentences whose evidence states all of their facts, and of these what a check supports without a model.
SUPPORTED = 22


def evidence(shown: dict[str, str]) -> str:
    """The evidence of a citation as a check reads it."""
    if "cell" not in shown:
        return shown["quote"]
    rows = (("", shown.get("column", "")), ("---", "---"), (shown.get("row", ""), shown["cell"]))
    table = "\n".join(f"| {row} | {column} |" for row, column in rows)
    return f"{shown.get('caption', '')}\n\n{table}".strip()


def verdicts(row: Row, store: Store) -> set[ClaimVerdict]:
    """What is said of the claims of a sentence."""
    texts = {f"@v:{number}": evidence(each) for number, each in enumerate(row.input["evidence"], 1)}
    sources = [
        Source(id=name, kind="page", url=f"https://{name[3:]}.example/", capture="c") for name in texts
    ]
    answer = AnalystAnswer(
        id="a",
        origin="markdown",
        model="",
        query=row.input.get("question", ""),
        answer=row.input["sentence"],
        sources=tuple(sources),
    )
    states = {each.id: state_of_sealed(each) for each in sources}
    read = {each.id: OpenedSource(each, texts[each.id], states[each.id], None, store) for each in sources}
    compared = Comparison(answer, extract_claims(answer), states, read)
    return {each.verdict for each in asyncio.run(compared.decided(lambda *_: None))}


def test_no_sentence_is_supported_falsely_and_no_right_one_is_called_wrong(tmp_path: Path) -> None:
    store, found = Store(tmp_path), Counter[str]()
    false_support, accused = [], []
    for row in load("answers"):
        said = verdicts(row, store)
        state = row.expect["state"]
        is_supported = bool(said) and said <= {"supported", "calculated", "not_checkable"}
        if is_supported and said & {"supported", "calculated"}:
            found[state] += 1
            if state in ("partly", "unsupported", "broken"):
                false_support.append(row.id)
        if state == "supported" and said & {"contradicted", "altered", "not_in_source"}:
            accused.append(row.id)
    assert not false_support
    assert not accused
    assert found["supported"] >= SUPPORTED
