"""From the text of a model's reply to the form it was asked for: strictly, and never by guessing.

One JSON object is expected, or one array where the form is a list (a ``RootModel``). A code fence around it
is taken off, and words around it are tolerated if exactly one object in them has the form and it was not
copied from the question; each is noted. Everything else is a fault with a name. Further fields are ignored
and noted, so counts that a judge adds up itself are never used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, RootModel, ValidationError

from verifaible.llm.base import AnswerForm

#: A reply of more characters than this is none: the longest form of ours takes a tenth of it.
MOST_CHARACTERS: Final = 1_000_000
#: Brackets in prose that are tried as the beginning of an object.
_MOST_STARTS: Final = 500
_FENCED: Final = re.compile(r"\A(```+|~~~+)[ \t]*[\w-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*\1\s*\Z", re.S)
_BLANKS: Final = re.compile(r"(?:\s|\\[nrt])+")
_BEGINS: Final = re.compile(r"(?:```+\w*\s*)?[{\[]")
#: Keywords of JSON Schema that not every strict endpoint takes; we hold them when the reply is back.
_NOT_SENT: Final = frozenset(
    {"$defs", "title", "default", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
)


class Form(BaseModel):
    """The base of what a model fills in: frozen, no type is converted, further fields are ignored."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


FormT = TypeVar("FormT", bound=BaseModel)


class BadReply(Exception):
    """A reply that cannot be used; the message is a sentence for people.

    Attributes:
        fault: ``empty``, ``too_long``, ``not_json``, ``cut_off``, ``not_an_object``, ``doubled_key``,
            ``several`` (objects of the form), ``copied`` (from the question), ``form`` (fields are missing or
            of a wrong type), ``content`` (it says what cannot be: a quote that is not in the source),
            ``proof`` (its proof does not hold), ``unforeseen`` (an error of ours while it was checked), or
            the code of a :class:`~verifaible.errors.ModelError` that came in its place.
    """

    def __init__(self, fault: str, message: str) -> None:
        self.fault = fault
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class ReadReply(Generic[FormT]):
    """A reply in its form, and what was tolerated: ``fenced``, ``prose around it``, ``further fields``."""

    value: FormT
    notes: tuple[str, ...] = ()


@cache
def answer_form(kind: type[BaseModel], name: str) -> AnswerForm:
    """The form as an endpoint wants it: every field required and no other allowed, nothing by reference.

    That of a list is part of a question's key and is not sent: strict endpoints take objects alone.
    """
    schema = kind.model_json_schema()
    return AnswerForm(name=name, parameters=_strict(schema, schema.get("$defs", {})))


def read_reply(text: str, kind: type[FormT], question: str = "") -> ReadReply[FormT]:
    """The form in a reply.

    Args:
        text: the reply as it came.
        kind: the form.
        question: what was asked; an object in prose that is in it too is not the model's own.

    Raises:
        BadReply: there is not exactly one object of the form in it.
    """
    said = text.strip().lstrip("\ufeff").strip()
    if not said:
        raise BadReply("empty", "The reply is empty.")
    if len(said) > MOST_CHARACTERS:
        raise BadReply("too_long", f"The reply has {len(said)} characters, more than {MOST_CHARACTERS}.")
    fenced = _FENCED.match(said)
    inner = fenced[2].strip() if fenced else said
    whole = _parse(inner, 0)
    if whole is not None and whole.end == len(inner):
        value, notes = _validated(whole, kind)
        return ReadReply(value, ("fenced", *notes) if fenced else notes)
    return _in_prose(said, kind, question)


@dataclass(frozen=True, slots=True)
class _Parsed:
    value: Any
    doubled: str
    end: int


def _parse(text: str, start: int) -> _Parsed | None:
    """The JSON value that begins at ``start``; None where none does."""
    doubled: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, value in items:
            if name in made:
                doubled.append(name)
            made[name] = value
        return made

    def no_constant(name: str) -> Any:
        raise ValueError(name)  # NaN and Infinity are no JSON (RFC 8259, section 6)

    try:
        decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_constant=no_constant)
        value, end = decoder.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return _Parsed(value, doubled[0] if doubled else "", end)


