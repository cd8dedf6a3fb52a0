"""Models of any format: tensors, graph, metadata, and the verbs of the command.

    with tenon.open("model.onnx") as model:
        print(model.format, model.inputs, list(model.tensors))
        weights = model.tensors["w"].numpy()     # no copy where that can be
        model.convert("model.safetensors")
        with model.edit() as edit:
            edit.rename("x=input")
            edit.commit().write("renamed.onnx")

The functions are those of include/tenon; names of theirs that have a method
here mean the same.
"""
from __future__ import annotations

import builtins
import contextlib
import ctypes
import errno
import itertools
import operator
import os
import weakref
from typing import (IO, Any, Callable, Dict, Iterable, Iterator, List,
                    Mapping, NamedTuple, Optional, Sequence, Tuple, Union)

from tenon import _api, arrays, native
from tenon._api import library
from tenon.native import AnyPath, Bytes, Progress, decoded

CONSTANT, TRAINED, PLACEHOLDER = "constant", "trained", "placeholder"
_KINDS = [CONSTANT, TRAINED, PLACEHOLDER]  # enum tn_variable_kind
_ROLES = ["initializer", "attribute", "variable", "sparse-values",
          "sparse-indices", "state"]  # enum tn_role
_U64 = ctypes.c_uint64
_TEXT = ctypes.c_char_p
_NONE = _api.TN_NONE
_NOTHING = contextlib.nullcontext()
Setting = Union[str, bytes, int, bool]
Settings = Optional[Mapping[str, Setting]]


def _encode(text: Any) -> bytes:
    if isinstance(text, (bytes, bytearray)):
        data = bytes(text)
    else:
        path = os.fspath(text)
        data = path.encode() if isinstance(path, str) else path
    if b"\0" in data:
        raise ValueError(f"{native.short(text)} has a zero byte")
    return data


def _or_none(text: Any) -> Optional[bytes]:
    return None if text is None else _encode(text)


def _texts(values: Optional[Iterable[Any]], what: str) -> Tuple[Any, int]:
    """An array of texts, and its length."""
    encoded = [_encode(v) for v in native.listed(values or [], what)]
    return (_TEXT * len(encoded))(*encoded), len(encoded)


def _value(value: Any) -> bytes:
    """The text of a setting: a flag may be a bool, a size a number."""
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, int):
        return str(value).encode()
    return _encode(value)


def _settings(settings: Settings) -> Tuple[Any, int]:
    """A dict as an array of struct tn_setting, and its length."""
    rows = [_api.tn_setting(_encode(name), _value(value))
            for name, value in dict(settings or {}).items()]
    return (_api.tn_setting * len(rows))(*rows), len(rows)


def _sized(kind: Any, **fields: Any) -> Any:
    return kind(size=ctypes.sizeof(kind), **fields)


def _words(texts: Any) -> List[str]:
    """The texts of a struct tn_texts: at once, where none contains a zero."""
    if not texts.count:
        return []
    # texts.bytes would end at the first zero.
    address = ctypes.c_void_p.from_buffer(texts, getattr(_api.tn_texts, "bytes").offset)
    data = ctypes.string_at(address, texts.size)
    if not texts.has_zeros:
        words = data[:-1].decode("utf-8", "replace").split("\0")
        if len(words) == texts.count:
            return words
    ends = texts.ends[:texts.count]
    return [data[begin:end].decode("utf-8", "replace")
            for begin, end in zip([0] + [e + 1 for e in ends], ends)]


_SIZES = {"B": 1, "I": 4, "Q": 8}


def _column(pointer: Any, count: int, code: str) -> Any:
    """A copy of an array of numbers, as a sequence."""
    if not count:
        return memoryview(b"").cast(code)
    address = pointer if isinstance(pointer, int) else ctypes.addressof(
        pointer.contents)
    data = ctypes.string_at(address, count * _SIZES[code])
    return memoryview(data).cast(code)


# ---- formats ----------------------------------------------------------------------

_OPTION_KINDS = ["flag", "text", "file", "size", "choice"]  # tn_option_kind


def _format_options(index: int) -> List[Dict[str, Any]]:
    options: List[Dict[str, Any]] = []
    while True:
        row = library.tn_format_option(index, len(options))
        if not row:
            return options
        option = row.contents
        text = {key: None if getattr(option, name) is None
                else getattr(option, name).decode()
                for key, name in (("name", "name"), ("value", "value"),
                                  ("default", "standard"), ("help", "help"),
                                  ("needs", "needs"),
                                  ("excludes", "excludes"))}
        options.append({**text, "kind": _OPTION_KINDS[option.kind],
                        "is_for_reading": option.is_for_reading})


def formats() -> List[Dict[str, Any]]:
    """The formats of this build, a dict each: name, title, dialect, suffixes,
    can_read, can_write, and the options that open() and convert() take as
    settings."""
    rows = []
    for i in range(library.tn_format_count()):
        info = library.tn_format_at(i)
        suffixes: List[str] = []
        while info.suffixes and info.suffixes[len(suffixes)]:
            suffixes.append(info.suffixes[len(suffixes)].decode())
        rows.append({"name": (info.name or b"").decode(),
                     "title": (info.title or b"").decode(),
                     "dialect": (info.dialect or b"").decode(),
                     "suffixes": suffixes,
                     "can_read": info.can_read, "can_write": info.can_write,
                     "options": _format_options(i)})
    return rows


# ---- inputs, outputs, signatures ----------------------------------------------------


class Value(NamedTuple):
    """An input or output.  shape is None if the rank is unknown; a size that is
    unknown is None or its name."""
    name: str
    dtype: str
    shape: Optional[Tuple[Union[int, str, None], ...]]
    key: str = ""
    has_default: bool = False


class Signature(NamedTuple):
    name: str
    method: str
    inputs: List[Value]
    outputs: List[Value]


def _dim(dim: Any) -> Union[int, str, None]:
    if dim.value >= 0:
        return int(dim.value)
    return decoded(dim.symbol) or None


def _values(listed: Any) -> List[Value]:
    rows = []
    for i in range(listed.count):
        io = listed.items[i]
        shape = tuple(_dim(io.dims[k]) for k in range(io.rank)) \
            if io.has_rank else None
        rows.append(Value(decoded(io.name), arrays.DTYPES[io.dtype], shape,
                          decoded(io.key), io.has_default))
    return rows


# ---- tensors ------------------------------------------------------------------------

Index = Any
_GET_FORMS = {"npy": _api.TN_GET_NPY, "raw": _api.TN_GET_RAW,
              "text": _api.TN_GET_TEXT}


_FARTHEST = 2**63 - 1


def _bound(value: Any) -> str:
    """The bound of a slice: all that are farther mean the same."""
    if value is None:
        return ""
    return str(max(-_FARTHEST, min(operator.index(value), _FARTHEST)))


def _slice_text(index: Index, rank: int) -> Optional[str]:
    """An index in the syntax of the library; None for one that it does not
    have: lists, masks, None, steps backwards."""
    words = []
    for part in index if isinstance(index, tuple) else (index,):
        if part is Ellipsis:
            words.append("...")
        elif part is None or isinstance(part, bool):
            return None
        elif isinstance(part, slice):
            if part.step is not None and operator.index(part.step) <= 0:
                return None
            words.append(":".join(map(_bound, (part.start, part.stop,
                                               part.step))))
        else:
            try:
                words.append(_bound(part))
            except TypeError:
                return None
    return ",".join(words) if words and rank else None


