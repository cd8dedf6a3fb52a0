"""tenon.Remote: the options for URLs, against a server of our own."""
import gc
import pickle
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy
import pytest

import tenon
import tenon.dask

WEIGHTS = bytes(range(256)) * 1000
# Its weights are in a file whose name is the URL that the test writes there.
OUTSIDE = """ir_version: 8
opset_import { version: 17 }
graph {
  name: "g"
  initializer {
    dims: 4
    data_type: 1
    name: "w"
    external_data { key: "location" value: "%s" }
    data_location: EXTERNAL
  }
  output { name: "w" type { tensor_type { elem_type: 1 shape {
    dim { dim_value: 4 } } } } }
}
"""


class Server:
    """Serves `files`, and remembers what it was asked; also as a proxy."""

    def __init__(self):
        self.files, self.asked, self.busy = {}, [], False
        outer = self

        class Answers(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                outer.asked.append((self.path, self.headers["Authorization"]))
                name = self.path.split("?")[0].rsplit("/", 1)[-1]
                found = outer.files.get(name)
                if found is None or outer.busy:
                    self.send_response(503 if outer.busy else 404)
                    self.send_header("Retry-After", "0")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                first, last = self.headers["Range"][6:].split("-")
                if not first:
                    first, last = max(0, len(found) - int(last)), len(found)
                first, last = int(first), min(int(last), len(found) - 1)
                self.send_response(206)
                self.send_header("ETag", '"1"')
                self.send_header("Content-Length", str(last - first + 1))
                self.send_header("Content-Range",
                                 f"bytes {first}-{last}/{len(found)}")
                self.end_headers()
                self.wfile.write(found[first:last + 1])

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.at = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def sent(self):
        """The credentials of the requests since the last call."""
        asked, self.asked = self.asked, []
        assert asked
        return [authorization for _, authorization in asked]


@pytest.fixture
def server(tmp_path, monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy",
                 "TENON_CACHE", "TENON_ATTEMPTS", "TENON_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    made = Server()
    tenon.save_file({"w": numpy.frombuffer(WEIGHTS, numpy.uint8)}, str(tmp_path / "m.safetensors"))
    made.files["m.safetensors"] = (tmp_path / "m.safetensors").read_bytes()
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password hush\n"
                     "machine models.example login me password hush\n")
    monkeypatch.setenv("NETRC", str(netrc))
    yield made
    made.http.shutdown()
    made.http.server_close()


def test_anonymous(server):
    url = server.at + "/m.safetensors"
    with tenon.open(url):
        assert all(server.sent())
    with tenon.Remote(anonymous=True), tenon.open(url) as model:
        assert not any(server.sent())
    assert tenon.check(url) == [] and all(server.sent())


def test_rules(server):
    server.files["my.rules"] = b"rules onnx -> nd4j 1\nmine::Op(x) => identity(x)\n"
    url = server.at + "/my.rules"
    for kind in tenon.Rules, tenon.Interpreter:
        kind(url).close()
        assert all(server.sent())
        with tenon.Remote(anonymous=True):
            kind(url).close()
        assert not any(server.sent())


def test_what_holds_for_a_model(server):
    """Also after the block, for its elements and for what opens it again."""
    with tenon.Remote(anonymous=True):
        model = tenon.open(server.at + "/m.safetensors")
    gc.collect()
    assert bytes(model.tensors["w"].numpy()) == WEIGHTS
    assert model.check() == []
    with model.edit() as edit:
        edit.rename("w=v")
        renamed = edit.commit()
    model.close()
    del model, edit
    gc.collect()
    assert bytes(renamed.tensors["v"].numpy()) == WEIGHTS
    assert not any(server.sent())


def test_max_fetch(server):
    url = server.at + "/m.safetensors"
    with tenon.Remote(max_fetch=100000):
        model = tenon.open(url)
    with pytest.raises(tenon.LimitError) as raised:
        model.tensors["w"].numpy()
    assert raised.value.reason == "remote-limit"
    with tenon.Remote(max_fetch=10), pytest.raises(tenon.LimitError):
        tenon.open(url)
    with tenon.Remote(max_fetch=10), tenon.Remote(max_fetch=10**6), \
            tenon.safe_open(url) as file:
        assert file.get_tensor("w").tobytes() == WEIGHTS


def test_allow_remote_external(server, tmp_path):
    server.files["weights.bin"] = b"\0\0\x80?" * 4
    path = tmp_path / "m.onnx"
    text = tmp_path / "m.textproto"
    text.write_text(OUTSIDE % (server.at + "/weights.bin"))
    tenon.undump(text, path, type="onnx.ModelProto")
    with pytest.raises(tenon.Error) as raised, tenon.open(path) as model:
        model.tensors["w"].numpy()
    assert raised.value.reason == "url-in-file" and not server.asked
    with tenon.Remote(allow_remote_external=True), tenon.open(path) as model:
        assert model.tensors["w"].numpy().tolist() == [1, 1, 1, 1]
    assert not any(server.sent())


def test_mergers(server, tmp_path):
    """A prefix on a server is one as on disk, also without a Watch."""
    text = tmp_path / "m.textproto"
    text.write_text(OUTSIDE % "weights.bin")
    tenon.undump(text, tmp_path / "m.onnx", type="onnx.ModelProto")
    whole = (tmp_path / "m.onnx").read_bytes()
    schema = tenon.Schema.builtin("onnx")
    prefix = server.at + "/parts"
    for suffix in (".pb", ""):
        server.files = {"parts" + suffix: whole}
        tenon.merge(prefix, tmp_path / "merged", replace=True)
        assert (tmp_path / "merged").read_bytes() == whole
        assert all(server.sent())
        with tenon.Remote(anonymous=True):
            message = tenon.Message(schema, "onnx.ModelProto")
            tenon.Merger.read(prefix, message)
            lazy = tenon.LazyMerger(prefix,
                                    tenon.Message(schema, "onnx.ModelProto"))
        gc.collect()
        assert lazy.get() == whole == message.SerializeToString()
        assert not any(server.sent())
    with tenon.Remote(max_fetch=10), pytest.raises(tenon.LimitError):
        tenon.LazyMerger(prefix, message)
    with tenon.Remote(max_fetch=10), pytest.raises(tenon.LimitError):
        tenon.Interpreter(prefix)
    server.files = {}
    with pytest.raises(tenon.NotFoundError, match="parts.cpb or"):
        tenon.merge(prefix, tmp_path / "merged", replace=True)
    server.busy = True
    with tenon.Remote(attempts=1), pytest.raises(tenon.Error) as raised:
        tenon.merge(prefix, tmp_path / "merged", replace=True)
    assert raised.value.reason == "server-busy"


def test_credentials_over_http(server, monkeypatch):
    monkeypatch.setenv("http_proxy", server.at)
    url = "http://models.example/m.safetensors"
    with tenon.open(url):
        assert not any(server.sent())
    with tenon.Remote(credentials_over_http=True), tenon.open(url):
        assert all(server.sent())


def test_attempts_and_each(server):
    server.busy, told = True, []
    with tenon.Remote(attempts=3, timeout=5, each=told.append):
        with pytest.raises(tenon.Error) as raised:
            tenon.open(server.at + "/m.safetensors?secret")
        assert raised.value.reason == "server-busy"
        assert [r.attempt for r in told] == [1, 2, 3]
        assert {r.status for r in told} == {503}
        server.busy = False
        with tenon.open(server.at + "/m.safetensors?secret") as model:
            model.tensors["w"].numpy()
    assert {r.url for r in told} == {server.at + "/m.safetensors"}
    assert sum(r.bytes for r in told) >= len(WEIGHTS)
    assert len(told) == len(server.asked)


def test_blocks():
    """The innermost holds, of this thread; the same may be entered twice."""
    one = tenon.Remote(max_fetch=1)
    seen = []
    with one:
        with tenon.Remote(max_fetch=2) as two, one:
            assert tenon.native.remote() is one
            thread = threading.Thread(
                target=lambda: seen.append(tenon.native.remote()))
            thread.start()
            thread.join()
        with two:
            assert tenon.native.remote() is two
        assert tenon.native.remote() is one
    assert tenon.native.remote() is seen[0]
    assert repr(one) == "tenon.Remote(max_fetch=1)"


def test_wrong():
    for wrong in ({"max_fetch": -1}, {"timeout": 2**32}):
        with pytest.raises(ValueError):
            tenon.Remote(**wrong)
    for wrong in ({"attempts": "5"}, {"each": 5}):
        with pytest.raises(TypeError):
            tenon.Remote(**wrong)


def test_workers(server):
    """What holds here holds for the tasks of a cluster."""
    class Future:
        def __init__(self, value):
            self.result = lambda: value

    class Client:
        def submit(self, task, *row, **_):
            sent = pickle.loads(pickle.dumps((task, row)))
            return Future(sent[0](*sent[1]))

    with tenon.Remote(anonymous=True, max_fetch=100):
        results = tenon.dask.check([server.at + "/m.safetensors"],
                                   client=Client())
    assert "limit" in results[0].error
    assert not any(server.sent())
