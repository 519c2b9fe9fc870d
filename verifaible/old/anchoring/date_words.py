"""The names of months and eras, and date patterns beside those of :mod:`verifaible.old.anchoring.dates`."""

from __future__ import annotations

from typing import Final

#: German months that English does not have; ``May``, ``August`` and the like are the same word.
GERMAN_MONTHS: Final = {
    **{"januar": 1, "jänner": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7},
    **{"oktober": 10, "dezember": 12},
}


def _months(*named: str) -> dict[str, int]:
    return {name: number for number, names in enumerate(named, start=1) for name in names.split("|")}


ENGLISH_MONTHS: Final = _months(
    *("january|jan", "february|feb", "march|mar", "april|apr", "may", "june|jun", "july|jul"),
    *("august|aug", "september|sept|sep", "october|oct", "november|nov", "december|dec"),
)
#: A pattern of them, the longest first.
ENGLISH_MONTH: Final = "|".join(sorted(ENGLISH_MONTHS, key=len, reverse=True))
FRENCH_MONTHS: Final = _months(
    *("janvier", "février|fevrier", "mars", "avril", "mai", "juin", "juillet", "août|aout"),
    *("septembre", "octobre", "novembre", "décembre|decembre"),
)
#: Arabic months, of the Gregorian names of Egypt and the Gulf and of those of the Levant and Iraq.
ARABIC_MONTHS: Final = _months(
    *("يناير|كانون الثاني", "فبراير|شباط", "مارس|آذار", "أبريل|إبريل|نيسان", "مايو|أيار"),
    *("يونيو|حزيران", "يوليو|تموز", "أغسطس|آب", "سبتمبر|أيلول", "أكتوبر|تشرين الأول"),
    *("نوفمبر|تشرين الثاني", "ديسمبر|كانون الأول"),
)
#: The year before the first of a Japanese era.
ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867}

_YEAR: Final = r"(?P<y>(?:19|20)\d{2})"
_ERA: Final = rf"(?P<era>{'|'.join(ERAS)})\s?(?P<ey>元|\d{{1,2}})\s?年"
_MONTH_DAY_JA: Final = r"\s?(?P<m>\d{1,2})\s?月(?:\s?(?P<d>\d{1,2})\s?日)?"
_ARABIC: Final = rf"(?P<m>{'|'.join(sorted(ARABIC_MONTHS, key=len, reverse=True))})(?![\u0621-\u064a])"

#: Tried before all others, since a Chinese form would read a part of them.
FIRST_FORMS: Final = (
    rf"{_ERA}{_MONTH_DAY_JA}",
    _ERA,
    rf"(?<!\d){_YEAR}\s?년\s?(?P<m>\d{{1,2}})\s?월(?:\s?(?P<d>\d{{1,2}})\s?일)?",
    rf"(?<!\d){_YEAR}\s?년\s?(?P<q>[1-4])\s?분기",
    rf"(?<!\d){_YEAR}\s?년",
    r"(?<![\d.])(?P<m>\d{1,2})\s?월\s?(?P<d>\d{1,2})\s?일",
    # day before month, wherever dots are written in dates (DIN 5008)
    rf"(?<![\d.])(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?{_YEAR}(?!\d|\.\d)",
    rf"(?<!\d)(?P<d>\d{{1,2}})\s{_ARABIC}\s{_YEAR}(?!\d)",
    rf"{_ARABIC}\s{_YEAR}(?!\d)",
)