class Tensor:
    """A tensor of an open model.

    name, dtype ("float32"), shape, role ("variable", "state", ...)
    state  (parameter, key) if an updater keeps it, else None

    numpy(), torch() and data are the pages of the file where that is possible:
    they keep what they need, also when the model is closed.  Writing to them
    changes them, never the file; numpy arrays are read-only unless asked."""

    _keep: Any = None

    def __init__(self, model: "Model", index: int) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a tensor is one of a Model, not of {model!r}")
        handle = library.tn_model_tensor(
            model._expect_open(), native.whole(index, 64, "an index"))
        if not handle:
            raise ValueError(f"the model has no tensor {index}")
        self._read(model, handle)

    @classmethod
    def _of(cls, model: "Model", handle: int, keep: Any = None) -> "Tensor":
        tensor = cls.__new__(cls)
        tensor._keep = keep
        tensor._read(model, handle)
        return tensor

    def _read(self, model: "Model", handle: int) -> None:
        self._model, self._handle = model, handle
        self._owner = model._expect_open()  # it is in there
        self._pinned: Optional[arrays.Buffer] = None
        self.name = decoded(library.tn_tensor_name(handle))
        self.dtype = arrays.DTYPES[library.tn_tensor_dtype(handle)]
        dims = library.tn_tensor_dims(handle)
        self.shape: Tuple[int, ...] = tuple(
            dims[i] for i in range(library.tn_tensor_rank(handle)))

    def _expect_open(self) -> int:
        self._model._expect_open()
        return self._handle

    def __repr__(self) -> str:
        return f"<tenon.Tensor {self.name!r} {self.dtype}{list(self.shape)}>"

    @property
    def role(self) -> str:
        return _ROLES[library.tn_tensor_role(self._expect_open())]

    @property
    def state(self) -> Optional[Tuple[str, str]]:
        parameter, key = Bytes(), Bytes()
        if not library.tn_tensor_state(self._expect_open(),
                                       ctypes.byref(parameter),
                                       ctypes.byref(key)):
            return None
        return decoded(parameter), decoded(key)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def count(self) -> int:
        """Elements."""
        return library.tn_tensor_count(self._expect_open())

    @property
    def nbytes(self) -> int:
        """Bytes of all elements; 0 for strings."""
        return library.tn_tensor_size(self._expect_open())

    @property
    def file(self) -> str:
        """The file that it is stored in; "" is the main one."""
        return (library.tn_tensor_file(self._expect_open()) or b"").decode(
            "utf-8", "replace")

    @property
    def offset(self) -> Optional[int]:
        """Where it is stored in that file; None if no byte is stored."""
        offset = library.tn_tensor_offset(self._expect_open())
        return None if offset == native.NOWHERE else offset

    @property
    def storage(self) -> str:
        """How it is stored: "raw", "typed", "external", "view", ..."""
        return (library.tn_tensor_storage(self._expect_open()) or b"").decode()

    @property
    def path(self) -> str:
        """Its path in the model, such as graph.node[15].attribute[0].t."""
        room = ctypes.create_string_buffer(1024)
        library.tn_tensor_path(self._expect_open(), room, 1024)
        return room.value.decode("utf-8", "replace")

    @property
    def blocks(self) -> Optional[str]:
        """The kind of quantised blocks that it is stored in, or None."""
        info = _api.tn_block_info()
        if library.tn_tensor_blocks(self._expect_open(), ctypes.byref(info)):
            return (info.name or b"").decode()
        return None

    @property
    def levels(self) -> List[List[int]]:
        """Where its sequences begin (LoD): lists of offsets, the outermost
        level first."""
        handle = self._expect_open()
        return [self._level(i)
                for i in range(library.tn_tensor_level_count(handle))]

    def _level(self, index: int) -> List[int]:
        count = _U64()
        native.call("tn_tensor_level", self._handle, index, None, 0,
                    ctypes.byref(count))
        offsets = (_U64 * count.value)()
        native.call("tn_tensor_level", self._handle, index, offsets,
                    count.value, ctypes.byref(count))
        return list(offsets)

    def hash(self) -> str:
        """SHA-256 over type, shape and elements: the same in every format."""
        digest = (ctypes.c_uint8 * _api.TN_HASH_SIZE)()
        with self._model._reading():
            native.call("tn_tensor_hash", self._expect_open(), digest)
        return bytes(digest).hex()

    # ---- elements -----------------------------------------------------------------

    def read(self) -> bytes:
        """A copy of all elements: little-endian, in C order."""
        handle = self._expect_open()
        with self._model._reading():
            return native.read("tn_tensor_read", handle,
                               library.tn_tensor_size(handle))

    def buffer(self, unaligned: bool = False, copy: bool = False,
               progress: Optional[Progress] = None) -> arrays.Buffer:
        """The elements in memory; what is made of it keeps it."""
        with self._model._reading():
            return arrays.Buffer(self._expect_open(), self._owner,
                                 unaligned=unaligned, copy=copy,
                                 progress=progress)

    def _pin(self) -> arrays.Buffer:
        if self._pinned is None:
            self._pinned = self.buffer()
        return self._pinned

    @property
    def data(self) -> memoryview:
        """The bytes of all elements: little-endian, in C order."""
        return self.buffer(unaligned=True).data

    def __buffer__(self, flags: int) -> memoryview:
        return self.data

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        if self.dtype not in arrays.TYPESTRS:  # __array__ has them
            raise AttributeError(f"{self.dtype} has no __array_interface__")
        return self._pin().interface(False)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        """What numpy() gives, for numpy's own functions."""
        array = self.numpy(copy=bool(copy))
        if copy is False and (dtype not in (None, array.dtype) or not (
                arrays.size_of(self.dtype) and self.buffer(True).is_mapped)):
            raise ValueError(f"{self!r} is not stored as this array has it, "
                             "and cannot be given without a copy")
        return array if dtype is None else array.astype(dtype, copy=False)

    def __bytes__(self) -> bytes:
        return self.read()

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, stream: Any = None, max_version: Any = None,
                   dl_device: Any = None, copy: Any = None) -> Any:
        buffer = self.buffer(copy=True) if copy else self._pin()
        return buffer.__dlpack__(dl_device=dl_device)

    def strings(self) -> List[bytes]:
        """The elements of a tensor of strings."""
        watch, found = native.Watch(), []

        def each(_context: Any, _index: int, text: Any) -> None:
            found.append(ctypes.string_at(text.data, text.size)
                         if text.size else b"")

        with self._model._reading():
            watch.call("tn_tensor_strings", self._expect_open(), 0,
                       library.tn_tensor_count(self._handle),
                       _api.tn_on_string(watch.guard(each)), None)
        return found

    def numpy(self, writable: bool = False, copy: bool = False,
              progress: Optional[Progress] = None) -> Any:
        """A numpy array, read-only unless it is `writable` or a `copy`."""
        writable = bool(writable or copy)
        if not arrays.size_of(self.dtype):
            import numpy
            array = numpy.array(self.strings(), dtype=object)
            array = array.reshape(self.shape)
            if not writable:
                array.flags.writeable = False
            return array
        return self.buffer(True, bool(copy), progress).numpy(writable)

    def torch(self, copy: bool = False,
              progress: Optional[Progress] = None) -> Any:
        """A torch tensor on the CPU."""
        return self.buffer(False, bool(copy), progress).torch()

    def save(self, path: AnyPath, form: str = "npy",
             slice: Optional[str] = None, replace: bool = False,
             progress: Optional[Progress] = None) -> None:
        """Writes it, or a slice ("0:10,::2"), as `tenon get` does: "npy", "raw"
        or "text"."""
        watch = native.Watch(progress)
        options = _sized(_api.tn_get_options,
                         form=native.chosen(_GET_FORMS, form, "form"),
                         slice=_or_none(slice))
        target = _api.tn_target(native.path(path), bool(replace))
        with self._model._reading():
            watch.call("tn_get", self._expect_open(), ctypes.byref(options),
                       ctypes.byref(target), ctypes.byref(watch.options()))

    def statistics(self) -> "Statistics":
        """What its elements are like, from one pass over them."""
        return _statistics(self._model, [self], None)[0]

    def __getitem__(self, index: Index) -> Any:
        """A numpy array of a part: only what it needs is read."""
        return self._take(index, False)

    def _take(self, index: Index, own: bool) -> Any:
        """With `own`, an array that may be written to, and that no other array
        of this tensor changes."""
        part = self._part(index, False, own)
        if part is None:
            return self.numpy(own, own)[index]
        array = part.numpy(own)
        # numpy, too, makes a number of an element, unless there is an `...`.
        has_dots = any(word is Ellipsis for word in (
            index if isinstance(index, tuple) else (index,)))
        return array if array.ndim or has_dots else array[()]

    def _part(self, index: Index, aligned: bool,
              own: bool = False) -> Optional[arrays.Buffer]:
        """A part that is read alone; None if the whole is as good: its pages,
        of which only those of the part are touched, or an index that the
        library does not have."""
        handle, size = self._expect_open(), arrays.size_of(self.dtype)
        text = _slice_text(index, len(self.shape))
        is_mapped = self._model._is_mapped() and self.storage in (
            "raw", "external", "shard")
        if text is None or not size or (is_mapped and not own and not (
                aligned and (self.offset or 0) % size)):
            return None
        try:
            with self._model._reading():
                return arrays.Buffer(handle, self._owner, slice=text)
        except native.InvalidError as error:
            raise IndexError(error.what) from None

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor without dimensions has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def item(self) -> Any:
        """The only element, as a number of Python."""
        if self.count != 1:
            raise ValueError(f"{self!r} has {self.count} elements, not one")
        return self.numpy().item()

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())


