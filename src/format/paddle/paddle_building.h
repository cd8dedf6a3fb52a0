/* paddle_building.h - builds programs from a fuzzer's choices; include after
 * defining _GNU_SOURCE */
#ifndef TN_FORMAT_PADDLE_BUILDING_H
#define TN_FORMAT_PADDLE_BUILDING_H

#include "format/paddle/paddle_pir.h"
#include "support/choices.h"
#include "support/rewrite.h"

/* The table, read once. */
static inline const struct tn_pir_rules *the_rules(void)
{
    static struct tn_memory    memory;
    static struct tn_arena     arena;
    static struct tn_pir_rules rules;
    struct tn_error            error = TN_ERROR_INIT;

    if (!rules.rows.count) {
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_pir_rules_read(&rules, &arena, tn_pir_rules_text(&arena, &error),
                          &error);
    }
    return &rules;
}

#endif
