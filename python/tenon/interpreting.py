"""Nodes of TensorFlow, ONNX and Paddle as ops of nd4j: include/tenon/interpret.h.

    interpreter = tenon.Interpreter()
    made = interpreter.interpret('op_type: "Relu" input: "x" output: "y"')
    made.ops[0]["name"]                  # "relu"
    made.serialize()                     # bytes of an org.nd4j.ir.OpDescriptor
    made.serialize("text")

    made = interpreter.interpret('op_type: "MatMul" input: "a" input: "b"')
    made.assumed                         # "a:float32[?,?] b:float32[?,?]"
"""
import ctypes
import json

from tenon import native

_FORMS = {"binary": 0, "text": 1, "json": 2}
_OUT = ctypes.POINTER(ctypes.c_void_p)
_ERROR = ctypes.POINTER(native.Failure)


class _Options(ctypes.Structure):
    """struct tn_interpreter_options."""
    _fields_ = [("size", ctypes.c_size_t),
                ("files", ctypes.POINTER(ctypes.c_char_p)),
                ("file_count", ctypes.c_uint32),
                ("functions", ctypes.c_void_p),
                ("function_count", ctypes.c_uint32)]


class _Context(ctypes.Structure):
    """struct tn_interpret_context."""
    _fields_ = [("opset", ctypes.c_int64), ("is_strict", ctypes.c_bool),
                ("constant", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("type", ctypes.c_void_p), ("inputs", ctypes.c_char_p)]


_NODE = [_OUT, ctypes.c_void_p, native.Bytes, ctypes.POINTER(_Context), _ERROR]
_FUNCTIONS = {
    "tn_interpreter_open": (ctypes.c_int, [
        _OUT, ctypes.POINTER(_Options), ctypes.c_void_p, _ERROR]),
    "tn_interpret_node": (ctypes.c_int, _NODE),
    "tn_interpret_tensorflow": (ctypes.c_int, _NODE),
    "tn_interpret_onnx": (ctypes.c_int, _NODE),
    "tn_interpret_paddle": (ctypes.c_int, _NODE),
    "tn_op_descriptor_encode": (ctypes.c_int, [
        ctypes.c_void_p, ctypes.c_int, ctypes.c_bool, ctypes.c_void_p,
        ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t), _ERROR]),
    "tn_interpreter_close": (None, [ctypes.c_void_p]),
    "tn_op_descriptor_close": (None, [ctypes.c_void_p]),
}
for _name, (_result, _arguments) in _FUNCTIONS.items():
    _function = getattr(native.library, _name)
    _function.restype, _function.argtypes = _result, _arguments


def _call(name, *arguments):
    failure = native.Failure(offset=native.NOWHERE)
    function = getattr(native.library, name)
    if function(*arguments, ctypes.byref(failure)) != 0:
        raise native.error_of(failure)


class OpDescriptors(native.Uncopied):
    """The ops that a node becomes, in the order in which they can run."""

    def __init__(self, handle):
        """Interpreter.interpret() makes one."""
        self._handle = native.handle(handle, "Interpreter.interpret()")
        self._ops = None

    def serialize(self, form="binary", as_list=None):
        """An org.nd4j.ir.OpDescriptor, or with `as_list`, and when there are
        several, an OpDescriptorList: bytes, or the text of "text" and "json"."""
        number = native.chosen(_FORMS, form, "the form")
        if as_list is None:
            as_list = len(self.ops) > 1
        data = self._encode(number, bool(as_list))
        return data if form == "binary" else data.decode()

    @property
    def ops(self):
        """Each op as a dict, as protobuf's JSON has it."""
        if self._ops is None:
            self._ops = json.loads(self._encode(_FORMS["json"], True))["opList"]
        return self._ops

    @property
    def assumed(self):
        """What nobody told of the node, a rule needed and was assumed, in the
        syntax of `inputs`, then attributes; "" when nothing was."""
        return self.ops[0].get("assumed", "")

    def __len__(self):
        return len(self.ops)

    def __iter__(self):
        return iter(self.ops)

    def _encode(self, form, as_list):
        size = ctypes.c_size_t()
        _call("tn_op_descriptor_encode", self._handle, form, as_list, None, 0,
              ctypes.byref(size))
        room = ctypes.create_string_buffer(size.value + 1)
        _call("tn_op_descriptor_encode", self._handle, form, as_list, room,
              size.value, ctypes.byref(size))
        return room.raw[:size.value]

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            native.library.tn_op_descriptor_close(handle)


class Interpreter(native.Closing):
    """Vocabularies and rules of files; without any, those of the library."""

    def __init__(self, *files):
        self._handle = None
        paths = (ctypes.c_char_p * len(files))(*map(native.path, files))
        options = _Options(ctypes.sizeof(_Options), paths, len(files), None, 0)
        handle = ctypes.c_void_p()
        self._remote = native.remote()
        _call("tn_interpreter_open", ctypes.byref(handle),
              ctypes.byref(options),
              ctypes.byref(native.for_urls(self._remote)))
        self._handle = handle

    def interpret(self, node, **context):
        """A NodeDef, NodeProto or OpDesc: a message, its bytes, or text or JSON
        of it."""
        return self._run("tn_interpret_node", node, **context)

    def interpret_tensorflow(self, node, **context):
        """A message, or its bytes; interpret() takes text, too."""
        return self._run("tn_interpret_tensorflow", node, **context)

    def interpret_onnx(self, node, **context):
        return self._run("tn_interpret_onnx", node, **context)

    def interpret_paddle(self, node, **context):
        return self._run("tn_interpret_paddle", node, **context)

    def _run(self, name, node, opset=None, strict=False, inputs=None):
        """`inputs`: what is known of them, "x:float32[2,?] axes:int64=[0,1]"."""
        if hasattr(node, "SerializeToString"):
            node = node.SerializeToString()
        if isinstance(node, str):
            if name != "tn_interpret_node":
                raise TypeError("a message or its bytes are wanted; "
                                "interpret() takes text")
            node = node.encode()
        data = native.octets(node)
        if not self._handle:
            raise ValueError("the interpreter is closed")
        if opset is not None and native.whole(opset, 63, "an opset") == 0:
            raise ValueError("opset 0, the first is 1")
        around = _Context(opset or 0, bool(strict), None, None, None,
                          None if inputs is None
                          else native.text(inputs, "what is known of inputs"))
        handle = ctypes.c_void_p()
        _call(name, ctypes.byref(handle), self._handle, native.Bytes.of(data),
              ctypes.byref(around))
        return OpDescriptors(handle)

    def close(self):
        handle, self._handle = self._handle, None
        if handle:
            native.library.tn_interpreter_close(handle)
