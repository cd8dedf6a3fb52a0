"""What the tests of the Python package share: the library that was built, and
messages that protoc compiles."""
import os
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
EXAMPLES = os.path.join(ROOT, "examples")
DATA = os.environ.get("TENON_TEST_DATA",
                      os.path.join(ROOT, "..", "shared", "data"))


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def prepare(build, folder, protos):
    """Compiles schemas, given as folder and name, and makes all that is tested
    findable.  Exits 77 when something is missing, or the library is older than
    its header."""
    library = os.path.join(build, "src", "libtenon.so")
    if not os.path.exists(library):
        skip(f"no release build in {build}")
    header = os.path.join(ROOT, "include", "tenon", "chunk.h")
    if os.path.getmtime(library) < os.path.getmtime(header):
        skip(f"the release build in {build} is older than chunk.h")
    if not shutil.which("protoc"):
        skip("protoc is not installed")
    try:
        import google.protobuf  # pylint: disable=unused-import
    except ImportError:
        skip("python3-protobuf is not installed")
    os.environ["TENON_LIBRARY"] = library
    sys.dont_write_bytecode = True
    sys.path[:0] = [folder, EXAMPLES, os.path.join(ROOT, "python")]
    for place, name in protos:
        subprocess.run(["protoc", "-I" + os.path.join(ROOT, place),
                        "--python_out=" + folder, "--include_imports",
                        "--descriptor_set_out=" +
                        os.path.join(folder, name + ".set"),
                        name + ".proto"], check=True)
