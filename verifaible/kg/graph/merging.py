"""Names of one thing. A merge is a line of ``merges.jsonl``, and so is its undoing: nothing is lost."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from verifaible.errors import ConfigError
from verifaible.kg.folder import GraphFolder
from verifaible.runs.lines import Lines
from verifaible.schema.base import Record

#: ``own_name``: the filing calls its filer so. ``case``: nothing else differs. ``given``: a person says so.
Why: TypeAlias = Literal["own_name", "case", "given"]
#: An entity: its type and its name.
Key: TypeAlias = tuple[str, str]
#: From a filer's name to the brackets in which it gives itself others, in code points.
_NEAR: Final = 160
_QUOTED: Final = re.compile(r"[\"“]([^\"“”]{1,60})[\"”]")


class Merge(Record):
    """A name that was merged into another one of the same type.

    Attributes:
        id: its number in the file.
        undoes: the id of the merge that this line takes back; empty in a merge.
        name, into: the name that is no entity of its own any more, and the one that it is taken for.
        by: ``rules`` or ``person``.
    """

    id: str
    undoes: str = ""
    type: str
    name: str
    into: str
    why: Why
    by: Literal["rules", "person"]


class Merges:
    """The merges of a graph's folder."""

    def __init__(self, folder: GraphFolder) -> None:
        self._folder = folder
        self._lines = Lines(folder.path / "merges.jsonl", Merge)

    def active(self) -> list[Merge]:
        """Those that were not undone."""
        lines = self._lines.read()
        undone = {each.undoes for each in lines}
        return [each for each in lines if not each.undoes and each.id not in undone]

    def names(self) -> dict[Key, str]:
        """The name that each merged name is taken for in the end."""
        steps = {(each.type, each.name): each.into for each in self.active()}
        found: dict[Key, str] = {}
        for kind, name in steps:
            last, passed = name, set[str]()
            while (kind, last) in steps and last not in passed:
                passed.add(last)
                last = steps[kind, last]
            found[kind, name] = last
        return found

    def by_rules(self) -> list[Merge]:
        """Merge what rules take for one thing; what was undone once is left alone.

        Raises:
            ConfigError: no filing was taken in.
        """
        filing, names = self._folder.filing(), self.names()
        counts = Counter(
            (kind, names.get((kind, name), name))
            for triple in self._folder.triples()
            for kind, name in (
                (triple.head_type, normal(triple.head)),
                (triple.tail_type, normal(triple.tail)),
            )
        )
        undone = {
            (each.type, frozenset((each.name, each.into))) for each in self._lines.read() if each.undoes
        }
        filer = normal(filing.name)
        return [
            self._add(kind, name, into, why, "rules")
            for kind, name, into, why in _proposed(counts, filer, own_names(filing.text, filing.name))
            if (kind, frozenset((name, into))) not in undone
        ]

    def given(self, kind: str, name: str, into: str) -> Merge:
        """Merge a name into another one, because a person says that they are one thing.

        Raises:
            ConfigError: the first is merged already, or the second is merged into it.
        """
        name, into, names = normal(name), normal(into), self.names()
        if (kind, name) in names:
            raise ConfigError(
                f"{name} is merged into {names[kind, name]} already. Undo that first, with "
                f"`verifaible kg merge {self._folder.path} --undo ID`."
            )
        if name == names.get((kind, into), into):
            raise ConfigError(f"{into} is merged into {name} already, or is the same name. Name two others.")
        return self._add(kind, name, into, "given", "person")

    def undo(self, number: str) -> Merge:
        """Take back a merge: its name is an entity of its own again.

        Raises:
            ConfigError: there is no such merge.
        """
        active = {each.id: each for each in self.active()}
        if number not in active:
            raise ConfigError(
                f"{self._folder.path} has no merge {number!r}, but {', '.join(active) or 'none'}. "
                "`verifaible kg merge FOLDER` lists them."
            )
        back = active[number].model_copy(
            update={"id": self._next_id(), "undoes": number, "by": "person"},
        )
        self._lines.add(back)
        return back

    def _add(self, kind: str, name: str, into: str, why: Why, by: Literal["rules", "person"]) -> Merge:
        merge = Merge(id=self._next_id(), type=kind, name=name, into=into, why=why, by=by)
        self._lines.add(merge)
        return merge

    def _next_id(self) -> str:
        return str(len(self._lines.read()) + 1)


def normal(name: str) -> str:
    """A name as an entity has it: NFC, and one blank for any white space."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def own_names(text: str, filer: str) -> frozenset[str]:
    """What a filing calls its filer: quoted in brackets soon after the name, ``Apple Inc. ("Apple")``."""
    found: set[str] = set()
    for place in re.finditer(re.escape(filer), text, re.IGNORECASE) if filer else ():
        near = text[place.end() : place.end() + _NEAR]
        opened = near.find("(")
        # The brackets are about a further name or a number in between: "Apple Inc. 2022 Plan (...)".
        if opened >= 0 and not any(sign.isupper() or sign.isdigit() for sign in near[:opened]):
            inside = text[place.end() + opened : place.end() + opened + 2 * _NEAR].partition(")")[0]
            found.update(_called(each) for each in _QUOTED.findall(inside))
    return frozenset(found - {""})


def _called(name: str) -> str:
    return normal(name).strip(" ,.;").casefold().removeprefix("the ")


def _proposed(counts: Counter[Key], filer: str, own: frozenset[str]) -> Iterator[tuple[str, str, str, Why]]:
    """Type, name, the name that it is merged into, and why; a name comes once."""
    by_type: dict[str, dict[str, int]] = defaultdict(dict)
    for (kind, name), count in counts.items():
        by_type[kind][name] = count
    for kind, names in by_type.items():
        merged: set[str] = set()
        if filer in names:
            for name in sorted(names):
                if name != filer and _called(name) in own:
                    merged.add(name)
                    yield kind, name, filer, "own_name"
        alike: dict[str, list[str]] = defaultdict(list)
        for name in names:
            if name not in merged:
                alike[name.casefold()].append(name)
        for group in alike.values():
            into = _best(group, names, filer)
            for name in sorted(set(group) - {into}):
                yield kind, name, into, "case"


def _best(group: Sequence[str], names: Mapping[str, int], filer: str) -> str:
    return min(group, key=lambda each: (each != filer, -names[each], each.isupper(), each))
