"""What belongs to one quantity, in many languages."""

from __future__ import annotations

import pytest

from verifaible.text.quantities import quantity_spans


def quantities(text: str, language: str) -> list[str]:
    return [text[start:end] for start, end in quantity_spans(text, language)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        # figures
        ("en", "some 1,234.5 of them", ["1,234.5"]),
        ("en", "some 12 345 people came", ["12 345"]),
        ("en", "2½ of them", ["2½"]),
        ("en", "a table: 100 200 300", ["100", "200", "300"]),
        # sign, currency, scale, unit, per cent
        ("en", "a loss of −$5.4 million was made", ["−$5.4 million"]),
        ("en", "it cost US$5 billion then", ["US$5 billion"]),
        ("en", "it fell by 5 per cent then", ["5 per cent"]),
        ("en", "it fell by 5 percentage points then", ["5 percentage points"]),
        ("en", "it is ±3 mm long", ["±3 mm"]),
        ("en", "it was minus 5 °C there", ["minus 5 °C"]),
        ("en", "5 GW of power", ["5 GW"]),
        ("de", "er verlor 5,4 Millionen Euro damals", ["5,4 Millionen Euro"]),
        ("fr", "il perdit 5,4 milliards d’euros", ["5,4 milliards d’euros"]),
        ("es", "perdió 5,4 millones en total", ["5,4 millones"]),
        ("pt", "caiu 5 por cento em maio", ["5 por cento", "maio"]),
        ("nl", "het daalde met 5 procent toen", ["5 procent"]),
        ("pl", "spadło o 5 procent wtedy", ["5 procent"]),
        ("ru", "минус 5 миллионов рублей тогда", ["минус 5 миллионов рублей"]),
        ("zh", "净额为负5.4亿元。", ["负5.4亿元"]),
        ("zh", "增长5个百分点。", ["5个百分点"]),
        ("zh", "增长百分之五。", ["百分之五"]),
        ("tr", "enflasyon % 48 olarak açıklandı", ["% 48"]),
        ("tr", "enflasyon yüzde 48 olarak açıklandı", ["yüzde 48"]),
        ("en", "of 5 % 48 were new", ["5 %", "48"]),
        ("ja", "約123億円である", ["123億円"]),
        ("ko", "총 5억원을 썼다", ["5억원"]),
        ("ar", "ناقص 5 ملايين فقط", ["ناقص 5 ملايين"]),
        ("th", "ลบ 5 องศา", ["ลบ 5 องศา"]),
        ("hi", "कुल 5 करोड़ रुपये", ["5 करोड़ रुपये"]),
        # in words
        ("en", "one hundred and five people came", ["one hundred and five"]),
        ("de", "es waren zwei Millionen Menschen", ["zwei Millionen"]),
        ("pl", "zginęło sto dwadzieścia osób", ["sto dwadzieścia"]),
        ("zh", "共有三千二百万元", ["三千二百万元"]),
        # ranges
        ("en", "from 10 to 15 km there", ["10 to 15 km"]),
        ("en", "it took 10–15 days", ["10–15 days"]),
        ("de", "es dauert 10 bis 15 Tage an", ["10 bis 15 Tage"]),
        ("zh", "气温为5～7度。", ["5～7度"]),
        # dates
        ("en", "on 5 May 2024 they met", ["5 May 2024"]),
        ("en", "on May 5, 2024 they met", ["May 5, 2024"]),
        ("de", "am 5. Mai 2024 kamen sie", ["5. Mai 2024"]),
        ("fr", "le 5 mai 2024 ils vinrent", ["5 mai 2024"]),
        ("es", "en mayo", ["mayo"]),
        ("zh", "于2024年3月5日公布", ["2024年3月5日"]),
        # two of them
        ("en", "it cost $5 and €6 more", ["$5", "€6"]),
        ("en", "5 of 12 went", ["5", "12"]),
        ("en", "in Table 5, the", ["5"]),
        ("en", "no figures at all", []),
    ],
)
def test_what_one_quantity_is(language: str, text: str, expected: list[str]) -> None:
    assert quantities(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("5 in the morning", "en", ["5"]),  # no inches
        ("a 5-day week", "en", ["5"]),  # the compound is a word
        ("A-5 is a road", "en", ["5"]),  # the hyphen is no sign
        ("人口36", "zh", ["36"]),
        ("36成交", "zh", ["36"]),  # the ideograph begins a word
    ],
)
def test_what_does_not_belong_to_one(text: str, language: str, expected: list[str]) -> None:
    assert quantities(text, language) == expected


def test_words_of_another_language_are_not_tried() -> None:
    assert quantities("5 Millionen", "fr") == ["5"]
    assert quantities("5 million", "fr") == ["5 million"]  # all write English
