#!/usr/bin/env bash
# Makes the seeds of the TensorFlow fuzzers again, with protoc, from the texts
# below.
set -eu -o pipefail

here=$(cd "$(dirname "$0")" && pwd)
schemas=$here/../../../schemas
mkdir -p "$here"/tf_graph_fuzz "$here"/tf_saved_model_fuzz

encode() { # TYPE FILE, text on standard input
    protoc -I "$schemas" --encode="tensorflow.$1" \
        tensorflow_saved_model.proto >"$here/$2"
}

constants='
node { name: "a" op: "Const"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT
    tensor_shape { dim { size: 2 } } tensor_content: "\000\000\200?\000\000\000@" } } } }
node { name: "b" op: "Const"
  attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "value" value { tensor { dtype: DT_INT32
    tensor_shape { dim { size: 5 } } int_val: 1 int_val: -2 } } } }
node { name: "c" op: "Const"
  attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING
    tensor_shape { dim { size: 2 } } string_val: "x" string_val: "yz" } } } }
node { name: "d" op: "Const"
  attr { key: "dtype" value { type: DT_COMPLEX64 } }
  attr { key: "value" value { tensor { dtype: DT_COMPLEX64
    scomplex_val: 1 scomplex_val: 2 } } } }
node { name: "e" op: "Const"
  attr { key: "dtype" value { type: DT_HALF } }
  attr { key: "value" value { tensor { dtype: DT_HALF
    tensor_shape { dim { size: 3 } } half_val: 15360 } } } }'

attributes='
node { name: "n" op: "Op" input: "m:1" input: "^m" device: "/cpu:0"
  attr { key: "i" value { i: -1 } } attr { key: "f" value { f: 0.5 } }
  attr { key: "s" value { s: "SAME" } } attr { key: "b" value { b: true } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 3 } } } }
  attr { key: "any" value { shape { unknown_rank: true } } }
  attr { key: "l" value { list { i: 1 i: 2 i: 300 } } }
  attr { key: "fs" value { list { f: 1 f: 2 } } }
  attr { key: "ts" value { list { tensor { dtype: DT_INT8 int_val: 1 }
    tensor { dtype: DT_INT8 } } } }
  attr { key: "e" value { list { } } } }
node { name: "m" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }'

library='
library { function {
  signature { name: "twice" input_arg { name: "a" type: DT_FLOAT }
    output_arg { name: "b" type: DT_FLOAT } }
  node_def { name: "sum" op: "AddV2" input: "a" input: "a:0"
    attr { key: "T" value { placeholder: "T" } } }
  node_def { name: "id" op: "Identity" input: "sum:z:0" }
  ret { key: "b" value: "id:output:0" } }
  function { signature { name: "calls" }
    node_def { name: "c" op: "PartitionedCall"
      attr { key: "f" value { func { name: "calls" } } } } } }
versions { producer: 1087 min_consumer: 12 }'

loop='
node { name: "enter" op: "Enter" }
node { name: "merge" op: "Merge" input: "enter" input: "next" }
node { name: "next" op: "NextIteration" input: "merge" }'

encode GraphDef tf_graph_fuzz/constants <<<"$constants"
encode GraphDef tf_graph_fuzz/attributes <<<"$attributes"
encode GraphDef tf_graph_fuzz/functions <<<"$attributes $library"
encode GraphDef tf_graph_fuzz/loop <<<"$loop"
encode MetaGraphDef tf_graph_fuzz/meta <<<"
meta_info_def { tags: \"serve\" tensorflow_version: \"2.4.1\" }
graph_def { $loop } saver_def { restore_op_name: \"merge\" }"
encode SavedModel tf_saved_model_fuzz/signature <<<"
saved_model_schema_version: 1
meta_graphs {
  meta_info_def { tags: \"serve\" stripped_op_list { op { name: \"Op\" } } }
  graph_def { $attributes $library }
  collection_def { key: \"variables\" value { bytes_list { value: \"v\" } } }
  signature_def { key: \"serving_default\" value {
    inputs { key: \"in\" value { name: \"m:0\" dtype: DT_FLOAT
      tensor_shape { dim { size: -1 } } } }
    outputs { key: \"out\" value { name: \"n:0\" } }
    method_name: \"tensorflow/serving/predict\" } }
  signature_def { key: \"__saved_model_init_op\" value {
    outputs { key: \"__saved_model_init_op\" value { name: \"n\" } } } }
  asset_file_def { filename: \"vocabulary.txt\" } }"
encode SavedModel tf_saved_model_fuzz/objects <<<"
saved_model_schema_version: 1
meta_graphs { object_graph_def {
  nodes { children { node_id: 1 local_name: \"v\" }
    children { node_id: 2 local_name: \"optimizer\" } user_object { } }
  nodes { children { node_id: 0 local_name: \"parent\" }
    variable { dtype: DT_FLOAT shape { dim { size: 2 } } name: \"v\" } }
  nodes { slot_variables { original_variable_node_id: 1 slot_name: \"m\"
    slot_variable_node_id: 3 } user_object { } }
  nodes { variable { dtype: DT_FLOAT name: \"v/m\" } } } }
meta_graphs { meta_info_def { tags: \"train\" } graph_def { $constants } }"
