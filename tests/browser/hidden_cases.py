"""The suite of hidden text: the ways of hiding it, several spellings each, and pages that hide nothing.

In ``style`` and ``body`` of a row the sign § stands for the words nobody sees (or, in an innocent case,
that everybody sees), and ¤ for a name that only this case uses, so that all cases can stand in
one page.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.kit.suites import Row, load


@dataclass(frozen=True, slots=True)
class Case:
    """One spelling: ``body`` under the rules of ``style``, with ``head`` in the page's head."""

    channel: str
    name: str
    body: str
    style: str = ""
    head: str = ""

    def filled(self, number: int) -> tuple[Case, str]:
        """The case with its own name and words put in, and these words."""
        words = f"quagga{number}z"

        def put(text: str) -> str:
            return text.replace("§", words).replace("¤", f"c{number}")

        return Case(self.channel, self.name, put(self.body), put(self.style), put(self.head)), words


def _case(row: Row) -> Case:
    given = row.input
    return Case(row.kind, given["name"], given["body"], given.get("style", ""), given.get("head", ""))


_CASES = [(row.expect["seen"], _case(row)) for row in load("visibility/hidden")]
HIDDEN: tuple[Case, ...] = tuple(case for seen, case in _CASES if not seen)
#: What a reader sees, though it looks like one of the above.
INNOCENT: tuple[Case, ...] = tuple(case for seen, case in _CASES if seen)
#: Markup in which pieces meet without a blank, and how a reader reads it: what the eye parts is parted, and
#: what it joins is joined.
BETWEEN: tuple[tuple[str, str], ...] = tuple(
    (row.input["body"], row.expect["text"]) for row in load("visibility/between")
)
