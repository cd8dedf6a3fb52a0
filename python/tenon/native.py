"""Calls of libtenon: text and bytes for C, and errors for Python.

Structs and functions are those of tenon/_api.py, which is made from the
headers.
"""
from __future__ import annotations

import contextvars
import ctypes
import errno
import functools
import operator
import os
import weakref
from typing import (Any, Callable, Dict, Generator, Iterable, List, Mapping,
                    NamedTuple, Optional, Tuple, Type, TypeVar, Union)

from tenon import _api
from tenon._api import library

NOWHERE = _api.TN_NOWHERE
AT_END = 2**64 - 1
CHUNK_MESSAGE = _api.TN_CHUNK_MESSAGE
CHUNK_BYTES = _api.TN_CHUNK_BYTES
SCALARS = {"text": 0, "numpy": 1}
RULES = {"c++": 0, "python": 1}

Failure = _api.tn_error
Step = _api.tn_step
Path = _api.tn_path
Target = _api.tn_target
SplitFormat = _api.tn_split_format
SplitVersion = _api.tn_split_version
SplitRule = _api.tn_split_rule
MessagePart = _api.tn_message_part
AnyPath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def _bytes_of(data: bytes) -> _api.tn_bytes:
    """Borrowed, so whoever makes one keeps the bytes."""
    pointer = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p)
    return _api.tn_bytes(pointer, len(data))


def _bytes_copy(view: _api.tn_bytes) -> bytes:
    return ctypes.string_at(view.data, view.size) if view.size else b""


Bytes: Any = _api.tn_bytes
Bytes.of = staticmethod(_bytes_of)
Bytes.copy = _bytes_copy


class Owned(ctypes.c_void_p):
    """A handle that is closed when nobody has it any more.  A call that is
    running in another thread has it."""

    closer = ""

    def __del__(self) -> None:
        if self.value:
            getattr(library, self.closer)(self)


class Uncopied:
    """An object that closes a handle of the library: a copy of it would close
    it again."""

    def __reduce__(self) -> Any:
        raise TypeError(f"{type(self).__name__} cannot be pickled or copied: "
                        "it is a handle of the library")


_Self = TypeVar("_Self", bound="Closing")


class Closing(Uncopied):
    """What `with` closes, or nobody's holding it: a handle of the library."""

    _handle: Any = None

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def close(self) -> None:
        raise NotImplementedError


# ---- errors -------------------------------------------------------------------


class Error(Exception):
    """What the library refused, and why.

    status  one word: "malformed", "not found", "exists", ...
    reason  a stable word to decide by: "no-rule", "unknown-format", ...; or ""
    offset  the byte in the file that is to blame, or None
    file    the file, if it is not the one that was asked for
    where   the path in the model or message
    what    one line
    """

    def __init__(self, failure: Any) -> None:
        self.status = (library.tn_status_name(failure.status) or b"").decode()
        self.reason = (library.tn_reason_word(failure.reason) or b"").decode()
        self.offset: Optional[int] = (None if failure.offset == NOWHERE
                                      else int(failure.offset))
        self.file, self.where, self.what = (
            text.decode("utf-8", "replace")
            for text in (failure.file, failure.where, failure.what))
        place = [self.file, self.where]
        if self.offset is not None:
            place.append(f"byte {self.offset}")
        self.message = ": ".join([p for p in place if p] + [self.what])
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Any:  # other processes raise it, too
        return _again, (type(self), self.__dict__.copy())


def _again(kind: Type[Error], fields: Dict[str, Any]) -> Error:
    error = kind.__new__(kind)
    error.args = (fields["message"],)
    error.__dict__.update(fields)
    return error


class MalformedError(Error, ValueError):
    """The bytes contradict the format."""


class TruncatedError(MalformedError):
    """The bytes end before the structure does."""


class LimitError(Error):
    """Well formed, but past a limit that the caller set."""


class UnsupportedError(Error, NotImplementedError):
    """Well formed, but beyond this build."""


class NotFoundError(Error, LookupError):
    """No such file, tensor, node, tag or format."""


class MissingTensorError(NotFoundError, KeyError):
    """The file has no tensor of that name."""


class SystemError(Error, OSError):
    """The operating system refused to read or to write."""


class MissingFileError(SystemError, FileNotFoundError):
    """There is no such file."""

    errno = errno.ENOENT


class NoMemoryError(Error, MemoryError):
    """Out of memory."""


class ExistsError(Error):
    """The target exists; replace=True replaces it."""


class BusyError(Error):
    """Another process is writing it."""


class InvalidError(Error, ValueError):
    """The caller's mistake."""


class CancelledError(Error):
    """Stopped by the progress callback."""


