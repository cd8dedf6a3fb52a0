/*
 * lang_fuzz.c - any text as a file of rules or shapes
 *
 * Claims: what is refused has a place inside the text and says line and column;
 * memory is bounded by the input; no tree is deeper than it may be.
 */
#include <assert.h>

#include "map/lang/lang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const struct tn_lang_expr *expr)
{
    assert(expr->depth >= 1 && expr->depth <= TN_LANG_DEPTH);
    for (uint32_t i = 0; i < expr->item_count; i++)
        if (expr->items[i]) {
            assert(expr->items[i]->depth < expr->depth);
            walk(expr->items[i]);
        }
    for (uint32_t i = 0; i < expr->attr_count; i++) {
        assert(expr->attrs[i].value->depth < expr->depth);
        walk(expr->attrs[i].value);
    }
}

static void walk_block(const struct tn_lang_block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        walk(block->steps[i].expr);
        walk_block(&block->steps[i].body);
        walk_block(&block->steps[i].other);
    }
}

static void walk_rules(const struct tn_list *rules)
{
    for (uint64_t i = 0; i < rules->count; i++)
        walk_block(&tn_list_at(rules, struct tn_lang_rule, i)->body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_lang_file file;

    tn_memory_init(&memory, NULL, (8 << 20) + size * 1024);
    tn_arena_init(&arena, &memory);
    if (tn_lang_parse(&file, &arena, "a.rules", tn_bytes(data, size), &error) ==
        TN_OK) {
        walk_rules(&file.rules);
        walk_rules(&file.back);
    } else {
        assert(error.offset <= size && !memcmp(error.what, "line ", 5));
    }
    tn_lang_done(&file);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
