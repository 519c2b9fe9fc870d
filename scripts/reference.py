"""The parts of docs/ that the code knows better: ``cog`` writes them there, and a test compares them.

``make docs`` writes them anew. In a page, between HTML comments::

    <!-- [[[cog cog.out(reference.settings()) ]]] -->
    <!-- [[[end]]] -->
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast, get_args

import click
from cogapp import Cog
from pydantic.fields import FieldInfo

from verifaible import Verifaible, errors
from verifaible.cli.program import verifaible
from verifaible.config import Settings
from verifaible.schema.action import ActionStep
from verifaible.schema.case import Case
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox

ROOT = Path(__file__).resolve().parents[1]
#: What every generated part begins with.
_PROLOGUE = "import cog; from scripts import reference"
_WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}


def pages() -> list[Path]:
    """The pages of the site, with the measurements."""
    return sorted((ROOT / "docs").glob("*.md"))


def write(paths: Sequence[Path], *, check: bool = False) -> int:
    """Write the generated parts of pages anew, or only compare them; 0 if nothing changed."""
    action = "--check" if check else "-r"
    return cast(int, Cog().main(["cog", action, "-p", _PROLOGUE, *map(str, paths)]))


# --- commands, settings, errors ------------------------------------------------------------------


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by its whole name."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    if command.invoke_without_command:
        yield name, command
    context = click.Context(command)
    for below in command.commands or command.list_commands(context):
        if (found := command.get_command(context, below)) is not None and not found.hidden:
            yield from leaves(found, f"{name} {found.name}")


def commands() -> str:
    """A table for each group, with the first sentence of each command's help."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, command in leaves(verifaible, "verifaible"):
        words = name.split()
        group = words[1] if len(words) > 2 or isinstance(command, click.Group) else ""
        said = inspect.cleandoc(command.help or "").split("\n\n", 1)[0]
        groups.setdefault(group, []).append((f"`{name}`", _cell(said)))
    titles = {"": "## Everyday commands", **{name: f"## `verifaible {name}`" for name in groups if name}}
    parts = [
        f"{titles[name]}\n\n{_table(('Command', 'What it does'), groups[name])}" for name in sorted(groups)
    ]
    return "\n" + "\n".join(parts)


def options(name: str) -> str:
    """The arguments and options of a command such as ``cite``."""
    command = dict(leaves(verifaible, "verifaible"))[f"verifaible {name}"]
    rows = []
    for param in command.params:
        if isinstance(param, click.Option) and not param.hidden and param.name != "help":
            rows.append((_option(param), _cell(param.help or "")))
    return "\n" + _table((f"Option of `{name}`", "Meaning"), rows)


def _option(param: click.Option) -> str:
    long = max(param.opts, key=len)
    if param.is_flag or param.count:
        return f"`{long}`"
    kind = param.type
    value = "\\|".join(kind.choices) if isinstance(kind, click.Choice) else param.metavar or kind.name.upper()
    return f"`{long} {value.replace(' RANGE', '')}`"


def settings() -> str:
    """Each variable with its default and what the docstring of ``Settings`` says."""
    described = _attributes(Settings)
    rows = []
    for name, info in Settings.model_fields.items():
        meaning = _cell(described[name])
        rows.append((f"`VERIFAIBLE_{name.upper()}`", _default(info), meaning[:1].upper() + meaning[1:]))
    return "\n" + _table(("Variable", "Default", "Meaning"), rows)


def _attributes(kind: type) -> dict[str, str]:
    text = inspect.getdoc(kind) or ""
    return dict(re.findall(r"^ {4}(\w+): (.+?)(?=^ {4}\w+: |\Z)", text, re.MULTILINE | re.DOTALL))


def _default(info: FieldInfo) -> str:
    """The default; long lists are counted."""
    if isinstance(info.default, tuple) and len(text := ",".join(info.default)) > 0:
        return f"`{text}`" if len(text) < 40 else f"{len(info.default)} of them"
    return "" if info.default_factory or info.default in ("", None, False, ()) else f"`{info.default}`"


def error_tree() -> str:
    """The exceptions, each under the one that it is a case of."""
    kinds = [kind for kind in vars(errors).values() if _is_error(kind)]
    kinds.sort(key=lambda kind: inspect.getsourcelines(kind)[1])
    rows = []
    for kind in kinds:
        parent = "" if kind is errors.VerifaibleError else f"`{kind.__mro__[1].__name__}`"
        meaning = (inspect.getdoc(kind) or "").split("\n\n", 1)[0]
        rows.append((f"`{kind.__name__}`", parent, f"`{kind.code}`", _cell(meaning)))
    return "\n" + _table(("Error", "Is a", "Code", "Meaning"), rows)


def _is_error(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, errors.VerifaibleError)


# --- tools, cases, outputs -----------------------------------------------------------------------


