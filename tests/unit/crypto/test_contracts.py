"""Contracts: verified source, findings at their lines, review, report; and no source does harm."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner

from tests.kit.suites import Row, load
from tests.unit.crypto.working import NOW, REPOSITORY, archives, provider, store_in
from verifaible.crypto.cli import crypto
from verifaible.crypto.contracts.compiling import (
    MOST_BYTES,
    Bounds,
    Compiler,
    Unanalysed,
    fitting,
    network_cut,
    placed,
    run_confined,
    standard_json,
)
from verifaible.crypto.contracts.report import Analysis, report
from verifaible.crypto.contracts.review import without_comments
from verifaible.crypto.contracts.slither import (
    Detection,
    Finding,
    Place,
    Programs,
    input_sha256,
    read_result,
    run_slither,
)
from verifaible.crypto.contracts.source import Fetched, SourceFile, Sources, VerifiedContract, verified_source
from verifaible.crypto.contracts.tool import RECORDED, deployment, tools
from verifaible.crypto.sources import SourceBook
from verifaible.crypto.tools.api import Api
from verifaible.errors import DataNotAvailable, ToolError, WrongContent
from verifaible.evidence.sources import SourceOrigin, SourceTexts
from verifaible.llm.scripted import ScriptedModel
from verifaible.schema.chat import ModelTurn
from verifaible.schema.run import ToolReply
from verifaible.text.json_pointer import value_spans
from verifaible.tools.toolbox import Toolbox

LINK = "0x514910771AF9Ca656af840dff83E8264EcF986CA"
OTHER = "0x00000000000000000000000000000000000000aa"
NOTHING = Programs(None, None, ())


def rows(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", load("crypto/contracts", kind=kind), ids=lambda row: row.id)


def session(folder: Path, **more: Any) -> Api:
    origin = SourceOrigin(kind="trial", name="test", sha256="0" * 64)
    return Api(archives(), SourceBook(store_in(folder), origin), NOW, **more)


async def analysed(api: Api, symbol: str, *said: str) -> ToolReply:
    model = ScriptedModel([ModelTurn(text=each) for each in said])
    (tool,) = tools(api, model if said else None)
    return await Toolbox([tool]).call("contractAnalysisTool", json.dumps({"symbol": symbol}))


def contract(files: Mapping[str, str], **more: Any) -> VerifiedContract:
    kept = tuple(SourceFile(path=path, content=text, pointer="") for path, text in files.items())
    facts = {"chain": 1, "address": LINK, "provider": "test", "source": "src_1", "compiler": "0.8.28"}
    return VerifiedContract(files=kept, **{**facts, **more})


# --- the tool over the archives


async def test_a_finding_is_told_with_its_lines_and_each_number_stands_in_what_is_sealed(
    tmp_path: Path,
) -> None:
    api = session(tmp_path)
    reply = await analysed(api, "LINK")
    assert not reply.error_code, reply.text
    (display,) = reply.displays
    assert display.kind == "report"
    for words in (
        "1 [calc_1] of impact Medium",
        "divide-before-multiply",
        "contracts/LinkToken.sol, line 42 [src_1]",
        "42:         uint256 share = balanceOf[holder] / totalSupply;",
        "recorded before, not run now",
        "Made up: a replica",
        "## Not looked at",
        "Arbitrum One",
    ):
        assert words in display.markdown.replace("\\", ""), words
    assert "divide-before-multiply" in reply.text
    texts = SourceTexts(api.book.store)
    by_mark = {source.id: texts.text(source) for source in api.book.sources}
    assert api.points
    for point in api.points:
        start, end = value_spans(by_mark[point.source])[point.pointer]
        assert by_mark[point.source][start:end] == str(point.value)
    counted = api.computed[0]
    assert (counted.function, counted.result, counted.field) == ("count", Decimal(1), "findings_medium")


async def test_the_lines_of_a_finding_are_those_of_the_sealed_source(tmp_path: Path) -> None:
    api = session(tmp_path)
    fetched = await verified_source(api, 1, LINK, Sources())
    answer = await api.get("Slither", f"{RECORDED}/{input_sha256(fetched.contract)}.json")
    (finding,) = read_result(answer.body, fetched.contract).findings
    place = finding.places[0]
    sealed = json.loads(SourceTexts(api.book.store).text(api.book.sources[0]))
    for part in place.pointer.split("/")[1:]:
        assert isinstance(sealed, dict)
        sealed = sealed[part.replace("~1", "/").replace("~0", "~")]
    assert isinstance(sealed, str)
    assert "/ totalSupply" in sealed.split("\n")[place.start - 1]
    assert json.loads(answer.body)["result"]["results"]["detectors"][int(finding.pointer.rpartition("/")[2])]


async def test_a_source_verified_later_than_is_asked_about_is_refused(tmp_path: Path) -> None:
    early = NOW.replace(year=2024, month=1)
    reply = await analysed(session(tmp_path, as_of=early), "LINK")
    assert reply.error_code == "data_not_available"
    assert "present only" in reply.text
    assert not (await analysed(session(tmp_path / "2", as_of=NOW), "LINK")).error_code


@rows("refused")
async def test_what_has_no_source_says_why(row: Row, tmp_path: Path) -> None:
    reply = await analysed(session(tmp_path), row.input["symbol"])
    assert reply.error_code == row.expect["code"], reply.text
    assert row.expect["said"] in reply.text


@rows("chain")
def test_contract_is_on_the_chain_that_is_named(row: Row) -> None:
    assert deployment(row.input["written"]).chain == row.expect["chain"]


@rows("review")
async def test_a_doubt_counts_with_a_quote_of_the_code_and_removes_nothing(row: Row, tmp_path: Path) -> None:
    body = (await analysed(session(tmp_path), "LINK", row.input["said"])).displays[0].markdown
    assert ("| likely false |" in body) is row.expect["doubted"]
    assert ("calls 1 likely false" in body) is row.expect["doubted"]
    assert "### F1: divide-before-multiply" in body.replace("\\", "")


def test_the_command_prints_the_report_and_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFAIBLE_HOME", str(REPOSITORY))
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))
    printed = CliRunner().invoke(crypto, ["contract", "LINK", "--web", "offline"]).output
    assert "divide-before-multiply" in printed
    assert "[src_2] Slither" in printed
    failed = CliRunner().invoke(crypto, ["contract", "PEPE", "--web", "offline"])
    assert "No verified source" in str(failed.exception)
    assert CliRunner().invoke(crypto, ["contract", " ", "--web", "offline"]).exit_code == 2


def test_comments_are_blank_and_nothing_moves() -> None:
    code = "a = \"// no comment\"; // gone\n/* gone\n too */ b = '/*'; c; /* open"
    told = without_comments(code)
    assert len(told) == len(code)
    assert told.count("\n") == code.count("\n")
    assert "gone" not in told and "too" not in told and "open" not in told
    assert '"// no comment"' in told and "b = '/*'; c;" in told


def test_words_of_a_source_are_shown_as_they_are_and_a_live_network_is_told() -> None:
    line = "x = 1; // ````` </code><script>alert(1)</script>"
    odd = contract({"a|b<img>.sol": f"{line}\n" * 20}, name="[A](https://x)")
    finding = Finding(
        id="F1",
        detector="tx-origin",
        impact="Medium",
        confidence="High",
        description="<b>@somebody</b> # heading",
        places=(Place(path="a|b<img>.sol", start=1, end=12, kind="function"),),
        pointer="/result",
    )
    detection = Detection(findings=(finding,), slither="0.11.6", source="src_2")
    body = report(
        Analysis(asked="X", contract=odd, proxy=None, detection=detection, review="", counts={"Medium": "1"})
    )
    assert "run now with the network not cut off" in body
    assert "\n``````\n1: x = 1;" in body
    assert "8: x = 1;" in body
    assert "9: x = 1;" not in body
    outside = re.sub(r"\n``````\n.*?\n``````\n", "", body, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)<(?!!--)|(?<!\\)\]\(", outside)


# --- hostile sources


@rows("name")
def test_every_file_is_placed_below_the_folder_of_sources(row: Row) -> None:
    if row.expect["placed"]:
        assert placed(row.input["path"]) == row.expect["placed"]
        return
    with pytest.raises(WrongContent, match="not analysed"):
        standard_json(contract({row.input["path"]: "contract A {}"}))


@rows("compiler")
def test_the_compiler_is_the_same_version_or_the_next_of_its_series(row: Row) -> None:
    there = [Compiler(version, Path("x")) for version in ("0.4.26", "0.8.9", "0.8.28", "0.8.20")]
    chosen = fitting(row.input["wanted"], there)
    assert (chosen.version if chosen else "") == row.expect["version"]


@pytest.mark.parametrize(
    "files",
    [
        {"a.sol": "", "./a.sol": ""},
        {"a.sol": "", "a.sol/b.sol": ""},
        {f"{number}.sol": "" for number in range(1001)},
        {"a.sol": "x" * (MOST_BYTES + 1)},
    ],
    ids=["twice", "file and folder", "many", "large"],
)
def test_sources_that_do_not_fit_a_folder_are_refused(files: dict[str, str]) -> None:
    with pytest.raises(WrongContent):
        standard_json(contract(files))


async def test_what_cannot_be_analysed_says_what_to_do() -> None:
    cases = [
        (contract({"a.vy": ""}, language="Vyper"), NOTHING, "Vyper"),
        (contract({"../a.sol": ""}), NOTHING, "leads out"),
        (contract({"a.sol": ""}), NOTHING, "VERIFAIBLE_SLITHER"),
        (contract({"a.sol": ""}), Programs(Path("/x"), None, ()), "Node.js"),
        (contract({"a.sol": ""}), Programs(Path("/x"), Path("/y"), ()), "npm install"),
    ]
    for given, programs, words in cases:
        with pytest.raises(Unanalysed, match=words):
            await run_slither(given, programs)


async def test_a_program_is_stopped_with_all_that_it_started(tmp_path: Path) -> None:
    started = "/bin/sleep 600 & echo $! > child; /bin/sleep 600"
    ran = await run_confined(["/bin/sh", "-c", started], tmp_path, Bounds(seconds=3))
    assert ran.code is None
    child = int((tmp_path / "child").read_text())
    async with asyncio.timeout(60):
        while runs(child):  # noqa: ASYNC110 - the signal is on its way
            await asyncio.sleep(0.01)


def runs(process: int) -> bool:
    try:
        return bool(psutil.Process(process).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


async def test_a_program_has_bounded_files_and_memory_and_no_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setenv("VERIFAIBLE_API_KEY", "secret-of-mine")
    bounds = Bounds(seconds=60, memory_mb=300, file_mb=1)
    ran = await run_confined(["/bin/sh", "-c", "export"], tmp_path, bounds)
    assert "secret-of-mine" not in ran.said
    for code in ("open('big', 'wb').write(bytes(3 * 2**20))", "bytearray(500 * 2**20)"):
        ran = await run_confined([sys.executable, "-S", "-c", code], tmp_path, bounds)
        assert ran.code != 0
    assert (tmp_path / "big").stat().st_size <= 2**20
    if network_cut():
        code = "import socket; socket.create_connection(('127.0.0.1', 1))"
        ran = await run_confined([sys.executable, "-S", "-c", code], tmp_path, bounds)
        assert "unreachable" in ran.said


# --- other answers of providers


def sourcify(**more: Any) -> dict[str, Any]:
    base = {
        "match": "match",
        "verifiedAt": "2024-01-01T00:00:00Z",
        "sources": {"A.sol": {"content": "contract A {}"}},
        "compilation": {"language": "Solidity", "compilerVersion": "0.8.28+commit.1", "name": "A"},
        "proxyResolution": {"isProxy": False, "implementations": []},
    }
    return {**base, **more}


async def test_the_contract_behind_a_proxy_is_named_and_analysed(tmp_path: Path) -> None:
    behind = sourcify(compilation={"language": "Vyper", "compilerVersion": "0.3.7", "name": "Behind"})
    proxy = sourcify(
        proxyResolution={
            "isProxy": True,
            "implementations": [{"address": OTHER}, {"address": LINK}, {"address": "`<b>"}],
        }
    )

    def answer(path: str) -> Any:
        return 200, {}, json.dumps(behind if OTHER in path else proxy)

    with provider(answer, tmp_path) as data:
        (tool,) = tools(data.api, None, Sources(sourcify=data.url))
        reply = await Toolbox([tool]).call("contractAnalysisTool", json.dumps({"symbol": LINK}))
    body = reply.displays[0].markdown
    assert "hands its calls to" in body
    assert "Behind" in body
    assert "only Solidity is analysed" in body
    assert f"The further implementation `{LINK}`" in body
    assert "<b>" not in body
    assert len(reply.displays[0].sources) == 2


async def test_a_proxy_whose_implementation_has_no_source_says_so(tmp_path: Path) -> None:
    proxy = sourcify(proxyResolution={"isProxy": True, "implementations": [{"address": OTHER}]})

    def answer(path: str) -> Any:
        return (404, {}, '{"match": null}') if OTHER in path else (200, {}, json.dumps(proxy))

    with provider(answer, tmp_path) as data:
        (tool,) = tools(data.api, None, Sources(sourcify=data.url))
        reply = await Toolbox([tool]).call("contractAnalysisTool", json.dumps({"symbol": LINK}))
    body = reply.displays[0].markdown
    assert f"`{LINK}` is a proxy itself" in body
    assert f"The implementation `{OTHER}`: No verified source" in body


async def of_etherscan(result: Any, status: int, folder: Path) -> Fetched:
    """What is read where Sourcify answers with an error, and Etherscan with a result."""
    known = {"ABI": "[]", "ContractName": "A", "CompilerVersion": "v0.6.12+commit.1", "Proxy": "0"}
    told = [{**known, **each} for each in result] if isinstance(result, list) else result

    def answer(path: str) -> Any:
        if "/v2/contract/" in path:
            return status, {}, '{"match": null}'
        assert "apikey=hidden" in path
        return 200, {}, json.dumps({"status": "1", "message": "OK", "result": told})

    with provider(answer, folder) as data:
        sources = Sources(sourcify=data.url, etherscan=f"{data.url}/api", key="hidden")
        return await verified_source(data.api, 1, LINK, sources)


@rows("etherscan")
@pytest.mark.parametrize("status", [404, 503])
async def test_etherscan_is_asked_where_sourcify_has_none(row: Row, status: int, tmp_path: Path) -> None:
    fetched = await of_etherscan([{"SourceCode": row.input["code"]}], status, tmp_path)
    assert [file.path for file in fetched.contract.files] == row.expect["paths"]
    assert fetched.contract.compiler == "0.6.12"
    assert "hidden" not in fetched.answer.url


@rows("etherscan fault")
async def test_faults_of_etherscan_are_named(row: Row, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=row.expect["said"]):
        await of_etherscan(row.input["result"], 404, tmp_path)


async def test_without_a_key_the_setting_is_named(tmp_path: Path) -> None:
    with (
        provider(lambda path: (404, {}, '{"match": null}'), tmp_path) as data,
        pytest.raises(DataNotAvailable, match="VERIFAIBLE_ETHERSCAN_API_KEY"),
    ):
        await verified_source(data.api, 1, LINK, Sources(sourcify=data.url))


# --- the programs themselves


async def test_slither_finds_a_planted_bug_at_its_line() -> None:
    from scripts.accuracy.contracts.measure import contracts, measure
    from verifaible.config import Settings

    programs = Programs.of(Settings())
    bridge = next(each for each in contracts() if each.name == "Bridge")  # several files, a remapping
    if (
        programs.slither is None
        or programs.node is None
        or not fitting(bridge.compiler, list(programs.compilers))
    ):
        pytest.skip(
            "Slither, Node.js or solc 0.8 is not installed: VERIFAIBLE_SLITHER, VERIFAIBLE_SOLC_MODULES"
        )
    outcome = await measure(bridge, programs)
    assert outcome.found == outcome.planted, outcome.message
    # what was verified may have any name, and none of them is run or read
    address = "https://host/A.sol"
    files = {
        address: 'import "./B.sol"; import "https://host/lib/C.sol"; '
        "contract A is B, C { function f() external payable {} }",
        "https://host/B.sol": "contract B {}",
        "https://host/lib/C.sol": "contract C {}",
    }
    odd = contract(files, compiler=bridge.compiler)
    found = read_result(await run_slither(odd, programs), odd).findings
    assert [(each.detector, each.places[0].path, each.places[0].start) for each in found] == [
        ("locked-ether", address, 1)
    ]
