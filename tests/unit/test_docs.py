"""The documents say what the code does: commands parse, links lead somewhere, tables agree, examples run.

The generated tables are rewritten by ``python -m tests.unit.test_docs``. One module, although a long
one: all of it reads the same documents with the same few helpers.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast, get_args

import click
import pytest
from click.testing import CliRunner
from pydantic import TypeAdapter

from verifaible import errors
from verifaible.anchoring.diff import render_diff, word_diff
from verifaible.archive.reader import WaczReader
from verifaible.bench import published
from verifaible.browser.chromium.launch import PATH_NAMES
from verifaible.cli.bench import bench
from verifaible.cli.program import verifaible
from verifaible.config import Settings
from verifaible.console.options import SHORT_HELP
from verifaible.schema.action import ActionStep, ActionSteps
from verifaible.schema.case import Case, Expected
from verifaible.schema.check import Verdict
from verifaible.schema.run import ScoreFacts
from verifaible.scoring import commitment, gate, verified
from verifaible.scoring.match import expectation, match_answer
from verifaible.tools.cite import CiteArguments
from verifaible.tools.context import ToolContext
from verifaible.tools.registry import toolbox

#: What puts the commands on the path; the file is there once the set-up has run.
ACTIVATE = ". .venv/bin/activate"
ROOT = Path(__file__).resolve().parents[2]
PACKAGE_PAGE = ROOT / "packaging" / "README.md"
DOCUMENTS = (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")), PACKAGE_PAGE)
NAMES = [path.relative_to(ROOT).as_posix() for path in DOCUMENTS]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_GENERATED = re.compile(r"(<!-- generated: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
#: Folders whose files must exist where a document names them, and what is made only by using it.
_TOP = ("verifaible/", "scripts/", "tests/", "docs/", "cases/", "snapshots/")
_MADE_LATER = ("cases/my_case.json", "snapshots/store")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return [body for kind, body in _FENCE.findall(text) if kind == language]


def inline(text: str) -> list[str]:
    """Code spans, also those that go on in the next line."""
    return [re.sub(r"\s+", " ", span) for span in re.findall(r"`([^`]+)`", _FENCE.sub("", text))]


def table_after(text: str, start: str) -> list[list[str]]:
    """The cells of the first table behind a marker, without its header."""
    lines = text[text.index(start) + len(start) :].lstrip().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        cells = re.split(r"(?<!\\)\|", line)[1:-1]
        rows.append([cell.strip().replace("\\|", "|") for cell in cells])
    return rows[2:]


def codes(cells: list[list[str]]) -> list[str]:
    """The code spans of the first column."""
    return [code for row in cells for code in re.findall(r"`([^`]+)`", row[0])]


# --- generated tables --------------------------------------------------------------------------


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("``", "`")).strip().replace("|", "\\|")


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines) + "\n"


def render_settings() -> str:
    attributes = inspect.getdoc(Settings) or ""
    said = dict(re.findall(r"^ {4}(\w+): (.+?)(?=^ {4}\w+: |\Z)", attributes, re.MULTILINE | re.DOTALL))
    rows = []
    for name, info in Settings.model_fields.items():
        usual = ",".join(info.default) if isinstance(info.default, tuple) else info.default
        default = "" if info.default_factory or usual in ("", None) else f"`{usual}`"
        meaning = _cell(said[name]).removesuffix(".")
        rows.append((f"`VERIFAIBLE_{name.upper()}`", default, meaning))
    return _table(("Variable", "Default", "Meaning"), rows)


def render_errors() -> str:
    rows = []
    for kind in error_classes():
        parent = "" if kind is errors.VerifaibleError else f"`{kind.__mro__[1].__name__}`"
        meaning = (inspect.getdoc(kind) or "").split("\n\n", 1)[0]
        rows.append((f"`{kind.__name__}`", parent, f"`{kind.code}`", _cell(meaning)))
    return _table(("Error", "Is a", "Code", "Meaning"), rows)


def error_classes() -> list[type[errors.VerifaibleError]]:
    found = [
        value
        for value in vars(errors).values()
        if inspect.isclass(value) and issubclass(value, errors.VerifaibleError)
    ]
    return sorted(found, key=lambda kind: inspect.getsourcelines(kind)[1])


def render_tools() -> str:
    parts = []
    for spec in toolbox(cast(ToolContext, None)).specs:
        needed = spec.parameters.get("required", [])
        rows = [
            _argument(name, value, name in needed) for name, value in spec.parameters["properties"].items()
        ]
        table = _table(("Argument", "Type", "Default", "Meaning"), rows)
        parts.append(f"\n## `{spec.name}`\n\n{spec.description}\n\n{table}")
    return "".join(parts).removeprefix("\n")


def render_steps() -> str:
    rows = []
    for step in get_args(get_args(ActionStep)[0]):
        schema = step.model_json_schema()
        kind = schema["properties"]["type"]["const"]
        for name, value in schema["properties"].items():
            if name != "type":
                rows.append((f"`{kind}`", *_argument(name, value, name in schema.get("required", []))))
    return _table(("Step", "Field", "Type", "Default", "Meaning"), rows)


def _argument(name: str, value: dict[str, Any], needed: bool) -> tuple[str, str, str, str]:
    default = "required" if needed else "" if value.get("default") in ("", None, []) else None
    shown = default if default is not None else f"`{json.dumps(value['default'])}`"
    return f"`{name}`", _cell(_type(name, value)), shown, _cell(value.get("description", ""))


def _type(name: str, value: dict[str, Any]) -> str:
    if name == "action_steps":
        return "list of steps"
    if "anyOf" in value:
        return " or ".join(_type("", one) for one in value["anyOf"] if one.get("type") != "null")
    if "enum" in value:
        return ", ".join(f"`{one}`" for one in value["enum"])
    words = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    if value["type"] == "array":
        return f"list of {_type('', value['items'])}"
    low, high = value.get("minimum"), value.get("maximum")
    limits = f" from {low}" if low is not None else ""
    return words[value["type"]] + limits + (f" to {high}" if high is not None else "")


def commands_of(group: click.Group) -> list[click.Command]:
    context = click.Context(group)
    names = group.commands or group.list_commands(context)  # in the order in which they were written
    found = (group.get_command(context, name) for name in names)
    return [command for command in found if command is not None]


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by its whole name."""
    if isinstance(command, click.Group):
        if command.invoke_without_command:
            yield name, command
        for below in commands_of(command):
            yield from leaves(below, f"{name} {below.name}")
    else:
        yield name, command


