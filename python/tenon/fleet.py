"""Many models at once: tables of them, and what could run code.

    tenon.catalog(["models", "s3://bucket/prefix/"], "models.sqlite",
                  hashes=True)

docs/fleet.md explains the columns of a catalog and has queries; tenon.dask does
the same work on a cluster.  `max_expand` is that of tenon.open().
"""
from __future__ import annotations

import ctypes
import os
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Union

from tenon import _api, native
from tenon.native import AnyPath, Progress

_FORMS = {"sqlite": _api.TN_CATALOG_SQLITE, "ndjson": _api.TN_CATALOG_NDJSON,
          "arrow": _api.TN_CATALOG_ARROW,
          "arrow-stream": _api.TN_CATALOG_ARROW_STREAM}
_VERDICTS = ["note", "unknown", "dangerous"]


class CatalogFile(NamedTuple):
    """A file that was looked at.  status is "ok", "other" (not a model),
    "named" (not opened), or what is wrong; kept: its rows were there already."""
    path: str
    status: str
    error: str
    kept: bool


class Catalog(NamedTuple):
    """What catalog() did."""
    path: str
    files: int
    models: int
    broken: int
    kept: int
    removed: int
    missing: int
    tensors: int
    bytes: int


class ScanFinding(NamedTuple):
    """What scan() found.  verdict is "note", "unknown" or "dangerous"."""
    verdict: str
    rule: str
    file: str
    member: str
    offset: Optional[int]
    what: str


def _paths(paths: Union[AnyPath, Iterable[AnyPath]]) -> List[bytes]:
    if isinstance(paths, (str, bytes, os.PathLike)):
        return [native.path(paths)]
    return [native.path(path) for path in paths]


def _text(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "replace")


def catalog(paths: Union[AnyPath, Iterable[AnyPath]], out: AnyPath, *,
            form: Optional[str] = None, hashes: bool = False,
            statistics: bool = False, scan: bool = False, names: bool = False,
            jobs: int = 0, replace: bool = False, durable: bool = False,
            max_expand: int = 0,
            each: Optional[Callable[[CatalogFile], object]] = None,
            progress: Optional[Progress] = None) -> Catalog:
    """Makes or updates a catalog of files, folders and URLs: a row per file
    and per tensor.  Lines of JSON of other catalogs are taken as they are.

    The form is `form` ("sqlite", "ndjson", "arrow", "arrow-stream"), or what
    the path's end says.  Files whose ETag is as it was keep their rows; with
    `replace` all of it is made anew.  `each` is called for every file."""
    named = _paths(paths)
    watch = native.Watch(progress)

    def on_file(_context: Any, row: Any) -> None:
        f = row.contents
        if each is not None:
            each(CatalogFile(_text(f.path), _text(f.status), _text(f.error),
                             bool(f.is_kept)))

    options = _api.tn_catalog_options(
        size=ctypes.sizeof(_api.tn_catalog_options),
        form=0 if form is None else native.chosen(_FORMS, form, "form"),
        wants_hashes=bool(hashes), wants_statistics=bool(statistics),
        wants_scan=bool(scan), only_names=bool(names),
        jobs=native.whole(jobs, 32, "jobs"),
        on_file=_api.tn_on_catalog_file(watch.guard(on_file)))
    target = _api.tn_target(native.path(out), bool(replace), False,
                            bool(durable))
    totals = _api.tn_catalog_totals()
    watch.call("tn_catalog", (ctypes.c_char_p * len(named))(*named),
               len(named), ctypes.byref(options), ctypes.byref(target),
               ctypes.byref(watch.options(max_expand)), ctypes.byref(totals))
    return Catalog(os.fsdecode(native.path(out)), totals.files, totals.models,
                   totals.broken, totals.kept, totals.removed, totals.missing,
                   totals.tensors, totals.bytes)


def scan(path: AnyPath, progress: Optional[Progress] = None,
         max_expand: int = 0) -> List[ScanFinding]:
    """What in a file, or in the files below a folder, could run code or reach
    outside of it.  Nothing is loaded."""
    watch, found = native.Watch(progress), []

    def each(_context: Any, row: Any) -> None:
        f = row.contents
        found.append(ScanFinding(
            _VERDICTS[f.verdict], _text(f.rule), _text(f.file),
            _text(f.member), None if f.offset == native.NOWHERE else f.offset,
            _text(f.what)))

    watch.call("tn_scan", native.path(path),
               ctypes.byref(watch.options(max_expand)),
               _api.tn_on_scan_finding(watch.guard(each)), None, None)
    return found
