/* wire_watch.c - whether bytes that pass by are whole fields */
#include "chunk/wire_watch.h"

#include <string.h>

#include "base/arith.h"

#define ODD SIZE_MAX

void tn_wire_watch_init(struct tn_wire_watch *watch)
{
    *watch = (struct tn_wire_watch){ .body = 0 };
}

/* How long the varint is: 0 when it does not end here, ODD when it has more
 * than 64 bits. */
static inline size_t take_varint(const uint8_t *at, size_t left,
                                 uint64_t *value)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < left; i++) {
        if (i == TN_VARINT_MAX - 1 && at[i] > 1)
            return ODD;
        sum |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if (at[i] < 0x80) {
            *value = sum;
            return i + 1;
        }
    }
    return 0;
}

/* How long tag and number or length are; *body is what comes after them. */
static inline size_t take_head(const uint8_t *at, size_t left, uint64_t *body)
{
    uint64_t tag  = 0, value;
    size_t   size = take_varint(at, left, &tag);

    if (size == 0 || size == ODD)
        return size;
    if (tag >> 32 || tag < 8)
        return ODD;
    *body = 0;
    switch (tag & 7) {
    case TN_WIRE_FIXED64: *body = 8; return size;
    case TN_WIRE_FIXED32: *body = 4; return size;
    case TN_WIRE_VARINT:
    case TN_WIRE_LEN: break;
    default: return ODD;
    }
    size_t more = take_varint(at + size, left - size, &value);
    if ((tag & 7) == TN_WIRE_LEN && more != ODD && more)
        *body = value;
    return more == ODD || more == 0 ? more : size + more;
}

/* What a window ended in, and what goes on in the next one. */
static size_t go_on(struct tn_wire_watch *watch, struct tn_bytes window)
{
    size_t before = watch->held;
    size_t added  = tn_min_size(window.size, sizeof watch->head - before);

    memcpy(watch->head + before, window.data, added);
    size_t size = take_head(watch->head, before + added, &watch->body);
    if (size == ODD) {
        watch->is_odd = true;
        return added;
    }
    watch->held = size ? 0 : before + added;
    return size ? size - before : added;
}

void tn_wire_watch_see(struct tn_wire_watch *watch, struct tn_bytes window)
{
    while (window.size && !watch->is_odd) {
        size_t taken = 0;
        if (watch->body) {
            taken = (size_t)tn_min(watch->body, window.size);
            watch->body -= taken;
        } else if (watch->held) {
            taken = go_on(watch, window);
        } else {
            taken = take_head(window.data, window.size, &watch->body);
            if (taken == 0 || taken == ODD)
                taken = go_on(watch, window);
        }
        window = tn_bytes(window.data + taken, window.size - taken);
    }
}

bool tn_wire_watch_is_whole(const struct tn_wire_watch *watch)
{
    return !watch->is_odd && watch->body == 0 && watch->held == 0;
}
