"""Claims over public tables and articles that no rule was made for, decided by the rules alone.

The tables and articles are read where they are (``../shared/data/claims``) and never copied. The claims of
``tests/suites/checking/outside.jsonl`` are worded by an author who saw no rule; those from a template
(derivations of TAT-QA and programs of FinQA, right and spoilt) and the labels of WiCE are counted apart.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from scripts.judging.proofs import DATA, Proposal, finqa, read_finqa, read_tatqa, spoilt, tatqa, worded
from tests.kit import suites
from verifaible.factcheck.decide import decide
from verifaible.factcheck.library import Library
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.verdict import Verdict
from verifaible.text.numbers import find_quantities

#: The rules were mended on the first split; on the second they were run when they stood.
SETS: Final = {"dev": "seen", "heldout-1": "unseen"}
RULES: Final = Path(__file__).resolve().parents[2] / "verifaible" / "factcheck"
Truth: TypeAlias = Literal["supported", "refuted", "unsupported"]


@dataclass(frozen=True)
class Outside:
    """A claim over a context; ``unsupported`` is what its source neither says nor denies."""

    set: str
    context: str
    claim: str
    truth: Truth
    change: str = ""


@cache
def _tatqa() -> dict[str, str]:
    items = json.loads((DATA / "tatqa_dev_half.json").read_text("utf-8"))
    return {item["table"]["uid"]: read_tatqa(item).text for item in items}


@cache
def _finqa() -> dict[str, str]:
    items = json.loads((DATA / "finqa_50.json").read_text("utf-8"))
    return {item["id"]: read_finqa(item).text for item in items}


@cache
def _wice() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / "wice_dev.jsonl").read_text("utf-8").splitlines()]


def text_of(of: str, context: str) -> str:
    """The source of a claim; empty where there is none of that name."""
    if of == "wice":
        return "\n".join(_wice()[int(context)]["evidence"])
    return (_tatqa() if of == "tatqa" else _finqa()).get(context, "")


def worded_claims(split: str) -> list[Outside]:
    """Claims in authors' words."""
    return [
        Outside(
            row.input["set"],
            row.input["context"],
            row.input["claim"],
            row.expect["truth"],
            row.expect.get("change", ""),
        )
        for row in suites.load("checking/outside", split=split)
    ]


def templated() -> Iterator[tuple[str, str, Outside]]:
    """Claims made by a script, with the name of their set and the text of their source."""
    for name, golds in (("tatqa", (*tatqa(0), *tatqa(1))), ("finqa", tuple(finqa()))):
        for gold in golds:
            for each in (gold, *worded(gold), *spoilt(gold)):
                yield f"{name}, from a template", each.context.text, _of(name, each)
    for number, item in enumerate(_wice()):
        truth: Truth = "supported" if item["label"] == "supported" else "unsupported"
        yield (
            "wice, its labels",
            "\n".join(item["evidence"]),
            Outside("wice", str(number), item["claim"], truth),
        )


def _of(name: str, each: Proposal) -> Outside:
    right = each.kind.startswith("right")
    return Outside(name, "", each.claim, "supported" if right else "refuted", "" if right else each.kind)


def judged(text: str, claims: Sequence[Outside]) -> list[Verdict]:
    """What the rules say of claims over one source."""
    source = Source(id="1", kind="document", capture="0" * 64)
    library = Library([(source, text)])
    return [
        decide(
            Claim(id="c1", start=0, end=len(each.claim), text=each.claim, kind="number", cites=("1",)),
            library,
            whole=True,
        )
        for each in claims
    ]


#: How a refutation tells both values.
_BOTH: Final = re.compile(
    r"claim says (?P<told>.+?); (?:a source says|the sources give) (?P<stated>.+?)\.?\Z"
)


def equal_up_to_scale(claim: str, found: Verdict) -> bool:
    """Whether a claim is refuted by a value that has the digits of its own, and goes the same way."""
    both = _BOTH.search(found.reason)
    if found.outcome != "contradicted" or both is None or found.reason.endswith("the other way."):
        return False
    told, stated = (_numbers(both[name]) for name in ("told", "stated"))
    if found.derivation is not None:
        stated = [(found.derivation.result, Decimal(0))]
    return any(_alike(*one, *other) for one in told or _numbers(claim) for other in stated)


def _numbers(words: str) -> list[tuple[Decimal, Decimal]]:
    found = [each for each in find_quantities(words) if each.role in ("value", "range")]
    return [
        (each.value, Decimal("0.5").scaleb(min(int(each.value.as_tuple().exponent), 0))) for each in found
    ]


def _alike(one: Decimal, half: Decimal, other: Decimal, half_other: Decimal) -> bool:
    """Whether two numbers are the same but for a power of ten, in the digits that both show."""
    if not one or not other:
        return one == other
    power = round(abs(one / other).log10())
    loose = max(half, half_other.scaleb(power))
    return abs(abs(one) - abs(other).scaleb(power)) <= loose


def measured() -> dict[str, Counter[str]]:
    """By set: claims, what was decided of them and how much of that is right."""
    by_text: dict[tuple[str, str], list[Outside]] = {}
    for split, how in SETS.items():
        for each in worded_claims(split):
            name = f"{each.set}, authors' words, {how}"
            by_text.setdefault((name, text_of(each.set, each.context)), []).append(each)
    for name, text, each in templated():
        by_text.setdefault((name, text), []).append(each)
    found: dict[str, Counter[str]] = {}
    for (name, text), claims in by_text.items():
        counts = found.setdefault(name, Counter())
        for each, finding in zip(claims, judged(text, claims), strict=True):
            counts.update(_counted(each, finding))
    return found


def _counted(each: Outside, finding: Verdict) -> Iterator[str]:
    yield "claims"
    if finding.outcome == "open":
        return
    said = "refuted" if finding.outcome in ("contradicted", "not_found") else "supported"
    yield from ("decided", said)
    if each.truth == said or (each.truth == "unsupported" and said == "refuted"):
        yield f"{said} right"
    if equal_up_to_scale(each.claim, finding):
        yield "equal"


def lines() -> int:
    """Lines of code of the rules."""
    return sum(len(file.read_text("utf-8").splitlines()) for file in RULES.rglob("*.py"))
