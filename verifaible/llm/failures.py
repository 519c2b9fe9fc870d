"""What went wrong at an endpoint: worth another try, or an error with a name and a sentence of its own."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from verifaible import errors
from verifaible.errors import (
    ContentRefused,
    ContextOverflow,
    ModelAnswerInvalid,
    ModelError,
    ModelRejected,
    ModelUnreachable,
    OutputCutOff,
    UrlRefused,
)
from verifaible.llm.endpoint import Endpoint
from verifaible.net.politeness import number, retry_after_s
from verifaible.schema.base import Record

#: Statuses that may pass by themselves; every 5xx too, but 501: who does not know how will not learn it.
_PASSING: Final = frozenset({408, 409, 425, 429})
#: Longest part of an endpoint's own words that a message repeats, in characters.
_QUOTE_CHARS: Final = 300

#: What is noted of an answer that ends at the output limit, in the middle of what it was saying.
CUT_OFF: Final = (
    "the answer is cut off: it reached the output limit of the model or the endpoint (max_output_tokens)"
)


class Passing(Exception):
    """A failure worth another try.

    Attributes:
        what: what happened, as the middle of a sentence.
        retry_after_s: seconds the endpoint asked to wait, or None.
    """

    def __init__(self, what: str, retry_after_s: float | None = None) -> None:
        self.what = what
        self.retry_after_s = retry_after_s
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, for messages: the endpoint, the path below its base URL, the model."""

    place: Endpoint
    path: str
    model: str


class _Refusal(Record):
    """A kind of refusal: the statuses and words that tell it, the error, what happened, and what to do."""

    statuses: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    error: str
    what: str
    advice: str

    def fits(self, status: int, words: str) -> bool:
        """Whether a failure is of this kind."""
        return status in self.statuses or bool(_any_of(self.words).search(words))


class _Known(Record):
    """How endpoints say that something failed, as ``refusals.json`` has it.

    Attributes:
        refusals: kinds of refusal; the first that fits counts, and a failure that may pass is none.
        statuses: error codes of a failed answer, as the HTTP status that means the same.
        base_resp: MiniMax's codes that asking again does not change, in the same way.
        broke_off: reasons that a provider gives for the end of an answer that the model did not end.
        filtered: those of a content filter.
    """

    refusals: tuple[_Refusal, ...]
    statuses: dict[str, int]
    base_resp: dict[str, int]
    broke_off: tuple[str, ...]
    filtered: tuple[str, ...]

    def words(self, error: str) -> re.Pattern[str]:
        """The words of the first kind of refusal that is this error."""
        return _any_of(next(each.words for each in self.refusals if each.error == error))


@cache
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(words) or "(?!)", re.I | re.S)


_KNOWN: Final = _Known.model_validate_json(
    resources.files("verifaible.llm").joinpath("refusals.json").read_text(encoding="utf-8")
)
#: How endpoints say that they have a model only without tool calling.
NO_TOOLS: Final = _KNOWN.words("ModelRejected")
_TOO_LONG: Final = _KNOWN.words("ContextOverflow")


def from_status(status: int, body: object, headers: Mapping[str, str], asked: Asked) -> ModelError | Passing:
    """The failure behind an HTTP error status."""
    details, milliseconds = error_details(body), number(headers.get("retry-after-ms"))
    wait_s = retry_after_s(headers.get("retry-after")) if milliseconds is None else milliseconds / 1000
    return _classify(status, details, asked, _wait_told(details) if wait_s is None else wait_s)


def _wait_told(details: Mapping[str, Any]) -> float | None:
    """The seconds to wait that an error's body names: those of a provider behind OpenRouter, or Google's."""
    metadata = details.get("metadata")
    headers = metadata.get("headers") if isinstance(metadata, Mapping) else None
    if isinstance(headers, Mapping):
        if (wait_s := retry_after_s(str(headers.get("Retry-After") or ""))) is not None:
            return wait_s
        if (reset := number(headers.get("X-RateLimit-Reset"))) is not None:  # milliseconds since 1970
            return max(0.0, reset / 1000 - time.time())
    more = details.get("details")
    told = (
        [each.get("retryDelay") for each in more if isinstance(each, Mapping)]
        if isinstance(more, list)
        else []
    )
    waits = (number(str(each or "").removesuffix("s")) for each in told)
    return next((wait for wait in waits if wait is not None), None)


def from_body(body: Mapping[str, Any], asked: Asked) -> ModelError | Passing | None:
    """The failure that an answer with status 200 reports, if it does.

    In its ``error`` field, in that of its first choice (a provider behind OpenRouter), as the whole body
    (``"object": "error"``, older vLLM), or in ``base_resp`` (MiniMax).
    """
    told = body.get("base_resp")
    if isinstance(told, Mapping) and isinstance(code := told.get("status_code"), int) and code:
        details = {"code": code, "message": str(told.get("status_msg") or "")}
        return _classify(_KNOWN.base_resp.get(str(code), 503), details, asked, None)
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    inner = first.get("error") if isinstance(first, Mapping) else None
    error = body.get("error") or inner or (body if body.get("object") == "error" else None)
    if not error:
        return None
    details = error_details(error)
    return _classify(_status_of(details), details, asked, None)


def error_details(body: object) -> dict[str, Any]:
    """An error's fields, with its words under ``message``, from the many forms of an error body."""
    if isinstance(body, list) and body:  # Google's answers are lists
        body = body[0]
    if isinstance(body, Mapping) and body.get("error"):
        body = body["error"]
    if not isinstance(body, Mapping):
        return {"message": str(body or "")}
    said = body.get("message") or body.get("detail") or body.get("msg") or ""
    return {**body, "message": said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)}