def render_commands() -> str:
    rows = []
    for name, command in leaves(verifaible, "verifaible"):
        said = inspect.cleandoc(command.help or "").split("\n\n", 1)[0]
        rows.append((f"`{name}`", _cell(said)))
    return _table(("Command", "What it does"), rows)


RENDERERS = {
    "commands": render_commands,
    "settings": render_settings,
    "errors": render_errors,
    "tools": render_tools,
    "steps": render_steps,
}


def regenerated(text: str) -> str:
    """A document with its generated parts made anew."""
    return _GENERATED.sub(lambda found: f"{found[1]}\n{RENDERERS[found[2]]()}\n{found[4]}", text)


@pytest.mark.parametrize("name", NAMES)
def test_generated_tables_are_what_the_code_says(name: str) -> None:
    assert text_of(name) == regenerated(text_of(name)), "run: python -m tests.unit.test_docs"


def test_each_generated_table_is_somewhere() -> None:
    used = {kind for name in NAMES for _, kind, _, _ in _GENERATED.findall(text_of(name))}
    assert used == set(RENDERERS)


# --- commands ----------------------------------------------------------------------------------


def check_click(command: click.Command, name: str, arguments: list[str], *, whole: bool) -> None:
    """Walk down to the command that is meant; every option must exist and take its value."""
    context = click.Context(command, info_name=name, **SHORT_HELP)  # click keeps how help was asked for first
    given, rest, _ = command.make_parser(context).parse_args(list(arguments))
    options = {param.name: param for param in command.params}
    for key, value in given.items():
        if key == "_click_default_help":  # --help is the parser's own; unknown options have failed by now
            continue
        kind = options[key].type
        values = value if isinstance(value, list | tuple) else [value]
        for one in values:
            if isinstance(kind, click.Choice):
                assert not isinstance(one, str) or one in kind.choices, f"{name}: --{key} {one}"
    if isinstance(command, click.Group):
        if rest:
            below = command.get_command(context, rest[0])
            assert below is not None, f"{name} has no command {rest[0]}"
            check_click(below, f"{name} {rest[0]}", rest[1:], whole=whole)
        return
    assert not rest, f"{name}: too much: {rest}"
    # What was not given is a sentinel of click's, and no text.
    words = {name: value for name, value in given.items() if value and isinstance(value, str | tuple)}
    missing = [param.name for param in command.params if param.required and param.name not in words]
    assert not (whole and missing), f"{name} lacks {missing}"


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):(?!=)", text_of("Makefile"), re.MULTILINE))


