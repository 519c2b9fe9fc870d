"""Every error that verifaible raises on purpose.

The tree::

    VerifaibleError
    ├── UserError                   speaks to the person at the keyboard
    │   ├── ConfigError             a setting is missing or wrong
    │   ├── CaseError               a case file has faults (``path: message`` each)
    │   ├── UnknownModel, MissingKey, BrowserMissing: no such model, no key for it, no Chromium
    │   ├── StoreError              the evidence store cannot be read or written
    │   │   ├── CitationNotFound    no citation with that id; CitationDeleted: there was one
    │   │   └── IntegrityError, StoreReadOnly, StoreUnreachable, OlderFormat, NewerFormat
    │   └── RunError                a bench run cannot start or go on
    ├── ToolError                   speaks to the model that called a tool
    │   ├── BadArguments            the arguments do not validate; AmbiguousAsset: of several assets
    │   ├── StepFailed              an action step failed (which one, and why)
    │   ├── PageError               PageNotLoaded: network, HTTP, time-out; PageBlocked: captcha, login;
    │   │                           WrongContent: another kind than was asked for
    │   ├── DataNotAvailable        a data source cannot give this: no key, or not of that time
    │   ├── OfflineMiss             the offline archives hold no answer for a URL
    │   ├── UrlRefused              the URL guard refused an address
    │   ├── AnchorNotFound, AnchorAmbiguous: the evidence is not there, or in several places
    │   ├── SearchIncomplete, NotReproducible, NotServed: it cannot be vouched for
    │   └── NoText, NoTranscript    a PDF without a text layer, a video without captions
    ├── ModelError                  a model endpoint did not give a usable answer
    │   ├── ModelUnreachable        no connection, or time-outs past the retries
    │   ├── ModelRejected           KeyRejected, NoCredit, ModelNotThere, ContextOverflow, ContentRefused
    │   └── ModelAnswerInvalid      the answer does not follow the protocol; OutputCutOff
    ├── InfrastructureError         the machine failed, not the model: browser crash, disk
    └── LimitReached                a limit ended a trial (rounds, tokens, seconds, cost)

A message always ends with what to do next. ``ToolError`` messages are sent to
the model, so they name nothing of this machine. What an argument is called depends
on who gave it: a message that names one is a :class:`Said`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any


class _Name(str):
    """What an argument is called; formatted with a value, how it is given."""

    def __format__(self, value: str) -> str:
        if not value or not self.endswith("="):
            return f"{self!s} {value}".rstrip()
        return f"{self!s}{value if value.isdigit() else repr(value)}"


class _Names(dict[str, str]):
    """The names of a caller; a field that it does not name is told in plain words."""

    def __getitem__(self, field: str) -> _Name:
        return _Name(self.get(field) or field.replace("_", " "))


class Said(str):
    """A sentence that names arguments, which the command line, Python and a model each call otherwise.

    As a text it names them in plain words. In the template, ``{arg[quote]}`` is the name of the field
    ``quote``, ``{arg[page_number]:3}`` is that with a value; the rest are ``facts``, which may be sentences.
    """

    _parts: tuple[str, dict[str, object]]

    def __new__(cls, template: str, names: Mapping[str, str] | None = None, /, **facts: object) -> Said:
        """The template with its facts, for somebody who has these names for the fields."""
        names = names or {}
        told = {name: each.by(names) if isinstance(each, Said) else each for name, each in facts.items()}
        said = super().__new__(cls, template.format(arg=_Names(names), **told))
        said._parts = template, facts
        return said

    def by(self, names: Mapping[str, str]) -> Said:
        """The same for somebody who has these names for the fields."""
        template, facts = self._parts
        return Said(template, names, **facts)


@contextmanager
def worded(names: Mapping[str, str]) -> Iterator[None]:
    """Have the errors of a block name arguments as its caller does: field to name, such as ``quote=``."""
    try:
        yield
    except VerifaibleError as error:
        error.args = tuple(each.by(names) if isinstance(each, Said) else each for each in error.args)
        raise


class VerifaibleError(Exception):
    """Base of the tree; ``str()`` of it is a sentence for the reader it is meant for."""

    #: Stable machine name, as it stands in records and JSON output.
    code = "error"


class UserError(VerifaibleError):
    """Something the person can put right; the command line prints it and exits with 2."""

    code = "user_error"


class ConfigError(UserError):
    """A setting is missing, malformed, or contradicts another one."""

    code = "config"


class ExtraMissing(ConfigError):
    """What is asked for needs a package that only an extra installs."""


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Around imports of packages that only an extra installs; ``what`` needs them, as a subject.

    Raises:
        ExtraMissing: one of them is not installed; says how to install the extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ExtraMissing(
            f"{what} needs a package that is not installed ({error.name}). "
            f'Run: pip install "verifaible[{extra}]".'
        ) from error


class CaseError(UserError):
    """One or more faults in case files.

    Attributes:
        faults: one ``path: message`` line for every fault found, in file order.
    """

    code = "case"

    def __init__(self, faults: list[str]) -> None:
        self.faults = list(faults)
        super().__init__(
            "\n".join(self.faults) + "\nNo case was run: correct the lines above and start again"
            " (`verifaible bench check --schema` prints the JSON Schema of a case)."
        )


class UnknownModel(UserError):
    """A model name that is neither built in, in the catalogue, nor ``provider/name``."""

    code = "unknown_model"


class MissingKey(UserError):
    """A model endpoint needs an API key that the environment does not have."""

    code = "missing_key"


class BrowserMissing(UserError):
    """No usable Chromium was found; the message says exactly what to install."""

    code = "browser_missing"


class StoreError(UserError):
    """The evidence store cannot be read or written."""

    code = "store"


class CitationNotFound(StoreError):
    """No citation with the given id is in the store."""

    code = "citation_not_found"


class CitationDeleted(CitationNotFound):
    """The citation with the given id was deleted; the message says when."""

    code = "citation_deleted"


class IntegrityError(StoreError):
    """Stored bytes differ from what was sealed."""

    code = "integrity"


class StoreReadOnly(StoreError):
    """The evidence store is read-only."""

    code = "store_read_only"


class StoreUnreachable(StoreError):
    """A store's folder, bucket or database cannot be reached now, which says nothing about its contents."""

    code = "store_unreachable"


