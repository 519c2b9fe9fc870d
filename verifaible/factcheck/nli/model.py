"""A cross-encoder in ONNX: reads a passage and a claim together, and says how far one entails the other."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from verifaible.config import Settings
from verifaible.errors import ConfigError, UrlRefused
from verifaible.net.dialer import ssl_context
from verifaible.net.egress import way_out
from verifaible.net.guard import UrlGuard

INSTALL: Final = "The local judge needs more packages. Run: pip install 'verifaible[nli]'"
_WEIGHTS: Final = ("model.onnx", "onnx/model.onnx")
#: Weights beyond two gigabytes are in a file beside the model that has its name and one of these.
_BESIDE: Final = ("_data", ".data")
_READ: Final = ("config.json", "tokenizer.json")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model is: ``revision`` is the commit of a repository, empty for a folder."""

    name: str
    revision: str
    folder: Path
    weights: Path

    def identity(self) -> dict[str, Any]:
        """Name, revision, and SHA-256 of each file that decides what the model says, by its name."""
        beside = [self.weights.with_name(self.weights.name + end) for end in _BESIDE]
        paths = [*(self.folder / name for name in _READ), self.weights, *beside]
        digests = {}
        for path in filter(Path.is_file, paths):
            with path.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
            digests[path.relative_to(self.folder).as_posix()] = digest
        return {"model": self.name, "revision": self.revision, "sha256": digests}


def find_model(settings: Settings) -> ModelFiles:
    """The model that the settings name; a repository is fetched into ``models/`` of the home, once.

    Raises:
        ConfigError: none is named, its files are missing, or they cannot be fetched.
    """
    name, revision = settings.nli_model.strip(), settings.nli_revision.strip().lower()
    if name and (folder := Path(name)).is_dir():
        return _checked(folder.resolve().name, "", folder)
    if not re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", name):
        raise ConfigError(
            f"VERIFAIBLE_NLI_MODEL is {name!r}, and must be the folder of a model, or a Hugging Face "
            "repository (owner/name) with VERIFAIBLE_NLI_REVISION."
        )
    if not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise ConfigError(
            f"VERIFAIBLE_NLI_REVISION is {revision!r}, and must be the whole commit hash (40 hex digits) of "
            f"{name}: a branch may change under its name."
        )
    folder = settings.home / "models" / name.replace("/", "--") / revision
    if not folder.is_dir():
        _fetch(name, revision, folder, settings)
    return _checked(name, revision, folder)


def _fetch(name: str, revision: str, folder: Path, settings: Settings) -> None:
    """Fetch a repository as plain files; the folder gets its name only when all are there."""
    try:
        import httpx2
        from huggingface_hub import close_session, constants, set_client_factory, snapshot_download
    except ImportError as error:
        raise ConfigError(INSTALL) from error
    part = folder.with_name(f"{revision}.part")
    wanted = [*_READ, *(name + end for name in _WEIGHTS for end in ("", *_BESIDE))]
    hub = os.environ.get("HF_ENDPOINT") or constants.ENDPOINT
    constants.HF_HUB_DISABLE_XET = True  # its other client connects by itself
    try:
        guard = UrlGuard.of(settings).with_endpoint(hub, settings.local_endpoints)
        with way_out(guard) as proxy:
            checked = ssl_context()
            set_client_factory(
                partial(httpx2.Client, proxy=proxy, trust_env=False, verify=checked, follow_redirects=True)
            )
            try:
                snapshot_download(
                    name, revision=revision, allow_patterns=wanted, local_dir=part, endpoint=hub
                )
            finally:
                close_session()
        shutil.rmtree(part / ".cache", ignore_errors=True)  # the client's notes
        part.rename(folder)
    # Its errors of missing files and of names are of the first two.
    except (OSError, ValueError, httpx2.HTTPError, UrlRefused) as error:
        raise ConfigError(
            f"{name} at {revision[:12]} could not be fetched: {' '.join(str(error).split())[:300]} Look at "
            "VERIFAIBLE_NLI_MODEL and VERIFAIBLE_NLI_REVISION, or put the files into a folder and name that."
        ) from error


def _checked(name: str, revision: str, folder: Path) -> ModelFiles:
    weights = [path for each in _WEIGHTS if (path := folder / each).is_file()]
    missing = [each for each in _READ if not (folder / each).is_file()]
    missing += [] if weights else [" or ".join(_WEIGHTS)]
    if missing:
        raise ConfigError(
            f"{folder} has no {', no '.join(missing)}. The local judge reads models in ONNX: export yours "
            "with optimum-cli export onnx --task text-classification, or name one that has the files."
        )
    return ModelFiles(name, revision, folder, weights[0])


