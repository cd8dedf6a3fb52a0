"""safetensors.torch for every format: load_file(), save_file(),
load() and save()."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from tenon import saving
from tenon.native import AnyPath


def load_file(filename: AnyPath, device: Any = "cpu") -> Dict[str, Any]:
    """All tensors as torch tensors, by name."""
    with saving.safe_open(filename, "pt", device) as file:
        return {name: file.get_tensor(name) for name in file.offset_keys()}


def save_file(tensors: Mapping[str, Any], filename: AnyPath,
              metadata: Optional[Mapping[str, str]] = None) -> None:
    saving.save_file(tensors, filename, metadata)


def load(data: bytes) -> Dict[str, Any]:
    """The same for the bytes of a file."""
    return saving.load(data, "pt")


def save(tensors: Mapping[str, Any],
         metadata: Optional[Mapping[str, str]] = None) -> bytes:
    """The bytes of a file of safetensors."""
    return saving.save(tensors, metadata)
