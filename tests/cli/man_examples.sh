#!/bin/sh
# man_examples.sh BINARY - every example of the manual runs
#
# Lines of man/*.1 that begin with "$ " are run in order, a page at a time, in a
# folder that holds tiny.onnx, the SavedModel `model` and the SameDiff graph
# dense.fb; each must succeed.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
binary=$(realpath "${1:?usage: man_examples.sh BINARY}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$binary" "$scratch/bin/tenon"
PATH=$scratch/bin:$PATH
export PATH

status=0 count=0
for page in "$root"/man/*.1; do
    work=$scratch/$(basename "$page")
    mkdir "$work" && cd "$work" || exit 1
    cp "$root/examples/tiny.onnx.textproto" .
    tenon undump tiny.onnx.textproto -o tiny.onnx || exit 1
    mkdir model && echo "saved_model_schema_version: 1 meta_graphs { graph_def {
        node { name: 'n' op: 'NoOp' } } }" |
        tenon undump - -t tensorflow.SavedModel -o model/saved_model.pb || exit 1
    tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph \
        -o dense.fb || exit 1
    sed -n 's/^\$ //p' "$page" | sed 's/\\-/-/g; s/\\e/\\/g' >commands
    while read -r command; do
        count=$((count + 1))
        bash -c "set -o pipefail; $command" </dev/null >output 2>&1
        # 141: a reader such as head had seen enough.
        case $? in 0 | 141) continue ;; esac
        echo "$(basename "$page"): failed: $command"
        cat output
        status=1
    done <commands
done
echo "man: $count examples run"
[ "$count" -gt 0 ] && exit $status
exit 1
