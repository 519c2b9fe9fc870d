"""What a model replied, kept by the content of the question, so that a run can be repeated without a call.

A file a reply, named by its key: written whole, never changed by a later reply to the same question (of two
processes that asked at once, the first one's counts for both), and safe against a kill at any moment.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from verifaible.config import Settings
from verifaible.errors import RunError, StoreError
from verifaible.llm.base import AnswerForm, ModelClient
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage
from verifaible.store.root import Root

#: The form of the files that this version writes.
FORMAT = 1


class ModelIdentity(Record):
    """Who was asked, and how: whatever of it changes makes another judge, whose replies are its own.

    Attributes:
        slug: the model's name at its endpoint.
        host: host and port of the endpoint.
        api: the API it is asked in.
        temperature: None: not sent.
        max_output_tokens: None: not sent.
        request: further fields of every request.
    """

    slug: str
    host: str = ""
    api: str = ""
    temperature: float | None = None
    max_output_tokens: int | None = None
    request: dict[str, Any] = Field(default_factory=dict)


class KeptReply(Record):
    """A reply of a model, as it came.

    Attributes:
        key: of the question.
        text: what the model said; empty where ``error`` is set.
        error: code and sentence of what came instead of a reply and would come again: a refusal, an
            output that was used up.
        model: what the endpoint called the model.
        duration_s: how long it took.
        asked_at: when.
    """

    format: int = FORMAT
    key: str
    text: str = ""
    error: tuple[str, str] | None = None
    model: str = ""
    usage: Usage = Field(default_factory=Usage)
    duration_s: float = 0.0
    asked_at: datetime = Field(default_factory=lambda: datetime.now(UTC))


def reply_key(
    judge: ModelIdentity, system: str, user: str, form: AnswerForm, *, repeat: int, attempt: int
) -> str:
    """SHA-256 over all that decides a reply: the judge, the words, the form, and which repeat it is."""
    asked = {
        "judge": judge.model_dump(mode="json"),
        "system": system,
        "user": user,
        "form": form.model_dump(mode="json"),
        "repeat": repeat,
        "attempt": attempt,
    }
    text = json.dumps(asked, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class ReplyCache:
    """Replies in a folder, which several runs and processes may share.

    Args:
        folder: it is made by the first reply.
    """

    def __init__(self, folder: Path) -> None:
        self._files = Root(folder)
        self.folder = folder

    def get(self, key: str) -> KeptReply | None:
        """The reply that is kept for a key; None where none is, or where its file is damaged.

        Raises:
            RunError: the folder cannot be read.
        """
        try:
            data = self._files.read(self._name(key))
        except FileNotFoundError:
            return None
        except StoreError as error:
            raise self._unusable(error) from error
        try:
            kept = KeptReply.model_validate_json(data)
        except ValidationError:
            return None  # it is asked for again, and the new reply takes its place
        return kept if kept.key == key and kept.format <= FORMAT else None

    def keep(self, reply: KeptReply) -> KeptReply:
        """Keep a reply, and give the one that counts: an earlier one of another process, if there is one.

        Raises:
            RunError: the folder cannot be written.
        """
        # the format always: a later version has another default
        fields = reply.model_dump(mode="json", exclude_defaults=True) | {"format": reply.format}
        data = (json.dumps(fields, ensure_ascii=False) + "\n").encode("utf-8", "replace")
        name = self._name(reply.key)
        try:
            if not self._files.create(name, data):
                earlier = self.get(reply.key)
                if earlier is not None:
                    return earlier
                self._files.replace(name, data)
        except StoreError as error:
            raise self._unusable(error) from error
        # as it will be read again: a time or a surrogate must not differ between this run and the next
        return KeptReply.model_validate_json(data)

    def _name(self, key: str) -> str:
        return f"{key[:2]}/{key}.json"

    def _unusable(self, error: StoreError) -> RunError:
        return RunError(
            f"The replies of the judge cannot be kept in {self.folder} ({error}). Free space, correct its "
            "permissions, or name another folder."
        )


def replies_of(settings: Settings, otherwise: Path) -> ReplyCache:
    """The replies that the settings say are shared; else those in a folder of the caller's."""
    return ReplyCache(settings.replies or otherwise)


def identity_of(client: ModelClient) -> ModelIdentity:
    """Who a client asks; of a client that is none of ours, its class."""
    entry, place = getattr(client, "entry", None), getattr(client, "place", None)
    if entry is None or place is None:
        return ModelIdentity(slug=type(client).__name__)
    return ModelIdentity(
        slug=entry.slug,
        host=place.host,
        api=getattr(client, "api", ""),
        temperature=entry.temperature,
        max_output_tokens=entry.max_output_tokens,
        request=entry.request,
    )
