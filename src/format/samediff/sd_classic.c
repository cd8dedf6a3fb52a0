/*
 * sd_classic.c - the format samediff-fb: one FlatBuffer that holds everything
 *
 * A file is one FlatGraph, from its first byte to its last, without an
 * identifier, whatever it is called: .fb, .zip, .bin or nothing.  So a probe
 * looks at the structure, as far as it is in the head or the tail of the file.
 */
#include "format/samediff/sd_build.h"
#include "format/registry.h"
#include "format/samediff/sd_check.h"
#include "format/samediff/sd_graph.h"

/* ---- looking ------------------------------------------------------------ */

/* What a probe sees of the file: its head, and where that is shorter, nothing
 * of the middle. */
static bool load(const struct tn_probe *p, uint64_t at, unsigned size,
                 uint64_t *value)
{
    *value = 0;
    if (at > p->head.size || size > p->head.size - at)
        return false;
    *value = tn_load_little(p->head.data + at, size);
    return true;
}

/* A vector of the root table that is there fits into the file. */
static bool has_vector(const struct tn_probe *p, uint64_t root, uint64_t vtable,
                       uint64_t vtable_size, uint16_t slot, bool *is_there)
{
    uint64_t place, distance, count;

    *is_there = false;
    if (4 + 2u * slot + 2 > vtable_size)
        return true;
    if (!load(p, vtable + 4 + 2u * slot, 2, &place))
        return false;
    if (place == 0)
        return true;
    if (!load(p, root + place, 4, &distance) || distance == 0)
        return false;
    uint64_t at = root + place + distance;
    *is_there   = true;
    if (at > p->size || p->size - at < 4)
        return false;
    return !load(p, at, 4, &count) || count <= (p->size - at - 4) / 4;
}

static bool is_graph(const struct tn_probe *p)
{
    uint64_t root, back, vtable_size, table_size;
    bool     has_variables, has_nodes;

    if (p->size < 16 || !load(p, 0, 4, &root) || root < 4 || root % 4 ||
        root > p->size - 4 || !load(p, root, 4, &back))
        return false;
    int64_t vtable = (int64_t)root - (int32_t)(uint32_t)back;
    if (vtable < 4 || !load(p, (uint64_t)vtable, 2, &vtable_size) ||
        !load(p, (uint64_t)vtable + 2, 2, &table_size))
        return false;
    if (vtable_size % 2 || vtable_size < 6 || vtable_size > 132 ||
        table_size < 4 || table_size > p->size - root)
        return false;
    return has_vector(p, root, (uint64_t)vtable, vtable_size,
                      TN_SD_GRAPH_VARIABLES, &has_variables) &&
           has_vector(p, root, (uint64_t)vtable, vtable_size, TN_SD_GRAPH_NODES,
                      &has_nodes) &&
           has_variables;
}

static int classic_probe(const struct tn_probe *probe)
{
    return !probe->entries && is_graph(probe) ? 20 : 0;
}

/* ---- opening ------------------------------------------------------------ */

enum tn_status tn_sd_classic_read(struct tn_model  *model,
                                  struct tn_source *source,
                                  struct tn_error  *error)
{
    struct tn_sd_reader reader;

    tn_sd_reader_init(&reader, model, error);
    if (!tn_failed(error))
        tn_sd_reader_graph(&reader,
                           (struct tn_span){ source, 0, source->size });
    if (!tn_failed(error))
        tn_sd_reader_finish(&reader);
    tn_sd_reader_done(&reader);
    return error->status;
}

static enum tn_status classic_open(struct tn_bundle *bundle,
                                   struct tn_model  *model,
                                   struct tn_error  *error)
{
    if (!bundle->main)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "this is a folder, not a SameDiff graph");
    return tn_sd_classic_read(model, bundle->main, error);
}

/* ---- writing ------------------------------------------------------------ */

/* Big-endian, as Java up to M2.1 expects whatever byteOrder says. */
static enum tn_status build(const struct tn_model         *model,
                            const struct tn_write_options *options,
                            struct tn_arena *arena, struct tn_sink *sink,
                            struct tn_error *error)
{
    static const struct tn_sd_part part = { .how = { TN_SD_FORM_BIG, 1, NULL },
                                            .has_graph  = true,
                                            .has_data   = true,
                                            .has_states = true };
    struct tn_sd_content           content;
    struct tn_rope                 rope;

    tn_sd_lose_all_beside(options, model);
    tn_rope_init(&rope, arena, error);
    if (tn_sd_content_make(&content, model, 0, options, arena, error) ==
        TN_OK) {
        tn_sd_build_losses(&content, &part);
        if (tn_sd_build(&content, &part, &rope) == TN_OK)
            tn_rope_write(&rope, sink, error);
    }
    tn_sd_content_done(&content);
    tn_rope_done(&rope);
    return error->status;
}

static enum tn_status classic_write(const struct tn_model         *model,
                                    const struct tn_write_options *options,
                                    struct tn_output              *to,
                                    struct tn_error               *error)
{
    struct tn_arena arena;
    struct tn_sink *sink;

    TN_TRY(tn_output_main(to, &sink, error));
    if (tn_sd_is_as_read(model, options, &tn_format_samediff_fb)) {
        *options->tensors_moved += model->tensors.count;
        TN_TRY(tn_sink_splice(sink, model->wire, error));
    } else {
        tn_arena_init(&arena, model->memory);
        build(model, options, &arena, sink, error);
        tn_arena_done(&arena);
    }
    if (!tn_failed(error) && options->meter)
        tn_meter_add(options->meter, sink->offset, error);
    return error->status;
}

const struct tn_format tn_format_samediff_fb = {
    .name          = "samediff-fb",
    .title         = "SameDiff FlatBuffers graph",
    .dialect       = "nd4j",
    .suffixes      = (const char *const[]){ ".fb", NULL },
    .flat          = "sd.graph.FlatGraph",
    .dialect_ops   = &tn_dialect_nd4j,
    .probe         = classic_probe,
    .open          = classic_open,
    .check         = tn_sd_check,
    .check_graph   = tn_sd_check_graph,
    .lays_out_anew = true,
    .write         = classic_write,
    .describe      = tn_sd_describe,
    .report_rest   = tn_sd_report_rest,
};
