# The tables of SameDiff are inside, each with its identifier.
echo '{"shape": [1, 2, 1, 8192, 1, 99], "buffer": [1, 2], "dtype": "FLOAT"}' >a.json
tenon undump --type sd.graph.FlatArray a.json -o a.fb
head -c 8 a.fb | tail -c 4
echo
tenon dump --type FlatArray a.fb | tr -d ' \n'
echo
