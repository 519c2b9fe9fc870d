"""Words that say nothing of what a value is of, and words that say how it is said; English and Chinese."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from verifaible.text.lists import has_any, parted, words_of

#: Words that may stand beside a value in a claim, or in a source, without changing what it is.
HARMLESS: Final = words_of(
    """
    pay pays paid paying
    a an the this that these those its it their there is are was were be been being has have had having do
    does did of at on in to by for with from as and or but while whereas with which who whose where when also
    both about around approximately roughly nearly almost circa some so just only currently current now today
    presently right recently recent latest live as-is still already stand stands stood standing sit sits
    sat sitting hover hovers hovered hovering remain remains remained reach reaches reached reaching hit hits
    come comes came amount amounts amounted amounting total totals totaled totalled worth value valued values
    valuing level levels figure figures number numbers count data show shows showed showing shown indicate
    indicates indicated indicating report reports reported reporting record records recorded recording post
    posts posted register registers registered per according says state states stated via see seen
    saw according listed list lists token tokens coin coins crypto cryptocurrency cryptocurrencies asset
    assets protocol protocols platform network project company price's usd us dollar dollars eur percent pct
    percentage points point metric metrics value key overall roughly well very quite then than into over under
    up-to out per-cent market markets trading traded trade trades trader snapshot overview summary statistics
    stats info information approx avg-of i.e e.g id name symbol ticker measured measure measures using use
    based basis respectively through across until till upto here our we you your they he she what
    how much many more represent represents representing represented equal equals equivalent mean means making
    make makes made put puts putting bring brings bringing brought give gives giving given gave place places
    placing placed tracked track tracks holding hold holds held around-the-clock mark marks marked marking set
    sets setting cover covers covering time period bps bp basis-point source sources note notes notably
    however meanwhile additionally moreover further furthermore overall together leaving left keeping keep
    keeps kept carrying carries carry boasts boast feature features featuring enjoys sees changed hands
    changing change changes thousand million billion trillion thousands millions billions
    trillions mn bn lie lies lying range ranges ranging between within sized size fully real-time realtime
    round get gets getting got earn earns earned earning run runs running
    take takes taking cost costs go goes went thus hence therefore thereby collect collects collected generate
    generates generated allocation allocations allocated
    """
) | {"s", "t", "re", "ll"}
_FORECAST: Final = re.compile(
    r"\b(?:could|(?-i:may)|might|would|should|expect(?:s|ed|ing|ations?)?|forecast(?:s|ed|ing)?"
    r"|predict(?:s|ed|ion|ions|ing)?|project(?:s|ed|ions?|ing)(?! (?:raised|has|had|is|was))"
    r"|(?<!gas )(?<!rate )target(?:s|ed|ing)?(?! range)|anticipat\w*"
    r"|potential(?:ly)?|outlook"
    r"|estimat(?:e|es|ed|ing)|foresee\w*|scenario|goal|aims?|aiming|plan(?:s|ned|ning)?|if|will|likely"
    r"|possibl[ey]|poised"
    r"|eye(?:s|d|ing)|assum\w*|hypothetical\w*|upside|bull case|bear case|bullish case|by 20[3-9]\d"
    r"|model(?:s|led)?)\b"
    r"|预计|预测|预期|预估|有望|可能|或将|将会|将达|将升|将跌|将突破|目标(?!区间|利率)|看至|看涨至|若|如果|假设|估计"
    r"|计划|展望",
    re.IGNORECASE,
)
_DENIAL: Final = re.compile(
    r"\b(?:not|never|no longer|no one|nobody|without|neither|nor|cannot"
    r"|false(?:ly)?|wrong(?:ly)?|incorrect(?:ly)?"
    r"|den(?:y|ies|ied)"
    r"|debunk\w*|myths?|misconceptions?|hoax\w*|disprov\w*|satir\w*|fiction\w*|contrary"
    r"|rumou?r\w*|alleged(?:ly)?|claimed|mistaken(?:ly)?|fail(?:s|ed)? to|unable)\b|n't\b"
    r"|没有|并未|并非|不是|未能|从未|未曾|否认|不实|谣传|误传|尚未",
    re.IGNORECASE,
)
_DOWN: Final = re.compile(
    r"\b(?:fell|fall(?:s|ing|en)?|drop(?:s|ped|ping)?|declin(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|down"
    r"|lower(?:ed|s)?"
    r"|reduc(?:ed|es|tion|ing)|slid|slid(?:es|ing)|slip(?:s|ped|ping)?|shr[aiu]nk|los(?:t|s|es|ing)|cut"
    r"|dip(?:s|ped|ping)?"
    r"|plung(?:e|es|ed|ing)|tumbl(?:e|es|ed|ing)|sank|sunk|eased|retreat(?:s|ed)?|crash(?:es|ed)?"
    r"|plummet(?:s|ed)?"
    r"|shed|sheds|slump(?:s|ed)?)\b|下跌|下降|下滑|下挫|下调|回落|跌|降|减少|缩水|走低",
    re.IGNORECASE,
)
_RISE: Final = re.compile(
    r"\b(?:rose|ris(?:e|es|en|ing)|gain(?:s|ed|ing)?|up|increas(?:e|es|ed|ing)|climb(?:s|ed|ing)?"
    r"|jump(?:s|ed|ing)?"
    r"|surg(?:e|es|ed|ing)|advanc(?:e|es|ed|ing)|soar(?:s|ed|ing)?|rall(?:y|ied)|grew|grow(?:s|n|ing"
    r"|th)?|higher|added"
    r"|rebound(?:s|ed|ing)?|spik(?:e|es|ed|ing)|expand(?:s|ed)?|recover(?:s|ed)?)\b|上涨|增长|上升|上调|上行"
    r"|涨|升|增加|回升|走高|反弹",
    re.IGNORECASE,
)
#: Words that narrow what a value is of: with one on one side only, two values are not the same.
QUALIFIERS: Final = words_of(
    """
    spot futures future perpetual perpetuals perp perps derivative derivatives option options etf etfs testnet
    mainnet net gross adjusted realized realised real median average mean minimum maximum min max peak
    cumulative annualized lifetime institutional retail borrow borrowed lend lending supply supplied deposit
    staking staked short long buy sell bid ask open close opening closing previous former initial original
    weekly monthly daily hourly yearly quarterly onchain on-chain offchain dex cex nft native bridged wrapped
    stable volatile unrealized implied historical base reward boosted insurance reserve team foundation
    ecosystem community treasury burned locked unlocked vested below above excluding except including ex
    """
)
_ZH_HARMLESS: Final = re.compile(
    r"(?:数值|金额|产品|宣布|公布|目前|当前|现在|今日|代币|加密货币|数字货币|数据|显示|报告|根据|来自|大约|左右|已经|达到|达|约"
    r"|为|是|的|了|在|其|该|这|那|于|与|和|及|至|到|则"
    r"|而|并|均|仅|共|合计|有|现|已|升至|跌至|报|录得|位于|处于|维持|高达|价值|美元|枚|个|亿|万|元|幅度"
    r"|幅|上|中|里|被|由|从|以|对|将|就|都|也|还|又|却"
    r"|，|。|、|：|；|（|）|“|”|《|》|以及|同时|此外|另外|其中|分别|计|占|内|期间|时)"
)
_HAN: Final = re.compile(r"[\u3400-\u9fff]+")
_WORD: Final = re.compile(r"[A-Za-z0-9À-ÿ]+(?:['’&][A-Za-z]+)?")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z]{3})(?=\d)")
#: Parts of the words above, in lower case: without any of them their patterns need no try.
_FORECAST_ROOTS: Final = parted(
    "could|may|might|would|should|expect|forecast|predict|project|target|anticipat|"
    "potential|outlook|estimat|foresee|scenario|goal|aim|plan|if|will|likely|possibl|"
    "poised|eye|assum|hypothetical|upside|case|by 20|model|预|望|可能|将|目标|看|若|如果|假设|估计|计划|展望"
)
_DENIAL_ROOTS: Final = parted(
    "not|never|no longer|no one|nobody|without|neither|nor|false|wrong|incorrect|den|debunk|contrary|"
    "rumo|alleged|claimed|mistaken|fail|unable|myth|misconcep|hoax|disprov|satir|fiction|n't|没|未|非|不|否认|谣|误"
)


def forecast(text: str) -> bool:
    """Whether a text speaks of what may come."""
    return has_any(text.lower(), _FORECAST_ROOTS) and bool(_FORECAST.search(text))


def denial(text: str) -> bool:
    """Whether a text denies something, or calls it rumoured."""
    return has_any(text.lower(), _DENIAL_ROOTS) and bool(_DENIAL.search(text))


def direction(text: str) -> int:
    """1 where a text speaks of a rise, -1 of a fall, 0 of neither or of both."""
    return bool(_RISE.search(text)) - bool(_DOWN.search(text))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without its ending, in lower case; alike for the forms of one English word."""
    lowered = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    if len(lowered) <= 3 or lowered.isdigit():
        return lowered
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if lowered.endswith(ending) and len(lowered) - len(ending) >= 3 and not lowered.endswith("ss"):
            lowered = lowered[: -len(ending)] + rest
            break
    if len(lowered) > 4 and lowered[-1] == lowered[-2] and lowered[-1] not in "ls":
        lowered = lowered[:-1]
    return lowered.removesuffix("e") if len(lowered) > 3 else lowered


