"""Numbers as German, Japanese, Korean and Arabic write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.anchoring.numbers.convention import decimal_comma_of, with_points
from verifaible.anchoring.numbers.reading import find_numbers
from verifaible.text.units import parse_unit


def values(text: str, *, decimal_comma: bool | None = None) -> list[str]:
    """Scaled values and units of what counts as a value."""
    return [
        f"{mention.scaled_value.normalize():f} {mention.unit}".strip()
        for mention in find_numbers(text, decimal_comma=decimal_comma)
        if mention.role == "value"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # what only a decimal comma can mean
        ("1.638,50", ["1638.5"]),
        ("1.234.567,8 Euro", ["1234567.8 EUR"]),
        ("2.000.000 Euro", ["2000000 EUR"]),
        ("-1.204,5", ["-1204.5"]),
        # what the language decides
        ("Der Anteil beträgt 72,4 Prozent", ["72.4 %"]),
        ("Es gab 18.432 Fälle und 3.412 Klagen", ["18432", "3412"]),
        ("lag bei 1,234 Millionen Euro", ["1234000 EUR"]),
        ("von 0,125 auf 0,875", ["0.125", "0.875"]),
        ("Das sind 4,6 Tage", ["4.6 天"]),
        ("Das sind 3,2 Mio. Euro und 1,5 Mrd. Euro", ["3200000 EUR", "1500000000 EUR"]),
        ("um 0,3 Prozentpunkte auf 5,1 %", ["0.3 pp", "5.1 %"]),
        ("eine Frist von 6 Wochen, nicht von 3 Monaten", ["6 周", "3 月"]),
        ("une hausse de 1 234,5 euros par an", ["1234.5 EUR"]),
        # English words keep the point, and English numbers keep their form in German text
        ("The rate is 3.412 and the count 100,200", ["3.412", "100200"]),
        ("Der Betrag ist 1,638.50 und 1,234,567", ["1638.5", "1234567"]),
        ("von 192.168.100.200 und 10.0.0.1", []),
        ("der Stand vom 15.03.2024", []),
    ],
)
def test_decimal_comma(text: str, expected: list[str]) -> None:
    assert values(text) == expected


def test_the_caller_may_say_what_a_bare_number_means() -> None:
    assert values("3.412", decimal_comma=True) == ["3412"]
    assert values("12,4 %", decimal_comma=True) == ["12.4 %"]
    assert values("12,4") == ["12", "4"]
    assert values("das ist 3.412", decimal_comma=False) == ["3.412"]
    assert decimal_comma_of("12,4", "Wie hoch ist der Anteil?", "the share") is True
    assert decimal_comma_of("12,4", "What is the share of it?") is False
    assert decimal_comma_of("12,4", "") is None
    assert decimal_comma_of("$0.001 par value; 80,000 shares") is False
    assert decimal_comma_of("Die Version 0.9 ist mit 12,4 Sekunden die schnellste") is True


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("١٢٫٥٪", ["12.5 %"]),
        ("١٢٬٣٤٥٬٦٧٨", ["12345678"]),
        ("بلغ الحضور ١٨٬٤٠٦ متفرجين", ["18406 人"]),
        ("٤٥ ألف دينار", ["45000 KWD"]),
        ("غرامة قدرها ٧٥٬٠٠٠ دينارًا", ["75000 KWD"]),
        ("٢٫٥ مليون ريال", ["2500000 SAR"]),
        ("٧ نقاط و٣ أهداف في ٤ مباريات", ["7 点", "3 هدف", "4 场"]),
        ("في الدقيقة ٧٣", ["73"]),
        ("٣ أسابيع", ["3 周"]),
        ("-\u200f٧ و-\u200e٣", ["-7", "-3"]),
        ("ارتفع ٥ في المئة", ["5 %"]),
    ],
)
def test_arabic(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12億3,456万円", ["1234560000 JPY"]),
        ("1兆2,300億円", ["1230000000000 JPY"]),
        ("48,217百万円", ["48217000000 JPY"]),
        ("１人当たり 362,418円", ["1 人", "362418 JPY"]),
        ("12円50銭", ["12.5 JPY"]),
        ("前年比△5.2%、営業損益は▲1,846百万円です", ["-5.2 %", "-1846000000 JPY"]),
        ("1.2ポイント増、3か月、85歳、24時間、2週間", ["1.2 pp", "3 月", "85 岁", "24 小时", "2 周"]),
        ("▲18億4,600万円", ["-1846000000 JPY"]),
        ("1만 8,742건", ["18742 件"]),
        ("2조 3,418억원", ["2341800000000 KRW"]),
        ("1조 2,845억 700만원", ["1284507000000 KRW"]),
        ("1,284,507백만원", ["1284507000000 KRW"]),
        ("△31,204 △ 5.8", ["-31204", "-5.8"]),
        ("マイナス5.8ポイント", ["-5.8 pp"]),
        ("8.7년, 214명, 12개월", ["8.7 年", "214 人", "12 月"]),
        ("3.2%p 3.2%포인트 12.4%", ["3.2 pp", "3.2 pp", "12.4 %"]),
        ("30 만기", ["30"]),
    ],
)
def test_japanese_and_korean(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("11.2m and 36.7 ft", ["11.2 米", "36.7 英尺"]),
        ("17.1cm/s or 0.33 kn", ["17.1 厘米/秒", "0.33 节"]),
        ("£5m, $1.2m", ["5000000 GBP", "1200000 USD"]),
        ("12 m² of 3 m", ["12", "3 米"]),
        ("4.5 °C, 80 km/h", ["4.5 °C", "80 千米/小时"]),
    ],
)
def test_measures(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("百万円", (6, "JPY")),
        ("億円", (8, "JPY")),
        ("백만원", (6, "KRW")),
        ("억원", (8, "KRW")),
        ("Mio. Euro", (6, "EUR")),
        ("ألف دينار", (3, "KWD")),
        ("Prozentpunkte", (0, "pp")),
        ("Wochen", (0, "周")),
    ],
)
def test_units_of_expectations(unit: str, expected: tuple[int, str]) -> None:
    scale, name = parse_unit(unit)
    assert (scale.adjusted(), name) == expected


@given(st.integers(0, 10**12), st.integers(0, 99))
def test_german_money_is_read_back(euros: int, cents: int) -> None:
    written = f"{euros:,}".replace(",", ".") + f",{cents:02d}"
    (mention,) = find_numbers(f"Das sind {written} Euro")
    assert mention.value * 100 == euros * 100 + cents
    assert mention.raw == f"{written} Euro"


@given(st.text(alphabet="0123456789., ٬٫，-der", max_size=30), st.booleans())
def test_rewriting_moves_no_character(text: str, comma: bool) -> None:
    flat = with_points(text, comma=comma)
    assert len(flat) == len(text)
    assert all(a == b or {a, b} <= set(".,  \u2009") for a, b in zip(text, flat, strict=True))
