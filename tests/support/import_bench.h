/*
 * import_bench.h - rules in either of Deeplearning4j's languages, ops of nd4j
 * and definitions of a framework, out of text
 */
#ifndef TN_TESTS_IMPORT_BENCH_H
#define TN_TESTS_IMPORT_BENCH_H

#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/map_node.h"
#include "map/dl4j/rule_files.h"
#include "support/hostile.h"
#include "support/import_ops.h"

struct import_bench {
    struct tn_memory   memory;
    struct tn_arena    arena;
    struct tn_error    error;
    struct tn_dl4j_ops ops;
    struct tn_mappers  mappers;
    struct tn_vocab    vocabs[TN_FRAMEWORK_COUNT]; /* all but that of TensorFlow
                                                      are empty                  */
};

static inline void import_read_ops(struct import_bench *b, const char *text)
{
    struct tn_text_field root;

    if (!tn_failed(&b->error) &&
        tn_text_tree_read(&root, &b->arena, tn_text(text), &b->error) ==
            TN_OK &&
        tn_dl4j_ops_read(&b->ops, &root, &b->error) == TN_OK)
        tn_dl4j_ops_commit(&b->ops, &b->error);
}

static inline void import_read_rules(struct import_bench *b, const char *text)
{
    struct tn_rule_file  file = { .mappers = &b->mappers,
                                  .name    = "a.rules",
                                  .vocabs  = b->vocabs,
                                  .error   = &b->error };
    struct tn_text_field root;

    if (!tn_failed(&b->error) &&
        tn_text_tree_read(&root, &b->arena, tn_text(text), &b->error) ==
            TN_OK &&
        (tn_rules_are_sketch(&root) ? tn_rule_sketch_read : tn_dl4j_rules_read)(
            &file, &root) == TN_OK)
        tn_mappers_commit(&b->mappers, &b->error);
}

/* The ops of import_ops.h, without rules yet; what failed is in b->error. */
static inline void import_set_up(struct import_bench       *b,
                                 const struct tn_allocator *allocator)
{
    *b = (struct import_bench){ .error = TN_ERROR_INIT };
    tn_memory_init(&b->memory, allocator, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_dl4j_ops_init(&b->ops, &b->arena);
    tn_mappers_init(&b->mappers, &b->arena);
    tn_vocab_load(&b->vocabs[TN_FRAMEWORK_TENSORFLOW], &b->arena,
                  tn_text(import_framework_ops), &b->error);
}

static inline void import_tear_down(struct import_bench *b)
{
    tn_mappers_done(&b->mappers);
    tn_dl4j_ops_done(&b->ops);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

#endif
