"""Tampering with a healthy store: is it found, by whom, and is it named?

The cases are the rows of ``tests/suites/tamper.jsonl``, their steps those of ``tamper_steps``.
"""

# ruff: noqa: E501 - sentences of the document
from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from scripts.accuracy.outcome import Outcome, Result
from scripts.accuracy.tamper_steps import Step, Tamperer, take_steps
from scripts.accuracy.tamper_store import Place, healthy
from tests.kit import suites
from verifaible.errors import UserError
from verifaible.evidence.audit import Audit, audit
from verifaible.evidence.verify import verify

#: Said with the figures: what no check inside a store can find, and what can.
LIMITS = (
    "Not found from within: a store that was put back as a whole to an earlier copy, and one that somebody made "
    "anew with keys of their own. Both are found by an audit that is given a head of the custody log that was "
    "kept elsewhere; only so are they counted. Whoever can write to a store can also say that its key was lost and "
    "go on with their own: what that key signed is called verified with this remark, and the audit notes it."
)


#: Who has to find it. ``citation``: verifying the citation, and both audits. ``audit``: both audits,
#: the citation being as it was. ``outside``: it is not listed nor given, and both audits.
#: ``index``: as ``audit``, and making the index again cures it. ``remark``: allowed, but both the
#: check and the audits say so. ``kept head``: an audit that is given a head kept elsewhere.
Found: TypeAlias = Literal["citation", "audit", "outside", "index", "remark", "kept head"]


@dataclass(frozen=True, slots=True)
class Case:
    """One tamper. ``said``: texts that all must occur; ``{capture}`` and the like are the store's names."""

    kind: str
    name: str
    steps: tuple[Step, ...]
    said: tuple[str, ...]
    found: Found

    @classmethod
    def of(cls, row: suites.Row) -> Case:
        return cls(
            row.kind,
            row.input["name"],
            tuple(row.input["steps"]),
            tuple(row.expect["said"]),
            row.expect["found"],
        )


_ALL = [Case.of(row) for row in suites.load("tamper")]
CASES = tuple(case for case in _ALL if case.found != "kept head")
#: What the store's own files can not show.
BEYOND = tuple(case for case in _ALL if case.found == "kept head")


@dataclass(frozen=True, slots=True)
class Seen:
    """What was said of a tampered store: of the citation (two modes), and by the audits (two modes)."""

    verdicts: tuple[str, str]
    checks: str
    audits: tuple[Audit, Audit]

    @property
    def said(self) -> str:
        """Every sentence."""
        found = [self.checks]
        for each in self.audits:
            found += [*(check.message for check in each.failed), *each.faults, *each.notes]
        return "\n".join(found)


@contextmanager
def made() -> Iterator[Place]:
    """A healthy store that goes away afterwards."""
    with tempfile.TemporaryDirectory(prefix="tamper-") as folder:
        yield healthy(Path(folder))


def observe(case: Case, place: Place, folder: Path, *, kept_head: bool = False) -> tuple[Seen, Tamperer]:
    """Tamper with copies of a store in a folder, and gather what is said: one copy for each audit."""
    seen: list[Audit] = []
    verdicts, checks = ("", ""), ""
    for number, hash_only in enumerate((True, False)):
        tamperer = take_steps(place.copy(folder / f"{number}"), case.steps)
        if number == 0:
            verdicts, checks = _verified(tamperer)
        head = place.head if kept_head else None
        try:
            seen.append(audit(tamperer.place.store(), hash_only=hash_only, head=head))
        except UserError as error:
            seen.append(Audit(checked=0, verified=0, failed=(), faults=(str(error),)))
    return Seen(verdicts, checks, (seen[0], seen[1])), tamperer


def _verified(tamperer: Tamperer) -> tuple[tuple[str, str], str]:
    found: list[tuple[str, str]] = []
    for hash_only in (True, False):
        store = tamperer.place.store()
        try:
            check = verify(store.get(tamperer.wanted.id), store, hash_only=hash_only).check
            found.append((check.verdict, check.message))
        except UserError as error:
            found.append(("error", str(error)))
    return (found[0][0], found[1][0]), "\n".join(message for _, message in found)


def outcome(case: Case, seen: Seen, tamperer: Tamperer) -> tuple[Outcome, str]:
    """What came of a case; ``missed`` where anybody who has to find it did not."""
    place = tamperer.place
    refused = "verified" not in seen.verdicts
    failed = not any(each.ok for each in seen.audits)
    if case.found == "citation":
        found = refused and failed
    elif case.found == "outside":
        listed = tamperer.wanted.id in {row.id for row in place.store().rows()}
        found = refused and not listed and failed
    elif case.found == "remark":
        found = all(each.notes for each in seen.audits)
    else:
        found = failed
    if case.found == "index":
        place.store().reindex()
        found = found and audit(place.store(), hash_only=True).ok
    if not found:
        verdicts = f"verify {seen.verdicts}, audits {[each.ok for each in seen.audits]}"
        return "missed", f"{verdicts}: {seen.said}"
    unsaid = [words for words in map(tamperer.name, case.said) if words not in seen.said]
    return ("wrong verdict", f"not said: {unsaid} in {seen.said}") if unsaid else ("right", "")


def run() -> list[Result]:
    """Run the suite; the outcomes are ``right``, ``wrong verdict`` (found, not named) and ``missed``."""
    results: list[Result] = []
    with made() as place:
        for number, case in enumerate((*CASES, *BEYOND)):
            folder = place.folder.with_name(f"case-{number}")
            seen, tamperer = observe(case, place, folder, kept_head=case.found == "kept head")
            came_to, said = outcome(case, seen, tamperer)
            results.append(Result(case.kind, case.name, came_to, said))
    return results
