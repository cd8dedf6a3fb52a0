"""Files of tensors with the interface of safetensors, for every format."""
from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

from tenon import arrays, models, native
from tenon.native import AnyPath, Progress

_FRAMEWORKS = {"np": "np", "numpy": "np", "pt": "pt", "torch": "pt",
               "pytorch": "pt"}


class SafeSlice:
    """A tensor that is read by parts: file.get_slice("w")[10:20]."""

    def __init__(self, tensor: models.Tensor, framework: str,
                 device: Any) -> None:
        self._tensor, self._framework = tensor, framework
        self._device = device

    def get_shape(self) -> List[int]:
        return list(self._tensor.shape)

    def get_dtype(self) -> str:
        """As safetensors calls it: "F32"."""
        return _DTYPES.get(self._tensor.dtype, self._tensor.dtype.upper())

    def __getitem__(self, index: Any) -> Any:
        if self._framework == "np":
            return self._tensor._take(index, True)
        part = self._tensor._part(index, True)
        return _move(self._tensor.torch()[index] if part is None
                     else part.torch(), self._device)


_DTYPES = {"float32": "F32", "float64": "F64", "float16": "F16",
           "bfloat16": "BF16", "float8e4m3fn": "F8_E4M3",
           "float8e5m2": "F8_E5M2", "float8e8m0": "F8_E8M0",
           "float4e2m1": "F4", "complex64": "C64", "int8": "I8", "int16": "I16",
           "int32": "I32", "int64": "I64", "uint8": "U8", "uint16": "U16",
           "uint32": "U32", "uint64": "U64", "bool": "BOOL"}


def _move(tensor: Any, device: Any) -> Any:
    return tensor if device in (None, "cpu") else tensor.to(device)


