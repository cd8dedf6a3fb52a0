#!/bin/sh
# onnx_external.sh TENON - python3-onnx reads what we wrote
#
# Every good model of the corpus, of the shared data and of Debian's test data
# goes out to a side file and in again; the reference library must find the
# same tensors in all three, and its checker must accept what it accepted
# before.
set -eu

tenon=$1
here=$(cd "$(dirname "$0")/.." && pwd)

/usr/bin/python3 -c 'import onnx, numpy' 2>/dev/null || {
    echo "skipped: python3-onnx is not installed"
    exit 77
}
exec /usr/bin/python3 "$here/judges/onnx_external.py" "$tenon" \
    "$here/corpus/onnx" "${TENON_TEST_DATA:-$here/../../shared/data}/onnx" /usr/share/libonnx-testdata
