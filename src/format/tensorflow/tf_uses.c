/* tf_uses.c - which nodes of a graph nobody uses, without keeping the graph */
#include "format/tensorflow/tf_uses.h"

#include "base/arith.h"

#define NODE_LIMIT 32768

enum { IS_USED = 1 };

struct tn_tf_uses {
    struct tn_memory *memory;
    struct tn_arena   arena;
    struct tn_intern  names;
    struct tn_list    marks; /* uint8_t by name                               */
    struct tn_list    nodes; /* uint32_t: names of nodes, in order            */
};

struct tn_tf_uses *tn_tf_uses_open(struct tn_memory *memory,
                                   struct tn_error  *error)
{
    struct tn_tf_uses *uses =
        tn_memory_resize(memory, NULL, 0, sizeof *uses, error);

    if (!uses)
        return NULL;
    uses->memory = memory;
    tn_arena_init(&uses->arena, memory);
    tn_intern_init(&uses->names, &uses->arena);
    tn_list_init(&uses->marks, memory, sizeof(uint8_t));
    tn_list_init(&uses->nodes, memory, sizeof(uint32_t));
    return uses;
}

void tn_tf_uses_close(struct tn_tf_uses *uses)
{
    if (!uses)
        return;
    tn_list_done(&uses->marks);
    tn_list_done(&uses->nodes);
    tn_intern_done(&uses->names);
    tn_arena_done(&uses->arena);
    tn_memory_free(uses->memory, uses, sizeof *uses);
}

/* The name's id, with a mark to go with it; TN_NO_NAME on failure. */
static uint32_t mark_of(struct tn_tf_uses *uses, struct tn_bytes name,
                        struct tn_error *error)
{
    uint32_t id = tn_intern_borrow(&uses->names, name, error);

    if (id != TN_NO_NAME && id == uses->marks.count &&
        !tn_list_push(&uses->marks, uint8_t, error))
        return TN_NO_NAME;
    return id;
}

void tn_tf_uses_node(struct tn_tf_uses **uses, struct tn_bytes name,
                     struct tn_error *error)
{
    if ((*uses)->nodes.count == NODE_LIMIT) {
        tn_tf_uses_close(*uses);
        *uses = NULL;
        return;
    }
    uint32_t  id   = mark_of(*uses, name, error);
    uint32_t *node = tn_list_push(&(*uses)->nodes, uint32_t, error);
    if (node)
        *node = id;
}

void tn_tf_uses_use(struct tn_tf_uses *uses, struct tn_bytes name,
                    struct tn_error *error)
{
    uint32_t id = mark_of(uses, name, error);

    if (id != TN_NO_NAME)
        *tn_list_at(&uses->marks, uint8_t, id) |= IS_USED;
}

static bool is_unused(const struct tn_tf_uses *uses, uint64_t node)
{
    uint32_t id = *tn_list_at(&uses->nodes, uint32_t, node);

    return !(*tn_list_at(&uses->marks, uint8_t, id) & IS_USED);
}

struct tn_io_list tn_tf_uses_io(const struct tn_tf_uses *uses,
                                struct tn_arena *arena, uint64_t limit,
                                struct tn_error *error)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < uses->nodes.count; i++)
        count += is_unused(uses, i);
    count              = tn_min(count, limit);
    struct tn_io *ends = tn_new(arena, struct tn_io, count, error);
    if (!ends)
        return (struct tn_io_list){ 0, NULL };
    for (uint64_t i = 0, n = 0; n < count; i++)
        if (is_unused(uses, i))
            ends[n++] = (struct tn_io){
                .name = tn_intern_text(&uses->names,
                                       *tn_list_at(&uses->nodes, uint32_t, i)),
                .note = "",
            };
    return (struct tn_io_list){ (uint32_t)count, ends };
}
