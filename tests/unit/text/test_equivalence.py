"""The table of allowed differences: each row on both of its sides, and where words and numbers end."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.documents import marked
from verifaible.text.cldr import scale_words
from verifaible.text.equivalence import (
    askings,
    begins_whole,
    ends_whole,
    folded,
    match,
    says_same,
    source_tokens,
)
from verifaible.text.normalise import key, tokens

#: A source, with marks as tags, and a quote of all of it.
ALLOWED = (
    ("It rose\n to\u00a05.33 %", "It rose to 5.33%"),
    ("全国\n人口 2024年", "全国人口2024年"),
    ("he said “no” – ‘never’", "he said \"no\" - 'never'"),
    ("he said “no” here", "he said 'no' here"),
    ("он сказал «нет»", 'он сказал "нет"'),
    ("彼は「はい」と", '彼は"はい"と'),
    ("``quoted'' words", '"quoted" words'),
    ("the rate rose", "“The rate rose.”"),
    ("the rate rose", "'The rate rose',"),
    ("the rate rose", "... the rate rose …"),
    ("the rate rose", "[…] the rate rose [...]"),
    ("the rate rose", "[T]he rate rose;"),
    ("don’t co‑operate", "don't co-operate"),
    ("war – and peace", "war -- and peace"),
    ("war—and peace", "war - and peace"),
    ("−5 °C", "-5°C"),
    ("ＡＢ－１２．５ and １，２００", "AB-12.5 and 1,200"),
    ("ﬁve oﬀers", "five offers"),
    ("cafe\u0301 for 5 µg of Ⅳ", "café for 5 μg of IV"),
    ("ตำรวจ", "ตํารวจ"),
    ("Bundes\u00adrat and zero\u200bwidth", "Bundesrat and zerowidth"),
    ("medium\u00adsized firms", "medium-sized firms"),
    ("٣٤٫٥ and ४५", "34.5 and 45"),
    ("5′ by 6″", "5' by 6\""),
    ("CO<sub>2</sub> and N<sub>2</sub>O on 9 km<sup>2</sup>", "CO2 and N2O on 9 km2"),
    ("the 1<sup>st</sup> and 2ª", "the 1st and 2a"),
    ("10<sup>6</sup> cells", "10⁶ cells"),
    ("rose¹ and fell.[2] Then† it", "rose and fell. Then it"),
    ("rose<sup>1</sup> then", "rose1 then"),
    ("in 2023<sup>4</sup> there", "in 2023 there"),
    ("so<note>[citation needed]</note> it is", "so it is"),
    ("<li>3.</li> the road", "the road"),
    ("漢<rt>かん</rt>字", "漢字"),
    ("costs <del>£24</del> £19 now", "costs £19 now"),
    ("<caps>WHO PAYS</caps> then", "Who pays then"),
    ("THE EXECUTIVE BOARD met", "The Executive Board met"),
    ("İtfaiye geldi", "itfaiye geldi"),
    ("add 1½ cups", "add 1 1/2 cups"),
)
REFUSED = (
    ("therapist", "the rapist"),
    ("it is now here", "it is nowhere"),
    ("re-sign it", "resign it"),
    ("rosé wine", "rose wine"),
    ("всё ясно", "все ясно"),
    ("in Maßen", "in Massen"),
    ("2.5 mg", "25 mg"),
    ("1,234 items", "1.234 items"),
    ("10<sup>6</sup> cells", "106 cells"),
    ("10⁶ cells", "106 cells"),
    ("10⁶ cells", "10 6 cells"),
    ("10⁶ cells", "10 cells"),
    ("y<sup>x1</sup>2 is", "yx12 is"),
    ("1½ cups", "11/2 cups"),
    ("2㋀", "21月"),
    ("5 mW laser", "5 MW laser"),
    ("makes US dealers pay", "makes us dealers pay"),
    ("run <code>Make</code> now", "run make now"),
    ("PayPal", "PаyPal"),
    ("No, price cuts", "No price cuts"),
    ("a “cure” for it", "a cure for it"),
    ("5' tall", '5" tall'),
    ("an area of 9 km²", "an area of 9 km"),
    ("十 二", "十二"),
    ("rate - 0.7", "rate -0.7"),
    ("costs <del>9</del><ins>6</ins>", "costs 96"),
    ("open <img>[picture: no]</img> today", "open today"),
    ("open <img>[picture: no]</img> today", "open [picture: no] today"),
    ("1928", "\u202e1928\u202c"),
    ("2019，2020", "2019,2020 and"),
    ("is … ready", "is ready"),
    ("not fully approve", "not approve"),
    ("₤5", "$5"),
)


def is_whole_quote(source: str, quote: str) -> bool:
    text, marks = marked(source)
    found = source_tokens(text, [(mark.start, mark.end, mark.kind) for mark in marks])
    first = next((at for at, token in enumerate(found) if not token.optional), 0)
    for asked in askings(quote):
        run = match(asked, found, first)
        if run is not None and run[1] and all(token.optional for token in found[run[0][-1] + 1 :]):
            return True
    return False


@pytest.mark.parametrize(("source", "quote"), ALLOWED)
def test_what_the_table_allows(source: str, quote: str) -> None:
    assert is_whole_quote(source, quote)


@pytest.mark.parametrize(("source", "quote"), REFUSED)
def test_what_it_does_not(source: str, quote: str) -> None:
    assert not is_whole_quote(source, quote)


#: A text with its words between bars, whether they may be cut there, and the language.
EDGES = (
    ("no |price cuts| are", True, ""),
    ("un|safe for| it", False, ""),
    ("the |sugar|-free one", False, ""),
    ("Lloyd-|Jones won| it", False, ""),
    ("l’|hôtel| est", True, ""),
    ("1,|250,000 voters| cast", False, ""),
    ("12 |500 people| came", False, ""),
    ("in 2024 |500 people| came", True, ""),
    ("floor 3. |5 guests| were", True, ""),
    ("holds |3.4| billion", False, ""),
    ("kostet |3,4| Milliarden Euro", False, "de"),
    ("стоит |5| миллионов", False, "ru"),
    ("lost |12| % of", False, ""),
    ("lost −|14 points| so", False, ""),
    ("paid $|40 million| for", False, ""),
    ("US|$2.4 million| at", False, ""),
    ("paid |5|€ for", False, ""),
    ("on 2|3 May| 1949", False, ""),
    ("10–|15 people| were", False, ""),
    ("score 1|–3 in| it", True, ""),
    ("建設費は|3|億5000万円", False, ""),
    ("中国|银行|业", True, ""),
    ("rate |.36| of", True, ""),
    ("rate .|36| of", False, ""),
    ("two (|more words|) here", True, ""),
    ("Paris—|London| trains", True, ""),
)


@pytest.mark.parametrize(("marked_text", "whole", "language"), EDGES)
def test_where_words_and_numbers_end(marked_text: str, whole: bool, language: str) -> None:
    before, words, behind = marked_text.split("|")
    text = before + words + behind
    found = source_tokens(text)
    inside = [at for at, t in enumerate(found) if len(before) <= t.start and t.end <= len(before + words)]
    cut = [t for t in found if t.start < len(before) < t.end or t.start < len(before + words) < t.end]
    ends = inside and begins_whole(text, found, inside[0]) and ends_whole(text, found, inside[-1], language)
    assert bool(ends and not cut) is whole


def test_words_of_large_numbers_are_those_of_the_language_and_english() -> None:
    assert {"million", "milliarde", "mrd"} <= scale_words("de-AT")
    assert "million" in scale_words("xx")


def test_texts_are_compared_as_wholes() -> None:
    assert says_same("It fell.[3] “So.”", "It fell. 'So.'")
    assert not says_same("It fell. So.", "It fell.")
    assert not says_same("It fell.", "It fell. So.")
    assert folded("郑　　州") == folded("郑州")
    assert folded("GDP¹") == folded("gdp")


PIECES = [
    "a",
    "B",
    "don't",
    "x'yz",
    "5",
    "1.5",
    "1,0",
    "...",
    "--",
    "''",
    "`",
    "'",
    '"',
    " ",
    "-",
    "\n",
    "$",
    "_",
]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_text_of_ascii_is_read_as_it_is_beside_other_letters(text: str) -> None:
    beside = [replace(each, start=each.start - 2, end=each.end - 2) for each in tokens(f"ü\n{text}")[1:]]
    assert tokens(text) == beside


@given(st.text(max_size=40))
def test_every_sign_but_blanks_is_in_a_token_and_keys_follow_tokens(text: str) -> None:
    found = tokens(text)
    assert all(0 <= token.start < token.end <= len(text) for token in found)
    assert all(one.start <= other.start for one, other in pairwise(found))
    outside = "".join(c for at, c in enumerate(text) if not any(t.start <= at < t.end for t in found))
    assert not key(outside)
    assert key("".join(token.norm for token in found)) == key(text)


def test_long_texts_are_read_quickly() -> None:
    text = "The rate (see no. 5) fell to 5.4 per cent – “it rose,” said Dr. Reed.\n" * 500
    began = time.perf_counter()
    source_tokens(text)
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize("written", ["Hawai\u02bci", "Hawai\u2019i", "Hawai\u02b9i", "Hawai'i"])
def test_a_letter_apostrophe_is_searched_as_any_other(written: str) -> None:
    assert key(written) == key("Hawai'i")
    assert says_same(written, "Hawai'i")


def test_a_prime_behind_a_number_is_no_quotation_mark_unless_it_closes_one() -> None:
    found = [token.norm for token in tokens("the 'class of 90' met a 90' mast") if not token.is_word]
    assert found == ['"', '"', "'"]
