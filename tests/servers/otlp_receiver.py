"""A receiver of OTLP over HTTP, as a collector is one: it keeps the bodies, and reads them by the protocol."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


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

    def chains(self) -> list[list[str]]:
        """Of each span the names from its root to it."""
        spans = self.spans()
        by_id = {span.span_id: span for span in spans}
        found = []
        for span in spans:
            names, last = [span.name], span
            while last.parent_span_id:
                last = by_id[last.parent_span_id]
                names.insert(0, last.name)
            found.append(names)
        return found

    @property
    def sent(self) -> bytes:
        """All that came."""
        return b"".join(body for bodies in self.bodies.values() for body in bodies)

    def metrics(self) -> dict[str, Any]:
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

        asked = [ExportMetricsServiceRequest.FromString(body) for body in self.bodies["/v1/metrics"]]
        found = [of for each in asked for of in each.resource_metrics]
        return {one.name: one for of in found for s in of.scope_metrics for one in s.metrics}
