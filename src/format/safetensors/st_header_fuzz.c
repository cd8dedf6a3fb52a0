/* st_header_fuzz.c - what is read covers the data; a report agrees with it */
#include "format/safetensors/st_header.h"
#include "format/weight_map.h"

#include <assert.h>

#include "base/arith.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count_nothing(void *context, enum tn_finding_level level,
                         const char *rule, const struct tn_error *finding)
{
    (void)context;
    (void)level;
    assert(rule[0] && finding->what[0]);
    return 0;
}

static void check_tensors(const struct tn_st_file *file, uint64_t size)
{
    uint64_t total = 0;

    for (uint64_t i = 0; i < file->tensors.count; i++) {
        const struct tn_st_tensor *t =
            tn_list_at(&file->tensors, struct tn_st_tensor, i);
        assert(t->begin <= t->end && t->end <= size - file->data);
        assert(tn_inside(t->wire.offset, t->wire.length, file->data));
        total += t->end - t->begin;
    }
    assert(total == size - file->data);
}

/* With and without a report: both must agree on whether all is well. */
static enum tn_status read_once(struct tn_source *source,
                                struct tn_report *report,
                                struct tn_memory *memory)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_arena   arena;
    struct tn_st_file file;

    tn_arena_init(&arena, memory);
    tn_st_file_init(&file, memory);
    tn_st_file_read(&file, source, &arena, report, &error);
    if (error.status == TN_OK && !report)
        check_tensors(&file, source->size);
    assert(error.status == TN_OK || error.what[0]);
    tn_st_file_done(&file);
    tn_arena_done(&arena);
    return error.status;
}

static void read_index(struct tn_source *source, struct tn_memory *memory)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_arena    arena;
    struct tn_weight_map index;

    tn_arena_init(&arena, memory);
    tn_weight_map_init(&index, memory);
    tn_weight_map_read(&index, source, &arena, &error);
    tn_weight_map_done(&index);
    tn_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_report report = { .each = count_nothing };
    struct tn_memory memory;
    struct tn_source source;

    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, tn_bytes(data, size));
    bool is_good    = read_once(&source, NULL, &memory) == TN_OK;
    bool is_clean   = read_once(&source, &report, &memory) == TN_OK;
    bool is_praised = is_clean && report.counts[TN_LEVEL_ERROR] == 0;
    assert(is_good == is_praised);
    read_index(&source, &memory);
    tn_source_close(&source);
    return 0;
}
