"""Models: their tensors, how they are trained, and edits of both.

    with tenon.Model.open("model.fb") as model:
        print(model.kinds(), model.training, model.losses)
        with model.edit() as edit:
            edit.replace("w", "float32", [2, 3], data)   # stays trained
            edit.set_state("w", "M", zeros)
            edit.commit().write("trained.samediff")

The functions are those of include/tenon/model.h and edit.h.  Elements are
bytes, little-endian and in C order: numpy's tobytes() and frombuffer().
"""
import ctypes
import json
import os

from tenon import native
from tenon.native import Bytes, Failure, Target, library

CONSTANT, TRAINED, PLACEHOLDER = "constant", "trained", "placeholder"
_KINDS = [CONSTANT, TRAINED, PLACEHOLDER]  # enum tn_variable_kind
_ROLES = ["initializer", "attribute", "variable", "sparse-values",
          "sparse-indices", "state"]  # enum tn_role

_HANDLE, _TEXT = ctypes.c_void_p, ctypes.c_char_p
_U32, _U64 = ctypes.c_uint32, ctypes.c_uint64
_DIMS = ctypes.POINTER(_U64)


class _Setting(ctypes.Structure):
    """struct tn_setting."""
    _fields_ = [("name", _TEXT), ("value", _TEXT)]


class _Options(ctypes.Structure):
    """struct tn_options; a size of 0 is the first layout, whose other fields
    are in the rest."""
    _fields_ = [("size", ctypes.c_size_t), ("allocator", _HANDLE),
                ("max_memory", _U64), ("max_expand", _U64),
                ("workers", ctypes.c_uint), ("from_", _TEXT), ("tag", _TEXT),
                ("keep_unmapped", ctypes.c_bool),
                ("wants_graph", ctypes.c_bool),
                ("settings", ctypes.POINTER(_Setting)),
                ("setting_count", _U32), ("rest", _HANDLE * 16)]


class _ConvertOptions(ctypes.Structure):
    """struct tn_convert_options, in the same way."""
    _fields_ = [("size", ctypes.c_size_t), ("to", _TEXT),
                ("settings", ctypes.POINTER(_Setting)),
                ("setting_count", _U32), ("rest", _HANDLE * 61)]


class _FormatInfo(ctypes.Structure):
    """struct tn_format_info."""
    _fields_ = [("name", _TEXT), ("title", _TEXT), ("dialect", _TEXT),
                ("suffixes", ctypes.POINTER(_TEXT)),
                ("can_read", ctypes.c_bool), ("can_write", ctypes.c_bool),
                ("can_check", ctypes.c_bool), ("has_text", ctypes.c_bool)]


class _FormatOption(ctypes.Structure):
    """struct tn_format_option."""
    _fields_ = [("name", _TEXT), ("kind", ctypes.c_int),
                ("letter", ctypes.c_char), ("is_for_reading", ctypes.c_bool),
                ("value", _TEXT), ("standard", _TEXT), ("help", _TEXT),
                ("needs", _TEXT), ("excludes", _TEXT)]


class _End(ctypes.Structure):
    _fields_ = [("name", Bytes), ("key", Bytes), ("dtype", ctypes.c_int),
                ("has_rank", ctypes.c_bool), ("has_default", ctypes.c_bool),
                ("is_guessed", ctypes.c_bool), ("rank", _U32),
                ("dims", _HANDLE), ("note", _TEXT)]


class _Ends(ctypes.Structure):
    _fields_ = [("count", _U32), ("items", ctypes.POINTER(_End))]


