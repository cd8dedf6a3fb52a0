#!/bin/sh
# Rewrites sample_schema.h from sample_two.proto and sample_three.proto.
set -eu
cd "$(dirname "$0")"
desc=$(mktemp)
trap 'rm -f "$desc"' EXIT
protoc -I. --include_imports --descriptor_set_out="$desc" \
    sample_two.proto sample_three.proto
{
    echo '/* sample_schema.h - sample_two.proto and sample_three.proto, compiled'
    echo ' * by make_sample_schema.sh: messages sample.two.All, sample.three.All */'
    echo '#ifndef TN_TESTS_SAMPLE_SCHEMA_H'
    echo '#define TN_TESTS_SAMPLE_SCHEMA_H'
    echo
    echo 'static const unsigned char sample_schema[] = {'
    xxd -i <"$desc"
    echo '};'
    echo
    echo '#endif'
} >sample_schema.h
