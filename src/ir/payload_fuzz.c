/*
 * payload_fuzz.c - any bytes as any payload, mapped and not, whole and in parts
 *
 *   u8 dtype, u8 encoding, u8 per_byte, u8 dims[3], u8 stored (255: all), then
 *   the span; of three dims 0 ends the list
 */
#include "ir/payload.h"

#include <assert.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/buffer.h"

#define FRONT 7

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct far_source {
    struct tn_source source; /* first */
    const uint8_t   *data;
};

static enum tn_status far_read(struct tn_source *source, uint64_t offset,
                               void *to, size_t size, struct tn_error *error)
{
    (void)error;
    assert(tn_inside(offset, size, source->size));
    memcpy(to, ((struct far_source *)source)->data + offset, size);
    return TN_OK;
}

static void far_close(struct tn_source *source)
{
    (void)source;
}

static const struct tn_source_ops far_ops = { far_read, far_close };

static enum tn_status count_string(void *context, uint64_t index,
                                   struct tn_span text, struct tn_error *error)
{
    (void)error;
    assert(index == (*(uint64_t *)context)++);
    assert(!text.source ||
           tn_inside(text.offset, text.length, text.source->size));
    return TN_OK;
}

static enum tn_status stream(const struct tn_elements *e, uint64_t first,
                             uint64_t count, struct tn_buffer *to,
                             struct tn_error *error)
{
    *error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(to, to->memory, error);
    return tn_payload_stream(e, first, count, to->memory, &to->sink, error);
}

/* Both sources give the same, and a part is a part of the whole. */
static void compare(struct tn_elements *e, struct tn_source *near,
                    struct tn_source *far, struct tn_memory *memory)
{
    struct tn_error  error, far_error;
    struct tn_buffer whole = { .memory = memory }, other = { .memory = memory };
    unsigned         size = tn_dtype_size(e->shape.dtype);
    uint64_t         count;

    assert(tn_shape_count(&e->shape, &count));
    e->payload.span.source = near;
    enum tn_status status  = stream(e, 0, count, &whole, &error);
    e->payload.span.source = far;
    assert(stream(e, 0, count, &other, &far_error) == status);
    assert(error.offset == far_error.offset);
    if (status == TN_OK) {
        assert(whole.size == count * size);
        assert(
            tn_bytes_equal(tn_buffer_bytes(&whole), tn_buffer_bytes(&other)));
    }
    tn_buffer_done(&other);
    uint64_t first = count / 3, n = (count - first) / 2;
    if (status == TN_OK) {
        assert(stream(e, first, n, &other, &far_error) == TN_OK);
        assert(other.size == n * size);
        assert(!n || !memcmp(other.data, whole.data + first * size, n * size));
        tn_buffer_done(&other);
    }
    tn_buffer_done(&whole);
}

static void visit(const struct tn_elements *e)
{
    struct tn_error error = TN_ERROR_INIT;
    uint64_t        count, seen = 0;

    assert(tn_shape_count(&e->shape, &count));
    if (tn_payload_strings(e, 0, count, count_string, &seen, &error) == TN_OK)
        assert(seen == count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_memory  memory;
    struct tn_source  near;
    struct far_source far   = { .data = data };
    struct tn_error   error = TN_ERROR_INIT;
    uint64_t          dims[3];

    if (size < FRONT)
        return 0;
    struct tn_elements e = {
        { (enum tn_dtype)(data[0] % TN_DTYPE_COUNT), 0, dims },
        { .span         = { &near, FRONT, size - FRONT },
          .stored       = data[6],
          .is_uncounted = data[6] == 255,
          .field        = 7,
          .encoding     = data[1] % TN_ENCODING_VIEW,
          .per_byte     = data[2] % 5 },
    };
    for (; e.shape.rank < 3 && data[3 + e.shape.rank]; e.shape.rank++)
        dims[e.shape.rank] = data[3 + e.shape.rank] % 48;
    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&near, &memory, tn_bytes(data, size));
    far.source = (struct tn_source){
        .ops = &far_ops, .size = size, .name = "", .memory = &memory
    };
    tn_arena_init(&far.source.pins, &memory);
    compare(&e, &near, &far.source, &memory);
    visit(&e);
    tn_payload_check(&e, &error);
    assert(memory.used == 0);
    return 0;
}
