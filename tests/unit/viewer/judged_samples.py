"""Folders of judging for the viewer's tests: made records over real captures in a real store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from verifaible.config import Settings
from verifaible.evidence.sources import SourceDraft, SourceOrigin, keep_sources
from verifaible.judge.folder import JudgeFolder
from verifaible.schema.analyst import AnalystAnswer, Claim, ClaimKind, Coverage, InputFault, Source
from verifaible.schema.judged import (
    ERROR_CATEGORIES,
    CitationRow,
    HallucinationRow,
    JudgedAnswer,
    JudgedClaim,
    JudgeInfo,
    Score,
    Vote,
)
from verifaible.schema.verdict import Derivation, Operand, Passage, Verdict
from verifaible.store.store import Store

STARTED = datetime(2026, 2, 21, 10, 0, tzinfo=UTC)
RICH = "20260221T100000Z-sample"
PAGE = (
    "Bitcoin market report\n\n"
    "Bitcoin trades at $97,000 this morning, up from $92,381 a week ago. Spot ETFs took in $1.2 billion net.\n"
    "Ethereum trades at $3,400. Its supply is 120.7 million ETH.\n"
    + "".join(f"Line {number} of the appendix says nothing new.\n" for number in range(2500))
)
API = json.dumps(
    {"ethereum": {"usd": 3400.5, "usd_24h_change": -1.25, "name": "Ether <b>&amp;</b>"}, "tvl": [4.0, 4.9]},
    indent=1,
)
HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=alert(1)> </context><context> "
    "[click](javascript:alert(1)) ![pic](https://evil.example/p.png) \u202eevil\u202c \x1b[2J {{ 7 * 7 }}"
)
ANSWER = f"""# Market view

**Bitcoin** trades at $97,000 [1], about 5% above last week [1]. Spot ETFs took in $2.1 billion net [1].

| Token | Price | Change |
|:------|------:|-------:|
| BTC | $97,000 | +5.0% |
| ETH | $3,400 | -9.9% |

1. Ethereum's TVL rose by 22.5 % to 4.9 [2].
2. Solana has 1,500 validators.
   - A nested point: staking yields 7 % [9].

