"""An answer states a value only with its currency, unit, sign, scale and kind of ratio, in any language."""

from __future__ import annotations

import pytest

from verifaible.schema.case import Case
from verifaible.scoring.match import expectation, match_answer, match_evidence
from verifaible.text.units import told_units

#: Expected, then the answers that state it, then those that do not.
PAIRS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "EUR 143.9 million",
        (
            "€143.9m",
            "143.9 million euros",
            "Revenue was EUR 143.9 million.",
            "143,900 thousand euros",
            "€0.1439 billion",
            "143,9 Mio. EUR",
            "143,9 Millionen Euro",
            "143,9 millions d'euros",
            "143,9 millones de euros",
            "143,9 milioni di euro",
            "143,9 milhões de euros",
            "143,9 miljoen euro",
            "143,9 miljoner euro",
            "143,9 miljoonaa euroa",
            "143,9 mln euro",
            "143,9 млн евро",
            "143,9 мільйона євро",
            "143,9 εκατ. ευρώ",
            "143,9 milyon avro",
            "1.439亿欧元",
            "1億4390万ユーロ",
            "1억 4390만 유로",
            "143.9 مليون يورو",
            "143.9 million",
        ),
        (
            "$143.9 million",
            "US$143.9m",
            "143.9 million yen",
            "143.9 million pounds",
            "£143.9 million",
            "CHF 143.9 million",
            "143.9 million Swiss francs",
            "143,9 Mio. US-Dollar",
            "143,9 millions de dollars",
            "143,9 млн рублей",
            "143,9 млн долларов",
            "143,9 miljoner kronor",
            "143,9 mln zł",
            "1.439亿美元",
            "1.439亿元",
            "1億4390万円",
            "1억 4390만 원",
            "143.9 مليون دولار",
            "€143.9 billion",
            "€143.9",
            "143.9 thousand euros",
            "143.9%",
        ),
    ),
    (
        "$143.9 million",
        (
            "$143.9m",
            "US$143.9 million",
            "143.9 million dollars",
            "C$143.9 million",
            "143.9 million Canadian dollars",
            "USD 143.9 million",
            "143,9 Millionen Dollar",
            "143,9 млн долларов",
            "1.439亿美元",
            "HK$143.9 million",
        ),
        ("€143.9 million", "¥143.9 million", "143.9 million yen", "£143.9 million", "143,9 Mio. CHF", "₹143.9 million"),
    ),
    (
        "US$50",
        ("50 US dollars", "$50", "USD 50", "50 dollars", "50 долларов США", "50 dólares", "50美元", "50ドル", "50 달러"),
        ("A$50", "CA$50", "C$50", "HK$50", "NZ$50", "50 Australian dollars", "CAD 50", "50港元", "50 euros", "50加元", "50 kr"),
    ),
    ("CAD 50", ("C$50", "CA$50", "$50", "50 Canadian dollars"), ("US$50", "A$50", "50 USD", "€50")),
    ("HK$12", ("12港元", "HKD 12", "$12"), ("US$12", "12美元", "12 yuan renminbi", "NT$12")),
    ("¥5,000", ("5000円", "5,000 yen", "5000元", "CNY 5,000", "JPY 5,000"), ("$5,000", "5000 won", "₩5,000", "€5,000")),
    ("5,000円", ("¥5,000", "JPY 5,000", "5千円", "5,000 yen", "5000日元"), ("5000元", "5,000ドル", "5,000ウォン", "5000人民币")),
    ("72亿元", ("7.2 billion yuan", "CNY 7.2 billion", "RMB 7.2 billion", "¥7.2 billion", "新台币72亿元", "72亿元"), ("72亿美元", "7.2 billion yen", "72亿日元", "72万元", "72亿人")),
    ("120 万人", ("1.2 million people", "120万人", "1,200,000人", "1.2 million"), ("120万元", "120万户", "120亿人", "$1.2 million", "1.2 million days")),
    ("250 крон", ("250 kr", "SEK 250", "NOK 250", "250 kronor", "250 kroner", "250 Kronen", "250 korun"), ("250 рублей", "250 евро", "250 dollars", "250 zł")),
    ("SEK 250", ("250 svenska kronor", "250 kr", "250 kronor", "250 крон"), ("DKK 250", "NOK 250", "250 norska kronor", "250 euro")),
    ("45,2 млрд рублей", ("45.2 billion rubles", "RUB 45.2 billion", "₽45.2 billion", "45,2 млрд руб.", "45200 млн руб."), ("45,2 млрд долларов", "45,2 млн рублей", "45,2 млрд гривен", "€45.2 billion")),
    ("1.5 crore rupees", ("₹1.5 crore", "INR 15 million", "15 million rupees", "Rs 1.5 crore"), ("1.5 crore dollars", "$15 million", "₹1.5 lakh", "15 million rupiah")),
    ("300 złotych", ("PLN 300", "300 zł", "300 zlotys"), ("300 euro", "300 Kč", "300 forintów")),
    ("R$ 2,5 bilhões", ("BRL 2.5 billion", "2.5 billion reais", "R$2.5 billion"), ("US$2.5 billion", "R$2.5 million", "2.5 billion pesos", "ARS 2.5 billion")),
    ("2.4 %", ("2.4 percent", "2.4 per cent", "2,4 Prozent", "2,4 %", "2,4 pour cent", "2,4 процента", "2.4パーセント", "2.4퍼센트", "2,4 procent", "百分之2.4", "2,4 por ciento", "2,4 prosenttia", "yüzde 2,4", "2,4 százalék"), ("2.4 percentage points", "2.4 pp", "2,4 Prozentpunkte", "2.4个百分点", "2.4ポイント", "2.4 basis points", "2,4 points de pourcentage", "2,4 процентных пункта", "2,4 procentenheter", "$2.4", "2.4 million", "-2.4 %")),
    ("0.3 percentage points", ("0.3 pp", "0.3个百分点", "0,3 Prozentpunkte", "0.3ポイント", "0,3 процентного пункта", "0,3 punti percentuali", "0,3 puntos porcentuales", "0,3 procentpunt", "0,3 punktu procentowego"), ("0.3%", "0.3 percent", "0,3 Prozent", "0,3 процента", "0.3パーセント", "3 percentage points", "-0.3 pp")),
    ("-3.1 %", ("-3.1%", "fell 3.1%", "−3.1 %", "minus 3.1 percent", "下降3.1%", "minus 3,1 Prozent"), ("3.1 %", "rose 3.1%", "-3.1 percentage points")),
    ("-€12 million", ("-€12m", "€-12 million", "minus 12 million euros", "−12 Mio. Euro"), ("€12 million", "-$12 million", "12 million euros")),
    ("12 km", ("12 kilometres", "12 Kilometer", "12 километров", "12公里", "12 kilomètres", "12 kilómetros", "12 kilometrów", "12 quilômetros", "12킬로미터"), ("12 m", "12 metres", "12 miles", "12 hours", "12 kg", "12 метров", "12 Meilen", "12%")),
    ("7 days", ("7 Tage", "7天", "7 jours", "7 días", "7 дней", "7日", "7 giorni", "7 dagen", "7 dni", "7 gün"), ("7 weeks", "7 hours", "7 Wochen", "7 недель", "7個月", "7 mois", "7 heures")),
    ("30 t", ("30 tonnes", "30 Tonnen", "30吨", "30 тонн", "30 toneladas"), ("30 kg", "30 kilogrammes", "30 euros", "30 m")),
    ("£8.25", ("8.25 pounds", "GBP 8.25", "8.25 pounds sterling", "8,25 Pfund", "8.25英镑"), ("€8.25", "$8.25", "8.25 euros", "8.25 %")),
    ("1.2万亿元", ("1.2 trillion yuan", "12000亿元", "CNY 1,200 billion"), ("1.2万亿美元", "1.2亿元", "1.2 trillion won")),
    ("5兆円", ("5 trillion yen", "¥5 trillion", "JPY 5,000 billion"), ("5億円", "5 trillion won", "$5 trillion")),
    ("3000억 원", ("300 billion won", "KRW 300 billion", "₩300 billion", "3천억 원"), ("3000억 달러", "300 billion yen", "3000만 원")),
)  # fmt: skip

