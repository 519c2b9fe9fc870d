"""What of a captured tree shows nothing, as far as its markup says so."""

from __future__ import annotations

from lxml import etree

from verifaible.extract.visible import declarations


class Unseen:
    """Which elements a reader does not see.

    Args:
        hidden: elements that a style sheet hides, where that was worked out.
    """

    def __init__(self, hidden: frozenset[etree._Element] = frozenset()) -> None:
        self._hidden = hidden

    def hides(self, element: etree._Element) -> bool:
        """Whether an element and all in it show nothing."""
        if element in self._hidden:
            return True
        hidden = element.get("hidden")
        if hidden is not None and hidden.lower() != "until-found":
            return True
        if element.tag == "dialog" and element.get("open") is None:
            return True
        return declarations(element.get("style") or "").get("display") == "none"

    def mutes(self, element: etree._Element) -> bool:
        """Whether the words that stand in an element itself are not seen; those of its children may be."""
        node: etree._Element | None = element
        while node is not None:
            said = declarations(node.get("style") or "").get("visibility")
            if said:
                return said in ("hidden", "collapse")
            node = node.getparent()
        return False
