"""Which elements of a static tree a selector names.

No tree and no selector makes this slow: what was found for an element is kept, and a page that
costs too much all the same is left for a browser to judge.
"""

from __future__ import annotations

from lxml import etree

from verifaible.extract.selectors import CHILD, NTH, Compound, Pseudo, Selector

#: Looks at elements that one page may cost; what is left then is the browser's to judge.
WORK_LIMIT = 4_000_000
_FIELDS = frozenset({"input", "select", "textarea", "button", "option", "optgroup", "fieldset"})


class Matcher:
    """Matches selectors against the elements of one tree; keeps what it looked up.

    Every element is looked at once a compound, whatever the tree: chains of ancestors and siblings
    share what was found for those before them.
    """

    def __init__(self) -> None:
        self._classes: dict[etree._Element, frozenset[str]] = {}
        self._reached: dict[tuple[int, int, etree._Element], bool] = {}
        self._places: dict[tuple[etree._Element, str, bool], dict[etree._Element, int]] = {}
        self._having: dict[int, set[etree._Element]] = {}
        self.work = 0

    @property
    def is_spent(self) -> bool:
        """Whether the page has cost more than :data:`WORK_LIMIT`: nothing matches any more."""
        return self.work > WORK_LIMIT

    def classes(self, element: etree._Element) -> frozenset[str]:
        """The class names of an element."""
        known = self._classes.get(element)
        if known is None:
            known = frozenset((element.get("class") or "").split())
            self._classes[element] = known
        return known

    def matches(self, element: etree._Element, selector: Selector) -> bool:
        """Whether a selector's subject is the element; pseudo-elements are left aside."""
        return self._from(element, selector.compounds, 0)

    def _from(self, element: etree._Element, compounds: tuple[Compound, ...], index: int) -> bool:
        compound = compounds[index]
        if not self._is(element, compound):
            return False
        return index + 1 == len(compounds) or self._reaches(element, compounds, index)

    def _reaches(self, element: etree._Element, compounds: tuple[Compound, ...], index: int) -> bool:
        """Whether what stands left of a compound is found from the element on."""
        combinator = compounds[index].combinator
        if combinator in {">", "+"}:
            other = _before(element, combinator)
            return other is not None and self._from(other, compounds, index + 1)
        walked: list[etree._Element] = []
        here: etree._Element | None = element
        found = False
        while here is not None:
            known = self._reached.get((id(compounds), index, here))
            if known is not None:
                found = known
                break
            walked.append(here)
            here = _before(here, combinator)
            if here is not None and self._from(here, compounds, index + 1):
                found = True
                break
        for each in walked:
            self._reached[id(compounds), index, each] = found
        return found

    def _is(self, element: etree._Element, compound: Compound) -> bool:
        self.work += 1
        if self.work > WORK_LIMIT:
            return False
        if compound.tag and element.tag != compound.tag:
            return False
        if compound.ids and any(element.get("id") != name for name in compound.ids):
            return False
        if compound.classes and not self.classes(element).issuperset(compound.classes):
            return False
        if not all(_attribute(element, *each) for each in compound.attributes):
            return False
        return all(self._pseudo(element, each) for each in compound.pseudos)

    def _pseudo(self, element: etree._Element, pseudo: Pseudo) -> bool:
        name = pseudo.name
        if name in {"is", "where"}:
            return any(self.matches(element, each) for each in pseudo.inner)
        if name == "not":
            return not any(self.matches(element, each) for each in pseudo.inner)
        if name == "has":
            return any(element in self._anchors(element, each) for each in pseudo.inner)
        if CHILD.fullmatch(name):
            return self._nth_child(element, name, pseudo.text)
        if name in {"lang", "dir"}:
            return self._named(element, name, pseudo.text.strip("\"' ").lower())
        return _structural(element, name)

    def _anchors(self, element: etree._Element, selector: Selector) -> set[etree._Element]:
        """The elements of the tree that have what a relative selector names."""
        known = self._having.get(id(selector))
        if known is not None:
            return known
        root = element.getroottree().getroot()
        first = selector.compounds[0]
        found = {each for each in root.iter() if isinstance(each.tag, str) and self._is(each, first)}
        for index, compound in enumerate(selector.compounds):
            reached: set[etree._Element] = set()
            for each in found:
                here = _before(each, compound.combinator)
                while here is not None and here not in reached:
                    reached.add(here)
                    here = _before(here, compound.combinator) if compound.combinator in " ~" else None
            found = reached
            if index + 1 < len(selector.compounds):
                found = {each for each in reached if self._is(each, selector.compounds[index + 1])}
        self._having[id(selector)] = found
        return found

    def _named(self, element: etree._Element, attribute: str, wanted: str) -> bool:
        """``:lang()`` and ``:dir()``: what the nearest element that says so says."""
        for node in (element, *element.iterancestors()):
            self.work += 1
            said = (node.get(attribute) or "").strip().lower()
            if said:
                return said == wanted or (attribute == "lang" and said.startswith(wanted + "-"))
        return attribute == "dir" and wanted == "ltr"

    def _nth_child(self, element: etree._Element, name: str, argument: str) -> bool:
        """``:nth-child(…)`` and its relatives, of which ``:first-child`` and the like are short forms."""
        of_type, backwards = name.endswith("of-type"), "last" in name
        if name.startswith("only"):
            return self._place(element, of_type, False) == self._place(element, of_type, True) == 1
        formula = argument if name.startswith("nth") else "1"
        return _nth(formula, self._place(element, of_type, backwards))

    def _place(self, element: etree._Element, of_type: bool, backwards: bool) -> int:
        """The number of an element among its siblings, from 1; counted once for all of them."""
        parent = element.getparent()
        if parent is None:
            return 1
        key = (parent, str(element.tag) if of_type else "", backwards)
        known = self._places.get(key)
        if known is None:
            siblings = [
                each
                for each in (reversed(parent) if backwards else parent)
                if isinstance(each.tag, str) and (not of_type or each.tag == element.tag)
            ]
            known = {each: number for number, each in enumerate(siblings, 1)}
            self.work += len(known)
            self._places[key] = known
        return known[element]


