#!/usr/bin/python3
"""Files that would run code, in every disguise that is known, and harmless ones beside them.

    scan_attacks.py TENON [FOLDER]

Writes them to FOLDER (or a temporary one) and scans each.  Nothing is ever loaded: pickles are put
together byte by byte.  A row says what a scan must find; "flagged" is dangerous or unknown.
"""
import io
import json
import os
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

FILES = []  # (name, verdict, bytes)
EVIL = b"cos\nsystem\n(S'id'\ntR."


def add(name, verdict, data):
    FILES.append((name, verdict, data))


def text8(word):
    word = word.encode()
    return b"\x8c" + bytes([len(word)]) + word


def stack_global(module, name):
    return text8(module) + text8(name) + b"\x93"


def zipped(*members, **how):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how.get("method", zipfile.ZIP_STORED)) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, how.get("method", zipfile.ZIP_STORED))
    return out.getvalue()


def tarred(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def calls():
    """One call of os.system in every way that opcodes have."""
    arg = text8("id")
    name = stack_global("os", "system")
    add("global-reduce.pkl", "dangerous", EVIL)
    add("proto0-marked.pkl", "dangerous", b"\x80\x00" + EVIL)
    add("proto1-marked.pkl", "dangerous", b"\x80\x01" + EVIL)
    add("stack-global.pkl", "dangerous", b"\x80\x04" + name + arg + b"\x85R.")
    add("stack-global-memo.pkl", "dangerous",
        b"\x80\x04" + text8("system") + b"\x940" + text8("os") + b"\x940h\x01h\x00\x93" + arg + b"\x85R.")
    add("stack-global-popped.pkl", "dangerous",
        b"\x80\x04" + text8("os") + text8("system") + text8("path") + b"0\x93" + arg + b"\x85R.")
    add("stack-global-bytes.pkl", "dangerous", b"\x80\x04U\x02osU\x06system\x93" + arg + b"\x85R.")
    add("inst.pkl", "dangerous", b"(S'id'\nios\nsystem\n.")
    add("obj.pkl", "dangerous", b"(cos\nsystem\nS'id'\no.")
    add("newobj.pkl", "dangerous", b"\x80\x02csubprocess\nPopen\nX\x02\0\0\0id\x85\x81.")
    add("newobj-ex.pkl", "dangerous", b"\x80\x04" + stack_global("subprocess", "Popen") + arg + b"\x85}\x92.")
    add("copyreg.pkl", "dangerous", b"ccopy_reg\n_reconstructor\n(csubprocess\nPopen\nc__builtin__\nobject\nNtR.")
    add("python2-names.pkl", "dangerous", b"c__builtin__\neval\n(S'1'\ntR.")
    add("result-called.pkl", "dangerous", b"\x80\x04" + stack_global("builtins", "getattr") +
        stack_global("os", "path") + text8("x") + b"\x86R" + arg + b"\x85R.")
    add("build-setstate.pkl", "dangerous", b"\x80\x02cos\nPathLike\n)\x81}X\x01\0\0\0aK\x01sb.")
    add("build-foreign.pkl", "unknown", b"\x80\x02cmylib\nThing\n)\x81}X\x01\0\0\0aK\x01sb.")
    add("build-class.pkl", "flagged", b"\x80\x02cargparse\nNamespace\nN}X\x05\0\0\0__b__K\x01s\x86b.")
    add("ext1.pkl", "flagged", b"\x80\x02\x82\x01)R.")
    add("ext2.pkl", "flagged", b"\x80\x02\x83\x01\x02)R.")
    add("ext4.pkl", "flagged", b"\x80\x02\x84\x01\x02\x03\x04)R.")
    add("next-buffer.pkl", "flagged", b"\x80\x05\x97\x98)R.")
    add("dotted-name.pkl", "dangerous",
        b"\x80\x04" + stack_global("collections", "OrderedDict.__init__.__globals__") + b")R.")
    add("dotted-harmless-head.pkl", "flagged",
        b"\x80\x04" + stack_global("torch", "FloatStorage.__reduce__") + b")R.")
    add("from-type.pkl", "dangerous", b"\x80\x02ctorch._tensor\n_rebuild_from_type_v2\n(cos\nsystem\nctorch\nTensor\n"
        b"X\x02\0\0\0id\x85NtR.")
    add("factory.pkl", "dangerous", b"\x80\x02ccollections\ndefaultdict\ncos\ngetcwd\n\x85R.")
    add("factory-in-list.pkl", "dangerous", b"\x80\x02ccollections\ndeque\n](cos\ngetcwd\ne\x85R.")
    add("only-imported.pkl", "dangerous", b"\x80\x02cantigravity\nfly\n.")
    add("only-imported-foreign.pkl", "unknown", b"\x80\x02cmylib.sub\nthing\n.")
    add("load-from-bytes.pkl", "dangerous",
        b"\x80\x02ctorch.storage\n_load_from_bytes\nB" + struct.pack("<I", len(EVIL)) + EVIL + b"\x85R.")
    # Tensors that pickle.dump() writes: a stream of torch.save() in bytes.
    stream = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."
    storage = (b"\x80\x02(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0" + b"0X\x03\0\0\0cpuK\x01NtQ.", b"\x80\x02]X\x01\0\0\0" + b"0a." +
               struct.pack("<Q", 1) + bytes(4))

    def loads(data, end=b"\x85R.", begin=b"\x80\x02"):
        return begin + b"ctorch.storage\n_load_from_bytes\nB" + struct.pack("<I", len(data)) + data + end
    pickle, empty = b"\x80\x02" + EVIL, b"\x80\x02}."
    add("stream-in-bytes.pkl", "clean", loads(stream + empty + b"".join(storage)))
    add("stream-evil-object.pkl", "dangerous", loads(stream + empty + pickle))
    add("stream-evil-object0.pkl", "dangerous", loads(stream + empty + EVIL))
    add("stream-evil-system.pkl", "dangerous", loads(stream + pickle + storage[0]))
    add("stream-evil-keys.pkl", "dangerous", loads(stream + empty + storage[0] + pickle))
    add("stream-evil-cut.pkl", "flagged", loads(stream + empty + pickle[:-1]))
    add("stream-evil-name.pkl", "flagged", loads(stream + empty + b"\x80\x02cmylib\nThing\n)\x81\xff"))
    add("stream-in-stream.pkl", "dangerous", loads(stream + empty + loads(stream + empty + pickle)))
    add("stream-object.pkl", "dangerous", loads(stream + empty + b"".join(storage), b"\x85\x81."))
    add("stream-grows.pkl", "dangerous", b"\x80\x05ctorch.storage\n_load_from_bytes\n\x96" + struct.pack("<Q", len(stream + empty)) + stream + empty +
        b"(" + b"".join(b"K" + bytes([byte]) for byte in pickle) + b"e\x85R.")
    add("partial.pkl", "dangerous", b"\x80\x02cfunctools\npartial\ncos\nsystem\nX\x02\0\0\0id\x86R.")
    add("keras-name.pkl", "dangerous", b"\x80\x02ckeras.utils\nget_file\nX\x02\0\0\0id\x85R.")


def texts():
    """Numbers, strings and the memo as protocol 0 writes them, in odd forms."""
    add("int-hex.pkl", "dangerous", b"I0x10\n0" + EVIL)
    add("int-underscore.pkl", "dangerous", b"I1_000\n0" + EVIL)
    add("long-blank.pkl", "dangerous", b"L 12 \n0" + EVIL)
    add("float-nan.pkl", "dangerous", b"Fnan\n0" + EVIL)
    add("get-blank.pkl", "dangerous", b"cos\nsystem\np 7 \n0g7\n(S'id'\ntR.")
    add("get-plus.pkl", "dangerous", b"Nq\x000cos\nsystem\np+1_0\n0g10\n(S'id'\ntR.")
    add("put-far.pkl", "dangerous", b"cos\nsystem\np1000000\n0g1000000\n(S'id'\ntR.")
    add("put-farther.pkl", "dangerous", b"N" + b"r\xff\xff\xff\x7f0cos\nsystem\nr\xfe\xff\xff\x7f0j\xfe\xff\xff\x7f(S'id'\ntR.")
    add("put-far-first.pkl", "dangerous", b"Np100000\n0" + EVIL)
    add("string-escape.pkl", "dangerous", b"\x80\x04S'o\\x73'\nS\"sy\\163tem\"\n\x93(S'id'\ntR.")
    add("unicode-escape.pkl", "dangerous", b"\x80\x04V\\u006fs\nVsystem\n\x93(S'id'\ntR.")
    add("memo-overwritten.pkl", "dangerous", b"\x80\x04N\x94" + text8("x") + b"q\x000" + text8("os") + b"\x94" +
        text8("system") + b"\x940" * 1 + b"0h\x01h\x02\x93" + text8("id") + b"\x85R.")
    add("memo-order.pkl", "dangerous", b"\x80\x04" + text8("a") + b"q\x00q\x00\x94" + text8("os") + b"\x94" +
        text8("system") + b"\x9400h\x02h\x03\x93" + text8("id") + b"\x85R.")
    add("long-name.pkl", "flagged", b"\x80\x04cos\n" + b"path." * 400 + b"join\n)R.")
    add("very-long-name.pkl", "flagged", b"(\x80\x04cos\n" + b"path." * 40000 + b"join\n)R.")
    add("unicode-name.pkl", "flagged", b"\x80\x04" + stack_global("mod\u00fcl", "f\u00fcr") + b")R.")
    add("mark-games.pkl", "dangerous", b"((((1111cos\nsystem\n(S'id'\ntR.")
    add("dup-pop.pkl", "dangerous", b"N2020202020" + EVIL)
    for first in (b"N", b"\x88", b"\x89", b"}", b"]", b")", b"\x8f", b"K\x01", b"M\x01\0", b"J\0\0\0\0", b"G" + bytes(8),
                  b"\x8a\0", b"\x8b\0\0\0\0", b"U\0", b"T\0\0\0\0", b"X\0\0\0\0", b"C\0", b"B\0\0\0\0", b"\x8d" + bytes(8),
                  b"\x8e" + bytes(8), b"\x96" + bytes(8), b"\x8c\0", b"S''\n", b"V\n", b"I1\n", b"L1\n", b"F1\n",
                  b"\x95" + bytes(8), b"(t", b"(l", b"(d", b"(\x91"):
        add(f"first-{first[:1].hex()}-{len(first)}.bin", "dangerous", first + EVIL)


def frames():
    """Ends, frames and protocols that lie."""
    add("frame-short.pkl", "dangerous", b"\x80\x04\x95\x02\0\0\0\0\0\0\0" + EVIL)
    add("frame-huge.pkl", "dangerous", b"\x80\x04\x95" + b"\xff" * 8 + EVIL)
    add("frame-many.pkl", "dangerous", b"\x80\x04" + b"\x95\0\0\0\0\0\0\0\0" * 5 + EVIL)
    add("late-proto.pkl", "dangerous", b"N0\x80\x04" + stack_global("os", "system") + text8("id") + b"\x85R.")
    add("cut-after-call.pkl", "dangerous", b"\x80\x02" + EVIL[:-1])
    add("cut-after-call0.pkl", "dangerous", EVIL[:-1])
    add("garbage-after-call.pkl", "dangerous", b"\x80\x02" + EVIL[:-1] + b"\xff\xff\xff")
    add("cut-in-payload.pkl", "dangerous", b"\x80\x02cos\nsystem\n(S'i")
    add("second-pickle.pkl", "dangerous", b"\x80\x02N.\x80\x02" + EVIL)
    add("second-pickle0.pkl", "dangerous", b"\x80\x02N." + EVIL)
    add("third-pickle0.pkl", "dangerous", b"N.K\x01." + EVIL)
    add("left-on-stack.pkl", "dangerous", b"\x80\x02NN." + EVIL)
    add("left-mark.pkl", "dangerous", b"\x80\x02N(N." + EVIL)
    magic = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
    add("legacy-sysinfo.pt", "dangerous", magic + b"\x80\x02M\xe9\x03." + EVIL)
    add("legacy-keys.pt", "dangerous", magic + b"\x80\x02M\xe9\x03.\x80\x02}.\x80\x02}." + EVIL)
    add("items-for-name.pkl", "flagged", b"\x80\x02cargparse\nNamespace\nK\x01K\x02s.")


def known():
    """Functions that run code, as they were used against other scanners."""
    for module, name in (
            ("pip", "main"), ("pip._internal", "main"), ("torch.utils.collect_env", "run"),
            ("torch.jit.unsupported_tensor_ops", "execWrapper"), ("torch.utils.bottleneck.__main__", "run_cprofile"),
            ("torch._dynamo.guards", "GuardBuilder.get"), ("torch.fx.experimental.symbolic_shapes", "ShapeEnv.evaluate_guards_expression"),
            ("torch.utils.data.datapipes.utils.decoder", "basichandlers"), ("torch.utils._config_module", "ConfigModule.load_config"),
            ("torch.load", "__call__"), ("torch.hub", "load"), ("torch.serialization", "load"), ("torch.package", "PackageImporter"),
            ("torch.distributed.rpc", "rpc_sync"), ("torch.cuda.amp.autocast_mode", "eval"), ("torch.nn.modules.module", "eval"),
            ("torch.nn.functional", "eval"), ("torch.optim.lr_scheduler", "eval"),
            ("numpy.f2py.crackfortran", "param_eval"), ("numpy.f2py", "compile"), ("numpy.testing._private.utils", "runstring"),
            ("numpy", "load"), ("numpy", "fromfile"), ("numpy", "memmap"), ("numpy.distutils.exec_command", "exec_command"),
            ("asyncio.unix_events", "_UnixSubprocessTransport._start"), ("asyncio", "run"), ("timeit", "timeit"), ("cProfile", "runctx"),
            ("profile", "run"), ("trace", "Trace.run"), ("pdb", "run"), ("bdb", "Bdb.run"), ("doctest", "debug_script"), ("code", "InteractiveInterpreter"),
            ("pydoc", "pipepager"), ("idlelib.run", "Executive.runcode"), ("idlelib.pyshell", "ModifiedInterpreter.runcode"),
            ("lib2to3.pgen2.grammar", "Grammar.loads"), ("lib2to3.pgen2.pgen", "ParserGenerator.make_label"), ("ensurepip", "_run_pip"),
            ("pkgutil", "resolve_name"), ("uuid", "_get_command_stdout"), ("_aix_support", "_read_cmd_output"), ("_osx_support", "_read_output"),
            ("imaplib", "IMAP4_stream"), ("logging", "FileHandler"), ("logging.config", "dictConfig"), ("_io", "FileIO"), ("io", "open"),
            ("distutils.file_util", "write_file"), ("operator", "attrgetter"), ("operator", "methodcaller"), ("_operator", "itemgetter"),
            ("functools", "reduce"), ("itertools", "starmap"), ("builtins", "map"), ("builtins", "type"), ("builtins", "__import__"),
            ("builtins", "dict.fromkeys"), ("importlib", "import_module"), ("runpy", "run_path"), ("ctypes", "CDLL"), ("_ctypes", "dlopen"),
            ("types", "CodeType"), ("types", "FunctionType"), ("marshal", "loads"), ("pickle", "loads"), ("_pickle", "loads"), ("cPickle", "loads"),
            ("shelve", "open"), ("multiprocessing.util", "spawnv_passfds"), ("webbrowser", "open"), ("pty", "spawn"), ("posix", "system"),
            ("nt", "system"), ("commands", "getoutput"), ("popen2", "popen3"), ("sys", "setprofile"), ("atexit", "register"), ("ssl", "get_server_certificate"),
            ("socket", "create_connection"), ("urllib.request", "urlopen"), ("http.client", "HTTPSConnection"), ("shutil", "rmtree"), ("linecache", "getline"),
            ("inspect", "getsource"), ("unittest.mock", "_importer"), ("venv", "create"), ("zipimport", "zipimporter"), ("site", "execsitecustomize"),
            ("sqlite3", "connect"), ("tempfile", "mkstemp"), ("mailcap", "findmatch"), ("cgitb", "Hook"), ("turtle", "config_dict"), ("test.support.script_helper", "assert_python_ok"),
            ("requests.api", "get"), ("joblib", "load"), ("dill", "loads"), ("cloudpickle", "loads"), ("pandas", "read_pickle"), ("pandas.io.common", "get_handle"),
            ("sympy", "sympify"), ("jsonpickle", "decode"), ("yaml", "unsafe_load"), ("IPython.utils.process", "system"), ("setuptools._distutils.spawn", "spawn"),
            ("aiohttp.client", "ClientSession"), ("tensorflow", "io.write_file"), ("tensorflow.python.ops.io_ops", "write_file"), ("transformers", "pipeline"),
            ("fsspec", "open"), ("s3fs", "S3FileSystem"), ("os;", "x"), ("", "system"), ("os", "")):
        add(f"known-{module}-{name}.pkl".replace("/", "_"), "dangerous", b"\x80\x04" + stack_global(module, name) + text8("id") + b"\x85R.")


def archives():
    pickle = b"\x80\x02" + EVIL
    good = b"\x80\x02}."
    plain = zipped(("archive/data.pkl", pickle), ("archive/version", b"3\n"))
    add("plain.zip", "dangerous", plain)
    add("deflated.zip", "dangerous", zipped(("archive/data.pkl", pickle), method=zipfile.ZIP_DEFLATED))
    add("bzip2.zip", "unknown", zipped(("archive/data.pkl", pickle), method=zipfile.ZIP_BZIP2))
    add("lzma.zip", "unknown", zipped(("archive/data.pkl", pickle), method=zipfile.ZIP_LZMA))
    add("renamed-member.zip", "dangerous", zipped(("readme.txt", pickle)))
    add("nested.zip", "dangerous", zipped(("inner.zip", plain)))
    add("nested-tar.zip", "dangerous", zipped(("inner.tar", tarred(("a", pickle)))))
    deep = plain
    for _ in range(8):
        deep = zipped(("inner.zip", deep))
    add("too-deep.zip", "flagged", deep)
    for bit in (0x01, 0x20, 0x40, 0x2000):
        changed = bytearray(plain)
        for at in range(len(changed) - 4):
            if changed[at:at + 4] == b"PK\1\2":
                changed[at + 8] |= bit & 0xff
                changed[at + 9] |= bit >> 8
            elif changed[at:at + 4] == b"PK\3\4":
                changed[at + 6] |= bit & 0xff
                changed[at + 7] |= bit >> 8
        add(f"flag-{bit:#x}.zip", "dangerous", bytes(changed))
    wrong = bytearray(plain)
    at = wrong.index(b"PK\1\2")
    wrong[at + 16] ^= 0xff
    add("wrong-crc.zip", "dangerous", bytes(wrong))
    wrong = bytearray(zipped(("archive/data.pkl", good)))
    wrong[wrong.index(b"PK\1\2") + 16] ^= 0xff
    add("wrong-crc-good.zip", "flagged", bytes(wrong))
    wrong = bytearray(plain)
    at = wrong.index(b"PK\1\2")
    wrong[at + 46:at + 50] = b"brch"
    add("two-names.zip", "dangerous", bytes(wrong))
    wrong = bytearray(plain)
    at = wrong.index(b"PK\1\2")
    wrong[at + 24:at + 28] = struct.pack("<I", 1)
    add("size-lie.zip", "dangerous", bytes(wrong))
    wrong[at + 20:at + 24] = struct.pack("<I", 1)
    add("both-sizes-lie.zip", "flagged", bytes(wrong))
    double = io.BytesIO()
    with zipfile.ZipFile(double, "w") as archive:
        archive.writestr("archive/data.pkl", good)
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            archive.writestr("archive/data.pkl", pickle)
    add("twice.zip", "dangerous", double.getvalue())
    clean = zipped(("archive/data.pkl", good), ("archive/version", b"3\n"))
    add("pickle-before-zip.bin", "dangerous", pickle + clean)
    add("text-before-zip.bin", "unknown", b"#!/bin/sh\n" + clean)
    add("pickle-after-zip.bin", "dangerous", clean + pickle)
    comment = bytearray(clean)
    comment[-2:] = struct.pack("<H", len(pickle))
    add("pickle-in-comment.zip", "dangerous", bytes(comment) + pickle)
    add("two-zips.zip", "flagged", plain + clean)
    add("zip-in-zip-tail.bin", "dangerous", clean + plain)
    local = plain[:plain.index(b"PK\1\2")]
    directory = clean[clean.index(b"PK\1\2"):]
    body = clean[:clean.index(b"PK\1\2")]
    shifted = bytearray(directory)
    shifted[-6:-2] = struct.pack("<I", len(body) + len(local))
    add("hidden-member.zip", "dangerous", body + local + bytes(shifted))
    streamed = io.BytesIO()

    class NoSeek(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            return streamed.write(data)
    with zipfile.ZipFile(NoSeek(), "w") as archive:
        archive.writestr("archive/data.pkl", good)
        archive.writestr("archive/version", b"3\n")
    stream = streamed.getvalue()
    body, directory = stream[:stream.index(b"PK\1\2")], bytearray(stream[stream.index(b"PK\1\2"):])
    directory[-6:-2] = struct.pack("<I", len(body) + len(local))
    add("hidden-after-descriptor.zip", "dangerous", body + local + bytes(directory))
    add("no-directory.zip", "dangerous", plain[:plain.index(b"PK\1\2")])
    bomb = zipped(("a/data.pkl", b"\0" * (1 << 24)), method=zipfile.ZIP_DEFLATED)
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(300):
            archive.writestr(f"{i}.zip", bomb)
    add("bombs.zip", "flagged", many.getvalue())
    add("tar-pickle.tar", "dangerous", tarred(("sys_info", good), ("pickle", pickle)))
    add("tar-storages.tar", "dangerous", tarred(("storages", b"\x80\x02K\x01." + b"\0" * 37 + pickle)))
    add("tar-storages0.tar", "dangerous", tarred(("storages", b"\x80\x02K\x01." + b"\x01\0\0\0\0\0\0\0\0\0\x80?" + EVIL)))
    head = bytearray(tarred(("a", good)))
    head[:len(EVIL)] = EVIL
    add("tar-polyglot.bin", "dangerous", bytes(head))
    add("7z-renamed.pt", "unknown", b"7z\xbc\xaf\x27\x1c" + bytes(40))
    add("gzip.pkl", "unknown", b"\x1f\x8b\x08" + bytes(20))
    add("zlib.joblib", "unknown", zlib.compress(pickle))
    add("xz.pkl", "unknown", b"\xfd7zXZ\0" + bytes(20))
    add("pickle-as/config.json", "dangerous", pickle)
    add("numpy-object.npy", "dangerous", npy("|O") + pickle)
    add("numpy-object-spaced.npy", "dangerous", npy("|O", " ") + pickle)
    add("numpy-nested.npy", "dangerous", npy("[('a', 'O')]", raw=True) + pickle)
    for i, descr in enumerate(("'object'", "'<O'", "'=O8'", '"O"', "'\\x4f'", "'\\117'", "u'O'", "b'O'", "('O', (2,))", "{'names': ['a'], 'formats': ['O']}",
                               "[('a', [('b', '<f4'), ('c', 'object')])]", "'f4,O'", "[('a', '<f4'), ('b', 'O', (2,))]")):
        add(f"numpy-object-{i}.npy", "dangerous", npy(descr, raw=True) + pickle)
    for size, descr in ((4, "'<f4'"), (24, "[('O', '<f4'), ('b', '<U5')]"), (8, "'|V8'"), (8, "'<M8[ns]'"), (17, "[('a', '<f4', (2, 2)), ('b', '|b1')]")):
        add(f"numpy-plain-{descr[-7:]}.npy".replace("'", ""), "clean", npy(descr, raw=True) + bytes(size))
    add("numpy-object2.npz", "dangerous", zipped(("x.npy", npy("|O") + pickle)))
    add("numpy-version9.npy", "flagged", b"\x93NUMPY\x09\0" + npy("|O")[8:] + pickle)


def end_record(count, size, offset, comment=b""):
    return b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, size, offset, len(comment)) + comment


def disguises():
    """Names that leave the folder, archives that say one thing and are another, native code."""
    pickle = b"\x80\x02" + EVIL
    good = b"\x80\x02}."
    for label, name in (("up", "../../evil.txt"), ("up-inside", "a/../../evil.txt"), ("absolute", "/etc/passwd"),
                        ("backslash", "..\\..\\evil.txt"), ("drive", "C:\\evil.txt"), ("share", "\\\\server\\x")):
        add(f"name-{label}.zip", "flagged", zipped((name, b"hello")))
        add(f"name-{label}.tar", "flagged", tarred((name, b"hello")))
    for label, second in (("two-paths", b"a/evil.pkl"), ("same-paths", b"a/data.pkl")):
        info, out = zipfile.ZipInfo("a/data.pkl"), io.BytesIO()
        info.extra = b"up" + struct.pack("<HBI", 5 + len(second), 1, zlib.crc32(b"a/data.pkl")) + second
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(info, good)
        add(f"{label}.zip", "clean" if second == b"a/data.pkl" else "flagged", out.getvalue())
    nul = zipped(("archive/data.pklXtxt", good))
    add("name-nul.zip", "flagged", nul.replace(b".pklXtxt", b".pkl\0txt"))
    add("name-dots.zip", "clean", zipped(("archive/a..b/...x", b"hello"), ("archive/..data", b"x")))
    clean = zipped(("archive/data.pkl", good), ("archive/version", b"3\n"))
    plain = zipped(("archive/data.pkl", pickle), ("archive/version", b"3\n"))
    # Two end records: what each reader finds depends on where it begins to look.
    at = clean.index(b"PK\1\2")
    directory = clean[at:clean.index(b"PK\5\6")]
    add("two-ends.zip", "flagged", clean[:-2] + struct.pack("<H", 22) + end_record(2, len(directory), at))
    evil_at = plain.index(b"PK\1\2")
    both = plain[:evil_at] + plain[evil_at:plain.index(b"PK\5\6")] + directory
    add("two-directories.zip", "flagged", both + end_record(2, len(directory), len(both) - len(directory)))
    few = bytearray(plain)
    end = few.rindex(b"PK\5\6")
    few[end + 8:end + 12] = struct.pack("<HH", 0, 0)
    add("count-of-none.zip", "dangerous", bytes(few))
    # Zip64: the end record says that the true one is elsewhere.
    far = plain[:evil_at] + plain[evil_at:plain.index(b"PK\5\6")]
    record = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 2, 2, len(far) - evil_at, evil_at)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, len(far), 1)
    add("zip64.zip", "dangerous", far + record + locator + end_record(0xffff, 0xffffffff, 0xffffffff))
    add("zip64-lie.zip", "flagged", far + record + b"PK\6\7" + struct.pack("<IQI", 0, 1 << 60, 1) + end_record(0xffff, 0xffffffff, 0xffffffff))
    big = bytearray(clean)
    at = big.index(b"PK\1\2")
    big[at + 20:at + 28] = b"\xff" * 8
    add("zip64-without-sizes.zip", "flagged", bytes(big))

    def old_tar(name, data, kind=b"0", magic=b"", size=None):
        head = bytearray(512)
        head[:len(name)] = name
        head[100:108] = b"0000644\0"
        head[108:116] = head[116:124] = b"0000000\0"
        head[124:136] = size or b"%011o\0" % len(data)
        head[136:148] = b"00000000000\0"
        head[148:156] = b" " * 8
        head[156:157] = kind
        head[257:257 + len(magic)] = magic
        head[148:156] = b"%06o\0 " % sum(head)
        return bytes(head) + data + bytes(-len(data) % 512)
    add("tar-v7.tar", "dangerous", old_tar(b"pickle", pickle) + bytes(1024))
    add("tar-no-name.tar", "dangerous", old_tar(b"sys_info", good) + old_tar(b"", pickle) + bytes(1024))
    add("tar-base256.tar", "dangerous", old_tar(b"pickle", pickle, magic=b"ustar  ", size=b"\x80" + len(pickle).to_bytes(11, "big")) + bytes(1024))
    add("tar-long-name.tar", "dangerous", old_tar(b"././@LongLink", b"pickle\0", b"L") + old_tar(b"x", pickle) + bytes(1024))
    add("tar-pax-size.tar", "flagged", old_tar(b"x", b"11 size=4\n\n", b"x", b"ustar\0") + old_tar(b"x", pickle, magic=b"ustar\0") + bytes(1024))
    add("tar-device.tar", "flagged", old_tar(b"dev", b"", b"3", b"ustar\0") + bytes(1024))
    add("tar-link.tar", "flagged", old_tar(b"a", b"", b"2", b"ustar\0") + bytes(1024))
    add("tar-two-ends.tar", "flagged", old_tar(b"a", b"x") + bytes(512) + old_tar(b"b", pickle) + bytes(1024))
    add("elf.zip", "unknown", zipped(("archive/data.pkl", good), ("archive/data/aotinductor/model.so", b"\x7fELF\2\1\1" + bytes(60))))
    add("pe.bin", "unknown", b"MZ" + bytes(58) + struct.pack("<I", 128) + bytes(64) + b"PE\0\0" + bytes(100))
    add("package.pt", "flagged", zipped(("p/.data/extern_modules", b"os\n"), ("p/.data/version", b"6\n"), ("p/mod.py", b"import os\n")))
    # Elements that begin as something that is packed.
    storages = [(f"archive/data/{i}", head + bytes(64)) for i, head in enumerate((
        b"\x5d\0\0\0", b"\x78\x01", b"\x78\x9c", b"\x1f\x8b", b"MZ", b"BZh", b"\x80\x02", b"PK", b"ab" * 40 + b"PK\5\6" + b"xy" * 40))]
    add("storages.pt", "clean", zipped(("archive/data.pkl", good), *storages, ("archive/version", b"3\n")))
    nested = b"\x80\x02}X\x01\0\0\0aB" + struct.pack("<I", len(pickle)) + pickle + b"s."
    add("nested-bytes.pkl", "dangerous", nested)
    add("nested-twice.pkl", "dangerous", b"\x80\x02}X\x01\0\0\0aB" + struct.pack("<I", len(nested)) + nested + b"s.")
    add("nested-array.npy", "clean", npy(f"|V{len(pickle)}") + pickle)