class Tensors(Mapping[str, Tensor]):
    """The tensors of a model by name, in the order of the file.

    Nothing is read before it is asked for; all names, types and shapes come in
    one call.  If several tensors have a name, the first one that is not in an
    attribute is meant; `model.tensors()` lists all of them.  A tensor that has
    no name is called by its path, as by `tenon ls`."""

    def __init__(self, model: "Model") -> None:
        if not isinstance(model, Model):
            raise TypeError(f"tensors are those of a Model, not of {model!r}")
        self._model = model

    def _listed(self) -> Any:
        """names, dtypes, roles, ranks, dims, sizes and offsets of all
        tensors."""
        if self._model._tensor_columns is None:
            made = ctypes.POINTER(_api.tn_tensor_list)()
            native.call("tn_tensor_list_open", ctypes.byref(made),
                        self._model._expect_open())
            row = made.contents
            count = row.count
            names = _words(row.names)
            if "" in names:
                names = [name or Tensor(self._model, i).path
                         for i, name in enumerate(names)]
            self._model._tensor_columns = (
                names, _column(row.dtypes, count, "B"),
                _column(row.roles, count, "B"), _column(row.ranks, count, "I"),
                _column(row.dims, row.dim_count, "Q"),
                _column(row.sizes, count, "Q"),
                _column(row.offsets, count, "Q"))
            library.tn_tensor_list_close(made)
        return self._model._tensor_columns

    def _by_name(self) -> Dict[str, int]:
        if self._model._tensor_index is None:
            names, _, roles, *_rest = self._listed()
            index = dict(zip(names, range(len(names))))
            if len(index) != len(names):
                index = {}
                for i, name in enumerate(names):
                    if name not in index or (
                            roles[index[name]] == _api.TN_ROLE_ATTRIBUTE
                            != roles[i]):
                        index[name] = i
            self._model._tensor_index = index
        return self._model._tensor_index

    def _by_offset(self) -> List[str]:
        """All names, in the order of their bytes; files one after the other."""
        index, offsets = self._by_name(), self._listed()[-1]
        at = [offsets[i] for i in index.values()]
        if all(a <= b for a, b in zip(at, at[1:])):
            return list(index)
        files: Dict[str, int] = {}
        rows = [(files.setdefault(Tensor(self._model, i).file, len(files)),
                 offsets[i], i, name) for name, i in index.items()]
        return [name for *_place, name in sorted(rows)]

    def __getitem__(self, name: str) -> Tensor:
        if not isinstance(name, str):
            raise TypeError(f"a tensor has a name, not {name!r}")
        handle = self._find(name)
        if not handle:
            raise KeyError(name)
        return Tensor._of(self._model, handle)

    def _find(self, name: str) -> Any:
        """A name that is not valid text is none of a tensor."""
        model, data = self._model._expect_open(), name.encode("utf-8", "replace")
        if "\0" in name or data.decode() != name:
            return None
        return library.tn_model_find(model, data) if name else None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._find(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name())

    def __len__(self) -> int:
        return len(self._by_name())

    def __call__(self) -> List[Tensor]:
        """All tensors, also those that share a name."""
        handle = self._model._expect_open()
        return [Tensor(self._model, i)
                for i in range(library.tn_model_tensor_count(handle))]

    def rows(self) -> Iterator[Tuple[str, str, Tuple[int, ...]]]:
        """(name, dtype, shape) of all tensors, without a call for each."""
        names, dtypes, _roles, ranks, dims, *_rest = self._listed()
        names_of = [arrays.DTYPES.get(i, "") for i in range(256)]
        all_dims, at = dims.tolist(), 0
        for name, dtype, rank in zip(names, dtypes, ranks):
            yield name, names_of[dtype], tuple(all_dims[at:at + rank])
            at += rank

    def __repr__(self) -> str:
        return f"<tenon.Tensors: {len(self)}>"


# ---- graphs -------------------------------------------------------------------------


class _Ops:
    """The operators of a model, as columns."""

    def __init__(self, model: "Model") -> None:
        made = ctypes.POINTER(_api.tn_op_list)()
        native.call("tn_op_list_open", ctypes.byref(made),
                    model._expect_open())
        row = made.contents
        count = row.count
        self.names = _words(row.names)
        self.kinds, self.domains = _words(row.kinds), _words(row.domains)
        self.kind_of = _column(row.kind_of, count, "I")
        self.graphs = _column(row.graphs, count, "I")
        self.controls = _column(row.control_counts, count, "I")
        self.inputs = _column(row.inputs, row.input_total, "I")
        self.outputs = _column(row.outputs, row.output_total, "I")
        self.values = _words(row.values)
        self.input_ends = [0, *itertools.accumulate(
            _column(row.input_counts, count, "I"))]
        self.output_ends = [0, *itertools.accumulate(
            _column(row.output_counts, count, "I"))]
        library.tn_op_list_close(made)

    def value_names(self, ids: Any) -> List[str]:
        values = self.values
        return ["" if i == _NONE else values[i] for i in ids]


