"""sources.py: a model of each dialect that is rich in everything.

Each is small enough to be converted by rules, and says as much beside its graph
as its format allows: every text is a marker that occurs nowhere else, so that it
can be looked for in what a conversion writes.  protoc, flatc, numpy and zipfile
make them; only checkpoints and Paddle's records, for which there is no other
writer, are made by tenon.
"""
import json
import os
import struct
import subprocess
import sys

import numpy
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf import text_format

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
SCHEMAS = os.path.join(ROOT, "schemas")
sys.path.insert(0, os.path.join(HERE, "../corpus/fuzz"))
import make_samediff  # noqa: E402

PROTOS = {"onnx": ("onnx.proto", "onnx.ModelProto"),
          "tf-graph": ("tensorflow.proto", "tensorflow.GraphDef"),
          "tf-meta-graph": ("tensorflow.proto", "tensorflow.MetaGraphDef"),
          "tf-saved-model": ("tensorflow.proto", "tensorflow.SavedModel"),
          "paddle": ("paddle.proto", "paddle.framework.proto.ProgramDesc"),
          "paddle-text": ("paddle.proto",
                          "paddle.framework.proto.ProgramDesc")}
CLASSES = {}


def message_class(format_name):
    """The Python class of the message that a file of that format is."""
    proto, name = PROTOS[format_name]
    if proto not in CLASSES:
        out = subprocess.run(
            ["protoc", "-I", SCHEMAS, "--include_imports",
             "--descriptor_set_out=/dev/stdout", proto],
            check=True, stdout=subprocess.PIPE).stdout
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(out).file:
            pool.Add(file)
        CLASSES[proto] = pool
    found = CLASSES[proto].FindMessageTypeByName(name)
    return message_factory.MessageFactory(CLASSES[proto]).GetPrototype(found)


class Marker:
    """M1Q, M2Q, ...: found by a search for bytes, and in each other never."""

    def __init__(self):
        self.count = 0

    def __call__(self, word=""):
        self.count += 1
        return "%sM%dQ" % (word, self.count)


def fill_texts(message, marker, skipped):
    """Sets every text field that is empty, in every message that is there."""
    for field in message.DESCRIPTOR.fields:
        if "%s.%s" % (message.DESCRIPTOR.name, field.name) in skipped:
            continue
        is_repeated = field.label == field.LABEL_REPEATED
        if field.type == field.TYPE_STRING and not is_repeated:
            has = message.HasField(field.name) if field.has_presence else \
                getattr(message, field.name)
            if not has and not (field.containing_oneof and
                                message.WhichOneof(
                                    field.containing_oneof.name)):
                setattr(message, field.name, marker())
        elif field.message_type is not None and is_repeated and \
                field.message_type.name == "StringStringEntryProto" and \
                not len(getattr(message, field.name)):
            entry = getattr(message, field.name).add()
            entry.key, entry.value = marker("k"), marker("v")
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            of_map = field.message_type.fields_by_name["value"]
            if of_map.message_type is not None:
                for one in value.values():
                    fill_texts(one, marker, skipped)
        elif field.label == field.LABEL_REPEATED:
            for one in value:
                fill_texts(one, marker, skipped)
        else:
            fill_texts(value, marker, skipped)


# ---- ONNX -------------------------------------------------------------------

ONNX_TYPE = """type { tensor_type { elem_type: 1 shape {
  dim { dim_param: "batchM900Q" } dim { dim_value: 2 } } } }"""

ONNX = """
ir_version: 11 model_version: 7000011
opset_import { domain: "" version: 17 }
opset_import { domain: "own.domain" version: 1 }
graph {
  node { input: "x" input: "weightM901Q" output: "sum" name: "addM902Q" op_type: "Add"
    device_configurations { sharding_spec { tensor_name: "x" device: 1 } pipeline_stage: 7000012 } }
  node { input: "sum" output: "twice" op_type: "Twice" domain: "own.domain" name: "callM903Q" }
  node { output: "c" op_type: "Constant" attribute { name: "value" type: TENSOR
    t { dims: 1 data_type: 1 float_data: 3.5 } } }
  node { input: "twice" input: "c" output: "y" op_type: "Mul" name: "mulM904Q" }
  node { input: "sum" output: "dead" op_type: "Neg" name: "deadM905Q" }
  initializer { dims: 2 data_type: 1 name: "weightM901Q" float_data: 1.5 float_data: 2.5 }
  initializer { dims: 1 data_type: 1 name: "unusedM906Q" float_data: 9.5 }
  input { name: "x" %s }
  output { name: "y" %s }
  value_info { name: "sum" %s }
  quantization_annotation { tensor_name: "x" }
}
training_info { initialization { name: "initM907Q" }
  algorithm { name: "algoM908Q" } }
functions { name: "Twice" domain: "own.domain" input: "a" output: "b"
  opset_import { domain: "" version: 17 }
  node { input: "a" input: "a" output: "b" op_type: "Add" name: "innerM909Q" } }
configuration { num_devices: 1 device: "cpuM910Q" }
""" % (ONNX_TYPE, ONNX_TYPE, ONNX_TYPE)

