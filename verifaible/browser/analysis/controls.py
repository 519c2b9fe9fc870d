"""What can be operated on a page, out of the engine's snapshot: fields, buttons, links, forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias
from urllib.parse import urljoin, urlsplit

from verifaible.browser.analysis.selectors import Selectors
from verifaible.extract.boxes import LayoutBox
from verifaible.extract.document import Document, Frame
from verifaible.extract.layout import layout
from verifaible.extract.nodes import ELEMENT, SnapshotNodes
from verifaible.extract.snapshot import Snapshot

ControlKind: TypeAlias = Literal["field", "select", "button", "clickable", "link"]

_FIELDS: Final = frozenset({"input", "select", "textarea"})
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
#: What only the code calls an element, and what says what using it opens.
_UNSEEN_NAMES: Final = ("aria-label", "title", "placeholder", "alt")
_OPENS: Final = ("aria-controls", "data-bs-target", "data-target")
#: More are counted, not described.
MAX_ELEMENTS: Final = 1500
_MAX_LINKS: Final = 200
_TEXT, _LABEL, _CLICKABLE, _PAGER_TEXT = 80, 30, 60, 400


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a ``select``."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Control:
    """Something to operate.

    ``selector`` finds it and nothing else in its frame, as steps look; ``text`` and ``label`` can be seen,
    ``unseen_name`` stands in the code only, where there is neither; ``in_menu``: it stands in the navigation,
    header or footer; ``handler`` is what using it does, as far as the mark-up says; ``address`` where a link
    leads. ``node`` is its element in the frame's tree; ``name`` and ``required`` as its form sends it.
    """

    kind: ControlKind
    selector: str
    node: int = -1
    text: str = ""
    label: str = ""
    type: str = ""
    value: str = ""
    readonly: bool = False
    disabled: bool = False
    in_menu: bool = False
    handler: str = ""
    options: tuple[Option, ...] = ()
    unseen_name: str = ""
    address: str = ""
    frame_path: tuple[str, ...] = ()
    name: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """A link to a document such as a PDF; ``selector`` finds the link."""

    url: str
    text: str
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog that is shown, with its text."""

    selector: str
    text: str


@dataclass(slots=True)
class Pagination:
    """Links or buttons that turn pages: the container's selector, their texts, what leads on."""

    selector: str
    items: list[str] = field(default_factory=list)
    next: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """A form that is shown: where it sends what, its visible fields, and the names of those not seen."""

    selector: str
    action: str
    method: str
    fields: tuple[Control, ...]
    hidden: tuple[str, ...]
    submit: str
    frame_path: tuple[str, ...] = ()


@dataclass(slots=True)
class Controls:
    """All that can be operated; ``links`` is how many there are, ``unlisted`` what is not described.

    ``tables`` are the selectors of the Document's tables, by their index.
    """

    elements: list[Control] = field(default_factory=list)
    files: list[LinkedFile] = field(default_factory=list)
    pagination: list[Pagination] = field(default_factory=list)
    dialogs: list[Dialog] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    tables: dict[int, str] = field(default_factory=dict)
    links: int = 0
    unlisted: int = 0


def read_controls(snapshot: Snapshot, document: Document) -> Controls:
    """What can be operated on a page, of which a snapshot and the Document that was read of it are given."""
    found = Controls()
    for index, frame in enumerate(document.frames):
        read = _FrameControls(snapshot, frame)
        read.add_to(found)
        for at, table in enumerate(document.tables):
            if table.frame == index:
                found.tables[at] = read.selectors.of(table.node) or table.css_path
    return found


