"""Traces and metrics by OpenTelemetry, sent by OTLP over HTTP; where it is off, nothing is imported or done.

Attributes hold names, numbers and hosts alone: never what pages, prompts or answers say, whole addresses or
keys. Names are those of the semantic conventions where they have one (``gen_ai.*``, ``server.address``,
``error.type``), else ``verifaible.*``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from verifaible.errors import ConfigError, VerifaibleError, needing
from verifaible.version import __version__

if TYPE_CHECKING:
    from opentelemetry.trace import Span

T = TypeVar("T")
Attribute: TypeAlias = str | bool | int | float
Kind: TypeAlias = Literal["INTERNAL", "CLIENT"]

#: The key under which a trace that is carried to another process names where spans are sent.
_ADDRESS: Final = "otlp"
_FLUSH_MS: Final = 5_000
#: The second may be there for other programs.
_SETTINGS: Final = "VERIFAIBLE_TELEMETRY (or else OTEL_EXPORTER_OTLP_ENDPOINT)"


class Noting:
    """What is added to a span while it is open; without one, nothing."""

    def __init__(self, span: Span | None = None) -> None:
        self._span = span

    def add(self, attributes: Mapping[str, Attribute]) -> None:
        """Add attributes."""
        if self._span is not None:
            self._span.set_attributes(attributes)


_OFF: Final = nullcontext(Noting())


class _Sending:
    """What sends the spans and figures of this process."""

    def __init__(self, address: str) -> None:
        with needing("telemetry", f"Sending traces, for which {_SETTINGS} is set,"):
            from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.metrics import MeterProvider
            from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
            from opentelemetry.sdk.resources import OTELResourceDetector, Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor

        if not address.startswith(("http://", "https://")):
            raise ConfigError(
                f"{_SETTINGS} must be the address of an OTLP receiver over HTTP, such as "
                "http://127.0.0.1:4318. Correct it, or set VERIFAIBLE_TELEMETRY to nothing to send no traces."
            )
        self.address = address.rstrip("/")
        ours = Resource.create({"service.name": "verifaible", "service.version": __version__})
        resource = ours.merge(OTELResourceDetector().detect())
        # both send what they hold when the process ends
        self._spans = TracerProvider(resource=resource)
        exporter = OTLPSpanExporter(endpoint=f"{self.address}/v1/traces")
        self._spans.add_span_processor(BatchSpanProcessor(exporter))
        reader = PeriodicExportingMetricReader(OTLPMetricExporter(endpoint=f"{self.address}/v1/metrics"))
        self._figures = MeterProvider(resource=resource, metric_readers=[reader])
        self.tracer = self._spans.get_tracer("verifaible", __version__)
        self._meter = self._figures.get_meter("verifaible", __version__)
        self._instruments: dict[str, Any] = {}

    def instrument(self, kind: Literal["counter", "histogram"], name: str, unit: str) -> Any:
        """The counter or histogram of that name."""
        if name not in self._instruments:
            self._instruments[name] = getattr(self._meter, f"create_{kind}")(name, unit=unit)
        return self._instruments[name]

    def flush(self) -> None:
        """Send what is held."""
        self._spans.force_flush(_FLUSH_MS)
        self._figures.force_flush(_FLUSH_MS)


class _Process:
    sending: _Sending | None = None


def start(address: str) -> None:
    """Send what this process does from now on; empty: nothing is sent.

    Args:
        address: of the receiver, without ``/v1/traces``.

    Raises:
        ConfigError: it is no address, or the extra ``telemetry`` is not installed.
    """
    if address and _Process.sending is None:
        _Process.sending = _Sending(address)


def flush() -> None:
    """Send what is held: for a process that is ended from outside."""
    if _Process.sending is not None:
        _Process.sending.flush()


def span(
    name: str, attributes: Mapping[str, Attribute] | None = None, kind: Kind = "INTERNAL"
) -> AbstractContextManager[Noting]:
    """A span; one that ends with an exception has its kind as ``error.type``, and nothing of its words."""
    sending = _Process.sending
    return _OFF if sending is None else _span(sending, name, attributes, kind)


@contextmanager
def _span(
    sending: _Sending, name: str, attributes: Mapping[str, Attribute] | None, kind: Kind
) -> Iterator[Noting]:
    from opentelemetry.trace import SpanKind, StatusCode

    with sending.tracer.start_as_current_span(
        name,
        kind=SpanKind[kind],
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as opened:
        try:
            yield Noting(opened)
        except BaseException as error:
            opened.set_attribute("error.type", kind_of(error))
            opened.set_status(StatusCode.ERROR)
            raise


def kind_of(error: BaseException) -> str:
    """What ``error.type`` says of an error."""
    return error.code if isinstance(error, VerifaibleError) else type(error).__name__


def count(name: str, amount: float, unit: str, attributes: Mapping[str, Attribute] | None = None) -> None:
    """Add to a counter."""
    if _Process.sending is not None and amount:
        _Process.sending.instrument("counter", name, unit).add(amount, attributes)


def measure(name: str, amount: float, unit: str, attributes: Mapping[str, Attribute] | None = None) -> None:
    """Note a value of a histogram."""
    if _Process.sending is not None:
        _Process.sending.instrument("histogram", name, unit).record(amount, attributes)


def carried() -> dict[str, str]:
    """The trace of this context, for another process (W3C Trace Context); empty where it is off."""
    if _Process.sending is None:
        return {}
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    trace = {_ADDRESS: _Process.sending.address}
    TraceContextTextMapPropagator().inject(trace)
    return trace


async def within(trace: Mapping[str, str], work: Awaitable[T]) -> T:
    """Await work as a part of a trace that was carried here."""
    if not trace:
        return await work
    start(trace.get(_ADDRESS, ""))
    from opentelemetry.context import attach, detach
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    before = attach(TraceContextTextMapPropagator().extract(trace))
    try:
        return await work
    finally:
        detach(before)
