#!/usr/bin/python3
"""The Python package: splitters, files of chunks, and back.

    test_chunk.py BUILD [TEST...]

BUILD is a release build: a library with sanitizers cannot be loaded by a
Python without.  Exits 77 when that is missing or older than its header, or
when protoc or python3-protobuf is missing.
"""
import copy
import gc
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import compiled
from compiled import ROOT

if len(sys.argv) < 2:
    sys.exit(__doc__)
FOLDER = tempfile.TemporaryDirectory()
compiled.prepare(sys.argv.pop(1), FOLDER.name, [("examples", "model_config")])

import model_config_pb2 as pb

import custom_splitter as example
import tenon

with open(os.path.join(FOLDER.name, "model_config.set"), "rb") as types:
    TYPES = types.read()
SCHEMA = tenon.Schema(TYPES)


def config():
    return pb.ModelConfig(
        model_name="digits", input_shape=784, output_units=10,
        output_activation=pb.SIGMOID,
        hidden_layers=[
            pb.Layer(name="first", num_units=300,
                     activation_function=pb.TANH),
            pb.Layer(name="second", num_units=100)],
        hyperparameters={"rate": 0.001, "dropout": 0.5})


def plain(message):
    return copy.deepcopy(tenon.Message(SCHEMA, "ModelConfig",
                                       message.SerializeToString()))


def parsed(message):
    return pb.ModelConfig.FromString(message.SerializeToString())


class Adds(tenon.ComposableSplitter):
    """A splitter of what the test says."""

    def __init__(self, proto, chunks, **options):
        super().__init__(proto, **options)
        self.chunks = chunks

    def build_chunks(self):
        for chunk in self.chunks:
            self.add_chunk(*chunk)


class Nothing(tenon.ComposableSplitter):
    def build_chunks(self):
        pass


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = os.path.join(folder.name, "model")

    def refused(self, status, what, function, *arguments, **options):
        with self.assertRaises(tenon.Error) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.status, status)
        self.assertIn(what, str(caught.exception))
        return caught.exception


class ExampleTest(Case):
    """The tutorial's splitters."""

    def test_protobuf_in_memory(self):
        splitter = example.ModelConfigSplitter(config())
        chunks, chunked = splitter.split()
        self.assertEqual(chunks, [
            pb.ModelConfig(model_name="digits", input_shape=784,
                           output_units=10, output_activation=pb.SIGMOID),
            b"0.5", b"0.0010000000474974513",
            *config().hidden_layers])
        self.assertEqual(chunked.chunk_index, 0)
        self.assertEqual(
            [(field.field_tag, field.message.chunk_index)
             for field in chunked.chunked_fields],
            [([("field", 6), ("map_key", "dropout")], 1),
             ([("field", 6), ("map_key", "rate")], 2),
             ([("field", 3), ("index", 0)], 3),
             ([("field", 3), ("index", 1)], 4)])
        self.assertEqual(
            tenon.Merger.merge(chunks, chunked, pb.ModelConfig()), config())

    def test_protobuf_on_disk(self):
        splitter = example.ModelConfigSplitter(config())
        self.assertEqual(splitter.write(self.prefix), self.prefix + ".cpb")
        self.assertEqual(
            tenon.Merger.read(self.prefix, pb.ModelConfig()), config())

    def test_plain_in_memory(self):
        splitter = example.PlainConfigSplitter(plain(config()))
        chunks, chunked = splitter.split()
        self.assertEqual([len(chunk) for chunk in chunks], [19, 12, 10, 29])
        merged = tenon.Merger.merge(chunks, chunked,
                                    tenon.Message(SCHEMA, "ModelConfig"))
        self.assertEqual(parsed(merged), config())

    def test_plain_on_disk(self):
        example.PlainConfigSplitter(plain(config())).write(self.prefix)
        merged = tenon.Merger.read(self.prefix,
                                   tenon.Message(SCHEMA, "ModelConfig"))
        self.assertEqual(parsed(merged), config())

    def test_each_reads_what_the_other_wrote(self):
        example.PlainConfigSplitter(plain(config())).write(self.prefix)
        self.assertEqual(
            tenon.Merger.read(self.prefix, pb.ModelConfig()), config())


    def test_there_and_back(self):
        self.assertEqual(example.through_memory(config()), config())
        self.assertEqual(example.through_a_file(config(), self.prefix),
                         config())
        merged = example.plain_through_a_file(
            TYPES, config().SerializeToString(), self.prefix + "-plain")
        self.assertEqual(pb.ModelConfig.FromString(merged), config())