class _FrameControls:
    """The elements of one frame, with what is painted of them."""

    def __init__(self, snapshot: Snapshot, frame: Frame) -> None:
        found = layout(snapshot, frame.document)
        self._frame = frame
        self._nodes: SnapshotNodes = found.nodes
        self._boxes: dict[int, LayoutBox] = {}
        for box in found.root.within() if found.root is not None else ():
            if box.text is None:
                self._boxes.setdefault(box.node, box)
        base = found.nodes.document.get("baseURL", -1)
        self._base = snapshot.strings[base] if base >= 0 else frame.url
        self.selectors = Selectors(self._nodes)
        self._labels = {
            name: node
            for node in self.selectors.reachable
            if (name := self._nodes.attributes(node).get("for"))
        }
        self._by_id = {name: node for node, name in self._nodes.ids().items()}
        #: Labels that stand for a field that is not drawn itself, and what turns pages, by the box around it.
        self._taken: set[int] = set()
        self._pagers: dict[int, Pagination] = {}

    # What is seen

    def _shown(self, node: int) -> bool:
        """Whether an element is drawn."""
        box = self._boxes.get(node)
        return bool(box is not None and box.painted and box.rect and box.rect.width >= 1 <= box.rect.height)

    def _said(self, node: int) -> str:
        """The words that are drawn of an element, on one line."""
        box = self._boxes.get(node)
        return " ".join("".join(_words(box)).split()) if box is not None else ""

    def _label(self, node: int) -> str:
        """What a reader sees a field called: its label, its placeholder, the short words before it."""
        attributes = self._nodes.attributes(node)
        label = self._labels.get(attributes.get("id", "\0"), -1)
        label = label if label >= 0 else self._outer(node, "label")
        named = (self._by_id.get(each, -1) for each in attributes.get("aria-labelledby", "").split())
        for group in ([label], named):
            if text := " ".join(self._said(each) for each in group if each >= 0 and self._shown(each)):
                return text
        if (placeholder := attributes.get("placeholder", "")) and not self._nodes.values.get(node):
            return placeholder
        for each in (node, self._nodes.parents[node]):
            before = self._before(each)
            if before >= 0:
                text = self._said(before) if self._shown(before) else ""
                return text if len(text) <= _LABEL else ""
        return ""

    def _outer(self, node: int, tag: str) -> int:
        return next((each for each in self._nodes.around(node) if self._nodes.tag(each) == tag), -1)

    def _before(self, node: int) -> int:
        """The element right before another one; -1 where there is none."""
        if node < 0 or self._nodes.parents[node] < 0:
            return -1
        beside = self._nodes.children(self._nodes.parents[node])
        elements = (each for each in beside if self._nodes.types[each] == ELEMENT)
        return max((each for each in elements if each < node and each not in self._nodes.pseudo), default=-1)

    # Elements

    def add_to(self, found: Controls) -> None:
        """Add what this frame has."""
        for node in self.selectors.reachable:
            self._add(node, found)
        found.pagination += [each for each in self._pagers.values() if len(each.items) > 1 or each.next]
        forms = (node for node in self.selectors.reachable if self._nodes.tag(node) == "form")
        found.forms += [self._form(node) for node in forms if self._shown(node)]

    def _add(self, node: int, found: Controls) -> None:
        tag, attributes = self._nodes.tag(node), self._nodes.attributes(node)
        role = attributes.get("role", "").strip().partition(" ")[0].lower()
        if role in ("dialog", "alertdialog") or (tag == "dialog" and "open" in attributes):
            if self._shown(node):
                found.dialogs.append(Dialog(self.selectors.of(node), self._said(node)[:200]))
            return
        kind = self._kind(node, tag, role, attributes)
        if kind is None:
            return
        if not self._shown(node):
            self._add_label(node, attributes, found)
            return
        text = "" if tag in _FIELDS else self._said(node)[:_TEXT]
        if kind in ("link", "button", "clickable") and self._turns(node, text, found, kind):
            return
        if kind == "link":
            found.links += 1
            address = self._address(attributes.get("href", ""))
            if _FILE.search(urlsplit(address).path) or _FILE.search(address) or "download" in attributes:
                found.files.append(LinkedFile(address, text, self.selectors.of(node)))
            if found.links > _MAX_LINKS:
                return
        if tag == "input" and kind == "button":
            text = attributes.get("value", "")
        if kind == "clickable" and not (text or attributes.get("title")):
            return
        control = self._control(node, kind)
        unseen = "" if text or control.label else self._unseen(node)
        _list(found, replace(control, text=text, unseen_name=unseen[:60]))

    def _add_label(self, node: int, attributes: Mapping[str, str], found: Controls) -> None:
        """Add the label of a box or a choice of files that is not drawn: it is drawn in its place."""
        label = self._labels.get(attributes.get("id", "\0"), -1)
        stands_for = attributes.get("type", "").lower() in {*_BOXES, "file"}
        if stands_for and self._shown(label) and label not in self._taken:
            self._taken.add(label)
            _list(found, replace(self._control(label, "button"), text=self._said(label)[:_TEXT]))

    def _kind(self, node: int, tag: str, role: str, attributes: Mapping[str, str]) -> ControlKind | None:
        kind = attributes.get("type", "").lower()
        href = attributes.get("href", "").strip().lower()
        found: ControlKind | None = None
        editable = attributes.get("contenteditable", "false").lower()
        if tag == "select":
            found = "select"
        elif tag in _FIELDS and kind not in _PRESSED_TYPES:
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
        if node not in self._nodes.clickable or tag in ("label", "body", "html", "option"):
            return False
        inner = any(self._nodes.tag(each) in ("a", "button", *_FIELDS) for each in self._nodes.within(node))
        return not inner and 0 < len(self._said(node)) <= _CLICKABLE

    def _control(self, node: int, kind: ControlKind) -> Control:
        tag, attributes = self._nodes.tag(node), self._nodes.attributes(node)
        is_field = kind in ("field", "select")
        own_type = tag
        if tag == "input":
            own_type = attributes.get("type", "").lower() or "text"
        elif is_field and tag not in _FIELDS:
            own_type = "text"
        return Control(
            kind,
            self.selectors.of(node),
            node,
            label=self._label(node) if is_field else "",
            type=own_type,
            value=self._value(node, own_type, attributes) if is_field else "",
            readonly="readonly" in attributes,
            disabled="disabled" in attributes or attributes.get("aria-disabled") == "true",
            in_menu=self._in_menu(node),
            handler=self._effect(node),
            options=tuple(
                Option(self._option(each), self._nodes.words(each)) for each in self._options(node)
            ),
            address=self._address(attributes.get("href", "")) if kind == "link" else "",
            frame_path=self._frame.path,
            name=attributes.get("name", ""),
            required="required" in attributes,
        )

    def _options(self, node: int) -> Iterator[int]:
        """The options of a list that a reader can choose."""
        for each in self._nodes.within(node) if self._nodes.tag(node) == "select" else ():
            if self._nodes.tag(each) == "option" and "hidden" not in self._nodes.attributes(each):
                yield each

    def _option(self, node: int) -> str:
        return self._nodes.attributes(node).get("value", self._nodes.words(node))

    def _value(self, node: int, own_type: str, attributes: Mapping[str, str]) -> str:
        if own_type in _BOXES:
            return "true" if node in self._nodes.checked else "false"
        if own_type == "password":
            return ""
        if own_type != "select":
            return self._nodes.values.get(node, "")
        return next((self._option(each) for each in self._options(node) if each in self._nodes.chosen), "")

    def _in_menu(self, node: int) -> bool:
        for each in (node, *self._nodes.around(node)):
            if self._nodes.types[each] == ELEMENT:
                attributes = self._nodes.attributes(each)
                names = {self._nodes.tag(each), attributes.get("role", "")}
                if names & _MENUS or _MENU.search(attributes.get("class", "")):
                    return True
        return False

    def _unseen(self, node: int) -> str:
        """What only the code calls an element, or the picture in it."""
        if own := _first(self._nodes.attributes(node), _UNSEEN_NAMES):
            return own
        pictures = (each for each in self._nodes.within(node) if self._nodes.tag(each) == "img")
        return next(filter(None, (self._nodes.attributes(each).get("alt") for each in pictures)), "")

    def _effect(self, node: int) -> str:
        """What using an element does, as far as the mark-up says."""
        attributes = self._nodes.attributes(node)
        href = attributes.get("href", "")
        code = _first(attributes, ("onclick", "onchange"))
        if not code and re.match(r"javascript:(?!;|void)", href, re.IGNORECASE):
            code = href
        if code:
            return code[:160]
        if opened := _first(attributes, _OPENS):
            return f"opens #{opened.removeprefix('#')}"[:80]
        form = self._outer(node, "form") if self._submits(node) else -1
        return f"submits form {self.selectors.of(form)}" if form >= 0 else ""

    def _submits(self, node: int) -> bool:
        tag, kind = self._nodes.tag(node), self._nodes.attributes(node).get("type", "").lower()
        return (tag == "button" and kind in ("", "submit")) or (
            tag == "input" and kind in ("submit", "image")
        )

    def _address(self, href: str) -> str:
        try:
            return urljoin(self._base, href.strip())
        except ValueError:
            return ""

    # Pages and forms

    def _turns(self, node: int, text: str, found: Controls, kind: ControlKind) -> bool:
        """Whether an element turns pages; it is listed with those around it then."""
        if kind == "button" and _MORE.match(text):
            selector = self.selectors.of(node)
            self._pagers[node] = Pagination(selector, [text], selector)
            return False
        said = text or self._nodes.attributes(node).get("aria-label", "")
        box = self._pager(node) if _TURNS.fullmatch(said) else -1
        if box < 0:
            return False
        pager = self._pagers.setdefault(box, Pagination(self.selectors.of(box)))
        if text and text not in pager.items:
            pager.items.append(text)
        if not pager.next and _NEXT.fullmatch(said):
            pager.next = self.selectors.of(node)
        found.links += kind == "link"
        return True

    def _pager(self, node: int) -> int:
        """The box around what turns pages: the outermost that still holds little else."""
        best = -1
        for outer in self._nodes.around(node):
            if self._nodes.tag(outer) == "body":
                break
            attributes = self._nodes.attributes(outer)
            named = any(_PAGER.search(attributes.get(key, "")) for key in ("class", "id", "aria-label"))
            if named or attributes.get("role") == "navigation":
                if best >= 0 and len(self._nodes.words(outer)) > _PAGER_TEXT:
                    break
                best = outer
        return best

    def _form(self, form: int) -> Form:
        fields: list[Control] = []
        hidden: list[str] = []
        submit = ""
        for node in self._nodes.within(form):
            tag, attributes = self._nodes.tag(node), self._nodes.attributes(node)
            kind = attributes.get("type", "").lower()
            if not submit and self._submits(node) and self._shown(node):
                submit = self.selectors.of(node)
            if tag not in _FIELDS or kind in _PRESSED_TYPES:
                continue
            if kind != "hidden" and self._shown(node):
                fields.append(self._control(node, "select" if tag == "select" else "field"))
            elif name := _first(attributes, ("name", "id")):
                hidden.append(name)
        attributes = self._nodes.attributes(form)
        own = attributes.get("action", "")
        action = self._address(own) if own else self._frame.url.partition("#")[0]
        method = (attributes.get("method") or "get").upper()
        selector, path = self.selectors.of(form), self._frame.path
        return Form(selector, action, method, tuple(fields), tuple(hidden[:20]), submit, path)


def _words(box: LayoutBox) -> Iterator[str]:
    if box.text is not None:
        yield from (box.text[piece.start : piece.end] for piece in box.pieces)
    elif box.shows is None:
        apart = "" if box.style.display == "inline" else " "
        yield apart
        for child in box.children:
            yield from _words(child)
        yield apart


def _first(attributes: Mapping[str, str], names: Iterable[str]) -> str:
    """The first of these attributes that says anything."""
    return next((attributes[name] for name in names if attributes.get(name)), "")


def _list(found: Controls, control: Control) -> None:
    if len(found.elements) >= MAX_ELEMENTS:
        found.unlisted += 1
    elif control.selector:
        found.elements.append(control)
