"""The work of the command on many files, by the workers of a Dask cluster.

    client = distributed.Client("tcp://scheduler:8786")
    tenon.dask.catalog("s3://models/", "models.sqlite", client=client,
                       hashes=True)
    for result in tenon.dask.check("/data/**/*.onnx", client=client):
        print(result.path, result.error or result.value)

Paths are files, folders, patterns and URLs, those that end in '/' with all
files below them; shards() lists the files of one model.  Workers must see the
same files, and have this package; what tenon.Remote() says here holds there.

A worker that dies takes its tasks with it, and Dask runs them again elsewhere,
also those that were finished but whose results were lost.  So every task may
run twice: it returns what it found, or writes a file that appears complete, by
rename or by a conditional write to a store.  A file that is there already was
committed by an earlier attempt.  A file that cannot be read is a result with an
error, and ends no other task.
"""
from __future__ import annotations

import glob
import importlib
import json
import os
import tempfile
from itertools import repeat
from typing import (Any, Callable, Dict, Iterable, Iterator, List, NamedTuple,
                    Optional, Union)

from tenon import fleet, models, native

Paths = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]


class Result(NamedTuple):
    """Of one path: what was found, or why it could not be."""
    path: str
    value: Any
    error: str


def _is_url(path: str) -> bool:
    return "://" in path


def _below(folder: str) -> List[str]:
    """All files of a folder, also of one on a server."""
    with tempfile.TemporaryDirectory() as place:
        listed = os.path.join(place, "names.ndjson")
        fleet.catalog(folder, listed, names=True)
        with open(listed, encoding="utf-8") as rows:
            return [json.loads(row)["file"] for row in rows]