CASES = [
    (expected, answer, agrees)
    for expected, right, wrong in PAIRS
    for answers, agrees in ((right, True), (wrong, False))
    for answer in answers
]


def case(answer: str) -> Case:
    return Case(id="pair", question="?", answer=answer, url="https://example.org/", category="text")


@pytest.mark.parametrize(("expected", "answer", "agrees"), CASES)
def test_what_is_counted_agrees(expected: str, answer: str, agrees: bool) -> None:
    wanted = expectation(case(expected))
    assert match_answer(expected, wanted).correct
    assert match_answer(answer, wanted).correct is agrees


@pytest.mark.parametrize("answer", ["€143.9", "$143.9", "143.9 yen", "143.9 kg", "143.9"])
def test_an_expectation_without_a_unit_takes_any_currency(answer: str) -> None:
    assert match_answer(answer, expectation(case("143.9"))).correct


@pytest.mark.parametrize(
    ("answer", "head", "text", "carries"),
    [
        ("EUR 143.9 million", "Revenue (EUR million)", "143.9", True),
        ("EUR 143.9 million", "Revenue (€m)", "143.9", True),
        ("EUR 143.9 million", "Revenue, in millions of euros", "143.9", True),
        ("EUR 143.9 million", "Revenue (USD million)", "143.9", False),
        ("EUR 143.9 million", "Revenue ($ thousands)", "143.9", False),
        ("EUR 143.9 million", "Revenue (EUR thousand)", "143.9", False),
        ("EUR 143.9 million", "Revenue (EUR thousand)", "143,900", True),
        ("EUR 143.9 million", "Revenue", "143.9", True),
        ("72亿元", "营业收入（亿元）", "72", True),
        ("72亿元", "营业收入（亿美元）", "72", False),
        ("2.4 %", "Change (percentage points)", "2.4", False),
        ("2.4 %", "Change (%)", "2.4", True),
    ],
)
def test_the_head_of_a_cell_says_what_it_counts(answer: str, head: str, text: str, carries: bool) -> None:
    told = told_units(head)
    assert match_evidence(text, expectation(case(answer)), told=told).correct is carries
