/*
 * pb_text_tree.h - protobuf's text format as a tree, without a schema
 *
 * For text whose field names are data, and for readers that report the place of
 * a value that is well formed but wrong.  A list of values, `x: [1, 2]`,
 * becomes one field for each value.
 */
#ifndef TN_WIRE_PB_TEXT_TREE_H
#define TN_WIRE_PB_TEXT_TREE_H

#include "base/memory.h"

enum tn_text_kind {
    TN_TEXT_MESSAGE,
    TN_TEXT_STRING,
    TN_TEXT_WORD,   /* an enum value, true, inf                               */
    TN_TEXT_NUMBER, /* as written, with its sign                              */
};

struct tn_text_field {
    struct tn_bytes             name;
    enum tn_text_kind           kind;
    struct tn_bytes             text;   /* of a string: its bytes             */
    uint64_t                    offset; /* of the name, in the text           */
    uint32_t                    line, column; /* from 1                       */
    const struct tn_text_field *fields; /* of a message: the first            */
    const struct tn_text_field *next;   /* in the same message                */
};

/* Everything lives in the arena; names and words are views of the text.  The
 * root has no name. */
enum tn_status tn_text_tree_read(struct tn_text_field *root,
                                 struct tn_arena *arena, struct tn_bytes text,
                                 struct tn_error *error);

/* Fails at a field: "line 3, column 7: ..." */
TN_COLD enum tn_status tn_text_fail(struct tn_error            *error,
                                    const struct tn_text_field *at,
                                    enum tn_status status, const char *format,
                                    ...) TN_PRINTF(4, 5);

static inline bool tn_text_is(const struct tn_text_field *field,
                              const char                 *name)
{
    return tn_bytes_is(field->name, name);
}

/* The last field of that name, or NULL; and how many there are. */
const struct tn_text_field *tn_text_find(const struct tn_text_field *message,
                                         const char                 *name);
uint32_t tn_text_count(const struct tn_text_field *message, const char *name);

/* Values; fails, with line and column, if the field is of another kind. */
enum tn_status tn_text_string(const struct tn_text_field *field,
                              struct tn_bytes *value, struct tn_error *error);
enum tn_status tn_text_int(const struct tn_text_field *field, int64_t *value,
                           struct tn_error *error);
enum tn_status tn_text_double(const struct tn_text_field *field, double *value,
                              struct tn_error *error);
enum tn_status tn_text_bool(const struct tn_text_field *field, bool *value,
                            struct tn_error *error);
enum tn_status tn_text_message(const struct tn_text_field *field,
                               struct tn_error            *error);

#endif
