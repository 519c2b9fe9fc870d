"""Computed values: the functions against kept libraries, and sealed values that are computed again."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from verifaible.config import Settings
from verifaible.errors import BadArguments
from verifaible.evidence.audit import audit
from verifaible.evidence.computation import (
    SealedComputed,
    compute,
    computed_from,
    read_data,
    recompute,
    recompute_all,
    values_at,
)
from verifaible.evidence.functions import FUNCTIONS
from verifaible.evidence.sources import PROVENANCE, SourceDraft, SourceTexts, keep_sources
from verifaible.schema.analyst import Source
from verifaible.schema.data import Exchange, Facets, Operand
from verifaible.store.store import Store

pandas = pytest.importorskip("pandas")
pytest.importorskip("ta")


def walks() -> list[list[Decimal]]:
    """Random walks of prices from fractions of a cent to a hundred thousand, some with days without a change."""
    chance = random.Random(20)
    made = []
    for _ in range(60):
        price = 10 ** chance.uniform(-6, 5)
        walk = []
        for _ in range(chance.randint(40, 200)):
            price *= math.exp(chance.choice((0, 1, 1, 1)) * chance.gauss(0, 0.04))
            walk.append(Decimal(f"{price:.10g}"))
        made.append(walk)
    return made


def of_ta(name: str) -> Callable[[Any], float]:
    from ta.momentum import RSIIndicator
    from ta.trend import MACD, EMAIndicator, SMAIndicator

    return {
        "rsi": lambda closes: RSIIndicator(closes, 14).rsi().iloc[-1],
        "macd": lambda closes: MACD(closes).macd().iloc[-1],
        "macd_signal": lambda closes: MACD(closes).macd_signal().iloc[-1],
        "macd_histogram": lambda closes: MACD(closes).macd_diff().iloc[-1],
        "sma": lambda closes: SMAIndicator(closes, 20).sma_indicator().iloc[-1],
        "ema": lambda closes: EMAIndicator(closes, 20).ema_indicator().iloc[-1],
        "volatility": lambda closes: closes.map(math.log).diff().std() * math.sqrt(365) * 100,
        "drawdown": lambda closes: (closes / closes.cummax() - 1).min() * 100,
        "mean": lambda closes: closes.mean(),
        "total": lambda closes: closes.sum(),
    }[name]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("rsi", {}),
        ("macd", {}),
        ("macd_signal", {}),
        ("macd_histogram", {}),
        ("sma", {"period": "20"}),
        ("ema", {"period": "20"}),
        ("volatility", {"periods_per_year": "365"}),
        ("drawdown", {}),
        ("mean", {}),
        ("total", {}),
    ],
)
def test_indicator_equals_that_of_a_kept_library(name: str, parameters: Mapping[str, str]) -> None:
    theirs = of_ta(name)
    for walk in walks():
        closes = pandas.Series([float(each) for each in walk])
        ours = float(compute(name, {"values": walk}, parameters))
        assert math.isclose(ours, theirs(closes), rel_tol=1e-9, abs_tol=1e-9 * float(max(walk)) or 1e-9)


def test_rsi_can_start_with_the_mean_as_wilders_tables_do() -> None:
    values = [Decimal(each) for each in (10, 12, 11, 14, 13)]
    # period 3: rises 2, 0, 3 and falls 0, 1, 0 give 5/3 and 1/3; then a fall of 1: (10/9) / (5/9) = 2
    result = compute("rsi", {"values": values}, {"period": "3", "start": "mean"})
    assert math.isclose(result, 100 - 100 / 3)


@pytest.mark.parametrize(
    ("name", "inputs", "parameters", "result"),
    [
        ("percentage_change", {"old": ["80"], "new": ["84"]}, {}, "5"),
        ("difference", {"minuend": ["1.1"], "subtrahend": ["3.3"]}, {}, "-2.2"),
        ("ratio", {"numerator": ["1"], "denominator": ["8"]}, {}, "0.125"),
        ("share", {"part": ["1"], "whole": ["8"]}, {}, "12.5"),
        ("product", {"factors": ["0.1", "0.2", "3"]}, {}, "0.06"),
        ("scaled", {"value": ["1500000000000000001"]}, {"decimals": "18"}, "1.500000000000000001"),
        ("sum_of_products", {"amounts": ["1", "2"], "prices": ["10", "0.1"]}, {}, "10.2"),
        ("minimum", {"values": ["3", "-1"]}, {}, "-1"),
        ("maximum", {"values": ["3", "-1"]}, {}, "3"),
        ("count", {"values": ["3", "-1"]}, {}, "2"),
        ("drawdown", {"values": ["100", "50", "75", "120", "90"]}, {}, "-50"),
    ],
)
def test_function(
    name: str, inputs: Mapping[str, list[str]], parameters: Mapping[str, str], result: str
) -> None:
    read = {key: [Decimal(each) for each in values] for key, values in inputs.items()}
    assert compute(name, read, parameters) == Decimal(result)


def test_every_function_is_tested_here_and_says_what_it_is() -> None:
    tested = Path(__file__).read_text(encoding="utf-8")
    for name, version in FUNCTIONS:
        assert f'"{name}"' in tested
        assert FUNCTIONS[name, version].call.__doc__


@pytest.mark.parametrize(
    ("name", "inputs", "parameters", "said"),
    [
        ("rsi", {"values": ["1"] * 14}, {}, "at least 15 are needed"),
        ("sma", {"values": ["1"]}, {"period": "0"}, "at least 1"),
        ("sma", {"values": ["1"]}, {}, "no result"),
        ("ratio", {"numerator": ["1"], "denominator": ["0"]}, {}, "may not be 0"),
        ("volatility", {"values": ["1", "0", "2"]}, {}, "must be positive"),
        ("ratio", {"numerator": ["1", "2"], "denominator": ["1"]}, {}, "reads one value as numerator"),
        ("ratio", {"numerator": ["1"]}, {}, "reads numerator, denominator"),
        ("mean", {"values": []}, {}, "0 values"),
        ("mean", {"values": ["1"]}, {"period": "2"}, "has no parameter period"),
        ("nonsense", {}, {}, "There is no function nonsense"),
        ("rsi", {"values": ["1"] * 20}, {"start": "now"}, "first or mean"),
    ],
)
def test_what_cannot_be_computed_is_refused(
    name: str, inputs: Mapping[str, list[str]], parameters: Mapping[str, str], said: str
) -> None:
    with pytest.raises(BadArguments, match=said):
        compute(name, {key: [Decimal(each) for each in values] for key, values in inputs.items()}, parameters)


def test_values_by_pointer() -> None:
    data = read_data('\ufeff{"a/b": [[1, 2.50], [3, "4e-1"]], "hex": "0x1F", "t": true, "big": 1e400}')
    assert values_at(data, "/a~1b/*/1") == (Decimal("2.50"), Decimal("0.4"))
    assert values_at(data, "/hex") == (Decimal(31),)
    assert values_at(data, "/big") == (Decimal("1e400"),)
    for pointer in ("/t", "/none", "/a~1b/2/0", "/a~1b/-1/0", f"/a~1b/{'9' * 5000}/0", "a", "/a~1b", ""):
        with pytest.raises(BadArguments):
            values_at(data, pointer)
    with pytest.raises(BadArguments):
        read_data('{"too large": 1e99999999999999999999}')


# --- sealed, and computed again

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
CLOSES = json.dumps({"closes": [str(100 + (7 * day) % 11) for day in range(40)]})


def a_store(folder: Path) -> tuple[Store, tuple[Source, ...]]:
    store = Store.open(Settings(home=folder, store=str(folder / "store")))
    exchange = Exchange(method="GET", url="https://a.example/", status=200, fetched_at=AT, adapter="a")
    draft = SourceDraft(id="src_1", kind="api", body=CLOSES.encode(), at=AT, exchange=exchange)
    return store, keep_sources(store, [draft], origin="test")


def sealed_rsi(store: Store, sources: tuple[Source, ...]) -> SealedComputed:
    return computed_from(
        "calc_1",
        "rsi",
        {"values": [Operand(source="src_1", pointer="/closes/*")]},
        {"period": "14"},
        Facets(asset="BTC", field="rsi"),
        sources=sources,
        texts=SourceTexts(store),
    )


def kept(store: Store, sealed: SealedComputed | str) -> Source:
    body = sealed if isinstance(sealed, str) else sealed.model_dump_json()
    draft = SourceDraft(
        id="calc_1", kind="computed", body=body.encode(), media_type="application/json", at=AT
    )
    return keep_sources(store, [draft], origin="test")[0]


def test_store_is_verified_with_its_computed_values(tmp_path: Path) -> None:
    store, sources = a_store(tmp_path)
    kept(store, sealed_rsi(store, sources))
    assert audit(store).ok
    assert recompute_all(store, [source.capture for source in sources]) == ([], "")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"result": Decimal("61.5")},
            "rsi version 1, period 14, start first) says 61.5, and its inputs give",
        ),
        ({"parameters": {"period": "13"}}, "period 13"),
        ({"function": "sma"}, "sma has no parameter start"),
        ({"function": "mean", "parameters": {}}, "mean version 1"),
        ({"function": "nonsense"}, "There is no function nonsense"),
        ({"version": 2}, "no function rsi of version 2"),
        ({"inputs": {"values": (Operand(source="src_1", pointer="/closes/0"),)}}, "1 values"),
        ({"inputs": {"values": (Operand(source="src_1", pointer="/none"),)}}, "nothing at /none"),
        ({"inputs": {"values": (Operand(source="src_2", pointer="/closes/*"),)}}, "which captures src_2"),
    ],
)
def test_changed_value_that_somebody_sealed_is_found(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    store, sources = a_store(tmp_path)
    sealed = sealed_rsi(store, sources)
    kept(store, sealed.model_copy(update={"computed": sealed.computed.model_copy(update=change)}))
    (fault,) = audit(store).faults
    assert said in fault
    assert audit(store, hash_only=True).ok


def test_words_that_are_no_computed_value_are_found(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path)
    assert "holds no computed value" in recompute(kept(store, "{}"), SourceTexts(store))


@pytest.mark.parametrize("found", [b'"status": 200', b'"104"', b"https://a.example/"])
def test_one_changed_byte_of_an_input_is_found(found: bytes, tmp_path: Path) -> None:
    """Status and address of the exchange, and a value: the archive is not compressed where they stand."""
    store, sources = a_store(tmp_path)
    kept(store, sealed_rsi(store, sources))
    path = next((tmp_path / "store").rglob(f"*{sources[0].capture}*"))
    data = path.read_bytes()
    assert found in data
    path.chmod(0o644)
    path.write_bytes(data.replace(found, found[:-2] + b"9" + found[-1:], 1))
    faults = audit(store).faults
    assert any(sources[0].capture in fault for fault in faults)
    assert any("cannot be computed again" in fault for fault in faults)


def test_exchange_is_read_back(tmp_path: Path) -> None:
    store, sources = a_store(tmp_path)
    with store.open_sealed(sources[0].capture) as reader:
        told = Exchange.model_validate(reader.read_json(PROVENANCE)["exchange"])
    assert (told.method, told.url, told.status) == ("GET", "https://a.example/", 200)
    with store.open_sealed(kept(store, sealed_rsi(store, sources)).capture) as reader:
        assert "exchange" not in reader.read_json(PROVENANCE)
    # equal answers at one time are one capture
    again, _ = a_store(tmp_path)
    assert [source.capture for source in a_store(tmp_path)[1]] == [source.capture for source in sources]
    assert audit(again).ok
