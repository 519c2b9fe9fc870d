"""Words for scales, units and money that CLDR does not have, and how units of one dimension convert.

CLDR has one name and one abbreviation of each unit a language, no percentage points, no measure words, and
no money as it is said for short. Everything else comes from :mod:`verifaible.text.cldr`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final


def _each(words: str, *, parted_by: str = " ") -> list[str]:
    return words.split(parted_by)


#: The powers of ten of scales as banks and accounts shorten them, of India's, and of compounds of 万 and 亿.
SCALES: Final[dict[str, int]] = {
    **dict.fromkeys(_each("thousands k tsd tsd. ألف آلاف 千 천"), 3),
    **dict.fromkeys(_each("lakh lakhs lac"), 5) | dict.fromkeys(_each("crore crores"), 7),
    **dict.fromkeys(_each("millions mn mln mio mio. mill. εκατ. millones مليون ملايين 百万 百萬 백만"), 6),
    **dict.fromkeys(_each("billions bn bln mrd mrd. mld md md. mia. مليار 十亿 十億 십억"), 9),
    **dict.fromkeys(_each("trillions tn trn trln bio. 万亿 萬億 兆 조"), 12),
    **{
        "百": 2,
        "万": 4,
        "萬": 4,
        "만": 4,
        "十万": 5,
        "hundred thousand": 5,
        "hundred million": 8,
        "thousand million": 9,
        "hundred billion": 11,
        "tril": 12,
        "quadrillion": 15,
        "quintillion": 18,
        "lakh crore": 12,
        "千万": 7,
        "千萬": 7,
        "천만": 7,
        "亿": 8,
        "億": 8,
        "억": 8,
    },
    **{"百亿": 10, "백억": 10, "千亿": 11, "천억": 11},
}
#: Scales in capitals; in small letters "m" are metres and "t" tonnes, but for money.
CAPITALS: Final[dict[str, int]] = {"K": 3, "M": 6, "MM": 6, "B": 9, "T": 12}
#: Behind a sum of money, small letters are scales too: ``£5m``.
OF_MONEY: Final[dict[str, int]] = {"k": 3, "m": 6, "mm": 6, "b": 9, "t": 12}

_POINTS: Final = (
    "percentage point|percentage points|percentage-point|percent point|percent points|pp|ppts|ppt|%p|pct pts"
    "|pct pt|% points|% point|%-points|%-point|p.p.|个百分点|百分点|個百分點|ポイント|포인트|퍼센트포인트"
    "|%포인트"
    "|%ポイント|パーセントポイント|prozentpunkt|prozentpunkte|prozentpunkten|point de pourcentage"
    "|points de pourcentage|punto percentuale|punti percentuali|punto porcentual|puntos porcentuales"
    "|ponto percentual|pontos percentuais|procentpunt|procentpunten|procentenhet|procentenheter|procentpoint"
    "|prosentpoeng|prosenttiyksikkö|prosenttiyksikköä|punkt procentowy|punktu procentowego|punkty procentowe"
    "|punktów procentowych|процентный пункт|процентных пункта|процентного пункта|процентных пунктов|п.п."
    "|процентних пункти|процентних пункту|yüzde puan|százalékpont|procentní bod|procentního bodu"
    "|procentních bodů"
)
_BASIS: Final = (
    "bp|bps|basis point|basis points|basispunkt|basispunkte|basispunkten|points de base|puntos básicos"
    "|punti base|个基点|基点"
)
RATIOS: Final[dict[str, str]] = {
    **dict.fromkeys(
        _each("%|per cent|percents|percentage|pct|pct.|procent|パーセント|퍼센트|في المئة", parted_by="|"),
        "%",
    ),
    **dict.fromkeys(_each(_POINTS, parted_by="|"), "pp"),
    **dict.fromkeys(_each(_BASIS, parted_by="|"), "bp"),
}
#: Counted things: the measure word that names them, and the words that mean it.
COUNTS: Final[dict[str, str]] = {
    "人": "人 名 位 명 people persons person personnes personen personas человек osób متفرجين",
    **{
        word: word
        for word in _each("家 只 枚 户 条 种 套 份 票 张 台 辆 座 所 支 例 宗 层 部 届 轮 篇 场 项 次 单")
    },
    "笔": "笔 transactions transaction trades txs txns",
    "股": "股 株 주 shares share",
    "件": "件 건",
    "个": "个 個 개",
    "点": "点 點 points point نقاط نقطة",
    "页": "页 頁 pages page",
    "岁": "岁 歲 歳 세",
    "goal": "هدف هدفا هدفًا أهداف goals goal",
    "场": "场 場 مباريات مباراة",
}
#: Durations and sizes of East Asia, spellings of Britain, and symbols of one letter, which are left out of
#: CLDR's words because most of those are symbols of nothing in running text.
UNITS: Final[dict[str, str]] = {
    **dict.fromkeys(_each("天 日 日間 일 tagen"), "day"),
    **dict.fromkeys(_each("周 週 週間 주간 个星期"), "week"),
    **dict.fromkeys(_each("个月 個月 月 か月 カ月 ヶ月 개월 월 monaten mos"), "month"),
    **dict.fromkeys(_each("年 年間 년 jahren yrs"), "year"),
    **dict.fromkeys(_each("小时 个小时 小時 個小時 時間 시간 h hrs"), "hour"),
    **dict.fromkeys(_each("秒 초 s secs"), "second") | dict.fromkeys(_each("分钟 分鐘 分間"), "minute"),
    **dict.fromkeys(_each("公里 千米 kilometres kilometre"), "kilometer"),
    **dict.fromkeys(_each("米 m metres metre"), "meter")
    | dict.fromkeys(_each("centimetres centimetre"), "centimeter"),
    **dict.fromkeys(_each("吨 噸 t tonnes toneladas"), "tonne")
    | dict.fromkeys(_each("公斤 kilos"), "kilogram"),
    **{
        "metric tons": "tonne",
        "metric tonnes": "tonne",
        "g": "gram",
        "kn": "knot",
        "litres": "liter",
        "litre": "liter",
    },
    **{
        "l": "liter",
        "m2": "square-meter",
        "km2": "square-kilometer",
        "square metres": "square-meter",
        "square kilometres": "square-kilometer",
    },
    **{
        "cm/s": "centimeter-per-second",
        "厘米/秒": "centimeter-per-second",
        "千米/小时": "kilometer-per-hour",
        "节": "knot",
        "倍": "times",
        "x": "times",
        "×": "times",
        "times": "times",
        "fold": "times",
    },
    **dict.fromkeys(_each("sat sats satoshi satoshis"), "satoshi")
    | {"gwei": "gwei", "wei": "wei"}
    | {"cents": "cent", "cent": "cent", "pence": "penny"},
    **{
        "ether": "ETH",
        "bitcoin": "BTC",
        "bitcoins": "BTC",
        **dict.fromkeys(
            _each("tps|tx/s|txs/s|transactions per second|transactions/s|笔/秒|笔每秒", parted_by="|"),
            "transaction-per-second",
        ),
    },
}
#: Money as it is said for short, by its codes.
MONEY: Final[dict[str, str]] = {
    **{"元": "CNY TWD", "圆": "CNY JPY", "圓": "JPY TWD", "块": "CNY", "人民币": "CNY", "人民幣": "CNY"},
    **dict.fromkeys(_each("美元 美金 米ドル"), "USD") | dict.fromkeys(_each("港元 港币 港幣"), "HKD"),
    **dict.fromkeys(_each("日元 日圆 日圓 円 엔"), "JPY") | dict.fromkeys(_each("新台币 新台幣 台币"), "TWD"),
    **dict.fromkeys(_each("위안 人民元 yuan renminbi rmb"), "CNY")
    | dict.fromkeys(_each("韩元 ウォン 원 won"), "KRW"),
    **{"加元": "CAD", "澳元": "AUD", "英镑": "GBP", "欧元": "EUR", "歐元": "EUR", "ドル": "USD CAD AUD HKD"},
    **{
        "yuan renminbi": "CNY",
        "sterling": "GBP",
        "pounds sterling": "GBP",
        "u.s. dollars": "USD",
        "avro": "EUR",
    },
    **{
        "rouble": "RUB BYN",
        "roubles": "RUB BYN",
        "руб": "RUB",
        "руб.": "RUB",
        "р.": "RUB",
        "долларов сша": "USD",
        "रुपये": "INR",
    },
    **dict.fromkeys(_each("kroner kronor kronen kronas"), "SEK NOK DKK ISK CZK"),
}
#: Signs that stand before or behind a sum, in their own letter case; a country's letters leave no choice.
SIGNS: Final[dict[str, str]] = {
    **{
        "US$": "USD",
        "U$": "USD",
        "HK$": "HKD",
        "NT$": "TWD",
        "A$": "AUD",
        "AU$": "AUD",
        "C$": "CAD",
        "CA$": "CAD",
    },
    **{
        "NZ$": "NZD",
        "S$": "SGD",
        "R$": "BRL",
        "MX$": "MXN",
        "CN¥": "CNY",
        "JP¥": "JPY",
        "RMB": "CNY",
        "RM": "MYR",
    },
    **{
        "Rs": "INR PKR LKR NPR",
        "Rs.": "INR PKR LKR NPR",
        "Rp": "IDR",
        "kr": "SEK NOK DKK ISK",
        "kr.": "DKK SEK NOK",
    },
    **{"¥": "CNY JPY", "Kč": "CZK", "zł": "PLN", "Ft": "HUF", "Fr.": "CHF", "SFr.": "CHF", "TL": "TRY"},
    **{"新台币": "TWD", "人民币": "CNY", "港币": "HKD", "BTC": "BTC", "ETH": "ETH", "₿": "BTC"},
}

#: SI prefixes (BIPM, SI brochure, table 7).
PREFIXES: Final[dict[str, int]] = {
    **{"kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15, "exa": 18, "zetta": 21, "yotta": 24},
    **{"hecto": 2, "deci": -1, "centi": -2, "milli": -3, "micro": -6, "nano": -9, "pico": -12},
}
#: Units of one dimension with their factors: SI brochure; international yard and pound agreement (1959);
#: 1 ETH = 10^9 gwei = 10^18 wei (Ethereum yellow paper), 1 BTC = 10^8 satoshi. A bp is of either ratio.
DIMENSIONS: Final[tuple[dict[str, str], ...]] = (
    {"second": "1", "minute": "60", "hour": "3600", "day": "86400", "week": "604800"},
    {"month": "1", "quarter": "3", "year": "12"},
    {"%": "1", "‰": "0.1"},
    {"pp": "1", "bp": "0.01"},
    {"ETH": "1", "gwei": "1e-9", "wei": "1e-18"},
    {"BTC": "1", "satoshi": "1e-8"},
    {
        "meter": "1",
        "mile": "1609.344",
        "yard": "0.9144",
        "foot": "0.3048",
        "inch": "0.0254",
        "nautical-mile": "1852",
    },
    {"gram": "1", "tonne": "1e6", "pound": "453.59237", "ounce": "28.349523125", "ton": "907184.74"},
    {
        "square-meter": "1",
        "hectare": "1e4",
        "acre": "4046.8564224",
        "square-kilometer": "1e6",
        "square-foot": "0.09290304",
    },
    {"liter": "1", "cubic-meter": "1000", "barrel": "158.987294928", "gallon": "3.785411784"},
    {"meter-per-second": "1", "centimeter-per-second": "0.01", "knot": "0.514444444444444444444444"},
    {"byte": "8", "bit": "1"},
    {"byte-per-second": "8", "bit-per-second": "1"},
    *(
        {unit: "1"}
        for unit in ("watt", "watt-hour", "hertz", "hash-per-second", "joule", "pascal", "volt", "ampere")
    ),
)
PLACES: Final[dict[str, tuple[int, Decimal]]] = {
    unit: (number, Decimal(factor))
    for number, units in enumerate(DIMENSIONS)
    for unit, factor in units.items()
}
