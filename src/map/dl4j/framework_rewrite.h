/*
 * framework_rewrite.h - op definitions of a framework, rewritten as a
 * vocabulary: what those of all frameworks have in common
 */
#ifndef TN_MAP_FRAMEWORK_REWRITE_H
#define TN_MAP_FRAMEWORK_REWRITE_H

#include "base/buffer.h"
#include "map/dl4j/framework_ops.h"

struct tn_rewriting {
    struct tn_buffer out;
    struct tn_error *error;
};

/* Writes one op. */
typedef enum tn_status tn_rewrite_op(struct tn_rewriting        *w,
                                     const struct tn_text_field *op);

/* The vocabulary of all messages `which` of the root, in order of their names,
 * behind the text `head`. */
enum tn_status tn_rewrite(struct tn_vocab *vocab, struct tn_arena *arena,
                          const struct tn_text_field *root, const char *which,
                          const char *head, tn_rewrite_op *on,
                          struct tn_error *error);

/* The string of a field, which must be a name. */
enum tn_status tn_rewrite_name(struct tn_rewriting        *w,
                               const struct tn_text_field *field,
                               struct tn_bytes            *name);

/* The name in a message's field; the field must be there. */
enum tn_status tn_rewrite_need_name(struct tn_rewriting        *w,
                                    const struct tn_text_field *message,
                                    const char *field, struct tn_bytes *name);

bool tn_rewrite_is_true(const struct tn_text_field *message, const char *name);

/* A value, as the field is called in messages of both: s, i, f, b, type, shape,
 * tensor.  And numbers and types by themselves. */
enum tn_status tn_rewrite_value(struct tn_rewriting        *w,
                                const struct tn_text_field *field);
enum tn_status tn_rewrite_number(struct tn_rewriting        *w,
                                 const struct tn_text_field *field,
                                 bool                        is_real);
enum tn_status tn_rewrite_dtype(struct tn_rewriting        *w,
                                const struct tn_text_field *field);

#endif