class SplitterTest(Case):
    def test_split_twice_is_the_same(self):
        splitter = example.ModelConfigSplitter(config())
        chunks, chunked = splitter.split()
        again, chunked_again = splitter.split()
        self.assertEqual(chunks, again)
        self.assertEqual(chunked.SerializeToString(),
                         chunked_again.SerializeToString())

    def test_split_and_write_agree(self):
        splitter = example.ModelConfigSplitter(config())
        splitter.split()
        splitter.write(self.prefix)
        self.assertEqual(
            tenon.Merger.read(self.prefix, pb.ModelConfig()), config())

    def test_nothing_split_is_a_pb(self):
        path = Nothing(config()).write(self.prefix)
        self.assertEqual(path, self.prefix + ".pb")
        with open(path, "rb") as file:
            self.assertEqual(pb.ModelConfig.FromString(file.read()), config())
        self.assertEqual(
            tenon.Merger.read(self.prefix, pb.ModelConfig()), config())

    def test_without_initial_chunk(self):
        parts = [pb.ModelConfig(model_name="digits"),
                 pb.ModelConfig(input_shape=784)]
        splitter = Adds(config(), [(part, []) for part in parts],
                        proto_as_initial_chunk=False)
        chunks, chunked = splitter.split()
        self.assertEqual(chunks, parts)
        self.assertIsNone(chunked.chunk_index)
        self.assertEqual(
            tenon.Merger.merge(chunks, chunked, pb.ModelConfig()),
            pb.ModelConfig(model_name="digits", input_shape=784))

    def test_index_puts_a_chunk_before_others(self):
        first, second = config().hidden_layers
        splitter = Adds(pb.ModelConfig(), [
            (first, ["hidden_layers", 0]), (second, ["hidden_layers", 1], 1)])
        chunks, chunked = splitter.split()
        self.assertEqual(chunks, [pb.ModelConfig(), second, first])
        self.assertEqual([field.message.chunk_index
                          for field in chunked.chunked_fields], [2, 1])
        self.assertEqual(
            tenon.Merger.merge(chunks, chunked, pb.ModelConfig()),
            pb.ModelConfig(hidden_layers=[first, second]))

    def test_numbers_name_fields_too(self):
        splitter = Adds(pb.ModelConfig(), [(b"by number", [1])])
        merged = tenon.Merger.merge(*splitter.split(), pb.ModelConfig())
        self.assertEqual(merged.model_name, "by number")

    def test_child_can_neither_split_nor_write(self):
        parent = Nothing(config())
        child = Nothing(pb.Layer(), parent_splitter=parent,
                        fields_in_parent=["hidden_layers", 0])
        self.assertIs(child.parent_splitter, parent)
        self.assertEqual(child.fields_in_parent, ["hidden_layers", 0])
        with self.assertRaisesRegex(ValueError, "split that"):
            child.split()
        with self.assertRaisesRegex(ValueError, "write that"):
            child.write(self.prefix)

    def test_version(self):
        self.assertEqual(Nothing(config()).version, (1, 0, ()))

    def test_base_class_is_abstract(self):
        with self.assertRaises(TypeError):
            tenon.ComposableSplitter(config())

    def test_half_built_is_not_whole(self):
        splitter = Adds(config(), [(pb.Layer(), ["hidden_layers", 0]),
                                   (pb.Layer(), ["no_such_field"])])
        with self.assertRaises(tenon.Error):
            splitter.split()
        with self.assertRaises(RuntimeError):
            splitter.write(self.prefix)

    def test_records_options(self):
        proto = pb.ModelConfig(model_name="x" * 100000)
        sizes = []
        for options in (None, "uncompressed"):
            splitter = Adds(copy.copy(proto),
                            [(pb.Layer(name="new"), ["hidden_layers", 0])])
            path = splitter.write(self.prefix, options, replace=True)
            sizes.append(os.path.getsize(path))
        self.assertLess(sizes[0], 10000)
        self.assertGreater(sizes[1], 100000)


