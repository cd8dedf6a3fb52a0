# folders.sh - SavedModels and checkpoints that point where they must not

saved() {
    rm -rf saved
    mkdir saved
    tenon undump "$1" --type tensorflow.SavedModel -o saved/saved_model.pb \
        >/dev/null 2>err || fail "$(cat err)"
}

asset() {
    cat >asset.txt <<END
saved_model_schema_version: 1
meta_graphs {
  meta_info_def { tags: "serve" }
  graph_def { node { name: "a" op: "NoOp" } versions { producer: 1087 } }
  asset_file_def { tensor_info { name: "a:0" } filename: "$1" }
}
END
    saved asset.txt
}

claim "assets outside the folder are told, and not opened"
for file in ../../tiny.onnx a/../../x .. /etc/hostname; do
    asset "$file"
    exits 1 tenon check saved
    says asset-outside
done
asset escape
mkdir saved/assets
ln -s /etc/hostname saved/assets/escape
exits 1 tenon check saved
says asset-outside

claim "an asset that is not there"
asset gone
exits 1 tenon check saved
says missing-asset

claim "a copy of a SavedModel takes nothing from outside along"
asset escape
mkdir saved/assets
ln -s "$PWD/tiny.onnx" saved/assets/escape
survives tenon convert saved -o copied --to tf-saved-model
holds test ! -e copied/assets/escape

claim "a SavedModel with an index and no data"
asset gone
mkdir saved/variables
printf 'no table' >saved/variables/variables.index
survives tenon info saved
survives tenon ls saved
exits 1 tenon check saved

claim "an index that is a footer and nothing else"
make alone.index "bytes(40) + bytes.fromhex('57fb808b247547db')"
refuses tenon ls alone.index
exits 1 tenon check alone.index

claim "an index whose blocks lie beyond it, or overlap the footer"
for handle in ffffffffffffffffff01ffffffffffffffffff01 0000ffffffff0f 28300008; do
    make lies.index "(bytes.fromhex('$handle') + bytes(40))[:40] +
        bytes.fromhex('57fb808b247547db')"
    refuses tenon ls lies.index
    exits 1 tenon check lies.index
done

claim "a state file that names a checkpoint outside"
mkdir state
echo 'model_checkpoint_path: "../../../etc/passwd"' >state/checkpoint
survives tenon info state
if grep -q root: out err; then fail "it read what it was told"; fi

claim "functions that call each other, and a graph that is its own function"
cat >calls.pbtxt <<'END'
node { name: "a" op: "f" }
library {
  function { signature { name: "f" } node_def { name: "x" op: "g" } }
  function { signature { name: "g" } node_def { name: "y" op: "f" } }
}
END
exits 1 tenon check calls.pbtxt
says "[recursion]"

claim "a chain of a hundred thousand calls"
make chain.pb "node('a', 'f0') + part(2, many(100000, lambda i: part(1,
    part(1, part(1, 'f%d' % i)) +
    part(3, part(1, 'x') + part(2, 'f%d' % (i + 1))))))"
survives tenon check --max-mem 256MiB chain.pb

claim "a cycle of a hundred thousand nodes"
make ring.pb "many(100000, lambda i: node('n%d' % i, 'Identity',
    part(3, 'n%d' % ((i + 1) % 100000))))"
exits 1 tenon check ring.pb
says "[cycle]"