def files(paths: Paths) -> List[str]:
    """The files that are meant, each once, in order."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    found: Dict[str, None] = {}
    for named in paths:
        path = os.fspath(named)
        if _is_url(path):
            more = _below(path) if path.endswith("/") else [path]
        elif os.path.isdir(path):
            more = _below(path)
        elif glob.has_magic(path) and not os.path.exists(path):
            more = [p for p in glob.glob(path, recursive=True)
                    if os.path.isfile(p)]
        else:
            more = [path]
        found.update(dict.fromkeys(more))
    return sorted(found)


def shards(path: str) -> List[str]:
    """The files that hold the tensors of one model: its shards, external data,
    or the file itself."""
    with tempfile.TemporaryDirectory() as place:
        rows = os.path.join(place, "rows.ndjson")
        fleet.catalog(path, rows)
        places: Dict[str, None] = {}
        with open(rows, encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["row"] == "tensor":
                    places[row["place"]] = None
                elif row["status"] != "ok":
                    raise ValueError(f"{path}: {row.get('error', '')}")
    return sorted(places)


# ---- tasks: module level, so that workers find them by name --------------------


def _try(path: str, work: Callable[[], Any]) -> Result:
    try:
        return Result(path, work(), "")
    except native.Error as error:
        return Result(path, None, f"{error.status}: {error}")


def _check_one(path: str, skip_data: bool) -> Result:
    return _try(path, lambda: [tuple(f) for f in
                               models.check(path, skip_data=skip_data)])


def _scan_one(path: str) -> Result:
    return _try(path, lambda: [tuple(f) for f in fleet.scan(path)])


def _hash_one(path: str, decoded: bool) -> Result:
    def work() -> Dict[str, str]:
        with models.Model.open(path, graph=False) as model:
            hashes: Dict[str, str] = model.hash(decoded=decoded)
            return hashes
    return _try(path, work)


def _convert_one(path: str, target: str, options: Dict[str, Any]) -> Result:
    def work() -> str:
        if not _is_url(target) and os.path.dirname(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
        with models.Model.open(path) as model:
            try:
                model.convert(target, **options)
            except native.ExistsError:
                pass  # committed by an earlier attempt, and so complete
        return target
    return _try(path, work)


def _catalog_some(paths: List[str], options: Dict[str, Any]) -> bytes:
    """The rows of a few files; nothing stays on the worker."""
    with tempfile.TemporaryDirectory() as place:
        rows = os.path.join(place, "rows.ndjson")
        fleet.catalog(paths, rows, jobs=1, **options)
        with open(rows, "rb") as lines:
            return lines.read()


# ---- what a program calls --------------------------------------------------------


def _client(client: Any) -> Any:
    if client is not None:
        return client
    # Not an import: a checker of types would read all of it.
    return importlib.import_module("distributed").get_client()


def _run(remote: native.Remote, task: Callable[..., Any], *row: Any) -> Any:
    with remote:
        return task(*row)


def _map(client: Any, task: Callable[..., Any],
         *columns: Iterable[Any]) -> Iterator[Any]:
    """A task for each row of the columns; results in their order, one at a
    time.  A task runs again when its worker dies; pure is false, because files
    change while their names stay."""
    client = _client(client)
    futures = [client.submit(_run, native.remote(), task, *row, pure=False,
                             retries=3)
               for row in zip(*columns)]
    futures.reverse()
    while futures:
        yield futures.pop().result()


def check(paths: Paths, *, skip_data: bool = False,
          client: Any = None) -> List[Result]:
    """tenon.check() of every file: lists of findings."""
    return list(_map(client, _check_one, files(paths), repeat(skip_data)))


def scan(paths: Paths, *, client: Any = None) -> List[Result]:
    """tenon.scan() of every file: lists of findings."""
    return list(_map(client, _scan_one, files(paths)))


def hash(paths: Paths, *, decoded: bool = False,
         client: Any = None) -> List[Result]:
    """The SHA-256 of every tensor, by name, of every file."""
    return list(_map(client, _hash_one, files(paths), repeat(decoded)))


def convert(paths: Paths, folder: str, suffix: str, *, client: Any = None,
            **options: Any) -> List[Result]:
    """Converts every file to `folder`/NAME`suffix`, where NAME is its path
    below the folder that all have in common, without its own suffix.  What is
    there already stays, unless replace=True is among the options, which are
    those of Model.convert().  `folder` may be a URL."""
    named = files(paths)
    targets = _targets(named, folder, suffix)
    done = _map(client, _convert_one, *zip(*(
        (path, targets[path], options) for path in named if path in targets)))
    return [next(done) if path in targets else
            Result(path, None, "its name leads out of the folder")
            for path in named]


def _targets(named: List[str], folder: str, suffix: str) -> Dict[str, str]:
    """The new path of each; none for those whose names, which may come from a
    server, lead out of the folder."""
    common = os.path.commonprefix(named)
    common = common[:common.rfind("/") + 1]
    targets: Dict[str, str] = {}
    for path in named:
        below = path[len(common):]
        if not {"", ".", ".."}.intersection(below.split("/")):
            targets[path] = (folder.rstrip("/") + "/" +
                             os.path.splitext(below)[0] + suffix)
    all_targets = sorted(targets.values())
    for one, other in zip(all_targets, all_targets[1:]):
        if one == other:
            raise ValueError(f"two files would become {one}")
    return targets


def catalog(paths: Paths, out: str, *, client: Any = None, together: int = 16,
            form: Optional[str] = None, replace: bool = False,
            durable: bool = False, hashes: bool = False,
            statistics: bool = False, scan: bool = False) -> fleet.Catalog:
    """tenon.catalog() with the reading done by the workers, `together` files
    per task.  Rows come back as lines, which become one catalog here, in one
    step.  Of folders, also of those on servers, the rows of files that are gone
    are removed.  Local .ndjson and .jsonl files are not given to workers, which
    would take what they say as rows about other files."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    places = [os.fspath(path) for path in paths]
    named = [path for path in files(places)
             if _is_url(path) or not path.endswith((".ndjson", ".jsonl"))]
    options = {"hashes": hashes, "statistics": statistics, "scan": scan}
    groups = [named[i:i + together] for i in range(0, len(named), together)]
    with tempfile.TemporaryDirectory() as place:
        parts = []
        for i, rows in enumerate(_map(client, _catalog_some, groups,
                                      repeat(options))):
            parts.append(os.path.join(place, f"{i:08}.ndjson"))
            with open(parts[-1], "wb") as part:
                part.write(rows)
        # Of a path that is named twice the rows of the first count, so that a
        # folder adds nothing but what is gone, and what workers did not get.
        folders = [path for path in places
                   if (path.endswith("/") if _is_url(path) else
                       os.path.isdir(path))]
        return fleet.catalog(parts + folders, out, form=form, replace=replace,
                             durable=durable, hashes=hashes,
                             statistics=statistics, scan=scan)