_MISSING = os.strerror(errno.ENOENT).encode()
_ERRORS: Dict[int, Type[Error]] = {
    _api.TN_TRUNCATED: TruncatedError, _api.TN_MALFORMED: MalformedError,
    _api.TN_LIMIT: LimitError, _api.TN_UNSUPPORTED: UnsupportedError,
    _api.TN_NOT_FOUND: NotFoundError, _api.TN_IO: SystemError,
    _api.TN_NO_MEMORY: NoMemoryError, _api.TN_EXISTS: ExistsError,
    _api.TN_BUSY: BusyError, _api.TN_INVALID: InvalidError,
    _api.TN_CANCELLED: CancelledError,
}


def error_of(failure: Any) -> Error:
    kind = _ERRORS.get(failure.status, Error)
    if kind is SystemError and failure.what.endswith(_MISSING):
        kind = MissingFileError
    return kind(failure)


def missing_tensor(file: str, name: str) -> Error:
    what = f"the file has no tensor {name!r}"
    return _again(MissingTensorError, {
        "status": "not found", "reason": "", "offset": None, "file": file,
        "where": "", "what": what, "message": f"{file}: {what}"})


# ---- what C takes ---------------------------------------------------------------

_NEW_BYTES = ctypes.pythonapi.PyBytes_FromStringAndSize
_NEW_BYTES.restype = ctypes.py_object
_NEW_BYTES.argtypes = [ctypes.c_char_p, ctypes.c_ssize_t]


def octets(data: Any) -> bytes:
    """The bytes of what has some.  bytes(4) would be four zeros."""
    if isinstance(data, bytes):
        return data
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise TypeError(f"bytes are wanted, not {data!r}") from None


def short(value: Any) -> str:
    """A value in a message: it may be a whole file that was taken for a
    name."""
    if isinstance(value, (str, bytes, bytearray)) and len(value) > 80:
        return f"{value[:80]!r}..."
    return repr(value)


def text(value: Any, what: str) -> bytes:
    """Text that C reads, as bytes; bytes stay what they are."""
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"{what} is text, not {value!r}")
    data = value.encode() if isinstance(value, str) else value
    if b"\0" in data:
        raise ValueError(f"{short(value)} has a zero byte")
    return data


def path(value: AnyPath) -> bytes:
    """The name of a file, as bytes."""
    name = os.fsencode(value)
    if b"\0" in name:
        raise ValueError(f"the path {short(name)} has a zero byte; "
                         "io.BytesIO(data) is a file that is in memory")
    return name


def handle(value: Any, maker: str) -> Any:
    """What the library made; a number is no address that may be looked at."""
    if not isinstance(value, ctypes.c_void_p) or not value:
        raise TypeError(f"{maker} makes one, not the class of {value!r}")
    return value


def whole(number: Any, bits: int, what: str) -> int:
    """ctypes keeps the lower bits of what is too large, and says nothing."""
    if isinstance(number, bool):
        raise TypeError(f"{what} is a number, not {number!r}")
    if not 0 <= operator.index(number) < 2**bits:
        raise ValueError(f"{what} is from 0 to 2^{bits} - 1, not {number}")
    return operator.index(number)


_T = TypeVar("_T")


def listed(values: Iterable[_T], what: str) -> List[_T]:
    """A list of things, which a text or bytes are not."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"expected a list for {what}, not {values!r}")
    return list(values)


def decoded(view: Any) -> str:
    """The text of a struct tn_bytes."""
    if not view.size:
        return ""
    return ctypes.string_at(view.data, view.size).decode("utf-8", "replace")


# ---- calls ----------------------------------------------------------------------


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status; raises Error unless it is OK.
    Options at the end that are not given are NULL."""
    failure = Failure(offset=NOWHERE)
    function = getattr(library, name)
    missing = len(function.argtypes) - len(arguments) - 1
    try:
        status = function(*arguments, *[None] * missing,
                          ctypes.byref(failure))
    except ctypes.ArgumentError as error:
        raise TypeError(str(error)) from None
    if status != 0:
        raise error_of(failure)


def make(name: str, *arguments: Any) -> ctypes.c_void_p:
    """The same for one that makes a handle, which is returned."""
    made = ctypes.c_void_p()
    call(name, ctypes.byref(made), *arguments)
    return made


def read(name: str, source: Any, size: int, *arguments: Any,
         offset: int = 0) -> bytes:
    """`size` bytes of what `name` reads from."""
    if not size:
        return b""
    # Filled in place: there is no second copy, and nothing is zeroed first.
    data: bytes = _NEW_BYTES(None, size)
    call(name, source, *arguments, offset, ctypes.c_char_p(data), size)
    return data


