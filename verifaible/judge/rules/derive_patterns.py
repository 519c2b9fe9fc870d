"""The words by which calculations are named, as patterns over masked claims (:mod:`derive_words`).

``x`` and ``y``, or ``a`` and ``b``, are the operands, ``r`` the result, ``n`` a noun that belongs to both.
Longer than other modules, since it is data.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from verifaible.judge.rules.derive_words import DATE, NUMBER, RESULT

N, _D = NUMBER, DATE
R = rf"(?P<r>{RESULT})"
_HEDGE = (
    r"(?:(?:about|around|roughly|approximately|approx\.|some|nearly|almost|only|just|over|under|more than"
    r"|less than|a|an|the|by|of|at|to|total|further|whopping|~|≈|-)\s*)*"
)
_BE = (
    r"(?:(?:is|are|was|were|be|being|stands? at|stood at|sits? at|reached|reaches|comes? (?:out )?(?:to|at)"
    r"|came (?:out )?(?:to|at)|amounts? to|amounted to|equals?|equalled|is equal to|works out (?:to|at)"
    r"|makes?"
    r"|gives?|represents?|represented|accounts? for|accounted for|constitutes?|comprises?|makes? up|made up"
    r"|equates? to|corresponds? to|runs?|ran|has|have|had|handles?|sees?|=|≈|:)\s*)"
)
_UP_VERB = (
    r"rose|risen|rises?|rising|grew|grown|grows?|growing|increas(?:ed?|es|ing)|up|gain(?:ed|s)?|climb(?:ed"
    r"|s)?"
    r"|surg(?:ed?|es)|jump(?:ed|s)?|soar(?:ed|s)?|advanc(?:ed|es)|rall(?:ied|ies)|expand(?:ed|s)?"
    r"|improv(?:ed|es)|appreciat(?:ed|es)|swung|rebound(?:ed|s)?|added|spiked|raising|raised"
    r"|recovered|widen(?:ed|s)|boosted|lifted|swell(?:ed|s)|doubled|tripled"
)
_DOWN_VERB = (
    r"fell|fallen|falls?|falling|drop(?:ped|s)?|declin(?:ed?|es)|decreas(?:ed?|es|ing)|down|lost|loses"
    r"|los[st]|slid"
    r"|slides?|slipp?e?d?|shrank|shrunk|contract(?:ed|s)?|reduc(?:ed|es)|plung(?:ed?|es)|tumbl(?:ed?|es)"
    r"|sank|eased"
    r"|cut|dipped|retreated|plummeted|worsened|crashed|shed|loss|trim(?:s|med)?|pared|slashed"
    r"|lower(?:ed|ing)|shrinks?|shrinking"
    r"|narrow(?:ed|s)|sag(?:ged|s)"
)
_UP_WORD = (
    r"higher|above|more|larger|bigger|greater|longer|wider|faster|taller|ahead of|better|over(?=\s)"
    r"|premium to"
)
_DOWN_WORD = (
    r"lower|below|less|smaller|fewer|shorter|narrower|behind|under(?=\s)|beneath"
    r"|off(?=\s(?:its|the|their|an?)\b)|short of|discount to|cheaper"
)
_UP_NOUN = r"increase|gain|rise|growth|jump|climb|surge|improvement|expansion|uptick|advance|upside"
_DOWN_NOUN = (
    r"decrease|decline|drop|fall|loss|reduction|contraction|slide|dip|plunge|downside|drawdown|correction"
)
_UP_ZH = r"增长|上升|增加|上涨|增幅|涨幅|上调|提高|提升|攀升|多出|增多|升幅|增|涨|升"
_DOWN_ZH = r"下降|减少|下跌|降幅|跌幅|下滑|回落|下调|降低|萎缩|减幅|降|跌|减"
#: Verbs between what is more and what is less.
PASSES: Final = (
    r"exceed(?:s|ed|ing)?|leads?|led|tops?|topped|beats?|outpac(?:es?|ed)|surpass(?:es|ed)?"
    r"|outstrip(?:s|ped)?"
    r"|outweigh(?:s|ed)?|outgr[eo]ws?|outnumber(?:s|ed)?|dwarf(?:s|ed)?|eclips(?:es?|ed)|overtakes?"
    r"|overtook"
)
RELATIVE: Final = (
    (
        "year",
        re.compile(
            r"year[- ](?:over|on)[- ]year|\byoy\b|\by/y\b|同比|year (?:earlier|ago|before)"
            r"|(?:previous|prior|preceding|last) year|\bin (?:one|a) year\b|over (?:one|a) year\b"
            r"|over (?:the (?:past|last) )?(?:twelve|12) months|上年同期|去年同期|上年"
        ),
    ),
    (
        "quarter",
        re.compile(
            r"quarter[- ](?:over|on)[- ]quarter|\bqoq\b|\bq/q\b|quarter (?:earlier|ago)"
            r"|(?:previous|prior|preceding|last) quarter|上季度|上一季度"
        ),
    ),
    (
        "month",
        re.compile(
            r"month[- ](?:over|on)[- ]month|\bmom\b|\bm/m\b|month (?:earlier|ago)|上月|上个月"
            r"|(?:previous|prior|preceding|last) month"
        ),
    ),
    (
        "week",
        re.compile(
            r"week[- ](?:over|on)[- ]week|\bwow\b|\bw/w\b|week (?:earlier|ago)|上周"
            r"|(?:previous|prior|preceding|last) week"
        ),
    ),
    ("period", re.compile(r"环比|sequentially|previous period|prior period|上期")),
)
_END = r"(?=\s*(?:[,;(){}，；（）。]|\.?\s*\Z|\s[-–—]\s))"

_FILL = (
    r"[\s了约近达为超过逾仅大幅]*(?:(?:by|of|about|around|roughly|approximately|some|nearly|almost"
    r"|only|just|over"
    r"|more than|less than"
    r"|a|an|another|as much as|year[- ]over[- ]year|year[- ]on[- ]year|yoy|quarter[- ]over[- ]quarter|qoq"
    r"|month[- ]over[- ]month"
    r"|week[- ]over[- ]week|sharply|slightly|further|value|in|overall|to|the|~|≈)\s+)*"
)
#: What looks like a direction and is none.
NO_WAY = re.compile(
    r"\b(?:mak(?:es?|ing)|made|add(?:s|ed)?|end(?:s|ed)?|sums?|summed|ate|eats?|eaten|took|takes?"
    r"|used?|uses|brings?) up\b|\bup to\b|\bas much as\b"
    r"|新增|增发"
)
#: A word of direction before a result, and what may stand between ("rose quarter over quarter by R").
DIRECTION_BEFORE = re.compile(
    rf"(?:(?P<up>\b(?:{_UP_VERB}|{_UP_NOUN})\b|(?:{_UP_ZH})了?)"
    rf"|(?P<down>\b(?:{_DOWN_VERB}|{_DOWN_NOUN})\b|(?:{_DOWN_ZH})了?))(?P<fill>{_FILL})\Z"
)
DIRECTION_AFTER = re.compile(
    rf"\s*(?:(?P<up>(?:{_UP_NOUN}|{_UP_WORD})\b)|(?P<down>(?:{_DOWN_NOUN}|{_DOWN_WORD})\b))"
    rf"|的(?:(?P<zup>{_UP_ZH})|(?P<zdown>{_DOWN_ZH}))"
)
ANY_CHANGE = re.compile(
    rf"(?P<up>\b(?:{_UP_VERB})\b|(?:{_UP_ZH}))|(?P<down>\b(?:{_DOWN_VERB})\b|(?:{_DOWN_ZH}))"
)
BETTER = re.compile(
    r"\b(?:improv(?:ed|es|ing)|worsen(?:ed|s)|deteriorat(?:ed|es)|improvement|deterioration)\b|改善|恶化"
)
LESS_IS_BETTER = re.compile(
    r"\b(?:churn|costs?|expenses?|loss(?:es)?|debt|leverage|latency|fees?|deficit|attrition"
    r"|delinquen\w+|default|turnaround"
    r"|payback|cost[- ]to[- ]income|opex|burn)\b|流失|成本|费用|亏损|负债|延迟|不良"
)
#: Words of a comparison.
ANY_MORE = re.compile(
    rf"(?P<up>\b(?:higher|above|more|larger|bigger|greater|longer|wider|ahead of|{PASSES})\b|高|多|大|超)"
    rf"|(?P<down>\b(?:lower|below|less|smaller|fewer|shorter|narrower|behind|beneath|short of|off"
    rf"|trail(?:s|ed)?|lag(?:s|ged)?)\b|低|少|小)"
)

#: ``X is R more than Y``, ``X has R more users than Y``, ``X exceeds Y by R``, ``X比Y高R``.
COMPARED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<x>.+?)\s(?:is|are|was|were|stands?|sits?)\s(?:(?P<up>{_UP_WORD})"
        rf"|(?P<down>{_DOWN_WORD}))\s(?:than )?(?P<y>.+?)\s+by\s+{_HEDGE}{R}",
        rf"(?P<x>.+?)\b(?:(?P<up>exceed(?:s|ed)?|leads?|led|tops?|topped|beats?|outpaces?"
        rf"|surpass(?:es|ed)?)"
        rf"|(?P<down>trails?|trailed|lags?|lagged))\s+(?P<y>.+?)\s+by\s+{_HEDGE}{R}",
        rf"(?P<x>[^,，;；。]+?)(?:(?<![同环])比|较)(?P<y>[^,，;；。]+?)(?:(?P<up>高出?|多出?|大"
        rf"|{_UP_ZH})|(?P<down>低|少|小"
        rf"|{_DOWN_ZH}))"
        rf"了?约?\s*{R}",
        rf"(?P<x>.+?)[,，]?(?:(?<![同环])比|较)(?P<y>[^,，;；。]+?)的?(?:(?P<up>高出?|多出?|大"
        rf"|{_UP_ZH})|(?P<down>低|少|小"
        rf"|{_DOWN_ZH}))"
        rf"了?约?\s*{R}",
    )
)
_AS = (
    r"(?:as\s+[a-z]+(?:\s[a-z-]+){0,5}?\s+as\b|that of|those of|those in|that in|the (?:size|level|value"
    r"|amount) of|of(?=\s))?"
)
#: What stands behind R in ``X is R more than Y`` and ``X has R more users than Y``.
MORE_THAN = re.compile(
    rf"\s*(?:(?P<up>{_UP_WORD})|(?P<down>{_DOWN_WORD}))(?:(?P<n>(?:\s[a-z][\w-]*){{0,4}}?)\s+than"
    rf"|\s+(?:from|of))?\s+(?P<y>.+)"
)
HEDGED = re.compile(rf"\s*{_HEDGE}\Z")
#: What stands behind R in ``X is R times Y``.
TIMES_AFTER = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s*as (?:many|much|large|big|high|great)(?P<n>(?:\s[a-z][\w-]*){0,5}?)\s+as\s+(?P<y>.+)",
        rf"\s*{_AS}\s*(?:that of|those of|those in)?\s*(?P<y>[^,;，；]+)(?:[,;].*)?\Z",
    )
)
#: ``X is R times Y``, ``R of Y is X``, ``X 是 Y 的 R``, ``X 占 Y 的 R``.
TIMES_OF = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\A\s*{_HEDGE}{R}\s+of\s+(?P<y>.+?)\s+(?:is|are|was|were|has been|have been)\s+(?P<x>.+)",
        rf"(?P<x>[^,，;；。]+?)(?:相当于|约为|约是|等于|是|为)(?P<y>[^,，;；。]+?)的约?{R}",
        rf"(?:\A|[，。；])(?P<x>[^,，;；。]+?)[在于](?P<y>[^,，;；。]+?)[中里]?的?(?:占比|比重|比例|份额)(?:达到|达|约为|为|是)?约?{R}",
        rf"(?:\A|[，。；])(?P<y>[^,，;；。]+?)[中里][,，]?(?P<x>[^,，;；。]+?)占(?:比|了)?(?:达到|达|约为|为|是)?约?{R}",
        rf"(?P<x>[^,，;；。]+?)占(?:据|了)?(?P<y>[^,，;；。]+?)的?(?:比例|比重|百分比|份额)?(?:达到"
        rf"|达|约为|为|是)?的?约?{R}",
        rf"(?P<x>[^,，;；。]+?)占(?P<y>[^,，;；。]+?)的约?{R}",
    )
)
#: "Of A, R was B": the first is the base.
OF_ALL_LEADS = re.compile(r"\W*of (?:the|its|all|that|this|an?|[a-z]+['’]s)?[^,;:]*,")
RATIO_OF = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bratio (?:of|between) (?P<x>.+?) (?:to|and|versus|vs\.?|over) "
        rf"(?P<y>.+?)\s+{_BE}{_HEDGE}{R}(?P<tail>.*)",
        rf"(?P<x>[^,;:]+?)[- ]to[- ](?P<y>[^,;:]+?) ratio\b.*?{R}(?P<tail>.*)",
        rf"(?P<x>.+?)\b(?:vs\.?|versus|against|compared (?:with|to))\s+(?P<y>[^,;:]+?)[,:;]?\s*(?:(?:is"
        rf"|was|gives|or|a|for)\s)*"
        rf"\bratio\s*(?:of|is|was|:)?\s*{_HEDGE}{R}(?P<tail>.*)",
        rf"(?P<x>[^,，;；。]+?)[与和同对](?P<y>[^,，;；。]+?)(?:之比|的?比值|的?比率"
        rf"|的?比例)(?:约?为|是|达)?约?{R}(?P<tail>.*)",
    )
)
GAP = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<n0>.*?)\b(?:difference|gap|spread|delta|differential)(?P<n>[^,;]{{0,40}}?)\s(?:between"
        rf"|of)\s(?P<x>.+?)\s+"
        rf"(?:and|to)\s+(?P<y>.+?)\s+{_BE}{_HEDGE}{R}(?P<tail>.*)",
        rf"(?P<n0>.*?)(?P<x>{N}) (?:to|and|-) (?P<y>{N}),? (?:a|an|the) (?:difference|gap|spread|delta"
        rf"|range) (?:of|is) {_HEDGE}{R}"
        rf"(?P<tail>.*)",
        rf"(?P<x>[^,，;；。]+?)[与和同](?P<y>[^,，;；。]+?)(?:之差|之间的差距|的差距|的差额|相差"
        rf"|差额|差距|利差)(?:约?为|是"
        rf"|达)?约?{R}(?P<tail>.*)",
    )
)
#: "price ($2.5) × supply (4M)": brackets that hold a value alone.
AROUND_VALUE = re.compile(f"[(（]({N})[)）]")
#: Calculations that a verb opens.
BY_VERB: Final[tuple[tuple[re.Pattern[str], Literal["product", "quotient", "minus"]], ...]] = (
    (
        re.compile(
            rf"\bmultiply(?:ing)? (?P<x>.+?) by (?P<y>.+?)(?:,|\s(?:gives?|yields?|makes?|results?"
            rf"|we)\b).*?{R}"
        ),
        "product",
    ),
    (
        re.compile(
            rf"\bdivid(?:e|ing) (?P<x>.+?) by (?P<y>.+?)(?:,|\s(?:gives?|yields?|makes?|results?"
            rf"|we)\b).*?{R}"
        ),
        "quotient",
    ),
    (
        re.compile(
            rf"\bsubtract(?:ing)? (?P<y>.+?) from (?P<x>.+?)(?:,|\s(?:gives?|yields?|leaves?|results?"
            rf"|we)\b).*?{R}"
        ),
        "minus",
    ),
)
GAP_WORD = re.compile(r"difference|gap|spread|delta|differential|range|差")
OPERATOR = re.compile(
    r"(?P<product>\s?[×*]\s?|\sx\s|\bmultiplied by\b|\btimes(?= (?:its|the|their|a|an|an? average|circ"
    r"|total|max|avg|average|price|supply))"
    r"|乘以|乘)|(?P<quotient>\s?÷\s?|\s/\s|\bdivided by\b|除以|(?<=[\u3400-\u9fff])/(?=[\u3400-\u9fff]))"
    r"|(?P<minus>\bminus\b|\bless(?= [a-z])(?! than\b)|减去|\s[−-]\s(?=[\ue000-\ue3ff]))"
)
EDGE = re.compile(
    r"[=≈():;{}（）：；，]|,|\b(?:is|are|was|were|equals?|gives?|giving|yields?|leaves?|comes? to|works out"
    r"|or"
    r"|each|so|to get|"
    r"implies|implied|resulting|that is|i\.e\.|with|at|amounts? to|amounted to|for(?= a\b))\b"
    r"|(?:约?为|得到|等于|即)"
)
PLUS = re.compile(
    r"\b(?:combined|together|in total|in all|altogether|collectively|in sum|sums?|summed|totals?|totall?ed"
    r"|totall?ing|add(?:s|ed)? up"
    r"|adding|plus|aggregate|jointly|cumulative(?:ly)?|number)\b|合计|总计|共计|总共|之和|加上|加总"
    r"|合共|累计|总和|相加|[+＋]|，共"
    r"|(?<![增追参附叠])加(?![密入速快强权上总仓息盟工油])"
    r"|总(?=市值)"
)
#: Words that make a sum only where more than one thing is listed.
LISTED = re.compile(r":|\bacross\b|\breturned\b|\braised\b")
MEAN = re.compile(r"\bmid-?point\b|\baverag(?:e|es|ed|ing)\b|\bmean\b|\bon average\b|平均|均值")
SPLIT = re.compile(
    r"\s*(?:[,，、;；]\s*(?:and|plus|和|与|及|以及)?|\band\b|\bplus\b|\bas well as\b"
    r"|\s[+＋&]\s|[+＋]|加上|(?<![增追参附叠])加(?![密入速快强权总仓息盟工油])|以及|[和与及、])\s*"
)
EQUIVALENT = re.compile(
    r"(?:\s+(?:long|wide|high|deep|worth|in length|tall|away)\b)?\s*(?:[(（=≈]|[,，]?\s*(?:or|i\.e\.|that is"
    r"|which is|equal to|equivalent to|equals|equalling|namely|meaning|即|相当于|合|折合|也就是|等于)"
    r"|[,，])[\s,(（]*(?:(?:i\.e\.|or|about|around|roughly|approximately|~|≈|约|equal to|即)[\s,]*)*"
)


#: Without one of these no calculation is named; most claims have none, and are not read further.
CUE: Final = re.compile(
    rf"[%‰×÷*+=≈倍]|\b(?:per ?cent|percentage|pct|bps?|basis|times|fold|{_UP_VERB}|{_DOWN_VERB}|{_UP_NOUN}"
    rf"|{_DOWN_NOUN}|{_UP_WORD}"
    rf"|{_DOWN_WORD}|twice|doubl\w+|tripl\w+|quadrupl\w+|hal[fv]\w*|third|quarters?|fifth|tenth|ratio"
    rf"|difference|gap|spread|delta"
    rf"|{PASSES}|deduct\w*|subtract\w*|leav(?:es|ing)|surplus|deficit|worth|valu(?:ed|ation)|months?"
    rf"|years?|[kmgt]wh|over"
    r"|minus|plus|divided|multiplied|per|average\w*|mean|total\w*|sum\w*|combined|together|exceed\w*"
    r"|leads?|led|trails?"
    r"|{PASSES}|deduct\w*|subtract\w*|leav(?:es|ing)|surplus|deficit|net|months?|years?|[kmgt]wh|growth"
    r"|adding|add(?:s|ed)?|gives?|makes?|aggregate|change|impl(?:y|ies|ying)|mid-?point|outnumber\w*"
    r"|increase|yields?|in all|altogether|collectively|implied|went|from|equals?"
    r"|equivalent|or|i\.e|hours?|days?|weeks?|minutes?|seconds?|gwei|wei|sats?|miles?|km)\b|\d[xX]\b|\d "
    r"?(?:btc|eth)\b"
    rf"|{_UP_ZH}|{_DOWN_ZH}|合计|总|共|之和|平均|均|占|比|差|加|减|高出|超|低于|多于|贡献|除以|即"
    rf"|相当|折合|小时|天|翻|半|分之|\s/\s",
    re.IGNORECASE,
)


LEVELS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bfrom (?P<a>(?:(?!\bfrom\b).)+?) to (?P<b>.+?){_END}",
        rf"\bbetween (?P<a>.+?) and (?P<b>.+?){_END}",
        rf"(?:\bto|\bat) (?P<b>(?:(?!\bto\b).)+?),? from (?P<a>.+?){_END}",
        rf"[由从自](?P<a>[^，。；()（）]+?)(?:增长|增加|上升|提高|攀升|下降|下跌|减少|降低|回落|下滑"
        rf"|增|升|降|涨|跌|变)?(?:{N}|{RESULT})?(?:至"
        rf"|到|为)(?P<b>[^，。；()（）]+)",
        rf"(?P<b>.+?)\b(?:against|compared (?:with|to)|versus|vs\.?) (?P<a>.+?){_END}",
        rf"[(（](?P<a>{N})(?: to |至|->|→)(?P<b>{N})[)）]",
    )
)
#: "The change in inventories between 2018 and 2019 was R": a change that goes no way.
CHANGE_IN = re.compile(r"\b(?:change|movement|variation) in\b")
LEVEL_WORD = re.compile(
    r"\bfrom\b|\bbetween\b|against|compared|versus|\bvs\b|[由从自]|[(（][\ue000-\ue3ff]\uf000*(?: to"
    r"|至|->|→)"
)
FROM_ONLY = re.compile(rf"\b(?:from|off|than|below|above) (?:its |their |the |an? )?(?P<a>.+?){_END}")

PART_OF = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<x>(?:[^,;:]*?\s)?{N}) of (?P<y>(?:the |all |a |its )?[^,;:=]*?{N}[^,;:=()]*?),"
        rf"?\s*(?:equals?|is|are|or|=|:|means|comes to"
        rf"|amounts to|works out to|,|[(]|i\.e\.)\s*{_HEDGE}{R}",
        rf"(?P<r0>(?!))|{R}\s*[(](?P<x>{N}) of (?P<y>(?:the |its )?{N}[^()]*)[)]",
    )
)
IMPLIED = re.compile(
    rf"\bwith (?P<x>[^,;]*?{N}[^,;]*?)\s(?:at|and a price of|priced at)\s(?P<y>[^,;]*?{N}),.*?\b(?:market "
    rf"cap\w*|valuation|fdv|value)\b"
    rf"[^,;]*?{R}"
)
#: ``At $0.018 and 11,842,000 transactions, S earns R``.
AT_RATE = re.compile(rf"\bat (?P<x>[^,;]*?{N}[^,;]*?) and (?P<y>[^,;]*?{N}[^,;]*?),\s[^,;]*?{R}")
PER = re.compile(rf"(?P<x>.*?{N}[^,;()]*?)\s(?:per|for each|for every)\s(?P<y>[^,;()]*?[(]{N})[)][^,;]*?{R}")

#: ``A in July and B in August gives R``.
GIVES = re.compile(rf"{N}[^;:]*?\band\b[^;:]*?{N}[^;:]*?\b(?:gives?|makes?|yields?)\b[^,;:]*?{R}")
ADDING = re.compile(
    rf"\badding (?P<x>.+?) to (?P<y>.+?)\s(?:gives?|makes?|yields?|results? in|brings?)\b.*?{R}"
)
#: What names a sum behind its parts: "A plus B gave revenue of R".
GIVING = re.compile(
    r"\b(?:gave|gives?|giving|mak(?:es|ing)|made|yield(?:s|ed|ing)?|brought|result(?:s|ed|ing)? in)\b"
    r"[a-z\s-]{0,40}\Z"
)
#: What joins two things that may have "and" in their names.
FIRM_JOINT = re.compile(r"\s*\b(?:together with|along with|combined with|as well as|plus|added to)\b\s*")
IN_BRACKETS = re.compile(r"[(（]([^()（）]+)[)）]|:([^:;]+)\Z")

#: Signs that describe nothing.
MARKS: Final = " ,.;:'()（），。；：=≈"