_HARMLESS_STEMS: Final = frozenset(map(stem, HARMLESS)) - frozenset(map(stem, QUALIFIERS))
#: Stems of the words that narrow what a value is of.
QUALIFYING: Final = frozenset(map(stem, QUALIFIERS))


def key_words(key: str) -> str:
    """A JSON key or a column's name as words: ``priceChange_24h`` is ``price Change 24h``."""
    spaced = _CAMEL.sub(" ", key.replace("_", " ").replace("-", " "))
    return re.sub(r"\b[hd](\d{1,2})\b", lambda match: match[1] + match[0][0], spaced)


@lru_cache(maxsize=2048)
def content_words(text: str) -> frozenset[str]:
    """Stems of the words of a text that may say what a value is of; pairs of Chinese characters."""
    found = set()
    for word in _WORD.findall(text):
        short = stem(word)
        if (
            short not in _HARMLESS_STEMS
            and (len(short) > 1 or short.isdigit())
            and not _DIRECTED.fullmatch(word)
        ):
            found.add(short)
    found.update(f"{match[1].lower()}:{match[2].lower()}" for match in _LETTERED.finditer(text))
    if not text.isascii():
        for run in _HAN.findall(_ZH_HARMLESS.sub("\n", text)):
            left = _DIRECTED_ZH.sub("\n", run)
            for part in left.split():
                found.update(part[at : at + 2] for at in range(len(part) - 1)) if len(part) > 1 else None
    return frozenset(found)


def without_harmless(text: str) -> str:
    """A text with blanks for the Chinese words that say nothing of what a value is of."""
    return text if text.isascii() else _ZH_HARMLESS.sub(lambda match: " " * len(match[0]), text)


#: Names of one letter: "Series B", "Class A".
_LETTERED = re.compile(r"\b([A-Za-z]{4,10}) ([A-Z])\b(?!['’.])")
_DIRECTED = re.compile(f"(?:{_DOWN.pattern})|(?:{_RISE.pattern})", re.IGNORECASE)
_DIRECTED_ZH = re.compile(
    r"下跌|下降|下滑|下挫|下调|上调|回落|跌幅|涨幅|跌|降|减少|上涨|增长|上升|涨|升|增加|回升|反弹"
)
