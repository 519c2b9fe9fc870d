"""Which sources the targets of marks lead to: by id, alias or address, or by the answer's own references."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from verifaible.archive.matching import normalise
from verifaible.judge.inputs.references import ID_WORDS, Reference, canonical_id
from verifaible.schema.analyst import Source
from verifaible.text.markers import is_number


@dataclass(frozen=True, slots=True)
class Resolved:
    """Ids of the sources that targets lead to, each once, in order; and the targets that lead to none."""

    cites: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


def resolve(
    targets: Iterable[str], sources: Sequence[Source], references: Mapping[str, Reference] | None = None
) -> Resolved:
    """What targets lead to; for many of one answer make one :class:`Resolver`."""
    return Resolver(sources, references or {}).resolve(targets)


@dataclass(slots=True)
class Resolver:
    """Leads the targets of one answer to its sources."""

    sources: Sequence[Source]
    references: Mapping[str, Reference]
    _names: dict[str, list[str]] = field(init=False)
    _addresses: dict[str, list[str]] = field(init=False)
    _numbered: bool = field(init=False)

    def __post_init__(self) -> None:
        names: defaultdict[str, list[str]] = defaultdict(list)
        addresses: defaultdict[str, list[str]] = defaultdict(list)
        for source in self.sources:
            for name in dict.fromkeys(canonical_id(each) for each in (source.id, *source.aliases)):
                names[name].append(source.id)
            for url in dict.fromkeys((source.url, *(each for each in source.aliases if "://" in each))):
                if url:
                    addresses[url_key(url)].append(source.id)
        self._names, self._addresses = dict(names), dict(addresses)
        self._numbered = any(name.isdigit() for name in self.references)

    def resolve(self, targets: Iterable[str]) -> Resolved:
        """What targets lead to."""
        cites: dict[str, None] = {}
        broken: dict[str, None] = {}
        for target in targets:
            number = re.fullmatch(rf"{ID_WORDS}_(\d+)", target, re.IGNORECASE)
            # [cite: 1] of an answer whose sources have numbers alone
            found = self._find(target) or (self._find(number[1]) if number else [])
            cites.update(dict.fromkeys(found))
            if not found:
                broken[target] = None
        return Resolved(tuple(cites), tuple(broken))

    def _find(self, target: str, depth: int = 0) -> list[str]:
        if "://" in target:
            return self._at(target)
        reference = self.references.get(target)
        if reference is not None and depth == 0:
            return self._referred(reference)
        if target.isdigit() and self._numbered:
            return []  # the answer numbers its own sources, and this is none of them
        own = self._names.get(canonical_id(target), [])
        if own or not target.startswith("@v:"):
            return own
        beginning = target.removeprefix("@v:")
        if is_number(beginning) or len(beginning) < 4:
            return []
        matching = [ids for name, ids in self._names.items() if name.startswith(beginning)]
        return matching[0] if len({tuple(ids) for ids in matching}) == 1 else []

    def _referred(self, reference: Reference) -> list[str]:
        """The sources of a reference of the answer's own list."""
        if found := self._at(reference.url) if reference.url else []:
            return found
        in_store = reference.id.startswith("@v:")
        names = (f"@v:{name}" if in_store else name for name in reference.targets)
        if found := list(dict.fromkeys(each for name in names for each in self._find(name, depth=1))):
            return found
        own = self._names.get(canonical_id(reference.id), [])
        if not reference.url:
            return own
        # A source that was given under that very id, and whose address nobody knows, is the one.
        return [each.id for each in self.sources if each.id == reference.id and not each.url]

    def _at(self, url: str) -> list[str]:
        found = self._addresses.get(url_key(url))
        if found is None and not url.isascii():
            # Text of a script without blanks may follow an address directly.
            found = self._addresses.get(url_key(re.split(r"[^\x00-\x7f]", url, maxsplit=1)[0]))
        return found or []


@lru_cache(maxsize=4096)
def url_key(url: str) -> str:
    """Equal for addresses of one page.

    Without scheme, ``www.``, fragment, volatile parameters, last slash and escapes.
    """
    try:
        key = normalise(url.strip().split("#", 1)[0]).key
    except ValueError:
        key = url.strip()
    key = re.sub("%[0-9A-Fa-f]{2}", _unescaped, key)
    return re.sub(r"^[a-z]+://(?:www\.)?", "", re.sub(r"/(?=\?|$)", "", key, count=1))


def _unescaped(match: re.Match[str]) -> str:
    """A character of an address instead of its escape, where that makes no difference."""
    char = chr(int(match[0][1:], 16))
    return char if char.isascii() and char.isprintable() and char not in " /?#&=%+;" else match[0].upper()
