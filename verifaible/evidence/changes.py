"""What looks at the live web say that those before did not: by citation, and by site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import get_args
from urllib.parse import urlsplit

from verifaible.errors import StoreError
from verifaible.reporting.tables import Column as C
from verifaible.reporting.tables import Table, count, row, table_of, words
from verifaible.schema.base import Record
from verifaible.schema.check import Check, IndexRow, Verdict
from verifaible.store.store import Store

#: A look that failed or was kept out says nothing of the evidence.
SAYS_NOTHING = ("blocked", "error")


class Change(Record):
    """A citation of which the live web says something else than it did at the last look."""

    citation_id: str
    at: datetime
    before: Verdict
    now: Verdict
    claim: str
    url: str
    message: str


def change_of(store: Store, check: Check, cited: IndexRow) -> Change | None:
    """What a look says that the last one that saw the page did not; a citation was verified when it was made.

    Args:
        store: the store, to which the check may have been added.
        check: the look.
        cited: the citation in the list.

    Raises:
        StoreError: its history cannot be read.
    """
    said: Verdict = "verified"
    for each in store.checks(check.citation_id):
        if each.kind == "live" and each.at < check.at and each.verdict not in SAYS_NOTHING:
            said = each.verdict
    if check.verdict in (said, *SAYS_NOTHING):
        return None
    return Change(
        citation_id=cited.id,
        at=check.at,
        before=said,
        now=check.verdict,
        claim=cited.claim,
        url=cited.source_url,
        message=check.message,
    )


def changes_of(
    store: Store, checks: Sequence[Check], rows: Mapping[str, IndexRow]
) -> tuple[list[Check], list[Change]]:
    """The looks and what they say that is new; one that cannot be compared with the last is an "error".

    Args:
        store: the store, to which the checks may have been added.
        checks: the looks.
        rows: the citations in the list, by id.
    """
    looks: list[Check] = []
    changes: list[Change] = []
    for each in checks:
        try:
            change = change_of(store, each, rows[each.citation_id])
        except StoreError as error:
            said = f"not compared with its last look. {error}"
            looks.append(each.model_copy(update={"verdict": "error", "message": said}))
            continue
        looks.append(each)
        changes += [change] if change is not None else []
    return looks, changes


def by_site(checks: Sequence[Check], rows: Mapping[str, IndexRow], changes: Sequence[Change]) -> Table:
    """How many citations of each site have which verdict, those with most drift first.

    Args:
        checks: the looks.
        rows: the citations in the list, by id.
        changes: what of it is new.
    """
    sites: dict[str, list[Check]] = {}
    for each in checks:
        sites.setdefault(_site(rows[each.citation_id].source_url), []).append(each)
    drifted = Counter(_site(each.url) for each in changes if each.now != "verified")
    occurring = [each for each in get_args(Verdict) if any(check.verdict == each for check in checks)]

    def verdicts(verdict: Verdict) -> C[str, str]:
        return C(verdict, lambda site: count(sum(each.verdict == verdict for each in sites[site])))

    columns: list[C[str, str]] = [
        C("Site", words),
        C("Looked at", lambda site: count(len(sites[site]))),
        *map(verdicts, occurring),
        C("Drifted", lambda site: count(drifted[site])),
    ]
    ordered = sorted(sites, key=lambda site: (-drifted[site], site))
    return table_of("Looks at the live web by site", columns, ordered, name="drift")


def of_changes(changes: Sequence[Change]) -> Table:
    """A row for each change."""
    headings = ("Citation", "Before", "Now", "Address", "What is different")
    rows = [row(words(e.citation_id), e.before, e.now, words(e.url), words(e.message)) for e in changes]
    return Table(name="changes", title="Changes", columns=headings, rows=tuple(rows), prose=True)


def _site(url: str) -> str:
    return urlsplit(url).netloc
