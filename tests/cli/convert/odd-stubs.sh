# Whatever ops and attributes are called, the rules to fill in can be read; and
# what a rule forgets of an op that nobody knows is told.
cat >m.txt <<'END'
ir_version: 8 opset_import { version: 17 }
opset_import { domain: "my.ops" version: 1 }
opset_import { domain: "my ops" version: 1 }
graph { name: "g"
  node { input: "x" output: "a" op_type: "Riddle" domain: "my.ops"
    attribute { name: "when" type: INT i: 1 } attribute { name: "x0" type: INT i: 1 }
    attribute { name: "two\nlines" type: INT i: 1 } attribute { name: "k" type: INT i: 1 }
    attribute { name: "_hidden" type: INT i: 1 } }
  node { input: "a" output: "b" op_type: "2d" domain: "my.ops" }
  node { input: "b" output: "y" op_type: "aten::add\n" domain: "my ops" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
}
END
tenon undump m.txt -o m.onnx
tenon convert --plan m.onnx -o m.fb | sed -n '/^# to fill in/,/^onnx -> nd4j/p' | sed '$d' >own.rules
cat own.rules
tenon rules check own.rules
cat >mine.rules <<'END'
rules onnx -> nd4j 1
ignore k
my.ops::Riddle(x; -when) => neg(x)
END
tenon convert m.onnx -o m.fb --rules mine.rules --outputs a
tenon convert m.onnx -o n.fb --rules mine.rules --outputs a --json
