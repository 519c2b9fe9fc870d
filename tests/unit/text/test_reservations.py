"""What a quote may not leave out of its sentence, in many languages."""

from __future__ import annotations

import pytest

from verifaible.text.reservations import left_out


def missing(sentence: str, quote: str, language: str) -> tuple[str, str] | None:
    start = sentence.index(quote)
    found = left_out(sentence, start, start + len(quote), language)
    return (found.kind, found.words) if found is not None else None


@pytest.mark.parametrize(
    ("language", "sentence", "quote", "words"),
    [
        ("ar", "لم يوافق المجلس على الخطة", "يوافق المجلس", "لم"),
        ("bg", "Съветът не одобри плана.", "одобри плана", "не"),
        ("bn", "পরিষদ পরিকল্পনা অনুমোদন করেনি।", "পরিষদ পরিকল্পনা অনুমোদন", "করেনি"),
        ("cs", "Rada plán neschválila, most nebyl opraven.", "opraven", "nebyl"),
        ("da", "Rådet godkendte ikke planen.", "planen", "ikke"),
        ("de", "Der Rat billigte den Plan nicht.", "Der Rat billigte den Plan", "nicht"),
        ("el", "Το συμβούλιο δεν ενέκρινε το σχέδιο.", "ενέκρινε το σχέδιο", "δεν"),
        ("en", "The board did not approve it.", "approve it", "not"),
        ("es", "El consejo no aprobó el plan.", "aprobó el plan", "no"),
        ("fa", "شورا طرح را تصویب نکرد.", "شورا طرح را تصویب", "نکرد"),
        ("fi", "Hallitus ei hyväksynyt suunnitelmaa.", "hyväksynyt suunnitelmaa", "ei"),
        ("fr", "Le conseil n’a pas approuvé le plan.", "approuvé le plan", "n'a"),
        ("he", "המועצה לא אישרה את התוכנית.", "אישרה את התוכנית", "לא"),
        ("hi", "परिषद ने योजना को मंजूरी नहीं दी।", "परिषद ने योजना को मंजूरी", "नहीं"),
        ("hr", "Vijeće nije odobrilo plan.", "odobrilo plan", "nije"),
        ("hu", "A tanács nem hagyta jóvá a tervet.", "hagyta jóvá a tervet", "nem"),
        ("id", "Dewan tidak menyetujui rencana itu.", "menyetujui rencana itu", "tidak"),
        ("is", "Stjórnin samþykkti ekki áætlunina.", "áætlunina", "ekki"),
        ("it", "Il consiglio non ha approvato il piano.", "approvato il piano", "non"),
        ("ja", "取締役会は計画を承認しなかった。", "取締役会は計画を承認", "しなかった"),
        ("ko", "이사회는 계획을 승인하지 않았다.", "이사회는 계획을", "지 않"),
        ("nl", "De raad keurde het plan niet goed.", "De raad keurde het plan", "niet"),
        ("no", "Styret godkjente ikke planen.", "planen", "ikke"),
        ("pl", "Rada nie zatwierdziła planu.", "zatwierdziła planu", "nie"),
        ("pt", "O conselho não aprovou o plano.", "aprovou o plano", "não"),
        ("ro", "Consiliul nu a aprobat planul.", "aprobat planul", "nu"),
        ("ru", "Совет не одобрил план.", "одобрил план", "не"),
        ("sk", "Most nebol opravený.", "opravený", "nebol"),
        ("sr", "Савет није одобрио план.", "одобрио план", "није"),
        ("sv", "Styrelsen godkände inte planen.", "planen", "inte"),
        ("th", "คณะกรรมการไม่อนุมัติแผน", "อนุมัติแผน", "ไม่"),
        ("tr", "Kurul planı onaylamadı.", "Kurul planı", "madı"),
        ("uk", "Рада не схвалила план.", "схвалила план", "не"),
        ("ur", "کونسل نے منصوبہ منظور نہیں کیا", "کونسل نے منصوبہ منظور", "نہیں"),
        ("vi", "Hội đồng không phê duyệt kế hoạch.", "phê duyệt kế hoạch", "không"),
        ("zh", "董事会没批准该议案。", "批准该议案", "没"),
    ],
)
def test_a_negation(language: str, sentence: str, quote: str, words: str) -> None:
    found = missing(sentence, quote, language)
    assert found is not None
    assert found[0] == "negation"
    assert words in found[1] or found[1] in words