def check_command(line: str, *, whole: bool) -> bool:
    """Check one command line; False where it is no command of ours."""
    words = shlex.split(line)
    words = words[words.index("|") + 1 :] if "|" in words else words  # what is piped into it is not ours
    program = words[0].removeprefix(".venv/bin/")
    if program == "verifaible":
        check_click(verifaible, "verifaible", words[1:], whole=whole)
    elif program == "make":
        targets = [word for word in words[1:] if "=" not in word]
        assert set(targets) <= make_targets(), f"{line}: no such target"
    elif program == "pip":
        extras = {name for group in re.findall(r"\[([\w,]+)\]", line) for name in group.split(",")}
        assert words[1] == "install" and extras <= set(project()["optional-dependencies"]), line
    elif program in ("python", "python3") and words[1:2] == ["-m"]:
        if words[2] == "verifaible.bench":
            check_click(bench, "bench", words[3:], whole=whole)
        else:
            assert importlib.util.find_spec(words[2]) is not None, f"{line}: no such module"
            if words[2].startswith("scripts."):
                known = options_of(words[2])
                assert {word for word in words[3:] if word.startswith("--")} <= known, line
            for path in (word for word in words[3:] if "/" in word):
                assert (ROOT / path).exists(), f"{line}: {path} is not there"
    else:
        return False
    return True


def project() -> dict[str, Any]:
    return cast(dict[str, Any], tomllib.loads(text_of("pyproject.toml"))["project"])


def options_of(module: str) -> set[str]:
    place = ROOT / module.replace(".", "/")
    source = (place / "__main__.py" if place.is_dir() else place.with_suffix(".py")).read_text(
        encoding="utf-8"
    )
    return set(re.findall(r"add_argument\(\s*\"(--[\w-]+)\"", source)) | {"--help"}


def click_options(command: click.Command) -> Iterator[str]:
    for param in command.params:
        yield from (*param.opts, *param.secondary_opts)
    if isinstance(command, click.Group):
        for below in commands_of(command):
            yield from click_options(below)


@pytest.mark.parametrize(("name", "command"), list(leaves(verifaible, "verifaible")), ids=str)
def test_each_command_has_json_and_an_example(name: str, command: click.Command) -> None:
    options = {option for param in command.params for option in param.opts}
    # A protocol and a schema are data already; a server prints its address.
    if name.rsplit(maxsplit=1)[-1] not in ("mcp", "serve", "schema"):
        assert "--json" in options, f"{name} has no --json"
    told = f"{command.help or ''}\n{command.epilog or ''}"
    examples = re.findall(r"^ +((?:verifaible|python -m verifaible\.bench) .*)$", told, re.MULTILINE)
    assert examples, f"{name} shows no example"
    for example in examples:
        assert check_command(example.partition(" > ")[0].partition(" | ")[0], whole=True), example


@pytest.mark.parametrize("name", NAMES)
def test_commands_in_blocks_parse(name: str) -> None:
    for block in blocks(text_of(name), "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            if line.strip() and not line.startswith("#") and line != ACTIVATE:
                assert check_command(line, whole=True), f"{name}: not a command of this project: {line}"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "CHANGELOG.md"])  # it names what is gone
