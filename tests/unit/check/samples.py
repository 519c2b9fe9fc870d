"""Checked texts made by hand."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from verifaible.schema.analyst import Claim
from verifaible.schema.checked import Checked, CheckedClaim, CheckedSource, ClaimVerdict, Nearest
from verifaible.schema.verdict import Derivation, Operand, Passage

MOMENT = datetime(2026, 3, 2, 8, 15, tzinfo=UTC)
CAPTURE = "ab" * 32
FILING, PRESS, GONE, MADE_UP, WALL = (
    "https://filings.example/2025/annual.html",
    "https://press.example/q4",
    "https://old.example/report",
    "https://no-such-host.invalid/a",
    "https://paper.example/markets",
)
TEXT = f"""# Northwind Traders in 2025

Revenue rose to $48.2 million in 2025, up from $41.0 million a year before ([annual report]({FILING})). That is a
growth of 17.6 %. The company "expects to double its fleet by 2027", [its chief executive said]({PRESS}).

- Headcount grew to 1,204 people, the company said [2].
- It opened offices in Oslo, Lima and Accra ([announcement]({GONE})).
- Analysts at [Borealis]({MADE_UP}) value it at $310 million.
- Its shares trade below their peers ([The Paper]({WALL})).

| Region | Revenue 2025 | Margin |
|---|---:|---:|
| Europe | $21.4 million | 12.5 % |
| Asia | $18.1 million | 9.8 % |

We think that the shares are a bargain. The fleet has 96 vessels.
"""
SOURCES = (
    CheckedSource(
        id=FILING,
        label="annual report",
        url=FILING,
        title="Northwind Traders: Annual Report 2025",
        state="read",
        status=200,
        capture=CAPTURE,
        file="evidence/source.txt",
        opened_at=MOMENT,
    ),
    CheckedSource(
        id=PRESS,
        label="its chief executive said",
        url=PRESS,
        title="Northwind press conference, fourth quarter",
        state="read",
        status=200,
        capture="cd" * 32,
        file="evidence/source.txt",
        opened_at=MOMENT,
    ),
    CheckedSource(id=GONE, url=GONE, state="gone", status=404, said="The server says: Not Found."),
    CheckedSource(id=MADE_UP, url=MADE_UP, state="made_up", said="No host has this name."),
    CheckedSource(id=WALL, url=WALL, state="paywall", status=200, said="Subscribe to read on."),
)


def passage(quote: str, source: str = FILING, **changes: Any) -> Passage:
    fields = {
        "source": source,
        "capture": CAPTURE,
        "file": "evidence/source.txt",
        "start": 120,
        "quote": quote,
    }
    return Passage.model_validate({**fields, "end": 120 + len(quote), **changes})


def claimed(
    words: str, verdict: ClaimVerdict, *, text: str = TEXT, cites: tuple[str, ...] = (FILING,), **found: Any
) -> CheckedClaim:
    """A claim at the first place of its words in the text."""
    start = text.index(words)
    claim = Claim(
        id="", start=start, end=start + len(words), text=" ".join(words.split()), kind="number", cites=cites
    )
    return CheckedClaim(claim=claim, verdict=verdict, **{"reason": "", **found})


def checked(text: str = TEXT, claims: tuple[CheckedClaim, ...] = (), **changes: Any) -> Checked:
    fields: dict[str, Any] = {
        "name": "report.md",
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "text": text,
        "claims": claims,
        "sources": SOURCES,
        "checked_at": MOMENT,
        "version": "1.0",
    }
    return Checked(**(fields | changes))


def sample() -> Checked:
    """A report with a claim of every verdict."""
    said = "Revenue was $48.2 million in 2025 (2024: $41.0 million)."
    growth = Derivation(
        operation="percent_change",
        operands=(
            Operand(
                name="revenue 2024",
                value=Decimal("41.0"),
                unit="million USD",
                passage=passage("$41.0 million"),
            ),
            Operand(
                name="revenue 2025",
                value=Decimal("48.2"),
                unit="million USD",
                passage=passage("$48.2 million"),
            ),
        ),
        result=Decimal("17.56"),
        unit="%",
    )
    claims = (
        claimed(
            "Revenue rose to $48.2 million in 2025, up from $41.0 million a year before",
            "supported",
            passages=(passage("$48.2 million"), passage("$41.0 million")),
            sentences=(said, said),
            citations=("0123456789abcdef0123",),
            reason="The source has both values.",
            by="rules",
        ),
        claimed(
            "That is a\ngrowth of 17.6 %.",
            "calculated",
            derivation=growth,
            reason="It follows from two values.",
            by="rules",
        ),
        claimed(
            '"expects to double its fleet by 2027"',
            "altered",
            cites=(PRESS,),
            passages=(passage("expects to renew its fleet by 2029", PRESS),),
            sentences=("Northwind expects to renew its fleet by 2029, said Ms Aalto.",),
            said="expects to renew its fleet by 2029",
            reason="The quotation differs from the source in 2 words.",
            by="rules",
        ),
        claimed(
            "Headcount grew to 1,204 people",
            "undecided",
            cites=(PRESS,),
            nearest=Nearest(
                passage=passage("At the end of the year 1,240 people worked for Northwind.", PRESS),
                share=0.62,
            ),
            reason="No passage was bound to the claim.",
        ),
        claimed(
            "It opened offices in Oslo, Lima and Accra",
            "unreadable",
            cites=(GONE,),
            reason="Its source is gone.",
        ),
        claimed(
            "Analysts at [Borealis](" + MADE_UP + ") value it at $310 million.",
            "unreadable",
            cites=(MADE_UP,),
        ),
        claimed(
            "Its shares trade below their peers",
            "unreadable",
            cites=(WALL,),
            reason="Its source is behind a paywall.",
        ),
        claimed(
            "Europe | $21.4 million",
            "supported",
            passages=(passage("21.4", pointer="/regions/0/revenue"),),
            by="rules",
        ),
        claimed(
            "Asia | $18.1 million | 9.8 %",
            "contradicted",
            passages=(passage("17.1"),),
            sentences=("| Region | Revenue | Margin |\n| Asia | 17.1 | 9.8 |",),
            said="Asia: 17.1",
            reason="The claim says 18.1 million; the table says 17.1 in the row Asia.",
            by="rules",
        ),
        claimed("We think that the shares are a bargain.", "not_checkable", cites=()),
        claimed("The fleet has 96 vessels.", "no_source", cites=()),
    )
    return checked(claims=claims)
