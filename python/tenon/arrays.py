"""Elements in memory: the pages of a file where that is possible.

A Buffer owns one array of the library.  numpy, torch and memoryviews that are
made of it keep it alive, and it keeps its pages: the model may be closed.
"""
from __future__ import annotations

import ctypes
import sys
from typing import Any, Dict, Optional, Tuple

from tenon import _api, native
from tenon._api import library

# Names of element types by their number; numpy's name for those that it has.
DTYPES: Dict[int, str] = {
    getattr(_api, "TN_" + name.upper()): name
    for name in (
        "undefined", "float32", "float64", "float16", "bfloat16",
        "float8e4m3fn", "float8e4m3fnuz", "float8e4m3b11fnuz", "float8e5m2",
        "float8e5m2fnuz", "float8e8m0", "float4e2m1", "int8", "int16", "int32",
        "int64", "int4", "int2", "uint8", "uint16", "uint32", "uint64",
        "uint4", "uint2", "bool", "complex64", "complex128", "string", "qint8",
        "quint8", "qint16", "quint16", "qint32", "resource", "variant")}
NUMBERS = {name: number for number, name in DTYPES.items()}
TYPESTRS = {
    "float32": "<f4", "float64": "<f8", "float16": "<f2", "int8": "|i1",
    "int16": "<i2", "int32": "<i4", "int64": "<i8", "uint8": "|u1",
    "uint16": "<u2", "uint32": "<u4", "uint64": "<u8", "bool": "|b1",
    "complex64": "<c8", "complex128": "<c16", "qint8": "|i1", "quint8": "|u1",
    "qint16": "<i2", "quint16": "<u2", "qint32": "<i4"}
# Types that only ml_dtypes has: its name, and what numpy gets without it.
ML_DTYPES = {
    "bfloat16": ("bfloat16", "<u2"),
    "float8e4m3fn": ("float8_e4m3fn", "|u1"),
    "float8e4m3fnuz": ("float8_e4m3fnuz", "|u1"),
    "float8e4m3b11fnuz": ("float8_e4m3b11fnuz", "|u1"),
    "float8e5m2": ("float8_e5m2", "|u1"),
    "float8e5m2fnuz": ("float8_e5m2fnuz", "|u1"),
    "float8e8m0": ("float8_e8m0fnu", "|u1"),
    "float4e2m1": ("float4_e2m1fn", "|u1"),
    "int4": ("int4", "|i1"), "uint4": ("uint4", "|u1"),
    "int2": ("int2", "|i1"), "uint2": ("uint2", "|u1")}
TORCH = {"float32": "float32", "float64": "float64", "float16": "float16",
         "bfloat16": "bfloat16", "int8": "int8", "int16": "int16",
         "int32": "int32", "int64": "int64", "uint8": "uint8", "bool": "bool",
         "complex64": "complex64", "complex128": "complex128",
         "float8e4m3fn": "float8_e4m3fn", "float8e5m2": "float8_e5m2",
         "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
         "qint8": "int8", "quint8": "uint8", "qint32": "int32",
         "int4": "int8", "uint4": "uint8", "int2": "int8", "uint2": "uint8"}
# What has all their numbers in a torch without unsigned types.
WIDER = {"uint16": "int32", "quint16": "int32", "uint32": "int64",
         "uint64": "int64"}


def size_of(dtype: str) -> int:
    """Bytes of an element; 0 for strings."""
    return library.tn_dtype_size(NUMBERS.get(dtype, 0))


def typestr(dtype: str) -> str:
    """What __array_interface__ calls a type; raw integers for types that numpy
    does not have."""
    return TYPESTRS.get(dtype) or ML_DTYPES[dtype][1]


def numpy_dtype(dtype: str) -> Any:
    """numpy's type; that of ml_dtypes where it is installed and has it, else
    raw integers."""
    import numpy
    if dtype in ML_DTYPES:
        try:
            import importlib
            ml_dtypes: Any = importlib.import_module("ml_dtypes")
            return numpy.dtype(getattr(ml_dtypes, ML_DTYPES[dtype][0]))
        except (ImportError, AttributeError):
            pass
    return numpy.dtype(typestr(dtype))


def torch_dtype(dtype: str) -> Any:
    """torch's type, or None if this torch has none."""
    import torch
    return getattr(torch, TORCH.get(dtype, ""), None)


def dtype_of(array: Any) -> str:
    """The type of a numpy array or a torch tensor, in our words."""
    name = str(array.dtype)
    if name.startswith("torch."):
        name = name[6:]
        for ours, theirs in TORCH.items():
            if theirs == name:
                return ours
    for ours, (theirs, _) in ML_DTYPES.items():
        if theirs == name:
            return ours
    kind = getattr(array.dtype, "str", "")
    for ours, theirs in TYPESTRS.items():
        if theirs == "<" + kind[1:] or theirs == "|" + kind[1:]:
            return ours
    raise TypeError(f"there is no element type for {name}")


