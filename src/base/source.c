/* source.c - what all sources share, and the one over memory */
#include "base/source.h"

#include <inttypes.h>

#include "base/arith.h"

/* Windows of a source that is hopped over, and all of them together: past that
 * it is structure, not weights, and a page fault for each page is cheaper than
 * memory of our own. */
#define HOP_MIN  UINT64_C(512)
#define HOP_MAX  (UINT64_C(64) << 10)
#define HOPS_MAX (UINT64_C(2) << 20)

static enum tn_status memory_read_at(struct tn_source *source, uint64_t offset,
                                     void *to, size_t size,
                                     struct tn_error *error)
{
    (void)error;
    memcpy(to, source->map + offset, size);
    return TN_OK;
}

static void memory_close(struct tn_source *source)
{
    (void)source;
}

static const struct tn_source_ops memory_ops = { memory_read_at, memory_close };

void tn_source_memory(struct tn_source *source, struct tn_memory *memory,
                      struct tn_bytes bytes)
{
    static const uint8_t nothing[1];

    *source = (struct tn_source){
        .ops    = &memory_ops,
        .size   = bytes.size,
        .map    = bytes.data ? bytes.data : nothing,
        .name   = "",
        .memory = memory,
    };
    tn_arena_init(&source->pins, memory);
}

void tn_source_close(struct tn_source *source)
{
    if (!source)
        return;
    tn_source_map(source); /* which is given back with it */
    tn_arena_done(&source->pins);
    source->ops->close(source);
}

static enum tn_status check_range(struct tn_source *source, uint64_t offset,
                                  uint64_t size, struct tn_error *error)
{
    if (tn_inside(offset, size, source->size))
        return TN_OK;
    tn_error_set(error, TN_TRUNCATED, offset,
                 "need %" PRIu64 " bytes, the file has %" PRIu64, size,
                 source->size);
    tn_error_file(error, source->name);
    return error->status;
}

enum tn_status tn_source_read(struct tn_source *source, uint64_t offset,
                              void *to, size_t size, struct tn_error *error)
{
    TN_TRY(check_range(source, offset, size, error));
    if (size == 0)
        return TN_OK;
    enum tn_status status =
        source->ops->read_at(source, offset, to, size, error);
    if (status != TN_OK)
        tn_error_file(error, source->name);
    return status;
}

static struct tn_bytes read_into(struct tn_source *source, uint64_t offset,
                                 void *room, size_t size,
                                 struct tn_error *error)
{
    return tn_source_read(source, offset, room, size, error) == TN_OK
               ? tn_bytes(room, size)
               : tn_bytes(NULL, 0);
}

struct tn_bytes tn_source_take(struct tn_source *source, uint64_t offset,
                               uint64_t most, void *room, size_t room_size,
                               struct tn_error *error)
{
    size_t   size = tn_min_size(most, room_size);
    uint64_t got  = 0;

    if (most > room_size && room_size >= TN_WHOLE)
        size -= size % TN_WHOLE;
    if (!source->lend)
        return read_into(source, offset, room, size, error);
    if (check_range(source, offset, most, error) != TN_OK)
        return tn_bytes(NULL, 0);
    const uint8_t *data = source->lend(source, offset, most, &got, error);
    if (!data) {
        tn_error_file(error, source->name);
        return tn_bytes(NULL, 0);
    }
    if (got == most || room_size < TN_WHOLE)
        return tn_bytes(data, (size_t)got);
    if (got >= TN_WHOLE)
        return tn_bytes(data, (size_t)(got - got % TN_WHOLE));
    /* An element that crosses the end of a window is assembled from both
     * parts. */
    struct tn_bytes whole =
        read_into(source, offset, room, tn_min_size(most, TN_WHOLE), error);
    source->give_back(source, offset, (size_t)got);
    return whole;
}

const uint8_t *tn_source_look(struct tn_source *source, uint64_t offset,
                              uint64_t *got)
{
    *got = source->size - offset;
    if (source->map)
        return source->map + offset;
    return source->look ? source->look(source, offset, got) : NULL;
}

static const uint8_t *find_recent(const struct tn_source *source,
                                  uint64_t offset, uint64_t size, uint64_t *got)
{
    for (unsigned i = 0; i < TN_RECENT_PINS; i++) {
        const struct tn_pin *pin = &source->recent[i];
        if (!pin->data || offset < pin->offset ||
            !tn_inside(offset - pin->offset, size, pin->size))
            continue;
        *got = pin->size - (offset - pin->offset);
        return pin->data + (offset - pin->offset);
    }
    return NULL;
}

static const uint8_t *read_block(struct tn_source *source, uint64_t offset,
                                 uint64_t size, struct tn_error *error)
{
    uint8_t *block = tn_arena_alloc(&source->pins, size, 1, error);

    if (!block ||
        tn_source_read(source, offset, block, (size_t)size, error) != TN_OK)
        return NULL;
    source->recent[source->next_recent++ % TN_RECENT_PINS] =
        (struct tn_pin){ block, offset, size };
    return block;
}

/* How many bytes to read at `offset` of a source that is read in jumps: few
 * after a jump, since the next jump is near, and more and more while there is
 * none.  Skipping no more than was just read does not count as a jump; neither
 * does a single look elsewhere, as at the end of the file. 0: use the mapping
 * from now on. */
static uint64_t next_hop(const struct tn_source *source, uint64_t offset,
                         uint64_t size)
{
    uint64_t most = HOP_MIN;

    if (source->aside && (size > HOP_MAX || source->hopped > HOPS_MAX))
        return 0;
    for (unsigned i = 0; i < TN_RECENT_PINS; i++) {
        const struct tn_pin *pin     = &source->recent[i];
        bool                 goes_on = pin->data && offset >= pin->offset &&
                       (offset - pin->offset) / 2 <= pin->size;
        if (goes_on)
            most = tn_max(most, tn_min(pin->size * 2, HOP_MAX));
    }
    return tn_max(most, size);
}

const uint8_t *tn_source_window(struct tn_source *source, uint64_t offset,
                                uint64_t size, uint64_t most, uint64_t *got,
                                struct tn_error *error)
{
    if (check_range(source, offset, size, error) != TN_OK)
        return NULL;
    const uint8_t *bytes = tn_source_look(source, offset, got);
    if (bytes && *got >= size)
        return bytes;
    bytes = find_recent(source, offset, size, got);
    if (bytes)
        return bytes;
    if (source->is_far) {
        most = tn_min(most, next_hop(source, offset, size));
    } else if (source->aside) {
        most = next_hop(source, offset, size);
        if (!most) {
            *got = source->size - offset;
            return tn_source_map(source) + offset;
        }
    }
    *got = tn_min(tn_max(size, most), source->size - offset);
    source->hopped += source->aside ? *got : 0;
    return read_block(source, offset, *got, error);
}

const uint8_t *tn_source_pin(struct tn_source *source, uint64_t offset,
                             size_t size, struct tn_error *error)
{
    uint64_t got;

    return tn_source_window(source, offset, size, size, &got, error);
}
