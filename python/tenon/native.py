"""libtenon: where it is, what its functions take, how it says what is wrong.

The structs and functions are those of include/tenon/chunk.h.
"""
import ctypes
import ctypes.util
import glob
import operator
import os

# ---- the library -------------------------------------------------------------


def _candidates():
    """Paths and names to try: what was asked for, beside us, where `make
    install` says that it is, where libraries are."""
    asked = os.environ.get("TENON_LIBRARY")
    if asked:
        return [asked]
    here = os.path.dirname(os.path.realpath(__file__))
    beside = sorted(glob.glob(os.path.join(glob.escape(here), "libtenon.*")))
    try:
        with open(os.path.join(here, "library"), encoding="utf-8") as file:
            beside.append(os.path.join(here, file.read().strip()))
    except OSError:
        pass  # not installed, or copied without it
    installed = ctypes.util.find_library("tenon")
    return beside + ([installed] if installed else [])


def _load():
    failure = "it is neither beside this package nor installed"
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            failure = str(error)
    raise ImportError(f"libtenon cannot be loaded: {failure}; "
                      "TENON_LIBRARY can name it")


# ---- structs -----------------------------------------------------------------

NOWHERE = 2**64 - 1
AT_END = 2**64 - 1
CHUNK_MESSAGE = 1
CHUNK_BYTES = 2


class Bytes(ctypes.Structure):
    """struct tn_bytes: borrowed, so whoever makes one keeps the bytes."""
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    @classmethod
    def of(cls, data):
        pointer = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p)
        return cls(pointer, len(data))

    def copy(self):
        return ctypes.string_at(self.data, self.size) if self.size else b""


class Step(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char_p), ("number", ctypes.c_int64)]


class Path(ctypes.Structure):
    _fields_ = [("steps", ctypes.POINTER(Step)), ("count", ctypes.c_uint64)]


class Target(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("can_replace", ctypes.c_bool),
                ("is_dry_run", ctypes.c_bool), ("is_durable", ctypes.c_bool)]


class SplitFormat(ctypes.Structure):
    """struct tn_split_format."""
    _fields_ = [("version", ctypes.c_uint), ("separates_bytes", ctypes.c_bool),
                ("max_bytes", ctypes.c_uint64),
                ("max_metadata", ctypes.c_uint64),
                ("max_file", ctypes.c_uint64)]


class SplitVersion(ctypes.Structure):
    """struct tn_split_version."""
    _fields_ = [("producer", ctypes.c_int32), ("min_consumer", ctypes.c_int32),
                ("bad_consumers", ctypes.POINTER(ctypes.c_int32)),
                ("bad_consumer_count", ctypes.c_uint64)]


class SplitRule(ctypes.Structure):
    """struct tn_split_rule."""
    _fields_ = [("rules", ctypes.c_int), ("max_size", ctypes.c_uint64)]


class MessagePart(ctypes.Structure):
    """struct tn_message_part."""
    _fields_ = [("end", ctypes.c_uint64), ("field", ctypes.c_uint32),
                ("wire", ctypes.c_uint32), ("body", ctypes.c_uint64)]


class Failure(ctypes.Structure):
    """struct tn_error."""
    _fields_ = [("status", ctypes.c_int), ("reason", ctypes.c_int),
                ("offset", ctypes.c_uint64), ("file", ctypes.c_char * 120),
                ("where", ctypes.c_char * 120), ("what", ctypes.c_char * 768)]