def _before(element: etree._Element, combinator: str) -> etree._Element | None:
    """The next element to try on the left of a combinator: the parent, or the sibling before."""
    if combinator in {" ", ">"}:
        return element.getparent()
    sibling = element.getprevious()
    while sibling is not None and not isinstance(sibling.tag, str):
        sibling = sibling.getprevious()
    return sibling


def _attribute(element: etree._Element, name: str, operator: str, value: str, folded: bool) -> bool:
    found = element.get(name)
    if found is None or not operator:
        return found is not None
    if folded:
        found, value = found.lower(), value.lower()
    if operator in {"^=", "$=", "*="} and not value:
        return False
    return {
        "=": found == value,
        "~=": value in found.split(),
        "|=": found == value or found.startswith(value + "-"),
        "^=": found.startswith(value),
        "$=": found.endswith(value),
        "*=": value in found,
    }[operator]


def _structural(element: etree._Element, name: str) -> bool:
    tag, get = element.tag, element.get
    is_link = tag in {"a", "area"} and get("href") is not None
    is_field = tag in {"input", "select", "textarea"}
    is_written = tag in {"input", "textarea"} or get("contenteditable") in {"", "true", "plaintext-only"}
    return {
        "root": element.getparent() is None,
        "scope": element.getparent() is None,
        "empty": not element.text
        and all(not isinstance(each.tag, str) and not each.tail for each in element),
        "link": is_link,
        "any-link": is_link,
        "-webkit-any-link": is_link,
        "checked": get("checked") is not None or get("selected") is not None,
        "disabled": tag in _FIELDS and get("disabled") is not None,
        "enabled": tag in _FIELDS and get("disabled") is None,
        "required": is_field and get("required") is not None,
        "optional": is_field and get("required") is None,
        "read-write": is_written and get("readonly") is None and get("disabled") is None,
        "read-only": not is_written or get("readonly") is not None or get("disabled") is not None,
        "defined": "-" not in str(tag),
        "open": tag in {"details", "dialog"} and get("open") is not None,
    }.get(name, False)


def _nth(formula: str, position: int) -> bool:
    formula = {"odd": "2n+1", "even": "2n"}.get(formula.lower(), formula.lower())
    match = NTH.match(formula.strip())
    if match is None:
        return False
    if match[3]:
        return position == int(match[3])
    step = int(match[1] + "1") if match[1] in {"", "+", "-"} else int(match[1])
    start = int((match[2] or "0").replace(" ", ""))
    left = position - start
    return left == 0 if step == 0 else left % step == 0 and left // step >= 0
