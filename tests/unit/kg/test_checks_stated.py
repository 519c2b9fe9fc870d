"""Triples that real filings state, in our words, and some that they do not: what the checks say of each.

A line: file | words that only its sentence has | head (type) | relation | tail (type) | flags. The
flags are ``n``, the text denies it; ``p``, it may be; ``m``, it is meant to be. The filings are not part of
this repository; without them the tests are skipped.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.kit.public import PUBLIC, needs_public
from verifaible.kg.chunks import Chunk, chunks_of
from verifaible.kg.filing import Filing, read_filing
from verifaible.kg.triples import Triple
from verifaible.text.segmentation import sentence_around

REAL = PUBLIC / "filings"
SUPPOSED = """
aapl | headquarters is located in | Apple Inc. (company) | headquartered_in | Cupertino, California (place)
aapl | competes with business models that | Apple Inc. (company) | competes_with | free content business models (competitor)
aapl | competes with illegitimate means | Apple Inc. (company) | competes_with | illegitimate content sources (competitor)
aapl | shares of its common stock for $95.0 | Apple Inc. (company) | repurchased | common stock (security)
aapl | including Ireland and Singapore | Apple Inc. (company) | operates_in | Ireland (place)
aapl | subject to the examination of its tax | Apple Inc. (company) | subject_to | examination of tax returns (regulation)
aapl | may use derivative instruments to partially | Apple Inc. (company) | uses | derivative instruments (product) | p
aapl | price volatility in the past and may | Apple Inc. (company) | exposed_to | stock price volatility (risk) | p
aapl | may enter into agreements or other arrangements to settle | Apple Inc. (company) | party_to | litigation settlements (litigation) | p
aapl | does not obtain control of the product before | Apple Inc. (company) | acquired | product control (product) | n
aapl | which may not be available to | Apple Inc. (company) | uses | third-party intellectual property (technology)
amzn | we employed approximately | AMAZON.COM, INC. (company) | employs | 1,556,000 employees (amount)
amzn | we acquired MGM Holdings | AMAZON.COM, INC. (company) | acquired | MGM Holdings Inc. (company)
amzn | not the seller of record | AMAZON.COM, INC. (company) | supplies | seller of record (customer) | n
amzn | dispute the allegations of wrongdoing and will | AMAZON.COM, INC. (company) | party_to | allegations of wrongdoing (litigation)
amzn | systems are not fully redundant and our | AMAZON.COM, INC. (company) | uses | fully redundant systems (technology) | n
amzn | may not be able to acquire or maintain appropriate domain | AMAZON.COM, INC. (company) | exposed_to | domain name loss (risk) | p
amzn | will capitalize certain of these costs | AMAZON.COM, INC. (company) | reports | capitalized costs (metric) | m
amzn | expect spending in technology and infrastructure | AMAZON.COM, INC. (company) | reports | technology and infrastructure spending (metric) | m
hd | we employed approximately | HOME DEPOT, INC. (company) | employs | 470,100 associates (amount)
hd | the Company acquired SRS Distribution Inc. (SRS) in | HOME DEPOT, INC. (company) | acquired | SRS Distribution Inc. (company)
hd | is a Delaware corporation that was | The Home Depot, Inc. (company) | incorporated_in | Delaware (place)
hd | do not enter into derivative instruments for trading or speculative | HOME DEPOT, INC. (company) | uses | speculative derivatives (product) | n
hd | have not experienced any material cybersecurity | HOME DEPOT, INC. (company) | affected_by | material cybersecurity incidents (event) | n
hd | Such labor shortages, whether | HOME DEPOT, INC. (company) | exposed_to | labor shortages (risk) | p
hd | price volatility could potentially | HOME DEPOT, INC. (company) | exposed_to | price volatility (risk) | p
hd | compete with other retail businesses for | HOME DEPOT, INC. (company) | competes_with | other retail businesses (competitor)
hd | initiated a plan to open approximately 80 | HOME DEPOT, INC. (company) | developed | new stores plan (product)
ibm | corporate headquarters are located at | IBM (company) | headquartered_in | Armonk, New York (place)
ibm | does not make a market in either | IBM (company) | issued | debt securities market (security) | n
ibm | compete with smaller, niche | IBM (company) | competes_with | smaller, niche competitors (competitor)
ibm | enactment of the EU AI Act | IBM (company) | affected_by | EU AI Act (regulation) | p
ibm | disputes could create uncertainty | IBM (company) | exposed_to | international trade disputes (risk) | p
ibm | continuous examination of its income tax returns by | IBM (company) | subject_to | United States Internal Revenue Service (regulator)
ibm | variety of companies including hyperscalers | IBM (company) | partners_with | hyperscalers (company)
ibm | not realize all the economic benefit | IBM (company) | exposed_to | impairment of goodwill (risk) | p
nflx | approximately 14,000 full-time | Netflix, Inc. (company) | employs | 14,000 full-time employees (amount)
nflx | location of our corporate headquarters | Netflix, Inc. (company) | headquartered_in | Los Gatos, California (place)
nflx | use non-derivative instruments to mitigate | Netflix, Inc. (company) | uses | non-derivative instruments (product)
nflx | subject to economic, political, regulatory and other risks arising | Netflix, Inc. (company) | exposed_to | international operations risks (risk) | p
nflx | continue to significantly invest in global | Netflix, Inc. (company) | makes | original content (product) | m
nflx | expand our content and service offerings | Netflix, Inc. (company) | makes | service offerings (product) | p
nvda | repurchased 29 million shares | NVIDIA CORP (company) | repurchased | 29 million shares (security)
nvda | was incorporated in California in April | NVIDIA (company) | headquartered_in | Santa Clara, California (place)
nvda | Regulators could also impose conditions | NVIDIA (company) | subject_to | regulators' conditions (regulation) | p
nvda | Export controls could disrupt our | NVIDIA (company) | exposed_to | export controls (regulation) | p
nvda | increase capital expenditures in fiscal year 2026 | NVIDIA (company) | reports | capital expenditures (metric) | m
nvda | whereby NVIDIA would have acquired Arm | NVIDIA (company) | acquired | Arm (company) | m
nvda | office and building space for our corporate | NVIDIA (company) | owns | corporate headquarters space (subsidiary)
tsla | compete with these traditional utility | Tesla, Inc. (company) | competes_with | traditional utility companies (competitor)
tsla | declared or paid cash dividends | Tesla, Inc. (company) | issued | cash dividends (security) | n
tsla | partner with campuses | Tesla, Inc. (company) | partners_with | student organizations (company)
tsla | issued $502 million in aggregate | Tesla, Inc. (company) | issued | fixed rate debt (debt)
tsla | may encounter delays with the design | Tesla, Inc. (company) | exposed_to | construction delays (risk) | p
tsla | battery cell supply for our energy storage | Tesla, Inc. (company) | makes | energy storage products (product)
unp | not have variable-rate debt | UNION PACIFIC CORP (company) | owes | variable-rate debt (debt) | n
unp | repurchased a total of 25.9 million | UNION PACIFIC CORP (company) | repurchased | common stock (security)
unp | repurchased 6,467,619 shares | UNION PACIFIC CORP (company) | repurchased | common stock (security)
unp | covered by the Railroad Retirement System (the | UNION PACIFIC CORP (company) | subject_to | Railroad Retirement System (regulation)
unp | cybersecurity threats that could have | UNION PACIFIC CORP (company) | exposed_to | cybersecurity threats (risk)
unp | claims and lawsuits are pending against | UNION PACIFIC CORP (company) | party_to | claims and lawsuits (litigation)
wfc | did not have any shortcomings | Wells Fargo (company) | affected_by | resolution plan shortcomings (event) | n
wfc | The rule will require the Company to update | Wells Fargo (company) | uses | technology systems (technology) | m
wfc | securities listed on the New York Stock Exchange (NYSE), the | Wells Fargo (company) | listed_on | New York Stock Exchange (exchange)
wfc | monetary policies of the FRB, which | Wells Fargo (company) | affected_by | monetary policies (regulation)
wmt | appeal in the specialized federal courts | Walmex's subsidiary (subsidiary) | party_to | COFECE's resolution (litigation)
wmt | Risks associated with our suppliers could | WALMART INC. (company) | exposed_to | supplier risks (risk) | p
wmt | will owe no additional funds | WALMART INC. (company) | owes | additional funds (debt) | nm
wmt | utilize a total of 164 distribution | WALMART INC. (company) | uses | 164 distribution facilities (product)
wmt | majority of the ongoing share repurchase program will | WALMART INC. (company) | repurchased | shares (security) | m
"""
_NAMED = re.compile(r"(.+) \((\w+)\)")


@cache
def filing(name: str) -> tuple[Filing, tuple[Chunk, ...]]:
    """A filing by the beginning of its file's name, and its chunks."""
    (path,) = REAL.glob(f"{name}-*.html")
    read = read_filing(path.read_bytes())
    return read, tuple(chunks_of(read))


def stated(filed: str = "") -> list[tuple[str, Triple]]:
    """The triples of ``SUPPOSED``, or of one file, each with its file, on the sentence that it rests on."""
    found = []
    for number, line in enumerate(SUPPOSED.strip().splitlines()):
        name, words, head, relation, tail, *more = map(str.strip, line.split("|"))
        if filed not in ("", name):
            continue
        flags = more[0] if more else ""
        read, chunks = filing(name)
        at = read.text.find(words)
        assert at >= 0, f"{name} has no {words!r}"
        start, end = sentence_around(read.text, at, at + len(words))
        (one, one_type), (other, other_type) = (_NAMED.fullmatch(each).groups() for each in (head, tail))  # type: ignore[union-attr]
        made = Triple.model_validate(
            {
                **{"id": f"stated-{number}", "head": one, "head_type": one_type, "relation": relation},
                **{"tail": other, "tail_type": other_type, "quote": read.text[start:end], "by": "hand"},
                **{"start": start, "end": end, "negated": "n" in flags},
                "chunk": next(each.id for each in chunks if each.start <= start < each.end),
                "modality": "possible" if "p" in flags else "planned" if "m" in flags else "",
            }
        )
        found.append((name, made))
    return found


@pytest.mark.nightly
@needs_public("filings")
def test_each_stated_triple_rests_on_one_sentence_of_its_filing() -> None:
    found = stated()
    assert len(found) >= 60
    for name, each in found:
        assert filing(name)[0].text[each.start : each.end] == each.quote
        assert "\n" not in each.quote
