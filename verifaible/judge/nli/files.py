"""The files of a model: in a folder, or fetched once from a Hugging Face repository at a pinned revision."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from verifaible.config import Settings
from verifaible.errors import ConfigError

INSTALL: Final = "The local judge needs more packages. Run: pip install 'verifaible[nli]'"
_WEIGHTS: Final = ("model.onnx", "onnx/model.onnx")
#: Weights beyond two gigabytes stand in a file beside the model, which calls it by one of these names.
_BESIDE: Final = ("_data", ".data")
_WANTED: Final = [
    "config.json",
    "tokenizer.json",
    *_WEIGHTS,
    *(f"{name}{end}" for name in _WEIGHTS for end in _BESIDE),
]
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model is.

    Attributes:
        name: of the repository, or of the folder.
        revision: the commit of the repository; empty for a folder.
        folder: holds ``config.json``, ``tokenizer.json`` and the weights.
        weights: the ONNX file.
    """

    name: str
    revision: str
    folder: Path
    weights: Path

    def sha256(self) -> dict[str, str]:
        """SHA-256 of each file that decides what the model says, by its name within the folder."""
        beside = [self.weights.with_name(self.weights.name + end) for end in _BESIDE]
        paths = [self.folder / "config.json", self.folder / "tokenizer.json", self.weights, *beside]
        return {path.relative_to(self.folder).as_posix(): _digest(path) for path in paths if path.is_file()}


def _digest(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def find_model(settings: Settings) -> ModelFiles:
    """The model that the settings name; a repository is fetched into ``models/`` of the home, once.

    Raises:
        ConfigError: none is named, its files are missing, or they cannot be fetched.
    """
    name, revision = settings.nli_model.strip(), settings.nli_revision.strip().lower()
    if not name:
        raise ConfigError(
            "No local judge is named. Set VERIFAIBLE_NLI_MODEL to the folder of a model, or to a Hugging Face "
            "repository with VERIFAIBLE_NLI_REVISION."
        )
    folder = Path(name)
    if folder.is_dir():
        return _checked(folder.resolve().name, "", folder)
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", name) or ".." in name:
        raise ConfigError(
            f"VERIFAIBLE_NLI_MODEL is {name!r}: there is no such folder, and a Hugging Face repository is "
            "written owner/name."
        )
    if not _COMMIT.fullmatch(revision):
        raise ConfigError(
            f"VERIFAIBLE_NLI_REVISION must be the whole commit hash (40 hex digits) of {name} that you "
            f"calibrate and judge with, not {revision!r}: a branch may change under its name."
        )
    folder = settings.home / "models" / name.replace("/", "--") / revision
    if not folder.is_dir():
        _fetch(name, revision, folder)
    return _checked(name, revision, folder)


def _fetch(name: str, revision: str, folder: Path) -> None:
    """Fetch the files of a repository as plain files; the folder has its name only when all are there."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, HfHubHTTPError, LocalEntryNotFoundError
    except ImportError as error:
        raise ConfigError(INSTALL) from error
    part = folder.with_name(f"{revision}.part")
    try:
        snapshot_download(
            name,
            revision=revision,
            local_dir=part,
            allow_patterns=_WANTED,
            endpoint=os.environ.get("HF_ENDPOINT") or None,
        )
        shutil.rmtree(part / ".cache", ignore_errors=True)  # the client's notes
        part.rename(folder)
    except (HfHubHTTPError, LocalEntryNotFoundError, HFValidationError, OSError) as error:
        said = " ".join(str(error).split())[:300]
        raise ConfigError(
            f"{name} at {revision[:12]} could not be fetched: {said} Look at VERIFAIBLE_NLI_MODEL and "
            "VERIFAIBLE_NLI_REVISION, or put the files into a folder and name that."
        ) from error


def _checked(name: str, revision: str, folder: Path) -> ModelFiles:
    weights = next((path for each in _WEIGHTS if (path := folder / each).is_file()), None)
    missing = [each for each in ("config.json", "tokenizer.json") if not (folder / each).is_file()]
    if weights is None:
        missing.append(" or ".join(_WEIGHTS))
    if missing or weights is None:
        raise ConfigError(
            f"{folder} has no {', no '.join(missing)}. The local judge reads models in ONNX: export yours with "
            "optimum-cli export onnx --task text-classification, or name one that has the files."
        )
    return ModelFiles(name, revision, folder, weights)