def npy(descr, blank="", raw=False):
    descr = descr if raw else f"'{descr}'"
    text = f"{{'descr':{blank} {descr}, 'fortran_order': False, 'shape': (1,), }}"
    text = text + " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(text)) + text.encode()


def configurations():
    lamb = '{"class_name": "Sequential", "config": {"layers": [{"class_name": "Lambda", "config": {}}]}}'
    hdf = b"\x89HDF\r\n\x1a\n" + bytes(500)
    add("lambda.keras", "dangerous", zipped(("metadata.json", "{}"), ("config.json", lamb)))
    add("lambda-spaced.keras", "dangerous", zipped(("config.json", lamb.replace('": "', '"\n:\t"'))))
    add("lambda-escaped.keras", "dangerous", zipped(("config.json", lamb.replace("class_name", "cl\\u0061ss_name").replace("Lambda", "L\\u0061mbda"))))
    add("lambda.h5", "dangerous", hdf + lamb.encode() + bytes(100))
    add("lambda-after-quote.h5", "dangerous", hdf + b'"x' + lamb.encode() + bytes(100))
    add("lambda-window.h5", "dangerous", hdf + b"\0" * ((1 << 18) - 508 - 90) + lamb.encode() + bytes(100))
    add("lambda-function.keras", "dangerous", zipped(("config.json", '{"class_name": "__lambda__", "config": {"code": "4wE="}}')))
    add("module-os.keras", "dangerous", zipped(("config.json", '{"module": "os", "class_name": "system"}')))
    add("module-own.keras", "unknown", zipped(("config.json", '{"module": "mylib.layers", "class_name": "Mine"}')))
    add("lambda-utf16.keras", "flagged", zipped(("config.json", lamb.encode("utf-16"))))
    add("lambda-utf32.keras", "flagged", zipped(("config.json", lamb.encode("utf-32-be"))))
    add("lambda-far.keras", "flagged", zipped(("config.json", lamb.replace('": "', '":' + " " * 300000 + '"'))))
    add("lambda-block.h5", "dangerous", bytes(2048) + hdf + lamb.encode() + bytes(100))
    add("lambda-saved/keras_metadata.pb", "dangerous", b"\n\x80\x01\x08" + lamb.encode())
    add("lambda-model.json", "dangerous", lamb.encode())
    add("get-file.keras", "flagged", zipped(("config.json", '{"module": "keras.utils", "class_name": "get_file", "config": {"origin": "http://x"}}')))
    add("get-file-function.keras", "flagged", zipped(("config.json", '{"class_name": "function", "module": "keras.src.utils.file_utils", "config": "get_file"}')))
    add("unsafe.keras", "flagged", zipped(("config.json", '{"module": "keras.config", "class_name": "enable_unsafe_deserialization", "config": {}}')))
    add("eval.keras", "dangerous", zipped(("config.json", '{"module": "builtins", "class_name": "eval", "config": "1"}')))
    add("write-file.keras", "flagged", zipped(("config.json", '{"module": "tensorflow.io", "class_name": "write_file", "config": {}}')))
    add("function.keras", "clean", zipped(("config.json", '{"module": "keras.activations", "class_name": "function", "config": "relu", "registered_name": "relu"}')))
    add("tuple.keras", "clean", zipped(("config.json", '{"class_name": "__tuple__", "items": [1]}')))
    add("other.json", "clean", b'{"module": "mylib.x", "type": "commonjs"}')
    add("evil.yaml", "dangerous", b"a: !!python/object/apply:os.system ['id']\n")
    add("plain.yaml", "clean", b"a: 1\n")
    add("harmless.keras", "clean", zipped(("config.json", '{"module": "keras.layers", "class_name": "Dense", "name": "Lambda"}')))
    add("harmless.h5", "clean", hdf + b'{"module": "keras_hub.src", "class_name": "TFOpLambda"}')
    add("evil.jinja", "dangerous", b"{{ ''.__class__.__mro__[1].__subclasses__() }}")
    add("attr.jinja", "dangerous", b"{{ messages | attr('x') }}")
    add("hidden.jinja", "dangerous", b"{{ messages['\\x5f\\x5fclass'] }}")
    for i, template in enumerate(("{{ messages['_' ~ '_class_' ~ '_'] }}", "{{ x['__cla' + 'ss__'] }}", "{{ (x, '__mro__') | map(attribute=y) }}",
                                  "{{ x | map('attr', y) | list }}", "{{ '%c%cclass%c%c' % (95, 95, 95, 95) }}", "{{ x['\\N{LOW LINE}' * 2] }}",
                                  "{{ x['\\U0000005f'] }}", "{{ x['__ssalc__'[::-1]] }}", "{% set u = '_' %}{{ x[u * 2] }}", "{{ x | attr ('y') }}",
                                  "{%- import 'x' as y %}", "{{ x['-class-' | replace('-', '_' * 2)] }}", "{{ x|\nattr(y) }}", "{{ self._TemplateReference__context }}")):
        add(f"template-{i}.jinja", "flagged", template.encode())
    add("text.jinja", "clean", b"<__media__>{% for m in messages %}{{ m['content'] }}{% endfor %}")
    add("include.jinja", "unknown", b"{%- include 'other' %}")
    add("plain.jinja", "clean", b"{% for m in messages %}{{ m['content'] | trim }}{% endfor %}")
    add("evil/tokenizer_config.json", "dangerous", json.dumps({"chat_template": "{{ x.__init__.__globals__ }}"}).encode())
    for name, verdict, template in (("evil.gguf", "dangerous", "{{ cycler.__init__.__globals__.os.popen('id') }}"),
                                    ("plain.gguf", "clean", "{% for m in messages %}{{ m }}{% endfor %}")):
        def text(word):
            return struct.pack("<Q", len(word)) + word.encode()
        add(name, verdict, b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + text("general.architecture") + struct.pack("<I", 8) + text("llama") +
            text("tokenizer.chat_template") + struct.pack("<I", 8) + text(template))


