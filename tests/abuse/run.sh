#!/bin/sh
# run.sh TENON [PATTERN] - what an attacker tries, and what must come of it
#
# Runs every NAME.sh beside it whose name contains PATTERN, each in a folder
# of its own with `tenon` on the PATH and tiny.onnx in it.  A script is a list
# of claims (support/claims.sh); docs/abuse.md says which ideas they hold.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
binary=$(realpath "${1:?usage: run.sh TENON [PATTERN]}")
pattern=${2:-}

scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$binary" "$scratch/bin/tenon"
PATH=$scratch/bin:$PATH
LC_ALL=C.UTF-8
TENON_PAGER=cat
tally=$scratch/tally
export PATH LC_ALL TENON_PAGER root here tally
unset NO_COLOR TERM

tenon undump "$root/examples/tiny.onnx.textproto" -o "$scratch/tiny.onnx" ||
    exit 1

: >"$tally"
for script in "$here"/*.sh; do
    title=$(basename "$script" .sh)
    [ "$title" = run ] && continue
    case $title in *"$pattern"*) ;; *) continue ;; esac
    work=$scratch/$title
    mkdir "$work" && cp "$scratch/tiny.onnx" "$work"
    (cd "$work" && . "$here/support/claims.sh" && . "$script" && finish) \
        </dev/null || echo "failed $title: the script stopped" >>"$tally"
done

grep '^skipped' "$tally"
grep '^failed' "$tally"
passed=$(grep -c '^passed' "$tally")
failed=$(grep -c '^failed' "$tally")
echo "abuse: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
