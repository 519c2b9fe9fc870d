"""Words for scales, units and money that CLDR does not have, and how units of one dimension convert.

CLDR has one name and one abbreviation of each unit a language, no percentage points, no measure words, and
no money as it is said for short. Everything else comes from :mod:`verifaible.text.cldr`.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final, TypeVar

KeyT = TypeVar("KeyT")


def _by_word(table: Mapping[KeyT, str]) -> dict[str, KeyT]:
    """What each word means; words are parted by blanks, and ``_`` is a blank in a word."""
    return {word.replace("_", " "): meaning for meaning, words in table.items() for word in words.split()}


#: The powers of ten of scales as banks and accounts shorten them, of India's, and of compounds of 万 and 亿.
SCALES: Final = _by_word(
    {
        2: "百",
        3: "thousands k tsd tsd. ألف آلاف 千 천",
        4: "万 萬 만",
        5: "lakh lakhs lac hundred_thousand 十万",
        6: "millions mn mln mio mio. mill. εκατ. millones مليون ملايين 百万 百萬 백만",
        7: "crore crores 千万 千萬 천만",
        8: "hundred_million 亿 億 억",
        9: "billions bn bln mrd mrd. mld md md. mia. thousand_million مليار 十亿 十億 십억",
        10: "百亿 백억",
        11: "hundred_billion 千亿 천억",
        12: "trillions tn trn trln tril bio. lakh_crore 万亿 萬億 兆 조",
        15: "quadrillion",
        18: "quintillion",
    }
)
#: Scales in capitals; in small letters "m" are metres and "t" tonnes, but for money.
CAPITALS: Final = _by_word({3: "K", 6: "M MM", 9: "B", 12: "T"})
#: Behind a sum of money, small letters are scales too: ``£5m``.
OF_MONEY: Final = {word.lower(): power for word, power in CAPITALS.items()}

RATIOS: Final = _by_word(
    {
        "%": "% per_cent percents percentage pct pct. procent パーセント 퍼센트 في_المئة",
        "pp": "percentage_point percentage_points percentage-point percent_point percent_points pp ppts ppt"
        " %p pct_pts pct_pt %_points %_point %-points %-point p.p. 个百分点 百分点 個百分點 ポイント 포인트"
        " 퍼센트포인트 %포인트 %ポイント パーセントポイント prozentpunkt prozentpunkte prozentpunkten"
        " point_de_pourcentage points_de_pourcentage punto_percentuale punti_percentuali punto_porcentual"
        " puntos_porcentuales ponto_percentual pontos_percentuais procentpunt procentpunten procentenhet"
        " procentenheter procentpoint prosentpoeng prosenttiyksikkö prosenttiyksikköä punkt_procentowy"
        " punktu_procentowego punkty_procentowe punktów_procentowych процентный_пункт процентных_пункта"
        " процентного_пункта процентных_пунктов п.п. процентних_пункти процентних_пункту yüzde_puan"
        " százalékpont procentní_bod procentního_bodu procentních_bodů",
        "bp": "bp bps basis_point basis_points basispunkt basispunkte basispunkten points_de_base"
        " puntos_básicos punti_base 个基点 基点",
    }
)
#: Counted things: the measure word that names them, and the words that mean it.
_MEASURE_WORDS: Final = "家 只 枚 户 条 种 套 份 票 张 台 辆 座 所 支 例 宗 层 部 届 轮 篇 项 次 单"
COUNTS: Final[dict[str, str]] = {
    **{word: word for word in _MEASURE_WORDS.split()},
    "人": "人 名 位 명 people persons person personnes personen personas человек osób متفرجين",
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
UNITS: Final = _by_word(
    {
        "day": "天 日 日間 일 tagen",
        "week": "周 週 週間 주간 个星期",
        "month": "个月 個月 月 か月 カ月 ヶ月 개월 월 monaten mos",
        "year": "年 年間 년 jahren",
        "hour": "小时 个小时 小時 個小時 時間 시간 h hrs",
        "minute": "分钟 分鐘 分間",
        "second": "秒 초 s secs",
        "kilometer": "公里 千米 kilometres kilometre",
        "meter": "米 m metres metre",
        "centimeter": "centimetres centimetre",
        "square-meter": "m2 square_metres",
        "square-kilometer": "km2 square_kilometres",
        "tonne": "吨 噸 t tonnes toneladas metric_tonnes",
        "kilogram": "公斤 kilos",
        "gram": "g",
        "liter": "l litres litre",
        "knot": "节",
        "centimeter-per-second": "cm/s 厘米/秒",
        "kilometer-per-hour": "千米/小时",
        "times": "倍 x × times fold",
        "satoshi": "sat sats satoshi satoshis",
        "gwei": "gwei",
        "wei": "wei",
        "cent": "cents cent",
        "penny": "pence",
        "ETH": "ether",
        "BTC": "bitcoin bitcoins",
        "transaction-per-second": "tps tx/s txs/s transactions_per_second transactions/s 笔/秒 笔每秒",
    }
)
#: Money as it is said for short, by its codes.
MONEY: Final = _by_word(
    {
        "CNY": "块 人民币 人民幣 위안 人民元 renminbi rmb yuan_renminbi",
        "CNY TWD": "元",
        "CNY JPY": "圆",
        "JPY TWD": "圓",
        "JPY": "日元 日圆 日圓 円 엔",
        "USD": "美元 美金 米ドル u.s._dollars долларов_сша",
        "USD CAD AUD HKD": "ドル",
        "HKD": "港元 港币 港幣",
        "TWD": "新台币 新台幣 台币",
        "KRW": "韩元 ウォン 원 won",
        "CAD": "加元",
        "AUD": "澳元",
        "GBP": "英镑 sterling pounds_sterling",
        "EUR": "欧元 歐元 avro",
        "RUB BYN": "rouble roubles",
        "RUB": "руб руб. р.",
        "INR": "रुपये",
        "SEK NOK DKK ISK CZK": "kroner kronor kronen kronas",
    }
)
#: Signs that stand before or behind a sum, in their own letter case; a country's letters leave no choice.
SIGNS: Final = _by_word(
    {
        "USD": "US$ U$",
        "HKD": "港币",
        "TWD": "新台币",
        "AUD": "AU$",
        "CAD": "C$",
        "SGD": "S$",
        "CNY": "RMB 人民币",
        "CNY JPY": "¥",
        "JPY": "JP¥",
        "MYR": "RM",
        "INR PKR LKR NPR": "Rs Rs.",
        "IDR": "Rp",
        "SEK NOK DKK ISK": "kr",
        "DKK SEK NOK": "kr.",
        "CZK": "Kč",
        "PLN": "zł",
        "HUF": "Ft",
        "CHF": "Fr. SFr.",
        "TRY": "TL",
        "BTC": "BTC ₿",
        "ETH": "ETH",
    }
)

#: SI prefixes (BIPM, SI brochure, table 7).
PREFIXES: Final[dict[str, int]] = {
    **{"kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15, "exa": 18, "zetta": 21, "yotta": 24},
    **{"hecto": 2, "deci": -1, "centi": -2, "milli": -3, "micro": -6, "nano": -9, "pico": -12},
}
_LETTERS: Final = _by_word(
    {
        **{"kilo": "k K", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E", "zetta": "Z"},
        "milli": "m",
    }
)
_SYMBOLS: Final = _by_word(
    {
        **{"watt-hour": "Wh", "watt": "W", "hertz": "Hz", "pascal": "Pa", "joule": "J", "electronvolt": "eV"},
        **{"byte": "B", "byte-per-second": "B/s", "bit": "b", "bit-per-second": "bit/s b/s bps"},
        "hash-per-second": "H/s",
    }
)
_SPELLED: Final = _by_word(
    {
        "watt-hour": "watt-hour watt-hours watt_hour watt_hours watthour watthours",
        **{"watt": "watt watts", "byte": "byte bytes", "bit": "bit bits", "hertz": "hertz"},
        **{"joule": "joule joules", "hash-per-second": "hash hashes hash/s hashes/s hashes_per_second"},
    }
)
#: Measures with their prefixes, in symbols and in words: CLDR has few of them.
PREFIXED_SYMBOLS: Final = {
    **{
        letter + symbol: prefix + unit
        for letter, prefix in _LETTERS.items()
        for symbol, unit in _SYMBOLS.items()
    },
    **{letter + "H": _LETTERS[letter] + "hash-per-second" for letter in "EPZ"},
    **{symbol: unit for symbol, unit in _SYMBOLS.items() if symbol in ("Wh", "W", "Hz", "H/s")},
}
PREFIXED: Final = {prefix + word: prefix + unit for prefix in PREFIXES for word, unit in _SPELLED.items()}
#: Units of one dimension with their factors: SI brochure; international yard and pound agreement (1959);
#: 1 ETH = 10^9 gwei = 10^18 wei (Ethereum yellow paper), 1 BTC = 10^8 satoshi. A bp is of either ratio.
DIMENSIONS: Final[tuple[dict[str, str], ...]] = (
    {"second": "1", "minute": "60", "hour": "3600", "day": "86400", "week": "604800"},
    {"month": "1", "quarter": "3", "year": "12"},
    {"%": "1", "‰": "0.1"},
    {"pp": "1", "bp": "0.01"},
    {"ETH": "1", "gwei": "1e-9", "wei": "1e-18"},
    {"BTC": "1", "satoshi": "1e-8"},
    {"meter": "1", "mile": "1609.344", "yard": "0.9144", "foot": "0.3048", "inch": "0.0254"}
    | {"nautical-mile": "1852"},
    {"gram": "1", "tonne": "1e6", "pound": "453.59237", "ounce": "28.349523125", "ton": "907184.74"},
    {"square-meter": "1", "hectare": "1e4", "acre": "4046.8564224", "square-kilometer": "1e6"}
    | {"square-foot": "0.09290304"},
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