def test_commands_in_sentences_parse(name: str) -> None:
    known = {*click_options(verifaible), "--help"}
    for span in inline(text_of(name)):
        if re.match(r"(verifaible|make|python -m) ", span):
            assert check_command(span.replace("NAME", "glm-5"), whole=False), span
        elif span.startswith("--"):
            assert span.split()[0] in known, f"{name}: no command has {span}"


def test_the_picture_the_installation_a_citation_and_a_refusal_lead_the_readme() -> None:
    text = text_of("README.md")
    places = [
        text.index(each)
        for each in ("](docs/citation.png)", "\nverifaible setup\n", "\nverifaible cite ", "⟦", "[-4.5-]")
    ]
    assert places == sorted(places)
    assert len(text[: places[-1]].splitlines()) < 50
    assert "Similarity finds a place, it never accepts one." in text
    assert len(text.split()) <= 700


def test_the_extras_are_those_of_the_package() -> None:
    told = codes(table_after(text_of("docs/install.md"), "<!-- extras -->"))
    assert sorted(told) == sorted(set(project()["optional-dependencies"]) - {"dev"})


def test_the_package_page_needs_no_repository() -> None:
    assert project()["readme"] == PACKAGE_PAGE.relative_to(ROOT).as_posix()
    assert _LINK.findall(PACKAGE_PAGE.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "wrong",
    [
        "verifaible cite https://example.com --quotes x",
        "verifaible forget ID",
        "verifaible replay --al",
        "verifaible cite https://example.com --web record",
        "python -m verifaible.bench --modle oracle",
        "python -m verifaible.nothing_there",
        "python -m scripts.replica --chek",
        "make coffee",
        "pip install verifaible[coffee]",
    ],
)
def test_the_check_of_commands_finds_faults(wrong: str) -> None:
    with pytest.raises((AssertionError, click.ClickException, ModuleNotFoundError)):
        check_command(wrong, whole=True)


# --- links, files, settings --------------------------------------------------------------------


def anchors(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", _FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", NAMES)
def test_relative_links_lead_somewhere(name: str) -> None:
    for link in _LINK.findall(_FENCE.sub("", text_of(name))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists(), f"{name}: {link}"
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), f"{name}: {link}"


@pytest.mark.parametrize("name", NAMES)
def test_files_that_are_named_exist(name: str) -> None:
    for span in inline(text_of(name)):
        if span.startswith(_TOP) and not span.startswith(_MADE_LATER) and re.fullmatch(r"[\w./-]+", span):
            assert (ROOT / span).exists(), f"{name}: {span}"
        elif re.fullmatch(r"[a-z_]+/[a-z_]+\.py", span):
            assert (ROOT / "verifaible" / span).exists(), f"{name}: {span}"


def test_every_document_can_be_reached_from_the_readme() -> None:
    linked = {link.partition("#")[0] for link in _LINK.findall(text_of("README.md"))}
    mine = {
        "architecture",
        "bench",
        "models",
        "evidence",
        "tools",
        "cases",
        "scoring",
        "offline-web",
        "settings",
        "errors",
        "security",
        "viewer",
        "commands",
        "install",
        "python",
        "mcp",
        "answers",
    }
    assert {f"docs/{name}.md" for name in mine} <= linked


@pytest.mark.parametrize("name", [name for name in NAMES if name != "CHANGELOG.md"])  # it names what is gone
def test_settings_that_are_named_exist(name: str) -> None:
    known = {f"VERIFAIBLE_{field.upper()}" for field in Settings.model_fields}
    known |= {str(param.envvar) for _, command in leaves(verifaible, "") for param in command.params}
    known |= {
        "VERIFAIBLE_SCREENSHOTS",
        "VERIFAIBLE_TEST_DATA",
    }  # tests/browser/viewers.py, tests/kit/public.py
    assert set(re.findall(r"\bVERIFAIBLE_[A-Z_]+", text_of(name))) <= known