@pytest.mark.parametrize(
    ("language", "sentence", "quote", "kind"),
    [
        ("en", "If it rains, the match is off.", "the match is off", "condition"),
        ("en", "The match is off unless it stops raining.", "The match is off", "condition"),
        ("de", "Falls es regnet, fällt das Spiel aus.", "fällt das Spiel aus", "condition"),
        ("fr", "Si les prix baissent, la mine ferme.", "la mine ferme", "condition"),
        ("zh", "如果价格下跌，矿山将关闭。", "矿山将关闭", "condition"),
        ("en", "The mine reportedly closed in May.", "closed in May", "doubt"),
        ("en", "He claimed that the mine closed in May.", "the mine closed in May", "doubt"),
        ("de", "Angeblich schloss die Mine im Mai.", "schloss die Mine im Mai", "qualifier"),
        ("zh", "据称该矿于5月关闭。", "该矿于5月关闭", "doubt"),
        ("en", "At least 40 people came.", "40 people came", "qualifier"),
        ("en", "The former president opened the fair.", "president opened the fair", "qualifier"),
        ("zh", "前总理访问了该市。", "总理访问了该市", "qualifier"),
        ("zh", "气温降到零下5度。", "5度", "qualifier"),
        ("ja", "元首相が訪問した。", "首相が訪問した", "qualifier"),
        ("ja", "非公開の会議が開かれた。", "公開の会議が開かれた", "qualifier"),
        ("ko", "전 대통령이 방문했다.", "대통령이 방문했다", "qualifier"),
        ("en", "Did the mine close in May?", "the mine close in May", "question"),
        ("zh", "矿山关闭了吗？", "矿山关闭了", "question"),
        ("el", "Έκλεισε το ορυχείο;", "Έκλεισε το ορυχείο", "question"),
        ("el", "Έκλεισε το ορυχείο; Όχι.", "Έκλεισε το ορυχείο", "question"),
        ("ar", "هل أغلق المنجم؟", "أغلق المنجم", "question"),
        ("de", "Das Schiff legte am Montag in Emden ab.", "Das Schiff legte am Montag in Emden", "ending"),
        ("nl", "De raad trok het plan in mei in, en vertrok.", "De raad trok het plan in mei", "ending"),
        ("tr", "Köprü dün açıldı sanıldı.", "Köprü dün açıldı", "ending"),
        ("en", "Its flyer reads “Our mine is the safest of all” in red.", "is the safest", "quotation"),
    ],
)
def test_other_reservations(language: str, sentence: str, quote: str, kind: str) -> None:
    found = missing(sentence, quote, language)
    assert found is not None
    assert found[0] == kind


@pytest.mark.parametrize(
    ("language", "sentence", "quote"),
    [
        ("en", "The board did not approve it.", "did not approve it"),
        ("en", "The board did not approve it.", "The board did not approve it."),
        ("en", "It was not cheap; the board approved it.", "the board approved it"),
        ("en", "Not only did it rain, the match was off.", "the match was off"),
        ("en", "Prices rose in May 2024.", "Prices rose"),
        ("en", "The board approved the plan in spring.", "approved the plan"),
        ("de", "Der Rat billigte den Plan im Mai.", "billigte den Plan"),
        ("cs", "Most nebo tunel opravili v květnu.", "opravili v květnu"),
        ("de", "Das Schiff legte am Montag in Emden ab.", "am Montag in Emden ab"),
        ("de", "Das Schiff liegt in Emden, die Fracht im Lager.", "Das Schiff liegt in Emden"),
        ("de", "Das Schiff liegt seit Montag im Hafen von Emden.", "Das Schiff liegt seit Montag"),
        ("fr", "Le navire quitta Brest lundi.", "Le navire quitta Brest"),
        ("zh", "收入不断增长。", "增长"),
        ("zh", "不同地区的收入增长。", "收入增长"),
        ("zh", "特别重要的会议召开。", "会议召开"),
        ("zh", "该公司是非常重要的企业。", "重要的企业"),
        ("ja", "少なくない人が集まった。", "集まった"),
        ("vi", "Không chỉ hội đồng, công ty cũng đồng ý.", "công ty cũng đồng ý"),
        ("en", "Was it safe? The mine closed in May.", "The mine closed in May."),
        ("en", "“The mine is safe”, it reads.", "“The mine is safe”"),
        ("xx", "Bodi haikuidhinisha mpango.", "mpango"),  # no words are known of it
    ],
)
def test_what_leaves_out_nothing_of_weight(language: str, sentence: str, quote: str) -> None:
    assert missing(sentence, quote, language) is None


def test_a_longer_negation_goes_before_an_innocent_word_in_it() -> None:
    assert missing("股东会不同意该方案。", "该方案", "zh") == ("negation", "不同意")
    assert missing("股东会不同地区的方案。", "方案", "zh") is None
    assert missing("Most nebyl opraven.", "opraven", "cs") == ("negation", "nebyl")
    assert missing("Совет не только не одобрил план.", "одобрил план", "ru") is not None