# Return a status; an error is added at the end.
_CALLS = {
    "tn_model_open": [ctypes.POINTER(_HANDLE), _TEXT, ctypes.POINTER(_Options)],
    "tn_tensor_level": [_HANDLE, _U64, _DIMS, _U64, _DIMS],
    "tn_tensor_read": [_HANDLE, _U64, _HANDLE, ctypes.c_size_t],
    "tn_convert": [_HANDLE, ctypes.POINTER(_ConvertOptions),
                   ctypes.POINTER(Target), ctypes.POINTER(_Options), _HANDLE],
    "tn_edit_open": [ctypes.POINTER(_HANDLE), _HANDLE,
                     ctypes.POINTER(_Options)],
    "tn_edit_commit": [_HANDLE, ctypes.POINTER(_HANDLE)],
    "tn_edit_add_elements": [_HANDLE, _U32, _TEXT, ctypes.c_int, _U32, _DIMS,
                             Bytes],
    "tn_edit_replace_elements": [_HANDLE, _U32, _TEXT, ctypes.c_int, _U32,
                                 _DIMS, Bytes],
    "tn_edit_set_levels": [_HANDLE, _U32, _TEXT, _U64, _DIMS, _DIMS],
    "tn_edit_remove_tensor": [_HANDLE, _U32, _TEXT],
    "tn_edit_set_variable": [_HANDLE, _U32, _TEXT, ctypes.c_int],
    "tn_edit_set_training": [_HANDLE, _TEXT],
    "tn_edit_set_losses": [_HANDLE, ctypes.POINTER(_TEXT), _U32],
    "tn_edit_set_state_elements": [_HANDLE, _TEXT, _TEXT, Bytes],
    "tn_edit_remove_states": [_HANDLE, _TEXT],
}
_PLAIN = {
    "tn_model_close": (None, [_HANDLE]),
    "tn_model_format": (_TEXT, [_HANDLE]),
    "tn_model_training": (Bytes, [_HANDLE]),
    "tn_model_loss_count": (_U32, [_HANDLE]),
    "tn_model_loss": (Bytes, [_HANDLE, _U32]),
    "tn_model_inputs": (_Ends, [_HANDLE]),
    "tn_model_tensor_count": (_U64, [_HANDLE]),
    "tn_model_tensor": (_HANDLE, [_HANDLE, _U64]),
    "tn_tensor_name": (Bytes, [_HANDLE]),
    "tn_tensor_dtype": (ctypes.c_int, [_HANDLE]),
    "tn_tensor_rank": (_U32, [_HANDLE]),
    "tn_tensor_dims": (_DIMS, [_HANDLE]),
    "tn_tensor_role": (ctypes.c_int, [_HANDLE]),
    "tn_tensor_size": (_U64, [_HANDLE]),
    "tn_tensor_level_count": (_U64, [_HANDLE]),
    "tn_tensor_state": (ctypes.c_bool, [_HANDLE, ctypes.POINTER(Bytes),
                                        ctypes.POINTER(Bytes)]),
    "tn_dtype_name": (_TEXT, [ctypes.c_int]),
    "tn_dtype_find": (ctypes.c_int, [_TEXT]),
    "tn_edit_close": (None, [_HANDLE]),
    "tn_format_count": (_U32, []),
    "tn_format_at": (_FormatInfo, [_U32]),
    "tn_format_option": (ctypes.POINTER(_FormatOption), [_U32, _U32]),
}

for _name, _arguments in _CALLS.items():
    getattr(library, _name).argtypes = [*_arguments, ctypes.POINTER(Failure)]
    getattr(library, _name).restype = ctypes.c_int
for _name, (_result, _arguments) in _PLAIN.items():
    getattr(library, _name).argtypes = _arguments
    getattr(library, _name).restype = _result


def _text(view):
    return ctypes.string_at(view.data, view.size).decode("utf-8", "replace") \
        if view.size else ""


def _encode(text):
    if isinstance(text, (bytes, bytearray)):
        data = bytes(text)
    else:
        data = os.fspath(text)
        data = data.encode() if isinstance(data, str) else data
    if b"\0" in data:
        raise ValueError(f"{text!r} has a zero byte")
    return data


class Tensor:
    """A tensor of an open model.

    name, dtype ("float32"), shape, role ("variable", "state", ...)
    state  (parameter, key) if an updater keeps it, else None
    """

    def __init__(self, model, index):
        if not isinstance(model, Model):
            raise TypeError(f"a tensor is one of a Model, not of {model!r}")
        handle = library.tn_model_tensor(
            model._expect_open(), native.whole(index, 64, "an index"))
        if not handle:
            raise ValueError(f"the model has no tensor {index}")
        self._model, self._handle = model, handle
        self.name = _text(library.tn_tensor_name(handle))
        self.dtype = library.tn_dtype_name(
            library.tn_tensor_dtype(handle)).decode()
        dims = library.tn_tensor_dims(handle)
        self.shape = tuple(dims[i]
                           for i in range(library.tn_tensor_rank(handle)))
        self.role = _ROLES[library.tn_tensor_role(handle)]
        parameter, key = Bytes(), Bytes()
        self.state = (_text(parameter), _text(key)) if library.tn_tensor_state(
            handle, ctypes.byref(parameter), ctypes.byref(key)) else None

    @property
    def levels(self):
        """Where its sequences begin (LoD): lists of offsets, the outermost
        level first."""
        self._model._expect_open()
        return [self._level(i) for i in range(
            library.tn_tensor_level_count(self._handle))]

    def _level(self, index):
        count = _U64()
        native.call("tn_tensor_level", self._handle, index, None, 0,
                    ctypes.byref(count))
        offsets = (_U64 * count.value)()
        native.call("tn_tensor_level", self._handle, index, offsets,
                    count.value, ctypes.byref(count))
        return list(offsets)

    def read(self):
        """All elements, as bytes."""
        self._model._expect_open()
        return native.read("tn_tensor_read", self._handle,
                           library.tn_tensor_size(self._handle))