def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(index, value):
    """A field of protobuf: a number, or bytes."""
    if isinstance(value, int):
        return number(index << 3) + number(value)
    value = value.encode() if isinstance(value, str) else value
    return number(index << 3 | 2) + number(len(value)) + value


def models():
    """Models that reach outside of themselves."""
    def node(name, op):
        return field(1, name) + field(2, op)

    def saved(asset):
        return field(1, 1) + field(2, field(1, field(4, "serve")) + field(2, field(1, node("x", "NoOp"))) +
                                   field(6, field(1, field(1, "a:0")) + field(2, asset)))

    def onnx(location, op="Add", domain=""):
        weight = field(1, 4) + field(2, 1) + field(8, "w") + field(13, field(1, "location") + field(2, location)) + field(14, 1)
        real = field(2, field(1, field(1, 1)))
        graph = (field(1, field(1, "x") + field(1, "w") + field(2, "y") + field(4, op) + field(7, domain)) + field(2, "g") +
                 (field(5, weight) if location else b"") + field(11, field(1, "x") + real) + field(12, field(1, "y") + real))
        return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)) + field(8, field(1, domain) + field(2, 1))
    add("asset-outside/saved_model.pb", "dangerous", saved("../../../etc/passwd"))
    add("asset-absolute/saved_model.pb", "dangerous", saved("/etc/passwd"))
    add("asset-inside/saved_model.pb", "clean", saved("words.txt"))
    add("write.pb", "dangerous", field(1, node("w", "WriteFile")))
    add("write-in-function.pb", "dangerous", field(1, node("x", "NoOp")) + field(2, field(1, field(1, field(1, "f")) + field(3, node("w", "WriteFile")))))
    add("read.pb", "unknown", field(1, node("r", "ReadFile")))
    add("python.pb", "dangerous", field(1, node("p", "PyFunc")))
    add("custom.pb", "unknown", field(1, node("p", "MyOwnOp")))
    for i, location in enumerate(("../../etc/passwd", "/etc/passwd", "a/../../x", "C:\\x", "\\\\server\\x", "file:///etc/passwd", "http://host/x")):
        add(f"location-{i}.onnx", "dangerous", onnx(location))
    add("location-inside.onnx", "clean", onnx("w.bin"))
    add("custom-domain.onnx", "unknown", onnx("", "Mine", "my.ops"))


