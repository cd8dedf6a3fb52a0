/* dump_flat.c - any FlatBuffer as JSON, and back */
#include "engine/dump_flat.h"

#include "engine/read_file.h"
#include "engine/target.h"
#include "wire/fb/fb_builtin.h"
#include "wire/fb/fb_json_read.h"
#include "wire/fb/fb_json_write.h"
#include "wire/fb/fb_verify.h"

/* ---- which type --------------------------------------------------------- */

/* Finds nothing if the file is not a binary schema, which has an identifier in
 * its fifth to eighth byte. */
static enum tn_status load_file(struct tn_flat *flat, const char *path,
                                const char *type, struct tn_error *error)
{
    struct tn_bytes set;

    TN_TRY(tn_read_file(&flat->arena, path, "a schema", &set, error));
    if (set.size < 8 || memcmp(set.data + 4, "BFBS", 4) != 0)
        return TN_OK;
    if (tn_fb_schema_load(&flat->schema, &flat->arena, set, error) == TN_OK) {
        flat->type = tn_fb_schema_find(&flat->schema, type);
        if (!flat->type || flat->type->is_struct)
            tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                         "the schema has no table '%s'", type);
    }
    if (tn_failed(error))
        tn_error_file(error, path);
    return error->status;
}

/* The schema whose root it is comes first: only there it has an identifier. */
static enum tn_status find_builtin(struct tn_flat *flat, const char *type,
                                   struct tn_error *error)
{
    flat->is_builtin = true;
    for (int i = 0; i < 2 * TN_FB_BUILTIN_COUNT && !flat->type; i++) {
        enum tn_fb_builtin which =
            (enum tn_fb_builtin)(i % TN_FB_BUILTIN_COUNT);
        TN_TRY(tn_fb_schema_load_builtin(&flat->schema, &flat->arena, which,
                                         error));
        flat->type = tn_fb_schema_find(&flat->schema, type);
        if (i < TN_FB_BUILTIN_COUNT && flat->type != flat->schema.root)
            flat->type = NULL;
    }
    return TN_OK;
}

enum tn_status tn_flat_find(struct tn_flat *flat, struct tn_memory *memory,
                            const char *schema, const char *type,
                            struct tn_error *error)
{
    *flat = (struct tn_flat){ 0 };
    tn_arena_init(&flat->arena, memory);
    if (schema && type)
        return load_file(flat, schema, type, error);
    return type ? find_builtin(flat, type, error) : TN_OK;
}

void tn_flat_done(struct tn_flat *flat)
{
    tn_arena_done(&flat->arena);
}

/* ---- dump and undump ---------------------------------------------------- */

struct dumping {
    const struct tn_flat *flat;
    struct tn_span        buffer;
    bool                  is_strict;
};

static enum tn_status fill_dump(void *context, struct tn_sink *to,
                                struct tn_error *error)
{
    const struct dumping       *d      = context;
    struct tn_memory           *memory = d->flat->arena.memory;
    struct tn_fb_verify_options verify = {
        .allow_end_as_null = d->flat->is_builtin && !d->is_strict
    };
    struct tn_fb_json_options how = { .is_pretty = true,
                                      .is_strict = d->is_strict };
    struct tn_arena           arena;
    struct tn_fb              fb;

    tn_arena_init(&arena, memory);
    if (tn_fb_open(&fb, d->buffer, &arena, error) == TN_OK &&
        tn_fb_verify(&fb, d->flat->type, &verify, NULL, memory) == TN_OK)
        tn_fb_json_write(&fb, d->flat->type, &how, to, memory);
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_flat_dump(const struct tn_flat *flat, struct tn_span buffer,
                            bool is_strict, const struct tn_target *target,
                            const struct tn_options *options,
                            struct tn_error         *error)
{
    struct dumping dumping = { flat, buffer, is_strict };
    uint64_t       most =
        tn_expand_most(options ? options->max_expand : 0, buffer.length);

    return tn_target_write(target, options, most, flat->arena.memory, fill_dump,
                           &dumping, NULL, error);
}

static enum tn_status fill_rope(void *context, struct tn_sink *to,
                                struct tn_error *error)
{
    return tn_rope_write(context, to, error);
}

enum tn_status tn_flat_undump(struct tn_flat *flat, struct tn_span text,
                              const struct tn_target  *target,
                              const struct tn_options *options,
                              struct tn_error         *error)
{
    struct tn_rope rope;

    tn_rope_init(&rope, &flat->arena, error);
    if (tn_fb_json_read(&flat->schema, flat->type, text, &rope, error) == TN_OK)
        tn_target_write(target, options, 0, flat->arena.memory, fill_rope,
                        &rope, NULL, error);
    tn_rope_done(&rope);
    return error->status;
}