class Closing:
    """What `with` closes, or nobody's holding it: a handle of the library."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()


class Error(Exception):
    """What the library refused, and why.

    status  one word: "malformed", "not found", "exists", ...
    reason  a stable word to decide by: "no-rule", "unknown-format", ...; or ""
    offset  the byte in the file that is to blame, or None
    file    the file, if it is not the one that was asked for
    where   the path in the message
    what    one line
    """

    def __init__(self, failure):
        self.status = library.tn_status_name(failure.status).decode()
        self.reason = library.tn_reason_word(failure.reason).decode()
        self.offset = None if failure.offset == NOWHERE else failure.offset
        self.file, self.where, self.what = (
            text.decode("utf-8", "replace")
            for text in (failure.file, failure.where, failure.what))
        place = [self.file, self.where]
        if self.offset is not None:
            place.append(f"byte {self.offset}")
        super().__init__(": ".join([p for p in place if p] + [self.what]))


# ---- functions ---------------------------------------------------------------

_HANDLE = ctypes.c_void_p
_OUT = ctypes.POINTER(ctypes.c_void_p)
_U64 = ctypes.c_uint64
_TEXT = ctypes.c_char_p
_STEPS = [ctypes.POINTER(Step), _U64]
_TYPE = [_HANDLE, _TEXT]  # a schema, and the name of a type in it
_COUNT = ctypes.POINTER(_U64)
_KNOWN = [_OUT, _HANDLE, *_STEPS, ctypes.POINTER(SplitRule)]

SCALARS = {"text": 0, "numpy": 1}
RULES = {"c++": 0, "python": 1}

# All these return a status; options and an error are added at the end.
_WITH_OPTIONS = {
    "tn_schema_open": [_OUT, Bytes],
    "tn_schema_builtin": [_OUT, _TEXT],
    "tn_message_bytes": [_OUT, *_TYPE, Bytes],
    "tn_merger_open": [_OUT, *_TYPE, _TEXT],
    "tn_merger_open_bytes": [_OUT, *_TYPE, Bytes],
    "tn_merger_open_chunks": [_OUT, *_TYPE, ctypes.POINTER(Bytes), _U64,
                              Bytes],
}
_WITHOUT_OPTIONS = {
    "tn_message_read": [_HANDLE, _U64, ctypes.c_void_p, ctypes.c_size_t],
    "tn_message_part": [_HANDLE, _U64, _U64, _U64,
                        ctypes.POINTER(MessagePart)],
    "tn_splitter_open": [_OUT, _HANDLE],
    "tn_splitter_child": [_OUT, _HANDLE, *_STEPS],
    "tn_splitter_graph_def_child": _KNOWN,
    "tn_splitter_saved_model_child": _KNOWN,
    "tn_splitter_model_proto_child": _KNOWN,
    "tn_splitter_keep_base": [_HANDLE],
    "tn_splitter_add_chunk": [_HANDLE, ctypes.c_int, Bytes, *_STEPS, _U64],
    "tn_splitter_take": [_HANDLE, *_STEPS, _U64],
    "tn_splitter_hollow": [_HANDLE, *_STEPS, _U64],
    "tn_splitter_slice": [_HANDLE, *_STEPS, _U64, _U64, _U64],
    "tn_splitter_clear": [_HANDLE, *_STEPS],
    "tn_splitter_count": [_HANDLE, *_STEPS, _COUNT],
    "tn_splitter_size": [_HANDLE, *_STEPS, _COUNT],
    "tn_splitter_by_size": [_HANDLE, _U64],
    "tn_splitter_format": [_HANDLE, ctypes.POINTER(SplitFormat)],
    "tn_splitter_scalars": [_HANDLE, ctypes.c_int],
    "tn_splitter_version": [_HANDLE, ctypes.POINTER(SplitVersion)],
    "tn_splitter_tags": [_HANDLE, *_STEPS, ctypes.POINTER(Bytes)],
    "tn_splitter_adopt": [_HANDLE, ctypes.POINTER(ctypes.c_int),
                          ctypes.POINTER(Bytes), _U64, Bytes],
    "tn_splitter_split": [_HANDLE],
    "tn_splitter_chunk_read": [_HANDLE, _U64, _U64, ctypes.c_void_p,
                               ctypes.c_size_t],
    "tn_splitter_write": [_HANDLE, ctypes.POINTER(Target), _TEXT,
                          ctypes.POINTER(ctypes.c_char_p)],
    "tn_splitter_write_memory": [_HANDLE, _TEXT, ctypes.POINTER(Bytes),
                                 ctypes.POINTER(ctypes.c_bool)],
    "tn_merger_get": [_OUT, _HANDLE, *_STEPS],
    "tn_merger_merge": [_OUT, _HANDLE, ctypes.POINTER(Path), _U64],
}
_PLAIN = {
    "tn_status_name": (_TEXT, [ctypes.c_int]),
    "tn_reason_word": (_TEXT, [ctypes.c_int]),
    "tn_schema_close": (None, [_HANDLE]),
    "tn_message_close": (None, [_HANDLE]),
    "tn_message_size": (_U64, [_HANDLE]),
    "tn_message_warning": (_TEXT, [_HANDLE]),
    "tn_splitter_close": (None, [_HANDLE]),
    "tn_merger_close": (None, [_HANDLE]),
    "tn_merger_scalars": (None, [_HANDLE, ctypes.c_int]),
    "tn_merger_sort": (None, [_HANDLE]),
    "tn_merger_version": (SplitVersion, [_HANDLE]),
    "tn_splitter_chunk_count": (_U64, [_HANDLE]),
    "tn_splitter_chunk_size": (_U64, [_HANDLE, _U64]),
    "tn_splitter_chunked_message": (Bytes, [_HANDLE]),
}


def _declare(functions):
    ends = [ctypes.POINTER(Failure)]
    for table, more in ((_WITH_OPTIONS, [ctypes.c_void_p] + ends),
                        (_WITHOUT_OPTIONS, ends)):
        for name, arguments in table.items():
            function = getattr(functions, name)
            function.restype = ctypes.c_int
            function.argtypes = arguments + more
    for name, (result, arguments) in _PLAIN.items():
        function = getattr(functions, name)
        function.restype = result
        function.argtypes = arguments
    return functions


try:
    library = _declare(_load())
except AttributeError as error:
    raise ImportError(f"libtenon is of another version: {error}") from error


_NEW_BYTES = ctypes.pythonapi.PyBytes_FromStringAndSize
_NEW_BYTES.restype = ctypes.py_object
_NEW_BYTES.argtypes = [ctypes.c_char_p, ctypes.c_ssize_t]


def octets(data):
    """The bytes of what has some.  bytes(4) would be four zeros."""
    if isinstance(data, bytes):
        return data
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise TypeError(f"bytes are wanted, not {data!r}") from None


def text(value, what):
    """Text that C reads, as bytes; bytes stay what they are."""
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"{what} is text, not {value!r}")
    data = value.encode() if isinstance(value, str) else value
    if b"\0" in data:
        raise ValueError(f"{value!r} has a zero byte")
    return data


def path(value):
    """The name of a file, as bytes."""
    return text(os.fsencode(value), "a path")


def handle(value, maker):
    """What the library made; a number is no address that may be looked at."""
    if not isinstance(value, ctypes.c_void_p) or not value:
        raise TypeError(f"{maker} makes one, not the class of {value!r}")
    return value


def whole(number, bits, what):
    """ctypes keeps the lower bits of what is too large, and says nothing."""
    if isinstance(number, bool):
        raise TypeError(f"{what} is a number, not {number!r}")
    if not 0 <= operator.index(number) < 2**bits:
        raise ValueError(f"{what} is from 0 to 2^{bits} - 1, not {number}")
    return number


def listed(values, what):
    """A list of things, which a text or bytes are not."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{what} is a list, not {values!r}")
    return list(values)


