"""Changes of a served page after something on it was cited, and the verdict that each must bring."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from typing import Final, TypeAlias

from lxml import html
from lxml.html import HtmlElement

from scripts.accuracy.outcome import Outcome
from scripts.accuracy.real_edits import NEGATIONS, digit
from scripts.accuracy.real_quotes import Quote
from scripts.accuracy.real_reader import MARK, Block, Saved, read
from verifaible.schema.check import Verdict

_Drift: TypeAlias = Callable[[Block, Quote, random.Random, str], bool]

_NEW: Final = {
    "en": "A further remark was added here by the editors after the page had been read.",
    "de": "Hier haben die Herausgeber später noch eine Bemerkung hinzugefügt.",
    "fr": "Une autre remarque a été ajoutée ici par la rédaction.",
    "zh": "编辑部后来在这里补充了一段说明文字。",
    "ja": "編集部が後からここに説明を加えました。",
}
#: What stands in another element only: what is put beside it goes outside that.
_INNER: Final = re.compile("li|td|th|tr|tbody|thead|tfoot|table|ul|ol|dl|dd|dt")


def _outer(element: HtmlElement) -> HtmlElement:
    while _INNER.fullmatch(element.tag) and element.getparent().tag != "body":
        element = element.getparent()
    return element


def _paragraph(language: str) -> HtmlElement:
    made = html.Element("p")
    made.text = _NEW.get(language, _NEW["en"])
    return made


def _insert_before(block: Block, _: Quote, chance: random.Random, language: str) -> bool:
    _outer(block.element).addprevious(_paragraph(language))
    return True


def _insert_after(block: Block, _: Quote, chance: random.Random, language: str) -> bool:
    anchor = _outer(block.element)
    made = _paragraph(language)
    made.tail, anchor.tail = anchor.tail, None
    anchor.addnext(made)
    return True


def _others(block: Block) -> list[HtmlElement]:
    """The other leaf blocks of prose, neighbours in the markup left out."""
    root = block.element.getroottree().getroot()
    marked = root.xpath(f"//*[@{MARK}]")
    at = marked.index(block.element)
    return [
        element
        for place, element in enumerate(marked)
        if abs(place - at) > 1 and element.tag in ("p", "div", "li") and element.getparent() is not None
    ]


def _delete_elsewhere(block: Block, _: Quote, chance: random.Random, language: str) -> bool:
    others = _others(block)
    if not others:
        return False
    chance.choice(others).drop_tree()
    return True


def _delete(block: Block, _: Quote, chance: random.Random, language: str) -> bool:
    block.element.drop_tree()
    return True


def _unit_of(block: Block) -> HtmlElement:
    """What is moved: the block, of a cell its row."""
    element = block.element
    return element.getparent() if element.tag in ("td", "th") and element.getparent().tag == "tr" else element


def _place(unit: HtmlElement, behind: HtmlElement) -> bool:
    parent = unit.getparent()
    if unit.tail:
        before = unit.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + unit.tail
        else:
            parent.text = (parent.text or "") + unit.tail
        unit.tail = None
    unit.tail, behind.tail = behind.tail, None
    behind.addnext(unit)
    return True


def _alike(block: Block, unit: HtmlElement) -> list[HtmlElement]:
    """Blocks behind which the unit may stand: of its kind, visible as it is, apart from where it stands."""
    if unit.tag in ("li", "tr"):
        return [each for each in unit.getparent() if each.tag == unit.tag and each is not unit]
    here = unit.getparent()
    return [each for each in _others(block) if each.tag == unit.tag and each.getparent() is here]


def _move_to_end(block: Block, _: Quote, chance: random.Random, language: str) -> bool:
    unit = _unit_of(block)
    later = [each for each in _alike(block, unit) if _follows(unit, each)]
    return len(later) >= 2 and _place(unit, later[-1])


def _move_among(block: Block, _: Quote, chance: random.Random, language: str) -> bool:
    unit = _unit_of(block)
    places = [each for each in _alike(block, unit) if each is not unit.getprevious()]
    return len(places) >= 3 and _place(unit, chance.choice(places[:-1]))


def _follows(unit: HtmlElement, other: HtmlElement) -> bool:
    return other in list(unit.itersiblings())


def write(block: Block, start: int, end: int, new: str) -> bool:
    """Exchange characters of a block's text that come from one text node."""
    places = block.places[start:end] or block.places[start : start + 1]
    if not places or len({(id(node), side) for node, side, _ in places}) != 1:
        return False
    node, side, first = places[0]
    stop = places[-1][2] + 1 if end > start else first
    said = getattr(node, side) or ""
    setattr(node, side, said[:first] + new + said[stop:])
    return True


