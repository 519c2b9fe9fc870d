"""How played steps are told to a model: what each used, did, returned and changed, and why one failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifaible.schema.run import ToolReply
from verifaible.text.delimited import delimited
from verifaible.tools.presenting import one_line

if TYPE_CHECKING:
    from verifaible.errors import StepFailed
    from verifaible.schema.action import StepChanges, StepResult

#: Longest value of one ``exec_js`` that is shown.
STEP_CHARACTERS = 4_000
#: Steps of which a click or the like is expected to change something.
_ACTING = frozenset({"click", "type", "select"})


def step_lines(step: StepResult) -> list[str]:
    """What one step did, returned and changed."""
    parts = [f"Step {step.index} {step.type}: done in {step.duration_ms} ms"]
    if step.element:
        parts.append(f"element {one_line(step.element)}")
    if step.did:
        parts.append(one_line(step.did, 400))
    line = ", ".join(parts)
    if step.type == "exec_js":
        line = f"{line}, {_returned(step.value)}"
    changes = [f"  {each}" for each in change_lines(step.changes)]
    if not changes and step.type in _ACTING:
        changes = ["  no visible text, request, dialog or address changed"]
    return [line, *changes]


def _returned(value: str) -> str:
    if not value:
        return "returned undefined"
    total = len(value)
    if total <= STEP_CHARACTERS:
        return f"returned {value}"
    note = f"… (the first {STEP_CHARACTERS} of {total} characters; return less to see all)"
    return f"returned {value[:STEP_CHARACTERS]}{note}"


def change_lines(changes: StepChanges) -> list[str]:
    """What a step changed, a line for each kind of change; none where nothing did."""
    lines = []
    if changes.opened:
        lines.append(f"opened a new tab, where the next step goes on: {changes.opened}")
    if changes.navigated:
        lines.append(f"went to {changes.navigated}")
    lines += [f"dialog, accepted: {one_line(text)}" for text in changes.dialogs[:5]]
    lines += [f"download: {text}" for text in changes.downloads[:5]]
    if changes.requests:
        more = changes.request_count - len(changes.requests)
        lines.append(f"requests: {'; '.join(changes.requests)}{f'; {more} more' if more > 0 else ''}")
    lines += _text_line("text that came", changes.added, changes.added_lines)
    lines += _text_line("text that went", changes.removed, changes.removed_lines)
    return lines


def _text_line(name: str, shown: Sequence[str], count: int) -> list[str]:
    if not count:
        return []
    more = f" | … {count - len(shown)} more lines" if count > len(shown) else ""
    return [f"{name}: {' | '.join(shown)}{more}"]


def failure_reply(
    url: str, failed: StepFailed, played: Sequence[StepResult] = (), notes: Sequence[str] = ()
) -> ToolReply:
    """What a failed list of steps says: which one, what those before it did, and the reason.

    The reason quotes the page, so it stands inside the delimiters of foreign text.
    """
    head = (
        f"Error ({failed.code}): Step {failed.index} ({failed.step_type}) failed, for the reason below. "
        "Every call starts from a fresh page, so correct this step and send the whole list again."
    )
    lines = [line for step in played for line in step_lines(step)]
    lines += [*notes, f"Step {failed.index} {failed.step_type} failed: {failed.reason.rstrip()}"]
    return ToolReply(text=f"{head}\n{delimited(url, chr(10).join(lines))}", error_code=failed.code)
