#!/bin/sh
# functions.sh TENON ROOT: every function of the rule language is in a rule, and
# those that few rules need are in examples that run.
set -eu
"$1" rules check "$2/tests/rules/functions.rules"
"$1" rules test "$2/tests/rules/functions.rules"
failed=0
for name in $(sed -n 's/^    { "\([a-z_]*\)", [0-9], .*\.run = .*/\1/p' \
    "$2"/src/map/lang/lang_*.c); do
    grep -q "\b$name(" "$2/tests/rules/functions.rules" "$2"/rules/*.rules \
        "$2"/rules/*.shapes || { echo "nobody uses $name()"; failed=1; }
done
exit $failed