def _value(value):
    """The text of a setting: a flag may be a bool, a size a number."""
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, int):
        return str(value).encode()
    return _encode(value)


def _settings(settings):
    """A dict as an array of struct tn_setting, and its length."""
    rows = [_Setting(_encode(name), _value(value))
            for name, value in dict(settings or {}).items()]
    return (_Setting * len(rows))(*rows), len(rows)


_OPTION_KINDS = ["flag", "text", "file", "size", "choice"]  # tn_option_kind


def _format_options(index):
    options = []
    while row := library.tn_format_option(index, len(options)):
        option = row.contents
        text = {key: None if getattr(option, name) is None
                else getattr(option, name).decode()
                for key, name in (("name", "name"), ("value", "value"),
                                  ("default", "standard"), ("help", "help"),
                                  ("needs", "needs"),
                                  ("excludes", "excludes"))}
        options.append({**text, "kind": _OPTION_KINDS[option.kind],
                        "is_for_reading": option.is_for_reading})
    return options


def formats():
    """The formats of this build, a dict each: name, title, dialect, suffixes,
    can_read, can_write, and the options that Model.open() and Model.write()
    take as settings."""
    rows = []
    for i in range(library.tn_format_count()):
        info = library.tn_format_at(i)
        suffixes = []
        while info.suffixes and info.suffixes[len(suffixes)]:
            suffixes.append(info.suffixes[len(suffixes)].decode())
        rows.append({"name": info.name.decode(), "title": info.title.decode(),
                     "dialect": info.dialect.decode(), "suffixes": suffixes,
                     "can_read": info.can_read, "can_write": info.can_write,
                     "options": _format_options(i)})
    return rows


class Model(native.Closing):
    """A model with its graph.  Close it, or use it in a `with`."""

    def __init__(self, handle):
        """Model.open() makes one."""
        self._handle = native.handle(handle, "Model.open()")

    @classmethod
    def open(cls, path, tag=None, settings=None):
        """`settings`: options for reading, as Model.write() has them."""
        listed, count = _settings(settings)
        options = _Options(wants_graph=True,
                           tag=None if tag is None else _encode(tag),
                           settings=listed, setting_count=count)
        handle = ctypes.c_void_p()
        native.call("tn_model_open", ctypes.byref(handle), _encode(path),
                    ctypes.byref(options))
        return cls(handle)

    def _expect_open(self):
        if not self._handle:
            raise ValueError("the model is closed")
        return self._handle

    def close(self):
        library.tn_model_close(self._handle)
        self._handle = None

    @property
    def format(self):
        return library.tn_model_format(self._expect_open()).decode()

    @property
    def training(self):
        """The training configuration, a JSON text, or None."""
        view = library.tn_model_training(self._expect_open())
        return _text(view) if view.size else None

    @property
    def losses(self):
        handle = self._expect_open()
        return [_text(library.tn_model_loss(handle, i))
                for i in range(library.tn_model_loss_count(handle))]

    def tensors(self):
        handle = self._expect_open()
        return [Tensor(self, i) for i in range(library.tn_model_tensor_count(handle))]

    def kinds(self):
        """The variables of a SameDiff model by name: what they are."""
        ends = library.tn_model_inputs(self._expect_open())
        kinds = {_text(ends.items[i].name): PLACEHOLDER
                 for i in range(ends.count)}
        for tensor in self.tensors():
            if tensor.role in ("variable", "initializer"):
                kinds.setdefault(tensor.name, TRAINED if tensor.role ==
                                 "variable" else CONSTANT)
        return kinds

    def edit(self):
        return Edit(self)

    def write(self, path, format=None, replace=False, settings=None):
        """Writes it; the format is `format`, or what the path's end says.

        `settings` are options of that format, which formats() lists:
        {"external": "weights.bin", "threshold": 4096}, {"inline": True}."""
        listed, count = _settings(settings)
        options = _ConvertOptions(to=None if format is None
                                  else _encode(format),
                                  settings=listed, setting_count=count)
        target = Target(_encode(path), bool(replace))
        native.call("tn_convert", self._expect_open(), ctypes.byref(options),
                    ctypes.byref(target), None, None)


