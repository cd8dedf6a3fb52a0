#!/usr/bin/python3
"""Options of formats from Python.

    test_settings.py BUILD
"""
import os
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = sys.argv.pop(1) if len(sys.argv) > 1 else os.path.join(ROOT, "build")
LIBRARY = os.path.join(BUILD, "src", "libtenon.so")
if not os.path.exists(LIBRARY):
    print("skipped: wants a release build")
    sys.exit(77)
os.environ["TENON_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "python"))

import tenon

MODEL = os.path.join(ROOT, "tests", "corpus", "onnx", "everything.onnx")


class Settings(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.model = tenon.Model.open(MODEL, settings={"lax": True})
        self.addCleanup(self.model.close)

    def write(self, name, settings):
        path = os.path.join(self.folder.name, name)
        self.model.write(path, replace=True, settings=settings)
        return os.path.getsize(path)

    def test_listed(self):
        rows = {row["name"]: row for row in tenon.formats()}
        options = {o["name"]: o for o in rows["onnx"]["options"]}
        self.assertEqual(options["threshold"]["default"], "1KiB")
        self.assertEqual(options["inline"]["kind"], "flag")
        self.assertIn(".onnx", rows["onnx"]["suffixes"])

    def test_taken(self):
        inside = self.write("a.onnx", {"inline": True})
        outside = self.write("a.onnx", {"external": "w.bin", "threshold": 0})
        self.assertIn("w.bin", os.listdir(self.folder.name))
        self.assertNotEqual(inside, outside)
        self.write("a.onnx", {"inline": False, "external": "w.bin",
                              "threshold": "4KiB"})

    def test_refused(self):
        with self.assertRaisesRegex(tenon.Error, "is for onnx, not for npz"):
            self.model.convert(os.path.join(self.folder.name, "a.npz"),
                               settings={"inline": True})
        for name, settings, word in (
                ("a.npz", {}, "cannot be written as npz"),
                ("a.onnx", {"threshold": "big"}, "SIZE"),
                ("a.onnx", {"nothing": 1}, "no format has")):
            with self.assertRaisesRegex(tenon.Error, word):
                self.write(name, settings)
        with self.assertRaisesRegex(tenon.Error, "no format has"):
            tenon.Model.open(MODEL, settings={"inline": True})
        with self.assertRaises((TypeError, ValueError)):
            self.write("a.onnx", 5)


if __name__ == "__main__":
    unittest.main()