# Fields that would make another model of it.
ONNX_SKIPPED = {"NodeProto.domain", "NodeProto.overload", "NodeProto.name",
                "FunctionProto.overload", "AttributeProto.ref_attr_name",
                "TensorProto.external_data", "TensorProto.name",
                "OperatorSetIdProto.domain", "Dimension.dim_value",
                "Dimension.dim_param", "TrainingInfoProto.update_binding",
                "TrainingInfoProto.initialization_binding",
                "NodeDeviceConfigurationProto.configuration_id"}


def make_onnx(folder, _tenon):
    model = text_format.Parse(ONNX, message_class("onnx")())
    fill_texts(model, Marker(), ONNX_SKIPPED)
    path = os.path.join(folder, "rich.onnx")
    with open(path, "wb") as to:
        to.write(model.SerializeToString())
    return path


# ---- TensorFlow -------------------------------------------------------------

TF_NODES = """
node { name: "x" op: "Placeholder" device: "/deviceM920Q"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1.5 float_val: 2.5 } } } }
node { name: "sumM921Q" op: "AddV2" input: "x" input: "c" input: "^onlyM922Q"
  attr { key: "T" value { type: DT_FLOAT } }
  attr { key: "_noteM923Q" value { s: "noteM924Q" } }
  experimental_debug_info { original_node_names: "origM925Q" } }
node { name: "onlyM922Q" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "call" op: "PartitionedCall" input: "sumM921Q"
  attr { key: "Tin" value { list { type: DT_FLOAT } } }
  attr { key: "Tout" value { list { type: DT_FLOAT } } }
  attr { key: "f" value { func { name: "twice" } } } }
%s
library {
  function { signature { name: "twice" input_arg { name: "a" type: DT_FLOAT description: "argM926Q" }
      output_arg { name: "b" type: DT_FLOAT } description: "funM927Q" }
    node_def { name: "double" op: "AddV2" input: "a" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "b" value: "double:z:0" }
    attr { key: "_implM928Q" value { s: "implM929Q" } } }
  function { signature { name: "trainM930Q" input_arg { name: "a" type: DT_FLOAT }
      output_arg { name: "b" type: DT_FLOAT } }
    node_def { name: "stepM931Q" op: "Neg" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "b" value: "stepM931Q:y:0" } }
  gradient { function_name: "twice" gradient_func: "gradM932Q" }
}
versions { producer: 1087 }
"""

TF_VARIABLES = """
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } } } }
  attr { key: "shared_name" value { s: "v" } } attr { key: "container" value { s: "" } } }
node { name: "read" op: "ReadVariableOp" input: "v" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "Mul" input: "call" input: "read" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "save/Const" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "model" } } } }
node { name: "save/names" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "v" } } } }
node { name: "save/slices" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "" } } } }
node { name: "save/RestoreV2" op: "RestoreV2" input: "save/Const" input: "save/names" input: "save/slices"
  attr { key: "dtypes" value { list { type: DT_FLOAT } } } }
node { name: "save/assign" op: "AssignVariableOp" input: "v" input: "save/RestoreV2" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "save/restore_all" op: "NoOp" input: "^save/assign" }
"""

TF_META = """
meta_info_def { meta_graph_version: "metaM940Q" tags: "serveM941Q" tensorflow_version: "2.99.M942Q"
  tensorflow_git_version: "gitM943Q" stripped_op_list { op { name: "Neg" summary: "opM944Q" } }
  function_aliases { key: "aliasM945Q" value: "twiceM946Q" } }
graph_def { %s }
saver_def { filename_tensor_name: "save/Const:0" save_tensor_name: "ctrlM947Q"
  restore_op_name: "save/restore_all" version: V2 }
collection_def { key: "collM948Q" value { node_list { value: "itemM949Q" } } }
signature_def { key: "serving_default" value {
  inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT tensor_shape { dim { size: 2 } } } }
  outputs { key: "y" value { name: "y:0" dtype: DT_FLOAT tensor_shape { dim { size: 2 } } } }
  method_name: "methodM950Q" } }
signature_def { key: "__saved_model_init_op" value {
  outputs { key: "__saved_model_init_op" value { name: "NoOp"
    tensor_shape { unknown_rank: true } } } } }
signature_def { key: "trainsigM951Q" value {
  inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT } }
  outputs { key: "lossM952Q" value { name: "sumM921Q:0" dtype: DT_FLOAT } } method_name: "methodM953Q" } }
asset_file_def { tensor_info { name: "assettM954Q:0" } filename: "vocabM955Q.txt" }
object_graph_def { nodes { user_object { identifier: "objM956Q" version { producer: 1 } } } }
"""


