"""Recognising pages that are not the content (words: ``blocked.toml``): none of them may become evidence."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib import resources

from verifaible.errors import PageBlocked
from verifaible.evidence.material import LoadState, Material

HALF_LOADED = "a half-loaded page"
#: Of what a page says that is no content, so much goes with the refusal, in code points.
_SHOWN = 500

#: Above this many characters a page has content of its own beside any banner.
#: Calibrated on the replicas (shortest content page: 380 characters) and common block pages.
_SHORT = 1_200
#: Beside a sign that content may hold too, a block page says no more than this many characters.
#: Calibrated on scripts/accuracy: the innocent pages say more beside such a sign.
_BESIDE = 40
#: A page that asks for JavaScript says no more than this.
_ONE_NOTICE = 160
#: A line of this length that ends as a sentence does is content, and so are two lines with figures.
_SENTENCE = 40
_FIGURES = 2
#: A picture of so many square pixels (a tenth of the screen) is content too.
_PICTURE = 115_000
#: Such signs are this part of a label; in a line that says something about them they are less.
_LABEL = 0.4


_DATA = tomllib.loads(resources.files("verifaible.evidence").joinpath("blocked.toml").read_text("utf-8"))


def _any_of(alternatives: Sequence[str], tail: str = "") -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(alternatives)}){tail}", re.IGNORECASE)


#: What each kind of block page says: its name, what is certain and what is only possible.
_SIGNS: Sequence[tuple[str, re.Pattern[str], re.Pattern[str]]] = [
    (each["name"], _any_of(each["certain"]), _any_of(each["possible"])) for each in _DATA["sign"]
]
_NOT_LOADED = _any_of(_DATA["not_loaded"], r"[\s.…,，。!！\w]{0,40}")
_LOADING_LINE = _any_of(_DATA["loading_line"], r"[\s.…。!！]*")
_BOILERPLATE = _any_of(_DATA["boilerplate"])
_NEEDS_SCRIPT = _any_of(_DATA["needs_script"])


def why_blocked(material: Material) -> str:
    """What the page is instead of content, or an empty string where it is content."""
    document = material.document
    text = document.text.strip()
    if (not text or _NOT_LOADED.fullmatch(text)) and not document.images:
        return "an empty page"
    if _is_half_loaded(material, text):
        return HALF_LOADED
    if len(text) > _SHORT:
        return ""
    return _sign_of(f"{material.title}\n{text}", text)


def _sign_of(shown: str, text: str) -> str:
    """The kind of block page that a short text, shown below its title, is the text of."""
    for name, certain, _ in _SIGNS:
        if certain.search(shown):
            return name
    if _NEEDS_SCRIPT.search(text) and _length(text) <= _ONE_NOTICE:
        return "an empty page"
    for name, _, possible in _SIGNS:
        labelled = any(_is_label(possible, line) for line in shown.splitlines() if line.strip())
        if labelled and _beside(possible, text) <= _BESIDE:
            return name
    return ""


def _is_half_loaded(material: Material, text: str) -> bool:
    """Whether the page broke off, or what it shows beside its frame is no more than signs of loading."""
    state = material.load_state
    if state.cut:
        return True
    if not _says_something(text):
        return any(_LOADING_LINE.fullmatch(line.strip()) for line in text.splitlines()) or _looks_unfinished(
            state
        )
    document = material.document
    frames = (block.text for block in document.blocks if block.frame > 0)
    content = "\n".join((state.main_text, *frames))
    pictures = any(each.complete and each.box.width * each.box.height >= _PICTURE for each in document.images)
    return _looks_unfinished(state) and not pictures and not _says_something(content)


def _looks_unfinished(state: LoadState) -> bool:
    said = any(_LOADING_LINE.fullmatch(line.strip()) for line in state.main_text.splitlines())
    return bool(state.busy) or said or bool(state.failed and state.empty)


def _says_something(text: str) -> bool:
    """Whether a text holds a sentence, or figures, beside what every page has at its foot."""
    figures = 0
    for line in (line.strip() for line in text.splitlines()):
        if not line or _LOADING_LINE.fullmatch(line) or _BOILERPLATE.search(line):
            continue
        if re.search(r"[.!?;:。！？；：]", line) and _length(line) >= _SENTENCE:
            return True
        figures += bool(re.search(r"\d", line))
        if figures >= _FIGURES:  # a long table is not read to its end
            return True
    return False


def _beside(pattern: re.Pattern[str], text: str) -> int:
    """The length of what the page says beside labels that are hardly more than the pattern."""
    return sum(_length(line) for line in text.splitlines() if not _is_label(pattern, line))


def _is_label(pattern: re.Pattern[str], line: str) -> bool:
    return sum(_length(match.group()) for match in pattern.finditer(line)) >= _LABEL * max(_length(line), 1)


def _length(text: str) -> int:
    """Letters of a text; an East Asian one says as much as two and a half."""
    return sum(5 if char >= "\u2e80" else 2 for char in text if not char.isspace()) // 2


def is_unready(material: Material) -> bool:
    """Whether the page may still become content if it is given time."""
    return not material.load_state.cut and why_blocked(material) in (HALF_LOADED, "an empty page")


def refuse_blocked(material: Material) -> None:
    """Raise if the page is not content.

    Raises:
        PageBlocked: names what the page is instead.
    """
    reason = why_blocked(material)
    if reason:
        raise PageBlocked(
            f"{material.url} shows {reason}, not the content, so it cannot be evidence. Use another source, "
            "or action steps that lead past it.",
            kind=reason,
            shown=f"{material.title} {material.document.text}"[:_SHOWN],
        )
