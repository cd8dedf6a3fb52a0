#!/usr/bin/python3
"""Nodes as op descriptors, from Python; judged by google.protobuf.

    test_interpret.py BUILD [TEST...]

BUILD is a release build.  Exits 77 when that, protoc or python3-protobuf is
missing.
"""
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = sys.argv.pop(1) if len(sys.argv) > 1 else os.path.join(ROOT, "build")
LIBRARY = os.path.join(BUILD, "src", "libtenon.so")
try:
    HAS_PROTOBUF = importlib.util.find_spec("google.protobuf") is not None
except ImportError:
    HAS_PROTOBUF = False
if not (os.path.exists(LIBRARY) and shutil.which("protoc") and HAS_PROTOBUF):
    print("skipped: wants a release build, protoc and python3-protobuf")
    sys.exit(77)
os.environ["TENON_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "python"))

import tenon

RELU = 'op_type: "Relu" input: "x" output: "y"'
CONV = ('op: "Conv2D" name: "c" input: "x" input: "w" '
        'attr { key: "T" value { type: DT_FLOAT } } '
        'attr { key: "padding" value { s: "SAME" } } '
        'attr { key: "strides" value { list { i: 1 i: 2 i: 2 i: 1 } } }')


def messages(name):
    """What protoc makes of our schema."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", "-I", os.path.join(ROOT, "schemas"),
                        f"--python_out={folder}",
                        *(file for file in os.listdir(
                            os.path.join(ROOT, "schemas"))
                          if file.startswith(name.split("_", maxsplit=1)[0])
                          and file.endswith(".proto"))], check=True)
        sys.path.insert(0, folder)
        try:
            return importlib.import_module(name + "_pb2")
        finally:
            sys.path.remove(folder)


class Interpreting(unittest.TestCase):
    def setUp(self):
        self.interpreter = tenon.Interpreter()

    def test_a_node_becomes_an_op(self):
        made = self.interpreter.interpret(CONV)
        self.assertEqual([op["name"] for op in made], ["conv2d"])
        numbers = [int(arg.get("int64Value", 0)) for arg in
                   made.ops[0]["argDescriptor"] if arg["argType"] == "INT64"]
        self.assertEqual(numbers, [-1, -1, 2, 2, 0, 0, 1, 1, 1, 1, 0])

    def test_what_is_assumed_is_told(self):
        node = 'op_type: "MatMul" input: "a" input: "b" output: "c"'
        made = self.interpreter.interpret(node)
        self.assertEqual([op["name"] for op in made], ["matmul"])
        self.assertEqual(made.assumed, "a:float32[?,?] b:float32[?,?]")
        self.assertTrue(made.serialize("text").startswith(
            "# assumed: a:float32[?,?] b:float32[?,?]\n"))
        again = self.interpreter.interpret(node, inputs=made.assumed)
        self.assertEqual(again.assumed, "")
        self.assertEqual([{**made.ops[0], "assumed": ""}],
                         [{**again.ops[0], "assumed": ""}])
        with self.assertRaises(tenon.Error):
            self.interpreter.interpret(node, strict=True)
        with self.assertRaisesRegex(tenon.Error, "no input 'd'"):
            self.interpreter.interpret(node, inputs="d:float32")
        for opset in 0, -1:
            with self.assertRaises((ValueError, OverflowError)):
                self.interpreter.interpret(node, opset=opset)

    def test_what_a_function_makes_says_which(self):
        with self.assertRaisesRegex(TypeError, r"Model\.open\(\) makes one"):
            tenon.Model("model.onnx")
        with self.assertRaisesRegex(TypeError, r"interpret\(\) makes one"):
            tenon.OpDescriptors("node")

    def test_ops_of_paddle(self):
        text = ('type: "relu" inputs { parameter: "X" arguments: "x" } '
                'outputs { parameter: "Out" arguments: "y" }')
        op = messages("paddle").OpDesc()
        from google.protobuf import text_format
        text_format.Parse(text, op)
        for node in text, op, op.SerializeToString():
            made = self.interpreter.interpret(node)
            self.assertEqual([op["name"] for op in made], ["relu"])
            self.assertEqual(self.interpreter.interpret_paddle(op).serialize(),
                             made.serialize())
        sample = self.interpreter.interpret(
            'type: "index_sample" inputs { parameter: "X" arguments: "x" } '
            'inputs { parameter: "Index" arguments: "i" } '
            'outputs { parameter: "Out" arguments: "y" }')
        self.assertEqual(sample.assumed, "x:float32[?,?] i:int64[?,?]")

    def test_ops_are_messages(self):
        ir = messages("import_ir")
        from google.protobuf import json_format, text_format
        made = self.interpreter.interpret(RELU)
        op = ir.OpDescriptor.FromString(made.serialize())
        self.assertEqual(op.name, "relu")
        self.assertEqual(op.argDescriptor[0].inputValue.name, "x")
        self.assertEqual(op.argDescriptor[1].outputValue.name, "y")
        self.assertEqual(
            text_format.Parse(made.serialize("text"), ir.OpDescriptor()), op)
        self.assertEqual(
            json_format.Parse(made.serialize("json"), ir.OpDescriptor()), op)
        several = ir.OpDescriptorList.FromString(made.serialize(as_list=True))
        self.assertEqual(list(several.opList), [op])
        turned = ir.OpDescriptor.FromString(self.interpreter.interpret(
            "op_type: 'Transpose' input: 'x' output: 'y' attribute { "
            "name: 'perm' type: INTS ints: 2 ints: 0 ints: 1 }").serialize())
        self.assertEqual([(arg.argIndex, arg.int64Value)
                          for arg in turned.argDescriptor[2:]],
                         [(0, 2), (1, 0), (2, 1)])

    def test_messages_of_frameworks_are_taken(self):
        node = messages("tensorflow_graph").NodeDef(
            op="Neg", name="n", input=["a:1"])
        node.attr["T"].type = 1
        for made in (self.interpreter.interpret(node),
                     self.interpreter.interpret_tensorflow(node),
                     self.interpreter.interpret(node.SerializeToString())):
            self.assertEqual(made.ops[0]["name"], "neg")
            self.assertEqual(
                made.ops[0]["argDescriptor"][0]["inputValue"]["name"], "a:1")

    def test_inputs_are_told(self):
        conv = 'op_type: "Conv" input: "X" input: "W" output: "Y"'
        with self.assertRaisesRegex(tenon.Error, "which is unknown") as caught:
            self.interpreter.interpret(conv, strict=True)
        self.assertEqual(caught.exception.reason, "unknown-shape")
        made = self.interpreter.interpret(conv, inputs="W:float32[4,3,5,5]")
        self.assertEqual(made.ops[0]["name"], "conv2d")

    def test_several_ops_are_a_list(self):
        made = self.interpreter.interpret(
            'op_type: "SequenceLength" input: "s" output: "n"')
        self.assertEqual([op["name"] for op in made], ["size_list", "cast"])
        self.assertIn("opList", made.serialize("text"))

    def test_closed_and_wrong_arguments_are_errors(self):
        closed = tenon.Interpreter()
        closed.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            closed.interpret(RELU)
        for node in (5, None, [1]):
            with self.assertRaises(TypeError):
                self.interpreter.interpret(node)
        with self.assertRaisesRegex(TypeError, r"interpret\(\) takes text"):
            self.interpreter.interpret_onnx('op_type: "Relu" input: "x"')
        for opset in (-1, 2**63, 2**80):
            with self.assertRaises(ValueError):
                self.interpreter.interpret(RELU, opset=opset)
        with self.assertRaises(ValueError):
            self.interpreter.interpret(RELU, inputs="x:float32\0y")

    def test_refusals_are_errors(self):
        with self.assertRaises(tenon.Error):
            self.interpreter.interpret("op_type: 'Swirl' input: 'x'")
        with self.assertRaises(tenon.Error):
            tenon.Interpreter("/nonexistent/rules.pbtxt")
        with self.assertRaises(ValueError):
            self.interpreter.interpret(RELU).serialize("xml")


if __name__ == "__main__":
    unittest.main()
