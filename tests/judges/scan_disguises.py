#!/usr/bin/python3
"""More files that would run code or reach outside: what hides from who looks in the usual places.

    scan_disguises.py TENON [FOLDER]

As scan_attacks.py, whose helpers it uses: nothing is ever loaded.
"""
import array
import base64
import bz2
import gzip
import json
import lzma
import pickle as pk
import re
import struct
import sys
import tempfile
import zipfile
import zlib

import scan_attacks
from scan_attacks import EVIL, end_record, field, npy, stack_global as sg, tarred, text8, zipped

P = b"\x80\x02" + EVIL
good = b"\x80\x02}."
arg = text8("id")


def add(name, verdict, data):
    scan_attacks.FILES.append((name, verdict, data if isinstance(data, bytes) else data.encode()))


def computed():
    """Names that are computed, dotted, or hidden in arguments; opcodes that are rare."""
    add("computed-str.pkl", "flagged", b"\x80\x04" + sg("builtins","str") + text8("os") + b"\x85R" + text8("system") + b"\x93" + arg + b"\x85R.")
    add("computed-rot13.pkl", "flagged", b"\x80\x04" + sg("_codecs","encode") + text8("bf") + text8("rot13") + b"\x86R" + sg("_codecs","encode")+text8("flfgrz")+text8("rot13")+b"\x86R\x93" + arg + b"\x85R.")
    add("computed-str-memo.pkl", "flagged", b"\x80\x04" + sg("builtins","str") + text8("os") + b"\x85R\x940" + text8("system") + b"\x940h\x00h\x01\x93" + arg + b"\x85R.")
    add("computed-only-import.pkl", "flagged", b"\x80\x04" + sg("builtins","str") + text8("antigravity") + b"\x85R" + text8("x") + b"\x93.")
    add("computed-from-list.pkl", "flagged", b"\x80\x04" + sg("builtins","str") + b"C\x02os" + text8("ascii") + b"\x86R" + text8("system") + b"\x93)R.")
    add("class-setattr.pkl", "flagged", b"\x80\x04" + sg("argparse","Namespace") + b"N}" + text8("__init__") + sg("builtins","list") + b"s\x86b.")
    add("newobj-of-call.pkl", "flagged", b"\x80\x04" + sg("builtins","str") + text8("os") + b"\x85R)\x81.")
    add("from-type-nested.pkl", "flagged", b"\x80\x02ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._tensor\n_rebuild_from_type_v2\nctorch\nTensor\n(cposix\nsystem\nctorch\nTensor\nX\x02\0\0\0id\x85NtNtR.")
    add("param-state.pkl", "flagged", b"\x80\x02ctorch._utils\n_rebuild_parameter_with_state\n(N\x89}(X\x01\0\0\0acos\nsystem\nu tR.".replace(b" ", b""))
    add("ctor-arg.pkl", "flagged", b"\x80\x04" + sg("numpy.random._pickle","__randomstate_ctor") + arg + sg("os","system") + b"\x86R.")
    add("ctor-arg-foreign.pkl", "flagged", b"\x80\x04" + sg("numpy.random._pickle","__randomstate_ctor") + arg + sg("mylib","run") + b"\x86R.")
    add("defaultdict-foreign.pkl", "flagged", b"\x80\x04" + sg("collections","defaultdict") + sg("mylib","run") + b"\x85R.")
    add("wrapper-subclass.pkl", "flagged", b"\x80\x04" + sg("torch._utils","_rebuild_wrapper_subclass") + b"(" + sg("mylib","Run") + b"Nt" + b"R.")
    add("ordereddict-state.pkl", "flagged", b"\x80\x02ccollections\nOrderedDict\n)R}X\x0a\0\0\0__reduce__cos\nsystem\nsb.")
    add("ndarray-object.pkl", "flagged", b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R(K\x01K\x01\x85cnumpy\ndtype\nU\x02O8K\0K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89]cos\nsystem\natb.")
    add("ndarray-object-call.pkl", "dangerous", b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R(K\x01K\x01\x85cnumpy\ndtype\nU\x02O8K\0K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89]" + b"cos\nsystem\nX\x02\0\0\0id\x85R" + b"atb.")
    add("reconstruct-subtype.pkl", "flagged", b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncmylib\nEvil\nK\0\x85U\x01b\x87R.")
    add("serialization-load.pkl", "dangerous", b"\x80\x04" + sg("torch.serialization","load") + arg + b"\x85R.")
    add("serialization-dotted.pkl", "flagged", b"\x80\x04" + sg("torch.serialization","_get_layout.__globals__") + b".")
    add("dotted-os.pkl", "flagged", b"\x80\x04" + sg("torch.serialization","os.system") + arg + b"\x85R.")
    add("dotted-collections.pkl", "flagged", b"\x80\x04" + sg("collections","_sys.modules") + b".")
    add("dotted-torch.pkl", "flagged", b"\x80\x04" + sg("torch","Tensor.__class__.__subclasses__") + b")R.")
    add("persid-call.pkl", "flagged", b"\x80\x02X\x03\0\0\0fooQ)R.")
    add("binpersid-evil.pkl", "flagged", b"\x80\x02(X\x07\0\0\0storagecos\nsystem\nX\x01\0\0\x000X\x03\0\0\0cpuK\x01tQ.")
    add("binpersid-module.pkl", "flagged", b"\x80\x02(X\x06\0\0\0modulecmylib\nNet\nX\x01\0\0\0aX\x01\0\0\0btQ.")
    add("inst-harmless-arg.pkl", "flagged", b"(cos\nsystem\nicollections\ndefaultdict\n.")
    add("obj-harmless-arg.pkl", "flagged", b"(ccollections\ndefaultdict\ncos\nsystem\no.")
    add("newobjex-kw.pkl", "flagged", b"\x80\x04" + sg("functools","partial") + sg("os","system") + b"\x85}\x92.")
    add("newobjex-kwfactory.pkl", "flagged", b"\x80\x04" + sg("collections","defaultdict") + b")}" + text8("default_factory") + sg("os","system") + b"s\x92.")
    add("newobjex-kwforeign.pkl", "flagged", b"\x80\x04" + sg("collections","UserDict") + b")}" + text8("x") + sg("mylib","f") + b"s\x92.")
    add("ext1-import.pkl", "flagged", b"\x80\x02\x82\x05.")
    add("ext-in-list.pkl", "flagged", b"\x80\x02](\x83\x05\x01e.")
    add("two-appended.pkl", "dangerous", b"\x80\x02}.\x80\x04}.\x80\x05N." + P)
    add("appended-after-text.pkl", "dangerous", pk.dumps({"a": [1, 2, "x" * 300]}, 4) + pk.dumps("x", 0) + EVIL)
    add("appended-proto1.pkl", "dangerous", pk.dumps({"a": 1}, 2) + b"]q\x00(" + EVIL[:-1] + b"e.")
    add("cr-name.pkl", "flagged", b"cos\r\nsystem\r\n(S'id'\r\ntR.")
    add("proto6.pkl", "flagged", b"\x80\x06" + EVIL)
    add("proto255.pkl", "flagged", b"\x80\xff" + EVIL)
    add("pk-pickle.pkl", "flagged", b"PKx\n0" + EVIL)
    add("pk34-pickle.pkl", "flagged", b"PK\3\4x\n0" + EVIL)
    add("ints-then.bin", "dangerous", b"I01\n0I00\n0" + EVIL)
    add("many-none.bin", "dangerous", b"N0" * 100000 + EVIL)
    add("deep-marks.pkl", "dangerous", b"(" * 100000 + b"1" * 100000 + EVIL)
    add("deep-tuple.pkl", "flagged", b"\x80\x02" + b")" + b"\x85" * 100000 + b"0" + EVIL)
    add("deep-list.pkl", "flagged", b"\x80\x02]" + b"]a" * 3 + b"]" * 5000 + b"a" * 5000 + b"0" + EVIL)
    add("big-string.pkl", "dangerous", b"\x80\x02X" + struct.pack("<I", 1 << 20) + b"a" * (1 << 20) + b"0" + EVIL)
    add("utf8-bad-string.pkl", "flagged", b"\x80\x02X\x02\0\0\0\xff\xfe0" + EVIL)
    add("surrogate-name.pkl", "flagged", b"\x80\x04\x8c\x03\xed\xa0\x80" + text8("x") + b"\x93.")
    add("unicode8.pkl", "dangerous", b"\x80\x04\x8d" + struct.pack("<Q", 2) + b"os\x8d" + struct.pack("<Q", 6) + b"system\x93" + arg + b"\x85R.")
    add("dict-opcode.pkl", "dangerous", b"(dS'x'\ncos\nsystem\n(S'id'\ntRs.")
    add("set-opcode.pkl", "dangerous", b"\x80\x04\x8f(" + sg("os","system") + arg + b"\x85R\x90.")
    add("frozenset.pkl", "dangerous", b"\x80\x04(" + sg("os","system") + arg + b"\x85R\x91.")
    add("long4.pkl", "dangerous", b"\x80\x02\x8b\x04\0\0\0\1\2\3\0040" + EVIL)
    add("memo-of-global.pkl", "dangerous", b"\x80\x02cos\nsystem\nq\x000N" + b"0h\x00X\x02\0\0\0id\x85R.")
    add("memo-swap.pkl", "dangerous", b"\x80\x04" + sg("collections","OrderedDict") + b"q\x000" + sg("os","system") + b"q\x000h\x00" + arg + b"\x85R.")
    add("memo-module.pkl", "dangerous", b"\x80\x04" + text8("posix") + b"q\xff0" + text8("system") + b"r\xff\xff\0\0" + b"0h\xffj\xff\xff\0\0\x93" + arg + b"\x85R.")


def after(before, archive):
    """The zip after other bytes, which its offsets count."""
    data = bytearray(archive)
    for record in re.finditer(b"PK\1\2", archive):
        at = record.start() + 42
        data[at:at + 4] = struct.pack("<I", struct.unpack_from("<I", archive, at)[0] + len(before))
    at = archive.rindex(b"PK\5\6") + 16
    data[at:at + 4] = struct.pack("<I", struct.unpack_from("<I", archive, at)[0] + len(before))
    return before + bytes(data)


def polyglots():
    """Files that are two things, of which the zip is harmless; and names that only headers have."""
    clean = zipped(("archive/data.pkl", good), ("archive/version", b"3\n"))
    layer = b'{"class_name": "Lambda"}'
    hdf = b"\x89HDF\r\n\x1a\n" + bytes(500)
    add("hdf-and-zip.h5", "dangerous", after(hdf + layer, clean))
    add("array-and-zip.npy", "dangerous", after(npy("|O") + P, clean))
    add("7z-and-zip.7z", "unknown", after(b"7z\xbc\xaf\x27\x1c" + bytes(500), clean))
    add("7z-and-empty-zip.7z", "unknown", b"7z\xbc\xaf\x27\x1c" + bytes(500) + end_record(0, 0, 506))
    tar = tarred(("PK\3\4", b"x"), ("model_config.yaml", b"a:\n  _target_: os.system\n"))
    add("tar-and-zip.nemo", "dangerous", after(tar, clean))
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        add(f"block-before-hdf-{method}.zip", "dangerous", zipped(("model", bytes(1024) + hdf + layer), method=method))
    name, second = b"a/data.txt", b"../../x.pkl"
    extra = b"up" + struct.pack("<HBI", 5 + len(second), 1, zlib.crc32(name)) + second
    sizes = struct.pack("<HHIII", 0, 33, zlib.crc32(good), len(good), len(good))
    head = b"PK\3\4" + struct.pack("<HHH", 20, 0, 0) + sizes + struct.pack("<HH", len(name), len(extra)) + name + extra + good
    record = b"PK\1\2" + struct.pack("<HHHH", 20, 20, 0, 0) + sizes + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, 0) + name
    add("second-name-in-header.zip", "dangerous", head + record + end_record(1, len(record), len(head)))


def packed():
    """Packed data, by every packer that Python's loaders unpack, in files and in archives."""
    add("zf.joblib", "flagged", b"ZF0x" + b"%-17x" % len(P) + zlib.compress(P))
    co = zlib.compressobj(6, zlib.DEFLATED, 9); add("zlib-small-window.z", "flagged", co.compress(P) + co.flush())
    add("lzma-alone.pkl.lzma", "flagged", lzma.compress(P, lzma.FORMAT_ALONE))
    add("lzma-alone-dict.pkl.lzma", "flagged", lzma.compress(P, lzma.FORMAT_ALONE, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 65536 + 4096}]))
    add("lzma-alone-lc.pkl.lzma", "flagged", lzma.compress(P, lzma.FORMAT_ALONE, filters=[{"id": lzma.FILTER_LZMA1, "lc": 0, "lp": 0, "pb": 0}]))
    add("bz2.pkl", "flagged", bz2.compress(P))
    add("gz.pkl", "flagged", gzip.compress(P))
    add("zstd-skip.zst", "flagged", b"\x50\x2a\x4d\x18\4\0\0\0aaaa\x28\xb5\x2f\xfd" + bytes(20))
    add("lz4-legacy.lz4", "flagged", b"\x02\x21\x4c\x18" + bytes(40))
    add("snappy-framed.sz", "flagged", b"\xff\x06\x00\x00sNaPpY" + bytes(40))
    for n, d in (("zlib", zlib.compress(P)), ("gz", gzip.compress(P)), ("bz2", bz2.compress(P)), ("xz", lzma.compress(P)), ("lzma", lzma.compress(P, lzma.FORMAT_ALONE)), ("zf", b"ZF0x" + b"%-17x" % len(P) + zlib.compress(P))):
        add(f"member-{n}.zip", "flagged", zipped(("m/model.joblib", d)))
        add(f"member-{n}.tar", "flagged", tarred(("m/model.joblib", d)))