class _Attr(native.Uncopied):
    """An attribute that was decoded; tensors in it need it."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle

    def __del__(self) -> None:
        library.tn_attr_close(self.handle)


class Node:
    """An operator: name, type, domain, inputs, control_inputs, outputs (names
    of values) and attributes."""

    __slots__ = ("_model", "_ops", "index")

    def __init__(self, model: "Model", ops: _Ops, index: int) -> None:
        self._model, self._ops, self.index = model, ops, index

    @property
    def name(self) -> str:
        return self._ops.names[self.index]

    @property
    def type(self) -> str:
        kind: int = self._ops.kind_of[self.index]
        return self._ops.kinds[kind]

    @property
    def domain(self) -> str:
        kind: int = self._ops.kind_of[self.index]
        return self._ops.domains[kind]

    def _inputs(self) -> Tuple[List[str], int]:
        ops, i = self._ops, self.index
        ids = ops.inputs[ops.input_ends[i]:ops.input_ends[i + 1]]
        return ops.value_names(ids), len(ids) - ops.controls[i]

    @property
    def inputs(self) -> List[str]:
        """Names of values; "" for an optional one that was left out."""
        names, plain = self._inputs()
        return names[:plain]

    @property
    def control_inputs(self) -> List[str]:
        names, plain = self._inputs()
        return names[plain:]

    @property
    def outputs(self) -> List[str]:
        ops, i = self._ops, self.index
        return ops.value_names(
            ops.outputs[ops.output_ends[i]:ops.output_ends[i + 1]])

    @property
    def path(self) -> str:
        """Its path in the model, such as graph.node[15]."""
        room = ctypes.create_string_buffer(1024)
        library.tn_op_path(self._model._expect_open(), self.index, room, 1024)
        return room.value.decode("utf-8", "replace")

    @property
    def attributes(self) -> Dict[str, Any]:
        """Numbers, texts (bytes if they are not UTF-8), lists of them, names of
        types, shapes, Tensors and Graphs."""
        model = self._model._expect_open()
        found: Dict[str, Any] = {}
        for i in range(library.tn_op_attr_count(model, self.index)):
            attr = _Attr(native.make("tn_attr_open", model, self.index, i))
            name = decoded(library.tn_attr_name(attr.handle))
            value = library.tn_attr_get(attr.handle).contents
            found[name] = self._attribute(attr, value)
        return found

    def _attribute(self, attr: _Attr, value: Any) -> Any:
        items = [self._item(attr, value, i) for i in range(value.count)]
        if value.kind == _api.TN_ATTR_NONE:
            return None
        return items if value.is_list else (items[0] if items else None)

    def _item(self, attr: _Attr, value: Any, i: int) -> Any:
        kind, of = value.kind, value.of
        if kind == _api.TN_ATTR_INT:
            return of.ints[i]
        if kind == _api.TN_ATTR_BOOL:
            return bool(of.ints[i])
        if kind == _api.TN_ATTR_DTYPE:
            return arrays.DTYPES.get(of.ints[i], "undefined")
        if kind == _api.TN_ATTR_GRAPH:
            return Graph(self._model, of.ints[i])
        if kind == _api.TN_ATTR_FLOAT:
            return of.floats[i]
        if kind == _api.TN_ATTR_DOUBLE:
            return of.doubles[i]
        if kind == _api.TN_ATTR_SHAPE:
            shape = of.shapes[i]
            return tuple(None if shape.dims[k] < 0 else shape.dims[k]
                         for k in range(shape.rank)) if shape.has_rank else None
        if kind == _api.TN_ATTR_TENSOR:
            return Tensor._of(self._model, of.tensors[i], attr)
        data = ctypes.string_at(of.strings[i].data, of.strings[i].size) \
            if of.strings[i].size else b""
        if kind == _api.TN_ATTR_OTHER:
            return data
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self._model is other._model \
            and self.index == other.index

    def __hash__(self) -> int:
        return hash((id(self._model), self.index))

    def __repr__(self) -> str:
        return f"<tenon.Node {self.name!r} {self.type}>"


class Nodes(Sequence[Node]):
    """The nodes of a graph, in their order."""

    def __init__(self, model: "Model", first: int, count: int) -> None:
        self._model, self._range = model, range(first, first + count)

    def __len__(self) -> int:
        return len(self._range)

    def __getitem__(self, index: Any) -> Any:
        ops = self._model._ops()
        if isinstance(index, slice):
            return [Node(self._model, ops, i) for i in self._range[index]]
        return Node(self._model, ops, self._range[index])

    def __iter__(self) -> Iterator[Node]:
        ops, model = self._model._ops(), self._model
        return (Node(model, ops, i) for i in self._range)


_GRAPH_KINDS = ["main", "subgraph", "function", "other"]


class Graph:
    """A graph: the model's own, one in a node's attribute, or a function.

    kind is "main", "subgraph", "function" or "other"; path is where it is in
    the model."""

    def __init__(self, model: "Model", index: int) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a graph is one of a Model, not of {model!r}")
        self._model, self.index = model, native.whole(index, 32, "a graph")
        handle = model._expect_open()
        if not 0 <= index < library.tn_model_graph_count(handle):
            raise ValueError(f"the model has no graph {index}")
        info = library.tn_model_graph(handle, index)
        self.kind = _GRAPH_KINDS[info.kind]
        self.name, self.domain = decoded(info.name), decoded(info.domain)
        self.path = (info.path or b"").decode("utf-8", "replace")
        self.parent: Optional[int] = (None if info.parent_graph == _NONE
                                      else info.parent_graph)
        self.inputs, self.outputs = _values(info.inputs), _values(info.outputs)
        self.nodes = Nodes(model, info.first_op, info.op_count)

    @property
    def subgraphs(self) -> List["Graph"]:
        """Graphs in attributes of its nodes."""
        return [g for g in self._model.graphs if g.parent == self.index]

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self._model is other._model \
            and self.index == other.index

    def __hash__(self) -> int:
        return hash((id(self._model), self.index))

    def __repr__(self) -> str:
        return f"<tenon.Graph {self.name!r}: {len(self)} nodes>"


# ---- what the verbs return ------------------------------------------------------------


class Finding(NamedTuple):
    """A problem that check() found.  severity is "note", "warning" or
    "error"."""
    severity: str
    rule: str
    file: str
    offset: Optional[int]
    where: str
    what: str


class Loss(NamedTuple):
    """What a conversion left behind."""
    kind: str
    where: str
    what: str
    offset: Optional[int]


class Conversion(NamedTuple):
    """What convert() did."""
    path: str
    format: str
    bytes_written: int
    losses: List[Loss]
    notes: List[str] = []  # what is worth mentioning but no loss


class PlanPass(NamedTuple):
    """A pass of a conversion: what it does, what it did, and how many nodes
    the graph has after it."""
    dialect: str
    name: str
    what: str
    did: str
    nodes: int


class PlanRow(NamedTuple):
    """Operators of one kind and the rule for them.  rule is None if there is
    none: `why` says why, and `stub` is one to fill in."""
    source: str
    target: str
    type: str
    domain: str
    nodes: int
    where: str
    rule: Optional[str]
    why: str
    stub: str
    is_allowed: bool


class Plan(NamedTuple):
    """What convert() would do.  way is "tensorflow -> nd4j -> onnx"."""
    format: str
    way: str
    passes: List[PlanPass]
    rows: List[PlanRow]

    @property
    def missing(self) -> List[PlanRow]:
        """Operators that have no rule."""
        return [row for row in self.rows
                if row.rule is None and not row.is_allowed]


class Patch(NamedTuple):
    """What patch() wrote.  is_whole: the script takes a copy of the other
    model."""
    path: str
    actions: int
    tensors: int
    is_whole: bool


class Statistics(NamedTuple):
    """What the elements of a tensor are like.  of is "values", "magnitudes"
    (of complex numbers) or "lengths" (of strings); bin i counts the elements
    from low + i * width on."""
    of: str
    elements: int
    zeros: int
    nans: int
    infinities: int
    min: float
    max: float
    mean: float
    deviation: float
    low: float
    width: float
    bins: List[int]


_STATISTICS_OF = ["values", "magnitudes", "lengths"]


class Change(NamedTuple):
    """A difference between two models.  kind is "added", "removed", "changed",
    "renamed" or "moved"; facets are (property, left, right)."""
    part: str
    kind: str
    name: str
    new_name: str
    type: str
    facets: List[Tuple[str, str, str]]
    changed_count: int
    max_absolute: float
    max_relative: float


_SEVERITIES = ["note", "warning", "error"]
_PARTS = ["input", "output", "version", "signature", "graph", "operator",
          "tensor", "metadata"]
_CHANGES = ["added", "removed", "changed", "renamed", "moved"]


def check(path: AnyPath, skip_data: bool = False,
          progress: Optional[Progress] = None,
          max_expand: int = 0) -> List[Finding]:
    """Every problem in a file.  A file that is malformed, or is not a model,
    has a finding that says so.  `max_expand` is that of Model.open()."""
    watch = native.Watch(progress)
    found: List[Finding] = []
    summary = _api.tn_check_summary()
    watch.call("tn_check", native.path(path),
               ctypes.byref(watch.options(max_expand)),
               ctypes.byref(_sized(_api.tn_check_options,
                                   skip_data=bool(skip_data))),
               _on_finding(watch, found), None, ctypes.byref(summary))
    return found


def _on_finding(watch: native.Watch, found: List[Finding]) -> Any:
    """A tn_on_finding that adds to a list."""
    def each(_context: Any, row: Any) -> None:
        f = row.contents
        rule, file, where, what = (
            (t or b"").decode("utf-8", "replace")
            for t in (f.rule, f.file, f.where, f.what))
        found.append(Finding(
            _SEVERITIES[f.severity], rule, file,
            None if f.offset == native.NOWHERE else f.offset, where, what))
    return _api.tn_on_finding(watch.guard(each))


class Losses:
    """What is left behind, as the library tells it."""

    def __init__(self) -> None:
        self.found: List[Loss] = []

    def _add(self, _context: Any, offset: int, where: Optional[bytes],
             what: Optional[bytes]) -> None:
        self.found.append(Loss(
            (library.tn_loss_kind(what) or b"").decode(),
            (where or b"").decode("utf-8", "replace"),
            (what or b"").decode("utf-8", "replace"),
            None if offset == native.NOWHERE else offset))

    def callback(self, watch: native.Watch) -> Any:
        return _api.tn_on_loss(watch.guard(self._add))


# ---- models -------------------------------------------------------------------------


class _Handle(native.Owned):
    closer = "tn_model_close"


class _Source:
    """Bytes that Python reads for the library: a file object with read() and
    seek(), or something with read_at(offset, size)."""

    def __init__(self, file: Any) -> None:
        import threading
        self._file, self._lock = file, threading.Lock()
        self._raised: Optional[BaseException] = None
        self._signalled: Optional[BaseException] = None
        self._signals: List[native.Signals] = []  # of the main thread
        self.name = str(getattr(file, "name", "") or type(file).__name__)
        size = getattr(file, "size", None)
        if not hasattr(size, "__index__"):  # a number, also one of numpy
            size = file.seek(0, 2)
        if size is None:  # mmap before Python 3.13
            size = file.tell()
        self.size = native.whole(size, 63, "the size")
        self._read_at = getattr(file, "read_at", None)
        # Who reads from it has it; it does not have itself, or it would stay
        # until the collector comes.
        me = weakref.proxy(self)

        def read(*arguments: Any) -> int:
            try:
                return int(me._copy(*arguments))
            except ReferenceError:
                return errno.EIO
        self.callback = _api.tn_read_at(read)

    def _bytes(self, offset: int, size: int) -> bytes:
        if self._read_at is not None:
            return native.octets(self._read_at(offset, size))
        with self._lock:  # workers of the library read at once
            self._file.seek(offset)
            parts = []
            while size > 0:
                part = native.octets(self._file.read(size))
                if not part:
                    break
                parts.append(part)
                size -= len(part)
        return b"".join(parts)

    def _copy(self, _context: Any, offset: int, to: int, size: int) -> int:
        try:
            if self._signalled is not None:
                return errno.EIO
            data = self._bytes(offset, size)
            if len(data) != size:
                raise EOFError(f"{self.name}: {len(data)} of {size} bytes at "
                               f"{offset}")
            ctypes.memmove(to, data, size)
            return 0
        except BaseException as error:  # goes on in the call that wants it
            self._raised = error
            return errno.EIO

    def _keep(self, error: BaseException) -> None:
        self._signalled = error

    @staticmethod
    def _is_main() -> bool:
        import threading
        return threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        self._raised = None
        if self._is_main():
            self._signals.append(native.Signals(self._keep))
            self._signals[-1].__enter__()

    def __exit__(self, _kind: Any, error: Any, _trace: Any) -> None:
        raised, self._raised = self._raised, None
        if self._is_main():
            self._signals.pop().__exit__()
            signalled, self._signalled = self._signalled, None
            if signalled is not None:
                raise signalled from None
        if raised is not None and isinstance(error, native.Error):
            raise raised from error


class Model(native.Closing):
    """A model.  Close it, or use it in a `with`; tenon.open() makes one.

    Threads may share a model: calls release the lock of the interpreter, and
    one that is running when the model is closed goes on to its end."""

    def __init__(self, handle: Any, source: Any = None) -> None:
        """Model.open() makes one."""
        self._handle = native.handle(handle, "Model.open()")
        self._source: Optional[_Source] = source
        self._op_columns: Optional[_Ops] = None
        self._max_expand = 0  # for what opens its file again
        self._remote = native.remote()  # the library refers to it
        self._borrowed: List[Any] = []  # owners of elements that it refers to
        self._tensor_columns: Any = None
        self._tensor_index: Optional[Dict[str, int]] = None

    @classmethod
    def open(cls, path: Union[AnyPath, IO[bytes], Any],
             tag: Optional[str] = None,
             settings: Settings = None, graph: bool = True,
             format: Optional[str] = None, max_memory: int = 0,
             progress: Optional[Progress] = None,
             max_expand: int = 0) -> "Model":
        """`settings`: options for reading, as convert() has them.  With
        graph=False operators are not read.  `max_memory` and `max_expand` are
        bytes: for names and shapes, and those that compressed data and
        repeated values may become; 0 is no limit, and 1 GiB and 1024 for each
        byte of the files.

        Instead of a path it takes a binary file that can seek, what
        fsspec.open() makes, or an object with read_at(offset, size) and size:
        the model is read from there, in parts, as long as it is used."""
        listed, count = _settings(settings)
        watch = native.Watch(progress)
        options = watch.options(
            wants_graph=bool(graph), tag=_or_none(tag), from_=_or_none(format),
            max_memory=native.whole(max_memory, 64, "max_memory"),
            max_expand=max_expand,
            settings=listed, setting_count=count)
        handle = _Handle()
        if hasattr(path, "fs") and hasattr(path, "open") \
                and not hasattr(path, "seek"):
            # An OpenFile of fsspec has its mode, a UPath is told.
            path = path.open() if hasattr(path, "mode") else path.open("rb")
        if not isinstance(path, (str, bytes)) \
                and not hasattr(path, "__fspath__") \
                and (hasattr(path, "read_at") or hasattr(path, "seek")):
            if hasattr(path, "encoding"):
                raise TypeError("the file was opened as text; open it in the "
                                "mode 'rb'")
            source = _Source(path)
            with source:
                watch.call("tn_model_open_source", ctypes.byref(handle),
                           _encode(source.name), source.size, source.callback,
                           None, ctypes.byref(options))
            model = cls(handle, source)
            model._remote = watch.remote
            return model
        watch.call("tn_model_open", ctypes.byref(handle), native.path(path),
                   ctypes.byref(options))
        model = cls(handle)
        model._max_expand, model._remote = max_expand, watch.remote
        return model

    @property
    def tensors(self) -> Tensors:
        """Its tensors by name."""
        return Tensors(self)

    def _reading(self) -> Any:
        """A call that may read the elements of tensors."""
        if self._source is not None:
            return self._source
        return _NOTHING

    def _is_mapped(self) -> bool:
        """Its files are pages in memory, not read through calls."""
        return self._source is None and "://" not in self.path

    def _expect_open(self) -> Any:
        if not self._handle:
            raise ValueError("the model is closed")
        return self._handle

    def close(self) -> None:
        self._handle = None

    def _ops(self) -> _Ops:
        if self._op_columns is None:
            self._op_columns = _Ops(self)
        return self._op_columns

    # ---- what it is -------------------------------------------------------------------

    @property
    def format(self) -> str:
        return (library.tn_model_format(self._expect_open()) or b"").decode()

    @property
    def title(self) -> str:
        """The name of the format, for people."""
        return (library.tn_model_title(self._expect_open()) or b"").decode()

    @property
    def dialect(self) -> str:
        """Whose operators its graph has: "onnx"; "" for sets of tensors."""
        return (library.tn_model_dialect(self._expect_open()) or b"").decode()

    @property
    def path(self) -> str:
        return os.fsdecode(library.tn_model_path(self._expect_open()) or b"")

    @property
    def file_size(self) -> int:
        """Bytes on disk, with all files that it refers to."""
        return library.tn_model_file_size(self._expect_open())

    @property
    def facts(self) -> List[Tuple[str, str]]:
        """What the file says about itself, in its order."""
        handle = self._expect_open()
        rows = (library.tn_model_fact(handle, i)
                for i in range(library.tn_model_fact_count(handle)))
        return [(decoded(row.key), decoded(row.value)) for row in rows]

    @property
    def metadata(self) -> Dict[str, str]:
        """Its metadata: keys and values that writers put there freely, and
        after them the other facts."""
        found = self._texts()
        for key, value in self.facts:
            if key != "metadata":
                found.setdefault(key, value)
        return found

    def _texts(self) -> Dict[str, str]:
        """Keys and texts, whole, also those that an edit has set."""
        made = ctypes.POINTER(_api.tn_metadata_list)()
        with self._reading():
            native.call("tn_metadata_list_open", ctypes.byref(made),
                        self._expect_open())
        row = made.contents
        found = dict(zip(_words(row.keys), _words(row.values)))
        library.tn_metadata_list_close(made)
        return found

    @property
    def tags(self) -> List[str]:
        handle = self._expect_open()
        return [decoded(library.tn_model_tag(handle, i))
                for i in range(library.tn_model_tag_count(handle))]

    @property
    def inputs(self) -> List[Value]:
        return _values(library.tn_model_inputs(self._expect_open()))

    @property
    def outputs(self) -> List[Value]:
        return _values(library.tn_model_outputs(self._expect_open()))

    @property
    def signatures(self) -> Dict[str, Signature]:
        handle, found = self._expect_open(), {}
        for i in range(library.tn_model_signature_count(handle)):
            row = library.tn_model_signature(handle, i).contents
            name = decoded(row.name)
            found[name] = Signature(name, decoded(row.method),
                                    _values(row.inputs), _values(row.outputs))
        return found

    @property
    def operators(self) -> Dict[str, int]:
        """How often each operator occurs, the most frequent first."""
        handle, found = self._expect_open(), {}
        for i in range(library.tn_model_op_kind_count(handle)):
            row = library.tn_model_op_kind(handle, i).contents
            domain = decoded(row.domain)
            name = (f"{domain}::" if domain else "") + decoded(row.type)
            found[name] = int(row.count)
        return found

    @property
    def graphs(self) -> List[Graph]:
        """All graphs: the main one, those in attributes, functions."""
        return [Graph(self, i) for i in range(
            library.tn_model_graph_count(self._expect_open()))]

    @property
    def graph(self) -> Graph:
        """The main graph."""
        if not library.tn_model_graph_count(self._expect_open()):
            raise ValueError(f"{self.format} has no graph")
        return Graph(self, 0)

    # ---- training -----------------------------------------------------------------

    @property
    def training(self) -> Optional[str]:
        """The training configuration, a JSON text, or None."""
        view = library.tn_model_training(self._expect_open())
        return decoded(view) if view.size else None

    @property
    def losses(self) -> List[str]:
        handle = self._expect_open()
        return [decoded(library.tn_model_loss(handle, i))
                for i in range(library.tn_model_loss_count(handle))]

    def kinds(self) -> Dict[str, str]:
        """The variables of a SameDiff model by name: what they are."""
        ends = library.tn_model_inputs(self._expect_open())
        kinds = {decoded(ends.items[i].name): PLACEHOLDER
                 for i in range(ends.count)}
        for tensor in self.tensors():
            if tensor.role in ("variable", "initializer"):
                kinds.setdefault(tensor.name, TRAINED if tensor.role ==
                                 "variable" else CONSTANT)
        return kinds

    # ---- verbs --------------------------------------------------------------------

    def check(self, skip_data: bool = False,
              progress: Optional[Progress] = None) -> List[Finding]:
        """Every problem in its files."""
        with self._remote:
            return check(self._file(), skip_data, progress, self._max_expand)

    def _file(self) -> str:
        path = self.path
        if not path or path == "-" or self._source is not None:
            raise ValueError("the model has no file that could be checked")
        return path

    def hash(self, decoded: bool = False,
             progress: Optional[Progress] = None) -> Dict[str, str]:
        """SHA-256 of each tensor by name: the same in every format.  With
        `decoded`, of the float32 that quantised blocks stand for."""
        handle = self._expect_open()
        names = self.tensors._listed()[0]
        size, watch = _api.TN_HASH_SIZE, native.Watch(progress)
        digests = ctypes.create_string_buffer(max(1, len(names) * size))
        with self._reading():
            watch.call("tn_model_hash_decoded" if decoded else "tn_model_hash",
                       handle, ctypes.byref(watch.options()),
                       ctypes.byref(digests))
        raw = digests.raw
        return {name: raw[i * size:(i + 1) * size].hex()
                for i, name in enumerate(names)}

    def convert(self, path: AnyPath, format: Optional[str] = None,
                replace: bool = False, settings: Settings = None, *,
                strict: bool = False, force_invalid: bool = False,
                dry_run: bool = False, progress: Optional[Progress] = None,
                opset: int = 0, signature: Optional[str] = None,
                inputs: Optional[Sequence[str]] = None,
                outputs: Optional[Sequence[str]] = None,
                shapes: Optional[Mapping[str, Sequence[int]]] = None,
                rules: Optional[Sequence[AnyPath]] = None,
                only_rules: bool = False,
                allow: Optional[Sequence[str]] = None,
                simplify: Optional[bool] = None, fold: str = "all",
                fold_limit: int = 0, channels_first: bool = False,
                keep_quantized: bool = False, via: Optional[str] = None,
                receipt: Optional[AnyPath] = None) -> Conversion:
        """Writes the model in another format, or in another dialect; the format
        is `format`, or what the path's end says.

        `settings` are options of that format, which formats() lists:
        {"external": "weights.bin", "threshold": 4096}, {"inline": True}.  What
        cannot be kept is in the result's losses, or an error with `strict`.
        The others are options of `tenon convert`; channels_first is --nchw,
        and simplify=None simplifies what becomes ONNX."""
        words = _map_options(
            opset=opset, signature=signature, inputs=inputs, outputs=outputs,
            shapes=shapes, rules=rules, only_rules=only_rules, allow=allow,
            simplify=simplify, fold=fold, fold_limit=fold_limit,
            channels_first=channels_first, keep_quantized=keep_quantized,
            via=via, receipt=receipt)
        return self._write("tn_convert", path, format, replace, settings,
                           strict, force_invalid, dry_run, progress, words)

    def _write(self, call: str, path: AnyPath, format: Optional[str],
               replace: bool, settings: Settings, strict: bool,
               force_invalid: bool, dry_run: bool,
               progress: Optional[Progress],
               words: Optional[Tuple[Any, Any]]) -> Conversion:
        watch, losses, notes = native.Watch(progress), Losses(), Losses()
        listed, count = _settings(settings)
        options = _sized(_api.tn_convert_options, to=_or_none(format),
                         settings=listed, setting_count=count,
                         loss=losses.callback(watch),
                         note=notes.callback(watch),
                         force_invalid=bool(force_invalid),
                         is_strict=bool(strict))
        if words is not None:
            options.map = ctypes.pointer(words[0])
        target = _api.tn_target(native.path(path), bool(replace),
                                bool(dry_run))
        summary = _api.tn_convert_summary()
        with self._reading():
            watch.call(call, self._expect_open(),
                       ctypes.byref(options), ctypes.byref(target),
                       ctypes.byref(watch.options()), ctypes.byref(summary))
        return Conversion(os.fsdecode(native.path(path)),
                          bytes(summary.format).decode(),
                          summary.bytes_written, losses.found,
                          [note.what for note in notes.found])

    def write(self, path: AnyPath, format: Optional[str] = None,
              replace: bool = False, settings: Settings = None, *,
              force_invalid: bool = False, dry_run: bool = False,
              progress: Optional[Progress] = None) -> None:
        """Writes what an edit made, in a format of the same dialect: that of
        the path's end, else the one that it had.  An error that the model did
        not have before the edit is refused, unless `force_invalid`."""
        self._write("tn_edit_write", path, format, replace, settings, False,
                    force_invalid, dry_run, progress, None)

    def simplify(self, path: AnyPath, format: Optional[str] = None,
                 replace: bool = False, settings: Settings = None, *,
                 fold: str = "all", fold_limit: int = 0,
                 receipt: Optional[AnyPath] = None, strict: bool = False,
                 force_invalid: bool = False, dry_run: bool = False,
                 progress: Optional[Progress] = None) -> Conversion:
        """A smaller graph of ONNX or nd4j that computes the same.  `fold` is
        what is computed from constants: "all", "shapes" or "none"."""
        words = _map_options(simplify=True, fold=fold, fold_limit=fold_limit,
                             receipt=receipt)
        return self._write("tn_convert", path, format, replace, settings,
                           strict, force_invalid, dry_run, progress, words)

    def plan(self, path: Optional[AnyPath] = None,
             format: Optional[str] = None,
             progress: Optional[Progress] = None,
             **conversion: Any) -> "Plan":
        """What convert() would do, by its options, without writing: the passes,
        and the rule of every operator.  Without a path and a format, it is the
        one that models of this dialect are usually converted to."""
        watch = native.Watch(progress)
        passes: List[PlanPass] = []
        rows: List[PlanRow] = []

        def on_pass(_context: Any, row: Any) -> None:
            p = row.contents
            passes.append(PlanPass(_plain(p.dialect), _plain(p.name),
                                   _plain(p.what), _plain(p.did), p.nodes))

        def on_op(_context: Any, row: Any) -> None:
            r = row.contents
            rows.append(PlanRow(
                _plain(r.from_), _plain(r.to), decoded(r.op),
                decoded(r.domain), r.count, _plain(r.where),
                None if r.rule is None else _plain(r.rule), _plain(r.why),
                _plain(r.stub), r.is_allowed))

        listener = _api.tn_plan_listener()
        kinds = {name: kind for name, kind, *_ in listener._fields_}
        listener.pass_ = kinds["pass_"](watch.guard(on_pass))
        listener.op = kinds["op"](watch.guard(on_op))
        words, _kept = _map_options(**conversion)
        options = _sized(_api.tn_convert_options, to=_or_none(format),
                         map=ctypes.pointer(words))
        summary = _api.tn_plan_summary()
        with self._reading():
            watch.call("tn_plan", self._expect_open(), ctypes.byref(options),
                       None if path is None else native.path(path),
                       ctypes.byref(watch.options()), ctypes.byref(listener),
                       ctypes.byref(summary))
        return Plan(bytes(summary.format).decode(),
                    bytes(summary.way).decode(), passes, rows)

    def _named(self, name: str) -> Tensor:
        try:
            return self.tensors[name]
        except KeyError:
            raise native.missing_tensor(self.path, name) from None

    def statistics(self, names: Optional[Iterable[str]] = None,
                   progress: Optional[Progress] = None
                   ) -> Dict[str, "Statistics"]:
        """What the elements of tensors are like, of all or of these: `tenon ls
        --stats`."""
        tensors = self.tensors() if names is None else [
            self._named(name) for name in native.listed(names, "the names")]
        rows = _statistics(self, tensors, progress)
        return {tensor.name or tensor.path: row
                for tensor, row in zip(tensors, rows)}

    @contextlib.contextmanager
    def _compared(self, other: "Model", tolerance: float, values: bool,
                  watch: native.Watch) -> Iterator[Any]:
        if not isinstance(other, Model):
            raise TypeError(f"a model is compared with one, not with {other!r}")
        made, left, right = (ctypes.c_void_p(), self._expect_open(),
                             other._expect_open())
        with self._reading(), other._reading():
            watch.call("tn_diff_open", ctypes.byref(made), left, right,
                       ctypes.byref(_sized(_api.tn_diff_options,
                                           tolerance=float(tolerance),
                                           skips_values=not values)),
                       ctypes.byref(watch.options()))
            try:
                yield made
            finally:
                library.tn_diff_close(made)

    def diff(self, other: "Model", tolerance: float = 0.0,
             values: bool = True,
             progress: Optional[Progress] = None) -> List[Change]:
        """What differs between this model and another one, of any format."""
        watch = native.Watch(progress)
        with self._compared(other, tolerance, values, watch) as made:
            return [_change(library.tn_diff_change_at(made, i).contents)
                    for i in range(library.tn_diff_count(made))]

    def patch(self, other: "Model", path: AnyPath, *, replace: bool = False,
              progress: Optional[Progress] = None) -> "Patch":
        """Writes a script that makes the other model of this one: for
        tenon.apply(), and for `tenon apply`.  New elements are in
        PATH.safetensors."""
        watch, summary = native.Watch(progress), _api.tn_patch_summary()
        target = _api.tn_target(native.path(path), bool(replace))
        with self._compared(other, 0.0, True, watch) as made:
            watch.call("tn_diff_write_patch", made, ctypes.byref(target),
                       ctypes.byref(watch.options()), ctypes.byref(summary))
        return Patch(os.fsdecode(native.path(path)), summary.actions,
                     summary.tensors, summary.is_whole)

    def diff_view(self, other: "Model", tolerance: float = 0.0,
                  progress: Optional[Progress] = None) -> "View":
        """Both models as one picture, with what differs marked."""
        watch = native.Watch(progress)
        with self._compared(other, tolerance, True, watch) as made:
            return _view(lambda target, summary: watch.call(
                "tn_diff_write_view", made, target,
                ctypes.byref(watch.options()), summary))

    def edit(self, progress: Optional[Progress] = None) -> "Edit":
        return Edit(self, progress)

    def view(self, stats: bool = False, data: Optional[AnyPath] = None,
             progress: Optional[Progress] = None) -> "View":
        """The picture of `tenon view`, for notebooks and as HTML.  `data` is a
        file with a number for each node, which becomes a colour."""
        watch = native.Watch(progress)
        options = _sized(_api.tn_view_options, stats=bool(stats),
                         form=_api.TN_VIEW_HTML,
                         data=None if data is None else native.path(data))
        with self._reading():
            return _view(lambda target, summary: watch.call(
                "tn_view", self._expect_open(), ctypes.byref(options), target,
                ctypes.byref(watch.options()), summary))

    def svg(self, path: AnyPath, replace: bool = False,
            progress: Optional[Progress] = None) -> None:
        """The picture of `tenon view -o FILE.svg`, as a file."""
        watch = native.Watch(progress)
        target = _api.tn_target(native.path(path), bool(replace))
        with self._reading():
            watch.call("tn_view", self._expect_open(),
                       ctypes.byref(_sized(_api.tn_view_options,
                                           form=_api.TN_VIEW_SVG)),
                       ctypes.byref(target), ctypes.byref(watch.options()),
                       ctypes.byref(_api.tn_view_summary()))

    # ---- for people -----------------------------------------------------------------

    def __repr__(self) -> str:
        if not self._handle:
            return "<tenon.Model, closed>"
        return (f"<tenon.Model {self.path!r}: {self.title}, "
                f"{library.tn_model_tensor_count(self._handle)} tensors>")

    def _repr_html_(self) -> Optional[str]:
        """A table of what it is, for notebooks; they show repr() of one that
        is closed."""
        if not self._handle:
            return None
        handle = self._handle
        rows = [("file", self.path), ("format", self.title),
                ("size", f"{self.file_size:,} bytes"),
                ("tensors", f"{library.tn_model_tensor_count(handle):,}"),
                ("nodes", f"{library.tn_model_node_count(handle):,}")]
        rows += [("input", _describe(v)) for v in self.inputs]
        rows += [("output", _describe(v)) for v in self.outputs]
        rows += [(key, value) for key, value in self.facts[:20]]
        body = "".join(f"<tr><th style=\"text-align:left\">{_escape(a)}</th>"
                       f"<td style=\"text-align:left\">{_escape(b)}</td></tr>"
                       for a, b in rows)
        return f"<table>{body}</table>"


def _escape(text: str) -> str:
    return (text.replace("&", "&amp;").replace("<", "&lt;")
            .replace(">", "&gt;").replace('"', "&quot;"))


def _describe(value: Value) -> str:
    shape = "" if value.shape is None else "[" + ", ".join(
        "?" if d is None else str(d) for d in value.shape) + "]"
    return f"{value.name}: {value.dtype}{shape}"


class View:
    """The page of `tenon view`: text() is HTML that needs nothing else."""

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: AnyPath) -> None:
        with builtins.open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return ('<iframe sandbox="allow-scripts" width="100%" height="600" '
                f'style="border:0" srcdoc="{_escape(self.html)}"></iframe>')


def _view(draw: Callable[[Any, Any], None]) -> View:
    """The page that a call writes to its target."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "view.html")
        summary = _api.tn_view_summary()
        draw(ctypes.byref(_api.tn_target(_encode(path))),
             ctypes.byref(summary))
        with builtins.open(path, encoding="utf-8") as file:
            return View(file.read())