def test_chromium_is_looked_for_where_the_code_does() -> None:
    step = text_of("docs/install.md").split("Playwright's own;")[1].split("Where there is none")[0]
    assert tuple(inline(step)) == (*PATH_NAMES, "PATH")


# --- what the documents state --------------------------------------------------------------------


def test_the_floors_are_those_of_the_contract() -> None:
    contract = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["contracts"][0]
    layers = [part.strip() for layer in contract["layers"] for part in layer.split("|")]
    there = [name.removeprefix("verifaible.") for name in layers if not name.startswith("(")]
    told = re.findall(r"^\*\*`(\w+)`\*\*", text_of("docs/architecture.md"), re.MULTILINE)
    assert sorted(told) == sorted(there)
    of_one_line = [
        {p.strip().removeprefix("verifaible.") for p in layer.split("|")} for layer in contract["layers"]
    ]
    heights = [next(i for i, line in enumerate(of_one_line) if name in line) for name in told]
    assert heights == sorted(heights)


def test_the_verdicts_are_those_of_the_code() -> None:
    assert codes(table_after(text_of("docs/evidence.md"), "<!-- verdicts -->")) == list(get_args(Verdict))


_WRITERS = ("cite", "capture", "material", "seal", "readable")


def test_the_files_of_a_capture_are_those_that_are_written() -> None:
    told = set(codes(table_after(text_of("docs/evidence.md"), "named by its own SHA-256:")))
    told = {
        path.removeprefix("evidence/")
        for path in told
        if path.count("/") == 0 or path.startswith("evidence/")
    }
    told -= {"datapackage.json", "datapackage-digest.json"}
    rooms = ROOT / "verifaible" / "evidence"
    sources = [path for name in _WRITERS for path in rooms.glob(f"{name}.py")]
    assert len(sources) == len(_WRITERS)
    sources.append(ROOT / "verifaible" / "extract" / "snapshot.py")  # it names its own file
    literals = {
        node.value
        for source in sources
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    written = {
        text for text in literals if re.fullmatch(r"[a-z]+\.(json|png|txt|html|md|csv|xml|pdf|bin)", text)
    }
    assert told == written


def test_the_archives_are_those_that_are_there() -> None:
    told = codes(table_after(text_of("docs/offline-web.md"), "## The archives are replicas"))
    archives = sorted((ROOT / "snapshots" / "sites").glob("*.wacz"))
    assert sorted(told) == [path.stem for path in archives]
    for path in archives:
        with WaczReader(path) as reader:
            assert reader.metadata.synthetic, f"{path.name} is not marked as a replica"


def test_pymupdf_is_imported_where_the_readme_says() -> None:
    importing = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "verifaible").rglob("*.py"))
        if re.search(r"^\s*(import|from) (pymupdf|fitz)\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert importing == ["verifaible/extract/pdf.py"]
    assert all(f"[{path}]({path})" in text_of("README.md") for path in importing)


def test_the_refusal_in_the_readme_is_what_the_code_says() -> None:
    difference = render_diff(word_diff("(IORB) at 4.5 percent", "(IORB) at 5.4 percent"))
    assert difference in inline(text_of("README.md"))


# --- scores ------------------------------------------------------------------------------------


def test_the_published_figures_are_those_of_the_data() -> None:
    text = text_of("docs/scoring.md")
    rows = table_after(text, "## The published figures")
    assert rows == [
        [
            m.name,
            f"{m.printed_total:,}",
            f"{m.printed_average:.1f}",
            f"{m.printed_passed}/21",
            f"{m.printed_full}/21",
        ]
        for m in published.MODELS
    ]
    cells = published.published_scores("DeepSeek-R1").values()
    passes, full = sum(cell > 0 for cell in cells), sum(cell == 100 for cell in cells)
    assert f"add up to {sum(cells):,}, with {passes} passes and {full} full" in re.sub(r"\s+", " ", text)


def test_the_points_are_those_of_the_code() -> None:
    points = [int(row[1]) for row in table_after(text_of("docs/scoring.md"), "## The score")]
    assert points == [gate.ANSWER_POINTS, gate.CITATION_POINTS, gate.MARKER_POINTS, gate.TYPE_POINTS]
    told = re.sub(r"\s+", " ", text_of("docs/scoring.md"))
    assert f"at most {verified.MAX_REGION_NUMBERS} numbers" in told
    assert f"at most {commitment.MAX_COMPETING_NUMBERS} other numbers" in told


@pytest.mark.parametrize("row", table_after(text_of("docs/scoring.md"), "<!-- gate -->"), ids=str)
def test_the_gate_does_what_its_table_says(row: list[str]) -> None:
    correct, citation, marker, fitting = (cell == "yes" for cell in row[:4])
    facts = ScoreFacts(
        answer_correct=correct,
        citation_created=citation,
        citation_in_text=marker,
        evidence_type_match=fitting,
    )
    assert [gate.gated_score(facts, "answer"), gate.gated_score(facts, "citation")] == [
        int(row[4]),
        int(row[5]),
    ]


@pytest.mark.parametrize("row", table_after(text_of("docs/scoring.md"), "<!-- matching -->"), ids=str)
def test_matching_does_what_its_table_says(row: list[str]) -> None:
    answer, said, counts, why = row
    case = Case(id="x", category="x", url="https://example.com", question="?", answer=answer)
    match = match_answer(said, expectation(case), question=case.question)
    assert ("yes" if match.correct else "no", match.explanation) == (counts, why)


# --- cases and steps -----------------------------------------------------------------------------


def example_case() -> str:
    return blocks(text_of("docs/cases.md").split("<!-- case -->")[1], "json")[0]


def test_the_fields_of_a_case_are_those_of_the_model() -> None:
    text = text_of("docs/cases.md")
    assert codes(table_after(text, "<!-- fields -->")) == list(Case.model_fields)
    required = next(
        line for line in text.splitlines() if line.endswith("are required. Unknown fields are errors.")
    )
    assert set(inline(required)) == {name for name, info in Case.model_fields.items() if info.is_required()}


def test_the_expectations_that_are_shown_validate() -> None:
    shown = [span for span in inline(text_of("docs/cases.md")) if span.startswith('{"kind"')]
    adapter: TypeAdapter[Expected] = TypeAdapter(Expected)
    assert [adapter.validate_json(span).kind for span in shown] == ["number", "text", "list"]


def test_the_example_case_validates_with_its_steps() -> None:
    case = Case.model_validate_json(example_case())
    assert case.oracle is not None
    for step in case.oracle.steps:
        assert step.tool == "verifaible_cite"
        CiteArguments.model_validate(step.arguments)


def test_the_grades_that_are_shown_are_what_the_command_prints(tmp_path: Path) -> None:
    (tmp_path / "my_case.json").write_text(example_case(), encoding="utf-8")
    shown = re.findall(
        r"<!-- grade: (\w+): (.+?) -->\n```text\n(.*?)```", text_of("docs/cases.md"), re.DOTALL
    )
    assert len(shown) == 2
    for case, answer, output in shown:
        arguments = ["grade", case, "--answer", answer, "--cases", str(tmp_path)]
        assert CliRunner().invoke(bench, arguments).output == output


def test_the_steps_that_are_shown_validate() -> None:
    shown = blocks(text_of("docs/tools.md").split("<!-- steps -->")[1], "json")
    adapter: TypeAdapter[list[ActionStep]] = TypeAdapter(ActionSteps)
    assert [len(adapter.validate_json(text)) for text in shown] == [3]


@pytest.mark.parametrize("name", NAMES)
def test_every_json_example_is_checked(name: str) -> None:
    text = text_of(name)
    assert text.count("```json") == len(re.findall(r"<!-- (?:case|steps) -->\n```json", text))
    # Those of that page are run by tests/browser/test_api.py.
    assert name == "docs/python.md" or "```python" not in text, "no Python example is run by these tests"


if __name__ == "__main__":
    for document in DOCUMENTS:
        document.write_text(regenerated(document.read_text(encoding="utf-8")), encoding="utf-8")
