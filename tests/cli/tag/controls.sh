# control dependencies name variables, operations, or by now nothing: in every container
sed 's/"outputNames"/"controlDeps": ["dense", "x", "gone"], "outputNames"/' "$root/examples/dense.samediff.json" >controls.json
tenon undump controls.json -t sd.graph.FlatGraph -o a.fb
tenon check a.fb
tenon convert -q a.fb -o a.samediff; tenon check a.samediff
tenon ls --ops a.fb; tenon ls --ops a.samediff
tenon convert -q a.samediff -o b.fb; tenon dump b.fb -t sd.graph.FlatGraph | tr -d ' \n' | grep -o '"controlDeps[^]]*'
