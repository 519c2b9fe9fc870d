"""What kind of claim a part of a sentence is: a value, a date, a name, how something works, or an opinion.

The first that fits counts. An opinion is what no source could hold as a fact: questions, offers, advice,
disclaimers, forecasts that nobody else is said to make, judgements without a value, and what has neither
value nor name and cites nothing. All others need a citation. The words were put together for the answers of
analysts in English and Chinese; one that is missing makes an opinion a claim that must be sourced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.claims.facts import Fact, is_measured
from verifaible.claims.verbs import finite_verb
from verifaible.schema.analyst import ClaimKind
from verifaible.text.language import HAN
from verifaible.text.lists import words_of

_WORD: Final = re.compile(r"[^\W\d_][\w'’./-]*")
_SAYS: Final = re.compile(r"[^\W_]")
_DISCLAIMER: Final = (
    r"(?:not|n't|no|never)\b[^.]{0,30}\b(?:financial|investment|trading|legal|tax)\s+advice|\bDYOR\b"
    r"|do\s+your\s+own\s+(?:research|due diligence)|past\s+performance|for\s+informational\s+purposes"
    r"|不构成|投资有风险|入市需谨慎|仅供参考|自行(?:研究|判断|承担)"
)
_OFFER: Final = (
    r"\b(?:let me know|would you like|do you (?:want|mean)|feel free|happy to"
    r"|i(?:'|’)?(?:ll|d| will| can| could| would)|if you(?:'|’)?(?:d| would)? (?:like|want)"
    r"|you (?:can|could|may)|in (?:my|our) (?:view|opinion)|(?:to|for) me"
    r"|(?:we|i) (?:recommend|suggest|think|believe))\b"
    r"|(?:我(?:们)?|个人)(?:认为|觉得)|在我(?:们)?看来|我(?:可以|能|会)|[您你](?:还)?(?:想|需要|希望)|如(?:果|需)您|欢迎"
    r"|请(?:您|问|提供|告诉|注意)"
)
_ADVICE: Final = (
    r"\b(?:investors?|traders?|holders?|you|we|one|users?|buyers?|sellers?)"
    r"\s+(?:should|ought|must|need to|may want)\b"
    r"|\b(?:is|are)\s+(?:recommended|advisable|advised|prudent|worth (?:watching|considering|monitoring))\b"
    r"|\bstop[- ‑]loss(?:es)?\b"
    r"|建议|应(?:当|该)?(?:关注|控制|谨慎|避免|考虑|注意|设置)|可(?:以)?考虑|宜|不宜|务必|切勿|需谨慎|止损"
)
_REQUEST: Final = re.compile(f"{_DISCLAIMER}|{_OFFER}|{_ADVICE}", re.IGNORECASE)
#: Begin a sentence that tells the reader to do something.
_IMPERATIVES: Final = words_of(
    """
    consider track monitor watch use set diversify avoid focus keep wait check remember note always never do
    don't review follow start stay limit size buy sell hold look take make be please share provide tell ask
    let see read visit compare treat consult verify research ensure prioritise prioritize plan prepare choose
    """
)
#: What is only possible, or still to come; and who may be said to expect it.
_FORECAST: Final = re.compile(
    r"\b(?:may|might|could|would|likely|probably|possibly|perhaps|potentially|upside|downside|presumably"
    r"|should|realistically|plausible)\b"
    r"|\b(?:expected|anticipated|projected|forecast|set|poised|likely) to\b"
    r"|可能|有望|或将|或会|预计|预期|料将|大概率|或许|也许|恐|倾向于|将会|有潜力|看(?:涨|跌|好|淡)至",
    re.IGNORECASE,
)
_ATTRIBUTED: Final = re.compile(
    r"\b(?:[Aa]ccording to|said|says|stated|states|announced|reported|confirmed)\b"
    r"|\b(?:as reported by|[Pp]er|cited by|data from|reports?|citing)\b\s*(?:the\s+)?[A-Z\d]"
    r"|\b(?i:analysts?|experts?|economists?|strategists?|models?|traders?|banks?|surveys?|consensus)\b"
    r"|\b[A-Z][\w.&-]*\s+(?:sees?|expects?|predicts?|projects?|forecasts?|estimates?|anticipates?|targets?)\b"
    r"|据|根据|按照|(?:分析师|专家|机构|市场|银行|交易员|研究员|模型|[A-Za-z][\w.]*|高盛|花旗|渣打|摩根\w{0,3})"
    r"(?:普遍|均|则)?(?:预计|预测|预期|认为|估计|指出|称|表示|看到|目标)"
)
_CONDITION: Final = re.compile(
    r"\W*(?:(?:if|should|once|unless|when|assuming)\b|若|如果|一旦|假如|倘若|只要|除非|当)", re.IGNORECASE
)
_JUDGEMENTS: Final = words_of(
    """
    bullish bearish optimistic pessimistic strong weak solid modest attractive healthy promising mixed
    balanced constructive favourable favorable risky safe cheap expensive undervalued overvalued
    compelling robust fragile impressive disappointing crucial important key significant notable
    realistic conservative aggressive cautious volatile uncertain good bad better best worst great ideal
    suitable resilient speculative exciting explosive
    """
)
#: "is bullish", "looks stronger", "overall sentiment", "是稳健的选择"
_JUDGED: Final = re.compile(
    r"\b(?:is|are|was|were|looks?|seems?|appears?|remains?|stays?|feels?|be)\s+"
    r"(?:\w+ly\s+|very\s+|quite\s+|still\s+|more\s+|less\s+|much\s+|the\s+|an?\s+|most\s+)*"
    rf"(?:{'|'.join(sorted(_JUDGEMENTS))}|stronger|weaker|safer|riskier|healthier)\b"
    r"|\b(?:looks?|seems?|appears?|feels?)\s+(?:much\s+)?(?:more|less)\s+\w+"
    r"|[是为算](?:一个|一种|一项|最|更|较|比较|非常|相对|个)*(?:不错|稳健|稳妥|理想|合适|明智|可靠|优质|好|佳|安全|值得)",
    re.IGNORECASE,
)
_VIEW: Final = re.compile(r"\b(?:sentiment|outlook|bottom line|thesis)\b|情绪|前景|展望", re.IGNORECASE)
_LABEL: Final = re.compile(r"\s*([^:：.。!?？]{1,60})[:：](?=\s|[^\x00-\x7f]|[$€£¥~≈\d+–-])\s*")
#: Titles that say what follows is about: "What the vault does".
_TOPIC: Final = re.compile(r"\W*(?:what|how|why|who|where)\b", re.IGNORECASE)
_SOURCES: Final = re.compile(
    r"\W*(?:data )?(?:sources?|references?|(?:数据|资料)?(?:来源|出处))\s*[:：]", re.IGNORECASE
)
#: Capitalised words that name no one.
_NO_NAMES: Final = words_of(
    """
    crypto web3 rsi macd sma ema tvl defi nft nfts etf etfs ai l1 l2 dao dex usd eur api fdv apy apr q1 q2 q3
    q4 h1 h2 roi evm zk pos pow yoy mom qoq ytd gdp cpi ii iii iv
    """
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What decides with the words of a part what kind it is.

    Attributes:
        sentence: the sentence that it is from.
        heading: whether it is a heading or a line that leads in what follows.
        cell: whether it is a cell of a table.
        item: whether it is an item of a list.
        label: whether it is the cell that says what its row is about.
        cited: whether it has marks of its own, of its sentence, its item or its row.
    """

    sentence: str
    heading: bool = False
    cell: bool = False
    item: bool = False
    label: bool = False
    cited: bool = False