def make_tf_graph(folder, _tenon):
    tail = ('node { name: "y" op: "Relu" input: "call" '
            'attr { key: "T" value { type: DT_FLOAT } } }')
    graph = text_format.Parse(TF_NODES % tail, message_class("tf-graph")())
    path = os.path.join(folder, "rich.pb")
    with open(path, "wb") as to:
        to.write(graph.SerializeToString())
    return path


def make_tf_saved_model(folder, tenon):
    meta = TF_META % (TF_NODES % TF_VARIABLES)
    model = text_format.Parse(
        "saved_model_schema_version: 1 meta_graphs { %s } "
        'meta_graphs { meta_info_def { tags: "otherM960Q" } graph_def { '
        'node { name: "otherM961Q" op: "NoOp" } } }' % meta,
        message_class("tf-saved-model")())
    path = os.path.join(folder, "rich_model")
    os.makedirs(os.path.join(path, "variables"))
    os.makedirs(os.path.join(path, "assets"))
    os.makedirs(os.path.join(path, "assets.extra"))
    with open(os.path.join(path, "saved_model.pb"), "wb") as to:
        to.write(model.SerializeToString())
    for name in ("assets/vocabM955Q.txt", "assets.extra/noteM962Q.txt",
                 "keras_metadata.pb"):
        with open(os.path.join(path, name), "w") as to:
            to.write("%sM963Q\n" % name)
    numpy.savez(os.path.join(folder, "v.npz"),
                v=numpy.array([4.5, 5.5], numpy.float32),
                onlystateM964Q=numpy.array([6.5], numpy.float32))
    subprocess.run([tenon, "convert", "-q", os.path.join(folder, "v.npz"),
                    "-o", os.path.join(path, "variables/variables.index")],
                   check=True)
    return path


def make_tf_meta_graph(folder, _tenon):
    tail = ('node { name: "y" op: "Relu" input: "call" '
            'attr { key: "T" value { type: DT_FLOAT } } }')
    meta = text_format.Parse(TF_META % (TF_NODES % tail),
                             message_class("tf-meta-graph")())
    path = os.path.join(folder, "rich.meta")
    with open(path, "wb") as to:
        to.write(meta.SerializeToString())
    return path


# ---- Paddle -----------------------------------------------------------------

PADDLE = """
blocks { idx: 0 parent_idx: -1
  vars { name: "feed" type { type: FEED_MINIBATCH } persistable: true }
  vars { name: "fetch" type { type: FETCH_LIST } persistable: true }
  vars { name: "x" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: -1 dims: 2 } lod_level: 1 } } need_check_feed: true }
  vars { name: "w" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: 2 } } } persistable: true is_parameter: true
    attrs { name: "varM970Q" type: STRING s: "valM971Q" } }
  vars { name: "h" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: -1 dims: 2 } } } stop_gradient: true }
  vars { name: "y" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: -1 dims: 2 } } } }
  vars { name: "d" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: -1 dims: 2 } } } }
  ops { inputs { parameter: "X" arguments: "feed" } outputs { parameter: "Out" arguments: "x" } type: "feed" attrs { name: "col" type: INT i: 0 } }
  ops { inputs { parameter: "X" arguments: "x" } inputs { parameter: "Y" arguments: "w" } outputs { parameter: "Out" arguments: "h" }
    type: "elementwise_add" attrs { name: "axis" type: INT i: -1 }
    attrs { name: "op_callstack" type: STRINGS strings: "File stackM972Q" }
    attrs { name: "op_namescope" type: STRING s: "/scopeM973Q/" } is_target: true }
  ops { inputs { parameter: "X" arguments: "h" } outputs { parameter: "Out" arguments: "y" } type: "relu"
    attrs { name: "op_device" type: STRING s: "gpuM974Q" } }
  ops { inputs { parameter: "X" arguments: "h" } outputs { parameter: "Out" arguments: "d" } type: "sigmoid" }
  ops { inputs { parameter: "X" arguments: "y" } outputs { parameter: "Out" arguments: "fetch" } type: "fetch" attrs { name: "col" type: INT i: 0 } }
}
version { version: 2004002 }
op_version_map { pair { op_name: "opM975Q" op_version { version: 7000021 } } }
"""