class PlainTest(Case):
    def test_messages_and_bytes_are_chunks(self):
        layer = tenon.Message(SCHEMA, "Layer",
                              pb.Layer(name="added").SerializeToString())
        splitter = Adds(plain(pb.ModelConfig(input_shape=1)),
                        [(layer, ["hidden_layers", 0]),
                         (bytearray(b"named"), ["model_name"])])
        merged = tenon.Merger.merge(*splitter.split(), pb.ModelConfig())
        self.assertEqual(merged, pb.ModelConfig(
            model_name="named", input_shape=1,
            hidden_layers=[pb.Layer(name="added")]))

    def test_by_size(self):
        class BySize(tenon.ComposableSplitter):
            def build_chunks(self):
                self.by_size(64)
        many = config()
        many.hidden_layers.extend(many.hidden_layers[0] for _ in range(100))
        chunks, chunked = BySize(plain(many)).split()
        self.assertLessEqual(max(map(len, chunks)), 64)
        self.assertEqual(
            tenon.Merger.merge(chunks, chunked, pb.ModelConfig()), many)

    def test_hollow(self):
        class Hollows(tenon.ComposableSplitter):
            def build_chunks(self):
                self.hollow(["model_name"])
        message = plain(config())
        chunks, chunked = Hollows(message).split()
        self.assertEqual(chunks[1], config().model_name.encode())
        empty = tenon.Message(SCHEMA, "ModelConfig")
        merged = tenon.Merger.merge(chunks, chunked, empty)
        self.assertEqual(merged.SerializeToString(),
                         message.SerializeToString())

    def test_clear_and_size(self):
        class Clears(tenon.ComposableSplitter):
            def build_chunks(self):
                self.before = self.size([])
                self.clear(["hidden_layers"])
                self.after = self.size([])
        splitter = Clears(plain(config()))
        (base,), _ = splitter.split()
        self.assertEqual(splitter.before, config().ByteSize())
        self.assertEqual(splitter.after, len(base))
        expected = config()
        expected.ClearField("hidden_layers")
        self.assertEqual(pb.ModelConfig.FromString(base), expected)

    def test_protobuf_is_changed_directly(self):
        with self.assertRaisesRegex(TypeError, "directly"):
            Nothing(config()).take(["model_name"])

    def test_builtin_schema(self):
        message = tenon.Message(tenon.Schema.builtin("onnx"),
                                "onnx.ModelProto", b"\x08\x08")
        self.assertEqual(Nothing(message).split()[0], [b"\x08\x08"])


class MergerTest(Case):
    def test_only_chosen_paths(self):
        example.ModelConfigSplitter(config()).write(self.prefix)
        merged = tenon.Merger.read(self.prefix, pb.ModelConfig(),
                                   paths=[["hyperparameters", "rate"]])
        self.assertEqual(list(merged.hyperparameters), ["rate"])
        self.assertEqual(len(merged.hidden_layers), 0)

    def test_merges_into_what_is_there(self):
        example.ModelConfigSplitter(config()).write(self.prefix)
        message = pb.ModelConfig(hyperparameters={"old": 1})
        tenon.Merger.read(self.prefix, message)
        self.assertEqual(sorted(message.hyperparameters),
                         ["dropout", "old", "rate"])

    def test_random_messages(self):
        random.seed(3)
        for _ in range(200):
            message = pb.ModelConfig(
                model_name="n" * random.randrange(300),
                hidden_layers=[
                    pb.Layer(name=str(random.random()),
                             num_units=random.randrange(-9, 9))
                    for _ in range(random.randrange(6))],
                hyperparameters={
                    str(i): random.choice([0.1, 1e30, -1e-30, float("inf")])
                    for i in range(random.randrange(4))})
            for splitter in (
                    example.PlainConfigSplitter(plain(message)),
                    example.ModelConfigSplitter(copy.deepcopy(message))):
                merged = tenon.Merger.merge(*splitter.split(),
                                            pb.ModelConfig())
                self.assertEqual(merged, message)


