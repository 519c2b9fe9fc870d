"""No request of an offline run leaves the machine: seen by Python, by Chromium, and by the kernel."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.browser.bench_process import Ran, bench, environment
from tests.browser.conftest import Site
from tests.unit.bench.samples import REPOSITORY
from verifaible.store.store import Store

#: A table filled by JSONP from another host, a PDF behind a search, and captions.
CASES = ("cn_dynamic_001", "cn_dynamic_pdf_002", "video_002")

#: Runs the program and writes down every use of the network that Python is asked for.
LISTENING = """
import sys

log = sys.argv.pop(1)

def listen(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
                 "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"):
        shown = [each for each in arguments if not hasattr(each, "fileno")]
        with open(log, "a") as file:
            file.write(f"{event} {shown}\\n")

sys.addaudithook(listen)
from verifaible.cli import main
main()
"""

#: Events of Chromium's network log that stand for a connection, for bytes, or for asking a name server.
#: A full Chromium also connects a UDP socket, to learn whether it has IPv6: that sends nothing.
LEAVING = re.compile(
    r"TCP_CONNECT|TCP_CONNECT_ATTEMPT|(UDP|SOCKET|SSL_SOCKET)_BYTES_SENT|DNS_TRANSACTION.*"
    r"|HOST_RESOLVER_(DNS|SYSTEM)_TASK|HOST_RESOLVER_MANAGER_(CREATE_)?JOB.*"
)
#: What every name is mapped to offline; a request for it fails at once.
NO_NAME = "~notfound"


def in_net_log(path: Path) -> list[str]:
    """What left by a network log, or asked for a name, as the event's name and its parameters."""
    log: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    types = {number: name for name, number in log["constants"]["logEventTypes"].items()}
    assert {"TCP_CONNECT_ATTEMPT", "HOST_RESOLVER_MANAGER_REQUEST"} <= set(types.values())
    assert log["events"], "Chromium wrote no event"
    found = []
    for event in log["events"]:
        name, parameters = types[event["type"]], event.get("params") or {}
        host = parameters.get("host", "") if name == "HOST_RESOLVER_MANAGER_REQUEST" else ""
        if LEAVING.fullmatch(name) or (host and not host.endswith(NO_NAME)):
            found.append(f"{name} {parameters}")
    return found


@dataclass(frozen=True)
class Heard:
    """A run, and what was heard of it."""

    ran: Ran
    python_log: Path
    net_log: Path


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> Heard:
    folder = tmp_path_factory.mktemp("heard")
    python_log, net_log = folder / "python.log", folder / "net.json"
    ran = bench(
        folder,
        *("--model", "oracle"),
        cases=CASES,
        program=(sys.executable, "-c", LISTENING, str(python_log), "bench"),
        VERIFAIBLE_BROWSER_ARGS=f"--log-net-log={net_log}",
    )
    return Heard(ran, python_log, net_log)


@pytest.mark.slow
def test_offline_run_looks_up_no_name_and_makes_no_connection(heard: Heard) -> None:
    assert {name: each.verified for name, each in heard.ran.results.items()} == dict.fromkeys(CASES, True)
    assert not heard.python_log.exists(), heard.python_log.read_text()
    assert in_net_log(heard.net_log) == []


@pytest.mark.slow
def test_every_page_of_the_oracle_is_re_executed(heard: Heard) -> None:
    """No fault of ours hides behind the grade ``snapshot``."""
    rows = Store(heard.python_log.parent / "store").rows()
    assert {row.source_url: row.replay_reason for row in rows if row.replay != "page"} == {}
    assert len(rows) >= len(CASES)


