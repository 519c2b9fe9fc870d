"""The pages on which people annotate judged answers, blind to the judge and to the models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from verifaible.errors import UserError
from verifaible.evidence.given.sources import SourceTexts
from verifaible.judge.annotations import COLUMNS, STATUSES, AnnotationStore
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES
from verifaible.serve.judged.claims import Evidence, unmarked
from verifaible.serve.judged.drawing import Mark, draw, parts_of, range_of, unplaced
from verifaible.serve.judged.reading import line_of, opened_judging
from verifaible.serve.keeping import Kept
from verifaible.serve.rendering import page
from verifaible.serve.runs.timeline import visible
from verifaible.serve.state import House, house_of, read, whole_number
from verifaible.serve.wording import Words, language_of_reader

if TYPE_CHECKING:
    from starlette.requests import Request

    from verifaible.judge.annotations import Annotation, Annotations
    from verifaible.schema.analyst import Claim
    from verifaible.serve.judged.reading import AnswerLine, Judging


#: Fields of one form.
_MOST_FIELDS = 50_000


@dataclass(slots=True)
class Form:
    """A form as it was given, by the names of its fields; without any, what was saved before is shown."""

    annotator: str
    values: dict[str, str] = field(default_factory=dict)
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """A claim on the form: what it says, and its sources."""

    id: str
    number: int
    text: str
    context: tuple[str, ...]
    cites: tuple[Any, ...]
    broken: tuple[str, ...]


def annotating_routes() -> list[Route]:
    """The routes of annotating."""
    return [
        Route("/judged/{run}/annotate", begin, name="annotate"),
        Route("/judged/{run}/annotations.csv", download, name="annotations"),
        Route("/judged/{run}/annotate/{id}", annotate, methods=["GET", "POST"], name="annotate-answer"),
    ]


async def begin(request: Request) -> Response:
    """Ask for a name, and show how far everybody is."""
    house, words = house_of(request), Words(language_of_reader(request))
    name = name_of(request.query_params.get("by", ""))

    def found() -> dict[str, Any]:
        opened = opened_judging(house, request, words)
        said = store_of(opened).read()
        people = sorted({each.annotator for each in said.rows})
        return {
            "run": opened,
            "people": [(visible(each), progress_of(opened, said, each)) for each in people],
            "mine": progress_of(opened, said, name),
            "faults": [(each.line, visible(each.message)) for each in said.faults[:20]],
        }

    values = await read(house, found)
    first = values["mine"].first or next(iter(values["run"].answers), "")
    go_on = form_address(values["run"], first, name) if first else ""
    return page(request, "judged_annotate_begin.html", by=name, go_on=go_on, **values)


async def download(request: Request) -> Response:
    """All annotations of a run of judging, as they are kept."""
    house, words = house_of(request), Words(language_of_reader(request))

    def found() -> bytes:
        path = store_of(opened_judging(house, request, words)).path
        return path.read_bytes() if path.is_file() else (",".join(COLUMNS) + "\r\n").encode()

    headers = {"Content-Disposition": 'attachment; filename="annotations.csv"'}
    return Response(await read(house, found), media_type="text/csv; charset=utf-8", headers=headers)


async def annotate(request: Request) -> Response:
    """The form for one answer; what is posted is kept, or shown again with what is wrong."""
    house, words = house_of(request), Words(language_of_reader(request))
    part = max(1, whole_number(request.query_params.get("part", "")))
    given: dict[str, str] = {}
    if request.method == "POST":
        async with request.form(max_fields=_MOST_FIELDS) as posted:
            given = {name: value for name, value in posted.items() if isinstance(value, str)}

    form = Form(name_of(given.get("annotator", "") or request.query_params.get("by", "")), given)

    def done() -> tuple[Judging, AnswerLine, int]:
        opened = opened_judging(house, request, words)
        line = line_of(opened, request, words)
        if request.method == "POST":
            try:
                return opened, line, save(opened, line, name_of(given.get("annotator", "")), given, words)
            except (UserError, ValueError) as fault:
                form.fault = visible(str(fault))
        return opened, line, 0

    opened, line, saved = await read(house, done)
    if request.method == "POST" and not form.fault:
        return RedirectResponse(_behind(opened, line, given, part, saved), 303)
    return page(
        request,
        "judged_annotate.html",
        status=400 if form.fault else 200,
        by=form.annotator,
        saved=request.query_params.get("saved", ""),
        values_of=VALUES,
        dimensions=DIMENSIONS,
        categories=ERROR_CATEGORIES,
        **await read(house, lambda: shown_form(house, opened, line, form, part=part, words=words)),
    )


def shown_form(
    house: House, opened: Judging, line: AnswerLine, form: Form, *, part: int, words: Words
) -> dict[str, Any]:
    """Everything that the page of the form shows: nothing of the judge, and not who answered."""
    answer = opened.answer(line).answer
    said = store_of(opened).read()
    parts = parts_of(answer.answer)
    part = min(part, len(parts))
    start, end = range_of(parts, part)
    claims = opened.claims_within(line, start, end)
    evidence = Evidence(opened, answer, SourceTexts(house.store))
    items = {each.claim.id: _item(evidence, each.claim, number) for number, each in claims}
    marks = [_mark(each.claim, items[each.claim.id], words) for _, each in claims]
    pieces = draw(answer.answer, parts[part - 1], marks, region=words("run.table"))
    placed = {name for piece in pieces for name in piece.cards}
    names = list(opened.answers)
    at = names.index(line.id)
    return {
        "run": opened,
        "line": line,
        "asked": visible(answer.query),
        "answered_at": answer.answered_at,
        "pieces": pieces,
        "items": items,
        "unplaced": unplaced([each.claim for _, each in claims], placed, end),
        "part": part,
        "parts": len(parts),
        "fields": form.values or fields_of(said_by(said, form.annotator, line.id)),
        "fault": form.fault,
        "sources": evidence.cites([each.id for each in answer.sources]),
        "progress": progress_of(opened, said, form.annotator),
        "number": at + 1,
        "before": form_address(opened, names[at - 1], form.annotator) if at else "",
        "behind": form_address(opened, names[at + 1], form.annotator) if at + 1 < len(names) else "",
    }


def form_address(opened: Judging, answer: str, name: str, **query: object) -> str:
    """The address of the form of an answer."""
    asked = {key: value for key, value in {"by": name, **query}.items() if value}
    address = f"{opened.address}/annotate/{quote(answer, safe='')}"
    return f"{address}?{urlencode(asked)}" if asked else address


def _behind(opened: Judging, line: AnswerLine, given: Mapping[str, str], part: int, saved: int) -> str:
    """Where to go when a form was kept."""
    name = name_of(given.get("annotator", ""))
    names = list(opened.answers)
    at = names.index(line.id)
    if given.get("go") == "next" and at + 1 < len(names):
        return form_address(opened, names[at + 1], name, saved=str(saved))
    return form_address(opened, line.id, name, saved=str(saved), part=part if part > 1 else "")


def _item(evidence: Evidence, claim: Claim, number: int) -> Item:
    return Item(
        id=claim.id,
        number=number,
        text=unmarked(claim.text),
        context=tuple(map(visible, claim.context)),
        cites=evidence.cites(claim.cites),
        broken=tuple(map(visible, claim.broken)),
    )


def _mark(claim: Claim, item: Item, words: Words) -> Mark:
    label = words("judged.annotate.of_claim", n=item.number)
    return Mark(claim.id, claim.start, claim.end, "blind", 0, label, "", str(item.number))


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
