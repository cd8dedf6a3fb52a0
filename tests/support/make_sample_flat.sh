#!/bin/sh
# Rewrites sample_flat.h from sample_flat_any.fbs and what it includes.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flatc --no-warnings --binary --schema --bfbs-builtins -o "$work" \
    sample_flat_any.fbs
{
    echo '/* sample_flat.h - sample_flat.fbs and sample_flat_any.fbs, compiled by'
    echo ' * make_sample_flat.sh: tables sample.flat.All, sample.flat.Mixed */'
    echo '#ifndef TN_TESTS_SAMPLE_FLAT_H'
    echo '#define TN_TESTS_SAMPLE_FLAT_H'
    echo
    echo 'static const unsigned char sample_flat[] = {'
    xxd -i <"$work/sample_flat_any.bfbs"
    echo '};'
    echo
    echo '#endif'
} >sample_flat.h
