/*
 * vocab_fuzz.c - any bytes as a vocabulary
 *
 * Claims: what is refused has a place inside the text; what is read finds its
 * own operators; memory is bounded by the input.
 */
#include <assert.h>

#include "ir/vocab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* It is found by its name, and it alone sits where it sits. */
static void check_attr(const struct tn_vocab_op   *op,
                       const struct tn_vocab_attr *attr)
{
    assert(tn_vocab_find_attr(op, attr->name) == attr);
    if (attr->list != TN_VOCAB_NAMED)
        assert(tn_vocab_find_slot(op, attr->list, attr->slot) == attr);
}

static void find_all(struct tn_vocab *vocab, struct tn_error *error)
{
    for (uint32_t d = 0; d < vocab->domain_count; d++) {
        const struct tn_vocab_domain *domain = &vocab->domains[d];
        for (uint32_t i = 0; i < domain->row_count; i++) {
            const struct tn_vocab_op *op =
                tn_vocab_at(vocab, domain->first_row + i, error);
            assert(op);
            assert(tn_vocab_find(vocab, domain->names[0], op->name, op->since,
                                 error) == op);
            for (uint32_t k = 0; k < op->attr_count; k++)
                check_attr(op, &op->attrs[k]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_vocab  vocab;

    tn_memory_init(&memory, NULL, (1 << 20) + size * 256);
    tn_arena_init(&arena, &memory);
    if (tn_vocab_load(&vocab, &arena, tn_bytes(data, size), &error) == TN_OK)
        find_all(&vocab, &error);
    else
        assert(error.offset <= size && error.what[0] && error.where[0]);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