class Edit(native.Closing):
    """Changes that commit() makes a new model of.  All names are of tensors of
    the main graph unless `graph` says another."""

    def __init__(self, model):
        self._handle = None
        if not isinstance(model, Model):
            raise TypeError(f"an edit is one of a Model, not of {model!r}")
        handle = ctypes.c_void_p()
        native.call("tn_edit_open", ctypes.byref(handle),
                    model._expect_open(), None)
        self._handle = handle

    def close(self):
        library.tn_edit_close(self._handle)
        self._handle = None

    def _call(self, name, *arguments):
        if not self._handle:
            raise ValueError("the edit is closed")
        native.call(name, self._handle, *arguments)

    def _put(self, call, name, dtype, shape, data, graph):
        shape = native.listed(shape, "a shape")
        dims = (_U64 * len(shape))(*(native.whole(dim, 64, "a dimension")
                                     for dim in shape))
        data = native.octets(data)
        element = library.tn_dtype_find(_encode(dtype))
        if element == library.tn_dtype_find(b""):
            raise ValueError(f"there is no element type {dtype!r}")
        self._call(call, native.whole(graph, 32, "a graph"), _encode(name),
                   element, len(shape), dims, Bytes.of(data))

    def add(self, name, dtype, shape, data, kind=CONSTANT, graph=0):
        self._put("tn_edit_add_elements", name, dtype, shape, data, graph)
        if kind != CONSTANT:
            self.set_variable(name, kind, graph)

    def replace(self, name, dtype, shape, data, graph=0):
        """Other elements; what it is (trained, constant) stays."""
        self._put("tn_edit_replace_elements", name, dtype, shape, data, graph)

    def remove(self, name, graph=0):
        self._call("tn_edit_remove_tensor", native.whole(graph, 32, "a graph"),
                   _encode(name))

    def set_levels(self, name, levels, graph=0):
        """Where the sequences of a tensor begin (LoD): lists of offsets, the
        outermost level first; none removes them."""
        levels = [[native.whole(offset, 64, "an offset")
                   for offset in native.listed(level, "a level")]
                  for level in native.listed(levels, "the levels")]
        counts = (_U64 * len(levels))(*map(len, levels))
        offsets = [offset for level in levels for offset in level]
        self._call("tn_edit_set_levels", native.whole(graph, 32, "a graph"),
                   _encode(name), len(levels), counts,
                   (_U64 * len(offsets))(*offsets))

    def set_variable(self, name, kind, graph=0):
        if kind not in _KINDS:
            error = ValueError if isinstance(kind, str) else TypeError
            raise error(f"a variable is one of {', '.join(_KINDS)}, not "
                        f"{kind!r}")
        self._call("tn_edit_set_variable",
                   native.whole(graph, 32, "a graph"), _encode(name),
                   _KINDS.index(kind))

    def set_training(self, configuration):
        """A JSON text, or what json.dumps() makes one of; None: none."""
        if configuration is not None and not isinstance(configuration, str):
            configuration = json.dumps(configuration)
        self._call("tn_edit_set_training", None if configuration is None
                   else _encode(configuration))

    def set_losses(self, names):
        names = native.listed(names, "the losses")
        texts = (_TEXT * len(names))(*map(_encode, names))
        self._call("tn_edit_set_losses", texts, len(names))

    def set_state(self, parameter, key, data):
        """What the updater keeps: as many elements as the parameter has."""
        self._call("tn_edit_set_state_elements", _encode(parameter),
                   _encode(key), Bytes.of(native.octets(data)))

    def remove_states(self, parameter=None):
        self._call("tn_edit_remove_states", None if parameter is None
                   else _encode(parameter))

    def commit(self):
        handle = ctypes.c_void_p()
        self._call("tn_edit_commit", ctypes.byref(handle))
        return Model(handle)