class ErrorTest(Case):
    def test_malformed_message_has_an_offset(self):
        error = self.refused(
            "truncated", "byte 2", example.PlainConfigSplitter,
            tenon.Message(SCHEMA, "ModelConfig", b"\x1a\x01"))
        self.assertEqual(error.offset, 2)

    def test_unknown_names(self):
        splitter = Nothing(config())
        error = self.refused("invalid", "no_such_field", splitter.add_chunk,
                             pb.Layer(), ["no_such_field"])
        self.assertIsNone(error.offset)
        self.refused("not found", "Nonsense", Nothing,
                     tenon.Message(SCHEMA, "Nonsense"))
        self.refused("not found", "nonsense", tenon.Schema.builtin,
                     "nonsense")

    def test_schema_that_is_none(self):
        with self.assertRaises(tenon.Error):
            tenon.Schema(b"not a descriptor set")

    def test_chunks_that_do_not_fit(self):
        splitter = Nothing(config())
        self.refused("invalid", "bytes do not fit", splitter.add_chunk,
                     b"text", ["hidden_layers", 0])
        self.refused("invalid", "only bytes fit", splitter.add_chunk,
                     pb.Layer(), ["model_name"])
        with self.assertRaises(TypeError):
            splitter.add_chunk("text", ["model_name"])
        with self.assertRaises(TypeError):
            splitter.add_chunk(b"text", [None])
        with self.assertRaises(ValueError):
            splitter.add_chunk(b"text", ["model\0name"])
        with self.assertRaises(ValueError):
            splitter.add_chunk(b"text", [2**64])
        with self.assertRaises(ValueError):
            splitter.add_chunk(b"text", ["model_name"], index=-1)
        self.assertEqual(splitter.split()[0], [config()])

    def test_too_late(self):
        splitter = Nothing(config())
        splitter.split()
        self.refused("invalid", "split already", splitter.add_chunk,
                     b"text", ["model_name"])
        self.assertEqual(splitter.split()[0], [config()])

    def test_files_in_the_way(self):
        example.ModelConfigSplitter(config()).write(self.prefix)
        self.refused("exists", "", Nothing(config()).write, self.prefix)
        Nothing(config()).write(self.prefix, replace=True)
        self.assertFalse(os.path.exists(self.prefix + ".cpb"))

    def test_missing_and_damaged_files(self):
        self.refused("not found", "", tenon.Merger.read, self.prefix,
                     pb.ModelConfig())
        path = example.ModelConfigSplitter(config()).write(self.prefix)
        with open(path, "r+b") as file:
            file.seek(70)
            byte = file.read(1)
            file.seek(70)
            file.write(bytes([byte[0] ^ 1]))
        message = pb.ModelConfig()
        with self.assertRaises(tenon.Error) as caught:
            tenon.Merger.read(self.prefix, message)
        self.assertIsNotNone(caught.exception.offset)
        self.assertEqual(message, pb.ModelConfig())

    def test_chunks_that_are_missing(self):
        chunks, chunked = example.ModelConfigSplitter(config()).split()
        with self.assertRaises(tenon.Error):
            tenon.Merger.merge(chunks[:-1], chunked, pb.ModelConfig())