def _validated(found: _Parsed, kind: type[FormT]) -> tuple[FormT, tuple[str, ...]]:
    if not isinstance(found.value, list if issubclass(kind, RootModel) else dict):
        names = {list: "a list", dict: "an object", str: "a text", bool: "true or false", type(None): "null"}
        kind_found = names.get(type(found.value), "a number")
        raise BadReply("not_an_object", f"The reply is {kind_found}, not one JSON {_name(kind)}.")
    if found.doubled:
        raise BadReply("doubled_key", f"The reply has the field {found.doubled[:80]!r} twice.")
    try:
        # through JSON text: in that mode a list may fill a tuple while no other type is converted
        value = kind.model_validate_json(json.dumps(found.value))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        place = ".".join(str(part)[:60] for part in faults[0]["loc"]) or "the object"
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        fault = f"The reply does not have its form: {place}: {faults[0]['msg']}{more}."
        raise BadReply("form", fault) from None
    except (ValueError, RecursionError):
        fault = "The reply does not have its form: it holds a value that cannot be read."
        raise BadReply("form", fault) from None
    extra = isinstance(found.value, dict) and found.value.keys() - kind.model_fields.keys()
    return value, ("further fields",) if extra else ()


def _name(kind: type[BaseModel]) -> str:
    return "array" if issubclass(kind, RootModel) else "object"


def _values(text: str, sign: str) -> Iterator[_Parsed]:
    """The JSON values among words that begin with a bracket, none inside another."""
    at = text.find(sign)
    for _ in range(_MOST_STARTS):
        if at < 0:
            return
        found = _parse(text, at)
        if found is not None:
            yield found
        at = text.find(sign, at + 1 if found is None else found.end)


def _in_prose(text: str, kind: type[FormT], question: str) -> ReadReply[FormT]:
    """The one object (or array) of the form among words."""
    sign = "[" if issubclass(kind, RootModel) else "{"
    good: list[tuple[_Parsed, FormT, tuple[str, ...]]] = []
    faults: list[BadReply] = []
    for found in _values(text, sign):
        try:
            good.append((found, *_validated(found, kind)))
        except BadReply as bad:
            faults.append(bad)
    if len(good) > 1:
        many = f"The reply holds {len(good)} {_name(kind)}s of the form, and none says which counts."
        raise BadReply("several", many)
    if good:
        own, value, notes = good[0]
        if _content(own) in map(_content, _values(question, sign)):
            raise BadReply("copied", f"The only {_name(kind)} in the reply was copied from the question.")
        return ReadReply(value, ("prose around it", *notes))
    if len(faults) == 1:
        raise faults[0]
    if _BEGINS.match(text) and not faults:
        raise BadReply("cut_off", "The reply begins as JSON and does not end as such.")
    raise BadReply("not_json", f"The reply is not one JSON {_name(kind)}.")


def _content(found: _Parsed) -> str:
    """What a value says, whatever its blanks and the order of its fields."""
    return _BLANKS.sub("", json.dumps(found.value, sort_keys=True))


def _strict(node: Any, defs: dict[str, Any]) -> Any:
    """A schema without references, with every field of each object required."""
    if isinstance(node, list):
        return [_strict(each, defs) for each in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        rest = {name: value for name, value in node.items() if name != "$ref"}
        return _strict({**defs[reference.rpartition("/")[2]], **rest}, defs)
    made: dict[str, Any] = {}
    for name, value in node.items():
        if name == "properties":
            made[name] = {field: _strict(each, defs) for field, each in value.items()}
            made |= {"required": list(value), "additionalProperties": False}
        elif name == "const":
            made |= {"type": "string", "enum": [value]}
        elif name not in _NOT_SENT and not (name == "required" and "properties" in node):
            made[name] = _strict(value, defs)
    return made
