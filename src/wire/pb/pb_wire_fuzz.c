/* pb_wire_fuzz.c - fields lie side by side, and nothing is left over */
#undef NDEBUG
#include <assert.h>

#include "wire/pb/pb_wire.h"

/* Walks into bodies as if each were a message; most are not, and then only
 * the error tells. */
static void walk(struct tn_cursor c, unsigned depth)
{
    uint64_t           at = c.offset, end = c.offset + tn_left(&c);
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f)) {
        struct tn_span whole = tn_pb_field_span(&c, &f);
        assert(whole.offset == at && whole.length >= 2);
        assert(f.number >= 1 && f.number < 1u << 29);
        at += whole.length;
        assert(at <= end);
        if (f.type != TN_WIRE_LEN && f.type != TN_WIRE_GROUP_BEGIN)
            continue;
        struct tn_span body = tn_pb_body_span(&f);
        assert(body.offset > whole.offset && body.offset + body.length <= at);
        struct tn_error own = TN_ERROR_INIT;
        f.body.error        = &own;
        if (depth < 8)
            walk(f.body, depth + 1);
        assert(f.type == TN_WIRE_LEN || !tn_failed(&own));
    }
    assert(tn_failed(c.error) ? c.error->offset <= end : at == end);
}

static void read_numbers(struct tn_cursor c, enum tn_wire_type type)
{
    struct tn_pb_field f;
    uint64_t           value, count = 0, most = tn_left(&c);

    while (tn_pb_next(&c, &f))
        while (tn_pb_number(&c, &f, type, &value))
            count++;
    assert(count <= most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum tn_wire_type types[] = { TN_WIRE_VARINT, TN_WIRE_FIXED32,
                                               TN_WIRE_FIXED64 };
    struct tn_error                error   = TN_ERROR_INIT;

    walk(tn_cursor_bytes(tn_bytes(data, size), 0, &error), 0);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct tn_error own = TN_ERROR_INIT;
        read_numbers(tn_cursor_bytes(tn_bytes(data, size), 0, &own), types[i]);
    }
    return 0;
}
