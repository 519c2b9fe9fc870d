"""The landmarks, headings, lists and controls of a frame as a tree of ARIA roles, as a reader sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from verifaible.browser.analysis.frame_controls import FIELDS, FrameControls
from verifaible.extract.nodes import ELEMENT

MAX_NODES: Final = 400
#: HTML Accessibility API Mappings, in short.
_BY_TAG: Final[Mapping[str, str]] = {
    **{f"h{level}": f"heading {level}" for level in range(1, 7)},
    "main": "main",
    "nav": "navigation",
    "header": "banner",
    "footer": "contentinfo",
    "aside": "complementary",
    "form": "form",
    "table": "table",
    "ul": "list",
    "ol": "list",
    "dialog": "dialog",
    "button": "button",
    "select": "combobox",
    "textarea": "textbox",
    "img": "img",
    "figure": "figure",
    "details": "group",
    "fieldset": "group",
    "summary": "button",
    "iframe": "frame",
}
_BY_TYPE: Final[Mapping[str, str]] = {
    "checkbox": "checkbox",
    "radio": "radio",
    "range": "slider",
    "number": "spinbutton",
    "search": "searchbox",
    **dict.fromkeys(("button", "submit", "reset", "image"), "button"),
}
#: What is read as a whole: nothing in it is listed.
_LEAVES: Final = frozenset(
    (
        *("heading", "button", "link", "img", "combobox", "textbox", "checkbox", "radio", "slider"),
        *("spinbutton", "searchbox", "tab", "option", "menuitem", "switch", "frame", "table"),
    )
)
_STATES: Final = ("expanded", "selected", "checked", "pressed", "disabled", "current")
_NO_ROLE: Final = frozenset({"", "presentation", "none", "generic"})


@dataclass(frozen=True, slots=True)
class TreeNode:
    """An element with a role, as deep as it stands in others.

    ``name`` is what a reader sees; ``unseen_name`` what only the code says, where nothing is seen.
    """

    depth: int
    role: str
    name: str = ""
    unseen_name: str = ""
    states: tuple[str, ...] = ()


def role_tree(frame: FrameControls) -> list[TreeNode]:
    """What of a frame has a role, in the order of its tree; of a long one the beginning."""
    found: list[TreeNode] = []
    nodes = frame.nodes
    todo = [(node, 0) for node in reversed(nodes.children(-1))]
    while todo and len(found) < MAX_NODES:
        node, depth = todo.pop()
        role = _role(frame, node) if nodes.types[node] == ELEMENT and node not in nodes.pseudo else ""
        if role and frame.shown(node):
            found.append(_node(frame, node, role, depth))
            if role.partition(" ")[0] in _LEAVES:
                continue
            depth += 1
        todo += [(child, depth) for child in reversed(nodes.children(node))]
    if todo:
        found.append(TreeNode(0, "… (the rest is left out)"))
    return found


def _role(frame: FrameControls, node: int) -> str:
    tag, attributes = frame.nodes.tag(node), frame.nodes.attributes(node)
    own = attributes.get("role", "").strip().partition(" ")[0].lower()
    if own == "heading":
        return f"heading {attributes.get('aria-level') or 2}"
    if own not in _NO_ROLE:
        return own
    if tag == "input":
        kind = attributes.get("type", "").lower()
        return "" if kind == "hidden" else _BY_TYPE.get(kind, "textbox")
    return "link" if tag == "a" and "href" in attributes else _BY_TAG.get(tag, "")


def _node(frame: FrameControls, node: int, role: str, depth: int) -> TreeNode:
    nodes, tag, attributes = frame.nodes, frame.nodes.tag(node), frame.nodes.attributes(node)
    name = ""
    if tag in FIELDS:
        name = attributes.get("value", "") if role == "button" else frame.label(node)
    elif role == "table":
        captions = (each for each in nodes.children(node) if nodes.tag(each) == "caption")
        name = next((frame.said(each) for each in captions), "")
    elif role == "list":
        name = f"{sum(frame.shown(each) for each in nodes.children(node))} items"
    elif role.partition(" ")[0] in _LEAVES:
        name = frame.said(node)
    states = [each for each in _STATES if attributes.get(f"aria-{each}", "false") != "false"]
    states += [
        each
        for each, held in (("checked", node in nodes.checked), ("disabled", "disabled" in attributes))
        if held
    ]
    unseen = next((attributes[key] for key in ("aria-label", "alt", "title") if attributes.get(key)), "")
    return TreeNode(depth, role, name[:90], "" if name else unseen[:60], tuple(dict.fromkeys(states)))