# ---- DLPack ---------------------------------------------------------------------

_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype = ctypes.py_object
_capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
# In C, because a capsule that nobody could take goes while an exception is on
# its way.
_done: Any = library.tn_array_capsule_done
_capsule_done = ctypes.cast(_done, ctypes.c_void_p)


# ---- arrays ---------------------------------------------------------------------


class Buffer(native.Uncopied):
    """One array of the library: a view of a file, or decoded elements."""

    _handle: Any = None

    def __init__(self, tensor: Any, keeper: Any, slice: Optional[str] = None,
                 unaligned: bool = False, copy: bool = False,
                 progress: Optional[native.Progress] = None) -> None:
        how = _api.tn_array_options(
            size=ctypes.sizeof(_api.tn_array_options),
            slice=None if slice is None else slice.encode(),
            allows_unaligned=unaligned, is_copied=copy)
        watch = native.Watch(progress)
        made = ctypes.c_void_p()
        watch.call("tn_array_open", ctypes.byref(made), tensor,
                   ctypes.byref(how), ctypes.byref(watch.options()))
        del keeper  # the model was needed until now
        self._handle = made
        info = library.tn_array_get(made).contents
        self.address: int = info.data
        self.nbytes: int = info.size
        self.dtype = DTYPES[info.dtype]
        self.shape: Tuple[int, ...] = tuple(info.dims[i]
                                            for i in range(info.rank))
        self.is_mapped: bool = info.is_mapped

    def __del__(self) -> None:
        if self._handle:
            library.tn_array_close(self._handle)

    @property
    def data(self) -> memoryview:
        """The bytes, writable: writing never changes the file."""
        if not self.nbytes:
            return memoryview(bytearray())
        owner: Any = (ctypes.c_ubyte * self.nbytes).from_address(self.address)
        owner._buffer = self  # as long as there is a view of it
        return memoryview(owner).cast("B")

    def interface(self, writable: bool) -> Dict[str, Any]:
        return {"version": 3, "shape": self.shape,
                "typestr": typestr(self.dtype),
                "data": (self.address, not writable)}

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        return self.interface(True)

    def numpy(self, writable: bool = False) -> Any:
        import numpy
        array = numpy.asarray(self)
        wanted = numpy_dtype(self.dtype)
        if array.dtype != wanted:
            array = array.view(wanted)
        if not writable:
            array.flags.writeable = False
        return array

    def torch(self) -> Any:
        import torch
        wanted = torch_dtype(self.dtype)
        if wanted is None and self.dtype in WIDER:
            return self._widened()
        if wanted is None:  # raw
            raw: Dict[int, Any] = {1: torch.uint8, 2: torch.int16,
                                   4: torch.int32, 8: torch.int64}
            wanted = raw[size_of(self.dtype)]
        if not self.nbytes:
            return torch.empty(self.shape, dtype=wanted)
        return torch.frombuffer(self.data, dtype=wanted).reshape(self.shape)

    def _widened(self) -> Any:
        """The same numbers in a type that this torch has."""
        import torch
        size, number = size_of(self.dtype), getattr(torch, WIDER[self.dtype])
        if not self.nbytes:
            return torch.empty(self.shape, dtype=number)
        raw = torch.frombuffer(self.data, dtype={
            2: torch.int16, 4: torch.int32, 8: torch.int64}[size])
        if size == 8:
            if int(raw.min()) < 0:
                raise OverflowError("this torch has no uint64, and some "
                                    "elements are 2^63 or more")
            return raw.reshape(self.shape)
        return (raw.to(number) & (1 << 8 * size) - 1).reshape(self.shape)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, stream: Any = None, max_version: Any = None,
                   dl_device: Any = None, copy: Any = None) -> Any:
        if dl_device is not None and tuple(dl_device) != (1, 0):
            raise BufferError(f"the elements are on the CPU, not on the "
                              f"device {dl_device!r}")
        if copy:
            raise BufferError("a buffer is not copied: Tensor.buffer(copy="
                              "True) makes one that is")
        managed = ctypes.c_void_p()
        native.call("tn_array_dlpack", self._handle, ctypes.byref(managed))
        return _capsule_new(managed, b"dltensor", _capsule_done)


if sys.byteorder != "little":  # elements are little-endian, and stay so
    def _no_dlpack(self: Buffer, **_: Any) -> Any:
        raise BufferError("DLPack has no type for little-endian elements here")
    setattr(Buffer, "__dlpack__", _no_dlpack)
