"""Right answers and likely misreadings of the extended cases: the neighbour's row, period or unit."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifaible.schema.case import Case
from verifaible.scoring.match import expectation, match_answer

CASES = Path(__file__).resolve().parents[3] / "cases" / "extended"

RIGHT = {
    "ja_health_001": ("△7.0", "−7.0", "大和田市の自然増減率は人口千対△ 7.0でした[@v:1]。", "マイナス7.0", "It was -7.0 per 1,000."),
    "ja_health_002": ("134.8", "2020年（令和2年）の老衰の死亡率は人口10万対134.8です[@v:1]。"),
    "ja_health_003": ("6,071人", "確定数は6071人です。概数は6,050人でした。", "6,071 people"),
    "ja_health_004": ("14.07", "インフルエンザの定点当たり報告数は14.07人です。"),
    "ja_health_005": ("10.3%", "川下町では１０．３％です。", "10.3 percent"),
    "ja_health_006": ("11,193百万円", "111億9,300万円", "約111.93億円です。", "11,193"),
    "ja_health_007": ("88施設", "88", "編入前の区域では８８施設です。"),
    "ja_health_008": ("1,137人", "累計で1,137人となりました[@v:1]。"),
    "de_law_001": ("zehn Wochen", "Die Frist betrug 10 Wochen [@v:1].", "Ten weeks."),
    "de_law_002": ("zwei Monate", "innerhalb von zwei Monaten nach Zustellung", "2 Monate", "within two months"),
    "de_law_003": ("11.000 Euro", "11.000 €", "11000 EUR", "The court held 11,000 euros to be adequate."),
    "de_law_004": ("2.843,10 Euro", "2843,10 €", "EUR 2,843.10", "Die Gebühr beträgt 2.843,10 Euro [@v:1]."),
    "de_law_005": ("1. Januar 2027", "am 1. Januar 2027 [@v:1]", "01.01.2027", "1 January 2027"),
    "de_law_006": ("3 A 412/23", "OVG Nordmark, Urteil vom 17.09.2024, 3 A 412/23 [@v:1]"),
    "de_law_007": ("11,7 Monate", "11,7", "durchschnittlich 11,7 Monate", "11.7 months"),
    "ar_sport_001": ("٢٧", "27 هدفًا", "استقبلت شباكه ٢٧ هدفًا[@v:1]."),
    "ar_sport_002": ("\u061c-٧", "\u200e-٧", "-7", "فارق الأهداف −٧"),
    "ar_sport_003": ("١٬٤٣٧ دقيقة", "1437", "1,437 minutes"),
    "ar_sport_004": ("فهد الراشد", "سجله فهد الراشد في الدقيقة ٥٩."),
    "ar_sport_005": ("١٠٬٠١٤", "10,014 متفرجًا", "بلغ المتوسط ١٠٠١٤ متفرجًا"),
    "ar_sport_006": ("٥٢٬٥٠٠ دينار", "52,500 دينار", "٥٢٫٥ ألف دينار", "52500"),
}  # fmt: skip
WRONG = {
    "ja_health_001": ("7.0", "△6.9", "△609人", "△6.6", "13.0"),
    "ja_health_002": ("158.4", "1,255", "75.5", "約134", "148.2"),
    "ja_health_003": ("6,050人", "6,324人", "21人", "11,493人", "6,071件"),
    "ja_health_004": ("13.43", "22.27", "211", "12.87"),
    "ja_health_005": ("18.1%", "15.7%", "10.2%", "10.3ポイント"),
    "ja_health_006": ("11,040百万円", "393,971円", "11,193円", "11,193億円"),
    "ja_health_007": ("101施設", "8施設", "224施設"),
    "ja_health_008": ("1,173人", "862人", "74人", "1,021人"),
    "de_law_001": ("acht Wochen", "vier Monate", "sechs Wochen", "zwölf Wochen"),
    "de_law_002": ("ein Monat", "zwei Wochen", "drei Monate"),
    "de_law_003": ("8.000 Euro", "7.150 Euro", "18.000 Euro", "11 Euro", "11,5 Euro"),
    "de_law_004": ("3.013,11 Euro", "2.187,00 Euro", "2.502,50 Euro", "284,31 Euro"),
    "de_law_005": ("1. Juli 2025", "1. Oktober 2025", "1. Januar 2025", "31. Dezember 2029"),
    "de_law_006": ("3 A 421/23", "3 A 388/22", "3 A 142/23", "13 A 412/23"),
    "de_law_007": ("10,1 Monate", "1,9 Monate", "12,4 Monate", "11,7 Wochen", "117"),
    "ar_sport_001": ("٢٨", "١٦", "٣٥", "٢٧ نقطة"),
    "ar_sport_002": ("٧", "-٦", "-٩", "١٠"),
    "ar_sport_003": ("١٬٨٦٢ دقيقة", "١٨", "٣"),
    "ar_sport_004": ("عمر قاسم", "سامي غانم", "رامي شاهين"),
    "ar_sport_005": ("١١٬٧٠٦", "١٥٬٤٦٩", "٦٠٫١ ألف متفرج", "١٠٫٠١٤"),
    "ar_sport_006": ("٨٥٬٠٠٠ دينار", "٣٠٬٠٠٠ دينار", "٦٬٤٠٠ دينار", "٥٢٬٥٠٠ ريال"),
}  # fmt: skip


def case(name: str) -> Case:
    return Case.model_validate_json((CASES / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "answer"), [(name, each) for name, all_ in RIGHT.items() for each in all_])
def test_right_answers_count(name: str, answer: str) -> None:
    asked = case(name)
    match = match_answer(answer, expectation(asked), question=asked.question)
    assert match.correct, match.explanation


@pytest.mark.parametrize(("name", "answer"), [(name, each) for name, all_ in WRONG.items() for each in all_])
def test_misreadings_do_not_count(name: str, answer: str) -> None:
    asked = case(name)
    assert not match_answer(answer, expectation(asked), question=asked.question).correct
