"""The documents say what the code does: generated parts, commands, links, files and tables agree with it.

``make docs`` writes the generated parts anew.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast, get_args

import click
import pytest
from cogapp import Cog
from pydantic import TypeAdapter

from verifaible.anchoring.diff import render_diff, word_diff
from verifaible.archive.reader import WaczReader
from verifaible.bench import published
from verifaible.cli.bench import bench
from verifaible.cli.program import verifaible
from verifaible.config import Settings
from verifaible.schema.action import ActionStep, ActionSteps
from verifaible.schema.case import Case, Expected
from verifaible.schema.check import Verdict
from verifaible.schema.run import ScoreFacts
from verifaible.scoring import commitment, gate, verified
from verifaible.scoring.match import expectation, match_answer
from verifaible.tools.cite import CiteArguments

#: What puts the commands on the path; the file is there once the set-up has run.
ACTIVATE = ". .venv/bin/activate"
ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
PACKAGE_PAGE = ROOT / "packaging" / "README.md"
DOCUMENTS = (ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *PAGES, PACKAGE_PAGE)
NAMES = [path.relative_to(ROOT).as_posix() for path in DOCUMENTS]
#: Those that speak of what is there; a changelog names what is gone.
OF_TODAY = [name for name in NAMES if name != "CHANGELOG.md"]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
#: Folders whose files must exist where a document names them, and what is made only by using it.
_TOP = ("verifaible/", "scripts/", "tests/", "docs/", "cases/", "snapshots/")
_MADE_LATER = ("cases/my_case.json", "cases/ID.json", "snapshots/store")
#: Read by tests alone: tests/browser/viewers.py, tests/kit/public.py.
_OF_TESTS = {"VERIFAIBLE_SCREENSHOTS", "VERIFAIBLE_TEST_DATA"}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return [body for kind, body in _FENCE.findall(text) if kind == language]


def inline(text: str) -> list[str]:
    """Code spans, also those that go on in the next line."""
    return [re.sub(r"\s+", " ", span) for span in re.findall(r"`([^`]+)`", _FENCE.sub("", text))]


def table_after(name: str, start: str) -> list[list[str]]:
    """The cells of the first table behind a marker, without its header."""
    lines = text_of(name).partition(start)[2].lstrip().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def codes(cells: list[list[str]]) -> list[str]:
    """The code spans of the first column."""
    return [code for row in cells for code in re.findall(r"`([^`]+)`", row[0])]


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by its whole name."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    if command.invoke_without_command:
        yield name, command
    context = click.Context(command)
    for below in command.commands or command.list_commands(context):
        if (found := command.get_command(context, below)) is not None:
            yield from leaves(found, f"{name} {found.name}")


# --- the site ------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_generated_parts_are_what_the_code_says(page: Path) -> None:
    arguments = ["cog", "--check", "-p", "import cog; from scripts import reference", str(page)]
    assert Cog().main(arguments) == 0, "run: make docs"


def test_the_check_of_generated_parts_finds_a_fault(tmp_path: Path) -> None:
    changed = tmp_path / "settings.md"
    changed.write_text(text_of("docs/settings.md").replace("`240.0`", "`24.0`"), encoding="utf-8")
    assert (
        Cog().main(["cog", "--check", "-p", "import cog; from scripts import reference", str(changed)]) != 0
    )


def test_the_site_is_built_without_a_dead_link(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    program = Path(sys.executable).parent / "zensical"
    done = subprocess.run(
        [program, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    built = {path.parent.name for path in (tmp_path / "site").glob("*/index.html")}
    assert built >= {page.stem for page in PAGES} - {"index"}


def test_the_pages_are_those_that_were_planned() -> None:
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in PAGES)
    assert (len(PAGES), words <= 33_000) == (20, True), f"{len(PAGES)} pages, {words} words"
    listed = [row[0] for row in table_after("docs/index.md", "## Which page")]
    named = {_LINK.findall(cell)[0] for cell in listed} | {"index.md"}
    in_site = set(re.findall(r": ([\w-]+\.md)$", text_of("mkdocs.yml"), re.MULTILINE))
    assert named == in_site == {page.name for page in PAGES}


def test_the_package_page_needs_no_repository() -> None:
    assert project()["readme"] == PACKAGE_PAGE.relative_to(ROOT).as_posix()
    assert _LINK.findall(PACKAGE_PAGE.read_text(encoding="utf-8")) == []


# --- commands ------------------------------------------------------------------------------------


def check_click(command: click.Command, name: str, arguments: list[str], *, whole: bool) -> None:
    """Walk down to the command that is meant; every option must exist and take its value."""
    context = click.Context(command, info_name=name, help_option_names=["-h", "--help"])
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
    line = re.split(r" >>? ", line)[0]
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
    elif program == "python":
        assert (ROOT / "examples" / words[1]).exists(), f"{line}: no such example"
    else:
        return program in ("cp", "sed", "mv", "export")  # what the tutorials do with files
    return True


def project() -> dict[str, Any]:
    return cast(dict[str, Any], tomllib.loads(text_of("pyproject.toml"))["project"])


def options_of(module: str) -> set[str]:
    place = ROOT / module.replace(".", "/")
    source = (place / "__main__.py" if place.is_dir() else place.with_suffix(".py")).read_text(
        encoding="utf-8"
    )
    return set(re.findall(r"add_argument\(\s*\"(--[\w-]+)\"", source)) | {"--help"}


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


@pytest.mark.parametrize("name", OF_TODAY)
def test_commands_in_blocks_parse(name: str) -> None:
    """Those that tests run, and those that need the live web or a model."""
    for block in blocks(text_of(name), "sh"):
        for line in block.splitlines():
            if line.strip() and line != ACTIVATE:
                assert check_command(line, whole=True), f"{name}: not a command of this project: {line}"
    for block in blocks(text_of(name), "text"):
        for line in block.splitlines():
            if re.match(r"(verifaible|python -m verifaible\.bench) [a-z-]", line) and "…" not in line:
                check_command(line.partition(" | ")[0], whole=True)


@pytest.mark.parametrize("name", OF_TODAY)
def test_commands_in_sentences_parse(name: str) -> None:
    known = {
        option for _, command in leaves(verifaible, "") for param in command.params for option in param.opts
    }
    known |= {option for param in verifaible.params for option in param.opts} | {"--help"}
    for span in inline(text_of(name)):
        if re.match(r"(verifaible|make|python -m) ", span):
            with suppress(click.BadOptionUsage):  # an option that is named without its value
                assert check_command(span, whole=False), span
        elif span.startswith("--"):
            assert span.split()[0] in known, f"{name}: no command has {span}"


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
        "python no_example.py",
        "make coffee",
        "pip install verifaible[coffee]",
    ],
)
def test_the_check_of_commands_finds_faults(wrong: str) -> None:
    with pytest.raises((AssertionError, click.ClickException, ModuleNotFoundError)):
        check_command(wrong, whole=True)


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
    difference = render_diff(word_diff("(IORB) at 4.5 percent", "(IORB) at 5.4 percent"))
    assert difference in inline(text)


# --- links, files, settings ----------------------------------------------------------------------


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


@pytest.mark.parametrize("name", OF_TODAY)
def test_files_that_are_named_exist(name: str) -> None:
    for span in inline(text_of(name)):
        if span.startswith(_TOP) and not span.startswith(_MADE_LATER) and re.fullmatch(r"[\w./-]+", span):
            assert (ROOT / span).exists(), f"{name}: {span}"
        elif re.fullmatch(r"[a-z_]+/[a-z_]+\.py", span):
            assert (ROOT / "verifaible" / span).exists(), f"{name}: {span}"


@pytest.mark.parametrize("name", OF_TODAY)
def test_settings_that_are_named_exist(name: str) -> None:
    known = {f"VERIFAIBLE_{field.upper()}" for field in Settings.model_fields} | _OF_TESTS
    known |= {str(param.envvar) for _, command in leaves(verifaible, "") for param in command.params}
    assert set(re.findall(r"\bVERIFAIBLE_[A-Z_]+", text_of(name))) <= known


def test_the_extras_are_those_of_the_package() -> None:
    told = codes(table_after("docs/index.md", "<!-- extras -->"))
    assert sorted(told) == sorted(set(project()["optional-dependencies"]) - {"dev"})


def test_pymupdf_is_imported_where_the_readme_says() -> None:
    importing = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "verifaible").rglob("*.py"))
        if re.search(r"^\s*(import|from) (pymupdf|fitz)\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert importing == ["verifaible/extract/pdf.py"]
    assert all(f"[{path}]({path})" in text_of("README.md") for path in importing)
    assert all(f"`{path}`" in text_of("docs/index.md") for path in importing)


# --- what the documents state --------------------------------------------------------------------


def test_the_verdicts_are_those_of_the_code() -> None:
    assert codes(table_after("docs/evidence.md", "<!-- verdicts -->")) == list(get_args(Verdict))


_WRITERS = ("cite", "capture", "material", "seal", "readable")


def test_every_file_of_a_capture_is_named() -> None:
    told = {
        path.removeprefix("evidence/")
        for path in codes(table_after("docs/evidence.md", "## What a capture holds"))
    }
    sources = [ROOT / "verifaible" / "evidence" / f"{name}.py" for name in _WRITERS]
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
    assert {re.sub(r"^source\..*", "source.*", name) for name in written} <= told


def test_the_archives_are_those_that_are_there() -> None:
    told = codes(table_after("docs/live-web.md", "<!-- archives -->"))
    archives = sorted((ROOT / "snapshots" / "sites").glob("*.wacz"))
    assert sorted(told) == [path.stem for path in archives]
    for path in archives:
        with WaczReader(path) as reader:
            assert reader.metadata.synthetic, f"{path.name} is not marked as a replica"


def test_the_published_figures_are_those_of_the_data() -> None:
    assert table_after("docs/scoring.md", "<!-- published -->") == [
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
    told = re.sub(r"\s+", " ", text_of("docs/scoring.md"))
    assert f"add up to {sum(cells):,}, with {passes} passes and {full} full" in told


def test_the_points_are_those_of_the_code() -> None:
    points = [int(row[1]) for row in table_after("docs/scoring.md", "## The score")]
    assert points == [gate.ANSWER_POINTS, gate.CITATION_POINTS, gate.MARKER_POINTS, gate.TYPE_POINTS]
    told = re.sub(r"\s+", " ", text_of("docs/scoring.md"))
    assert f"at most {verified.MAX_REGION_NUMBERS} numbers" in told
    assert f"at most {commitment.MAX_COMPETING_NUMBERS} other numbers" in told


@pytest.mark.parametrize("row", table_after("docs/scoring.md", "<!-- gate -->"), ids=str)
def test_the_gate_does_what_its_table_says(row: list[str]) -> None:
    correct, citation, marker, fitting = (cell == "yes" for cell in row[:4])
    facts = ScoreFacts(
        answer_correct=correct,
        citation_created=citation,
        citation_in_text=marker,
        evidence_type_match=fitting,
    )
    scores = [gate.gated_score(facts, "answer"), gate.gated_score(facts, "citation")]
    assert scores == [int(row[4]), int(row[5])]


@pytest.mark.parametrize("row", table_after("docs/scoring.md", "<!-- matching -->"), ids=str)
def test_matching_does_what_its_table_says(row: list[str]) -> None:
    answer, said, counts, why = row
    case = Case(id="x", category="x", url="https://example.com", question="?", answer=answer)
    match = match_answer(said, expectation(case), question=case.question)
    assert ("yes" if match.correct else "no", match.explanation) == (counts, why)


def example_case() -> str:
    return blocks(text_of("docs/bench.md").split("<!-- case -->")[1], "json")[0]


def test_the_expectations_that_are_shown_validate() -> None:
    shown = [span for span in inline(text_of("docs/bench.md")) if span.startswith('{"kind"')]
    adapter: TypeAdapter[Expected] = TypeAdapter(Expected)
    assert [adapter.validate_json(span).kind for span in shown] == ["number", "text", "list"]


def test_the_example_case_validates_with_its_steps() -> None:
    case = Case.model_validate_json(example_case())
    assert case.oracle is not None
    for step in case.oracle.steps:
        assert step.tool == "verifaible_cite"
        CiteArguments.model_validate(step.arguments)


def test_the_steps_that_are_shown_validate() -> None:
    shown = blocks(text_of("docs/tools.md").split("<!-- steps -->")[1], "json")
    adapter: TypeAdapter[list[ActionStep]] = TypeAdapter(ActionSteps)
    assert [len(adapter.validate_json(text)) for text in shown] == [3]


@pytest.mark.parametrize("name", NAMES)
def test_every_example_of_code_is_checked(name: str) -> None:
    text = text_of(name)
    assert text.count("```json") == len(re.findall(r"<!-- (?:case|steps) -->\n```json", text))
    examples = {path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")}
    # That of docs/python.md is run by tests/browser/test_api.py, the others by test_walkthroughs.py.
    assert name == "docs/python.md" or set(blocks(text, "python")) <= examples
