# What a refusal names: the target that was asked for, every operator that is in
# the way with its nodes, the most frequent first, and why; then a way out.
onnx() { # NAME, nodes on standard input: ONNX from x and z, whose sizes are open
    { cat <<'END'
ir_version: 8
opset_import { version: 17 } opset_import { domain: "my.ops" version: 1 }
graph {
  name: "g"
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "n" } dim { dim_value: 3 } } } } }
  input { name: "z" type { tensor_type { elem_type: 1 } } }
END
        cat
        echo '}'
    } >"$1.textproto"
    tenon undump "$1.textproto" -o "$1.onnx"
}
output() { echo "output { name: \"$1\" type { tensor_type { elem_type: 1 } } }"; }
mine() { # OP TIMES: nodes of an operator that nobody knows
    for i in $(seq "$2"); do
        echo "node { domain: \"my.ops\" op_type: \"$1\" input: \"x\" output: \"$1$i\" }"
        output "$1$i"
    done
}
float() { echo 'attr { key: "T" value { type: DT_FLOAT } }'; }
input() { # DTYPE DIMS: a Placeholder
    echo "attr { key: \"dtype\" value { type: $1 } } attr { key: \"shape\" value { shape { $2 } } }"
}

echo '# the way goes through nd4j, and the target is ONNX'
cat >fft.pbtxt <<END
node { name: "x" op: "Placeholder" $(input DT_FLOAT 'dim { size: 8 }') }
node { name: "n" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 8 } } } }
node { name: "b" op: "BesselI0" input: "x" $(float) }
node { name: "f" op: "RFFT" input: "x" input: "n" attr { key: "Treal" value { type: DT_FLOAT } } attr { key: "Tcomplex" value { type: DT_COMPLEX64 } } }
node { name: "g" op: "RFFT" input: "x" input: "n" attr { key: "Treal" value { type: DT_FLOAT } } attr { key: "Tcomplex" value { type: DT_COMPLEX64 } } }
END
tenon convert fft.pbtxt -o out.onnx --via nd4j 2>&1
tenon convert fft.pbtxt -o out.onnx --outputs b 2>&1
tenon convert -q fft.pbtxt -o out.pdmodel 2>&1

echo '# what rules made of an operator is named beside it'
cat >cholesky.pbtxt <<END
node { name: "x" op: "Placeholder" $(input DT_FLOAT 'unknown_rank: true') }
node { name: "y" op: "Cholesky" input: "x" $(float) }
END
tenon convert cholesky.pbtxt -o out.onnx 2>&1

echo '# many of them'
for i in $(seq -w 30); do mine "Op$i" 1; done | onnx many
tenon convert -q many.onnx -o out.fb 2>&1

echo '# with rules and without'
{ mine Twirl 1; mine Swirl 2
  echo 'node { op_type: "Hardmax" input: "x" output: "h" attribute { name: "axis" type: INT i: 0 } }'
  output h
  echo 'node { op_type: "Hardmax" input: "z" output: "s" }'
  output s; } | onnx mixed
tenon convert -q mixed.onnx -o out.fb 2>&1

echo '# unknown ranks and sizes, and how to tell them'
{ echo 'node { op_type: "Hardmax" input: "x" output: "h" attribute { name: "axis" type: INT i: 0 } }'
  output h
  echo 'node { op_type: "Hardmax" input: "z" output: "s" }'
  output s; } | onnx open
tenon convert open.onnx -o out.fb 2>&1
tenon convert open.onnx -o out.fb --shape x=2,3 2>&1
tenon convert -q open.onnx -o out.fb --shape x=2,3,z=4,5 && echo converted

echo '# a value that only a run gives'
cat >order.pbtxt <<END
node { name: "x" op: "Placeholder" $(input DT_FLOAT 'dim { size: 2 } dim { size: 3 }') }
node { name: "p" op: "Placeholder" $(input DT_INT32 'dim { size: 2 }') }
node { name: "y" op: "Transpose" input: "x" input: "p" $(float) attr { key: "Tperm" value { type: DT_INT32 } } }
END
tenon convert order.pbtxt -o out.onnx 2>&1

echo '# rules that are all for other uses: how it is used'
cat >own.rules <<'END'
rules onnx -> nd4j 1
my.ops::Swirl(x; k: 3) => identity(x)
my.ops::Swirl(x; k, -mode) when k > 5 => identity(x)
END
{ echo 'node { domain: "my.ops" op_type: "Swirl" input: "x" output: "y" attribute { name: "k" type: INT i: 4 } attribute { name: "mode" type: STRING s: "fast" } }'
  output y; } | onnx other
tenon convert other.onnx -o out.fb --rules own.rules 2>&1

echo '# where to cut, ready to paste; and what a pass refuses before rules are asked'
cat >wave.pbtxt <<END
node { name: "x" op: "Placeholder" $(input DT_STRING '') }
node { name: "z" op: "Placeholder" $(input DT_FLOAT 'dim { size: -1 } dim { size: 2 }') }
node { name: "wave" op: "DecodeWav" input: "x" attr { key: "desired_channels" value { i: 2 } } attr { key: "desired_samples" value { i: 8 } } }
node { name: "y" op: "Mul" input: "wave" input: "z" $(float) }
END
tenon convert wave.pbtxt -o out.onnx 2>&1
tenon convert -q wave.pbtxt -o out.onnx --inputs wave,z 2>&1 && echo converted
cat >table.pbtxt <<END
node { name: "x" op: "Placeholder" $(input DT_STRING 'dim { size: 3 }') }
node { name: "t" op: "Placeholder" $(input DT_RESOURCE '') }
node { name: "d" op: "Const" attr { key: "dtype" value { type: DT_INT64 } } attr { key: "value" value { tensor { dtype: DT_INT64 tensor_shape { } int64_val: 8 } } } }
node { name: "y" op: "LookupTableFindV2" input: "t" input: "x" input: "d" attr { key: "Tin" value { type: DT_STRING } } attr { key: "Tout" value { type: DT_INT64 } } }
END
tenon convert table.pbtxt -o out.onnx 2>&1
