"""Writing the tree of a captured page as markup in which nothing runs, loads or leads anywhere.

Safe by its tokens alone, whatever a parser makes of it: a "<" is only ever written before a name from
:mod:`verifaible.evidence.framed.allowed`, with attributes from there; every other one is escaped, in values
too; and below the head no element is written whose content a parser reads as anything but markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from verifaible.evidence.framed import allowed
from verifaible.evidence.framed.files import CapturedFiles
from verifaible.evidence.framed.place import Marks

#: The first mark: what the address of the frame ends in.
MARK = "verifaible-evidence"
_WORD_STYLE = (
    "display:inline!important;visibility:visible!important;opacity:1!important;background:#ffe066!important;"
    "color:#000!important;-webkit-text-fill-color:#000!important;font-size:inherit!important;"
    "scroll-margin:42vh 20vw!important"
)
_CELL_STYLE = "background:#ffe066!important;outline:3px solid #1a7f37!important;outline-offset:-1px!important"
_LINE_STYLE = "background:#dff3e3!important;color:#000!important"
_OUTLINE_STYLE = "outline:4px solid #1a7f37!important;outline-offset:2px!important"
_TARGET_STYLE = "scroll-margin:20vh 10vw!important"
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "`": "&#96;"}
_SPECIAL = re.compile("[&<>\"'`]")
#: Characters that no HTML may hold.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_TINY = re.compile(r"\s*[0-2](?:px)?\s*\Z")
_CANDIDATE = re.compile(r"\s*([^\s,](?:\S*[^\s,])?)(\s+[^,]*)?(?:,|\Z)")
_DRAWN_IN = frozenset({"svg"})


def escaped(text: str) -> str:
    """A text that stands in markup, or in a quoted value, as itself."""
    return _SPECIAL.sub(lambda match: _ESCAPED[match[0]], _CONTROLS.sub("\ufffd", text))


class TreeWriter:
    """Writes one tree.

    Args:
        files: what the capture holds.
        base: what the addresses of the page count from.
        page_url: the address of the page itself.
        marks: what to mark.
    """

    def __init__(self, files: CapturedFiles, base: str, page_url: str, marks: Marks) -> None:
        self._files = files
        self._base = base
        self._page = page_url.partition("#")[0]
        self._marks = marks
        self._cells = set(marks.cells)
        self._lines = set(marks.lines)
        self._out: list[str] = []
        self._marked = False

    def write(self, body: etree._Element) -> str:
        """The element with everything in it, as markup; it is written as ``body``."""
        self._out = [self._tag("body", body)]
        self._words(body, is_tail=False)
        stack: list[tuple[etree._Element, str]] = [(child, "") for child in reversed(body)]
        # No recursion: pages nest deep.
        while stack:
            element, end = stack.pop()
            if end:
                self._out.append("" if end == "-" else end)
                self._words(element, is_tail=True)
                continue
            close, children = self._open(element)
            stack.append((element, close or "-"))
            stack.extend((child, "") for child in reversed(children))
        self._out.append("</body>")
        return "".join(self._out)

    def root_tag(self, root: etree._Element) -> str:
        """The tag of the root element."""
        return self._tag("html", root)

    def _open(self, element: etree._Element) -> tuple[str, list[etree._Element]]:
        """Write the start of an element; returns its end, and what stands in it."""
        name = element.tag if isinstance(element.tag, str) else ""
        if name in allowed.NOTED:
            self._note(element, name)
            return "", []
        dropped = not name or (name in allowed.DROPPED and name not in allowed.RENAMED)
        # The title of a drawing is its name.
        if dropped and (name != "title" or not _in_drawing(element)):
            return "", []
        tag = _written_as(element, name)
        if tag == "img":
            self._picture(element)
            return "", []
        if tag == "input" and not self._is_shown_field(element):
            return "", []
        self._out.append(self._tag(tag, element))
        if tag in allowed.VOID:
            return "", []
        if element in self._cells and not self._holds_words(element):
            self._mark_start()
            self._out.append("</mark>")
        self._words(element, is_tail=False)
        return f"</{tag}>", list(element)

    def _holds_words(self, cell: etree._Element) -> bool:
        return any(
            piece.holder is cell or cell in piece.holder.iterancestors() for piece in self._marks.words
        )

    # --- words

    def _words(self, element: etree._Element, *, is_tail: bool) -> None:
        text = element.tail if is_tail else element.text
        if not text:
            return
        at = 0
        for piece, spans in self._spans(element, is_tail):
            if _in_drawing(piece):
                break  # a mark would end the drawing
            for start, end in spans:
                self._out.append(escaped(text[at:start]))
                self._mark_start()
                self._out.append(escaped(text[start:end]) + "</mark>")
                at = end
        self._out.append(escaped(text[at:]))

    def _spans(
        self, element: etree._Element, is_tail: bool
    ) -> Iterator[tuple[etree._Element, list[tuple[int, int]]]]:
        from verifaible.evidence.framed.text import Piece

        piece = Piece(element, is_tail)
        spans = self._marks.words.get(piece)
        if spans:
            yield piece.holder, sorted(spans)

    def _mark_start(self) -> None:
        self._out.append(f'<mark{self._target()} class="{MARK}" style="{_WORD_STYLE}">')

    def _target(self) -> str:
        """The id of the first mark; nothing for the others."""
        if self._marked:
            return ""
        self._marked = True
        return f' id="{MARK}"'

    # --- elements

    def _tag(self, tag: str, element: etree._Element) -> str:
        written: dict[str, str] = {}
        for given, held in element.attrib.items():
            name, value = str(given).lower(), str(held)
            if name == "style":
                written["style"] = self._files.rewritten(value, self._base)
            elif allowed.is_allowed(name) and len(value) <= allowed.LONGEST_VALUE:
                kept = self._value(name, value, element)
                if kept is not None:
                    written[name] = kept
        self._special(tag, element, written)
        self._marking(element, written)
        return f"<{tag}" + "".join(f' {name}="{escaped(value)}"' for name, value in written.items()) + ">"

    def _value(self, name: str, value: str, element: etree._Element) -> str | None:
        """The value of an attribute as it is written; None where it is left out."""
        if name == "id" and value.lower().startswith(allowed.RESERVED):
            return None
        if name == "class":
            kept = (each for each in value.split() if not each.lower().startswith(allowed.RESERVED))
            return " ".join(kept)
        if name == "type" and element.tag in ("button", "input"):
            return None
        if "(" in value and name not in ("title", "alt", "placeholder", "value", "label"):
            # Drawings name paints and paths as url(): by the rules of style sheets.
            return (
                self._files.rewritten(value, self._base) if "url" in value.lower() or "\\" in value else value
            )
        return value

    def _special(self, tag: str, element: etree._Element, written: dict[str, str]) -> None:
        if tag == "a":
            self._link(element, written)
        elif tag == "use":
            target = element.get("href") or element.get("xlink:href") or ""
            if target.startswith("#"):
                written["href"] = target
        elif tag == "button":
            written["type"] = "button"
        elif tag == "input":
            written["type"] = _field_type(element)
            written["tabindex"] = "-1"
            written["autocomplete"] = "off"
            if written["type"] in ("button", "password"):
                written.setdefault("value", "")
        background = element.get("background")
        if background and (url := self._files.data_url(background, self._base)):
            written["style"] = f"background-image:url({url});" + written.get("style", "")

    def _link(self, element: etree._Element, written: dict[str, str]) -> None:
        """A link keeps its look. Only one that leads to another part of this page leads there."""
        href = (element.get("href") or "").strip()
        if not href:
            return
        path, hash_mark, fragment = href.partition("#")
        if hash_mark and fragment and path in ("", self._page):
            written["href"] = f"#{fragment}"
        else:
            written["data-verifaible-link"] = ""
            if href.lower().startswith(("http://", "https://")):
                written.setdefault("title", href)

    def _marking(self, element: etree._Element, written: dict[str, str]) -> None:
        ours = ""
        if element in self._cells:
            ours = _CELL_STYLE
        elif element in self._lines:
            ours = _LINE_STYLE
        elif element is self._marks.outlined:
            ours = f"{_OUTLINE_STYLE};{_TARGET_STYLE}"
            if not self._marked:
                self._marked = True
                written["id"] = MARK
        if ours:
            written["style"] = f"{written.get('style', '').rstrip().rstrip(';')};{ours}".lstrip(";")

    def _is_shown_field(self, element: etree._Element) -> bool:
        return (element.get("type") or "").strip().lower() != "hidden"

    # --- what is not text

    def _picture(self, element: etree._Element) -> None:
        candidates = [element.get("src") or "", *_candidates(element.get("srcset") or "")]
        parent = element.getparent()
        if parent is not None and parent.tag == "picture":
            for source in parent.findall("source"):
                candidates += _candidates(source.get("srcset") or "")
        found = next((url for each in candidates if (url := self._files.data_url(each, self._base))), "")
        tag = self._tag("img", element)
        self._out.append(f'{tag[:-1]} src="{escaped(found)}">' if found else tag)

    def _note(self, element: etree._Element, name: str) -> None:
        if any(_TINY.match(element.get(side) or "") for side in ("width", "height")):
            return  # what counts visitors
        self._out.append(self._tag("span", element))
        self._out.append(f'<span class="verifaible-note">{allowed.NOTED[name]}</span></span>')


def _written_as(element: etree._Element, name: str) -> str:
    """The name that an element is written under."""
    if name in allowed.RENAMED and not (name == "image" and _in_drawing(element)):
        return allowed.RENAMED[name]
    if name in ("textarea", "select", "option", "optgroup"):
        return name if name != "textarea" else "div"
    if name in allowed.ELEMENTS or name in allowed.FORMULAS:
        return name
    if name in allowed.DRAWN:
        return name if _in_drawing(element) else "span"
    return name if allowed.is_own_element(name) else "span"


def _in_drawing(element: etree._Element) -> bool:
    return element.tag in _DRAWN_IN or any(each.tag in _DRAWN_IN for each in element.iterancestors())


def _field_type(element: etree._Element) -> str:
    kind = (element.get("type") or "text").strip().lower()
    if kind in allowed.FIELDS or kind == "password":
        return kind
    return "button" if kind in ("submit", "button", "reset", "image", "file") else "text"


def _candidates(srcset: str) -> list[str]:
    """The addresses of a ``srcset``, the largest first as authors mostly write them last."""
    return [match[1] for match in _CANDIDATE.finditer(srcset)][::-1]
