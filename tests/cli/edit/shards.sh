# Keys that say which shard a file is are no metadata of the model: an edit writes it whole, without them.
tenon undump -q "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon convert -q dense.fb -o plain.sdz
tenon edit -q plain.sdz --metadata who=me -o kept.sdz
tenon convert -q kept.sdz -o m.sdz --shard-size 32
tenon info --all m.sdz | grep -A4 metadata
tenon edit -q m.sdz --rename y=z -o edited.sdz --patch-out undo
tenon info --all edited.sdz | grep -A2 metadata
tenon apply -q edited.sdz undo -o back.sdz
tenon diff m.sdz back.sdz && echo same
tenon edit -q m.sdz --metadata who=you -o other.sdz
tenon diff m.sdz other.sdz
