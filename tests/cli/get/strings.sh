# Text of strings keeps one element a line, whatever they hold.
printf 'node { name: "s" op: "Const" attr { key: "dtype" value { type: 7 } }
    attr { key: "value" value { tensor { dtype: 7 tensor_shape { dim { size: 2 } }
    string_val: "two words" string_val: "line\\nend" } } } }' >g.pbtxt
tenon get g.pbtxt s