def rebuilt():
    """How frameworks pickle what is not data: never dangerous by itself, and always where it is used for more."""
    arg, head = text8("id"), b"\x80\x04"

    def call(name, args=arg + b"\x85"):
        return head + name + args + b"R."
    take = head + stack_global("builtins", "getattr")
    enum = stack_global("transformers.training_args", "OptimizerNames")
    add("member.pkl", "unknown", take + enum + text8("ADAMW") + b"\x86R.")
    add("member2.pkl", "unknown", b"\x80\x02c__builtin__\ngetattr\ncmmengine.logging.history_buffer\nHistoryBuffer\nX\x04\0\0\0mean\x86R.")
    add("method.pkl", "unknown", take + stack_global("ultralytics.nn.tasks", "Model") + b")\x81" + text8("forward") + b"\x86R.")
    add("member-called.pkl", "dangerous", take + enum + text8("run") + b"\x86R" + arg + b"\x85R.")
    add("member-hidden.pkl", "dangerous", take + enum + text8("__globals__") + b"\x86R.")
    add("member-dots.pkl", "dangerous", take + enum + text8("a.b") + b"\x86R.")
    add("member-module.pkl", "dangerous", take + stack_global("torch", "os") + text8("system") + b"\x86R.")
    add("member-text.pkl", "dangerous", take + text8("{0}") + text8("format") + b"\x86R.")
    add("member-object.pkl", "dangerous", take + stack_global("collections", "OrderedDict") + b")R" + text8("__class__") + b"\x86R.")
    add("member-again.pkl", "dangerous", take + b"\x94" + enum + text8("A") + b"\x86R0h\x00" + enum + text8("__init__") + b"\x86R.")
    add("member-bytes.pkl", "dangerous", take + stack_global("os", "path") + b"C\x06system\x86R.")
    partial = head + stack_global("functools", "partial")
    add("partial-class.pkl", "unknown", partial + stack_global("torch.nn.modules.normalization", "LayerNorm") + b"\x85R.")
    add("partial-called.pkl", "dangerous", partial + stack_global("builtins", "list") + b"\x85R)R.")
    add("partial-state.pkl", "dangerous", partial + stack_global("builtins", "list") + b"\x85R(" + stack_global("os", "system") + arg + b"\x85}Ntb.")
    add("type-of-none.pkl", "unknown", call(stack_global("builtins", "type"), b"N\x85"))
    add("type-of-three.pkl", "dangerous", call(stack_global("builtins", "type"), arg + b")}\x87"))
    for module, name, verdict in (("typing", "Any", "clean"), ("typing", "ForwardRef", "dangerous"), ("numpy", "float32", "clean"),
                                  ("torch", "channels_last", "clean"), ("numpy.random", "__RandomState_ctor", "clean"),
                                  ("torch.torch_version", "TorchVersion", "clean"), ("numpy", "float32.__class__", "dangerous"),
                                  ("sklearn.tree._tree", "Tree", "unknown"), ("sklearn.utils", "check_array", "dangerous"),
                                  ("pandas._libs.internals", "_unpickle_block", "unknown"), ("pandas.core.computation.eval", "eval", "dangerous"),
                                  ("transformers.trainer_utils", "IntervalStrategy", "unknown"), ("numpy.ma.core", "_mareconstruct", "unknown"), ("numpy", "matrix", "unknown"),
                                  ("pandas._libs.arrays", "__pyx_unpickle_NDArrayBacked", "unknown"), ("pandas.core.indexes.base", "_new_Index", "unknown"),
                                  ("pandas.core.indexes.base", "new_Index", "dangerous"), ("random", "Random", "unknown"), ("random", "seed", "dangerous"),
                                  ("collections", "UserDict", "clean"), ("collections", "namedtuple", "dangerous")):
        add(f"made-{module}-{name}.pkl", verdict, call(stack_global(module, name)))
    # Protocol 2 writes bytes as text, and protocol 0 with escapes in it.
    stream = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}."

    def loads(data, tail=b"X\x06\0\0\0latin1\x86R\x85R."):
        text = data.decode("latin1").encode()
        return b"\x80\x02ctorch.storage\n_load_from_bytes\nc_codecs\nencode\nX" + struct.pack("<I", len(text)) + text + tail
    storage = b"\x80\x02(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x01NtQ.\x80\x02]X\x01\0\0\x000a." + struct.pack("<Qf", 1, -1.5)
    add("stream-in-text.pkl", "clean", loads(stream + storage))
    add("stream-in-text-evil.pkl", "dangerous", loads(stream + EVIL))
    add("stream-in-text-far.pkl", "dangerous", loads(stream + b"\x80\x02" + b"N0" * 60000 + EVIL))
    add("stream-in-text-cut.pkl", "flagged", loads(stream + b"\x80\x02" + EVIL[:-1]))
    add("stream-in-text-utf16.pkl", "flagged", loads(stream + storage, b"X\x06\0\0\0utf-16\x86R\x85R."))
    line = "".join(f"\\u{byte:04x}" for byte in stream + EVIL).encode()
    add("stream-in-line.pkl", "dangerous", b"ctorch.storage\n_load_from_bytes\n(c_codecs\nencode\n(V" + line + b"\nVlatin1\ntRtR.")
    old = b"L119547037146038801333356L\n.M\xe9\x03.}."
    add("stream-protocol1.pt", "clean", old + b"}.].")
    add("stream-protocol1-evil.pt", "dangerous", old + EVIL)
    for name, magic in (("ar", b"!<arch>\n"), ("cpio", b"070701"), ("lzip", b"LZIP"), ("compress", b"\x1f\x9d\x90")):
        add(f"closed.{name}", "unknown", magic + bytes(100))
    pickle, good = b"\x80\x02" + EVIL, b"\x80\x02}."
    add("folder-with-data.zip", "dangerous", zipped(("a/data.pkl/", pickle)))
    link = zipfile.ZipInfo("link")
    link.external_attr, link.create_system = 0o120777 << 16, 3
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    add("link.zip", "unknown", out.getvalue())
    over = bytearray(zipped(("archive/data.pkl", good), ("archive/version", b"3\n")))
    over[28] = 4  # the first header's extra bytes, which there are none of
    add("overlap.zip", "unknown", bytes(over))
    add("after-tar.tar", "dangerous", tarred(("a", good)) + pickle)
    add("saved-model-layer.keras", "unknown", zipped(("config.json", '{"module": "keras.layers", "class_name": "TFSMLayer", "config": {"filepath": "/x"}}')))
    for i, text in enumerate(('{"module": "builtins", "class_name": "function", "config": "exec"}', '{"config": "ev\\u0061l", "class_name": "function", "module": "builtins"}')):
        add(f"function-of-python-{i}.keras", "dangerous", zipped(("config.json", text)))
    add("function-of-nobody.keras", "clean", zipped(("config.json", '{"module": "builtins", "class_name": "function", "config": "my_loss"}')))
    add("snapshot.pb", "unknown", field(1, field(1, "s") + field(2, "SnapshotDatasetV2")))
    for i, template in enumerate(("{{ x.cr_frame }}", "{{ x.f_globals }}", "{{ x.format_map(y) }}")):
        add(f"frame-{i}.jinja", "flagged", template.encode())


