"""libtenon: where it is, and its functions as they are asked for."""
from __future__ import annotations

import ctypes
import os

MYPY = False
if MYPY:  # importing it takes as long as all of this
    from typing import Any, Dict, List


def _candidates() -> List[str]:
    """Paths and names to try: what was asked for, beside us, where `make
    install` says that it is; and that name where libraries are, for a package
    that was installed for another processor than it was made on."""
    asked = os.environ.get("TENON_LIBRARY")
    if asked:
        return [asked]
    here = os.path.dirname(os.path.realpath(__file__))
    beside = [os.path.join(here, name) for name in sorted(os.listdir(here))
              if name.startswith("libtenon.")]
    try:
        with open(os.path.join(here, "library"), encoding="utf-8") as file:
            place = file.read().strip()
        beside += [os.path.join(here, place), os.path.basename(place)]
    except OSError:
        pass  # not installed, or copied without it
    return beside


def _load() -> ctypes.CDLL:
    failure = "it is neither beside this package nor installed"
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            failure = str(error)
    if not os.environ.get("TENON_LIBRARY"):
        from ctypes import util  # last, because it starts other programs
        installed = util.find_library("tenon")
        if installed:
            return ctypes.CDLL(installed)
    raise ImportError(f"libtenon cannot be loaded: {failure}; "
                      "TENON_LIBRARY can name it")


class Library:
    """The functions of the library by name, declared when they are first
    used."""

    def __init__(self, functions: Dict[str, str],
                 names: Dict[str, Any]) -> None:
        """What a function returns and takes is text, which is evaluated with
        `names`: most programs call a dozen of them."""
        self._functions, self._names = functions, names
        self._library = _load()
        newest = "tn_array_open"
        if not hasattr(self._library, newest):
            raise ImportError(f"libtenon is of another version: it has no "
                              f"{newest}")

    def __getattr__(self, name: str) -> Any:
        if name not in self._functions:
            raise AttributeError(name)
        function = getattr(self._library, name)
        function.restype, function.argtypes = eval(self._functions[name],
                                                   self._names)
        setattr(self, name, function)
        return function
