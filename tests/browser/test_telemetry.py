"""Traces and metrics as a receiver of OTLP over HTTP gets them: whole trees, and nothing of what was read or of keys."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.browser.viewers import PICTURED, house_in
from tests.unit.bench.samples import REPOSITORY

pytest.importorskip("opentelemetry.sdk", reason="the extra telemetry is not installed")
pytest.importorskip("opentelemetry.proto", reason="the extra telemetry is not installed")

KEY = "sk-planted-7d1f0c2e9b"


class Receiver:
    """Takes what is sent to it, as a collector does."""

    def __init__(self) -> None:
        self.bodies: dict[str, list[bytes]] = {"/v1/traces": [], "/v1/metrics": []}
        taken = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                taken[self.path].append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def spans(self) -> list[Any]:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        asked = [ExportTraceServiceRequest.FromString(body) for body in self.bodies["/v1/traces"]]
        return [
            span for each in asked for of in each.resource_spans for s in of.scope_spans for span in s.spans
        ]

    def metrics(self) -> dict[str, Any]:
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

        asked = [ExportMetricsServiceRequest.FromString(body) for body in self.bodies["/v1/metrics"]]
        found = [of for each in asked for of in each.resource_metrics]
        return {one.name: one for of in found for s in of.scope_metrics for one in s.metrics}


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


def chain(spans: list[Any], last: Any) -> list[str]:
    """The names from the root to a span."""
    by_id = {span.span_id: span for span in spans}
    names = [last.name]
    while last.parent_span_id:
        last = by_id[last.parent_span_id]
        names.insert(0, last.name)
    return names


def test_trials_and_a_citation_are_seen_and_nothing_of_what_they_read(
    receiver: Receiver, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    house_in(home)
    on = {"VERIFAIBLE_TELEMETRY": receiver.address, "VERIFAIBLE_API_KEY": KEY}
    run(home, "bench", "--model", "nop", "--model", "oracle", "--case", "us_text_001", **on)
    spans = receiver.spans()
    chains = [chain(spans, span) for span in spans]
    assert ["run"] in chains
    assert chains.count(["run", "trial"]) == 2
    tool = ["run", "trial", "execute_tool verifaible_cite"]
    assert tool in chains
    for each in (["cite", "open page"], ["cite", "capture"]):
        assert [*tool, *each] in chains
    assert len({span.trace_id for span in spans}) == 1
    metrics = receiver.metrics()
    assert sum(point.as_int for point in metrics["verifaible.trials"].sum.data_points) == 2
    assert sum(point.as_int for point in metrics["verifaible.capture.size"].sum.data_points) > 10_000
    assert sum(point.count for point in metrics["verifaible.trial.duration"].histogram.data_points) == 2

    before = len(spans)
    run(
        home,
        "cite",
        PICTURED,
        "--alt",
        "国家统计局",
        "--web",
        "offline",
        **{"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.address},
    )
    spans = receiver.spans()
    assert ["cite", "capture"] in [chain(spans, span) for span in spans[before:]]

    sent = b"".join(body for bodies in receiver.bodies.values() for body in bodies)
    for secret in (KEY, "国家统计局", "Accept-Language", "/xxgk/", "How many", "Traceback"):
        assert secret.encode() not in sent, secret
