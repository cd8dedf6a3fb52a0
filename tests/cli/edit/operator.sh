# In SameDiff, another operator has a kind and a number of its own; undo brings
# the old ones back.
tenon convert -q tiny.onnx -o tiny.fb 2>/dev/null
tenon edit -q tiny.fb --set-op 'rectify tanh' --patch-out undo -o other.fb
tenon ls --ops --long tiny.fb | grep rectify
tenon ls --ops --long other.fb | grep rectify
tenon convert -q other.fb -o other.onnx 2>/dev/null
tenon ls --ops other.onnx | grep rectify
tenon apply -q other.fb undo -o again.fb
cmp tiny.fb again.fb && grep -v '^#' undo
