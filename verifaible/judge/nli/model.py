"""A cross-encoder in ONNX: reads a passage and a claim together, and says how far one entails the other."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from verifaible.errors import ConfigError
from verifaible.judge.nli.files import INSTALL, ModelFiles

if TYPE_CHECKING:
    from tokenizers import Encoding

#: Models of these kinds were trained on windows of so many tokens, also where their positions go further.
_WINDOW: Final = 512
#: Tokens that a window must have for the passage, or the claim is too long to be judged.
_LEAST: Final = 32
#: Tokens may join differently where a passage is cut.
_SLACK: Final = 4
#: Pairs that are read at once.
_BATCH: Final = 8
_FED: Final = ("input_ids", "attention_mask", "token_type_ids")
_ENTAILS: Final = re.compile(r"entail|support", re.IGNORECASE)
_CONTRADICTS: Final = re.compile(r"contradict|refut", re.IGNORECASE)
_UNTOLD: Final = re.compile(r"LABEL_\d+")


@dataclass(frozen=True, slots=True)
class Judgement:
    """Probabilities that a passage entails a claim, and that it contradicts it."""

    entailment: float
    contradiction: float


class CrossEncoder:
    """A model with its tokenizer, loaded.

    Attributes:
        files: what it was loaded from.
        contradicts: whether it tells a contradiction from saying nothing of the claim.

    Raises:
        ConfigError: packages are missing, or the files are none that can be used here.
    """

    def __init__(self, files: ModelFiles) -> None:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ConfigError(INSTALL) from error
        self.files = files
        config = _config(files.folder / "config.json")
        try:
            self._tokenizer = Tokenizer.from_file(str(files.folder / "tokenizer.json"))
            self._session = onnxruntime.InferenceSession(
                str(files.weights), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both raise what they have no common class for
            raise ConfigError(f"{files.name} cannot be loaded: {_said(error)}") from error
        truncation = self._tokenizer.truncation or {}
        limits = (_WINDOW, config.get("max_position_embeddings"), truncation.get("max_length"))
        self._window = min(each for each in limits if isinstance(each, int) and each > 0)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._padding = config.get("pad_token_id") or 0
        self._inputs = {each.name: each.type for each in self._session.get_inputs()}
        if unknown := self._inputs.keys() - set(_FED):
            raise ConfigError(
                f"{files.name} wants {', '.join(sorted(unknown))}, which is no input of a model that reads two "
                "texts together. Name a cross-encoder for natural language inference."
            )
        names = [each.name for each in self._session.get_outputs()]
        self._output = "logits" if "logits" in names else names[0]
        self._labels = _labels(config, files.name)
        self.contradicts = any(map(_CONTRADICTS.match, self._labels))

    def windows(self, passage: str, claim: str) -> list[tuple[int, int]]:
        """The passage as spans that fit into the model beside the whole claim; none where that is too long."""
        special = self._tokenizer.num_special_tokens_to_add(is_pair=True)
        room = self._window - special - len(self._tokenizer.encode(claim, add_special_tokens=False)) - _SLACK
        if room < min(_LEAST, self._window // 4):
            return []
        offsets = self._tokenizer.encode(passage, add_special_tokens=False).offsets
        spans, first = [], 0
        while first < len(offsets):
            last = min(first + room, len(offsets))
            if last < len(offsets):  # not within a word
                begins = (at for at in range(last, first, -1) if passage[offsets[at][0] - 1].isspace())
                last = next(begins, last)
            spans.append((offsets[first][0], offsets[last - 1][1]))
            first = last
        return spans

    def judge(self, passages: Sequence[str], claim: str) -> list[Judgement]:
        """What the model says of a claim by each of some passages, which :meth:`windows` has made fit.

        Raises:
            ConfigError: the model does not run, or does not give a value for each of its labels.
        """
        found: list[Judgement] = []
        # Cut by length: a batch is padded to its longest.
        order = sorted(range(len(passages)), key=lambda at: len(passages[at]))
        for first in range(0, len(order), _BATCH):
            found += self._run([passages[at] for at in order[first : first + _BATCH]], claim)
        return [judgement for _, judgement in sorted(zip(order, found, strict=True), key=lambda pair: pair[0])]

    def _run(self, passages: Sequence[str], claim: str) -> list[Judgement]:
        import numpy

        encoded: list[Encoding] = [self._tokenizer.encode(passage, claim) for passage in passages]
        for each in encoded:
            each.pad(max(len(other.ids) for other in encoded), pad_id=self._padding)
        rows = {
            "input_ids": [each.ids for each in encoded],
            "attention_mask": [each.attention_mask for each in encoded],
            "token_type_ids": [each.type_ids for each in encoded],
        }
        fed = {
            name: numpy.array(rows[name], dtype=numpy.int32 if kind == "tensor(int32)" else numpy.int64)
            for name, kind in self._inputs.items()
        }
        try:
            logits: Any = self._session.run([self._output], fed)[0]
        except Exception as error:  # of the runtime: it has no common class for them
            raise ConfigError(f"{self.files.name} does not run: {_said(error)}") from error
        values = numpy.asarray(logits, dtype=numpy.float64)
        if values.shape != (len(passages), len(self._labels)) or not numpy.isfinite(values).all():
            raise ConfigError(
                f"{self.files.name} gives {values.shape} values for {len(passages)} passages, and its config.json "
                f"has {len(self._labels)} labels. Name a model for sequence classification."
            )
        if len(self._labels) == 1:
            shares = 1 / (1 + numpy.exp(-values))
        else:
            powers = numpy.exp(values - values.max(axis=1, keepdims=True))
            shares = powers / powers.sum(axis=1, keepdims=True)
        return [Judgement(self._share(row, _ENTAILS), self._share(row, _CONTRADICTS)) for row in shares]

    def _share(self, row: Sequence[float], kind: re.Pattern[str]) -> float:
        return float(sum(share for share, label in zip(row, self._labels, strict=True) if kind.match(label)))


def _config(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise ConfigError(f"{path} is no configuration of a model: it holds no object.")
    return found


def _labels(config: dict[str, Any], name: str) -> list[str]:
    """The labels in the order of the logits.

    Where one or two have no names, the last is entailment, as in HHEM and MiniCheck; of a model that has it
    the other way round no calibration finds a threshold.
    """
    told = config.get("id2label") or {}
    labels = [str(told[key]) for key in sorted(told, key=int)] if isinstance(told, dict) else []
    labels = labels or ["LABEL_0", "LABEL_1"]
    if len(labels) <= 2 and all(map(_UNTOLD.fullmatch, labels)):
        labels = [*["other"] * (len(labels) - 1), "entailment"]
    if not any(map(_ENTAILS.match, labels)):
        raise ConfigError(
            f"The config.json of {name} calls no label entailment or supported (id2label: {labels}). Name a model "
            "for natural language inference, or write its labels into id2label of a copy in a folder."
        )
    return labels


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
