/* sdnb_file.c - header and manifest of an SDNB file: who owns which bytes */
#include "base/arith.h"
#include "base/sort.h"
#include "format/samediff/sdnb.h"

static uint64_t load_big(const uint8_t *p, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value = value << 8 | p[i];
    return value;
}

static enum tn_status read_header(struct tn_sdnb_file *file,
                                  struct tn_error     *error)
{
    struct tn_cursor c = tn_cursor_span(
        (struct tn_span){ file->source, 0, file->source->size }, error);
    const uint8_t *head = tn_take(&c, TN_SDNB_HEADER);

    if (!head)
        return error->status;
    if (memcmp(head, TN_SDNB_MAGIC, 4) != 0)
        return tn_error_set(error, TN_MALFORMED, 0, "does not begin with SDNB");
    if (load_big(head + 4, 4) != 1)
        return tn_error_set(error, TN_UNSUPPORTED, 4,
                            "version %" PRIu64 ", only 1 is known",
                            load_big(head + 4, 4));
    file->manifest_offset = load_big(head + 8, 8);
    file->manifest_length = load_big(head + 16, 8);
    if (file->manifest_offset == UINT64_MAX)
        return tn_error_set(error, TN_TRUNCATED, 8,
                            "the file was not written to its end");
    if (load_big(head + 24, 8) != TN_SDNB_HEADER)
        return tn_error_set(error, TN_MALFORMED, 24,
                            "the graph at byte %" PRIu64 ", not at 32",
                            load_big(head + 24, 8));
    if (file->manifest_offset < TN_SDNB_HEADER ||
        file->manifest_offset > file->source->size)
        return tn_error_set(error, TN_TRUNCATED, 8,
                            "the manifest at byte %" PRIu64 " of %" PRIu64,
                            file->manifest_offset, file->source->size);
    if (file->manifest_length > file->source->size - file->manifest_offset)
        return tn_error_set(error, TN_TRUNCATED, 16,
                            "a manifest of %" PRIu64 " bytes, %" PRIu64 " left",
                            file->manifest_length,
                            file->source->size - file->manifest_offset);
    return TN_OK;
}

static enum tn_status read_manifest(struct tn_sdnb_file *file,
                                    struct tn_arena     *arena,
                                    struct tn_error     *error)
{
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ file->source, file->manifest_offset,
                                         file->manifest_length },
                       error);

    if (file->manifest_length == 0)
        return error->status;
    tn_javaser_read(&c, arena, &file->blobs);
    file->is_read = tn_new(arena, bool, file->blobs.count, error);
    for (uint64_t i = 0; i < file->blobs.count && !tn_failed(error); i++)
        tn_intern_borrow(
            &file->names,
            tn_list_at(&file->blobs, struct tn_javaser_entry, i)->key, error);
    return error->status;
}

static bool is_before(const void *left, const void *right)
{
    const struct tn_javaser_entry *a = left, *b = right;

    return a->first != b->first ? a->first < b->first : a->second < b->second;
}

/* Each range inside, none over another; the graph ends where the first begins.
 */
static enum tn_status check_ranges(struct tn_sdnb_file *file,
                                   struct tn_arena     *arena,
                                   struct tn_error     *error)
{
    uint64_t     count = file->blobs.count, begin = TN_SDNB_HEADER;
    const void **order = tn_new(arena, const void *, count, error);

    if (count && !order)
        return error->status;
    for (uint64_t i = 0; i < count; i++)
        order[i] = tn_list_at(&file->blobs, struct tn_javaser_entry, i);
    tn_sort(order, count, is_before);
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_javaser_entry *blob = order[i];
        if (blob->first < (int64_t)begin || blob->second < 0 ||
            !tn_inside((uint64_t)blob->first, (uint64_t)blob->second,
                       file->manifest_offset))
            return tn_error_set(error, TN_MALFORMED, blob->offset,
                                "'%.*s' has bytes %" PRId64 " and %" PRId64
                                " more, which are not free",
                                TN_FMT(blob->key), blob->first, blob->second);
        begin = (uint64_t)blob->first + (uint64_t)blob->second;
    }
    uint64_t end =
        count ? (uint64_t)((const struct tn_javaser_entry *)order[0])->first
              : file->manifest_offset;
    file->graph =
        (struct tn_span){ file->source, TN_SDNB_HEADER, end - TN_SDNB_HEADER };
    return TN_OK;
}

enum tn_status tn_sdnb_file_read(struct tn_sdnb_file *file,
                                 struct tn_source    *source,
                                 struct tn_arena *arena, struct tn_error *error)
{
    *file = (struct tn_sdnb_file){ .source = source };
    tn_list_init(&file->blobs, arena->memory, sizeof(struct tn_javaser_entry));
    tn_intern_init(&file->names, arena);
    if (read_header(file, error) == TN_OK &&
        read_manifest(file, arena, error) == TN_OK)
        check_ranges(file, arena, error);
    if (tn_failed(error))
        tn_error_file(error, source->name);
    return error->status;
}

void tn_sdnb_file_done(struct tn_sdnb_file *file)
{
    tn_list_done(&file->blobs);
    tn_intern_done(&file->names);
}