def _statistics(model: Model, tensors: List[Tensor],
                progress: Optional[Progress]) -> List[Statistics]:
    watch = native.Watch(progress)
    found: List[Statistics] = []

    def each(_context: Any, _index: int, row: Any) -> None:
        s = row.contents
        found.append(Statistics(
            _STATISTICS_OF[s.of], s.count, s.zeros, s.nans, s.infinities,
            s.min, s.max, s.mean, s.deviation, s.low, s.width,
            list(s.bins[:s.bin_count])))

    listed = (ctypes.c_void_p * len(tensors))(
        *(tensor._handle for tensor in tensors))
    with model._reading():
        watch.call("tn_statistics_compute", model._expect_open(), listed,
                   len(tensors), ctypes.byref(watch.options()),
                   _api.tn_on_statistics(watch.guard(each)), None)
    return found


def _plain(text: Optional[bytes]) -> str:
    return (text or b"").decode("utf-8", "replace")


def _change(row: Any) -> Change:
    facets = [(decoded(f.name), decoded(f.left), decoded(f.right))
              for f in (row.facets[i] for i in range(row.facet_count))]
    return Change(_PARTS[row.part], _CHANGES[row.kind], decoded(row.name),
                  decoded(row.new_name), decoded(row.type), facets,
                  row.changed_count, row.max_absolute, row.max_relative)