class SafeFile:
    """What safe_open() returns; use it in a `with`."""

    def __init__(self, filename: Any, framework: str = "np",
                 device: Any = "cpu", max_expand: int = 0) -> None:
        if framework not in _FRAMEWORKS:
            raise ValueError(f"the framework is 'np' or 'pt', not "
                             f"{framework!r}")
        self._framework = _FRAMEWORKS[framework]
        self._device = device
        self._model = models.Model.open(filename, graph=False,
                                        max_expand=max_expand)
        self._given: Set[str] = set()

    def __enter__(self) -> "SafeFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._model.close()

    def keys(self) -> List[str]:
        """Names of all tensors."""
        return sorted(self._model.tensors)

    def offset_keys(self) -> List[str]:
        """The same in the order of their bytes."""
        return self._model.tensors._by_offset()

    def __len__(self) -> int:
        return len(self._model.tensors)

    def __iter__(self) -> Any:
        return iter(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self._model.tensors

    def metadata(self) -> Optional[Dict[str, str]]:
        """Keys and values that the writer put there; None if there are none."""
        return self._model._texts() or None

    def _find(self, name: str) -> models.Tensor:
        return self._model._named(name)

    def get_tensor(self, name: str) -> Any:
        """A tensor: the file's own pages where that is possible.

        As in safetensors, an array of numpy is the caller's: pages go to the
        first one who asks for the tensor, others get a copy of the file's."""
        tensor = self._find(name)
        if self._framework == "np":
            array = tensor.numpy(writable=True, copy=name in self._given)
            self._given.add(name)
            return array
        return _move(tensor.torch(), self._device)

    def get_slice(self, name: str) -> SafeSlice:
        return SafeSlice(self._find(name), self._framework, self._device)


def safe_open(filename: Any, framework: str = "np", device: Any = "cpu",
              max_expand: int = 0) -> SafeFile:
    """Opens a file of any format with safetensors' interface: keys(),
    get_tensor(), get_slice(), metadata(), offset_keys().  `filename` may be a
    file object, and `max_expand` is that, as for tenon.open()."""
    return SafeFile(filename, framework, device, max_expand)


SafetensorError = native.Error  # as programs for safetensors call it


# ---- writing --------------------------------------------------------------------


def _address(array: Any) -> Tuple[str, Tuple[int, ...], int, int, Any]:
    """Type, shape, address and bytes of an array, and what owns them: itself,
    unless it has to be copied."""
    if type(array).__module__.split(".")[0] == "torch":
        tensor = array.detach()
        if str(tensor.layout) != "torch.strided" or tensor.is_quantized:
            raise TypeError("sparse and quantised tensors of torch cannot be "
                            "saved")
        if tensor.device.type != "cpu":
            tensor = tensor.cpu()
        tensor = tensor.resolve_conj().resolve_neg().contiguous()
        return (arrays.dtype_of(tensor), tuple(tensor.shape),
                tensor.data_ptr(), tensor.numel() * tensor.element_size(),
                tensor)
    if isinstance(array, models.Tensor):
        buffer = array.buffer(unaligned=True)
        return (buffer.dtype, buffer.shape, buffer.address, buffer.nbytes,
                buffer)
    import numpy
    if not hasattr(array, "__array__") and not hasattr(
            array, "__array_interface__"):
        raise TypeError(f"a tensor is an array of numpy or torch, not "
                        f"{type(array).__name__}")
    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError("a masked array has no place for its mask: save "
                        "filled() or data")
    plain = numpy.ascontiguousarray(array).reshape(numpy.shape(array))
    if plain.dtype.byteorder == ">" or (plain.dtype.byteorder == "="
                                        and sys.byteorder == "big"):
        plain = plain.astype(plain.dtype.newbyteorder("<"))
    return (arrays.dtype_of(plain), plain.shape,
            plain.__array_interface__["data"][0], plain.nbytes, plain)


def _format_of(path: AnyPath, format: Optional[str]) -> str:
    """The format of tensors alone that is named, or that the end of a path
    says."""
    name = os.fsdecode(native.path(path)).lower()
    rows = [row for row in models.formats()
            if row["can_write"] and not row["dialect"]]
    for row in rows:
        if row["name"] == format or format is None and any(
                name.endswith(suffix.lower()) for suffix in row["suffixes"]
                if suffix.startswith(".")):
            return str(row["name"])
    listed = ", ".join(sorted(row["name"] for row in rows))
    if format is not None:
        raise ValueError(f"save_file() writes {listed}, not {format!r}")
    raise ValueError(f"cannot tell the format from {name!r}: use format=, "
                     f"which is one of {listed}")


def save_file(tensors: Mapping[str, Any], path: AnyPath,
              metadata: Optional[Mapping[str, str]] = None,
              format: Optional[str] = None, replace: bool = True,
              settings: models.Settings = None,
              progress: Optional[Progress] = None) -> None:
    """Writes arrays of numpy or torch, by name, into a file of tensors: .npz,
    .safetensors, .gguf, .pdparams, .pdiparams, .pt, or a checkpoint (.index).

    Nothing is copied, and the file appears when it is complete; it replaces an
    old one unless replace=False.  Elements that the format does not have are an
    error."""
    if not isinstance(tensors, Mapping):
        raise TypeError(f"tensors are a dict of names and arrays, not "
                        f"{type(tensors).__name__}")
    format = _format_of(path, format)
    with models.Edit.new(format) as edit:
        for name, array in tensors.items():
            if not isinstance(name, str):
                raise TypeError(f"a tensor has a name, not {name!r}")
            if not name:
                raise ValueError("a tensor has a name that is not empty")
            edit._borrow(name, *_address(array))
        for key, value in dict(metadata or {}).items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise TypeError(f"metadata are texts, not {key!r}: {value!r}")
            edit.set_metadata(key, value)
        with edit.commit() as model:
            model.convert(path, format, replace, settings, strict=True,
                          progress=progress)


def save(tensors: Mapping[str, Any],
         metadata: Optional[Mapping[str, str]] = None) -> bytes:
    """The bytes of a file of safetensors."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved.safetensors")
        save_file(tensors, path, metadata)
        with open(path, "rb") as file:
            return file.read()


def load(data: bytes, framework: str) -> Dict[str, Any]:
    """All tensors of a file of any format that is in memory."""
    import io
    with safe_open(io.BytesIO(data), framework) as file:
        return {name: file.get_tensor(name) for name in file.offset_keys()}
