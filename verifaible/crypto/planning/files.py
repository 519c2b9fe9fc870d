"""The files of tool planning: JSON lists of prompts with calls, in the form of the paper's public files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from verifaible.crypto.planning.records import Prompt, System
from verifaible.errors import RunError
from verifaible.judge.inputs.decoding import read_bytes

_FORM = 'Give a JSON list of {"prompt": "...", "tool_call": [{"name": "...", "arguments": {}}]}.'


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """The entries of a file, in order.

    Raises:
        RunError: it cannot be read, is no such list, is empty, or has a prompt twice.
    """
    try:
        value = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is not JSON ({error}). {_FORM}") from error
    if not isinstance(value, list):
        raise RunError(f"{path} holds no list. {_FORM}")
    try:
        prompts = TypeAdapter(tuple[Prompt, ...]).validate_python(value)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place, *inner = fault["loc"]
        where = ", ".join([f"entry {int(place) + 1}", *([".".join(map(str, inner))] if inner else [])])
        raise RunError(f"{path}, {where}: {fault['msg']}. {_FORM}") from error
    if not prompts:
        raise RunError(f"{path} holds no prompt. {_FORM}")
    first: dict[str, int] = {}
    for number, each in enumerate(prompts, 1):
        if first.setdefault(each.prompt, number) != number:
            raise RunError(
                f"{path}, entry {number}: repeats the prompt of entry {first[each.prompt]}. Take one of "
                "them out."
            )
    return prompts


def read_calls(path: Path, prompts: Sequence[Prompt]) -> System:
    """What a caller called for these prompts; its name is that of the file.

    Raises:
        RunError: as :func:`read_prompts`; or it has no entry for one of the prompts.
    """
    made = {each.prompt: each.tool_call for each in read_prompts(path)}
    lacking = [each.prompt for each in prompts if each.prompt not in made]
    if lacking:
        raise RunError(
            f"{path} has no entry for {len(lacking)} of {len(prompts)} prompts, first {lacking[0][:80]!r}. "
            "Add one for each; a list of no calls says that none was made."
        )
    return System(name=path.stem, calls={each.prompt: made[each.prompt] for each in prompts})