def hidden():
    """Zips with bytes and directories that only some programs read, arrays that say twice what they hold."""
    clean = zipped(("archive/data.pkl", good), ("archive/version", b"3\n"))
    evilz = zipped(("archive/data.pkl", P), ("archive/version", b"3\n"))
    cb, cd = clean[:clean.index(b"PK\1\2")], clean[clean.index(b"PK\1\2"):clean.index(b"PK\5\6")]
    eb, ed = evilz[:evilz.index(b"PK\1\2")], evilz[evilz.index(b"PK\1\2"):evilz.index(b"PK\5\6")]
    def shift(d, by):
        d = bytearray(d); at = 0
        while at < len(d):
            o = struct.unpack("<I", d[at+42:at+46])[0]; d[at+42:at+46] = struct.pack("<I", o + by)
            at += 46 + sum(struct.unpack("<HHH", d[at+28:at+34]))
        return bytes(d)
    gap = b"\xaa" * 64
    base = cb + gap + eb
    ed2 = shift(ed, len(cb) + len(gap))
    cdat = len(base); edat = cdat + len(cd)
    z64 = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 2, 2, len(ed2), edat)
    loc = b"PK\6\7" + struct.pack("<IQI", 0, edat + len(ed2), 1)
    add("zip64-two-directories.zip", "flagged", base + cd + ed2 + z64 + loc + end_record(2, len(cd), cdat))
    add("zip-gap-hidden.zip", "flagged", base + cd + end_record(2, len(cd), cdat))
    add("zip-gap-before-dir.zip", "flagged", cb + b"\xaa"*7 + P + cd + end_record(2, len(cd), len(cb)+7+len(P)))
    z64b = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 2, 2, len(cd), cdat)
    x = base + cd + ed2
    loc2 = b"PK\6\7" + struct.pack("<IQI", 0, len(x), 1)
    add("zip64-two-records.zip", "flagged", x + z64b + z64 + loc2 + end_record(0xffff, 0xffffffff, 0xffffffff))
    add("zip64-two-records2.zip", "flagged", x + z64 + z64b + loc2 + end_record(0xffff, 0xffffffff, 0xffffffff))
    add("zip-shifted.zip", "flagged", b"x" * 10 + evilz)
    add("zip-multi-disk.zip", "flagged", eb + ed + b"PK\5\6" + struct.pack("<HHHHIIH", 1, 1, 2, 2, len(ed), len(eb), 0))
    add("zip-spanned.zip", "flagged", b"PK\7\x08" + eb + shift(ed, 4) + end_record(2, len(ed), len(eb)+4))
    add("zip-00.zip", "flagged", b"PK00" + eb + shift(ed, 4) + end_record(2, len(ed), len(eb)+4))
    d = bytearray(zipped(("a/data.pkl", P), method=zipfile.ZIP_DEFLATED))
    at = d.index(b"PK\1\2"); d[at+10:at+12] = b"\0\0"   # directory: stored; local: deflated
    add("method-lie.zip", "flagged", bytes(d))
    d = bytearray(zipped(("a/data.pkl", P), method=zipfile.ZIP_DEFLATED)); d[8:10] = b"\0\0"
    add("method-lie2.zip", "flagged", bytes(d))
    d = bytearray(zipped(("a/data.pkl", P), method=zipfile.ZIP_DEFLATED))
    at = d.index(b"PK\1\2"); d[at+10:at+12] = b"\x09\0"; d[8:10] = b"\x09\0"
    add("deflate64.zip", "flagged", bytes(d))
    d = bytearray(zipped(("a/data.pkl", P), method=zipfile.ZIP_DEFLATED))
    at = d.index(b"PK\1\2")
    for o in (22, at+24): d[o:o+4] = struct.pack("<I", 0)
    add("deflated-size-zero.zip", "flagged", bytes(d))
    add("offset-beyond.zip", "flagged", bytes(d[:d.index(b"PK\1\2")+42]) + struct.pack("<I", 0x7fffffff) + bytes(d[d.index(b"PK\1\2")+46:]))
    add("zip-in-npz.npz", "dangerous", zipped(("x.npy", evilz)))
    add("npz-object.npz", "dangerous", zipped(("x.npy", npy("|O") + P)))
    add("npz-noext.npz", "dangerous", zipped(("x", npy("|O") + P)))
    def rawnpy(text, v=b"\1\0"):
        text = text + " " * (-(len(text) + 11) % 64) + "\n"
        return b"\x93NUMPY" + v + struct.pack("<H" if v[0] == 1 else "<I", len(text)) + text.encode("latin1")
    add("npy-twice.npy", "dangerous", rawnpy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'descr': '|O'}") + P)
    add("npy-twice-esc.npy", "dangerous", rawnpy("{'descr': '<f4', 'd\\x65scr': '|O', 'fortran_order': False, 'shape': (1,), }") + P)
    add("npy-order.npy", "dangerous", rawnpy("{'fortran_order': False, 'descr': '|O', 'shape': (1,), }") + P)
    add("npy-v3.npy", "dangerous", rawnpy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"\3\0") + P)
    add("npy-twice.npz", "dangerous", zipped(("x.npy", rawnpy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'descr': '|O'}") + P)))
    def old_tar(name, data, kind=b"0", magic=b"", size=None, chk=None, signed=False, fill=None):
        head = bytearray(512); head[:len(name)] = name
        head[100:108] = b"0000644\0"; head[108:116] = head[116:124] = b"0000000\0"
        head[124:136] = size or b"%011o\0" % len(data); head[136:148] = b"00000000000\0"
        head[148:156] = b" " * 8; head[156:157] = kind; head[257:257+len(magic)] = magic
        if fill: head[500:500+len(fill)] = fill
        s = sum(head) if not signed else sum(b - 256 if b > 127 else b for b in head)
        head[148:156] = (chk or b"%06o\0 ") % s
        return bytes(head) + data + bytes(-len(data) % 512)
    add("tar-signed.tar", "flagged", old_tar(b"pickle", P, signed=True, fill=b"\xff\xfe") + bytes(1024))
    add("tar-signed-neg.tar", "flagged", old_tar(b"pickle", P, signed=True, fill=b"\xff\xfe") + bytes(1024))
    add("tar-sum-0o.tar", "flagged", old_tar(b"pickle", P, chk=b"0o%05o\0") + bytes(1024))
    add("tar-sum-plus.tar", "flagged", old_tar(b"pickle", P, chk=b"+%06o\0") + bytes(1024))
    add("tar-sum-tabs.tar", "flagged", old_tar(b"pickle", P, chk=b"\t%06o\0") + bytes(1024))
    add("tar-gz.tar.gz", "flagged", gzip.compress(tarred(("pickle", P))))
    add("tar-in-zip.zip", "dangerous", zipped(("a.tar", old_tar(b"pickle", P) + bytes(1024))))
    add("tar-sparse.tar", "flagged", old_tar(b"pickle", P, kind=b"S", magic=b"ustar  \0") + bytes(1024))
    add("tar-contig.tar", "dangerous", old_tar(b"pickle", P, kind=b"7", magic=b"ustar\0") + bytes(1024))
    add("tar-size-plus.tar", "flagged", old_tar(b"pickle", P, magic=b"ustar\0", size=b"+%010o\0" % len(P)) + bytes(1024))
    add("tar-dir-data.tar", "flagged", old_tar(b"pickle/", P, kind=b"5", magic=b"ustar\0") + bytes(1024))
    add("tar-storage-late.tar", "dangerous", tarred(("tensors", b"\x80\x02K\x01." + bytes(33) + P)))


def layers():
    """Layers of Keras that load files or call functions."""
    def keras(t, name="config.json"): return zipped((name, t if isinstance(t, str) else json.dumps(t)))
    add("vocab-path.keras", "flagged", keras({"module": "keras.layers", "class_name": "StringLookup", "config": {"vocabulary": "/etc/passwd"}}))
    add("vocab-url.keras", "flagged", keras({"module": "keras.layers", "class_name": "TextVectorization", "config": {"vocabulary": "http://x/y"}}))
    add("torchmodule.keras", "flagged", keras({"module": "keras.layers", "class_name": "TorchModuleWrapper", "config": {"module": {"class_name": "__bytes__", "config": {"value": "gAJj"}}}}))
    add("jaxlayer.keras", "flagged", keras({"module": "keras.layers", "class_name": "JaxLayer", "config": {}}))
    add("flaxlayer.keras", "flagged", keras({"module": "keras.layers", "class_name": "FlaxLayer", "config": {}}))
    add("tfoplambda.keras", "flagged", keras({"class_name": "TFOpLambda", "config": {"name": "tf.io.write_file", "function": "io.write_file"}, "inbound_nodes": [["_CONSTANT_VALUE", -1, "/tmp/x", {"contents": "y"}]]}))
    add("pyfunc-lambda.keras", "flagged", keras({"class_name": "TFOpLambda", "config": {"name": "x", "function": "numpy_function"}}))
    add("lambda-subdir.zip", "dangerous", zipped(("model/config.json", '{"class_name":"Lambda"}')))
    add("lambda-in-keras-in-zip.zip", "dangerous", zipped(("m.keras", keras('{"class_name":"Lambda"}'))))
    add("lambda-surrogate.keras", "flagged", keras('{"class_name": "\\u004c\\u0061mbda"}'))
    add("lambda-long-key.keras", "flagged", keras('{"x' + "a" * 300 + '": 1, "class_name": "Lambda"}'))
    add("lambda-dup.keras", "flagged", keras('{"class_name": "Dense", "class_name": "Lambda"}'))
    add("lambda-comment.keras", "flagged", keras('\ufeff{"class_name": "Lambda"}'))
    add("lambda.model.json", "flagged", '{"class_name": "Model", "config": {"layers": [{"class_name":"Lambda"}]}}')
    add("lambda-ext.keras-h5.hdf5", "flagged", b"\x89HDF\r\n\x1a\n" + bytes(300) + b'{"class_name": "Lambda"}' + bytes(10))
    add("lambda-registered.keras", "flagged", keras({"module": "os", "class_name": "function", "config": "system"}))
    add("subprocess.keras", "dangerous", keras({"module": "subprocess", "class_name": "Popen", "config": {}}))
    add("load-model.keras", "flagged", keras({"module": "keras.saving", "class_name": "load_model", "config": {}}))


def templates():
    """Templates behind escapes and far from the beginning, in every file that has them."""
    add("esc1/tokenizer_config.json", "flagged", '{"chat_template": "\\u007b\\u007b \'\'.__class__ }}"}')
    add("esc2/tokenizer_config.json", "flagged", '{"chat_template": "\\u007b{ x.\\u005f\\u005fcl\\u0061ss\\u005f\\u005f \\u007d}"}')
    add("esc3/tokenizer_config.json", "flagged", '{"chat_template": "{{ x|\\u0061ttr(y) }}"}')
    add("esc4/chat_template.json", "flagged", '{"chat_template": "{{ x.pop\\u0065n() }}"}')
    add("far/tokenizer_config.json", "flagged", json.dumps({"pad": "a" * (1 << 21), "chat_template": "{{ x.__class__ }}"}))
    add("far.jinja", "flagged", "a" * (1 << 21) + "{{ x.__class__ }}")
    add("proc/processor_config.json", "flagged", json.dumps({"chat_template": "{{ x.__class__ }}"}))
    add("list/tokenizer_config.json", "flagged", json.dumps({"chat_template": [{"name": "a", "template": "{{ x.__class__ }}"}]}))
    add("t.j2", "flagged", "{{ x.__class__ }}")
    add("t.jinja2", "flagged", "{{ x.__class__ }}")
    add("preproc/preprocessor_config.json", "flagged", json.dumps({"chat_template": "{{ x.__class__ }}"}))
    def gtext(w): 
        w = w if isinstance(w, bytes) else w.encode(); return struct.pack("<Q", len(w)) + w
    def gguf(kvs, n=0, tail=b"", version=3):
        return b"GGUF" + struct.pack("<IQQ", version, n, len(kvs)) + b"".join(gtext(k) + v for k, v in kvs) + tail
    def gs(t): return struct.pack("<I", 8) + gtext(t)
    A = ("general.architecture", gs("llama"))
    EV = "{{ x.__class__.__mro__ }}"
    add("t1.gguf", "flagged", gguf([A, ("tokenizer.chat_template", gs(EV))]))
    add("t2.gguf", "flagged", gguf([A, ("tokenizer.chat_template.rag", gs(EV))]))
    add("t3.gguf", "flagged", gguf([A, ("tokenizer.chat_templates", struct.pack("<IIQ", 9, 8, 1) + gtext(EV))]))
    add("t4.gguf", "flagged", gguf([A, ("tokenizer.chat_template", gs(EV + "\xff".encode("latin1").decode("latin1")))]))
    add("t5.gguf", "flagged", gguf([A, ("tokenizer.chat_template", struct.pack("<I", 8) + gtext(EV.encode() + b"\xff"))]))
    add("t6.gguf", "flagged", gguf([A, ("tokenizer.chat_template", gs(EV)), ("tokenizer.chat_template", gs("x"))]))
    add("t7.gguf", "flagged", gguf([A, ("tokenizer.chat_template", gs(EV))], n=1, tail=gtext("w") + struct.pack("<IQIQ", 1, 1 << 60, 0, 0)))
    add("t8.gguf", "flagged", gguf([A, ("tokenizer.chat_template", gs(EV))], n=1, tail=gtext("w") + struct.pack("<IQIQ", 1, 32, 99, 0) + bytes(100)))
    add("t9.gguf", "flagged", gguf([A, ("tokenizer.chat_template", gs("{% set a = 1 %}" * 20000 + EV))]))
    def bg(w): return struct.pack(">Q", len(w)) + w.encode()
    add("t10.gguf", "flagged", b"GGUF" + struct.pack(">IQQ", 3, 0, 1) + bg("tokenizer.chat_template") + struct.pack(">I", 8) + bg(EV))
    def v1(w): return struct.pack("<I", len(w)) + w.encode()
    add("t11.gguf", "flagged", b"GGUF" + struct.pack("<III", 1, 0, 1) + v1("tokenizer.chat_template") + struct.pack("<I", 8) + v1(EV))
    add("t-00001-of-00002.gguf", "flagged", gguf([A, ("tokenizer.chat_template", gs(EV)), ("split.no", struct.pack("<IH", 2, 0)), ("split.count", struct.pack("<IH", 2, 2))]))
    add("t12.gguf", "flagged", gguf([A, ("tokenizer.chat_template", gs(EV)), ("n", struct.pack("<IIQ", 9, 9, 1) * 20 + struct.pack("<IQ", 4, 0))]))


def texts():
    """YAML that names Python in disguise, configurations of Hydra and of the hub."""
    add("tagesc.yaml", "flagged", "a: !!pyth%6fn/object/apply:os.system ['id']\n")
    add("tagdir.yaml", "flagged", "%TAG !p! tag:yaml.org,2002:pyth\n---\na: !p!on/object/apply:os.system ['id']\n")
    add("hydra.yaml", "flagged", "model:\n  _target_: os.system\n  command: id\n")
    add("hydra2.yaml", "flagged", "model: {'_target_': builtins.eval, x: y}\n")
    add("farpad.yaml", "flagged", "#" + "a" * (1 << 21) + "\na: !!python/object/apply:os.system ['id']\n")
    add("utf16.yaml", "flagged", "a: !!python/object/apply:os.system ['id']\n".encode("utf-16"))
    add("automap/config.json", "flagged", json.dumps({"auto_map": {"AutoModel": "modeling_x.X"}}))


def frameworks():
    """What files of one framework load in its own way, and their harmless twins."""
    coded = base64.b64encode(P).decode()
    add("agent.zip", "dangerous", zipped(("data", json.dumps({"policy": {":type:": "<class 'abc.ABCMeta'>", ":serialized:": coded}})), ("version", "1.7.0")))
    add("agent-good.zip", "clean", zipped(("data", json.dumps({"gamma": {":serialized:": base64.b64encode(pk.dumps({"a": 1})).decode()}})), ("version", "1.7.0")))
    add("coded.json", "dangerous", json.dumps({"a": [coded]}))
    add("speech/hyperparams.yaml", "dangerous", "a: !apply:os.system [id]\n")
    add("speech-good/hyperparams.yaml", "clean", "seed: !apply:torch.manual_seed [1]\na: !new:speechbrain.lobes.features.Fbank\n  n_mels: 80\nb: !!python/tuple [1, 2]\n")
    add("pickled.json", "dangerous", json.dumps({"py/reduce": [{"py/function": "os.system"}, {"py/tuple": ["id"]}]}))
    add("sentences/modules.json", "dangerous", json.dumps([{"idx": 0, "name": "0", "path": "", "type": "os.system"}]))
    add("sentences-good/modules.json", "clean", json.dumps([{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]))
    add("pipeline/model_index.json", "flagged", json.dumps({"_class_name": ["pipeline", "Mine"], "unet": ["diffusers", "UNet2DConditionModel"]}))
    add("pipeline-good/model_index.json", "clean", json.dumps({"_class_name": "StableDiffusionPipeline", "unet": ["diffusers", "UNet2DConditionModel"], "safety": [None, None]}))
    add("evil.skops", "dangerous", zipped(("schema.json", json.dumps({"__class__": "system", "__module__": "os", "__loader__": "FunctionNode"}))))
    add("good.skops", "clean", zipped(("schema.json", json.dumps({"__class__": "LogisticRegression", "__module__": "sklearn.linear_model._logistic", "__loader__": "ObjectNode"}))))
    add("speech.nemo", "clean", tarred(("model_config.yaml", b"a: 1\n"), ("model_weights.ckpt", zipped(("archive/data.pkl", good), ("archive/version", b"3\n")))))
    add("speech-evil.nemo", "dangerous", tarred(("model_config.yaml", b"_target_: os.system\n"), ("model_weights.ckpt", zipped(("archive/data.pkl", good)))))
    add("metadata.pkl", "unknown", b"\x80\x04" + sg("torch.distributed.checkpoint.metadata", "_MEM_FORMAT_ENCODING") + b"K\x00\x85R.")
    add("exception.pkl", "clean", pk.dumps({"error": ValueError("x"), "pattern": re.compile("a"), "array": array.array("i", [1])}))


def graphs():
    """Paths that lead out, wherever ONNX has tensors."""
    def real(): return field(2, field(1, field(1, 1)))
    def tens(loc): return field(1, 4) + field(2, 1) + field(8, "w") + field(13, field(1, "location") + field(2, loc)) + field(14, 1)
    def onnx(graph, extra=b"", dom=""): return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17)) + extra
    def io_(): return field(11, field(1, "x") + real()) + field(12, field(1, "y") + real())
    BAD = "../../../etc/passwd"
    cst = field(1, field(2, "w") + field(4, "Constant") + field(5, field(1, "value") + field(5, tens(BAD)) + field(20, 4)))
    nd = field(1, field(1, "x") + field(1, "w") + field(2, "y") + field(4, "Add"))
    add("attr-tensor.onnx", "flagged", onnx(cst + nd + field(2, "g") + io_()))
    sub = cst + field(2, "s") + field(12, field(1, "w") + real())
    add("subgraph-tensor.onnx", "flagged", onnx(field(1, field(1, "x") + field(2, "y") + field(4, "If") + field(5, field(1, "then_branch") + field(6, sub) + field(20, 5)) + field(5, field(1, "else_branch") + field(6, sub) + field(20, 5))) + field(2, "g") + io_()))
    subi = field(1, field(1, "w") + field(2, "z") + field(4, "Identity")) + field(2, "s") + field(5, tens(BAD)) + field(12, field(1, "z") + real())
    add("subgraph-init.onnx", "flagged", onnx(field(1, field(1, "x") + field(2, "y") + field(4, "If") + field(5, field(1, "then_branch") + field(6, subi) + field(20, 5)) + field(5, field(1, "else_branch") + field(6, subi) + field(20, 5))) + field(2, "g") + io_()))
    fn = field(25, field(1, "F") + field(4, "x") + field(5, "y") + field(7, field(2, "w") + field(4, "Constant") + field(5, field(1, "value") + field(5, tens(BAD)) + field(20, 4))) + field(7, field(1, "x") + field(1, "w") + field(2, "y") + field(4, "Add")) + field(9, field(1, "") + field(2, 17)) + field(10, "my"))
    add("function-tensor.onnx", "flagged", onnx(field(1, field(1, "x") + field(2, "y") + field(4, "F") + field(7, "my")) + field(2, "g") + io_(), fn + field(8, field(1, "my") + field(2, 1))))
    add("sparse-tensor.onnx", "flagged", onnx(nd + field(2, "g") + field(15, field(1, tens(BAD)) + field(2, field(1,1)+field(2,7)+field(7,b"\0")) + field(3, 1)) + io_()))
    add("training.onnx", "flagged", onnx(field(1, field(1,"x")+field(2,"y")+field(4,"Relu")) + field(2, "g") + io_(), field(20, field(1, nd + field(2, "i") + field(5, tens(BAD))))))
    add("training-algo.onnx", "flagged", onnx(field(1, field(1,"x")+field(2,"y")+field(4,"Relu")) + field(2, "g") + io_(), field(20, field(2, nd + field(2, "i") + field(5, tens(BAD))))))
    add("two-locations.onnx", "flagged", onnx(nd + field(2, "g") + field(5, field(1, 4) + field(2, 1) + field(8, "w") + field(13, field(1, "location") + field(2, "w.bin")) + field(13, field(1, "location") + field(2, BAD)) + field(14, 1)) + io_()))
    add("sub-custom.onnx", "flagged", onnx(field(1, field(1, "x") + field(2, "y") + field(4, "If") + field(5, field(1, "then_branch") + field(6, field(1, field(2,"z")+field(4,"PyOp")+field(7,"evil.ops")) + field(2,"s")+field(12, field(1,"z")+real())) + field(20, 5))) + field(2, "g") + io_()))
    add("compiled.onnx", "unknown", onnx(field(1, field(1, "x") + field(2, "y") + field(4, "EPContext") + field(7, "com.microsoft")) + field(2, "g") + io_()))
    add("unknown-op.onnx", "flagged", onnx(field(1, field(1, "x") + field(2, "y") + field(4, "NotAnOp")) + field(2, "g") + io_()))
    add("loc-nul.onnx", "flagged", onnx(nd + field(2, "g") + field(5, tens("w.bin\0/../../x")) + io_()))
    add("loc-dot-only.onnx", "flagged", onnx(nd + field(2, "g") + field(5, tens("a/..//../..//x")) + io_()))
    add("loc-bs.onnx", "flagged", onnx(nd + field(2, "g") + field(5, tens("..\\..\\x")) + io_()))
    # A TFLite model with one ABS, and a group of external buffers in ../../etc/passwd.
    add("external.tflite", "dangerous", bytes.fromhex(
        "2400000054464c330000000018002000040008000c001000140000000000000018001c001800000003000000600100007c000000700000"
        "00600000002c0000000400000001000000100000000c00100004000000000008000c000000010000000800000000000000010000000c00"
        "000000000600080004000600000004000000100000002e2e2f2e2e2f6574632f7061737377640000000001000000040000008cffffff03"
        "0000007a6f6f00010000001400000000000e001800040008000c00100014000e00000074000000680000005c0000001400000004000000"
        "040000006d61696e00000000010000001400000000000e001400000008000c00070010000e0000000000004e1c00000010000000080000"
        "0004000400040000000100000001000000010000000000000001000000010000000100000000000000020000003000000004000000e4ff"
        "ffff080000000c000000010000000200000001000000790000000c000c0004000000000008000c000000080000000c0000000100000002"
        "000000010000007800000001000000100000000c00080000000000000004000c00000065000000"))


def indexes():
    """Indexes that name files outside."""
    for fmt, ext in (("pytorch_model.bin", "bin"), ("model.safetensors", "safetensors")):
        for i, p in enumerate(("../../x." + ext, "/etc/passwd", "..\\x." + ext)):
            add(f"idx{i}-{ext}/{fmt}.index.json", "flagged", json.dumps({"metadata": {"total_size": 4}, "weight_map": {"w": p}}))


def operators():
    """Operators of TensorFlow that read and write files, and packages that carry code."""
    def node(n, op): return field(1, n) + field(2, op)
    for op in ("LMDBDataset", "CSVDataset", "CSVDatasetV2", "ExperimentalCSVDataset", "ExperimentalLMDBDataset",
               "MatchingFilesDataset", "ExperimentalMatchingFilesDataset", "ExperimentalSqlDataset",
               "InitializeTableFromTextFile", "InitializeTableFromTextFileV2", "GenerateVocabRemapping",
               "LoadAndRemapMatrix", "DataServiceDataset", "DataServiceDatasetV4", "RegisterDataset",
               "CreateSummaryDbWriter", "DistributedSave", "SnapshotDatasetReader", "SnapshotNestedDatasetReader",
               "SnapshotChunkDataset", "ListSnapshotChunksDataset", "CacheDataset", "CacheDatasetV2",
               "DebugNanCount", "FileSystemSetConfiguration", "DecodeProtoV2", "EncodeProto", "RpcClient", "TRTEngineOp",
               "DatasetFromGraph", "WorkerHeartbeat"):
        add(f"op-{op}.pb", "unknown", field(1, node("a", op)))
    for op in ("SaveV2", "RestoreV2", "MergeV2Checkpoints", "DTensorRestoreV2"):
        add(f"op-{op}.pb", "clean", field(1, node("a", op)))
    add("model.mar", "flagged", zipped(("MAR-INF/MANIFEST.json", '{"model": {"handler": "handler.py"}}'), ("handler.py", "import os\n")))
    add("main.zip", "flagged", zipped(("__main__.py", "import os\n")))
    add("java.bin", "flagged", b"\xac\xed\x00\x05sr\x00\x2dorg.apache.commons.collections.functors.Invoker" + bytes(40))
    add("java.zip", "flagged", zipped(("configuration.json", "{}"), ("preprocessor.bin", b"\xac\xed\x00\x05sr\x00\x2dorg.apache.commons.collections.functors.Invoker" + bytes(40))))


def programs():
    """Programs of all kinds, whole or in archives, and archives that are not read."""
    pe = b"MZ" + bytes(58) + struct.pack("<I", 1024) + bytes(960) + b"PE\0\0" + bytes(400)
    add("pe-far.exe", "unknown", pe)
    add("pe-far.zip", "unknown", zipped(("m/x.pyd", pe)))
    for name, magic in (("fat", b"\xca\xfe\xba\xbe\0\0\0\2"), ("mach", b"\xfe\xed\xfa\xcf"), ("wasm", b"\0asm\1\0\0\0"), ("dex", b"dex\n035\0"), ("llvm", b"BC\xc0\xde")):
        add(f"program-{name}.bin", "unknown", magic + bytes(80))
    add("script.zip", "unknown", zipped(("run.sh", "#!/bin/sh\nid\n")))
    add("code-below.zip", "unknown", zipped(("model/code/inference.py", "import os\n")))
    for name, magic in (("arj", b"\x60\xea\x1e\0"), ("lzh", b"\x20\0-lh5-"), ("rpm", b"\xed\xab\xee\xdb\3\0"), ("xar", b"xar!"), ("wim", b"MSWIM\0\0\0"), ("squashfs", b"hsqs"), ("lzop", b"\x89LZO\0\r\n\x1a\n"),
                        ("lrzip", b"LRZI"), ("zpaq", b"7kSt\xa0\x31\x83\xd3"), ("ace", bytes(7) + b"**ACE**"), ("zoo", b"ZOO 2.10"), ("stuffit", b"SIT!")):
        add(f"closed-{name}.bin", "unknown", magic + bytes(80))


def named():
    """What configurations name, and templates hide, in ways that few programs know."""
    add("router/config.json", "dangerous", json.dumps({"types": {"a": "sentence_transformers.models.Transformer", "b": "os.system"}, "structure": {}}))
    add("router-good/config.json", "clean", json.dumps({"types": {"a": "sentence_transformers.models.Transformer"}, "structure": {}}))
    add("dense/config.json", "dangerous", json.dumps({"in_features": 4, "activation_function": "os.abort"}))
    add("dense-good/config.json", "clean", json.dumps({"in_features": 4, "activation_function": "torch.nn.modules.activation.Tanh"}))
    add("gpt/config.json", "clean", json.dumps({"activation_function": "gelu_new"}))
    add("library/genai_config.json", "unknown", json.dumps({"model": {"decoder": {"session_options": {"custom_ops_library": "x.so"}}}}))
    add("prompt.json", "dangerous", json.dumps({"_type": "prompt", "template": "{{ x.__class__ }}", "template_format": "jinja2"}))
    add("prompt-good.json", "clean", json.dumps({"_type": "prompt", "template": "{x}", "template_format": "f-string"}))
    java = {"@class": "org.deeplearning4j.nn.conf.MultiLayerConfiguration", "layer": {"@class": "org.deeplearning4j.nn.conf.layers.DenseLayer"}}
    add("java-good.zip", "clean", zipped(("configuration.json", json.dumps(java))))
    add("java-own.zip", "unknown", zipped(("configuration.json", json.dumps({**java, "more": {"@class": "com.example.Own"}}))))
    add("layers.yaml", "dangerous", "backbone:\n  [[-1, 1, \"__import__('os').system('id')\", [64]]]\n")
    add("layers-good.yaml", "clean", "backbone:\n  [[-1, 1, Conv, [64]], [-1, 1, nn.Upsample, [None, 2, 'nearest']]]\n")
    add("script/MLmodel", "unknown", "flavors:\n  python_function:\n    loader_module: mlflow.pyfunc.model\n    model_code_path: x.py\n")
    for label, line, verdict in (("save", "torch.save(x, \"/tmp/x\")", "dangerous"), ("map", "y = torch.from_file(\"/etc/passwd\", False, 10)", "unknown"), ("text", "y = \"torch.save(x)\"", "clean")):
        code = f"class M(Module):\n  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n    {line}\n    return x\n"
        add(f"script-{label}.pt", verdict, zipped(("m/data.pkl", good), ("m/code/__torch__.py", code), ("m/constants.pkl", b"\x80\x02).")))
    add("upper-x.jinja", "dangerous", "{{ x['\\x5F\\x5Fclass'] }}")
    add("upper-u.jinja", "dangerous", "{{ x['\\u005F\\u005Fclass'] }}")


def main(tenon, folder=None):
    for make in (computed, polyglots, packed, hidden, layers, templates, texts, frameworks, graphs, indexes, operators, programs, named):
        make()
    if folder:
        return scan_attacks.judge(tenon, folder)
    with tempfile.TemporaryDirectory() as scratch:
        return scan_attacks.judge(tenon, scratch)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
