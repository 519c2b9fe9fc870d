"""Whether types, relation and names of a triple can be, by the ontology and by the words of its chunk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from verifaible.factcheck.words import WORD, words_of
from verifaible.kg.checks.around import Around, Finding
from verifaible.kg.ontology import EntityType, Ontology, Relation
from verifaible.kg.triples import XBRL, Triple
from verifaible.text.flat import flatten

_MOST_WORDS: Final = 5
#: Pronouns name nothing by themselves; a registrant calls itself by those of the first person.
_SELF: Final = frozenset(("we", "us", "our", "ours", "ourselves"))
_OTHERS: Final = frozenset(("it", "its", "they", "them", "their", "he", "she", "his", "her", "this", "that"))
#: What an annual report calls its registrant, by a name of the type that the registrant has.
_REGISTRANT: Final = "company"


def vocabulary(triple: Triple, ontology: Ontology) -> Iterator[Finding]:
    """Types, relation, the pair of them, and its direction."""
    read: dict[str, str] = {}
    missing = []
    for field in ("head_type", "tail_type"):
        name = _known(getattr(triple, field), ontology.types)
        read[field] = name
        if not name:
            missing.append(getattr(triple, field))
    relation = _known(triple.relation, ontology.relations)
    mapped = {field: name for field, name in read.items() if name and name != getattr(triple, field)}
    if missing:
        said = f"the ontology has no type {', '.join(missing)}"
        yield Finding(triple=triple.id, check="type", verdict="wrong", said=said)
    else:
        yield Finding(triple=triple.id, check="type", verdict="ok", instead=mapped)
    if not relation:
        said = f"the ontology has no relation {triple.relation}"
        yield Finding(triple=triple.id, check="relation", verdict="wrong", said=said)
        return
    other = {"relation": relation} if relation != triple.relation else {}
    yield Finding(triple=triple.id, check="relation", verdict="ok", instead=other)
    if missing:
        return
    pairs = ontology.relations[relation].pairs
    pair = read["head_type"], read["tail_type"]
    allowed = pair in pairs
    backward = not allowed and pair[::-1] in pairs
    said = "" if allowed else f"{relation} does not lead from {pair[0]} to {pair[1]}"
    yield Finding(triple=triple.id, check="pair", verdict="ok" if allowed else "wrong", said=said)
    if allowed or backward:
        said = f"{relation} leads from {pair[1]} to {pair[0]}" if backward else ""
        yield Finding(triple=triple.id, check="direction", verdict="wrong" if backward else "ok", said=said)


def _known(name: str, entries: Mapping[str, EntityType] | Mapping[str, Relation]) -> str:
    """The name of an entry that has a name, or an alias, in any letter case; empty where none has."""
    asked = name.casefold().replace(" ", "_")
    for known, entry in entries.items():
        if asked in (known, *(each.casefold().replace(" ", "_") for each in entry.aliases)):
            return known
    return ""


def named(triple: Triple, around: Around, ontology: Ontology) -> Iterator[Finding]:
    """Whether head and tail are names, short enough, and named in the chunk or its context.

    A name made of a tag is not one of the page, so nothing is asked of its words.
    """
    made = triple.value is not None or triple.by == XBRL
    for field in ("head", "tail"):
        yield _generic(triple, field, around, ontology)
    longest = max(len(WORD.findall(name)) for name in (triple.head, triple.tail))
    if not made:
        said = f"{longest} words in a name, {_MOST_WORDS} at most" if longest > _MOST_WORDS else ""
        yield Finding(triple=triple.id, check="length", verdict="wrong" if said else "ok", said=said)
    absent: list[str] = []
    partly: list[str] = []
    for field, name in (("head", triple.head), ("tail", triple.tail)):
        words = words_of(name)
        tagged = triple.by == XBRL and (triple.value is not None or field == "head")
        own = _is_initials(name, around.pages.filing.name)
        if not words or own or words <= around.named or is_generic(triple, field, ontology):
            continue
        (partly if words & around.named or tagged else absent).append(name)
    said = f"{', '.join(absent or partly)}: not named there" if absent or partly else ""
    verdict = "wrong" if absent else "open" if partly else "ok"
    yield Finding(triple=triple.id, check="named", verdict=verdict, said=said)


def _is_initials(name: str, registrant: str) -> bool:
    """Whether a name is the initials of the registrant's: IBM."""
    initials = "".join(word[0] for word in WORD.findall(registrant)).upper()
    return len(name) > 1 and name.isupper() and initials.startswith(name)


def is_generic(triple: Triple, field: str, ontology: Ontology) -> bool:
    """Whether a name says no more than what may stand in its place of the relation: a type, or a pronoun."""
    name, kind = getattr(triple, field), getattr(triple, f"{field}_type")
    words = words_of(name)
    if not words or flatten(name).casefold().strip() in _SELF | _OTHERS:
        return not any(sign.isdigit() for sign in name)
    relation = ontology.relations.get(_known(triple.relation, ontology.relations))
    kinds = {kind, *(pair[field == "tail"] for pair in relation.pairs)} if relation else {kind}
    told = [
        " ".join((each, *ontology.types[each].aliases)) for each in sorted(kinds) if each in ontology.types
    ]
    return words <= words_of(" ".join(told).replace("_", " "))


def _generic(triple: Triple, field: str, around: Around, ontology: Ontology) -> Finding:
    """A name that is none: read as the registrant's where the text allows it, else it is flagged."""
    if not is_generic(triple, field, ontology):
        return Finding(triple=triple.id, check="generic", verdict="ok")
    name = getattr(triple, field)
    own = words_of(name) <= words_of(" ".join((_REGISTRANT, *ontology.types[_REGISTRANT].aliases)))
    says = flatten(name).casefold().strip() not in _OTHERS
    registrant = around.pages.filing.name
    if own and says and registrant:
        said = f"{name!r} is read as the registrant"
        return Finding(
            triple=triple.id, check="generic", verdict="ok", said=said, instead={field: registrant}
        )
    return Finding(triple=triple.id, check="generic", verdict="wrong", said=f"{name!r} names nobody")


def duplicates(triples: list[Triple], ontology: Ontology) -> Iterator[Finding]:
    """Triples that say what one before says, also by the inverse relation."""
    seen: dict[tuple[object, ...], str] = {}
    for each in triples:
        relation = _known(each.relation, ontology.relations) or each.relation
        inverse = ontology.relations[relation].inverse if relation in ontology.relations else ""
        rest = (each.value, each.unit, each.period, each.members, each.negated, each.modality, each.chunk)
        one, other = each.head.casefold(), each.tail.casefold()
        keys = [(one, relation, other, *rest), *([(other, inverse, one, *rest)] if inverse else [])]
        first = next((seen[key] for key in keys if key in seen), "")
        said = f"{first} says it" if first else ""
        yield Finding(triple=each.id, check="duplicate", verdict="wrong" if first else "ok", said=said)
        seen.setdefault(keys[0], each.id)
