"""What a model is asked about a chunk: to extract, to normalise, to criticise, to correct.

The chunk is shown with empty and repeated cells folded away; a quote is looked for in what was shown, and
traced back to the filing's own text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import count
from string import Template
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import Field, StringConstraints

from verifaible.kg.chunks import Chunk, shown
from verifaible.kg.filing import Filing
from verifaible.kg.ontology import Ontology
from verifaible.kg.quoted import rests_on, shown_place
from verifaible.kg.triples import Triple
from verifaible.llm.prompting import Part, bounded
from verifaible.llm.structured import BadReply, Form
from verifaible.llm.voting import Item, Taken

Mode: TypeAlias = Literal["single", "multi", "reflection"]
_PROMPTS: Final = ("single", "free", "normalise", "criticise", "correct")
FormT = TypeVar("FormT", bound=Form)
T = TypeVar("T")
_Word: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as a model is asked about it.

    Attributes:
        words: its own text, as it stands in the filing.
        filer: the registrant's name; empty where it is not known.
        year_end: the day that the report's year ends; empty where it is not known.
    """

    chunk: Chunk
    words: str
    filer: str = ""
    year_end: str = ""

    @classmethod
    def of(cls, chunk: Chunk, filing: Filing) -> ChunkText:
        """A chunk of a filing."""
        return cls(chunk, filing.text[chunk.start : chunk.end], filing.name, str(filing.period or ""))


@dataclass(frozen=True, slots=True)
class Remark:
    """What should be mended; ``triple`` is its number from 1, or 0 for a fact that is missing."""

    triple: int
    said: str


class _Named(Form):
    head: _Word
    head_type: _Word
    relation: _Word
    tail: _Word
    tail_type: _Word


class _Quoted(_Named):
    quote: str = Field(description="Words of the passage, copied without omissions.")


class ExtractionForm(Form):
    """The triples of a chunk."""

    triples: tuple[_Quoted, ...]


class _Normalised(_Named):
    of: int = Field(description="Number of the triple.")


class NormalisationForm(Form):
    """Triples in the words of the ontology."""

    triples: tuple[_Normalised, ...]


class _RemarkForm(Form):
    triple: int = Field(description="Number of the triple; 0 for a fact that no triple has.")
    issue: _Word
    suggestion: str


class CritiqueForm(Form):
    """What is wrong with triples."""

    remarks: tuple[_RemarkForm, ...]


class _Corrected(_Quoted):
    of: int = Field(description="Number of the triple that it replaces; 0 for one that is new.")


class CorrectionForm(Form):
    """Triples that take the place of others."""

    triples: tuple[_Corrected, ...]
    dropped: tuple[int, ...]


