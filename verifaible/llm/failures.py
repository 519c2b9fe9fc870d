"""What went wrong at an endpoint: worth another try, or an error with a sentence of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from verifaible.errors import ModelAnswerInvalid, ModelError, ModelRejected, ModelUnreachable
from verifaible.llm.endpoint import Endpoint

if TYPE_CHECKING:
    from openai import APIStatusError

#: Statuses that may pass by themselves; every 5xx too.
_PASSING = frozenset({408, 409, 425, 429})
_TOO_LONG = re.compile(
    r"context.?(length|window|size)|maximum context|(prompt|input) is too long|too many (input )?tokens", re.I
)
_POLICY = re.compile(r"moderation|flagged|content.?(filter|policy)|safety|guardrail", re.I)
_NO_CREDIT = re.compile(r"insufficient.?(quota|credit|balance|fund)", re.I)
#: Longest part of an endpoint's own words that a message repeats, in characters.
_QUOTE_CHARS = 300


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


def from_status(error: APIStatusError, place: Endpoint, model: str) -> ModelError | Passing:
    """The failure behind an HTTP error status."""
    body = error.body if isinstance(error.body, Mapping) else {"message": str(error.body or "")}
    wait = retry_after_s(error.response.headers.get("retry-after"))
    return _classify(error.status_code, body, place, model, wait)


def from_body(body: Mapping[str, Any], place: Endpoint, model: str) -> ModelError | Passing | None:
    """The failure that an answer with status 200 reports in its ``error`` field, if it does."""
    error = body.get("error")
    if not error:
        return None
    details = error if isinstance(error, Mapping) else {"message": str(error)}
    code = details.get("code")
    status = code if isinstance(code, int) else _STATUS_OF_CODE.get(str(code), 400)
    return _classify(status, details, place, model, None)


#: Error codes of a failed response, as the HTTP status that means the same (OpenAI, OpenRouter).
_STATUS_OF_CODE = {"rate_limit_exceeded": 429, "server_error": 500, "vector_store_timeout": 504}


def unreachable(place: Endpoint, failure: Passing, attempts: int) -> ModelUnreachable:
    """The error for a failure that did not pass."""
    tries = "once" if attempts == 1 else f"{attempts} times"
    check = (
        "that the server is running there"
        if place.is_loopback
        else "the network and the proxy settings, and the provider's status page"
    )
    return ModelUnreachable(
        f"{place.host} was asked {tries}, and {failure.what}. Check the base URL {place.base_url}"
        f" (VERIFAIBLE_BASE_URL) and {check}, then run again: finished trials are kept."
    )


def not_json(place: Endpoint, content_type: str) -> ModelAnswerInvalid:
    """The error for an answer that cannot be read."""
    return ModelAnswerInvalid(
        f"{place.host} answered twice with something that is not JSON (content type {content_type!r})."
        f" Check that the base URL {place.base_url} is that of an OpenAI-compatible API."
    )


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for (RFC 9110, section 10.2.3); None if unreadable."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())


def _classify(
    status: int, body: Mapping[str, Any], place: Endpoint, model: str, wait_s: float | None
) -> ModelError | Passing:
    host, said = place.host, _said(body, place)
    codes = " ".join(str(body.get(name) or "") for name in ("code", "type", "error_type"))
    if _NO_CREDIT.search(f"{codes} {said}") or status == 402:
        return ModelRejected(
            f"{host} has no credit left for this key{said}. Add credit there, or use another key."
        )
    if status in _PASSING or status >= 500:
        return Passing(f"the last answer was HTTP {status}{said}", wait_s)
    too_long = status == 413 or bool(_TOO_LONG.search(f"{codes} {said}"))
    rules = (
        (status == 401, f"{host} did not accept the API key", f"Check the value of {place.key_name}."),
        (
            too_long,
            f"The conversation is longer than {model} can read",
            "Use a model with a longer context, or fewer rounds.",
        ),
        (
            bool(_POLICY.search(f"{codes} {said}")),
            f"{host} refused the content under its policy",
            "Use another model or provider.",
        ),
        (
            status == 403,
            f"{host} does not let this key use {model}",
            "Check there what the key may do.",
        ),
        (
            status == 404,
            f"{host} has no model {model}, or no /responses below {place.base_url}",
            "Check the model's name and VERIFAIBLE_BASE_URL.",
        ),
        (
            True,
            f"{host} rejected the request with HTTP {status}",
            "Check that the model supports tools and the fields named here.",
        ),
    )
    what, advice = next((what, advice) for holds, what, advice in rules if holds)
    return ModelRejected(f"{what}{said}. {advice}")


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
