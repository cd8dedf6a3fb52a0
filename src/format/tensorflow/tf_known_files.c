/* tf_known_files.c - files of a SavedModel whose names are known */
#include "format/tensorflow/tf_known_files.h"

#include "base/intern.h"
#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_bundle.h"

struct telling {
    struct tn_bundle *bundle;
    struct tn_arena  *arena;
    struct tn_intern  told;
    tn_tf_on_file    *on;
    void             *context;
    struct tn_error  *error;
};

/* Several graphs may have the same asset. */
static void tell(struct telling *t, const char *name)
{
    if (!name || tn_failed(t->error) ||
        tn_intern_find(&t->told, tn_text(name)) != TN_NO_NAME ||
        !tn_bundle_has(t->bundle, name))
        return;
    tn_intern_copy(&t->told, tn_text(name), t->error);
    if (!tn_failed(t->error))
        t->on(t->context, name, t->error);
}

static void tell_assets(struct telling *t, const struct tn_tf_meta *meta)
{
    for (uint32_t i = 0; i < meta->asset_count; i++)
        if (!tn_bytes_find(meta->assets[i], 0))
            tell(t, tn_text_format(t->arena, t->error, "assets/%.*s",
                                   TN_FMT(meta->assets[i])));
}

enum tn_status tn_tf_known_files(const struct tn_model *model,
                                 struct tn_bundle      *bundle,
                                 struct tn_arena *arena, tn_tf_on_file *on,
                                 void *context, struct tn_error *error)
{
    static const char *const known[] = {
        "fingerprint.pb",
        "keras_metadata.pb",
        "tfhub_module.pb",
        "debug/saved_model_debug_info.pb",
        "variables/variables.index",
    };
    const struct tn_tf_detail *detail = tn_tf_detail_of(model);
    const struct tn_tf_bundle *table  = detail->table;
    struct telling             t      = { .bundle  = bundle,
                                          .arena   = arena,
                                          .on      = on,
                                          .context = context,
                                          .error   = error };

    tn_intern_init(&t.told, arena);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        tell(&t, known[i]);
    for (uint32_t i = 0; table && i < table->shard_count; i++)
        tell(&t, tn_text_format(arena, error, "%s.data-%05u-of-%05u",
                                table->prefix, i, table->shard_count));
    for (uint32_t i = 0; i < detail->meta_count; i++)
        tell_assets(&t, &detail->metas[i]);
    tn_intern_done(&t.told);
    return error->status;
}