#: Such models were trained on windows of so many tokens, also where their positions go further.
_WINDOW: Final = 512
#: Share of the window that the passage must have, or the claim is too long to be judged.
_LEAST: Final = 0.25
#: Tokens may join differently where a passage is cut.
_SLACK: Final = 4
_FED: Final = ("input_ids", "attention_mask", "token_type_ids")
_OTHER: Final = "Name a cross-encoder for natural language inference."
_ENTAILS: Final = re.compile(r"entail|support", re.IGNORECASE)
_CONTRADICTS: Final = re.compile(r"contradict|refut", re.IGNORECASE)


class Judgement(NamedTuple):
    """Probabilities that a passage entails a claim, and that it contradicts it."""

    entailment: float
    contradiction: float


class CrossEncoder:
    """A model with its tokenizer, loaded from ``files``.

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
        try:
            config: dict[str, Any] = dict(json.loads((files.folder / "config.json").read_bytes()))
            self._tokenizer = Tokenizer.from_file(str(files.folder / "tokenizer.json"))
            session = onnxruntime.InferenceSession(str(files.weights), providers=["CPUExecutionProvider"])
        except Exception as error:  # they have no common class for what they raise
            raise ConfigError(f"{files.name} cannot be loaded: {_said(error)}") from error
        self._session = session
        truncation = self._tokenizer.truncation or {}
        limits = (_WINDOW, config.get("max_position_embeddings"), truncation.get("max_length"))
        self._window = min(each for each in limits if isinstance(each, int) and each > 0)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._inputs = {each.name: each.type for each in self._session.get_inputs()}
        if unknown := self._inputs.keys() - set(_FED):
            wants = ", ".join(sorted(unknown))
            raise ConfigError(f"{files.name} wants {wants}, which a judge does not have. {_OTHER}")
        self._labels = _labels(config.get("id2label"), files.name)

    def windows(self, passage: str, claim: str) -> list[tuple[int, int]]:
        """The passage as spans that fit into the model beside the whole claim; none if that is too long."""
        room = self._window - len(self._tokenizer.encode("", claim).ids) - _SLACK
        if room < self._window * _LEAST:
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

    def judge(self, passage: str, claim: str) -> Judgement:
        """What the model says of a claim by a passage, which :meth:`windows` has made fit.

        Each pair is run by itself, so that no padding can change what is said of it.

        Raises:
            ConfigError: the model does not run, or does not give a value for each of its labels.
        """
        import numpy

        pair = self._tokenizer.encode(passage, claim)
        rows = dict(zip(_FED, (pair.ids, pair.attention_mask, pair.type_ids), strict=True))
        wide = "int32" if "tensor(int32)" in self._inputs.values() else "int64"
        fed = {name: numpy.array([rows[name]], dtype=wide) for name in self._inputs}
        try:
            # Exports have the logits first; some have hidden states behind them.
            values = numpy.asarray(self._session.run(None, fed)[0], dtype="float64")
        except Exception as error:  # the runtime has no common class for them
            raise ConfigError(f"{self.files.name} does not run: {_said(error)}") from error
        if values.shape != (1, len(self._labels)) or not numpy.isfinite(values).all():
            given = f"{self.files.name} gives {values.tolist()!s:.80} for {len(self._labels)} labels"
            raise ConfigError(f"{given}. {_OTHER}")
        logit = values[0] if len(self._labels) > 1 else numpy.array([values[0, 0], 0.0])  # of a sigmoid
        powers = numpy.exp(logit - logit.max())
        return Judgement(*(self._share(powers / powers.sum(), kind) for kind in (_ENTAILS, _CONTRADICTS)))

    def _share(self, row: Sequence[float], kind: re.Pattern[str]) -> float:
        return float(sum(share for share, label in zip(row, self._labels, strict=False) if kind.match(label)))


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _labels(told: Any, name: str) -> list[str]:
    """The labels in the order of the logits.

    Where one or two have no names, the last is entailment, as in HHEM and MiniCheck.
    """
    if not isinstance(told, dict) or not all(map(str.isdecimal, told)):
        told = {"0": "LABEL_0", "1": "LABEL_1"}  # what a config without labels stands for
    labels = [str(told[key]) for key in sorted(told, key=int)]
    if len(labels) in (1, 2) and all(re.fullmatch(r"LABEL_\d+", each) for each in labels):
        labels[-1] = "entailment"
    if not any(map(_ENTAILS.match, labels)):
        raise ConfigError(
            f"The config.json of {name} calls no label entailment or supported ({labels}). {_OTHER} "
            "Or write what its labels mean into id2label of a copy in a folder."
        )
    return labels
