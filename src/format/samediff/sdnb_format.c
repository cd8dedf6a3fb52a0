/* sdnb_format.c - the format sdnb: one file, or shards beside each other */
#include "format/samediff/sd_check.h"
#include "format/samediff/sdnb.h"
#include "format/settings.h"
#include "ir/changes.h"

static int sdnb_probe(const struct tn_probe *probe)
{
    return !probe->entries && probe->head.size >= 4 &&
                   !memcmp(probe->head.data, TN_SDNB_MAGIC, 4)
               ? 32
               : 0;
}

/* The first of the shards that are there stands for all. */
static bool is_part_of(const char *name, const char *other)
{
    struct tn_sdnb_shard shard, first;

    return tn_sdnb_shard_name(tn_text(name), &shard) &&
           tn_sdnb_shard_name(tn_text(other), &first) &&
           tn_bytes_equal(shard.base, first.base) &&
           shard.count == first.count && first.index < shard.index;
}

static enum tn_status sdnb_open(struct tn_bundle *bundle,
                                struct tn_model *model, struct tn_error *error)
{
    struct tn_source **files;
    uint32_t           count;

    TN_TRY(tn_sdnb_siblings(bundle, model->is_lax, &files, &count, error));
    TN_TRY(tn_sdnb_read(model, files, count, error));
    const char *stale = tn_sdnb_stale(bundle);
    if (stale[0])
        tn_model_add_fact_format(model, error, "beware",
                                 "Deeplearning4j would load %s instead", stale);
    return error->status;
}

static void check_tail(struct tn_source *source, struct tn_report *report)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_arena     arena;
    struct tn_sdnb_file file;

    tn_arena_init(&arena, source->memory);
    tn_sdnb_file_read(&file, source, &arena, &error);
    uint64_t end = file.manifest_offset + file.manifest_length;
    if (!tn_failed(&error) && end != source->size)
        tn_report_format(
            report, TN_LEVEL_WARNING, "trailing-bytes", source->name, end, "",
            "%" PRIu64 " bytes behind the manifest", source->size - end);
    tn_sdnb_file_done(&file);
    tn_arena_done(&arena);
}

static enum tn_status sdnb_check(struct tn_bundle      *bundle,
                                 const struct tn_model *model,
                                 struct tn_report      *report,
                                 struct tn_error       *error)
{
    const char        *stale = tn_sdnb_stale(bundle);
    struct tn_source **files;
    uint32_t           count;

    TN_TRY(tn_sd_check(bundle, model, report, error));
    TN_TRY(tn_sdnb_siblings(bundle, model->is_lax, &files, &count, error));
    for (uint32_t i = 0; i < count; i++)
        if (files[i])
            check_tail(files[i], report);
    if (stale[0])
        tn_report_format(report, TN_LEVEL_WARNING, "stale-shards", stale,
                         TN_NOWHERE, "",
                         "Deeplearning4j would load this instead");
    return TN_OK;
}

static const struct tn_format_setting lax = {
    .says  = { .name           = "lax",
               .kind           = TN_OPTION_FLAG,
               .is_for_reading = true,
               .help           = "accept missing or mismatched shards" },
    .field = TN_READ_FIELD(is_lax),
};

const struct tn_format_setting *const tn_sdnb_settings[] = {
    &tn_setting_shard_size,
    &lax,
    NULL,
};

const struct tn_format tn_format_sdnb = {
    .name          = "sdnb",
    .title         = "SameDiff SDNB",
    .dialect       = "nd4j",
    .suffixes      = (const char *const[]){ TN_SDNB_SUFFIX, NULL },
    .dialect_ops   = &tn_dialect_nd4j,
    .probe         = sdnb_probe,
    .open          = sdnb_open,
    .is_part_of    = is_part_of,
    .check         = sdnb_check,
    .check_graph   = tn_sd_check_graph,
    .lays_out_anew = true,
    .settings      = tn_sdnb_settings,
    .write         = tn_sdnb_write,
    .describe      = tn_sd_describe,
    .report_rest   = tn_sd_report_rest,
    .has_about     = true,
    .texts         = 1u << TN_TEXT_METADATA,
};
