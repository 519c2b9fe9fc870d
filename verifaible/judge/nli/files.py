"""The files of a model: in a folder, or fetched once from a Hugging Face repository at a pinned revision."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from verifaible.config import Settings
from verifaible.errors import ConfigError

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
        _fetch(name, revision, folder)
    return _checked(name, revision, folder)


def _fetch(name: str, revision: str, folder: Path) -> None:
    """Fetch a repository as plain files; the folder gets its name only when all are there."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise ConfigError(INSTALL) from error
    part = folder.with_name(f"{revision}.part")
    wanted = [*_READ, *(name + end for name in _WEIGHTS for end in ("", *_BESIDE))]
    endpoint = os.environ.get("HF_ENDPOINT") or None
    try:
        snapshot_download(name, revision=revision, allow_patterns=wanted, local_dir=part, endpoint=endpoint)
        shutil.rmtree(part / ".cache", ignore_errors=True)  # the client's notes
        part.rename(folder)
    except (OSError, ValueError) as error:  # its errors of HTTP, of missing files and of names are of these
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