def kind_of(text: str, facts: Sequence[Fact], at: Setting) -> ClaimKind:
    """The kind of a part of a sentence.

    Args:
        text: the plain words of the part.
        facts: those in it; ``start`` and ``end`` count in ``text``.
        at: where it stands.
    """
    measured = next((fact for fact in facts if is_measured(text, fact)), None)
    if at.label or at.heading:
        states = at.label or re.search(r"[:：]\s*\S", text) or finite_verb(text)
        return "number" if measured and states else "opinion"
    said = _up_to_value(text, facts)
    forecast = not at.cited and _FORECAST.search(said) and not _ATTRIBUTED.search(at.sentence)
    if forecast or _is_request(text, said, at):
        return "opinion"
    if measured:
        return "number"
    return "date" if any(fact.kind == "date" for fact in facts) else _without_value(text, facts, at)


def is_listing(text: str) -> bool:
    """Whether a line only says where something is from: ``Sources: CoinGecko, Messari``."""
    return _SOURCES.match(text) is not None


def _is_request(text: str, said: str, at: Setting) -> bool:
    """Whether a part asks, offers, advises, or says what it is not."""
    label = _LABEL.match(text)
    body = text[label.end() :] if label else text
    first = _WORD.search(body)
    ends = (each.rstrip(" \t\"'”’」』)）*_")[-1:] for each in (at.sentence, text))
    if any(end in ("?", "？") for end in ends) or _REQUEST.search(said):
        return True
    if first is None or _SAYS.search(body[: first.start()]) or first[0].lower() not in _IMPERATIVES:
        return False
    verb = finite_verb(body)
    return verb is None or verb.bare


def _up_to_value(text: str, facts: Sequence[Fact]) -> str:
    """The text to the first value that is stated, behind a verb and not in a condition: what is hedged or
    thought behind it leaves the value a fact. Dates are blank, so that a month is no hedge (May).
    """
    for fact in facts:
        if fact.kind == "date":
            text = text[: fact.start] + "0" * (fact.end - fact.start) + text[fact.end :]
    first = next((fact for fact in facts if is_measured(text, fact)), None)
    verb = finite_verb(text)
    if first is None or verb is None or verb.bare or verb.end > first.start or _CONDITION.match(text):
        return text
    return text[: first.start]


def _without_value(text: str, facts: Sequence[Fact], at: Setting) -> ClaimKind:
    """What a part without value states: anything that a source could hold, with a verb or without.

    A stretch without verb states something of what it stands under: of its label, its item, its row.
    """
    label = _LABEL.match(text)
    body = text[label.end() :] if label else text
    words = _WORD.findall(body)
    judged = at.cell and words and words[0].lower() in _JUDGEMENTS
    if judged or _TOPIC.match(body) or _JUDGED.search(text) or (_VIEW.search(text) and not label):
        return "opinion"
    names = any(fact.kind == "name" and fact.raw.lower() not in _NO_NAMES for fact in facts)
    if finite_verb(body) is None:
        said = label or at.cell or len(words) > 2 or HAN.search(body) or (names and at.item)
        valued = {word.lower() for word in words} & _JUDGEMENTS and not at.cited
        if valued or not said or not _SAYS.search(body):
            return "opinion"
    return "name" if names else "technical"
