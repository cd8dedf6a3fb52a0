# claims.sh - the words that the scripts of this folder are written in
#
#   claim "NAME"           what follows, up to the next claim, holds it
#   accepts COMMAND...     exits with 0
#   exits N COMMAND...     exits with N
#   refuses COMMAND...     exits with something else, says why, and does not
#                          die of a signal, a sanitizer or the clock
#   survives COMMAND...    one of the two
#   says TEXT              the last command printed it
#   holds COMMAND...       a plain condition, such as `cmp a b`
#   skip WHY               the claim cannot be put to the test here
#
# Every command has $seconds to finish.

claimed=
seconds=60

claim() {
    finish
    claimed=$1
    trouble=
}

finish() {
    if [ -z "$claimed" ]; then return 0; fi
    echo "${trouble:-passed} $title: $claimed" >>"$tally"
    claimed=
}

# Only the first reason is told.
fail() {
    if [ -n "$trouble" ]; then return 0; fi
    trouble=failed
    echo "$title: $claimed: $*"
    tail -n 5 err 2>/dev/null
    return 0
}

skip() {
    trouble=skipped
    echo "skipped $title: $claimed: $*"
}

try() {
    timeout "$seconds" "$@" >out 2>err
    code=$?
}

# Neither a signal (128 and more), nor the clock (124), nor a sanitizer.
died() {
    [ "$code" -ge 64 ] || grep -q -e Sanitizer -e 'runtime error' err
}

accepts() {
    try "$@"
    [ "$code" -eq 0 ] || fail "$* exited with $code"
}

exits() {
    wanted=$1
    shift
    try "$@"
    [ "$code" -eq "$wanted" ] || fail "$* exited with $code, not $wanted"
}

refuses() {
    try "$@"
    if died; then fail "$* died with $code"; fi
    [ "$code" -ne 0 ] || fail "$* was content"
    [ -s err ] || [ -s out ] || fail "$* does not say why"
}

survives() {
    try "$@"
    if died; then fail "$* died with $code"; fi
}

says() {
    grep -q -F -e "$1" out err || fail "nothing about '$1' in: $(head -n 3 out err)"
}

holds() {
    "$@" >/dev/null 2>&1 || fail "not so: $*"
}

# A binary file: make NAME PYTHON-EXPRESSION, in the words of wire.py.
make() {
    PYTHONPATH=$here/support PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "
from wire import *
open('$1', 'wb').write($2)" || fail "could not make $1"
}