def harmless():
    tensor = (b"\x80\x02ccollections\nOrderedDict\n)R(X\x01\0\0\0actorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\n"
              b"X\x01\0\0\0" + b"0X\x03\0\0\0cpuK\x01tQK\0K\x01\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtRu.")
    add("tensor.pkl", "clean", tensor)
    add("numbers.pkl", "clean", b"\x80\x02]q\0(K\x01K\x02G" + bytes(8) + b"e.")
    add("numbers0.pkl", "clean", b"(lp0\nI1\naF1.5\naS'x'\na.")
    # A stream whose first storage has 640 elements: its bytes begin as a pickle does.
    magic = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
    stream = tensor.replace(b"cpuK\x01tQ", b"cpuM\x80\x02tQ")
    add("storage-of-640.pt", "clean", magic + b"\x80\x02M\xe9\x03.\x80\x02}." + stream + b"\x80\x02]X\x01\0\0\0" + b"0a." +
        struct.pack("<Q", 640) + bytes(2560))
    add("text.txt", "clean", b"class Foo:\n    def bar(self):\n        return 1\n")
    add("chapters.txt", "clean", b"chapter\nverse\nand nothing more\n")
    add("zeros.bin", "clean", bytes(4096))
    add("numpy.npy", "clean", npy("<f4") + bytes(4))
    add("plain.tar", "clean", tarred(("a.txt", b"hello")))
    add("empty.bin", "clean", b"")
    add("good.zip", "clean", zipped(("archive/data.pkl", b"\x80\x02}."), ("archive/version", b"3\n")))
    add("random.pkl", "clean", b"\x80\x02cnumpy.random._pickle\n__randomstate_ctor\nX\x07\0\0\0MT19937\x85R}b.")


def judge(tenon, folder):
    wrong = 0
    for name, verdict, data in FILES:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(data)
        done = subprocess.run([tenon, "scan", "--json", path], capture_output=True, text=True)
        try:
            found = {finding["verdict"] for finding in json.loads(done.stdout)["findings"]}
        except ValueError:
            found = {"failed: " + done.stderr}
        worst = next((word for word in ("dangerous", "unknown", "note") if word in found), "clean")
        if found and worst == "clean":
            worst = str(found)
        is_right = {"flagged": worst in ("dangerous", "unknown"), "clean": worst in ("clean", "note")}.get(verdict, worst == verdict)
        if not is_right or done.returncode != (0 if verdict == "clean" else 1):
            print(f"{name}: {worst}, not {verdict}; exit code {done.returncode}")
            wrong += 1
    print(f"{len(FILES)} files, {wrong} wrong")
    return 1 if wrong else 0


def main(tenon, folder=None):
    for make in (calls, texts, frames, known, archives, disguises, configurations, models, rebuilt, harmless):
        make()
    if folder:
        return judge(tenon, folder)
    with tempfile.TemporaryDirectory() as scratch:
        return judge(tenon, scratch)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
