"""The words that stand behind numbers: scales and units, in the languages that are read.

Chinese and English in full; of German, Japanese, Korean and Arabic what official statistics,
statutes and reports write. A unit's canonical name is its Chinese one where there is one.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

_IDEOGRAPHS: Final = {
    2: "百",
    3: "千",
    4: "万 萬",
    5: "十万",
    6: "百万",
    7: "千万",
    8: "亿 億",
    9: "十亿 十億",
    10: "百亿 百億",
    11: "千亿 千億",
    12: "万亿 兆",
}
_HANGUL: Final = {
    **{2: "백", 3: "천", 4: "만", 5: "십만", 6: "백만", 7: "천만", 8: "억", 9: "십억", 10: "백억"},
    **{11: "천억", 12: "조"},
}
_LATIN: Final = {
    3: "thousand k tausend tsd tsd.",
    6: "million mn m millionen mio mio.",
    9: "billion bn b milliarde milliarden mrd mrd.",
    12: "trillion tn t",
}
#: The accusative of an Arabic noun (دينارًا), then no further letter.
ARABIC_ENDING: Final = r"(?:\u0627\u064b?|\u064b\u0627?)?(?![\u0621-\u064b])"
_ARABIC: Final = {3: "ألف آلاف", 6: "مليون ملايين", 9: "مليار مليارات"}

#: The factor of a scale word, in lower case.
SCALES: Final[dict[str, Decimal]] = {
    word: Decimal(10) ** power
    for table in (_IDEOGRAPHS, _HANGUL, _LATIN, _ARABIC)
    for power, words in table.items()
    for word in words.split()
}


def _longest_first(table: dict[int, str], *without: str) -> str:
    words = [word for words in table.values() for word in words.split() if word not in without]
    return "|".join(word.replace(".", r"\.") for word in sorted(words, key=len, reverse=True))


#: A pattern of every scale word. 千米 is a unit, 百分 a percentage; a Korean word that begins like
#: a scale (만기) is none, but particles and units may follow it.
SCALE_PATTERN: Final = (
    rf"{_longest_first(_IDEOGRAPHS, '千', '百')}|千(?![米克瓦])|百(?!分)"
    rf"|(?:{_longest_first(_HANGUL)})(?=[^가-힣]|[원명건개주대여을를이은는가의에로와과]|\Z)"
    rf"|(?:{_longest_first(_LATIN, 'm', 'b', 't')})(?![a-z0-9])|(?-i:[MBT])(?![a-z0-9])"
    rf"|(?:{_longest_first(_ARABIC)}){ARABIC_ENDING}"
)

#: Canonical unit: kind, and the spellings it is written in (lower case; ``?`` as in patterns).
UNITS: Final[dict[str, tuple[str, str]]] = {
    "pp": (
        "ratio",
        "个百分点|百分点|percentage points?|% points?|%-points?|pct pts?|ppts?|pp"
        "|prozentpunkten?|prozentpunkte?|%ポイント|ポイント|%포인트|%p|نقطة مئوية|نقاط مئوية",
    ),
    "bp": ("ratio", "个基点|基点|basis points?|bps|bp|basispunkten?|basispunkte?"),
    "%": (
        "ratio",
        "%|percent|per cent|pct|prozent|v. h.|パーセント|퍼센트|بالمئة|بالمائة|في المئة|في المائة",
    ),
    "‰": ("ratio", "‰|promille"),
    "美元": ("money", "美元|美金|us dollars?|u.s. dollars?|dollars?|usd|us$|$|米ドル|ドル|달러|دولار"),
    "港元": ("money", "港元|港币|hk dollars?|hkd|hk$"),
    "欧元": ("money", "欧元|euros?|eur|€|ユーロ|유로|يورو"),
    "英镑": ("money", "英镑|pounds?|gbp|£"),
    "日元": ("money", "日元|日本円|円|yen|jpy"),
    "韩元": ("money", "韩元|韓元|원|krw|₩"),
    "元": ("money", "元人民币|人民币|元|块|chinese yuan|yuan|renminbi|rmb|cny|¥"),
    "دينار": ("money", "دينار|دنانير"),
    "ريال": ("money", "ريال|ريالات"),
    "درهم": ("money", "درهم|دراهم"),
    "人": (
        "count",
        "人|名|位|people|persons?|inhabitants|personen|einwohnern?|einwohner|명|متفرج|متفرجين|شخص|أشخاص",
    ),
    "笔": ("count", "笔|transactions?|trades?|deals?"),
    "股": ("count", "股|shares?"),
    "点": ("count", "点|points?|punkten?|punkte?|نقطة|نقاط"),
    "件": ("count", "件|건"),
    "个": ("count", "个|개"),
    "场": ("count", "场|مباراة|مباريات"),
    "هدف": ("count", "هدف|أهداف"),
    "月": ("time", "个月|months?|monate?n?|か月|カ月|ヶ月|ヵ月|ケ月|箇月|개월|شهر|أشهر|شهور"),
    "年": ("time", "年|years?|yrs?|jahre?n?|년|سنة|سنوات|عام|أعوام"),
    "天": ("time", "天|日|days?|tage?n?|يوم|أيام"),
    "小时": ("time", "个小时|小时|時間|hours?|hrs?|stunden?|시간|ساعة|ساعات"),
    "分钟": ("time", "分钟|minutes?|mins?|minuten?|دقيقة|دقائق"),
    "秒": ("time", "秒钟|秒|seconds?|secs?|sekunden?|초|ثانية|ثوان"),
    "周": ("time", "个星期|星期|周|週|weeks?|wochen?|أسبوع|أسابيع"),
    "岁": ("time", "周岁|岁|歳|才"),
    "页": ("count", "页|pages?"),
    "吨": ("measure", "吨|tonnes?|tons?|tonnen"),
    "千米": ("measure", "千米|公里|kilometers?|kilometres?|km|kilometern?"),
    "千克": ("measure", "千克|公斤|kilograms?|kg|kilogramm"),
    "米": ("measure", "米|meters?|metres?|metern?|m"),
    "厘米": ("measure", "厘米|centimeters?|centimetres?|zentimetern?|cm|センチ"),
    "毫米": ("measure", "毫米|millimeters?|millimetres?|millimetern?|mm|ミリ"),
    "英尺": ("measure", "英尺|feet|foot|ft"),
    "节": ("measure", "knots?|kn|ノット"),
    "米/秒": ("measure", "米/秒|m/s|metres per second|meters per second"),
    "厘米/秒": ("measure", "厘米/秒|cm/s|centimetres per second|centimeters per second"),
    "千米/小时": ("measure", "千米/小时|公里/小时|km/h|kph|kilometres per hour|kilometers per hour"),
    "°C": ("measure", "℃|°c|摄氏度|degrees celsius|grad celsius"),
    "°F": ("measure", "℉|°f|华氏度|degrees fahrenheit"),
    "千瓦": ("measure", "千瓦|kilowatts?|kw"),
    "倍": ("measure", "倍|times|배(?!당)"),
    **{word: ("count", word) for word in "家只枚项次户条种套份票张台辆座所支例宗单层部届轮篇"},
}
