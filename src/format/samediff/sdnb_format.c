/* sdnb_format.c - the format sdnb: one file, or shards beside each other */
#include "format/samediff/sdnb.h"

static int sdnb_probe(const struct tn_probe *probe)
{
    struct tn_sdnb_shard shard;

    for (uint64_t i = 0; i < probe->entry_count; i++)
        if (tn_sdnb_shard_name(tn_text(probe->entries[i]), &shard) &&
            shard.has_suffix)
            return 24;
    return !probe->entries && probe->head.size >= 4 &&
                   !memcmp(probe->head.data, TN_SDNB_MAGIC, 4)
               ? 32
               : 0;
}

static enum tn_status sdnb_open(struct tn_bundle *bundle,
                                struct tn_model *model, struct tn_error *error)
{
    struct tn_source **files;
    uint32_t           count;

    TN_TRY(tn_sdnb_siblings(bundle, &files, &count, error));
    TN_TRY(tn_sdnb_read(model, files, count, error));
    const char *stale = tn_sdnb_stale(bundle);
    if (stale[0])
        tn_model_add_fact_format(model, error, "beware",
                                 "Deeplearning4j would load %s instead", stale);
    return error->status;
}

const struct tn_format tn_format_sdnb = {
    .name        = "sdnb",
    .title       = "SameDiff SDNB",
    .dialect     = "nd4j",
    .suffixes    = (const char *const[]){ TN_SDNB_SUFFIX, NULL },
    .dialect_ops = &tn_dialect_nd4j,
    .probe       = sdnb_probe,
    .open        = sdnb_open,
    .write       = tn_sdnb_write,
};
