/* hooks.c - counted memory for libraries that bring an allocator interface */
#include "codec/hooks.h"

#include "base/arith.h"

struct tn_hook_block {
    struct tn_hook_block *next, *before;
    alignas(max_align_t) uint64_t size; /* of the whole, this header included */
};

void tn_hooks_init(struct tn_hooks *hooks, struct tn_memory *memory)
{
    *hooks = (struct tn_hooks){ .memory = memory, .error = TN_ERROR_INIT };
}

void tn_hooks_done(struct tn_hooks *hooks)
{
    while (hooks->blocks)
        tn_hook_free(hooks, hooks->blocks + 1);
}

void *tn_hook_alloc(void *context, size_t size)
{
    struct tn_hooks *hooks = context;
    uint64_t         whole;

    if (!tn_add(size, sizeof(struct tn_hook_block), &whole))
        whole = UINT64_MAX;
    struct tn_hook_block *block =
        tn_memory_resize(hooks->memory, NULL, 0, whole, &hooks->error);
    if (!block)
        return NULL;
    *block = (struct tn_hook_block){ .next = hooks->blocks, .size = whole };
    if (block->next)
        block->next->before = block;
    hooks->blocks = block;
    return block + 1;
}

void tn_hook_free(void *context, void *memory)
{
    struct tn_hooks *hooks = context;

    if (!memory)
        return;
    struct tn_hook_block *block = (struct tn_hook_block *)memory - 1;
    if (block->next)
        block->next->before = block->before;
    if (block->before)
        block->before->next = block->next;
    else
        hooks->blocks = block->next;
    tn_memory_free(hooks->memory, block, block->size);
}