_FOLDS = {"all": 0, "shapes": 1, "none": 2}


def _map_options(opset: int = 0, signature: Optional[str] = None,
                 inputs: Optional[Sequence[str]] = None,
                 outputs: Optional[Sequence[str]] = None,
                 shapes: Optional[Mapping[str, Sequence[int]]] = None,
                 rules: Optional[Sequence[AnyPath]] = None,
                 only_rules: bool = False,
                 allow: Optional[Sequence[str]] = None,
                 simplify: Optional[bool] = None, fold: str = "all",
                 fold_limit: int = 0, channels_first: bool = False,
                 keep_quantized: bool = False, via: Optional[str] = None,
                 receipt: Optional[AnyPath] = None) -> Tuple[Any, Any]:
    """struct tn_map_options, and what it points at."""
    lists = {name: _texts(values, f"the {name}") for name, values in (
        ("input", inputs), ("output", outputs), ("allow", allow),
        ("rule", [native.path(file) for file in
                  native.listed(rules or [], "the rules")]))}
    rows, kept = [], []
    for name, shape in dict(shapes or {}).items():
        sizes = [int(size) for size in native.listed(shape, "a shape")]
        dims = (ctypes.c_int64 * len(sizes))(*sizes)
        kept.append(dims)
        rows.append(_api.tn_input_shape(_encode(name), dims, len(sizes)))
    listed = (_api.tn_input_shape * len(rows))(*rows)
    what = native.chosen(_FOLDS, fold, "fold")
    options = _sized(
        _api.tn_map_options, opset=native.whole(opset, 32, "an opset"),
        signature=_or_none(signature), simplifies=bool(simplify),
        keeps_nodes=simplify is not None and not simplify,
        folds_shapes=what == 1, folds_nothing=what == 2,
        fold_limit=native.whole(fold_limit, 64, "fold_limit"),
        only_rules=bool(only_rules), channels_first=bool(channels_first),
        keeps_quantized=bool(keep_quantized), via=_or_none(via),
        receipt=None if receipt is None else native.path(receipt),
        shape_count=len(rows))
    for name, (texts, count) in lists.items():
        setattr(options, name + "_count", count)
        if count:
            setattr(options, name if name == "allow" else name + "s", texts)
    if rows:
        options.shapes = listed
    return options, (lists, listed, kept)


