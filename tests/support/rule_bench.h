/*
 * rule_bench.h - rules at work: a net of ONNX, and what they make of it
 */
#ifndef TN_TESTS_RULE_BENCH_H
#define TN_TESTS_RULE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "map/lang/lang_apply.h"
#include "map/net/net_build.h"

struct bench {
    struct tn_error      error;
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_net        from, to;
    struct tn_lang_file  file; /* functions of C may be in it                 */
    struct tn_map_report report;
    uint64_t             most_nodes, most_steps;
};

static inline void set_up(struct bench *b)
{
    *b = (struct bench){ .error = TN_ERROR_INIT };
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
}

static inline void tear_down(struct bench *b)
{
    tn_map_report_done(&b->report);
    tn_lang_done(&b->file);
    tn_net_done(&b->to);
    tn_net_done(&b->from);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static inline enum tn_status apply_rules(struct bench *b,
                                         void (*make_net)(struct tn_net *),
                                         struct tn_bytes         rules,
                                         const struct tn_native *functions,
                                         uint32_t                count)
{
    const struct tn_lang_file *files[] = { &b->file };
    struct tn_infer           *facts   = NULL;

    tn_net_init(&b->from, &b->arena, "onnx", &b->error);
    tn_net_init(&b->to, &b->arena, "nd4j", &b->error);
    tn_map_report_init(&b->report, &b->arena);
    b->from.version    = 13;
    b->from.most_nodes = b->most_nodes;
    b->from.most_steps = b->most_steps;
    make_net(&b->from);
    tn_lang_parse(&b->file, &b->arena, "a.rules", rules, &b->error);
    b->file.functions      = functions;
    b->file.function_count = count;
    if (!tn_failed(&b->error))
        tn_infer_open(&facts, &b->from, NULL);
    if (!tn_failed(&b->error))
        tn_lang_apply(files, 1, facts, &b->from, NULL, &b->to, &b->report);
    tn_infer_close(facts);
    return b->error.status;
}

#endif
