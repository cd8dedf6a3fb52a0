/*
 * facts_bench.h - what can be told of a net, for tests of what needs types
 *
 *   set_up(&b, "onnx"); ... fill b.net ...
 *   struct facts f;
 *   if (open_facts(&f, &b.net)) ... use f.facts ...
 *   close_facts(&f);
 */
#ifndef TN_TESTS_FACTS_BENCH_H
#define TN_TESTS_FACTS_BENCH_H

#include "map/lang/infer.h"
#include "map/lang/rule_sets.h"
#include "support/net_bench.h"
#include "support/net_make.h"

struct facts {
    struct tn_rule_cache cache;
    struct tn_infer     *facts;
};

/* Types of all values are inferred; false: the net has failed. */
static inline bool open_facts(struct facts *f, struct tn_net *net)
{
    const struct tn_lang_file *shapes = NULL;

    *f = (struct facts){ .facts = NULL };
    if (!tn_failed(net->error) &&
        tn_rule_cache_init(&f->cache, net->arena, net->error) == TN_OK)
        shapes = tn_rule_cache_shapes(&f->cache, net->dialect, net->error);
    return shapes && tn_infer_open(&f->facts, net, shapes) == TN_OK &&
           tn_infer_run(f->facts) == TN_OK;
}

static inline void close_facts(struct facts *f)
{
    tn_infer_close(f->facts);
    tn_rule_cache_done(&f->cache);
}

/* A pass that needs facts, and what is left when it has changed something; what
 * the pass counts. */
static inline uint64_t run_with_facts(struct tn_net *net,
                                      uint64_t (*pass)(struct tn_net *,
                                                       struct tn_infer *))
{
    struct facts f;
    uint64_t     count = 0;

    if (open_facts(&f, net))
        count = pass(net, f.facts);
    close_facts(&f);
    if (!tn_failed(net->error) && count) {
        tn_net_prune(net);
        tn_net_order(net, NULL);
    }
    return count;
}

/* Of a constant of integers. */
static inline void assert_ints(struct tn_infer *facts, uint32_t value,
                               const int64_t *want, uint32_t count)
{
    struct tn_item items;

    assert_int_equal(tn_fold(facts, value, &items), TN_OK);
    assert_int_equal(items.kind, TN_ITEM_LIST);
    assert_int_equal(items.count, count);
    for (uint32_t i = 0; i < count; i++) {
        int64_t number;
        assert_true(tn_item_to_int(items.of.items[i], &number));
        assert_int_equal(number, want[i]);
    }
}

#endif