def chosen(table: Mapping[str, int], word: Any, what: str) -> int:
    """The number of a word that callers give."""
    if not isinstance(word, str):
        raise TypeError(f"{what} is a word, not {word!r}")
    if word not in table:
        raise ValueError(f"{what} is one of {', '.join(map(repr, table))}, "
                         f"not {word!r}")
    return table[word]


def steps(tags: Iterable[Any]) -> Any:
    """Field tags as an array of steps, which keeps what it points at."""
    tags = listed(tags, "a path of field tags")
    return (Step * len(tags))(*map(_step, tags))


def _step(tag: Any) -> _api.tn_step:
    if isinstance(tag, int):
        if not -2**63 <= tag < 2**64:
            raise ValueError(f"the field tag {tag} has more than 64 bits")
        return Step(None, tag)
    if not isinstance(tag, (str, bytes)):
        raise TypeError(f"a field tag is text or a number, not {tag!r}")
    data = tag.encode() if isinstance(tag, str) else tag
    if b"\0" in data:
        raise ValueError(f"the field tag {tag!r} has a zero byte")
    return Step(data, 0)


# ---- progress, and Ctrl-C -------------------------------------------------------

Progress = Callable[[str, int, int], object]
_SEND = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Signals:
    """Handlers of signals that do not raise, for as long as C may call Python:
    at the beginning of such a call nothing can catch what they raise, and C
    would not hear of it.  `keep` gets it instead.

    Only the main thread runs handlers; in others this does nothing."""

    def __init__(self, keep: Callable[[BaseException], None]) -> None:
        import importlib
        self._signal: Any = importlib.import_module("_signal")
        self._keep = keep
        self._were: Dict[int, Any] = {}
        self._ours: Dict[int, Any] = {}

    def __enter__(self) -> None:
        try:
            for number in range(1, self._signal.NSIG):
                handler = self._signal.getsignal(number)
                if callable(handler):
                    self._were[number] = handler
                    self._ours[number] = self._kept(handler)
                    self._signal.signal(number, self._ours[number])
        except ValueError:  # not the main thread
            self._were.clear()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        try:
            self._restore()
        finally:  # a handler raised that was already back
            self._restore()
            self._ours.clear()

    def _restore(self) -> None:
        for number, handler in list(self._were.items()):
            if self._signal.getsignal(number) is self._ours.get(number):
                self._signal.signal(number, handler)
            self._were.pop(number, None)

    def _kept(self, handler: Callable[..., Any]) -> Callable[..., None]:
        def run(number: int, frame: Any) -> None:
            try:
                handler(number, frame)
            except BaseException as error:
                self._keep(error)
        return run


class Request(NamedTuple):
    """A request to a server that was answered, or failed (status 0)."""
    url: str
    offset: int
    bytes: int
    status: int
    attempt: int
    seconds: float


_REMOTE: "contextvars.ContextVar[Tuple[Remote, ...]]" = contextvars.ContextVar(
    "tenon.Remote", default=())


class Remote:
    """What holds for URLs in a `with` block: for every call in it, and for
    models that are opened in it as long as they are used.

        with tenon.Remote(anonymous=True, max_fetch=10**9):
            model = tenon.open("s3://bucket/model.onnx")

    The first four are options of the command.  `max_fetch` is in bytes, for one
    model; 0 is no limit.  `timeout` (seconds without progress) and `attempts`
    (of a request) are instead of TENON_TIMEOUT and TENON_ATTEMPTS.  `each` is
    called for every request, from any thread; what it raises is ignored, and
    told to sys.unraisablehook.  In nested blocks the innermost holds."""

    def __init__(self, *, anonymous: bool = False,
                 allow_remote_external: bool = False,
                 credentials_over_http: bool = False, max_fetch: int = 0,
                 timeout: int = 0, attempts: int = 0,
                 each: Optional[Callable[[Request], object]] = None) -> None:
        if each is not None and not callable(each):
            raise TypeError(f"each is a function, not {each!r}")
        self._each = each
        self._named = {"anonymous": anonymous,
                       "allow_remote_external": allow_remote_external,
                       "credentials_over_http": credentials_over_http,
                       "max_fetch": max_fetch, "timeout": timeout,
                       "attempts": attempts, "each": each}
        self.options = _api.tn_remote_options(
            size=ctypes.sizeof(_api.tn_remote_options),
            allows_external=bool(allow_remote_external),
            is_anonymous=bool(anonymous),
            allows_plain=bool(credentials_over_http),
            max_bytes=whole(max_fetch, 64, "max_fetch"),
            timeout=whole(timeout, 32, "timeout"),
            attempts=whole(attempts, 32, "attempts"))
        if each is not None:
            self.options.on_request = _api.tn_on_request(self._tell)

    def _tell(self, _context: Any, row: Any) -> None:
        r = row.contents
        assert self._each is not None
        self._each(Request((r.url or b"").decode("utf-8", "replace"), r.offset,
                           r.bytes, r.status, r.attempt, r.seconds))

    def __reduce__(self) -> "Tuple[Any, ...]":
        return functools.partial(Remote, **self._named), ()

    def __repr__(self) -> str:
        named = ", ".join(f"{name}={value!r}" for name, value
                          in self._named.items() if value)
        return f"tenon.Remote({named})"

    def __enter__(self) -> "Remote":
        _REMOTE.set(_REMOTE.get() + (self,))
        return self

    def __exit__(self, *_raised: Any) -> None:
        _REMOTE.set(_REMOTE.get()[:-1])


