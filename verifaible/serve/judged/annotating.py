"""What people say of judged answers: the fields of a form as entries of the annotations, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifaible.judge.annotations import STATUSES, AnnotationStore
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES
from verifaible.serve.keeping import Kept
from verifaible.serve.runs.timeline import visible

if TYPE_CHECKING:
    from verifaible.judge.annotations import Annotation, Annotations
    from verifaible.serve.judged.reading import AnswerLine, Judging
    from verifaible.serve.wording import Words

#: What a value may be, by the kind of the entry.
VALUES: Final[dict[str, tuple[str, ...]]] = {
    **STATUSES,
    **{name: tuple(map(str, range(1, 11))) for name in DIMENSIONS},
    **{name: ("0", "1") for name in ERROR_CATEGORIES},
}
#: The kinds that are about a whole answer.
WHOLE: Final = (*DIMENSIONS, *ERROR_CATEGORIES)
_NOTE = "note"
_MOST_NAME, _MOST_NOTE = 80, 2_000
#: One store a folder, so that lines of several people do not get into each other.
_STORES: Kept[AnnotationStore] = Kept(256)


@dataclass(frozen=True, slots=True)
class Entry:
    """A field of the form that is to be kept."""

    kind: str
    claim: str
    value: str
    note: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far somebody is: answers that are done, those begun, and the first that is not done."""

    done: int = 0
    begun: int = 0
    of: int = 0
    first: str = ""


def save(opened: Judging, line: AnswerLine, annotator: str, values: Mapping[str, str], words: Words) -> int:
    """Keep what is new in a form; all of it or, if something is wrong, nothing.

    Returns:
        How many entries were added.

    Raises:
        ValueError: a value is none of those offered, a note has no value beside it, or there is no name.
        RunError: the file cannot be written.
    """
    if not annotator:
        raise ValueError(words("judged.annotate.needs_name"))
    store = store_of(opened)
    claims = [each.claim.id for each in opened.claims(line)]
    before = said_by(store.read(), annotator, line.id)
    entries = [
        each
        for each in entries_of(values, claims, words)
        if (each.value, each.note) != before.get((each.kind, each.claim), ("", ""))
    ]
    for each in entries:
        store.add(
            answer=line.id,
            annotator=annotator,
            kind=each.kind,
            claim=each.claim,
            value=each.value,
            note=each.note if each.value else "",
        )
    return len(entries)


def entries_of(values: Mapping[str, str], claims: Sequence[str], words: Words) -> tuple[Entry, ...]:
    """The fields of a form as entries; a note goes with the first field of its group that has a value.

    Raises:
        ValueError: a value is none of those offered, or a note has no value beside it.
    """
    found: list[Entry] = []
    groups = [("", WHOLE), *((claim, tuple(STATUSES)) for claim in claims)]
    for claim, kinds in groups:
        suffix = f".{claim}" if claim else ""
        note = " ".join(visible(values.get(_NOTE + suffix, "")).split())[:_MOST_NOTE]
        given = {kind: values[kind + suffix].strip() for kind in kinds if kind + suffix in values}
        for kind, value in given.items():
            if value and value not in VALUES[kind]:
                raise ValueError(words("judged.annotate.bad", what=kind + suffix, value=visible(value)[:80]))
        carrier = next((kind for kind, value in given.items() if value), "")
        if note and not carrier:
            raise ValueError(words("judged.annotate.lone_note", note=note[:80]))
        found += [Entry(kind, claim, value, note if kind == carrier else "") for kind, value in given.items()]
    return tuple(found)


def progress_of(opened: Judging, said: Annotations, annotator: str) -> Progress:
    """How far an annotator is; claims that need no citation need no other check."""
    by_answer: dict[str, list[Annotation]] = {}
    for each in said.rows:
        if each.annotator == annotator:
            by_answer.setdefault(each.answer, []).append(each)
    done = {name for name, line in opened.answers.items() if _is_done(line, by_answer.get(name, ()))}
    first = next((name for name in opened.answers if name not in done), "")
    begun = sum(name in by_answer for name in opened.answers) - len(done & by_answer.keys())
    return Progress(len(done), begun, len(opened.answers), first)


def _is_done(line: AnswerLine, said: Sequence[Annotation]) -> bool:
    cited = [each for each in said if each.kind == "citations"]
    needless = sum(each.value == "not_needed" for each in cited)
    others = sum(each.kind == "hallucination" for each in said)
    whole = sum(each.kind in WHOLE for each in said)
    count = line.claim_count
    return len(cited) >= count and others >= count - needless and whole >= len(WHOLE)


def said_by(said: Annotations, annotator: str, answer: str) -> dict[tuple[str, str], tuple[str, str]]:
    """What somebody said of an answer: value and note, by kind and claim."""
    return {
        (each.kind, each.claim): (each.value, each.note)
        for each in said.rows
        if each.annotator == annotator and each.answer == answer
    }


def fields_of(said: Mapping[tuple[str, str], tuple[str, str]]) -> dict[str, str]:
    """The same as the fields of the form."""
    found: dict[str, str] = {}
    for (kind, claim), (value, note) in said.items():
        suffix = f".{claim}" if claim else ""
        found[kind + suffix] = value
        if note:
            found[_NOTE + suffix] = note
    return found


def store_of(opened: Judging) -> AnnotationStore:
    """The annotations of a run of judging."""
    return _STORES.get(str(opened.folder.path), None, lambda: AnnotationStore(opened.folder))


def name_of(text: str) -> str:
    """The name of an annotator, without what would be obeyed."""
    return " ".join(visible(text).split())[:_MOST_NAME]