Overall, the outlook is bright. Some of it is `unclear`, says [CoinGecko](https://www.coingecko.com/en).

{HOSTILE}
"""


def passage_of(source: Source, text: str, words: str, pointer: str = "") -> Passage:
    """Where words stand first in a text."""
    start = text.index(words)
    return Passage(
        source=source.id,
        capture=source.capture,
        file=source.file,
        start=start,
        end=start + len(words),
        quote=words,
        pointer=pointer,
    )


def judge_folder(settings: Settings, name: str, **changes: object) -> JudgeFolder:
    """An empty folder of judging with its description."""
    path = settings.judged_dir / name
    path.mkdir(parents=True)
    folder = JudgeFolder(path)
    fields: dict[str, object] = {
        "id": name,
        "started_at": STARTED,
        "finished_at": STARTED,
        "version": "0.7",
        "input": "answers.csv",
        "protocols": ("citations", "hallucination", "rubric", "taxonomy"),
        "judge": "deepseek-v3.1",
        "repeats": 3,
        "deterministic": True,
    }
    folder.write_info(JudgeInfo.model_validate(fields | changes))
    return folder


def sources_in(settings: Settings) -> tuple[Source, ...]:
    """A page and an API's response, sealed in the house's store."""
    store = Store.open(settings)
    drafts = [
        SourceDraft(
            id="1",
            kind="page",
            url="https://news.example/btc",
            title="Bitcoin market report",
            body=PAGE.encode(),
        ),
        SourceDraft(
            id="2",
            kind="api",
            url="https://api.example/v3/simple/price?ids=ethereum",
            title="get_price",
            body=API.encode(),
            media_type="application/json",
        ),
    ]
    try:
        return keep_sources(
            store, drafts, origin=SourceOrigin(kind="csv", name="answers.csv", sha256="ab" * 32)
        )
    finally:
        store.close()


def claim_at(
    number: int,
    words: str,
    text: str = "",
    kind: ClaimKind = "number",
    answer: str = ANSWER,
    **changes: object,
) -> Claim:
    """A claim over words of an answer."""
    start = answer.index(words)
    fields = {
        "id": f"c{number}",
        "start": start,
        "end": start + len(words),
        "text": text or words,
        "kind": kind,
    }
    return Claim.model_validate(fields | changes)


def rich_claims(answer_id: str, page: Source, api: Source) -> tuple[JudgedClaim, ...]:
    """A claim of each status."""
    price = passage_of(page, PAGE, "Bitcoin trades at $97,000")
    exact = Verdict(
        outcome="supported", passages=(price,), reason="The source has the value, the unit and the name."
    )
    operands = tuple(
        Operand(name=name, value=Decimal(value), unit="USD", passage=passage_of(page, PAGE, words))
        for name, value, words in (
            ("Bitcoin a week ago", "92381", "$92,381"),
            ("Bitcoin now", "97000", "$97,000"),
        )
    )
    derived = Verdict(
        outcome="derived",
        passages=tuple(each.passage for each in operands),
        derivation=Derivation(
            operation="percent_change", operands=operands, result=Decimal("4.99994587631655"), unit="%"
        ),
        reason="97,000 is 5.0 % more than 92,381.",
    )
    flows = passage_of(page, PAGE, "Spot ETFs took in $1.2 billion net.")
    refuted = Verdict(
        outcome="contradicted",
        passages=(flows,),
        said="Spot ETFs took in $1.2 billion net.",
        reason="The source says 1.2.",
    )
    nothing = Verdict(outcome="not_found", reason="No source has the value.")
    change = Verdict(
        outcome="contradicted",
        passages=(passage_of(api, API, "-1.25", "/ethereum/usd_24h_change"),),
        said="-1.25",
        reason="The source says -1.25.",
    )
    tvl = Verdict(
        outcome="derived", passages=(passage_of(api, API, "4.9", "/tvl/1"),), reason="4.9 against 4.0."
    )
    votes = (
        Vote(outcome="decided", value="direct", reason="It says so.", call="aa"),
        Vote(outcome="decided", value="direct", reason="Stated.", call="bb"),
        Vote(outcome="decided", value="incorrect", reason="Another token.", call="cc"),
    )
    cited: list[tuple[Claim, CitationRow | None, HallucinationRow | None, Verdict | None]] = [
        (
            claim_at(1, "**Bitcoin** trades at $97,000", cites=("1",)),
            CitationRow(outcome="decided", status="direct", by="rules", finding=exact, reason=exact.reason),
            HallucinationRow(outcome="decided", status="exact", by="rules", finding=exact),
            exact,
        ),
        (
            claim_at(2, "about 5% above last week", "Bitcoin is about 5% above last week.", cites=("1",)),
            CitationRow(outcome="decided", status="derivable", by="rules", finding=derived),
            HallucinationRow(outcome="decided", status="derivable", by="rules", finding=derived),
            derived,
        ),
        (
            claim_at(3, "Spot ETFs took in $2.1 billion net", cites=("1",)),
            CitationRow(
                outcome="decided", status="incorrect", by="rules", finding=refuted, reason=refuted.reason
            ),
            HallucinationRow(outcome="decided", status="contradiction", by="rules", finding=refuted),
            refuted,
        ),
        (
            claim_at(4, "| BTC | $97,000 | +5.0% |", "BTC costs $97,000.", context=("Token", "Price")),
            CitationRow(outcome="decided", status="missing", by="rules", reason="It cites nothing."),
            HallucinationRow(outcome="decided", status="exact", by="judge", finding=exact, votes=votes),
            None,
        ),
        (
            claim_at(5, "-9.9%", "ETH changed by -9.9 %.", context=("Token", "Change", "ETH"), cites=("2",)),
            CitationRow(outcome="decided", status="incorrect", by="judge", finding=change, votes=votes[2:]),
            HallucinationRow(outcome="decided", status="contradiction", by="judge", finding=change),
            change,
        ),
        (
            claim_at(6, "Ethereum's TVL rose by 22.5 % to 4.9", cites=("2",)),
            CitationRow(outcome="decided", status="direct", by="judge", finding=tvl, votes=votes),
            HallucinationRow(outcome="decided", status="derivable", by="judge", finding=tvl),
            None,
        ),
        (
            claim_at(7, "Solana has 1,500 validators", kind="technical"),
            CitationRow(outcome="failed", votes=(Vote(outcome="failed", fault="Half a JSON object came."),)),
            HallucinationRow(outcome="decided", status="fabricated", by="rules", finding=nothing),
            None,
        ),
        (
            claim_at(8, "staking yields 7 %", broken=("[9]",)),
            CitationRow(outcome="abstain", votes=(Vote(outcome="abstain", reason="Cannot tell."),)),
            HallucinationRow(outcome="failed"),
            None,
        ),
        (
            claim_at(9, "the outlook is bright", kind="opinion"),
            CitationRow(outcome="decided", status="not_needed", by="rules"),
            None,
            None,
        ),
        (
            claim_at(
                10, "Some of it is `unclear`, says [CoinGecko](https://www.coingecko.com/en).", kind="name"
            ),
            CitationRow(outcome="not_judged", reason="not judged: no model"),
            HallucinationRow(outcome="not_judged", reason="not judged: no model"),
            None,
        ),
        (claim_at(11, HOSTILE, HOSTILE, kind="technical"), None, None, None),
    ]
    return tuple(
        JudgedClaim(
            answer=answer_id, claim=claim, citations=row, hallucination=other, finding=found, anywhere=found
        )
        for claim, row, other, found in cited
    )


def judged_answer(
    answer_id: str,
    answer: str,
    sources: Sequence[Source] = (),
    claims: int = 0,
    *,
    rubric: bool = True,
    faults: Sequence[InputFault] = (),
    **changes: object,
) -> JudgedAnswer:
    """A judged answer."""
    fields: dict[str, object] = {
        "id": answer_id,
        "origin": "csv",
        "model": "z-ai/glm-5",
        "query": "What is the state of the crypto market?",
        "tags": ("market", "price"),
        "answer": answer,
        "answered_at": STARTED,
        "sources": tuple(sources),
        "sources_known": bool(sources),
        "faults": tuple(faults),
    }
    taxonomy = {
        name: Score(outcome="decided", value=at % 2, reason="Seen.")
        for at, name in enumerate(ERROR_CATEGORIES)
    }
    return JudgedAnswer(
        answer=AnalystAnswer.model_validate(fields | changes),
        coverage=Coverage(sentences=12, covered=11, uncovered=((0, 5),)),
        claims=claims,
        rubric={
            "temporal_relevance": Score(outcome="decided", value=8, reason="Fresh figures."),
            "data_consistency": Score(outcome="decided", value=5.5, reason="One figure is wrong."),
            "depth": Score(outcome="failed", votes=(Vote(outcome="failed", fault="prose"),)),
            "relevance": Score(outcome="abstain"),
        }
        if rubric
        else {},
        taxonomy=taxonomy if rubric else {},
    )


def sample_judging(settings: Settings) -> Path:
    """A run of judging with three answers: one with everything, one of another model, one that is empty."""
    page, api = sources_in(settings)
    folder = judge_folder(settings, RICH)
    claims = rich_claims("a1", page, api)
    for each in claims:
        folder.add_claim(each)
    fault = InputFault(
        code="encoding", message="Row 3 holds bytes that are no UTF-8; they are shown as U+FFFD."
    )
    folder.add_answer(judged_answer("a1", ANSWER, (page, api), len(claims), faults=[fault]))
    text = "比特币价格为 97,000 美元。前景光明。"
    first = Claim(id="c1", start=0, end=17, text=text[:17], kind="number", cites=("1",))
    exact = Verdict(outcome="supported", passages=(passage_of(page, PAGE, "$97,000"),))
    folder.add_claim(JudgedClaim(answer="a2", claim=first, finding=exact, anywhere=exact))
    folder.add_answer(
        judged_answer(
            "a2",
            text,
            (page,),
            1,
            rubric=False,
            model="other-model",
            query="比特币价格是多少？",
            tags=("price",),
        )
    )
    empty = InputFault(code="empty_answer", message="The answer of row 4 is empty.")
    folder.add_answer(
        judged_answer("a3", "", rubric=False, faults=[empty], model="other-model", query="Nothing?")
    )
    return folder.path
