/*
 * facts_bench.h - a net of ONNX with its facts, for tests of what needs types
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

#endif
