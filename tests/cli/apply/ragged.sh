# PaddlePaddle: another size or name of a ragged input is a line, not a copy of the model.
program() { # NAME DIM
    cat <<END
blocks { idx: 0 parent_idx: -1
  vars { name: 'feed' type { type: FEED_MINIBATCH } persistable: true }
  vars { name: 'fetch' type { type: FETCH_LIST } persistable: true }
  vars { name: '$1' type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: -1 dims: $2 } lod_level: 1 } } }
  vars { name: 'y' type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: -1 dims: $2 } lod_level: 1 } } }
  ops { type: 'feed' inputs { parameter: 'X' arguments: 'feed' } outputs { parameter: 'Out' arguments: '$1' } attrs { name: 'col' type: INT i: 0 } }
  ops { type: 'relu' inputs { parameter: 'X' arguments: '$1' } outputs { parameter: 'Out' arguments: 'y' } }
  ops { type: 'fetch' inputs { parameter: 'X' arguments: 'y' } outputs { parameter: 'Out' arguments: 'fetch' } attrs { name: 'col' type: INT i: 0 } } }
END
}
program x 4 >a.pdmodel.txt
program words 5 >b.pdmodel.txt
tenon diff -q a.pdmodel.txt b.pdmodel.txt --patch p >diff.txt
sed 1,2d p
tenon apply -q a.pdmodel.txt p -o c.pdmodel.txt
tenon diff b.pdmodel.txt c.pdmodel.txt && echo same