def call(name, *arguments):
    """Calls a function that returns a status; raises Error unless it is OK."""
    failure = Failure(offset=NOWHERE)
    options = [None] if name in _WITH_OPTIONS else []
    function = getattr(library, name)
    try:
        status = function(*arguments, *options, ctypes.byref(failure))
    except ctypes.ArgumentError as error:
        raise TypeError(str(error)) from None
    if status != 0:
        raise Error(failure)


def make(name, *arguments):
    """The same for one that makes a handle, which is returned."""
    handle = ctypes.c_void_p()
    call(name, ctypes.byref(handle), *arguments)
    return handle


def read(name, handle, size, *arguments, offset=0):
    """`size` bytes of what `name` reads from."""
    if not size:
        return b""
    # Filled in place: there is no second copy, and nothing is zeroed first.
    data = _NEW_BYTES(None, size)
    call(name, handle, *arguments, offset, ctypes.c_char_p(data), size)
    return data


def chosen(table, word, what):
    """The number of a word that callers give."""
    if not isinstance(word, str):
        raise TypeError(f"{what} is a word, not {word!r}")
    if word not in table:
        raise ValueError(f"{what} is one of {', '.join(map(repr, table))}, "
                         f"not {word!r}")
    return table[word]


def steps(tags):
    """Field tags as an array of steps, which keeps what it points at."""
    tags = listed(tags, "a path of field tags")
    return (Step * len(tags))(*map(_step, tags))


def _step(tag):
    if isinstance(tag, int):
        if not -2**63 <= tag < 2**64:
            raise ValueError(f"the field tag {tag} has more than 64 bits")
        return Step(None, tag)
    if not isinstance(tag, (str, bytes)):
        raise TypeError(f"a field tag is text or a number, not {tag!r}")
    text = tag.encode() if isinstance(tag, str) else tag
    if b"\0" in text:
        raise ValueError(f"the field tag {tag!r} has a zero byte")
    return Step(text, 0)
