/*
 * sized.h - structs of options that callers of other versions filled in
 *
 * Every public struct of options begins with its size (tenon/options.h says
 * what that means).  A public function takes a copy before it looks at any
 * other field:
 *
 *   TN_TAKE(options, tn_options, remote);
 *
 * names the last field of the first published layout, that of 0.2.0.  It stays
 * the same when the struct grows.  Afterwards `options` is still NULL, or
 * points to a complete struct of this version; what its fields point to belongs
 * to the caller.  After TN_TAKE_OWN(), for a verb's own options, it is never
 * NULL.
 */
#ifndef TN_BASE_SIZED_H
#define TN_BASE_SIZED_H

#include <stddef.h>
#include <string.h>

#include "base/error.h"

/* Copies `from`, which begins with a size_t, to `to`.  `first` is the size that
 * 0 stands for. */
enum tn_status tn_sized_take(void *to, size_t size, size_t first,
                             const void *from, struct tn_error *error);

#define TN_TAKE(options, type, last)                                           \
    struct type options##_taken;                                               \
    if (options) {                                                             \
        TN_TRY(tn_sized_take(&options##_taken, sizeof options##_taken,         \
                             offsetof(struct type, last) +                     \
                                 sizeof options##_taken.last,                  \
                             options, error));                                 \
        (options) = &options##_taken;                                          \
    }                                                                          \
    _Static_assert(offsetof(struct type, size) == 0, "the size comes first")

/* The same for a verb's own options: NULL is all zeros. */
#define TN_TAKE_OWN(options, type, last)                                       \
    TN_TAKE(options, type, last);                                              \
    if (!(options))                                                            \
    (options) = memset(&options##_taken, 0, sizeof options##_taken)

/* One for each struct, so that its last field is named once. */
#define TN_TAKE_OPTIONS(options) TN_TAKE(options, tn_options, remote)
#define TN_TAKE_REMOTE(options)  TN_TAKE(options, tn_remote_options, context)
#define TN_TAKE_MAP(options)     TN_TAKE(options, tn_map_options, keeps_quantized)
#define TN_TAKE_INTERPRETER(options)                                           \
    TN_TAKE_OWN(options, tn_interpreter_options, function_count)
#define TN_TAKE_CHECK(options)                                                 \
    TN_TAKE_OWN(options, tn_check_options, max_findings)
#define TN_TAKE_GET(options)   TN_TAKE_OWN(options, tn_get_options, slice)
#define TN_TAKE_ARRAY(options) TN_TAKE_OWN(options, tn_array_options, is_copied)
#define TN_TAKE_DUMP(options)                                                  \
    TN_TAKE_OWN(options, tn_dump_options, use_json_names)
#define TN_TAKE_CONVERT(options)                                               \
    TN_TAKE_OWN(options, tn_convert_options, note_context)
#define TN_TAKE_SPLIT(options) TN_TAKE_OWN(options, tn_split_options, format)
#define TN_TAKE_STRIP(options)                                                 \
    TN_TAKE_OWN(options, tn_strip_options, loss_context)
#define TN_TAKE_TAG(options)  TN_TAKE_OWN(options, tn_tag_options, map)
#define TN_TAKE_VIEW(options) TN_TAKE_OWN(options, tn_view_options, data)
#define TN_TAKE_DIFF(options)                                                  \
    TN_TAKE_OWN(options, tn_diff_options, skips_values)
#define TN_TAKE_CATALOG(options)                                               \
    TN_TAKE_OWN(options, tn_catalog_options, context)
#define TN_TAKE_APPLY(options) TN_TAKE_OWN(options, tn_apply_options, convert)

#endif