def tools() -> str:
    """The six tools as a model sees them."""
    parts = []
    for spec in toolbox(cast(ToolContext, None)).specs:
        required = spec.parameters.get("required", [])
        rows = [
            _argument(name, value, name in required) for name, value in spec.parameters["properties"].items()
        ]
        table = _table(("Argument", "Type", "Default", "Meaning"), rows)
        parts.append(f"\n### `{spec.name}`\n\n{spec.description}\n\n{table}")
    return "".join(parts)


def steps() -> str:
    """The kinds of action steps with their fields; ``wait``, which most have, is named once."""
    rows = []
    for step in get_args(get_args(ActionStep)[0]):
        schema = step.model_json_schema()
        required = schema.get("required", [])
        kind = schema["properties"].pop("type")["const"]
        for name, value in schema["properties"].items():
            if name != "wait":
                rows.append((f"`{kind}`", *_argument(name, value, name in required)))
    return "\n" + _table(("Step", "Field", "Type", "Default", "Meaning"), rows)


def case_fields() -> str:
    """The fields of a case file."""
    schema = Case.model_json_schema()
    required = schema["required"]
    rows = []
    for name, info in Case.model_fields.items():
        need = "required" if name in required else ""
        rows.append((f"`{name}`", need, _cell(info.description or "")))
    return "\n" + _table(("Field", "", "Meaning"), rows)


def outputs() -> str:
    """The published JSON Schemas, each with what it says of itself."""
    rows = []
    for path in sorted((ROOT / "docs" / "schemas").glob("*.json")):
        said = json.loads(path.read_text(encoding="utf-8"))["$comment"]
        meaning = said.removeprefix("Describes ").removesuffix(".")
        rows.append((f"[`{path.stem}`](schemas/{path.name})", meaning))
    return "\n" + _table(("Schema", "Describes"), rows)


def _argument(name: str, value: dict[str, Any], required: bool) -> tuple[str, str, str, str]:
    usual = value.get("default")
    default = "required" if required else "" if usual in ("", None, [], 0) else f"`{json.dumps(usual)}`"
    return f"`{name}`", _cell(_type(name, value)), default, _cell(value.get("description", ""))


def _type(name: str, value: dict[str, Any]) -> str:
    if name == "action_steps":
        return "list of steps"
    if "anyOf" in value:
        return " or ".join(_type("", one) for one in value["anyOf"] if one.get("type") != "null")
    if "enum" in value:
        return ", ".join(f"`{one}`" for one in value["enum"])
    if value["type"] == "array":
        return f"list of {_type('', value['items'])}"
    low, high = value.get("minimum"), value.get("maximum")
    bounds = f" from {low}" if low is not None else ""
    return _WORDS[value["type"]] + bounds + (f" to {high}" if high is not None else "")


def example(name: str) -> str:
    """A program of ``examples/``, marked as a file that the reader saves."""
    program = (ROOT / "examples" / name).read_text(encoding="utf-8")
    return f"\n<!-- file: {name} -->\n```python\n{program}```\n\n"


# --- Python --------------------------------------------------------------------------------------


def client() -> str:
    """The public methods of the client: signature, meaning, arguments and errors, from their docstrings."""
    parts = []
    found = {name: each for kind in reversed(Verifaible.__mro__) for name, each in vars(kind).items()}
    for name, method in found.items():
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        said = inspect.getdoc(method) or ""
        summary, _, rest = said.partition("\n\n")
        call = ", ".join(_parameter(each) for each in list(inspect.signature(method).parameters.values())[1:])
        lists = [f"\n{_items(title, rest)}" for title in ("Args", "Raises") if f"{title}:\n" in rest]
        parts.append(f"\n### `{name}({call})`\n\n{_cell(summary)}\n{''.join(lists)}")
    return "".join(parts)


def _parameter(each: inspect.Parameter) -> str:
    stars = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
    return stars + each.name


def _items(title: str, text: str) -> str:
    body = text.partition(f"{title}:\n")[2]
    body = re.split(r"^\S", body, maxsplit=1, flags=re.MULTILINE)[0]
    found = re.findall(r"^ {4}([\w, ]+): (.+?)(?=^ {4}\S|\Z)", body, re.MULTILINE | re.DOTALL)
    lead = "Raises " if title == "Raises" else ""
    return "".join(f"- {lead}`{name.replace(', ', '`, `')}`: {_cell(said)}\n" for name, said in found)


def floors() -> str:
    """What each package is for, from the top floor down; those of one do not import each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    rows = []
    for number, floor in enumerate(contracts["contracts"][0]["layers"], start=1):
        for name in (part.strip() for part in floor.split("|")):
            said = inspect.getdoc(importlib.import_module(name)) or ""
            rows.append(
                (str(number), f"`{name.removeprefix('verifaible.')}`", _cell(said.split("\n\n", 1)[0]))
            )
    return "\n" + _table(("Floor", "Package", "What it is for"), rows)


def _cell(text: str) -> str:
    text = re.sub(r":(?:meth|class|func|mod|attr):`~?\.?(\w+)`", r"`\1`", text.replace("``", "`"))
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines) + "\n\n"


if __name__ == "__main__":
    sys.exit(write(pages(), check="--check" in sys.argv[1:]))
