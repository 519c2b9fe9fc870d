"""The tables of the suites: measures beside their goals, and each suite by class."""

# ruff: noqa: E501 - rows of a table
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scripts.accuracy.drift import DELETED, FOUND_AGAIN, MEANING
from scripts.accuracy.outcome import OUTCOMES, Result, tallies

#: What the batches that were written later came to before the code was mended for them.
_BLIND = {
    "drift": "A second batch, of twelve other pages and 26 other mutations (2,579 cases), was written before the code "
    "was tried on it. Then 333 of 353 English and 365 of 381 Chinese quotes that were moved, edited or put "
    "together in another way were found (nearly all that were not had a clause moved to the end of the sentence), none of "
    "1,005 changes of meaning was called verified, none of 496 deleted quotes was reported present, and 21 of "
    "72 quotes that stood twice in new surroundings were called moved instead of ambiguous. The code "
    "was mended after that, so the batch is no longer unseen. Three answers, one of them in that batch, were "
    "changed to what the code said, because the design wants it so: a question that is quoted whole, and "
    "whose answer was rewritten, is changed and no longer verified. A fourth is right since "
    "the place that is compared is that of the sentences that are said to have changed: words of the sentence before were "
    "taken, which has no full stop of its own there. By the answers and the measure of before, 3,613 of 3,617 are right.",
    "tables": "A second batch (the classes that begin with *heldout-1*) was written before the code was tried on it. Then "
    "91 of its 110 cases that need no browser were right, 16 were refused, and in 3 a wrong place was taken: a row of a section, "
    "and columns below a second header row. The code was mended after that.",
    "PDF passages": "A second batch (the classes that begin with *heldout-1*) was written before the code was tried on "
    "it. Then 65 of 78 were right; one, a raised footnote mark read as a digit of the year before it, was wrongly "
    "verified. Three of the answers were wrong in the batch itself and a fourth asked for exponents "
    "as plain digits; these were corrected, and the code was mended.",
}


#: Sets of others: as a citation is made, and their quotes in the text of their markup.
TRAPS = ("traps", "traps, quotes without a browser")


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite that was run: its name, one sentence about it, its results, and whether each miss is listed."""

    name: str
    about: str
    results: tuple[Result, ...]
    listed: bool = True


def of_classes(results: Iterable[Result], kinds: Iterable[str]) -> list[Result]:
    """The results of these classes of the drift suite, in either language."""
    wanted = set(kinds)
    return [result for result in results if result.kind.partition(": ")[2] in wanted]


def _measures(suites: dict[str, Sequence[Result]]) -> list[tuple[str, str, str]]:
    rows: list[tuple[str, str, str]] = []

    def add(name: str, goal: str, results: Sequence[Result], *outcomes: str) -> None:
        count = sum(result.outcome in outcomes for result in results)
        rows.append((name, goal, f"{count} of {len(results)} ({100 * count / max(len(results), 1):.1f} %)"))

    if "structural" in suites:
        add("structural: right place", ">= 98 %", suites["structural"], "right")
        add("structural: wrong place", "0", suites["structural"], "wrong place", "false verified")
    if "drift" in suites:
        drift = suites["drift"]
        for language, name in (("en", "English"), ("zh", "Chinese")):
            own = [result for result in drift if result.kind.startswith(language)]
            add(f"moved, edited, inserted: found ({name})", ">= 95 %", of_classes(own, FOUND_AGAIN), "right")
        deleted = of_classes(drift, DELETED)
        add("deleted: reported present", "<= 1 %", deleted, "false verified", "false present")
        meaning = of_classes(drift, MEANING)
        add("digit, unit, date, negation, sign: called verified", "0", meaning, "false verified")
    for name, goal in (("tables", "100 %"), ("PDF passages", ">= 98 %")):
        if name in suites:
            add(f"{name}: exact", goal, suites[name], "right")
    if "dynamic replay" in suites:
        add("dynamic replay: right records", "all", suites["dynamic replay"], "right")
        add("dynamic replay: silently wrong", "0", suites["dynamic replay"], "false verified")
    if "tampering" in suites:
        classes = {result.kind for result in suites["tampering"]}
        add(f"tampering, {len(classes)} classes: caught and named", "all", suites["tampering"], "right")
    if "blocked pages" in suites:
        blocked = suites["blocked pages"]
        add(
            "block pages: named as such",
            ">= 95 %",
            [r for r in blocked if r.kind.startswith("blocked")],
            "right",
        )
        innocent = [r for r in blocked if r.kind.startswith("innocent")]
        add("innocent pages: taken for block pages", "-", innocent, "missed")
    for name in TRAPS:
        for shown, goal, outcome in (("accept", ">= 95 %", "right"), ("refuse", "0", "false verified")):
            own = [result for result in suites.get(name, ()) if result.kind.endswith(f"to {shown}")]
            if own:
                rightly = "accepted, as is right" if shown == "accept" else "accepted wrongly"
                add(f"{name}: {rightly}", goal, own, outcome)
    return rows


def summary(suites: Sequence[Suite]) -> str:
    """The measures of all suites as a Markdown table."""
    lines = ["| measure | goal | measured |", "|---|---|---|"]
    rows = _measures({suite.name: suite.results for suite in suites})
    return "\n".join(lines + [f"| {name} | {goal} | {count} |" for name, goal, count in rows])


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("`", "'")[:110]


def by_class(suite: Suite) -> str:
    """Every class of a suite with its counts, then each miss by name."""
    seen = [o for o in OUTCOMES if o == "right" or any(r.outcome == o for r in suite.results)]
    lines = [f"| class | cases | {' | '.join(seen)} |", "|---" * (len(seen) + 2) + "|"]
    for tally in tallies(suite.results):
        counts = " | ".join(str(tally.counts[outcome]) for outcome in seen)
        lines.append(f"| {tally.kind} | {tally.total} | {counts} |")
    misses = [result for result in suite.results if result.outcome != "right"]
    listed = [f"- {_escaped(r.kind)}, {_escaped(r.name)}: {r.outcome}" for r in misses]
    return "\n".join([*lines, "", "Not right:", "", *listed] if listed and suite.listed else lines)


def section(suite: Suite) -> str:
    """The section of a suite: what it is, how many are right, its classes and misses."""
    parts = [f"## {suite.name[0].upper()}{suite.name[1:]}", suite.about]
    if suite.name in _BLIND:
        parts.append(_BLIND[suite.name])
    parts += [
        f"{sum(each.outcome == 'right' for each in suite.results)} of {len(suite.results)} cases right.",
        by_class(suite),
    ]
    return "\n\n".join(parts)
