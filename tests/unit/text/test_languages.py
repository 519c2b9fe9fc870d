from __future__ import annotations

import pytest

from verifaible.text.language import language_of, script_of

SAID = {
    "en": "The board of the bank said that it was for the plan and that it is on its way.",
    "de": "Der Vorstand der Bank ist mit dem Plan nicht zufrieden und wird ihn auch im Mai von sich weisen.",
    "fr": "Le conseil de la banque est pour le plan et les membres sont dans une salle qui est au nord.",
    "es": "El consejo de la banca y los miembros que se reúnen en una sala por la tarde con el plan.",
    "it": "Il consiglio della banca è per il piano e i membri sono nel palazzo che non è una sala.",
    "pt": "O conselho do banco não é a favor do plano e os membros da sala se reúnem em uma casa.",
    "nl": "De raad van de bank is niet voor het plan en zijn leden zijn op het kantoor dat er ook is.",
    "sv": "Styrelsen är för planen och det är inte den som har varit med om ett möte till att börja.",
    "fi": "Hallitus ei ole samaa mieltä ja se on myös sitä mieltä, että hän oli kuin muut, mutta niin oli.",
    "pl": "Zarząd nie jest za tym planem i to był po prostu ten, o którym się już mówiło przez rok.",
    "tr": "Kurul bu plan için çok olumlu değil ve sonra bir karar daha var gibi, ne kadar da olsa.",
    "ru": "Совет не согласен с планом, но это было как у всех, и он был по пути к себе за год.",
    "uk": "Рада не згодна з планом, але це було як у всіх, і він був від початку до кінця за нього.",
    "ar": "لا توافق الهيئة على هذا القرار الذي كان في العام من أن هو بعد",
    "fa": "این هیئت با برنامه موافق است و برای آن یک جلسه در تهران شد که از آن بود",
    "vi": "Hội đồng không đồng ý với kế hoạch này và các người của họ đã được cho ở một nơi từ khi đó.",
    "ja": "取締役会はこの案を承認した。",
    "ko": "이사회는 이 안을 승인했다.",
    "zh": "董事会批准该议案。",
    "th": "คณะกรรมการอนุมัติแผน",
    "el": "Το συμβούλιο ενέκρινε το σχέδιο.",
    "he": "המועצה אישרה את התוכנית.",
    "hi": "परिषद ने योजना को मंजूरी दी।",
    "bn": "পরিষদ পরিকল্পনা অনুমোদন করেছে।",
    "ta": "குழு திட்டத்தை அங்கீகரித்தது.",
    "hy": "Խորհուրդը հաստատեց ծրագիրը։",
    "ka": "საბჭომ დაამტკიცა გეგმა.",
}


@pytest.mark.parametrize("language", SAID)
def test_a_text_tells_its_language(language: str) -> None:
    assert language_of("", SAID[language]) == language


@pytest.mark.parametrize("language", SAID)
def test_the_tag_of_a_page_is_believed_where_the_script_agrees(language: str) -> None:
    assert language_of(f"{language}-XX", SAID[language]) == language
    latin = script_of(SAID[language]) == "LATIN"
    assert language_of("en", SAID[language]) == ("en" if latin else language)


@pytest.mark.parametrize(
    ("said", "text", "language"),
    [
        ("ja", "承認案件", "ja"),
        ("zh", "日本の案", "ja"),  # kana are no letters of Chinese
        ("eo", SAID["de"], "de"),  # no words of it are known
        ("", "12.5 % (2024)", ""),
        ("", "", ""),
        ("DE", "Umsatz", "de"),
        ("en", "The dish is called 寿司 (すし) in Japan.", "en"),
        ("", SAID["en"] + " It cost ฿5 in 東京.", "en"),
        ("", "The U.S. economy added jobs, and Dr. Smith was glad.", "en"),
        ("", "使用Python编写的程序", "zh"),
        ("zh", "The board did not approve it, and it was for the best that it did so.", "en"),
        ("zh", "Apple, Google and Nvidia 上涨", ""),  # names tell nothing, and most letters are Latin
        ("", "中国的“の”字招牌随处可见，很受欢迎，很常见。", "zh"),
    ],
)
def test_where_tag_and_text_differ(said: str, text: str, language: str) -> None:
    assert language_of(said, text) == language


def test_a_tie_says_nothing() -> None:
    assert language_of("", "er") == ""