# ---- edits --------------------------------------------------------------------------


class Edit(native.Closing):
    """Changes that commit() makes a new model of.

    The actions of `tenon edit` are methods, with _ for - and with the value
    that the option has: edit.rename("a=b"), edit.set_attr("node axis=1"),
    edit.float16(); `actions()` lists them, and run() takes a script.  All other
    names are of tensors of the main graph unless `graph` says another.

    `progress` is asked by long actions and by commit(), as is Ctrl-C."""

    def __init__(self, model: Model,
                 progress: Optional[Progress] = None) -> None:
        self._handle = None
        if not isinstance(model, Model):
            raise TypeError(f"an edit is one of a Model, not of {model!r}")
        handle, watch = ctypes.c_void_p(), native.Watch(progress)
        watch.call("tn_edit_open", ctypes.byref(handle),
                   model._expect_open(), ctypes.byref(watch.options()))
        self._begin(handle, watch, model._source)
        self._borrowed.append(model._remote)

    def _begin(self, handle: Any, watch: native.Watch,
               source: Optional[_Source] = None) -> None:
        self._handle = handle
        self._watch = watch  # the edit asks it until it is closed
        self._source = source  # what it has not changed is read from there
        self._borrowed: List[Any] = []

    @classmethod
    def new(cls, format: str,
            progress: Optional[Progress] = None) -> "Edit":
        """An empty model of a format, such as "onnx" or "safetensors"."""
        edit = cls.__new__(cls)
        handle, watch = ctypes.c_void_p(), native.Watch(progress)
        watch.call("tn_edit_new", ctypes.byref(handle), _encode(format),
                   ctypes.byref(watch.options()))
        edit._begin(handle, watch)
        return edit

    def close(self) -> None:
        handle, self._handle = self._handle, None
        library.tn_edit_close(handle)

    def _call(self, name: str, *arguments: Any) -> None:
        if not self._handle:
            raise ValueError("the edit is closed")
        self._watch.call_again(name, self._handle, *arguments)

    # ---- actions --------------------------------------------------------------------

    @staticmethod
    def actions() -> Dict[str, str]:
        """What `tenon edit` can do: names, and a line of help for each."""
        rows = (library.tn_edit_action(i)
                for i in range(library.tn_edit_action_count()))
        return {(row.name or b"").decode(): (row.help or b"").decode()
                for row in rows}

    def act(self, action: str, value: Optional[str] = None) -> None:
        """One action, with the value that the option of the command has."""
        self._call("tn_edit_act", _encode(action), _or_none(value))

    def run(self, script: Union[str, bytes]) -> None:
        """All actions of a script."""
        data = script.encode() if isinstance(script, str) \
            else native.octets(script)
        self._call("tn_edit_run", Bytes.of(data))

    def run_file(self, path: AnyPath) -> None:
        """All actions of a script, or of a patch of `tenon diff`."""
        self._call("tn_edit_run_file", native.path(path))

    def notes(self) -> List[str]:
        """What the actions so far have to tell."""
        found: List[str] = []
        while self._handle:
            note = library.tn_edit_note(self._handle, len(found))
            if note is None:
                break
            found.append(note.decode("utf-8", "replace"))
        return found

    def __getattr__(self, name: str) -> Callable[..., None]:
        action = name.replace("_", "-")
        if name.startswith("_") or action not in Edit.actions():
            raise AttributeError(f"an edit has no {name!r}; actions() lists "
                                 "what it has")

        def act(value: Optional[str] = None) -> None:
            self.act(action, value)
        act.__doc__ = Edit.actions()[action]
        return act

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *(
            name.replace("-", "_") for name in Edit.actions())})

    def set_metadata(self, key: str, value: Optional[str]) -> None:
        """A key of the metadata; None removes it."""
        self._call("tn_edit_set_metadata", _encode(key), _or_none(value))

    # ---- inputs, outputs, signatures, opset -------------------------------------------

    def set_inputs(self, values: Iterable[Value]) -> None:
        """All inputs of the main graph, by name, type and shape."""
        self._list("list-inputs", values)

    def set_outputs(self, values: Iterable[Value]) -> None:
        """All outputs of the main graph."""
        self._list("list-outputs", values)

    def _list(self, action: str, values: Iterable[Value]) -> None:
        words = [_word(word) for value in _checked(values)
                 for word in (value.name, value.dtype or "?",
                              _shape_word(value.shape))]
        self.run(" ".join([action, *words]) + "\n")

    def set_opset(self, version: int) -> None:
        """The operators of an ONNX model as another opset has them."""
        self.act("opset", str(native.whole(version, 32, "an opset")))

    def set_signature(self, signature: Signature) -> None:
        """A signature of a SavedModel or a TFLite model: a new one, or another
        one of that name."""
        if not isinstance(signature, Signature):
            raise TypeError(f"expected a Signature, not {signature!r}")
        kept: List[Any] = []
        row = _api.tn_signature(
            name=_kept(signature.name, kept), method=_kept(signature.method,
                                                           kept),
            inputs=_io_list(signature.inputs, kept),
            outputs=_io_list(signature.outputs, kept))
        self._call("tn_edit_set_signature", ctypes.byref(row))

    def remove_signature(self, name: str) -> None:
        self._call("tn_edit_remove_signature", _encode(name))

    # ---- tensors --------------------------------------------------------------------

    def _put(self, call: str, name: str, dtype: str, shape: Sequence[int],
             data: Any, graph: Optional[int]) -> None:
        shape = native.listed(shape, "a shape")
        dims = (_U64 * len(shape))(*(native.whole(dim, 64, "a dimension")
                                     for dim in shape))
        data = native.octets(data)
        self._call(call, self._graph(graph), _encode(name), _dtype(dtype),
                   len(shape), dims, Bytes.of(data))

    @staticmethod
    def _graph(graph: Optional[int]) -> int:
        return _NONE if graph is None else native.whole(graph, 32, "a graph")

    def add(self, name: str, dtype: str, shape: Sequence[int], data: Any,
            kind: str = CONSTANT, graph: Optional[int] = 0) -> None:
        """A tensor of a graph; a model without one has its own in the graph 0
        or None."""
        _variable_kind(kind)  # nothing is added if it is none
        self._put("tn_edit_add_elements", name, dtype, shape, data, graph)
        if kind != CONSTANT:
            self.set_variable(name, kind, graph or 0)

    def _borrow(self, name: str, dtype: str, shape: Sequence[int],
                address: int, size: int, keep: Any) -> None:
        """Elements that stay where they are, which `keep` owns."""
        dims = (_U64 * len(shape))(*shape)
        self._call("tn_edit_add_borrowed", _NONE, _encode(name),
                   _dtype(dtype), len(shape), dims,
                   Bytes(address or None, size))
        self._borrowed.append(keep)

    def replace(self, name: str, dtype: str, shape: Sequence[int], data: Any,
                graph: Optional[int] = 0) -> None:
        """Other elements; what it is (trained, constant) stays."""
        self._put("tn_edit_replace_elements", name, dtype, shape, data, graph)

    def remove(self, name: str, graph: Optional[int] = 0) -> None:
        self._call("tn_edit_remove_tensor", self._graph(graph), _encode(name))

    def set_levels(self, name: str, levels: Sequence[Sequence[int]],
                   graph: Optional[int] = 0) -> None:
        """Where the sequences of a tensor begin (LoD): lists of offsets, the
        outermost level first; none removes them."""
        rows = [[native.whole(offset, 64, "an offset")
                 for offset in native.listed(level, "a level")]
                for level in native.listed(levels, "the levels")]
        counts = (_U64 * len(rows))(*map(len, rows))
        offsets = [offset for level in rows for offset in level]
        self._call("tn_edit_set_levels", self._graph(graph), _encode(name),
                   len(rows), counts, (_U64 * len(offsets))(*offsets))

    # ---- training ---------------------------------------------------------------------

    def set_variable(self, name: str, kind: str, graph: int = 0) -> None:
        self._call("tn_edit_set_variable",
                   native.whole(graph, 32, "a graph"), _encode(name),
                   _variable_kind(kind))

    def set_training(self, configuration: Any) -> None:
        """A JSON text, or what json.dumps() makes one of; None: none."""
        if configuration is not None and not isinstance(configuration, str):
            import json
            configuration = json.dumps(configuration)
        self._call("tn_edit_set_training", _or_none(configuration))

    def set_losses(self, names: Sequence[str]) -> None:
        self._call("tn_edit_set_losses", *_texts(names, "the losses"))

    def set_state(self, parameter: str, key: str, data: Any) -> None:
        """What the updater keeps: as many elements as the parameter has."""
        self._call("tn_edit_set_state_elements", _encode(parameter),
                   _encode(key), Bytes.of(native.octets(data)))

    def remove_states(self, parameter: Optional[str] = None) -> None:
        self._call("tn_edit_remove_states", _or_none(parameter))

    def commit(self) -> Model:
        handle = _Handle()
        self._call("tn_edit_commit", ctypes.byref(handle))
        model = Model(handle, self._source)
        model._borrowed = [*self._borrowed, self._watch.remote]
        return model


