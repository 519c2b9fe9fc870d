"""A tiny cross-encoder, written as the bytes of ONNX: no model can be fetched where tests run.

It compares bags of words by the segment that they stand in: a passage entails a claim the more of the claim's
words it has, and one with all of them and "not" contradicts it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

FLOAT, INT32, INT64 = 1, 6, 7
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
#: For each label: what it loses with each word that is missing, what "not" adds, and where it begins.
WEIGHTS = {"entailment": (-4.0, -30.0, 6.0), "neutral": (0.0, 0.0, 0.0), "contradiction": (-4.0, 20.0, -10.0)}
LABELS = ("contradiction", "entailment", "neutral")
TEXT = (
    "the council approved a new budget for library on tuesday it not did museum was closed in august tower lies "
    "east of river and mayor praised plan two three 2024 visitors . , : open every day rain is short"
)
WORDS = TEXT.split()


def varint(number: int) -> bytes:
    found = b""
    while number > 0x7F:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])


def field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name: str, shape: Sequence[int], values: Iterable[float], kind: int = FLOAT) -> bytes:
    raw = b"".join(struct.pack("<f" if kind == FLOAT else "<q", each) for each in values)
    return b"".join(field(1, each) for each in shape) + field(2, kind) + field(8, name) + field(9, raw)


def node(kind: str, inputs: str, output: str, **attributes: int | list[int]) -> bytes:
    data = b"".join(field(1, each) for each in inputs.split()) + field(2, output) + field(4, kind)
    for name, value in attributes.items():
        if isinstance(value, list):
            said = b"".join(field(8, each) for each in value) + field(20, 7)
        else:
            said = field(3, value) + field(20, 2)
        data += field(5, field(1, name) + said)
    return data


def told(name: str, kind: int, shape: Sequence[str]) -> bytes:
    dims = b"".join(field(1, field(2, each)) for each in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dims)))


def onnx_bytes(labels: Sequence[str], inputs: Sequence[str] = INPUTS, kind: int = INT64) -> bytes:
    vocabulary = len(SPECIAL) + len(WORDS)
    rows = [
        [float(at == row and at >= len(SPECIAL)) for at in range(vocabulary)] for row in range(vocabulary)
    ]
    no = [float(word == "not") for word in (*SPECIAL, *WORDS)]
    weights = [WEIGHTS[each][:2] for each in labels]
    nodes = [
        node("Gather", "E input_ids", "words"),
        node("Cast", "attention_mask", "mask", to=FLOAT),
        node("Unsqueeze", "mask last", "mask3"),
        node("Mul", "words mask3", "live"),
    ]
    if "token_type_ids" in inputs:
        nodes += [
            node("Cast", "token_type_ids", "types", to=FLOAT),
            node("Unsqueeze", "types last", "types3"),
            node("Mul", "live types3", "own"),
            node("Sub", "live own", "others"),
        ]
    else:
        nodes += [node("Identity", "live", "own"), node("Identity", "live", "others")]
    nodes += [
        node("ReduceMax", "own", "claim", axes=[1], keepdims=0),
        node("ReduceMax", "others", "passage", axes=[1], keepdims=0),
        node("Mul", "claim passage", "both"),
        node("ReduceSum", "both one", "hits", keepdims=1),
        node("ReduceSum", "claim one", "all", keepdims=1),
        node("Sub", "all hits", "missing"),
        node("MatMul", "passage no", "denied"),
        node("Concat", "missing denied", "facts", axis=1),
        node("Gemm", "facts W B", "logits"),
    ]
    initial = [
        tensor("E", [vocabulary, vocabulary], [each for row in rows for each in row]),
        tensor("no", [vocabulary, 1], no),
        tensor("W", [2, len(labels)], [pair[at] for at in range(2) for pair in weights]),
        tensor("B", [len(labels)], [WEIGHTS[each][2] for each in labels]),
        tensor("last", [1], [2], INT64),
        tensor("one", [1], [1], INT64),
    ]
    graph = b"".join(field(1, each) for each in nodes) + field(2, "tiny")
    graph += b"".join(field(5, each) for each in initial)
    graph += b"".join(field(11, told(each, kind, ["batch", "length"])) for each in inputs)
    graph += field(12, told("logits", FLOAT, ["batch", "labels"]))
    return field(1, 8) + field(8, field(1, "") + field(2, 13)) + field(7, graph)


def tokenizer() -> Tokenizer:
    vocabulary = {word: at for at, word in enumerate((*SPECIAL, *WORDS))}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return made


def write_model(
    folder: Path,
    labels: Sequence[str] = LABELS,
    *,
    names: Sequence[str] | None = None,
    inputs: Sequence[str] = INPUTS,
    kind: int = INT64,
    weights: str = "model.onnx",
    **config: Any,
) -> Path:
    """A folder with a model; ``names``: what its config calls the labels."""
    path = folder / weights
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(onnx_bytes(labels, inputs, kind))
    tokenizer().save(str(folder / "tokenizer.json"))
    told_as = {str(at): name for at, name in enumerate(names or labels)}
    said = {"id2label": told_as, "max_position_embeddings": 64, "pad_token_id": 0, **config}
    (folder / "config.json").write_text(json.dumps(said))
    return folder
