/* javaser_class.h - type codes and the five classes, for reader and writer */
#ifndef TN_WIRE_JAVASER_CLASS_H
#define TN_WIRE_JAVASER_CLASS_H

#include <stdint.h>

#define TN_JAVA_MAGIC        UINT32_C(0xaced0005)
#define TN_JAVA_FIRST_HANDLE UINT32_C(0x7e0000)

enum tn_java_code {
    TN_JAVA_NULL        = 0x70,
    TN_JAVA_REFERENCE   = 0x71,
    TN_JAVA_CLASS       = 0x72,
    TN_JAVA_OBJECT      = 0x73,
    TN_JAVA_STRING      = 0x74,
    TN_JAVA_BLOCK       = 0x77,
    TN_JAVA_END         = 0x78,
    TN_JAVA_LONG_STRING = 0x7c,
};

struct tn_java_field {
    char        type;
    const char *name;
};

struct tn_java_class {
    const char                 *name;
    uint64_t                    uid;
    uint8_t                     flags; /* 2: serializable, 1: with own data   */
    uint8_t                     field_count;
    struct tn_java_field        fields[2];
    const struct tn_java_class *super;
};

extern const struct tn_java_class tn_java_map, tn_java_pair, tn_java_long;

/* What every field of type 'L' is declared as. */
#define TN_JAVA_OBJECT_TYPE "Ljava/lang/Object;"

#endif
