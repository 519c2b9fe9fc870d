"""What a sentence has beyond the items of a claim: whether it leaves what they say as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from verifaible.answers.name_words import words_of
from verifaible.judge.rules.phrases import APART, NAMES, Item, Row
from verifaible.judge.rules.plain_words import denial, forecast

_NEXT_VERB: Final = re.compile(
    r"(?:[;,]\s*(?:and|but|then)?|\b(?:and|but|then))\s*(?:(?:it|they|then|also|later|has|had|have)\s+)*\Z"
)
_BEGINS: Final = re.compile(r"[;:；：，—–]|,\s|\b(?:while|whereas|but|although)\b")
_ENDS: Final = re.compile(
    r"[,.;:()，。；：、（）—–?？!！]|\s(?:and|or|but|while|whereas|although|which|who)\s|，|\Z"
)
_SUBORDINATE: Final = re.compile(
    r"\b(?:which|who|whom|whose|that|if|unless|whether|where|when)\b", re.IGNORECASE
)
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|whether|should|would|were)\b|如果|若|一旦|假如", re.IGNORECASE
)
#: Said behind a statement, these take it back.
_TAKEN_BACK: Final = re.compile(
    r"\b(?:rumou?r\w*|alleg\w+|reportedly|unconfirmed|false\w*|den(?:y|ies|ied)|disput\w+|expect\w*"
    r"|if|unless|(?<!not )contingent|pending|subject to)\b|传闻|据称|未经证实|否认|如果|待批准",
    re.IGNORECASE,
)
#: What may follow behind the last word of a statement without changing it.
_AFTERTHOUGHT: Final = words_of("after as amid following despite thanks because since when")
#: Words before a name that only say who or what it is.
_DESCRIBES: Final = words_of(
    """
    analyst analysts chief executive officer ceo cto cfo coo president chair chairman governor director
    co-founder cofounder founder founders developer protocol network exchange chain blockchain company firm
    startup token coin stablecoin lender issuer manager platform venue bank rival researcher economist
    minister senator commissioner judge
    """
)
_PARTS: Final = words_of(
    "pool vault contract market bridge wallet protocol chain network composable stable liquidity"
)
_DESCRIBES_HAN: Final = re.compile(
    r"(?:理事|委员|主席|联储|行长|首席|执行官|创始人|联合|分析师|官员|总裁|公司|交易|所|协议|平台|证监会|行政|部长|其中|城)*"
)
_HAN: Final = re.compile(r"[\u3400-\u9fff]+")
_LIGHT: Final = re.compile(r"\b(?:(?:is|are|was|were|has|have|had|been|also|now)\s+)+\Z")
_DATE: Final = re.compile(r"(?:19|20)\d\d|--\d")


def nothing_between(claim: Row, source: Row, places: tuple[int, ...], allowed: frozenset[str]) -> bool:
    """Whether what stands between the items matched leaves them one statement.

    Args:
        claim: the claim.
        source: the sentence.
        places: for each item of the claim, the number of that of the sentence.
        allowed: keys of names that may stand between.
    """
    order = sorted(range(len(places)), key=lambda at: places[at])
    for at in range(len(order) - 1):
        one, two = order[at], order[at + 1]
        left, right = source.items[places[one]], source.items[places[two]]
        between = [item for item in source.items[places[one] + 1 : places[two]] if not item.keys & allowed]
        raw = source.text[left.end : right.start]
        if between:
            subject = [source.items[places[each]] for each in order[: at + 1]]
            if not (
                _is_aside(raw, between)
                or _is_other_verb(source.text, subject, right, raw, between)
                or _is_start(between, right)
                or _is_undated(claim, between)
            ):
                return False
        elif APART.search(raw) and not _apart_too(claim, (one, two), (left, right), raw):
            return False
    return True


def _is_aside(raw: str, between: Sequence[Item]) -> bool:
    """Whether what stands between is in brackets, or between two commas."""
    told = _LIGHT.sub("", raw).strip()
    if denial(told) or _CONDITION.search(told):
        return False
    if told[:1] in "(（" and told[-1:] in ")）":
        return True
    inner = told[1:-1]
    return told[:1] == told[-1:] == "," and not re.search(r",|\band\b", inner) and len(told) > 1


def _is_other_verb(
    text: str, subject: Sequence[Item], right: Item, raw: str, between: Sequence[Item]
) -> bool:
    """Whether what stands between is another predicate of the same subject: "A merged with B and raised"."""
    if right.kind != "word" or not _NEXT_VERB.search(raw) or denial(raw) or forecast(raw):
        return False
    if _SUBORDINATE.search(raw) or re.search(r"\b(?:said|says|say|claims?|claimed|as)\b", raw):
        return False
    word = text[right.start : right.end].lower()
    if re.search(r",\s*\Z", raw) and (
        not word.endswith("ing") or any(item.kind == "name" for item in between)
    ):
        return False
    if not (right.verb or word.endswith("ing")) or between[0].lead or not between[0].verb:
        return False
    return all(item.kind != "number" for item in subject)


def _is_start(between: Sequence[Item], right: Item) -> bool:
    """Whether only the value is left out from which something came "to" the next one."""
    return (
        len(between) == 1
        and between[0].quantity is not None
        and between[0].lead == "from"
        and right.lead == "to"
    )


def _is_undated(claim: Row, between: Sequence[Item]) -> bool:
    """Whether only a date is left out, of a claim that has none."""
    dated = any(item.kind == "period" for item in claim.items)
    return not dated and all(item.kind == "period" and _DATE.match(next(iter(item.keys))) for item in between)


def _apart_too(claim: Row, pair: tuple[int, int], found: tuple[Item, Item], raw: str) -> bool:
    """Whether a comma or an "and" between two items does not part what the claim has together."""
    left, right = found
    if "period" in (left.kind, right.kind):
        return ";" not in raw and not re.search(r"\b(?:and|but|or)\b", raw)
    if raw.strip() in (":", "：") and right.kind == "number":
        return True
    low, high = sorted(pair)
    if high - low != 1:
        return False
    return bool(APART.search(claim.text[claim.items[low].end : claim.items[high].start]))


def begins_well(source: Row, places: tuple[int, ...], allowed: frozenset[str], *, reduced: bool) -> bool:
    """Whether what stands before the first item matched leaves the statement as it is."""
    core = [place for place in places if source.items[place].kind != "period"] or list(places)
    first = min(core)
    before = source.text[: source.items[first].start]
    if denial(before) and not re.search(r"[;；]", before):
        return False
    cut = max((match.end() for match in _BEGINS.finditer(before)), default=0)
    over, tail = before[:cut], before[cut:]
    if _CONDITION.search(over) or forecast(tail):
        return False
    rest = [
        item
        for at, item in enumerate(source.items[:first])
        if item.start >= cut and at not in places and not item.keys & allowed
    ]
    if reduced:
        return not forecast(before)
    if _SUBORDINATE.search(tail):
        return False
    if rest and not _describes(source, rest, source.items[first]):
        return False
    return bool(rest) or not _shared(source, first, cut, over)


def _describes(source: Row, rest: Sequence[Item], first: Item) -> bool:
    """Whether words before a name only say who it is."""
    words = [source.text[item.start : item.end].lower() for item in rest]
    if all(_HAN.fullmatch(word) for word in words):
        return _DESCRIBES_HAN.fullmatch("".join(words)) is not None
    if any(item.kind == "period" for item in rest):
        rest = [item for item in rest if item.kind != "period"]
        words = [source.text[item.start : item.end].lower() for item in rest]
    if not rest:
        return True
    return first.kind in NAMES and all(
        word in _DESCRIBES and not item.lead for word, item in zip(words, rest, strict=True)
    )


def _shared(source: Row, first: int, cut: int, over: str) -> bool:
    """Whether the first item is the last of a list of names that share one verb: "A, B and C raised 5"."""
    if not over.rstrip().endswith((",", "，", "、")) or first == 0:
        return False
    last = source.items[first - 1]
    if source.items[first].kind not in NAMES or last.kind not in NAMES:
        return False
    return not last.lead and not source.text[last.end : cut].strip(" ,，、")


def ends_well(source: Row, places: tuple[int, ...], allowed: frozenset[str]) -> bool:
    """Whether what stands behind the last item matched leaves the statement as it is."""
    last = source.items[max(places)]
    if source.text.rstrip().endswith(("?", "？")) or _TAKEN_BACK.search(source.text, last.end):
        return False
    end = _ENDS.search(source.text, last.end)
    stop = end.start() if end else len(source.text)
    rest = [item for item in source.items if last.end <= item.start < stop and not item.keys & allowed]
    if not rest:
        return True
    words = re.findall(r"[A-Za-z-]+", source.text[last.end : stop].lower())
    if _lead_of_name(source, max(places)) == "from" and _is_part(source, rest):
        return True
    if words and words[0] in _AFTERTHOUGHT and not source.text[last.end : stop].lstrip()[:1].isdigit():
        return True
    return all(item.kind == "period" and _DATE.match(next(iter(item.keys))) for item in rest) and not any(
        source.items[place].kind == "period" for place in places
    )


def _lead_of_name(source: Row, at: int) -> str:
    """The preposition before a name of one or more words; empty where the item is none."""
    while at > 0 and source.items[at].kind in NAMES and not source.items[at].lead:
        if source.text[source.items[at - 1].end : source.items[at].start] != " ":
            break
        at -= 1
    return source.items[at].lead if source.items[at].kind in NAMES else ""


def _is_part(source: Row, rest: Sequence[Item]) -> bool:
    """Whether what follows a name only says which part of it: "from Balancer V2 pools on six chains"."""
    words = [(item, source.text[item.start : item.end].lower()) for item in rest]
    kinds = [item.kind in ("proper", "number") or word.rstrip("s") in _PARTS for item, word in words]
    return all(kinds)
