/* dump_flat.h - any FlatBuffer as JSON, and back */
#ifndef TN_ENGINE_DUMP_FLAT_H
#define TN_ENGINE_DUMP_FLAT_H

#include "engine/opened.h"
#include "wire/fb/fb_schema.h"

/* A table type and the schema that has it. */
struct tn_flat {
    struct tn_arena            arena;
    struct tn_fb_schema        schema;
    const struct tn_fb_object *type; /* NULL: not a FlatBuffer                */
    bool                       is_builtin;
};

/* Which table a file contains: `type` in the caller's binary schema (a file of
 * flatc --binary --schema; other schemas are left to protobuf), or in those
 * built into the library.  Call tn_flat_done() in any case. */
enum tn_status tn_flat_find(struct tn_flat *flat, struct tn_memory *memory,
                            const char *schema, const char *type,
                            struct tn_error *error);
void           tn_flat_done(struct tn_flat *flat);

/* Verifies the buffer, then prints it. */
enum tn_status tn_flat_dump(const struct tn_flat *flat, struct tn_span buffer,
                            bool is_strict, const struct tn_target *target,
                            const struct tn_options *options,
                            struct tn_error         *error);

enum tn_status tn_flat_undump(struct tn_flat *flat, struct tn_span text,
                              const struct tn_target  *target,
                              const struct tn_options *options,
                              struct tn_error         *error);

#endif
