/* javaser_class.c - the five classes that a table of places is made of */
#include "wire/javaser/javaser_class.h"

#include <stddef.h>

static const struct tn_java_class hash_map = {
    .name        = "java.util.HashMap",
    .uid         = UINT64_C(0x0507dac1c31660d1),
    .flags       = 3,
    .field_count = 2,
    .fields      = { { 'F', "loadFactor" }, { 'I', "threshold" } },
};

const struct tn_java_class tn_java_map = {
    .name        = "java.util.LinkedHashMap",
    .uid         = UINT64_C(0x34c04e5c106cc0fb),
    .flags       = 2,
    .field_count = 1,
    .fields      = { { 'Z', "accessOrder" } },
    .super       = &hash_map,
};

const struct tn_java_class tn_java_pair = {
    .name        = "org.nd4j.common.primitives.Pair",
    .uid         = UINT64_C(0x77),
    .flags       = 2,
    .field_count = 2,
    .fields      = { { 'L', "key" }, { 'L', "value" } },
};

static const struct tn_java_class number = {
    .name  = "java.lang.Number",
    .uid   = UINT64_C(0x86ac951d0b94e08b),
    .flags = 2,
};

const struct tn_java_class tn_java_long = {
    .name        = "java.lang.Long",
    .uid         = UINT64_C(0x3b8be490cc8f23df),
    .flags       = 2,
    .field_count = 1,
    .fields      = { { 'J', "value" } },
    .super       = &number,
};
