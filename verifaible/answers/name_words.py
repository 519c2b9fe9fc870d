"""The words by which names are told from other words, in the languages that are read: ``name_words.json``."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

from verifaible.text.lists import in_order, words_of

_DATA: Final[dict[str, Any]] = json.loads(
    files(__package__).joinpath("name_words.json").read_text("utf-8"),
    object_hook=lambda lists: {
        name: " ".join(lines) if isinstance(lines, list) else lines for name, lines in lists.items()
    },
)
#: Stand before a name and are not part of it.
ADDRESSES: Final = words_of(_DATA["addresses"])
#: Capitalised wherever they stand, and no names: days, months, pronouns.
NOT_NAMES: Final = words_of(_DATA["not_names"])
#: Words that begin sentences and are no part of the name behind them.
FIRST_WORDS: Final = words_of(_DATA["first_words"])
#: Small words inside a name.
CONNECTORS: Final = {language: words_of(words) for language, words in _DATA["connectors"].items()}
#: Frequent words by which a language is known; those of several languages are left out.
LANGUAGE_WORDS: Final = {language: words_of(words) for language, words in _DATA["language_words"].items()}
#: Longest first: the name ends with the longest that fits.
ZH_SUFFIXES: Final = in_order(_DATA["zh_suffixes"])
ZH_MINISTRIES: Final = in_order(_DATA["zh_ministries"])
#: Patterns; never a part of a name that ends as above; 为 stands in 华为, 和 in 和记.
ZH_BREAKS: Final = in_order(_DATA["zh_breaks"])
ZH_GENERIC: Final = in_order(_DATA["zh_generic"])
ZH_TITLES: Final = in_order(_DATA["zh_titles"])
SURNAMES: Final = in_order(_DATA["surnames"])
#: Characters that begin the verb or the word behind a name of two characters.
VERB_BEGINNINGS: Final = frozenset(_DATA["verb_beginnings"])
JA_OFFICES: Final = words_of(_DATA["ja_offices"])
JA_GENERIC: Final = in_order(_DATA["ja_generic"])
