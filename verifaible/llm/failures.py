"""What went wrong at an endpoint: worth another try, or an error with a name and a sentence of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifaible.errors import (
    ContentRefused,
    ContextOverflow,
    KeyRejected,
    ModelAnswerInvalid,
    ModelError,
    ModelNotThere,
    ModelRejected,
    ModelUnreachable,
    NoCredit,
    OutputCutOff,
    UrlRefused,
)
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.retry import asked_wait_s, duration_s

#: Statuses that may pass by themselves; every 5xx too, but 501: who does not know how will not learn it.
_PASSING = frozenset({408, 409, 425, 429})
_TOO_LONG = re.compile(
    r"context.?(?:length|window|size)|maximum (?:context|prompt|model) length|max(?:imum)? (?:input )?length"
    r"|(?:prompt|input|request) is too long|too many (?:input )?tokens|exceed\w* model token limit"
    r"|token count .{0,40}exceeds|too large for model|reduce the length|range of input length"
    r"|exceeds? max(?:imum)? length",
    re.I,
)
_POLICY = re.compile(
    r"moderation|flagged|content.?(?:filter|policy|management|violat)|\bsafety\b|guardrail"
    r"|data.?inspection|inappropriate content|sensitive (?:content|word|info)|new_sensitive"
    r"|content exists risk|high risk|敏感|不安全"
    r"|usage (?:policy|policies|guidelines)",
    re.I,
)
_NO_CREDIT = re.compile(
    r"insufficient.{0,9}(?:quota|credit|balance|fund)|credit balance|out of credit|key limit exceeded"
    r"|billing.?(?:hard.?limit|not.?active)|payment required",
    re.I,
)
_BAD_KEY = re.compile(r"api.?key not valid|(?:invalid|incorrect).{0,5}api.?key|authentication.?error", re.I)
_NO_MODEL = re.compile(
    r"model.?not.?found|model .{0,120}(?:does not exist|not found|not available)|not a valid model"
    r"|invalid model|unknown model|no such model",
    re.I,
)
#: How endpoints say that they have a model only without tool calling.
NO_TOOLS = re.compile(
    r"support\w* (?:tool|function)|(?:tool|function).{0,40}not (?:supported|enabled|permitted)"
    r"|tool.choice requires|tools? param\w* requires|\btools\b.{0,20}extra inputs"
    r"|(?:unrecogni[sz]ed|unknown|unexpected|extra).{0,60}\btools\b",
    re.I | re.S,
)
#: Error codes of a failed answer, as the HTTP status that means the same (OpenAI, OpenRouter, Google).
_STATUS_OF_CODE = {
    "rate_limit_exceeded": 429,
    "RESOURCE_EXHAUSTED": 429,
    "server_error": 500,
    "internal_error": 500,
    "vector_store_timeout": 504,
    "invalid_api_key": 401,
    "insufficient_quota": 402,
}
#: Codes in MiniMax's ``base_resp`` that asking again does not change, as the status that means the same.
_STATUS_OF_BASE_RESP = {
    1004: 401,
    2049: 401,
    1008: 402,
    1039: 413,
    1026: 400,
    1027: 400,
    1042: 400,
    2013: 400,
}
#: Why a provider says that an answer ended, where it did not end as a model ends one: ``error`` (OpenRouter),
#: ``network_error`` (Z.ai), ``insufficient_system_resource`` (DeepSeek), ``abort`` (vLLM, SGLang).
_BROKE_OFF = re.compile(r"error|abort|resource|timeout|cancel|fail", re.I)
_FILTERED = re.compile(r"content_filter|sensitive", re.I)
#: Longest part of an endpoint's own words that a message repeats, in characters.
_QUOTE_CHARS = 300


#: What is noted of an answer that ends at the output limit, in the middle of what it was saying.
CUT_OFF = (
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


def from_status(status: int, body: object, headers: Mapping[str, str], asked: Asked) -> ModelError | Passing:
    """The failure behind an HTTP error status."""
    return _classify(status, error_details(body), asked, asked_wait_s(headers))


def from_body(body: Mapping[str, Any], asked: Asked) -> ModelError | Passing | None:
    """The failure that an answer with status 200 reports, if it does.

    In its ``error`` field, in that of its first choice (a provider behind OpenRouter), as the whole body
    (``"object": "error"``, older vLLM), or in ``base_resp`` (MiniMax).
    """
    told = body.get("base_resp")
    if isinstance(told, Mapping) and isinstance(code := told.get("status_code"), int) and code:
        details = {"code": code, "message": str(told.get("status_msg") or "")}
        return _classify(_STATUS_OF_BASE_RESP.get(code, 503), details, asked, None)
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    inner = first.get("error") if isinstance(first, Mapping) else None
    whole = body if body.get("object") == "error" else None
    error = body.get("error") or inner or whole
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
    words = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return {**body, "message": words}


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
    tries = "once" if attempts == 1 else f"{attempts} times"
    check = (
        "that the server is running there"
        if place.is_loopback
        else "the network and the proxy settings, and the provider's status page"
    )
    return ModelUnreachable(
        f"{place.host} was asked {tries}, and {failure.what}. Check the base URL {place.shown_url}"
        f" (VERIFAIBLE_BASE_URL) and {check}, then run again: finished trials are kept. VERIFAIBLE_RETRY_S"
        " says for how many seconds it is asked again."
    )


def not_json(asked: Asked, content_type: str) -> ModelAnswerInvalid:
    """The error for an answer that cannot be read."""
    return ModelAnswerInvalid(
        f"{asked.place.host} answered twice with something that is not a JSON object (content type"
        f" {content_type!r}). Check that the base URL {asked.place.shown_url} is that of an OpenAI-compatible"
        " API and ends with its version, such as /v1."
    )


def nothing_said(reason: str) -> str:
    """The sentence for an answer with nothing in it."""
    because = f" (it ended with {reason!r})" if reason else ""
    return (
        f"The endpoint answered twice with neither a text nor a tool call{because}. Try again later, or"
        " choose another model or endpoint."
    )


def cut_off() -> OutputCutOff:
    """The error for an answer whose output tokens were used up before anything was said."""
    return OutputCutOff(
        "The model used up its output tokens before it wrote a text or a tool call. Give the model a larger"
        " max_output_tokens in models.json, or choose a model or an endpoint with a larger output limit."
    )


def from_ending(reason: str) -> ContentRefused | ContextOverflow | Passing | None:
    """The failure behind the reason that an answer gives for its end; None where the model ended it."""
    if _FILTERED.search(reason):
        return ContentRefused(
            f"The endpoint's content filter ended the model's answer ({reason}). Use another model or"
            " provider for this question."
        )
    if _TOO_LONG.search(reason):
        return ContextOverflow(
            f"The conversation is longer than the model can read ({reason}). Use a model with a longer"
            " context, or fewer rounds."
        )
    if _BROKE_OFF.search(reason):
        return Passing(f"the provider behind it failed while the model was answering ({reason})")
    return None


def declined(refusal: str) -> ContentRefused:
    """The error for a refusal in the place of an answer that should have a form."""
    said = " ".join(refusal.split()).rstrip(".")
    said = said if len(said) <= _QUOTE_CHARS else said[:_QUOTE_CHARS] + " ..."
    return ContentRefused(f"The model declined to answer ({said}). Use another model for this question.")


def _status_of(details: Mapping[str, Any]) -> int:
    """The HTTP status that an error in the body of a 200 answer means."""
    for name in ("code", "status", "type"):
        value = details.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:
            return value
        if isinstance(value, str):
            if value.isdecimal() and 400 <= int(value[:4]) < 600:
                return int(value[:4])
            if value in _STATUS_OF_CODE:
                return _STATUS_OF_CODE[value]
    return 400


def _classify(
    status: int, body: Mapping[str, Any], asked: Asked, wait_s: float | None
) -> ModelError | Passing:
    said = _said(body, asked.place)
    codes = " ".join(str(body.get(name) or "") for name in ("code", "type", "error_type"))
    words = f"{codes} {said}"
    lasting = bool(_TOO_LONG.search(words) or NO_TOOLS.search(words))
    if _NO_CREDIT.search(words) or status == 402:
        return NoCredit(
            f"{asked.place.host} has no credit left for this key{said}. Add credit there, or use another key."
        )
    # servers report an overflow, or missing tools, as 500 too; with 429 the same words are about a rate
    if status in _PASSING or (status >= 500 and status != 501 and not lasting):
        wait_s = wait_s if wait_s is not None else _wait_in_body(body)
        return Passing(f"the last answer was HTTP {status}{said}", wait_s)
    kind, what, advice = _rejection(status, words, asked)
    return kind(f"{what}{said}. {advice}")


def _rejection(status: int, words: str, asked: Asked) -> tuple[type[ModelRejected], str, str]:
    """The class, what happened, and what to do, of a request that was refused for good."""
    place, model = asked.place, asked.model
    other = "chat" if asked.path == "/responses" else "responses"
    # fmt: off
    rules: tuple[tuple[bool, type[ModelRejected], str, str], ...] = (
        (status == 401 or bool(_BAD_KEY.search(words)), KeyRejected,
         f"{place.host} did not accept the API key", f"Check the value of {place.key_name}."),
        (bool(NO_TOOLS.search(words)), ModelRejected, f"{place.host} has {model} only without tools",
         'Set "tools": "text" for it in models.json, or choose another endpoint for it.'),
        (status in (404, 405) or bool(_NO_MODEL.search(words)), ModelNotThere,
         f"{place.host} has no model {model}, or no {asked.path} below {place.shown_url}",
         f"Check the model's name and VERIFAIBLE_BASE_URL, or ask in the other API (--api {other})."),
        (status == 413 or bool(_TOO_LONG.search(words)), ContextOverflow,
         f"The conversation is longer than {model} can read",
         "Use a model with a longer context, or fewer rounds."),
        (bool(_POLICY.search(words)), ContentRefused, f"{place.host} refused the content under its policy",
         "Use another model or provider."),
        (status == 403, KeyRejected, f"{place.host} does not let this key use {model}",
         "Check there what the key may do."),
        (True, ModelRejected, f"{place.host} rejected the request with HTTP {status}",
         "Check the fields that it names."),
    )
    # fmt: on
    return next((kind, what, advice) for holds, kind, what, advice in rules if holds)


def _wait_in_body(body: Mapping[str, Any]) -> float | None:
    """The wait an error body asks for: headers of the provider (OpenRouter) or a retry delay (Google)."""
    metadata = body.get("metadata")
    headers = metadata.get("headers") if isinstance(metadata, Mapping) else None
    if isinstance(headers, Mapping):
        return asked_wait_s({str(name): str(value) for name, value in headers.items()})
    details = body.get("details")
    for detail in details if isinstance(details, list) else []:
        if isinstance(detail, Mapping) and detail.get("retryDelay"):
            return duration_s(str(detail["retryDelay"]))
    return None


def _said(body: Mapping[str, Any], place: Endpoint) -> str:
    """The endpoint's own words, shortened, without the key that some endpoints repeat."""
    message = str(body.get("message") or "")
    metadata = body.get("metadata")
    if isinstance(metadata, Mapping) and metadata.get("raw"):
        raw = metadata["raw"]
        message += " " + (raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False))
    if place.api_key:
        message = message.replace(place.api_key, "(key)")
    message = " ".join(message.split()).rstrip(".")
    if len(message) > _QUOTE_CHARS:
        message = message[:_QUOTE_CHARS] + " ..."
    return f" ({message})" if message else ""