_DEFAULTS = Remote()


def remote() -> Remote:
    """That of the innermost block."""
    return _REMOTE.get()[-1] if _REMOTE.get() else _DEFAULTS


def for_urls(remote: Remote) -> _api.tn_options:
    """Options that say nothing else; they borrow it."""
    return _api.tn_options(size=ctypes.sizeof(_api.tn_options),
                           remote=ctypes.pointer(remote.options))


class Watch:
    """Makes options whose progress callback is a Python function.

    The callback is called with (what is done, bytes done, bytes in total); if
    it returns something true, the call ends with CancelledError.  What it
    raises ends the call, too, and so does Ctrl-C: the library asks about ten
    times a second, and leaves nothing half written."""

    def __init__(self, progress: Optional[Progress] = None) -> None:
        if progress is not None and not callable(progress):
            raise TypeError(f"progress is a function, not {progress!r}")
        self._raised: Optional[BaseException] = None
        self._progress = progress
        self._is_stopped = False
        self._calls_python = progress is not None
        self._kept: Any = None
        self.remote = remote()
        # Callbacks do not hold what holds them: it goes with its last user.
        me: Any = weakref.proxy(self)
        if progress is not None:
            self._callback = _api.tn_progress(
                lambda *arguments: me._ask(*arguments))
            return
        # Python looks for signals when a function begins, where nothing can be
        # caught; a generator goes on inside of its `try`.  It needs none of
        # the arguments but one.
        waiting = self._wait(me)
        next(waiting)
        self._kept = _SEND(waiting.send)
        # What ctypes.cast() is given has itself from then on.
        self._callback = _api.tn_progress(ctypes.c_void_p.from_address(
            ctypes.addressof(self._kept)).value or 0)

    def options(self, max_expand: int = 0, **fields: Any) -> _api.tn_options:
        return _api.tn_options(size=ctypes.sizeof(_api.tn_options),
                               progress=self._callback,
                               max_expand=whole(max_expand, 64, "max_expand"),
                               remote=ctypes.pointer(self.remote.options),
                               **fields)

    @staticmethod
    def _wait(me: Any) -> Generator[int, Any, None]:
        while True:
            try:
                yield 0 if me._raised is None else 1
            except GeneratorExit:
                return
            except BaseException as error:  # goes on in call()
                me._raised = error

    def _ask(self, _context: Any, doing: Optional[bytes], done: int,
             total: int) -> int:
        try:
            if self._raised is not None:
                return 1
            assert self._progress is not None
            self._is_stopped = bool(self._progress((doing or b"").decode(),
                                                   done, total))
            return int(self._is_stopped)
        except BaseException as error:  # goes on in call()
            self._raised = error
            return 1

    def guard(self, function: Callable[..., Any]) -> Callable[..., int]:
        """A callback whose exceptions end the call that it is made in."""
        self._calls_python = True

        def guarded(*arguments: Any) -> int:
            if self._raised is not None:
                return 1
            try:
                return int(function(*arguments) or 0)
            except BaseException as error:
                self._raised = error
                return 1
        return guarded

    def _keep(self, error: BaseException) -> None:
        self._raised = error

    def call(self, name: str, *arguments: Any) -> None:
        try:
            if self._calls_python:
                with Signals(self._keep):
                    call(name, *arguments)
            else:
                call(name, *arguments)
        except Error as error:
            if self._raised is not None:
                raise self._raised from None
            if isinstance(error, CancelledError) and not self._is_stopped:
                raise KeyboardInterrupt from None
            raise
        self.settle()

    def call_again(self, name: str, *arguments: Any) -> None:
        """The next call of a handle that keeps these options."""
        self._raised, self._is_stopped = None, False
        self.call(name, *arguments)

    def settle(self) -> None:
        """Raises what a callback of a call raised that has ended."""
        if self._raised is not None:
            raise self._raised