class Questions:
    """The questions of one extraction.

    Args:
        ontology: the types and relations that triples should have.
        run: the name of the extraction; it stands in the ids of its triples.
        by: the name of the model that extracts.
    """

    def __init__(self, ontology: Ontology, run: str, by: str) -> None:
        described, rules = _described(ontology), _prompt("rules")
        self._systems = {
            name: Template(_prompt(name)).substitute(ontology=described, rules=rules) for name in _PROMPTS
        }
        self._run = run
        self._by = by

    def extraction(self, text: ChunkText, *, free: bool = False) -> Item[ExtractionForm, tuple[Triple, ...]]:
        """Which triples the chunk holds; ``free``: in the model's own types and relations."""

        def take(form: ExtractionForm) -> tuple[Triple, ...]:
            return tuple(self._triple(text, each, number) for number, each in enumerate(form.triples, 1))

        return self._item("free" if free else "single", text, (), ExtractionForm, take)

    def normalisation(
        self, text: ChunkText, triples: Sequence[Triple]
    ) -> Item[NormalisationForm, tuple[Triple, ...]]:
        """What triples are in the words of the ontology. One that the reply leaves out keeps its own."""

        def take(form: NormalisationForm) -> tuple[Triple, ...]:
            made = list(triples)
            if len({each.of for each in form.triples}) < len(form.triples):
                raise BadReply("content", "A triple was given twice.")
            for each in form.triples:
                at = _index(each.of, triples)
                made[at] = made[at].model_copy(update=each.model_dump(exclude={"of"}))
            return tuple(made)

        return self._item("normalise", text, _numbered(triples), NormalisationForm, take)

    def critique(self, text: ChunkText, triples: Sequence[Triple]) -> Item[CritiqueForm, tuple[Remark, ...]]:
        """What is wrong with triples, or missing."""

        def take(form: CritiqueForm) -> tuple[Remark, ...]:
            for each in form.remarks:
                if each.triple:
                    _index(each.triple, triples)
            return tuple(
                Remark(each.triple, f"{each.issue} {each.suggestion}".strip()) for each in form.remarks
            )

        return self._item("criticise", text, _numbered(triples), CritiqueForm, take)

    def correction(
        self, text: ChunkText, triples: Sequence[Triple], remarks: Sequence[Remark]
    ) -> Item[CorrectionForm, tuple[Triple, ...]]:
        """All triples of the chunk once remarks were taken up; a corrected one keeps its id."""

        def take(form: CorrectionForm) -> tuple[Triple, ...]:
            return self._corrected(text, triples, {each.triple for each in remarks}, form)

        lines = "\n".join(_line(triple=each.triple, remark=each.said) for each in remarks)
        parts = (*_numbered(triples), Part("the remarks", lines))
        return self._item("correct", text, parts, CorrectionForm, take)

    def _item(
        self, name: str, text: ChunkText, more: Sequence[Part], form: type[FormT], take: Callable[[FormT], T]
    ) -> Item[FormT, T]:
        told = {"filer": text.filer, "year ended": text.year_end}
        parts = (
            Part("the filing", "\n".join(f"{label}: {value}" for label, value in told.items() if value)),
            Part("the context", "\n".join(map(shown, text.chunk.context))),
            Part("the passage", shown(text.words)),
        )

        def taken(filled: FormT) -> Taken[T]:
            return Taken("decided", "", "", take(filled))

        user = bounded([*(part for part in parts if part.text), *more])
        return Item(protocol=name, system=self._systems[name], user=user, form=form, take=taken)

    def _triple(self, text: ChunkText, form: _Quoted, number: int) -> Triple:
        made = Triple(
            id=self._id(text, number),
            chunk=text.chunk.id,
            by=self._by,
            **form.model_dump(exclude={"of", "quote"}),
        )
        return made.model_copy(update=_grounded(made, text, form.quote))

    def _corrected(
        self, text: ChunkText, triples: Sequence[Triple], remarked: set[int], form: CorrectionForm
    ) -> tuple[Triple, ...]:
        dropped = set(form.dropped)
        for number in (*(each.of for each in form.triples if each.of), *dropped):
            _index(number, triples)
            if number not in remarked:
                raise BadReply("content", f"Nothing was remarked on triple {number}.")
        if both := dropped & {each.of for each in form.triples}:
            raise BadReply("content", f"Triple {min(both)} is both replaced and dropped.")
        taken = {each.id for each in triples}
        free = (number for number in count(1) if self._id(text, number) not in taken)
        made: list[Triple] = []
        for number, triple in enumerate(triples, 1):
            instead = [each for each in form.triples if each.of == number]
            if not instead and number not in dropped:
                made.append(triple)
            for at, each in enumerate(instead):
                new = self._triple(text, each, 0 if not at else next(free))
                made.append(new.model_copy(update={"id": triple.id}) if not at else new)
        return (*made, *(self._triple(text, each, next(free)) for each in form.triples if not each.of))

    def _id(self, text: ChunkText, number: int) -> str:
        return f"{text.chunk.id}-{self._run}-{number}"


def _grounded(triple: Triple, text: ChunkText, quote: str) -> dict[str, Any]:
    """Where a quote that can bear a triple stands in the filing, and the filing's own words there."""
    place = shown_place(text.words, quote)
    if place is None:
        return {"ungrounded": "not_found"}
    start, end = place
    words = text.words[start:end]
    if not rests_on(triple, words):
        return {"ungrounded": "unsupported"}
    return {"quote": words, "start": text.chunk.start + start, "end": text.chunk.start + end}


def _described(ontology: Ontology) -> str:
    lines = ["Types"]
    for name, kind in ontology.types.items():
        lines.append(f"- {name}: {kind.definition}{_more('such as', kind.examples)}{_also(kind.aliases)}")
    lines += ["", "Relations, with the types that head and tail may have"]
    for name, relation in ontology.relations.items():
        pairs = ", ".join(f"{head} -> {tail}" for head, tail in relation.pairs)
        inverse = f" The other way round: {relation.inverse}." if relation.inverse else ""
        lines.append(f"- {name}: {relation.definition}{_also(relation.aliases)}{inverse} [{pairs}]")
    return "\n".join(lines)


def _also(aliases: Sequence[str]) -> str:
    return _more("also called", aliases)


def _more(word: str, names: Sequence[str]) -> str:
    return f" ({word} {', '.join(names)})" if names else ""


def _numbered(triples: Sequence[Triple]) -> tuple[Part, ...]:
    fields = set(_Quoted.model_fields)
    lines = (_line(triple=at, **each.model_dump(include=fields)) for at, each in enumerate(triples, 1))
    return (Part("the triples", "\n".join(lines) or "none"),)


def _line(**fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False)


def _index(number: int, triples: Sequence[Triple]) -> int:
    if not 1 <= number <= len(triples):
        raise BadReply("content", f"There is no triple {number}; there are {len(triples)}.")
    return number - 1


def _prompt(name: str) -> str:
    path = resources.files("verifaible.kg").joinpath("prompts", f"{name}.md")
    return path.read_text(encoding="utf-8").strip()
