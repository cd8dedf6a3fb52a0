tenon convert -q "$root/tests/corpus/samediff/named-args-permuted.samediff" -o m.samediff
tenon dump m.samediff | grep -A 7 '"iArgNames"' | grep -A 7 trans
tenon dump m.samediff -q -o g.json
tenon undump -q g.json --type sd.tagged.Graph -o g.fb
tenon dump g.fb --type sd.tagged.Graph | cmp - g.json && echo equal
tenon dump --tag nothing m.samediff
tenon dump --strict m.samediff