def make_paddle(folder, tenon):
    program = text_format.Parse(PADDLE, message_class("paddle")())
    path = os.path.join(folder, "rich.pdmodel")
    with open(path, "wb") as to:
        to.write(program.SerializeToString())
    numpy.savez(os.path.join(folder, "w.npz"),
                w=numpy.array([1.5, 2.5], numpy.float32))
    subprocess.run([tenon, "convert", "-q", os.path.join(folder, "w.npz"),
                    "-o", os.path.join(folder, "rich.pdiparams")], check=True)
    return path


# ---- SameDiff ---------------------------------------------------------------

def make_samediff_fb(folder, _tenon):
    array, floats = make_samediff.record, make_samediff.floats
    variable = make_samediff.variable
    two = array([2, 2], "FLOAT", floats(">", 1.5, 2.5, 3.5, 4.5))
    matmul = {"opType": "CUSTOM", "opNum": -273014250715117663,
              "opName": "matmul", "outputTypes": ["FLOAT"],
              "extraInteger": [0, 0, 0]}
    graph = {
        "variables": [
            variable(1, "x", "PLACEHOLDER", shape=[2, 2], ndarray=two),
            variable(2, "trainedM980Q", "VARIABLE", ndarray=two),
            variable(3, "constantM981Q", "CONSTANT", ndarray=two),
            variable(4, "sum", "ARRAY", controlDepForOp=["mulM983Q"]),
            variable(5, "out", "ARRAY")],
        "nodes": [
            {"id": 4, "name": "addM982Q", **matmul,
             "inputPaired": [{"first": 1}, {"first": 2}],
             "outputNames": ["sum"], "scope_name": "scopeM984Q"},
            {"id": 5, "name": "mulM983Q", **matmul,
             "inputPaired": [{"first": 4}, {"first": 3}],
             "outputNames": ["out"], "controlDeps": ["sum"]}],
        "configuration": {"id": -1, "outputMode": "VARIABLE_SPACE",
                          "timestats": True},
        "placeholders": ["x"], "lossVariables": ["out"],
        "trainingConfig": '{"updater": {"@class": "a.Adam", "learningRate": '
                          '0.001, "noteM985Q": 1}}',
        "updaterState": [{"paramName": "trainedM980Q",
                          "updaterStateKeys": ["V", "M"],
                          "updaterStateValues": [two, two]}],
        "metadataKeys": ["keyM986Q", "licenceM987Q"],
        "metadataValues": ["valueM988Q", "Apache-M989Q"],
    }
    path = os.path.join(folder, "rich.fb")
    with open(path, "wb") as to:
        to.write(make_samediff.flat(graph, folder))
    return path


# ---- tensors ----------------------------------------------------------------

def make_safetensors(folder, _tenon):
    header = {"__metadata__": {"formatM990Q": "ptM991Q",
                               "licenceM992Q": "MITM993Q"},
              "tensorM994Q": {"dtype": "F32", "shape": [2],
                              "data_offsets": [0, 8]}}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path = os.path.join(folder, "rich.safetensors")
    with open(path, "wb") as to:
        to.write(struct.pack("<Q", len(text)) + text +
                 struct.pack("<2f", 1.5, 2.5))
    return path


def make_npz(folder, _tenon):
    path = os.path.join(folder, "rich.npz")
    numpy.savez(path, arrayM995Q=numpy.array([1.5, 2.5], numpy.float32),
                textM996Q=numpy.array(["wordM997Q"]))
    return path


def make_checkpoint(folder, tenon):
    numpy.savez(os.path.join(folder, "c.npz"),
                keyM998Q=numpy.array([1.5, 2.5], numpy.float32))
    path = os.path.join(folder, "rich.index")
    subprocess.run([tenon, "convert", "-q", os.path.join(folder, "c.npz"),
                    "-o", path], check=True)
    return path


def make_pir(folder, tenon):
    """What tenon makes of the program above: nothing else writes PIR here."""
    path = os.path.join(folder, "pir", "rich.json")
    os.makedirs(os.path.dirname(path))
    subprocess.run([tenon, "convert", "-q", make_paddle(folder, tenon), "-o",
                    path, "--to", "paddle-pir"], check=True)
    return path


MAKERS = {"onnx": make_onnx, "tf-graph": make_tf_graph,
          "tf-meta-graph": make_tf_meta_graph,
          "tf-saved-model": make_tf_saved_model, "paddle": make_paddle, "paddle-pir": make_pir,
          "samediff-fb": make_samediff_fb, "safetensors": make_safetensors,
          "npz": make_npz, "tf-checkpoint": make_checkpoint}