class OlderFormat(StoreError):
    """A store, citation or export in a format that is no longer read."""

    code = "older_format"

    def __init__(self, what: str, found: int) -> None:
        super().__init__(
            f"{what} was made by verifaible 0.1 (format {found}), which this version does not read: cite "
            "again in a new store (nothing was changed)."
        )


class NewerFormat(StoreError):
    """A store, citation or capture in the format of a newer version."""

    code = "newer_format"

    def __init__(self, what: str, found: object, known: int) -> None:
        super().__init__(
            f"{what} has format {found}; this version knows formats up to {known}. Update verifaible "
            "(nothing was changed)."
        )


class RunError(UserError):
    """A bench run cannot start, or cannot go on."""

    code = "run"


class ToolError(VerifaibleError):
    """A tool call failed in a way the model can act on."""

    code = "tool_error"


class BadArguments(ToolError):
    """Arguments that do not validate; names each field and the reason."""

    code = "bad_arguments"


class AmbiguousAsset(BadArguments):
    """A name or ticker that several assets share; lists them with what tells them apart."""

    code = "ambiguous_asset"


class StepFailed(ToolError):
    """An action step failed.

    Attributes:
        index: position of the step in ``action_steps``, counted from 1.
        reason: what went wrong, without the advice.
        hung: the page did not do it in time, which a busy machine does, too.
    """

    code = "step_failed"

    def __init__(self, index: int, step_type: str, reason: str, *, hung: bool = False) -> None:
        self.hung = hung
        self.index = index
        self.step_type = step_type
        self.reason = reason
        super().__init__(
            f"Step {index} ({step_type}) failed: {reason} Every call starts from a fresh page, so "
            "correct this step and send the whole list again."
        )


class PageError(ToolError):
    """A page could not be used."""

    code = "page_error"


class PageNotLoaded(PageError):
    """A network failure, an HTTP error status, a redirect loop or a time-out.

    Attributes:
        status: the HTTP status, where one came; else 0.
        hung: the page was there and did not answer in time, which a busy machine does, too.
    """

    code = "page_not_loaded"

    def __init__(self, message: str, *, status: int = 0, hung: bool = False) -> None:
        self.status = status
        self.hung = hung
        super().__init__(message)


class PageBlocked(PageError):
    """The page that came is not the content: captcha, login, consent, soft 404, empty.

    Attributes:
        kind: what came instead, such as ``a login page``; empty where only the status says it.
        status: the HTTP status by which the server refused, else 0.
        shown: the beginning of what it says.
    """

    code = "page_blocked"

    def __init__(self, message: str, *, kind: str = "", status: int = 0, shown: str = "") -> None:
        self.kind = kind
        self.status = status
        self.shown = shown
        super().__init__(message)