class LoadingTest(Case):
    """The package finds the library, or says that it does not."""

    def load(self, **settings):
        package = os.path.dirname(self.prefix)
        shutil.copytree(os.path.join(ROOT, "python", "tenon"),
                        os.path.join(package, "tenon"), dirs_exist_ok=True)
        settings = {"PATH": os.environ["PATH"], "PYTHONPATH": package,
                    "PYTHONDONTWRITEBYTECODE": "1", **settings}
        code = "import tenon; tenon.Schema.builtin('onnx')"
        return subprocess.run([sys.executable, "-c", code], env=settings,
                              capture_output=True, text=True, check=False)

    def test_named(self):
        loaded = self.load(TENON_LIBRARY=os.environ["TENON_LIBRARY"])
        self.assertEqual((loaded.returncode, loaded.stderr), (0, ""))

    def test_named_wrongly(self):
        loaded = self.load(TENON_LIBRARY=self.prefix)
        self.assertIn("ImportError: libtenon cannot be loaded", loaded.stderr)
        self.assertIn(self.prefix, loaded.stderr)

    def test_another_library(self):
        loaded = self.load(TENON_LIBRARY="libc.so.6")
        self.assertIn("ImportError: libtenon is of another version",
                      loaded.stderr)

    def test_beside_the_package(self):
        folder = os.path.join(os.path.dirname(self.prefix), "tenon")
        os.mkdir(folder)
        shutil.copy(os.environ["TENON_LIBRARY"],
                    os.path.join(folder, "libtenon.so"))
        loaded = self.load()
        self.assertEqual((loaded.returncode, loaded.stderr), (0, ""))

    def test_where_libraries_are(self):
        """Debian's package is for all processors, whose folders differ."""
        folder = os.path.join(os.path.dirname(self.prefix), "tenon")
        os.mkdir(folder)
        built = os.environ["TENON_LIBRARY"]
        name = os.path.basename(os.path.realpath(built)).rsplit(".", 1)[0]
        with open(os.path.join(folder, "library"), "w",
                  encoding="utf-8") as file:
            file.write(f"../elsewhere/{name}\n")
        loaded = self.load(LD_LIBRARY_PATH=os.path.dirname(built), PATH="")
        self.assertEqual((loaded.returncode, loaded.stderr), (0, ""))


class LifetimeTest(Case):
    def test_bytes_are_kept(self):
        splitter = Adds(plain(pb.ModelConfig()), [])
        for i in range(500):
            splitter.add_chunk(
                tenon.Message(SCHEMA, "Layer",
                              pb.Layer(name=f"layer {i}").SerializeToString()),
                ["hidden_layers", i])
        gc.collect()
        merged = tenon.Merger.merge(*splitter.split(), pb.ModelConfig())
        self.assertEqual([layer.name for layer in merged.hidden_layers],
                         [f"layer {i}" for i in range(500)])

    def test_cycles_are_collected_in_order(self):
        for _ in range(100):
            schema = tenon.Schema.builtin("onnx")
            splitter = Nothing(tenon.Message(schema, "onnx.ModelProto"))
            splitter.itself, schema.itself = splitter, schema
            schema.splitter = splitter
        del splitter, schema
        self.assertGreater(gc.collect(), 0)


class MemoryTest(Case):
    """Files as bytes."""

    def test_there_and_back(self):
        for splitter in (example.ModelConfigSplitter(config()),
                         example.PlainConfigSplitter(plain(config()))):
            data, is_chunked = splitter.write_memory("uncompressed")
            self.assertTrue(is_chunked)
            self.assertEqual(splitter.write_memory("uncompressed"),
                             (data, True))
            self.assertEqual(
                tenon.Merger.read_memory(data, pb.ModelConfig()), config())

    def test_nothing_split(self):
        data, is_chunked = Nothing(config()).write_memory()
        self.assertFalse(is_chunked)
        self.assertEqual(pb.ModelConfig.FromString(data), config())

    def test_child(self):
        parent = Nothing(config())
        child = Nothing(pb.Layer(), parent_splitter=parent,
                        fields_in_parent=["hidden_layers", 0])
        with self.assertRaises(ValueError):
            child.write_memory()

    def test_damaged(self):
        data, _ = example.ModelConfigSplitter(config()).write_memory()
        self.refused("truncated", "", tenon.Merger.read_memory, data[:-1],
                     pb.ModelConfig())


