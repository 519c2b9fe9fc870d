"""Tampering with a healthy store: is it found, by whom, and is it named?"""

# ruff: noqa: E501 - sentences of the document
from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.accuracy.outcome import Outcome, Result
from scripts.accuracy.tamper_cases import BEYOND, CASES, Case
from scripts.accuracy.tamper_store import Place, healthy
from verifaible.errors import UserError
from verifaible.evidence.check.audit import Audit, audit
from verifaible.evidence.check.verify import verify
from verifaible.schema.citation import Citation
from verifaible.store.entries import file_of
from verifaible.store.keys import key_id

#: Said with the figures: what no check inside a store can find, and what can.
LIMITS = (
    "Not found from within: a store that was put back as a whole to an earlier copy, and one that somebody made "
    "anew with keys of their own. Both are found by an audit that is given a head of the custody log that was "
    "kept elsewhere; only so are they counted. Whoever can write to a store can also say that its key was lost and "
    "go on with their own: what that key signed is called verified with this remark, and the audit notes it."
)


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


def observe(
    case: Case, place: Place, folder: Path, *, kept_head: bool = False
) -> tuple[Seen, Place, Citation]:
    """Tamper with copies of a store in a folder, and gather what is said: one copy for each audit."""
    seen: list[Audit] = []
    verdicts, checks = ("", ""), ""
    for number, hash_only in enumerate((True, False)):
        copy = place.copy(folder / f"{number}")
        made_by_case = case.tamper(copy)
        wanted = made_by_case if isinstance(made_by_case, Citation) else place.victim
        if number == 0:
            verdicts, checks = _verified(copy, wanted)
        head = place.head if kept_head else None
        try:
            seen.append(audit(copy.store(), hash_only=hash_only, head=head))
        except UserError as error:
            seen.append(Audit(checked=0, verified=0, failed=(), faults=(str(error),)))
    return Seen(verdicts, checks, (seen[0], seen[1])), copy, wanted


def _verified(place: Place, wanted: Citation) -> tuple[tuple[str, str], str]:
    found: list[tuple[str, str]] = []
    for hash_only in (True, False):
        store = place.store()
        try:
            check = verify(store.get(wanted.id), store, hash_only=hash_only).check
            found.append((check.verdict, check.message))
        except UserError as error:
            found.append(("error", str(error)))
    return (found[0][0], found[1][0]), "\n".join(message for _, message in found)


def outcome(case: Case, seen: Seen, place: Place, wanted: Citation) -> tuple[Outcome, str]:
    """What came of a case; ``missed`` where anybody who has to find it did not."""
    refused = "verified" not in seen.verdicts
    failed = not any(each.ok for each in seen.audits)
    if case.found == "citation":
        found = refused and failed
    elif case.found == "outside":
        listed = wanted.id in {row.id for row in place.store().rows()}
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
    unsaid = [words for words in _words(case, place, wanted) if words not in seen.said]
    return ("wrong verdict", f"not said: {unsaid} in {seen.said}") if unsaid else ("right", "")


def _words(case: Case, place: Place, wanted: Citation) -> list[str]:
    names = {
        "capture": place.capture,
        "id": place.victim.id,
        "new": wanted.id,
        "entry": file_of(1),
        "first_id": key_id(place.first.public_key),
        **{
            name: f"keys/{key_id(getattr(place, name).public_key)}.json"
            for name in ("first", "current", "forger")
        },
    }
    return [words.format(**names) for words in case.said]


def run() -> list[Result]:
    """Run the suite; the outcomes are ``right``, ``wrong verdict`` (found, not named) and ``missed``."""
    results: list[Result] = []
    with made() as place:
        for number, case in enumerate((*CASES, *BEYOND)):
            folder = place.folder.with_name(f"case-{number}")
            seen, tampered, wanted = observe(case, place, folder, kept_head=case.found == "kept head")
            came_to, said = outcome(case, seen, tampered, wanted)
            results.append(Result(case.kind, case.name, came_to, said))
    return results
