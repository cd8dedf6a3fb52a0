# a SameDiff graph in every container of Deeplearning4j, and what each leaves
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon convert dense.fb -o dense.sdnb
tenon convert dense.sdnb -o dense.sdz --shard-size 16
tenon convert dense.sdz -o again.fb
tenon convert dense.fb -o parts.sdnb --shard-size 16; ls
tenon hash dense.fb >a; tenon hash again.fb >b; tenon hash parts.shard1-of-3.sdnb >c; cmp a b && cmp a c
tenon convert dense.fb -o x.fb --shard-size 16; echo $?
tenon check dense.fb dense.sdnb dense.sdz parts.shard0-of-3.sdnb
