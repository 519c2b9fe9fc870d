"""Fixed factors between units of one dimension: hours and days, wei and ETH, miles and metres."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from typing import Final

#: Quotients are kept to this many digits; the longest figures of accounts have sixteen.
_DIGITS: Final = 34
#: Units of one dimension, each with its factor to the first; dimensions are kept apart.
#: SI brochure (2019) for measures, the international yard and pound agreement (1959) for miles, feet and
#: pounds; 1 ETH = 10^9 gwei = 10^18 wei (Ethereum yellow paper), 1 BTC = 10^8 satoshi.
_DIMENSIONS: Final[tuple[dict[str, str], ...]] = (
    {"秒": "1", "毫秒": "0.001", "分钟": "60", "小时": "3600", "天": "86400", "周": "604800"},
    {"月": "1", "年": "12", "季度": "3"},
    {"%": "1", "pp": "1", "bp": "0.01", "‰": "0.1"},
    {"ETH": "1", "gwei": "1e-9", "wei": "1e-18"},
    {"BTC": "1", "sat": "1e-8"},
    {
        **{"米": "1", "千米": "1000", "厘米": "0.01", "毫米": "0.001", "英尺": "0.3048"},
        **{"英里": "1609.344", "英寸": "0.0254", "yards": "0.9144"},
    },
    {"千克": "1", "吨": "1000", "克": "0.001", "pounds": "0.45359237"},
    {"H/s": "1", "TH/s": "1e12", "PH/s": "1e15", "EH/s": "1e18", "ZH/s": "1e21"},
    {"Wh": "1", "kWh": "1e3", "MWh": "1e6", "GWh": "1e9", "TWh": "1e12"},
    {"W": "1", "千瓦": "1e3", "MW": "1e6", "GW": "1e9"},
    {"B": "1", "KB": "1e3", "MB": "1e6", "GB": "1e9", "TB": "1e12"},
)
_PLACE: Final = {
    unit: (number, Decimal(factor))
    for number, dimension in enumerate(_DIMENSIONS)
    for unit, factor in dimension.items()
}


def factor_of(source: str, target: str) -> Decimal | None:
    """What a value in ``source`` is multiplied by to stand in ``target``; None: no fixed factor is known."""
    if source == target:
        return Decimal(1)
    here, there = _PLACE.get(source), _PLACE.get(target)
    if not here or not there or here[0] != there[0]:
        return None
    with localcontext(Context(prec=_DIGITS)):
        return here[1] / there[1]
