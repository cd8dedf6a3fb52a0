"""safetensors.torch for every format: load_file(), save_file(), load(), save(),
save_model() and load_model()."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

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


def _same(tensors: Mapping[str, Any]) -> Dict[str, List[str]]:
    """The names of each tensor that has several: the first one, and others."""
    found: Dict[Any, List[str]] = {}
    for name, tensor in tensors.items():
        key = (name,) if not tensor.numel() else (
            tensor.device, tensor.data_ptr(), tensor.dtype, tensor.shape,
            tensor.stride())
        found.setdefault(key, []).append(name)
    return {names[0]: names[1:] for names in found.values()}


def save_model(model: Any, filename: AnyPath,
               metadata: Optional[Mapping[str, str]] = None,
               force_contiguous: bool = True) -> None:
    """The state of a torch.nn.Module.  A tensor that it has under several names
    is written once, and the metadata say which name stands for which."""
    state, texts = dict(model.state_dict()), dict(metadata or {})
    for name, others in _same(state).items():
        if not force_contiguous and not state[name].is_contiguous():
            raise ValueError(f"{name} is not contiguous, which "
                             "force_contiguous would make it")
        for other in others:
            del state[other]
            texts.setdefault(other, name)
    saving.save_file(state, filename, texts)


def load_model(model: Any, filename: AnyPath, strict: bool = True,
               device: Any = "cpu") -> Tuple[List[str], List[str]]:
    """Loads a file into a torch.nn.Module, and returns the names that it has
    not, and those that are not of the module; with `strict` they are an error.
    Of several names of one tensor, one is enough."""
    state = load_file(filename, device)
    result = model.load_state_dict(state, strict=False)
    missing, unexpected = set(result.missing_keys), result.unexpected_keys
    for name, others in _same(dict(model.state_dict())).items():
        names = [name, *others]
        if any(n in state for n in names):
            missing.difference_update(names)
    if strict and (missing or unexpected):
        said = [f"{what}: {', '.join(sorted(names))}" for what, names in (
            ("not in the file", missing), ("not in the model", unexpected))
            if names]
        raise RuntimeError(f"{filename!s} is not of this "
                           f"{type(model).__name__}: " + "; ".join(said))
    return sorted(missing), sorted(unexpected)
