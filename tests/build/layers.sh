#!/bin/sh
# layers.sh VIEWS: a folder of src/ cannot include what is above or beside it.
#
# VIEWS is the build's folder of include directories, one per folder.
set -eu
views=$1
include=$(cd "$(dirname "$0")/../../include" && pwd)

compiles() { # folder, header
    printf '#include "%s"\n' "$2" |
        cc -std=c11 -D_POSIX_C_SOURCE=200809L -fsyntax-only -xc \
            -I"$views/$1" -I"$include" - 2>/dev/null
}

failed=0
may() { compiles "$1" "$2" || { echo "$1 should see $2"; failed=1; }; }
may_not() { ! compiles "$1" "$2" || { echo "$1 sees $2"; failed=1; }; }

may base base/cursor.h
may io base/cursor.h
may wire/pb codec/crc32c.h
may chunk wire/pb/pb_wire.h
may format/onnx chunk/chunk_tags.h
may format/onnx wire/pb/pb_wire.h
may format/onnx format/format.h
may engine format/format.h
may engine map/dl4j/mapper.h
may map/lang ir/vocab.h
may map/lang wire/pb/pb_wire.h
may map/lang map/net/net.h
may map/tidy map/flow/flow.h

may_not base io/bundle.h
may_not codec io/bundle.h
may_not ir chunk/chunk_tags.h
may_not wire/pb chunk/chunk_tags.h
may_not chunk ir/model_tables.h
may_not ir io/bundle.h
may_not ir wire/pb/pb_wire.h
may_not wire/pb ir/model_tables.h
may_not wire/pb wire/sstable/sstable.h
may_not format/onnx format/tensorflow/tf.h
may_not format/tensorflow engine/opened.h
may_not map/lang io/bundle.h
may_not map/net format/format.h
may_not map/net map/lang/lang.h
may_not map/flow map/tidy/tf_tidy.h
may_not map/tidy map/lang/lang.h
may_not ir map/dl4j/mapper.h
may_not format/onnx map/dl4j/mapper.h

# A bundle has files beside the main one without a folder, too: on a server.
src=$(cd "$(dirname "$0")/../../src" && pwd)
! grep -rnE 'bundle(\)|\])?->folder|bundle\.folder' "$src" --include='*.c' |
    grep -vE '/io/|_test\.c:|_fuzz\.c:' || {
    echo "ask tn_bundle_has_folder()"
    failed=1
}
exit $failed