class WrongContent(PageError):
    """The URL holds another kind of content than was asked for."""

    code = "wrong_content"


class DataNotAvailable(ToolError):
    """A source of data cannot give this: its key is not set, or it is not of the time in question."""

    code = "data_not_available"


class OfflineMiss(ToolError):
    """The offline archives hold no answer for a request.

    Attributes:
        url: the URL that was asked for.
        unlike: in what the request differs from the most similar recorded one; empty where there is none.
    """

    code = "offline_miss"

    def __init__(self, url: str, method: str = "GET", unlike: str = "") -> None:
        self.url = url
        self.method = method
        self.unlike = unlike
        told = (
            "Not in the offline archives: {asked}. Nothing was requested from the internet. "
            "Use an address that a search or an archived page gave, or run with {arg[--web]:live}."
        )
        super().__init__(Said(told, asked=f"{method} {url}{f' ({unlike})' if unlike else ''}"))


class UrlRefused(ToolError):
    """The URL guard refused an address; names the host and the rule, not what it resolved to."""

    code = "url_refused"


class AnchorNotFound(ToolError):
    """The quote, table cell, passage, caption or image is not on the page.

    Attributes:
        nearest: the most similar text that is on the page, or an empty string.
        difference: what the nearest text has otherwise, word by word, or an empty string.
    """

    code = "anchor_not_found"

    def __init__(self, message: str, *, nearest: str = "", difference: str = "") -> None:
        self.nearest = nearest
        self.difference = difference
        super().__init__(message)


class AnchorAmbiguous(ToolError):
    """Several places match and nothing given tells them apart.

    Attributes:
        candidates: a short context of each place.
    """

    code = "anchor_ambiguous"

    def __init__(self, message: str, *, candidates: tuple[str, ...] = ()) -> None:
        self.candidates = candidates
        super().__init__(message)


class SearchIncomplete(ToolError):
    """A page could not be looked through to its end, so nobody can say what is not on it; names the limit."""

    code = "search_incomplete"


class NotReproducible(ToolError):
    """The capture does not hold the evidence."""

    code = "not_reproducible"


class NotServed(ToolError):
    """No answer of the site holds the words: only the citation's steps or address can have written them."""

    code = "not_served"


class NoText(ToolError):
    """A PDF page, or a whole PDF, has no text layer."""

    code = "no_text"


class NoTranscript(ToolError):
    """A video has no captions that can be read; the message names the reason."""

    code = "no_transcript"


class ModelError(VerifaibleError):
    """A model endpoint did not give a usable answer.

    Attributes:
        usage: what the endpoint billed all the same, a :class:`verifaible.schema.chat.Usage`; None: nothing
            that is known.
        notes: each attempt that failed before.
    """

    code = "model_error"
    usage: Any = None
    notes: tuple[str, ...] = ()


class ModelUnreachable(ModelError):
    """No connection, or only time-outs and server errors, past the retries."""

    code = "model_unreachable"


class ModelRejected(ModelError):
    """The endpoint refused the request for a reason that asking again does not change."""

    code = "model_rejected"


class KeyRejected(ModelRejected):
    """The endpoint did not accept the API key, or the key may not use the model."""

    code = "key_rejected"


class NoCredit(ModelRejected):
    """The account behind the API key has no credit left."""

    code = "no_credit"


class ModelNotThere(ModelRejected):
    """The endpoint has no such model, or does not speak the API it was asked in."""

    code = "model_not_there"


class ContextOverflow(ModelRejected):
    """The conversation is longer than the model can read."""

    code = "context_overflow"


class ContentRefused(ModelRejected):
    """The endpoint's content policy stopped the conversation or the answer; not the model itself."""

    code = "content_refused"


class ModelAnswerInvalid(ModelError):
    """The endpoint answered something that does not follow its own protocol."""

    code = "model_answer_invalid"


class OutputCutOff(ModelAnswerInvalid):
    """The model used up its output tokens before it wrote a text or a tool call."""

    code = "output_cut_off"


class InfrastructureError(VerifaibleError):
    """The machine failed, not the model: a crashed browser, a full disk.

    Shown apart from model failures; the trial stays in the denominator.
    """

    code = "infrastructure"


class LimitReached(VerifaibleError):
    """A limit ended a trial.

    Attributes:
        limit: ``rounds``, ``tokens``, ``seconds`` or ``cost``.
    """

    code = "limit"

    def __init__(self, limit: str, message: str) -> None:
        self.limit = limit
        super().__init__(message)
