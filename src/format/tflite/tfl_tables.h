/*
 * tfl_tables.h - operators of TFLite and their options, as data
 *
 * The rows are those of schemas/tflite.fbs; tools/make_tflite_tables.py writes
 * tfl_tables.c from it, and a test compares them with the compiled schema.
 */
#ifndef TN_FORMAT_TFL_TABLES_H
#define TN_FORMAT_TFL_TABLES_H

#include <stddef.h>
#include <stdint.h>

/* What a field of options is. */
enum tn_tfl_kind {
    TN_TFL_BOOL,
    TN_TFL_I8,
    TN_TFL_I32,
    TN_TFL_U32,
    TN_TFL_I64,
    TN_TFL_F32,
    TN_TFL_TYPE,     /* TensorType                                            */
    TN_TFL_ENUM,     /* another enumeration                                   */
    TN_TFL_SUBGRAPH, /* index of a subgraph                                   */
    TN_TFL_STRING,
    TN_TFL_BYTES,
    TN_TFL_I32S,
    TN_TFL_I64S,
    TN_TFL_F32S,
    TN_TFL_BOOLS,
    TN_TFL_ENUMS,
    TN_TFL_SUBGRAPHS,
};

struct tn_tfl_names {
    const char *const *names; /* by number                                    */
    uint32_t           count;
    uint32_t           size; /* bytes of a number                             */
};

struct tn_tfl_field {
    const char *name;
    uint8_t     slot;
    uint8_t     kind;  /* enum tn_tfl_kind                                    */
    uint8_t     names; /* of an enumeration: in tn_tfl_names                  */
    int8_t      otherwise; /* the default of a scalar                         */
};

struct tn_tfl_options {
    const char                *name; /* "Conv2DOptions"                       */
    uint8_t                    which; /* 1: BuiltinOptions, 2: BuiltinOptions2 */
    uint8_t                    tag;   /* in that union                        */
    uint8_t                    count; /* of fields that are not deprecated    */
    const struct tn_tfl_field *fields;
};

struct tn_tfl_builtin {
    const char *name;    /* "CONV_2D"                                         */
    uint8_t     options; /* in tn_tfl_options; 0: it has none                 */
};

extern const struct tn_tfl_names   tn_tfl_names[];
extern const struct tn_tfl_options tn_tfl_options[];
extern const uint32_t              tn_tfl_options_count;
extern const struct tn_tfl_builtin tn_tfl_builtins[]; /* by code              */
extern const uint32_t              tn_tfl_builtin_count;

#endif
