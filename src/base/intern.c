/* intern.c - names as 32-bit numbers, each stored once */
#include "base/intern.h"

#define FIRST_SLOTS 64

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t low = a * b; /* the low half is enough after the fold below */

    return low ^ low >> 32 ^ a >> 29;
}

static uint64_t load(const uint8_t *from, size_t size)
{
    uint64_t word = 0;

    memcpy(&word, from, size);
    return word;
}

/* Multiply and fold, eight bytes at a time. */
uint32_t tn_hash_bytes(struct tn_bytes bytes, uint64_t seed)
{
    uint64_t       hash = seed ^ bytes.size;
    const uint8_t *at   = bytes.data;
    size_t         left = bytes.size;

    for (; left >= 8; at += 8, left -= 8)
        hash = mix(hash ^ load(at, 8), UINT64_C(0xd6e8feb86659fd93));
    if (left)
        hash = mix(hash ^ load(at, left), UINT64_C(0xd6e8feb86659fd93));
    hash = mix(hash, UINT64_C(0xe7037ed1a0b428db));
    return (uint32_t)(hash ^ hash >> 32);
}

void tn_intern_init(struct tn_intern *table, struct tn_arena *arena)
{
    *table = (struct tn_intern){ .arena = arena };
    table->seed =
        mix((uint64_t)(uintptr_t)table, UINT64_C(0x9e3779b97f4a7c15));
    tn_list_init(&table->names, arena->memory, sizeof(struct tn_bytes));
}

static void free_slots(struct tn_intern *table)
{
    uint64_t size = table->slot_count * sizeof *table->slots;

    tn_memory_free(table->names.memory, table->slots, size);
    tn_memory_free(table->names.memory, table->hashes, size);
    table->slots = table->hashes = NULL;
    table->slot_count            = 0;
}

void tn_intern_done(struct tn_intern *table)
{
    free_slots(table);
    tn_list_done(&table->names);
}

/* The slot that holds the text, or the free one where it belongs. */
static uint64_t find_slot(const struct tn_intern *table, struct tn_bytes text,
                          uint32_t hash)
{
    uint64_t mask = table->slot_count - 1;
    uint64_t slot = hash & mask;

    for (; table->slots[slot]; slot = (slot + 1) & mask) {
        uint32_t id = table->slots[slot] - 1;
        if (table->hashes[slot] == hash &&
            tn_bytes_equal(tn_intern_text(table, id), text))
            break;
    }
    return slot;
}

static void place(struct tn_intern *table, uint32_t entry, uint32_t hash)
{
    uint64_t mask = table->slot_count - 1;
    uint64_t slot = hash & mask;

    while (table->slots[slot])
        slot = (slot + 1) & mask;
    table->slots[slot]  = entry;
    table->hashes[slot] = hash;
}

static bool grow(struct tn_intern *table, struct tn_error *error)
{
    struct tn_intern old   = *table;
    uint64_t         count = old.slot_count ? old.slot_count * 2 : FIRST_SLOTS;
    uint64_t         size  = count * sizeof *table->slots;
    struct tn_memory *memory = table->names.memory;

    uint32_t *slots  = tn_memory_resize(memory, NULL, 0, size, error);
    uint32_t *hashes = tn_memory_resize(memory, NULL, 0, size, error);
    if (!slots || !hashes) {
        tn_memory_free(memory, slots, size);
        tn_memory_free(memory, hashes, size);
        return false;
    }
    memset(slots, 0, (size_t)size);
    table->slots      = slots;
    table->hashes     = hashes;
    table->slot_count = count;
    for (uint64_t i = 0; i < old.slot_count; i++)
        if (old.slots[i])
            place(table, old.slots[i], old.hashes[i]);
    free_slots(&old);
    return true;
}

static uint32_t add(struct tn_intern *table, struct tn_bytes text,
                    bool is_borrowed, struct tn_error *error)
{
    if (table->names.count * 4 >= table->slot_count * 3 && !grow(table, error))
        return TN_NO_NAME;
    uint32_t hash = tn_hash_bytes(text, table->seed);
    uint64_t slot = find_slot(table, text, hash);
    if (table->slots[slot])
        return table->slots[slot] - 1;
    if (table->names.count >= TN_NO_NAME - 1) {
        tn_error_set(error, TN_LIMIT, TN_NOWHERE, "more than 2^32 names");
        return TN_NO_NAME;
    }
    if (!is_borrowed)
        text = tn_bytes_dup(table->arena, text, error);
    if (tn_failed(error))
        return TN_NO_NAME;
    struct tn_bytes *name = tn_list_push(&table->names, struct tn_bytes, error);
    if (!name)
        return TN_NO_NAME;
    *name               = text;
    table->slots[slot]  = (uint32_t)table->names.count;
    table->hashes[slot] = hash;
    return (uint32_t)table->names.count - 1;
}

uint32_t tn_intern_borrow(struct tn_intern *table, struct tn_bytes text,
                          struct tn_error *error)
{
    return add(table, text, true, error);
}

uint32_t tn_intern_copy(struct tn_intern *table, struct tn_bytes text,
                        struct tn_error *error)
{
    return add(table, text, false, error);
}

uint32_t tn_intern_find(const struct tn_intern *table, struct tn_bytes text)
{
    if (!table->slot_count)
        return TN_NO_NAME;
    uint64_t slot = find_slot(table, text, tn_hash_bytes(text, table->seed));
    return table->slots[slot] ? table->slots[slot] - 1 : TN_NO_NAME;
}