class LazyTest(Case):
    """Parts, when they are asked for."""

    def setUp(self):
        super().setUp()
        example.ModelConfigSplitter(config()).write(self.prefix)

    def test_parts(self):
        with tenon.LazyMerger(self.prefix, pb.ModelConfig()) as merger:
            layer = merger.get(["hidden_layers", 1], pb.Layer())
            self.assertEqual(layer, config().hidden_layers[1])
            self.assertEqual(merger.get(["hidden_layers", 0, "name"]),
                             b"first")
            self.assertEqual(merger.get([], pb.ModelConfig()), config())
            self.assertEqual(pb.ModelConfig.FromString(merger.get()),
                             config())
            self.refused("not found", "index 2", merger.get,
                         ["hidden_layers", 2])
        with self.assertRaises(ValueError):
            merger.get()
        merger.close()

    def test_plain(self):
        merger = tenon.LazyMerger(self.prefix,
                                  tenon.Message(SCHEMA, "ModelConfig"))
        layer = merger.get(["hidden_layers", 0],
                           tenon.Message(SCHEMA, "Layer"))
        self.assertEqual(pb.Layer.FromString(layer.SerializeToString()),
                         config().hidden_layers[0])

    def test_missing(self):
        self.refused("not found", "could not find", tenon.LazyMerger,
                     self.prefix + "x", pb.ModelConfig())


TWO = tenon.Format(version=2, max_bytes=3)


class FormatTest(Case):
    """Version 2."""

    def long_name(self):
        """The base without its name, which is a chunk of bytes."""
        rest = config()
        rest.ClearField("model_name")
        return rest, [(b"digits", ["model_name"])]

    def test_pieces(self):
        proto, chunks = self.long_name()
        splitter = Adds(proto, chunks, format=TWO)
        self.assertEqual(splitter.version, tenon.Version(2, 1, ()))
        pieces, chunked = splitter.split()
        self.assertEqual(pieces[1:], [b"dig", b"its"])
        merged = tenon.Merger.merge(pieces, chunked, pb.ModelConfig())
        self.assertEqual(merged, config())
        splitter.write(self.prefix)
        self.assertEqual(
            tenon.Merger.read(self.prefix, pb.ModelConfig()), config())

    def test_several_files(self):
        proto, chunks = self.long_name()
        splitter = Adds(proto, chunks,
                        format=TWO._replace(separate_bytes=True))
        splitter.write(self.prefix)
        self.assertEqual(
            tenon.Merger.read(self.prefix, pb.ModelConfig()), config())
        self.refused("unsupported", "several files", splitter.write_memory)
        os.remove(self.prefix + ".bytes.cpb")
        error = self.refused("not found", "model.bytes.cpb",
                             tenon.Merger.read, self.prefix, pb.ModelConfig())
        self.assertEqual(error.file, "model.bytes.cpb")
        with tenon.LazyMerger(self.prefix, pb.ModelConfig()) as merger:
            self.assertEqual(
                merger.get(["hidden_layers", 0], pb.Layer()),
                config().hidden_layers[0])

    def test_refused(self):
        self.refused("invalid", "version 1 is one file", Nothing, config(),
                     format=tenon.Format(max_file=5000))
        with self.assertRaises(ValueError):
            Nothing(pb.Layer(), parent_splitter=Nothing(config()),
                    fields_in_parent=["hidden_layers", 0], format=TWO)

    def test_default(self):
        self.assertEqual(Nothing(config()).version, tenon.Version(1, 0, ()))


if __name__ == "__main__":
    unittest.main()
