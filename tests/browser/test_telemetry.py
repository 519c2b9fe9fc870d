"""Traces and metrics as a receiver of OTLP over HTTP gets them: whole trees, and nothing of what was read or of keys."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.viewers import PICTURED, house_in
from tests.kit.marks import nightly
from tests.servers.otlp_receiver import Receiver
from tests.unit.bench.samples import REPOSITORY

pytest.importorskip("opentelemetry.sdk", reason="the extra telemetry is not installed")
pytest.importorskip("opentelemetry.proto", reason="the extra telemetry is not installed")

KEY = "sk-planted-7d1f0c2e9b"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.server.shutdown()


def run(home: Path, *arguments: str, **variables: str) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "verifaible.cli", *arguments],
        env={**kept, "VERIFAIBLE_HOME": str(home), "OPENROUTER_API_KEY": KEY, **variables},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("executor", ["local", nightly("ray")])
def test_trials_and_a_citation_are_seen_and_nothing_of_what_they_read(
    receiver: Receiver, tmp_path: Path, executor: str
) -> None:
    if executor == "ray":
        pytest.importorskip("ray", reason="Ray has no wheel for this Python, or is not installed")
    home = tmp_path / "home"
    house_in(home)
    on = {"VERIFAIBLE_TELEMETRY": receiver.address, "VERIFAIBLE_API_KEY": KEY}
    where = ("--executor", executor, "--workers", "1")
    run(home, "bench", "--model", "nop", "--model", "oracle", "--case", "us_text_001", *where, **on)
    chains = receiver.chains()
    assert ["run"] in chains
    assert chains.count(["run", "trial"]) == 2
    tool = ["run", "trial", "execute_tool verifaible_cite"]
    assert tool in chains
    for each in (["cite", "open page"], ["cite", "capture"]):
        assert [*tool, *each] in chains
    assert len({span.trace_id for span in receiver.spans()}) == 1
    metrics = receiver.metrics()
    assert sum(point.as_int for point in metrics["verifaible.trials"].sum.data_points) == 2
    assert sum(point.as_int for point in metrics["verifaible.capture.size"].sum.data_points) > 10_000
    assert sum(point.count for point in metrics["verifaible.trial.duration"].histogram.data_points) == 2
    for secret in (KEY, "Accept-Language", "How many", "Traceback"):
        assert secret.encode() not in receiver.sent, secret


def test_a_citation_alone_is_seen_with_the_variable_of_opentelemetry(
    receiver: Receiver, tmp_path: Path
) -> None:
    house_in(tmp_path / "home")
    words = ("cite", PICTURED, "--alt", "国家统计局", "--web", "offline")
    run(tmp_path / "home", *words, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.address)
    assert ["cite", "capture"] in receiver.chains()
    for secret in (KEY, "国家统计局", "/xxgk/"):
        assert secret.encode() not in receiver.sent, secret
