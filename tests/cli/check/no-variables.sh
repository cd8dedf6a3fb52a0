# A SavedModel whose variables stayed behind is not in order, by its folder or
# by its file; one that has none is.
mkdir bare fine
cat >bare.txt <<'END'
saved_model_schema_version: 1
meta_graphs { graph_def { node { name: "v" op: "VariableV2"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { } } } } } }
END
cat >fine.txt <<'END'
saved_model_schema_version: 1
meta_graphs { graph_def { node { name: "n" op: "NoOp" } } }
END
tenon undump bare.txt -o bare/saved_model.pb
tenon undump fine.txt -o fine/saved_model.pb
tenon check bare
echo $?
tenon check bare/saved_model.pb fine
