/* intern.c - names as 32-bit numbers, each stored once */
#include "base/intern.h"

#include "base/mix.h"

#define FIRST_SLOTS 64

static uint64_t load64(const uint8_t *from)
{
    uint64_t word;

    memcpy(&word, from, sizeof word);
    return word;
}

/* Up to seven bytes; which ones come twice follows from the size. */
static uint64_t load_few(const uint8_t *from, size_t size)
{
    uint32_t head, tail;

    if (size >= 4) {
        memcpy(&head, from, sizeof head);
        memcpy(&tail, from + size - sizeof tail, sizeof tail);
        return (uint64_t)head << 32 | tail;
    }
    if (size == 0)
        return 0;
    return (uint64_t)from[0] << 16 | (uint64_t)from[size / 2] << 8 |
           from[size - 1];
}

/* Multiplies and folds eight bytes at a time, by a factor that comes from the
 * seed. The last eight bytes overlap those before them, which costs less than
 * taking them one by one. */
uint32_t tn_hash_bytes(struct tn_bytes bytes, uint64_t seed)
{
    const uint64_t factor = tn_mix(seed ^ UINT64_C(0xd6e8feb86659fd93),
                                   UINT64_C(0xe7037ed1a0b428db)) |
                            1;
    uint64_t       hash = seed ^ bytes.size;
    const uint8_t *at   = bytes.data;
    size_t         left = bytes.size;

    for (; left > 8; at += 8, left -= 8)
        hash = tn_mix(hash ^ load64(at), factor);
    if (bytes.size >= 8)
        hash = tn_mix(hash ^ load64(at + left - 8), factor);
    else
        hash = tn_mix(hash ^ load_few(at, left), factor);
    hash = tn_mix(hash, factor);
    return (uint32_t)(hash ^ hash >> 32);
}

void tn_intern_init(struct tn_intern *table, struct tn_arena *arena)
{
    *table      = (struct tn_intern){ .arena = arena };
    table->seed = tn_mix_seed(table);
    tn_list_init(&table->names, arena->memory, sizeof(struct tn_bytes));
}

static void free_slots(struct tn_intern *table)
{
    tn_memory_free(table->names.memory, table->slots,
                   table->slot_count * sizeof *table->slots);
    table->slots      = NULL;
    table->slot_count = 0;
}

void tn_intern_done(struct tn_intern *table)
{
    free_slots(table);
    tn_list_done(&table->names);
}

/* The slot that holds the text, or the free one where it belongs. */
static struct tn_intern_slot *find_slot(const struct tn_intern *table,
                                        struct tn_bytes text, uint32_t hash)
{
    uint64_t mask = table->slot_count - 1;

    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        struct tn_intern_slot *slot = &table->slots[i];
        if (!slot->entry ||
            (slot->hash == hash &&
             tn_bytes_equal(tn_intern_text(table, slot->entry - 1), text)))
            return slot;
    }
}

static void place(struct tn_intern *table, struct tn_intern_slot slot)
{
    uint64_t mask = table->slot_count - 1;
    uint64_t i    = slot.hash & mask;

    while (table->slots[i].entry)
        i = (i + 1) & mask;
    table->slots[i] = slot;
}

static bool grow(struct tn_intern *table, uint64_t count,
                 struct tn_error *error)
{
    struct tn_intern old  = *table;
    uint64_t         size = count * sizeof *table->slots;

    table->slots = tn_memory_resize(table->names.memory, NULL, 0, size, error);
    if (!table->slots) {
        table->slots = old.slots;
        return false;
    }
    memset(table->slots, 0, (size_t)size);
    table->slot_count = count;
    for (uint64_t i = 0; i < old.slot_count; i++)
        if (old.slots[i].entry)
            place(table, old.slots[i]);
    free_slots(&old);
    return true;
}

/* A slot for one more. */
static bool has_slot(struct tn_intern *table, struct tn_error *error)
{
    uint64_t twice = table->slot_count ? table->slot_count * 2 : FIRST_SLOTS;

    return table->used_count * 4 < table->slot_count * 3 ||
           grow(table, twice, error);
}

bool tn_intern_reserve(struct tn_intern *table, uint64_t more,
                       struct tn_error *error)
{
    uint64_t count = table->slot_count ? table->slot_count : FIRST_SLOTS;

    while ((table->used_count + more) * 4 >= count * 3)
        count *= 2;
    return count == table->slot_count || grow(table, count, error);
}

uint32_t tn_intern_append(struct tn_intern *table, struct tn_bytes text,
                          struct tn_error *error)
{
    if (table->names.count >= TN_NO_NAME - 1) {
        tn_error_set(error, TN_LIMIT, TN_NOWHERE, "more than 2^32 names");
        return TN_NO_NAME;
    }
    struct tn_bytes *name = tn_list_push(&table->names, struct tn_bytes, error);
    if (!name)
        return TN_NO_NAME;
    *name = text;
    return (uint32_t)table->names.count - 1;
}

static uint32_t add(struct tn_intern *table, struct tn_bytes text,
                    bool is_borrowed, struct tn_error *error)
{
    if (!has_slot(table, error))
        return TN_NO_NAME;
    uint32_t               hash = tn_hash_bytes(text, table->seed);
    struct tn_intern_slot *slot = find_slot(table, text, hash);
    if (slot->entry)
        return slot->entry - 1;
    if (!is_borrowed)
        text = tn_bytes_dup(table->arena, text, error);
    if (tn_failed(error))
        return TN_NO_NAME;
    uint32_t id = tn_intern_append(table, text, error);
    if (id == TN_NO_NAME)
        return TN_NO_NAME;
    *slot = (struct tn_intern_slot){ id + 1, hash };
    table->used_count++;
    return id;
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

uint32_t tn_intern_adopt(struct tn_intern *table, uint32_t id,
                         struct tn_error *error)
{
    struct tn_bytes text = tn_intern_text(table, id);

    if (!has_slot(table, error))
        return TN_NO_NAME;
    uint32_t               hash = tn_hash_bytes(text, table->seed);
    struct tn_intern_slot *slot = find_slot(table, text, hash);
    if (!slot->entry) {
        *slot = (struct tn_intern_slot){ id + 1, hash };
        table->used_count++;
    }
    return slot->entry - 1;
}

void tn_intern_fetch(const struct tn_intern *table, struct tn_bytes text)
{
#if defined(__GNUC__)
    if (table->slot_count)
        __builtin_prefetch(&table->slots[tn_hash_bytes(text, table->seed) &
                                         (table->slot_count - 1)],
                           1);
#else
    (void)table;
    (void)text;
#endif
}

uint32_t tn_intern_find(const struct tn_intern *table, struct tn_bytes text)
{
    if (!table->slot_count)
        return TN_NO_NAME;
    uint32_t entry =
        find_slot(table, text, tn_hash_bytes(text, table->seed))->entry;
    return entry ? entry - 1 : TN_NO_NAME;
}
