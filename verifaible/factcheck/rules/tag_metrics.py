"""What a number of a sentence measures: by the words before it, behind it, and of the number before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.factcheck.numbers.quantities import Quantity
from verifaible.factcheck.rules.lexicon import MetricWord, metric_units
from verifaible.factcheck.plain_words import QUALIFIERS, content_words, direction
from verifaible.factcheck.rules.tags import FROM_RECORD, Tags
from verifaible.old.units import unit_kind
from verifaible.text.language import HAN
from verifaible.text.lists import words_of

_AFTER_FILL: Final = words_of(
    """
    in of worth as total daily weekly monthly annual the its a an average aggregate reported active open spot
    trading overall combined peak token on-chain price usd us current
    """
)
_STOPS: Final = re.compile(r"[,;.，。；()（）|:：\n]")
_LEVEL_JOIN: Final = re.compile(
    r"[\s,，]*(?:(?:and )?(?:now )?(?:to|at|reaching|trading at|landing at)|至|到|升至|跌至|降至|涨至"
    r"|达到?|为)[\s约]*(?:about |around |nearly )?"
)
#: The same behind a date, which is blank: "on          to".
_DATED_JOIN: Final = re.compile(r"\s+(?:on|in|at)?\s+to\s+")
_PRICE_LEAD: Final = re.compile(
    r"(?:\b(?:at|to|near|around|above|below|over|under|past|hit|hits|reach(?:es|ed)?|touch(?:es|ed)?|is|was|for"
    r"|worth|about|nearly|approximately|roughly|crossed|topped|surpassed|of)|[:：~≈]"
    r"|至|到|为|约|达|是|破|过|在)\s*\Z|\A\s*\Z",
    re.IGNORECASE,
)
_JOINED: Final = re.compile(r"\s*(?:/|to|and|&|vs\.?|of|per|or|,|-to-|、|与|和|占)\s*(?:the |its )?")
_PRONOUN: Final = re.compile(
    r"\b(?:it|the token|the coin|the asset|the price)\b|币价|该币|该代币", re.IGNORECASE
)
#: Ratios that are levels and not changes, whatever word stands before them.
_RATES: Final = words_of(
    """
    apy apr policy_rate funding_rate dominance fee_rate volatility collateral_factor utilization inflation
    staked
    """
)
_AWAY: Final = re.compile(
    r"\s*(?:below|above|off|away from|from|under|short of|lower than|higher than|beneath)\b(?!\s+[$\d])",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(r"\s*of\b|\s*占", re.IGNORECASE)
_MONEY_OF: Final = re.compile(
    r"\s*(?:in|of|worth of|worth|from|per)\s+"
    r"(?!20\d\d|(?:the|a|an|this|last|early|late)\b|Q[1-4]\b|\d)([a-z-]+)"
)
_EACH: Final = re.compile(r"[^,;.，。]{0,20}?(?:\bper[ -]|/ ?)([a-z]+)")
_COUNTED: Final = re.compile(r"[ \u00a0]+([A-Za-z-]{3,})(?:[ \u00a0]+([A-Za-z-]{3,}))?")
_OF: Final = re.compile(r"\s*(?:of|in)\s+((?:[A-Za-z'’-]+\s*){1,4})")
_NO_NOUN: Final = words_of(
    """
    and or but on in at to of by from for with as per over under since while than was were is are has had have
    during within across through after before last this that the its their which who where when amid via
    because due into between against daily
    """
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A number of a sentence: its clause, where the number before it ends and the next one begins."""

    index: int
    number: Quantity
    first: int
    last: int
    previous: int
    following: int

    @property
    def lead(self) -> int:
        """Where the words begin that stand between it and what is before it in its clause."""
        return max(self.previous, self.first)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a number measures: ``base`` is the metric that it is, or is a change of; ``certain``: no doubt."""

    metric: str
    base: str
    certain: bool = True


def measured(tags: Tags, spot: Spot, subjects: frozenset[str], bases: Sequence[str]) -> Measured:
    """What a number measures.

    Args:
        tags: its sentence.
        spot: the number in it.
        subjects: what it is of.
        bases: of the numbers before it, what they measure.
    """
    base, certain, changed = _told(tags, spot)
    ratio = spot.number.unit in ("%", "pp")
    lead = tags.text[spot.lead : spot.number.start]
    if ratio and not changed and base not in _RATES:
        if FROM_RECORD.match(tags.text, spot.number.end):
            return Measured("ath/change", "ath")
        if _AWAY.match(tags.text, spot.number.end):
            return Measured("distance", base, certain=False)
        changed = spot.number.signed or direction(lead) != 0
        if _SHARE.match(tags.text, spot.number.end):
            return Measured("share", base, certain=not changed)
        if not changed and metric_units().get(base) in ("money", "count"):
            return Measured(base, base, certain=False)
    elif base and not changed and spot.number.signed:
        changed = bool(direction(lead)) if ratio else spot.number.mention.sign_source == "word"
    if changed:
        base = base or _changing(tags, spot, subjects)
        return Measured(f"{base}/change" if base else "", base, certain)
    if (
        not base
        and not ratio
        and bases
        and (
            _LEVEL_JOIN.fullmatch(tags.text, spot.previous, spot.number.start)
            or _DATED_JOIN.fullmatch(tags.masked, spot.previous, spot.number.start)
        )
    ):
        base = bases[-1]
    if not base and _is_price(tags, spot, subjects):
        base = "price"
    return Measured(base, base, certain and (not base or _fits(base, spot.number)))


def _told(tags: Tags, spot: Spot) -> tuple[str, bool, bool]:
    """The metric told beside a number, whether that is certain, and whether it is told as a change."""
    before = [m for m in tags.metrics if m.start >= spot.previous and m.end <= spot.number.start]
    after = _behind(tags, spot.number, min(spot.following, spot.last))
    levels = [metric for metric in before if metric.value != "change"]
    changed = bool(before and before[-1].value == "change") or bool(after and after.value == "change")
    own_after = after if after and after.value != "change" else None
    # metrics stand before their numbers in a sentence, as the first number shows
    leads = any(metric.end <= tags.numbers[0].start for metric in tags.metrics)
    if before and (leads or not after):
        base, certain = _joined(tags, levels)
        if own_after and own_after.value != base and not _leads_on(tags, own_after, spot.following):
            both = f"{base}+{own_after.value}" if base else own_after.value
            return both, certain and bool(levels), changed
        return base, certain, changed
    if own_after:
        return own_after.value, True, changed
    return (*_joined(tags, levels), changed)


def _leads_on(tags: Tags, metric: MetricWord, following: int) -> bool:
    """Whether a metric behind a number leads up to the next one: "price $5 volume $3"."""
    if following >= len(tags.text):
        return False
    gap = tags.text[metric.end : following].rstrip(":： ")
    return not content_words(tags.masked[metric.end : following]) and not _STOPS.search(gap)


def _joined(tags: Tags, levels: Sequence[MetricWord]) -> tuple[str, bool]:
    """The last metric, or two that stand side by side; uncertain where they are joined by a word."""
    if not levels:
        return "", True
    last = levels[-1]
    if len(levels) < 2 or levels[-2].value == last.value:
        return last.value, True
    gap = tags.text[levels[-2].end : last.start]
    if not gap.strip():
        return f"{levels[-2].value}+{last.value}", True
    return last.value, not _JOINED.fullmatch(gap)


def _behind(tags: Tags, number: Quantity, limit: int) -> MetricWord | None:
    """The metric right behind a number: "$5 in volume", "5% APY"."""
    metric = next((metric for metric in tags.metrics if metric.start >= number.end), None)
    if metric is None or metric.start > limit:
        return None
    gap, masked = tags.text[number.end : metric.start].strip(), tags.masked[number.end : metric.start]
    if not gap or gap in ("(", "（"):
        return metric
    if _STOPS.search(gap) or HAN.search(masked.replace("的", "")):
        return None
    filled = all(word in _AFTER_FILL or word in QUALIFIERS for word in re.findall(r"[a-z-]+", masked.lower()))
    return metric if filled else None


def _changing(tags: Tags, spot: Spot, subjects: frozenset[str]) -> str:
    """What a change is of: the metric told before it, or the price where an asset is said to change."""
    first, start = spot.first, spot.number.start
    if not tags.names_in(first, start) and not _PRONOUN.search(tags.text[first:start]):
        earlier = [metric for metric in tags.metrics if metric.end <= start and metric.value != "change"]
        if earlier:
            return earlier[-1].value
    asset = not subjects or any(tags.lexicon.kind(name) == "asset" for name in subjects)
    return "price" if asset and not content_words(tags.masked[first:start]) else ""


def _is_price(tags: Tags, spot: Spot, subjects: frozenset[str]) -> bool:
    """Whether a sum of money beside an asset is its price: "HYPE fell to $36"."""
    number, start = spot.number, spot.lead
    money = unit_kind(number.unit) == "money"
    if not money or len(subjects) != 1 or tags.lexicon.kind(next(iter(subjects))) != "asset":
        return False
    names = tags.names_in(start, number.start)
    if not names and spot.previous > spot.first:
        return False
    tail = tags.text[names[-1].end if names else start : number.start]
    tail = re.sub(r"[$€£¥]\s*\Z", "", re.sub(r"^[)'’s\s]*", "", tail))
    if not _PRICE_LEAD.search(tail) or content_words(tags.masked[start : number.start]):
        return False
    return not _MONEY_OF.match(tags.text, number.end)


def noun_behind(tags: Tags, number: Quantity, following: int) -> frozenset[str]:
    """Stems of what a number counts, or is a share of or for each of: "12 investors", "45% of the supply"."""
    masked = tags.masked[:following]
    noun = _COUNTED.match(masked, number.end)
    if noun and noun[1].lower() in _NO_NOUN:
        noun = None
    if noun and (number.unit in ("", "枚", "个", "人", "倍") or number.unit.isupper()):
        second = noun[2] or ""
        further = second.lower() not in _NO_NOUN and not second.endswith("ed")
        return content_words(f"{noun[1]} {second}" if further else noun[1])
    if number.unit == "%" and (share := _OF.match(masked, number.end)):
        return content_words(share[1])
    if number.unit == "%" and noun:
        return content_words(noun[1])
    money, each = _MONEY_OF.match(masked, number.end), _EACH.match(masked, number.end)
    found = content_words(money[1]) if money else frozenset()
    return found | content_words(each[1]) if each else found


def _fits(base: str, number: Quantity) -> bool:
    """Whether a number's unit can be that of a metric."""
    wanted = metric_units().get(base.rsplit("+", maxsplit=1)[-1], "")
    unit, kind = number.unit, unit_kind(number.unit)
    token = unit.isascii() and unit.isupper() and unit.isalnum()
    if wanted == "money":
        return kind == "money" or not unit or token
    if wanted == "count":
        return kind in ("count", "") and unit != "倍"
    if wanted == "%":
        return unit in ("%", "pp", "")
    return wanted != "time" or kind == "time"