@pytest.mark.nightly
@pytest.mark.slow
def test_the_same_look_at_a_live_page_sees_the_connections(tmp_path: Path, site: Site) -> None:
    url = site.html("/page", "<p>There are 36 bureaus in all.</p>")
    python_log, net_log = tmp_path / "python.log", tmp_path / "net.json"
    done = subprocess.run(
        [sys.executable, "-c", LISTENING, str(python_log), "cite", url, "--quote", "36 bureaus"],
        cwd=REPOSITORY,
        env=environment(
            tmp_path / "store",
            VERIFAIBLE_ALLOW_HOSTS="127.0.0.1",
            VERIFAIBLE_BROWSER_ARGS=f"--log-net-log={net_log}",
        ),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    connections = [event for event in in_net_log(net_log) if event.startswith("TCP_CONNECT_ATTEMPT")]
    assert any("127.0.0.1:" in event for event in connections)
    assert "GET /page" in site.seen
    # All of them lead to the proxy, which alone goes to the site.
    assert [event for event in connections if f":{site.url.rpartition(':')[2]}" in event] == []


def test_listening_hears_python(tmp_path: Path, site: Site) -> None:
    log = tmp_path / "python.log"
    code = LISTENING.replace(
        "from verifaible.cli import main\nmain()", "import httpx2\nhttpx2.get(sys.argv[1])"
    )
    subprocess.run([sys.executable, "-c", code, str(log), f"{site.url}/page"], check=True, timeout=300)
    assert f"('127.0.0.1', {site.url.rpartition(':')[2]})" in log.read_text()


# --- the kernel's own count, in a network name space with nothing in it


def namespace() -> list[str]:
    """A command prefix that runs a program without any network; empty where that cannot be had."""
    command = [shutil.which("unshare") or "", "--net", "--map-root-user"]
    if not command[0] or not Path("/proc/net/snmp").is_file():
        return []
    return [] if subprocess.run([*command, "true"], capture_output=True, check=False).returncode else command


NAMESPACE = namespace()
needs_namespace = pytest.mark.skipif(not NAMESPACE, reason="network name spaces cannot be made here")

#: Runs a program, then writes down what its name space was asked to send; the first argument is where.
COUNTING = 'log=$1; shift; "$@"; status=$?; cat /proc/net/snmp /proc/net/snmp6 > "$log"; exit $status'


def counted(log: Path) -> dict[str, int]:
    """What was to be sent from the name space, by counter; those that are 0 are left out."""
    lines = [line.split() for line in log.read_text().splitlines()]
    found = {row[0]: int(row[1]) for row in lines if len(row) == 2}
    tables = [row for row in lines if row and row[0].endswith(":")]
    for names, values in zip(tables[::2], tables[1::2], strict=True):
        found |= {names[0][:-1] + name: int(value) for name, value in zip(names[1:], values[1:], strict=True)}
    wanted = (
        *("IpOutRequests", "IpOutNoRoutes", "TcpActiveOpens", "UdpOutDatagrams", "IcmpOutMsgs"),
        *("Ip6OutRequests", "Ip6OutNoRoutes", "Udp6OutDatagrams"),
    )
    assert set(wanted) <= set(found)
    return {name: found[name] for name in wanted if found[name]}


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    """The same run once more, without any network where that can be had, and its count."""
    folder = tmp_path_factory.mktemp("again")
    log = folder / "sent"
    counting = (*NAMESPACE, "sh", "-c", COUNTING, "sh", str(log)) if NAMESPACE else ()
    program = (*counting, sys.executable, "-m", "verifaible.bench")
    return bench(folder, *("--model", "oracle"), cases=CASES, program=program), log


@pytest.mark.nightly
@pytest.mark.slow
@needs_namespace
def test_offline_run_asks_the_kernel_for_nothing(again: tuple[Ran, Path]) -> None:
    """Python, Playwright's driver and Chromium with all its processes, in one count."""
    ran, log = again
    assert {name: each.score for name, each in ran.results.items()} == dict.fromkeys(CASES, 100)
    assert counted(log) == {}


@pytest.mark.nightly
@pytest.mark.slow
def test_two_runs_of_the_oracle_give_the_same_answers(heard: Heard, again: tuple[Ran, Path]) -> None:
    one, two = heard.ran, again[0]
    assert {name: each.answer for name, each in one.results.items()} == {
        name: each.answer for name, each in two.results.items()
    }
    assert {name: each.citations[0].text for name, each in one.results.items()} == {
        name: each.citations[0].text for name, each in two.results.items()
    }
    assert one.folder.info().cases == two.folder.info().cases
    for ran in (one, two):
        assert set(ran.results) == set(CASES)
        assert ran.printed["models"][0]["total"] == 100 * len(CASES)
        assert all(each.error is None and each.verified_reasons == () for each in ran.results.values())


@pytest.mark.nightly
@needs_namespace
def test_kernel_counts_a_connection_that_is_tried(tmp_path: Path) -> None:
    log = tmp_path / "sent"
    code = "import socket; socket.socket().connect(('192.0.2.1', 80))"
    program = [*NAMESPACE, "sh", "-c", COUNTING, "sh", str(log), sys.executable, "-c", code]
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode != 0
    assert counted(log)
