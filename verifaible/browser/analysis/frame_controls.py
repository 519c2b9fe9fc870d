"""What can be operated on a page, out of the engine's snapshot: fields, buttons, links, forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urljoin, urlsplit

from verifaible.browser.analysis.controls import (
    Control,
    ControlKind,
    Controls,
    Dialog,
    Form,
    FormField,
    LinkedFile,
    Option,
    Pagination,
)
from verifaible.browser.analysis.selectors import Selectors
from verifaible.extract.boxes import LayoutBox
from verifaible.extract.document import Document, Frame
from verifaible.extract.layout import layout
from verifaible.extract.nodes import ELEMENT, SnapshotNodes
from verifaible.extract.snapshot import Snapshot

FIELDS: Final = frozenset({"input", "select", "textarea"})
_PRESSED_TYPES: Final = frozenset({"button", "submit", "reset", "image"})
_BOXES: Final = frozenset({"checkbox", "radio"})
#: WAI-ARIA 1.2, section 5.3.2, and those that composite widgets are made of.
_ROLES: Final = frozenset(
    (
        *("button", "tab", "option", "menuitem", "menuitemradio", "menuitemcheckbox", "switch", "checkbox"),
        *("radio", "combobox", "listbox", "slider", "spinbutton", "treeitem", "textbox", "searchbox"),
    )
)
_MENU: Final = re.compile(r"nav|menu|header|footer", re.IGNORECASE)
_MENUS: Final = frozenset({"nav", "header", "footer", "navigation", "banner", "contentinfo"})
_PAGER: Final = re.compile(r"pag", re.IGNORECASE)
_TURNS: Final = re.compile(
    r"上一页|下一页|上页|下页|首页|末页|尾页|(go to )?(prev(ious)?|next|first|last)( page)?|older|newer"
    r"|[«»‹›<>→←]+|\d{1,4}|page \d{1,4}",
    re.IGNORECASE,
)
_NEXT: Final = re.compile(r"下一页|下页|(go to )?next( page)?|older|[»›>→]", re.IGNORECASE)
_MORE: Final = re.compile(
    r"(load|show|view|see) more|more results|加载更多|查看更多|もっと見る", re.IGNORECASE
)
_FILE: Final = re.compile(
    r"\.(pdf|docx?|xlsx?|csv|zip|pptx?|txt|xml|json|ods|odt|rtf|gz|7z|rar|parquet)(?:[?#]|$)", re.IGNORECASE
)
#: More are counted, not described.
MAX_ELEMENTS: Final = 1500
_MAX_LINKS: Final = 200
_TEXT, _LABEL, _CLICKABLE, _PAGER_TEXT = 80, 30, 60, 400


def read_controls(
    snapshot: Snapshot, document: Document, delivered: Mapping[str, Sequence[str]] | None = None
) -> Controls:
    """What can be operated on a page.

    Args:
        snapshot: the page.
        document: what was read of the same snapshot.
        delivered: by the address of a frame, the ids in its HTML as it was sent.
    """
    found = Controls()
    for index, frame in enumerate(document.frames):
        read = FrameControls(snapshot, frame, (delivered or {}).get(frame.url.partition("#")[0], ()))
        read.add_to(found)
        for at, table in enumerate(document.tables):
            if table.frame == index:
                found.tables[at] = read.selectors.of(table.node) or table.css_path
    return found


class FrameControls:
    """The elements of one frame, with what is painted of them."""

    def __init__(self, snapshot: Snapshot, frame: Frame, delivered: Sequence[str] = ()) -> None:
        found = layout(snapshot, frame.document)
        self.frame = frame
        self.nodes: SnapshotNodes = found.nodes
        self.boxes: dict[int, LayoutBox] = {}
        for box in found.root.within() if found.root is not None else ():
            if box.text is None:
                self.boxes.setdefault(box.node, box)
        base = found.nodes.document.get("baseURL", -1)
        self.base = snapshot.strings[base] if base >= 0 else frame.url
        self.selectors = Selectors(self.nodes, delivered)
        self.labels = {
            name: node
            for node in self.selectors.reachable
            if (name := self.nodes.attributes(node).get("for"))
        }
        self.by_id = {name: node for node, name in self.nodes.ids().items()}

    # What is seen

    def shown(self, node: int) -> bool:
        """Whether an element is drawn."""
        box = self.boxes.get(node)
        return (
            box is not None
            and box.painted
            and box.rect is not None
            and box.rect.width >= 1 <= box.rect.height
        )

    def said(self, node: int) -> str:
        """The words that are drawn of an element, on one line."""
        box = self.boxes.get(node)
        return " ".join("".join(self._words(box)).split()) if box is not None else ""

    def _words(self, box: LayoutBox) -> Iterator[str]:
        if box.text is not None:
            yield from (box.text[piece.start : piece.end] for piece in box.pieces)
        elif box.shows is None:
            apart = "" if box.style.display == "inline" else " "
            yield apart
            for child in box.children:
                yield from self._words(child)
            yield apart

    def label(self, node: int) -> str:
        """What a reader sees a field called: its label, its placeholder, the short words before it."""
        attributes = self.nodes.attributes(node)
        label = self.labels.get(attributes.get("id", "\0"), -1)
        label = label if label >= 0 else self._outer(node, "label")
        if label >= 0 and self.shown(label) and (text := self.said(label)):
            return text
        named = (self.by_id.get(each, -1) for each in attributes.get("aria-labelledby", "").split())
        if text := " ".join(self.said(each) for each in named if each >= 0 and self.shown(each)):
            return text
        if (placeholder := attributes.get("placeholder", "")) and not self.nodes.values.get(node):
            return placeholder
        for each in (node, self.nodes.parents[node]):
            before = self._before(each)
            if before >= 0:
                text = self.said(before) if self.shown(before) else ""
                return text if len(text) <= _LABEL else ""
        return ""

    def _outer(self, node: int, tag: str) -> int:
        return next((each for each in self.nodes.around(node) if self.nodes.tag(each) == tag), -1)

    def _before(self, node: int) -> int:
        if node < 0 or self.nodes.parents[node] < 0:
            return -1
        beside = [
            each
            for each in self.nodes.children(self.nodes.parents[node])
            if self.nodes.types[each] == ELEMENT and each not in self.nodes.pseudo and each < node
        ]
        return beside[-1] if beside else -1

    # Elements

    def add_to(self, found: Controls) -> None:
        """Add what this frame has."""
        taken: set[int] = set()
        pagers: dict[int, Pagination] = {}
        for node in self.selectors.reachable:
            self._add(node, found, pagers, taken)
        found.pagination += [each for each in pagers.values() if len(each.items) > 1 or each.next]
        found.forms += [
            self._form(node)
            for node in self.selectors.reachable
            if self.nodes.tag(node) == "form" and self.shown(node)
        ]

    def _add(self, node: int, found: Controls, pagers: dict[int, Pagination], taken: set[int]) -> None:
        tag, attributes = self.nodes.tag(node), self.nodes.attributes(node)
        role = attributes.get("role", "").strip().partition(" ")[0].lower()
        if role in ("dialog", "alertdialog") or (tag == "dialog" and "open" in attributes):
            if self.shown(node):
                found.dialogs.append(Dialog(self.selectors.of(node), self.said(node)[:200]))
            return
        kind = self._kind(node, tag, role, attributes)
        if kind is None:
            return
        if not self.shown(node):
            label = self.labels.get(attributes.get("id", "\0"), -1)
            if (
                attributes.get("type", "").lower() in {*_BOXES, "file"}
                and self.shown(label)
                and label not in taken
            ):
                taken.add(label)  # it is drawn as the field
                self._listed(found, replace(self._control(label, "button"), text=self.said(label)[:_TEXT]))
            return
        text = "" if tag in FIELDS else self.said(node)[:_TEXT]
        if kind in ("link", "button", "clickable") and self._turns(node, text, found, pagers, kind):
            return
        if kind == "link":
            found.links += 1
            address = self._address(attributes.get("href", ""))
            if _FILE.search(urlsplit(address).path) or _FILE.search(address) or "download" in attributes:
                found.files.append(LinkedFile(address, text, self.selectors.of(node)))
            if found.links > _MAX_LINKS:
                return
        control = self._control(node, kind)
        if tag == "input" and kind == "button":
            text = attributes.get("value", "")
        if kind == "clickable" and not (text or attributes.get("title")):
            return
        unseen = "" if text or control.label else self._unseen(node)
        self._listed(found, replace(control, text=text, unseen_name=unseen[:60]))

    def _listed(self, found: Controls, control: Control) -> None:
        if len(found.elements) >= MAX_ELEMENTS:
            found.unlisted += 1
        elif control.selector:
            found.elements.append(control)

    def _kind(self, node: int, tag: str, role: str, attributes: Mapping[str, str]) -> ControlKind | None:
        kind = attributes.get("type", "").lower()
        href = attributes.get("href", "").strip().lower()
        found: ControlKind | None = None
        editable = attributes.get("contenteditable", "false").lower()
        if tag == "select":
            found = "select"
        elif tag in FIELDS and kind not in _PRESSED_TYPES:
            found = "field" if kind != "hidden" else None
        elif tag in ("button", "summary", "input") or role in _ROLES:
            found = "button"
        elif tag == "a" and href and not href.startswith(("#", "javascript:")):
            found = "link"
        elif editable in ("", "true", "plaintext-only"):
            found = "field"
        elif tag == "a" or "onclick" in attributes or self._listens(node, tag):
            found = "clickable"
        return found

    def _listens(self, node: int, tag: str) -> bool:
        """Whether a small element listens to clicks: whole parts of pages listen for what is in them."""
        if node not in self.nodes.clickable or tag in ("label", "body", "html", "option"):
            return False
        inner = any(self.nodes.tag(each) in ("a", "button", *FIELDS) for each in self.nodes.within(node))
        return not inner and 0 < len(self.said(node)) <= _CLICKABLE

    def _control(self, node: int, kind: ControlKind) -> Control:
        tag, attributes = self.nodes.tag(node), self.nodes.attributes(node)
        is_field = kind in ("field", "select")
        options = (
            [each for each in self.nodes.within(node) if self.nodes.tag(each) == "option"]
            if tag == "select"
            else []
        )
        return Control(
            kind,
            self.selectors.of(node),
            node,
            label=self.label(node) if is_field else "",
            type=(attributes.get("type", "").lower() or "text" if tag == "input" else tag)
            if tag in FIELDS
            else "text"
            if is_field
            else tag,
            value=self._value(node, tag, attributes) if is_field else "",
            readonly="readonly" in attributes,
            disabled="disabled" in attributes or attributes.get("aria-disabled") == "true",
            in_menu=self._in_menu(node),
            handler=self._effect(node),
            options=tuple(
                Option(
                    self.nodes.attributes(each).get("value", self.nodes.words(each)), self.nodes.words(each)
                )
                for each in options
                if "hidden" not in self.nodes.attributes(each)
            ),
            address=self._address(attributes.get("href", "")) if kind == "link" else "",
            frame_path=self.frame.path,
        )

    def _value(self, node: int, tag: str, attributes: Mapping[str, str]) -> str:
        kind = attributes.get("type", "").lower()
        if kind in _BOXES:
            return "true" if node in self.nodes.checked else "false"
        if kind == "password":
            return ""
        if tag != "select":
            return self.nodes.values.get(node, "")
        chosen = (each for each in self.nodes.within(node) if each in self.nodes.chosen)
        one = next((each for each in chosen if "hidden" not in self.nodes.attributes(each)), -1)
        return self.nodes.attributes(one).get("value", self.nodes.words(one)) if one >= 0 else ""

    def _in_menu(self, node: int) -> bool:
        for each in (node, *self.nodes.around(node)):
            if self.nodes.types[each] == ELEMENT:
                attributes = self.nodes.attributes(each)
                names = {self.nodes.tag(each), attributes.get("role", "")}
                if names & _MENUS or _MENU.search(attributes.get("class", "")):
                    return True
        return False

    def _unseen(self, node: int) -> str:
        attributes = self.nodes.attributes(node)
        own = next(
            (attributes[key] for key in ("aria-label", "title", "placeholder", "alt") if attributes.get(key)),
            "",
        )
        pictures = (
            self.nodes.attributes(each) for each in self.nodes.within(node) if self.nodes.tag(each) == "img"
        )
        return own or next((each["alt"] for each in pictures if each.get("alt")), "")

    def _effect(self, node: int) -> str:
        """What using an element does, as far as the mark-up says."""
        attributes = self.nodes.attributes(node)
        href = attributes.get("href", "")
        code = attributes.get("onclick") or attributes.get("onchange") or ""
        if not code and re.match(r"javascript:(?!;|void)", href, re.IGNORECASE):
            code = href
        if code:
            return code[:160]
        opened = next(
            (
                attributes[key]
                for key in ("aria-controls", "data-bs-target", "data-target")
                if attributes.get(key)
            ),
            "",
        )
        if opened:
            return f"opens #{opened.removeprefix('#')}"[:80]
        form = self._outer(node, "form")
        submits = self.nodes.tag(node) == "button" and attributes.get("type", "submit").lower() == "submit"
        submits = submits or (
            self.nodes.tag(node) == "input" and attributes.get("type", "").lower() in ("submit", "image")
        )
        return f"submits form {self.selectors.of(form)}" if submits and form >= 0 else ""

    def _address(self, href: str) -> str:
        try:
            return urljoin(self.base, href.strip())
        except ValueError:
            return ""

    # Pages

    def _turns(
        self, node: int, text: str, found: Controls, pagers: dict[int, Pagination], kind: ControlKind
    ) -> bool:
        """Whether an element turns pages; it is listed with those around it then."""
        if kind == "button" and _MORE.match(text):
            selector = self.selectors.of(node)
            pagers[node] = Pagination(selector, [text], selector)
            return False
        said = text or self.nodes.attributes(node).get("aria-label", "")
        box = self._pager(node) if _TURNS.fullmatch(said) else -1
        if box < 0:
            return False
        pager = pagers.setdefault(box, Pagination(self.selectors.of(box)))
        if text and text not in pager.items:
            pager.items.append(text)
        if not pager.next and _NEXT.fullmatch(said):
            pager.next = self.selectors.of(node)
        found.links += kind == "link"
        return True

    def _pager(self, node: int) -> int:
        """The box around what turns pages: the outermost that still holds little else."""
        best = -1
        for outer in self.nodes.around(node):
            if self.nodes.tag(outer) == "body":
                break
            attributes = self.nodes.attributes(outer)
            named = any(_PAGER.search(attributes.get(key, "")) for key in ("class", "id", "aria-label"))
            if named or attributes.get("role") == "navigation":
                if best >= 0 and len(self.nodes.words(outer)) > _PAGER_TEXT:
                    break
                best = outer
        return best

    # Forms

    def _form(self, form: int) -> Form:
        fields: list[FormField] = []
        hidden: list[str] = []
        submit = ""
        for node in self.nodes.within(form):
            tag, attributes = self.nodes.tag(node), self.nodes.attributes(node)
            kind = attributes.get("type", "").lower()
            if (tag == "button" and kind in ("", "submit")) or (
                tag == "input" and kind in ("submit", "image")
            ):
                submit = submit or (self.selectors.of(node) if self.shown(node) else "")
            if tag not in FIELDS or kind in _PRESSED_TYPES:
                continue
            name = attributes.get("name", "")
            if kind == "hidden" or not self.shown(node):
                hidden += [each for each in (name or attributes.get("id", ""),) if each]
                continue
            control = self._control(node, "select" if tag == "select" else "field")
            required = "required" in attributes
            label = control.label[:60]
            fields.append(
                FormField(name, label, control.type, required, control.selector, len(control.options))
            )
        attributes = self.nodes.attributes(form)
        action = (
            self._address(attributes["action"])
            if attributes.get("action")
            else self.frame.url.partition("#")[0]
        )
        method = (attributes.get("method") or "get").upper()
        return Form(
            self.selectors.of(form),
            action,
            method,
            tuple(fields),
            tuple(hidden[:20]),
            submit,
            self.frame.path,
        )
