"""What is asked for when a citation is made, read from what a person or a model gives."""

from __future__ import annotations

import json
import re
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field, ValidationError

from verifaible.errors import BadArguments, ConfigError, Said
from verifaible.schema.action import ActionStep, ActionSteps
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.base import EvidenceType, Record


class CiteRequest(Record):
    """What to cite: a claim (empty: what the evidence itself says), and the place that supports it."""

    claim: str = ""
    url: str
    steps: tuple[ActionStep, ...] = ()
    anchor: AnchorRequest

    def require_complete(self) -> None:
        """Refuse a request that does not say where and what to look for.

        Raises:
            BadArguments: names what is missing.
        """
        anchor, kind = self.anchor, self.anchor.evidence_type
        if not self.url.lower().startswith(("http://", "https://")):
            told = "{arg[url]:{url}} is not an absolute http:// or https:// address. Give one."
            raise BadArguments(Said(told, url=self.url))
        if kind in ("text", "pdf", "video") and not anchor.quote.strip():
            needs = "{arg[evidence_type]:{kind}} needs the exact words of the source."
            raise BadArguments(Said("{arg[quote]} is missing: " + needs, kind=kind))
        if kind == "image" and not (anchor.selector or anchor.alt or anchor.position):
            told = "{arg[selector]}, {arg[alt]} or {arg[position]} is missing. Say which image you mean."
            raise BadArguments(Said(told))
        try:
            self.model_dump_json()
        except ValueError as error:
            raise BadArguments(
                f"The request contains a character that is not text ({error}). Copy the words again."
            ) from error


def _texts(value: object) -> object:
    """One text or several; models also send the list as a JSON string."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                value = json.loads(text)
            except ValueError:
                value = [text]
        else:
            value = [text] if text else []
    if isinstance(value, int | float):
        value = [value]
    # A header such as 2024 comes as a number from models that see one.
    return (
        [str(each) if isinstance(each, int | float) else each for each in value]
        if isinstance(value, list | tuple)
        else value
    )


def _moment(value: object) -> object:
    """Seconds, or m:ss, or h:mm:ss."""
    if value is None or value == "":
        return None
    if isinstance(value, int | float):
        return value
    text = str(value).strip().removesuffix("s").strip()
    if not re.fullmatch(r"\d+(\.\d+)?|(\d+:)?\d{1,2}:\d{2}(\.\d+)?", text):
        raise ValueError("must be seconds such as 247.9, or a time such as 4:07 or 1:02:03")
    seconds = 0.0
    for part in text.split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


def _point(value: object) -> object:
    """Two numbers, "x,y"; models also send them as a list."""
    if value is None or value == "":
        return None
    given = value.strip(" ()[]") if isinstance(value, str) else value
    parts = re.split(r"[,;\s]+", given) if isinstance(given, str) else given
    try:
        x, y = (float(str(part).removesuffix("px")) for part in parts)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise ValueError('must be two numbers such as "640,1220"') from None
    if not (0 <= x < 1e7 and 0 <= y < 1e7):
        raise ValueError("must count from the top left of the page, so neither number is negative")
    return x, y


Texts: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_texts, json_schema_input_type=list[str])]
Moment: TypeAlias = Annotated[float | None, BeforeValidator(_moment, json_schema_input_type=str)]
Point: TypeAlias = Annotated[tuple[float, float] | None, BeforeValidator(_point, json_schema_input_type=str)]
PageNumber: TypeAlias = Annotated[int | None, Field(ge=1)]


class _Asked(Record):
    """What a person gives, under the names it has in Python."""

    quote: str = ""
    near: str = ""
    row: Texts = ()
    column: Texts = ()
    selector: str = ""
    alt: str = ""
    position: Point = None
    page_number: PageNumber = None
    at: Moment = None
    language: str = ""
    steps: ActionSteps = Field(default_factory=list)


def cite_request(
    url: str, *, claim: str = "", evidence_type: EvidenceType | None = None, **given: object
) -> CiteRequest:
    """The request of a person: its type of evidence is told by what is given.

    Args:
        url: the page, PDF or video.
        claim: the statement that it supports.
        evidence_type: if ``given`` does not tell it.
        given: the other arguments of ``Verifaible.cite``.

    Raises:
        ConfigError: something is missing or cannot be; says what.
    """
    try:
        asked = _Asked.model_validate(given)
        place = dict(asked)
        steps, at_s = place.pop("steps"), place.pop("at")
        anchor = AnchorRequest(evidence_type=evidence_type or _kind_of(asked), at_s=at_s, **place)
        request = CiteRequest(claim=claim, url=url.strip(), steps=tuple(steps), anchor=anchor)
        request.require_complete()
    except ValidationError as error:
        raise ConfigError(_faults(error)) from error
    except BadArguments as error:
        raise ConfigError(*error.args) from error
    return request


def _kind_of(asked: _Asked) -> EvidenceType:
    """The type of evidence that the arguments tell of."""
    if asked.row or asked.column:
        return "table"
    if asked.at is not None:
        return "video"
    if asked.page_number:
        return "pdf"
    pointed = asked.selector or asked.alt or asked.position
    return "image" if pointed and not asked.quote else "text"


def _faults(error: ValidationError) -> Said:
    """What pydantic found, each under the name of its argument."""
    template, facts = [], {}
    for number, fault in enumerate(error.errors(include_url=False)):
        field, *inner = fault["loc"]
        template.append(f"{{arg[{field}]}}: {{why_{number}}}")
        inside = f"{'.'.join(map(str, inner))}: " if inner else ""
        facts[f"why_{number}"] = inside + fault["msg"].removeprefix("Value error, ")
    return Said("; ".join(template) + ". Correct these, and try again.", **facts)