def _variable_kind(kind: str) -> int:
    if kind not in _KINDS:
        error = ValueError if isinstance(kind, str) else TypeError
        raise error(f"a variable is one of {', '.join(_KINDS)}, not {kind!r}")
    return _KINDS.index(kind)


def _word(text: str) -> str:
    """A word of a script (tenon-edit(1))."""
    escaped = "".join(
        "\\" + c if c in '"\\' else c if ord(c) >= 32 else f"\\x{ord(c):02x}"
        for c in text)
    return f'"{escaped}"'


def _shape_word(shape: Any) -> str:
    if shape is None:
        return "..."
    return ",".join("?" if dim is None else str(dim) for dim in shape)


def _kept(text: str, kept: List[Any]) -> Any:
    """A struct tn_bytes; `kept` keeps what it points at."""
    data = _encode(text)
    kept.append(data)
    return Bytes.of(data)


def _checked(values: Iterable[Value]) -> List[Value]:
    listed = native.listed(values, "inputs and outputs")
    for value in listed:
        if not isinstance(value, Value):
            raise TypeError(f"expected a Value, not {value!r}")
    return listed


def _io_list(values: Iterable[Value], kept: List[Any]) -> Any:
    rows = []
    for value in _checked(values):
        shape = () if value.shape is None else value.shape
        dims = (_api.tn_dim * len(shape))(*(
            _api.tn_dim(size, _kept("", kept)) if isinstance(size, int)
            else _api.tn_dim(-1, _kept(size or "", kept)) for size in shape))
        kept.append(dims)
        rows.append(_api.tn_io(
            name=_kept(value.name, kept), key=_kept(value.key or value.name,
                                                    kept),
            dtype=_dtype(value.dtype), has_rank=value.shape is not None,
            rank=len(shape), dims=dims))
    listed = (_api.tn_io * len(rows))(*rows)
    kept.append(listed)
    return _api.tn_io_list(len(rows), listed)


def _dtype(name: str) -> int:
    element = library.tn_dtype_find(_encode(name))
    if element == _api.TN_UNDEFINED:
        raise ValueError(f"there is no element type {name!r}")
    return element