def _status_of(details: Mapping[str, Any]) -> int:
    """The HTTP status that an error in the body of a 200 answer means."""
    for value in (details.get(name) for name in ("code", "status", "type")):
        found = _KNOWN.statuses.get(str(value)) or number(str(value))
        if found is not None and 400 <= found < 600:
            return int(found)
    return 400


def _classify(
    status: int, body: Mapping[str, Any], asked: Asked, wait_s: float | None
) -> ModelError | Passing:
    said, place = _said(body, asked.place), asked.place
    words = " ".join([*(str(body.get(name) or "") for name in ("code", "type", "error_type")), said])
    rule = next(each for each in _KNOWN.refusals if each.fits(status, words))
    # servers report an overflow, or missing tools, as 500 too; with 429 the same words are about a rate
    lasting = rule.error == "NoCredit" or (
        status not in _PASSING and bool(_TOO_LONG.search(words) or NO_TOOLS.search(words))
    )
    if not lasting and (status in _PASSING or (status >= 500 and status != 501)):
        return Passing(f"the last answer was HTTP {status}{said}", wait_s)
    fields = {
        "host": place.host,
        "url": place.shown_url,
        "key_name": place.key_name,
        "model": asked.model,
        "path": asked.path,
        "other": "chat" if asked.path == "/responses" else "responses",
        "status": status,
    }
    kind: type[ModelRejected] = getattr(errors, rule.error)
    return kind(f"{rule.what.format(**fields)}{said}. {rule.advice.format(**fields)}")


def _said(body: Mapping[str, Any], place: Endpoint) -> str:
    """The endpoint's own words, shortened, without the key that some endpoints repeat."""
    message = str(body.get("message") or "")
    metadata = body.get("metadata")
    if isinstance(metadata, Mapping) and (raw := metadata.get("raw")):
        message += " " + (raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False))
    if place.api_key:
        message = message.replace(place.api_key, "(key)")
    return f" ({shown})" if (shown := _quoted(message)) else ""


def _quoted(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _QUOTE_CHARS else line[:_QUOTE_CHARS] + " ..."


def refused(asked: Asked, error: UrlRefused) -> ModelRejected:
    """The error for an endpoint that may not be asked, or that sends the request elsewhere."""
    said = str(error).partition(". ")[0]
    return ModelRejected(
        f"{said}. Set VERIFAIBLE_BASE_URL to the address itself; where the endpoint {asked.place.host} is a "
        "local one, name its host in VERIFAIBLE_LOCAL_ENDPOINTS."
    )


def unreachable(asked: Asked, failure: Passing, attempts: int) -> ModelUnreachable:
    """The error for a failure that did not pass."""
    place = asked.place
    check = (
        "that the server is running there"
        if place.is_loopback
        else "the network and the proxy settings, and the provider's status page"
    )
    return ModelUnreachable(
        f"{place.host} was asked {'once' if attempts == 1 else f'{attempts} times'}, and {failure.what}. "
        f"Check the base URL {place.shown_url} (VERIFAIBLE_BASE_URL) and {check}, then run again: finished "
        "trials are kept. VERIFAIBLE_RETRY_S says for how many seconds it is asked again."
    )


def not_json(asked: Asked, content_type: str) -> ModelAnswerInvalid:
    """The error for an answer that cannot be read."""
    return ModelAnswerInvalid(
        f"{asked.place.host} answered twice with something that is not a JSON object (content type"
        f" {content_type!r}). Check that the base URL {asked.place.shown_url} is that of an OpenAI-compatible"
        " API and ends with its version, such as /v1."
    )


def nothing_said(reason: str) -> ModelAnswerInvalid:
    """The error for an answer with nothing in it."""
    because = f" (it ended with {reason!r})" if reason else ""
    return ModelAnswerInvalid(
        f"The endpoint answered twice with neither a text nor a tool call{because}. Try again later, or"
        " choose another model or endpoint."
    )


def cut_off() -> OutputCutOff:
    """The error for an answer whose output tokens were used up before anything was said."""
    return OutputCutOff(
        "The model used up its output tokens before it wrote a text or a tool call. Give the model a larger"
        " max_output_tokens in models.json, or choose a model or an endpoint with a larger output limit."
    )


def require_ended(reason: str, *, called: bool) -> None:
    """Make sure that the model itself ended its answer; one that has called a tool may have been filtered.

    Raises:
        ContentRefused, ContextOverflow, Passing: the reason that the answer gives for its end.
    """
    if _any_of(_KNOWN.filtered).search(reason):
        if called:
            return
        raise ContentRefused(
            f"The endpoint's content filter ended the model's answer ({reason}). Use another model or"
            " provider for this question."
        )
    if _TOO_LONG.search(reason):
        raise ContextOverflow(
            f"The conversation is longer than the model can read ({reason}). Use a model with a longer"
            " context, or fewer rounds."
        )
    if _any_of(_KNOWN.broke_off).search(reason):
        raise Passing(f"the provider behind it failed while the model was answering ({reason})")


def declined(refusal: str) -> ContentRefused:
    """The error for a refusal in the place of an answer that should have a form."""
    return ContentRefused(
        f"The model declined to answer ({_quoted(refusal)}). Use another model for this question."
    )
