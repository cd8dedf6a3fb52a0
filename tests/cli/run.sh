#!/bin/sh
# run.sh BINARY [--update] [PATTERN] - the command as a user meets it
#
# Runs every tests/cli/VERB/NAME.sh whose VERB/NAME contains PATTERN, each in a
# folder of its own that holds tiny.onnx (made from examples/), with `tenon` on
# the PATH.  What it prints and how it exits must equal NAME.stdout,
# NAME.stderr and NAME.exit beside it; a missing file stands for nothing
# printed, and for exit code 0.  --update writes them instead: read the diff.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
binary=$(realpath "${1:?usage: run.sh BINARY [--update] [PATTERN]}")
shift
update=
[ "${1:-}" = --update ] && update=1 && shift
pattern=${1:-}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/actual"
ln -s "$binary" "$scratch/bin/tenon"
PATH=$scratch/bin:$PATH
LC_ALL=C.UTF-8
TENON_PAGER=cat
export PATH LC_ALL TENON_PAGER root
unset NO_COLOR TERM

tenon undump "$root/examples/tiny.onnx.textproto" -o "$scratch/tiny.onnx" ||
    exit 1

# The expected output of the case $1 for stream $2, or nothing.
expected() {
    if [ -f "$1.$2" ]; then cat "$1.$2"; elif [ "$2" = exit ]; then echo 0; fi
}

# Keep only what is not the default, so that a folder of cases stays readable.
record() {
    for stream in stdout stderr exit; do
        rm -f "$1.$stream"
        expected "$1" $stream | cmp -s - "$scratch/actual/$stream" ||
            cp "$scratch/actual/$stream" "$1.$stream"
    done
}

compare() {
    same=0
    for stream in stdout stderr exit; do
        expected "$1" $stream >"$scratch/expected"
        diff -u --label "$2.$stream" --label "what it did" \
            "$scratch/expected" "$scratch/actual/$stream" || same=1
    done
    return $same
}

run_case() {
    work=$scratch/work
    rm -rf "$work" && mkdir "$work" && cp "$scratch/tiny.onnx" "$work"
    (cd "$work" && sh "$1.sh" </dev/null \
        >"$scratch/actual/stdout" 2>"$scratch/actual/stderr")
    echo $? >"$scratch/actual/exit"
}

# Some cases need a terminal, which not every machine can make.
has_terminal() {
    script -qec true /dev/null >/dev/null 2>&1
}

passed=0 failed=0
for script in "$here"/*/*.sh; do
    case_path=${script%.sh}
    name=${case_path#"$here"/}
    case $name in *"$pattern"*) ;; *) continue ;; esac
    if grep -q 'script -' "$script" && ! has_terminal; then
        echo "skipped: $name, no terminal can be made here"
        continue
    fi
    run_case "$case_path"
    if [ -n "$update" ]; then
        record "$case_path"
    elif compare "$case_path" "$name"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
    fi
done
[ -n "$update" ] && exit 0
echo "cli: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