def _digit(block: Block, quote: Quote, chance: random.Random, language: str) -> bool:
    changed = digit(quote.text, chance)
    if changed is None:
        return False
    at = next(n for n, (a, b) in enumerate(zip(quote.text, changed, strict=True)) if a != b)
    return write(block, quote.start + at, quote.start + at + 1, changed[at])


def _negate(block: Block, quote: Quote, chance: random.Random, language: str) -> bool:
    word = NEGATIONS.get(language)
    first, last = quote.sentence
    end = quote.start + len(quote.text)
    if not word or language == "zh":
        return False
    for low, high in ((first, quote.start), (end, last)):
        gaps = [low + m.start() for m in re.finditer(r"(?<=\w) (?=\w)", block.text[low:high])]
        for gap in gaps[-1:] if low == first else gaps[:1]:
            return write(block, gap, gap + 1, f" {word} ")
    return False


def _redress(block: Block, _: Quote, chance: random.Random, language: str) -> bool:
    element = block.element
    inner = html.Element("span", {"class": "text-inner-x1"})
    inner.text, element.text = element.text, None
    inner.extend(list(element))
    element.append(inner)
    for each in (element, *list(element.iterancestors())[:2]):
        if each.tag not in ("body", "html") and each.get("class"):
            each.set("class", " ".join(f"{name}-x1" for name in each.get("class").split()))
    if element.tag in ("p", "div"):
        outer = html.Element("div", {"class": "text-outer-x1"})
        outer.tail, element.tail = element.tail, None
        element.addprevious(outer)
        outer.append(element)
    return True


#: Each kind of change with the verdict that is right after it.
DRIFTS: Final[dict[str, tuple[_Drift, Verdict]]] = {
    "paragraph put in before": (_insert_before, "verified"),
    "paragraph put in after": (_insert_after, "verified"),
    "paragraph elsewhere deleted": (_delete_elsewhere, "verified"),
    "classes and wrappers changed": (_redress, "verified"),
    "block moved behind the last": (_move_to_end, "moved"),
    "block moved among others": (_move_among, "moved"),
    "block deleted": (_delete, "gone"),
    "digit of the quote changed": (_digit, "changed"),
    "negation put in outside the quote": (_negate, "changed"),
}


def drifted(saved: Saved, quote: Quote, kind: str, chance: random.Random, language: str) -> bytes | None:
    """The bytes of the page after a change; None where it cannot be made here."""
    after = Saved(copy.deepcopy(saved.root))
    block = read(after.root.xpath(f"//*[@{MARK}='{quote.mark}']")[0])
    order = [each.mark for each in after.blocks()] if kind.startswith("block moved") else []
    if not DRIFTS[kind][0](block, quote, chance, language):
        return None
    if order and order == [each.mark for each in after.blocks()]:
        return None
    return after.served()


def outcome(kind: str, verdict: Verdict) -> Outcome:
    """What a verdict after a change is worth."""
    wanted = DRIFTS[kind][1]
    if verdict == wanted:
        return "right"
    if wanted in ("gone", "changed") and verdict in ("verified", "moved"):
        return "false verified"
    if wanted == "gone":
        return "false present"
    return "missed" if verdict in ("gone", "error", "blocked") else "wrong verdict"
