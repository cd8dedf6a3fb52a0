# A receipt, as of convert; with --json a report.
tenon tag add -q m.samediff one tiny.onnx
tenon tag export m.samediff one -o one.npz 2>said
grep -o '^one.npz: npz' said
tenon tag export --json m.samediff one -o two.npz 2>/dev/null |
    grep -oE '"(schema|out|format)": "[^"]*"'
tenon tag export -q m.samediff one -o three.npz
tenon tag export --json m.samediff one -o - --to npz
tenon tag add -q m.samediff two tiny.onnx
tenon tag rm m.samediff one 2>said
grep hint said
