#!/usr/bin/python3
"""A GraphDef past 2 GiB, out of its chunks into a message of google.protobuf,
and back.

    past_two_gib.py BUILD

Takes about 9 GiB of memory and 6 GiB in TMPDIR; exits 77 when they are not
there.  Reading is done in a process that may have little more memory than the
message takes: there is no room for its bytes in one piece.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

import compiled

NODES = 5
CONTENT = 512 << 20
TOTAL = NODES * CONTENT
ROOM = 1 << 30  # beside the message: one field, the library, Python


def varint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, head, hole=0):
    """A field whose content is some bytes, then so many that follow."""
    return varint(number << 3 | 2) + varint(len(head) + hole) + head


def node_head(i):
    """A Const, up to its content."""
    head = b""
    for number in (4, 8, 2):  # tensor_content, tensor, value
        head = field(number, head, CONTENT)
    head = field(5, field(1, b"value") + head, CONTENT)
    name = field(1, b"c%d" % i) + field(2, b"Const")
    return field(1, name + head, CONTENT)


def write_graph(path):
    """Holes for contents, each with a byte at its end."""
    with open(path, "wb") as file:
        for i in range(NODES):
            file.write(node_head(i))
            file.seek(CONTENT - 1, os.SEEK_CUR)
            file.write(bytes([i + 1]))


def free_memory():
    with open("/proc/meminfo", encoding="ascii") as file:
        facts = dict(line.split(":") for line in file)
    return int(facts["MemAvailable"].split()[0]) << 10


def read(prefix, limit):
    """Merges, and looks at every node."""
    import tensorflow_graph_pb2 as graph_pb
    import tenon
    if limit:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    graph = tenon.Merger.read(prefix, graph_pb.GraphDef())
    assert graph.ByteSize() > 2**31, graph.ByteSize()
    assert len(graph.node) == NODES
    for i, node in enumerate(graph.node):
        assert (node.name, node.op) == (f"c{i}", "Const")
        content = node.attr["value"].tensor.tensor_content
        assert len(content) == CONTENT and content[-1] == i + 1
        assert not content[:1 << 20].strip(b"\0")
        del content
    return graph


def main():
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        compiled.prepare(build, folder, [("schemas", "tensorflow_tensor"),
                                         ("schemas", "tensorflow_graph"),
                                         ("schemas", "tensorflow_debug_info")])
        if len(sys.argv) > 2:
            read(sys.argv[2], TOTAL + ROOM)
            return
        if free_memory() < 10 << 30 or shutil.disk_usage(folder).free < 7 << 30:
            compiled.skip("10 GiB of memory and 7 GiB of disk are needed")
        import tenon
        path = os.path.join(folder, "graph.pb")
        prefix = os.path.join(folder, "graph")
        write_graph(path)
        subprocess.run([os.path.join(build, "tenon"), "split", "-q", "--type",
                        "tensorflow.GraphDef", "--compress", "none",
                        path, "-o", prefix + "-1"], check=True)
        os.remove(path)
        subprocess.run([sys.executable, "-B", __file__, build, prefix + "-1"],
                       check=True)
        graph = read(prefix + "-1", None)
        os.remove(prefix + "-1.cpb")
        written = tenon.GraphDefSplitter(graph).write(prefix + "-2",
                                                      "uncompressed")
        del graph
        assert os.path.getsize(written) > 2**31
        subprocess.run([sys.executable, "-B", __file__, build, prefix + "-2"],
                       check=True)
    print(f"{TOTAL} bytes of constants: merged, split, merged")


if len(sys.argv) < 2:
    sys.exit(__doc__)
main()
