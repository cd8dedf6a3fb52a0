/* node_testing.h - single nodes and how they are defined, for the tests here */
#ifndef TN_ENGINE_NODE_TESTING_H
#define TN_ENGINE_NODE_TESTING_H

#include "engine/bare_node.h"
#include "engine/known_inputs.h"
#include "engine/node_inputs.h"
#include "engine/node_text.h"
#include "support/hostile.h"

struct testing_known {
    struct tn_error         error;
    struct tn_memory        memory;
    struct tn_arena         arena;
    struct tn_vocab         vocab;
    struct tn_bare_node     bare;
    struct tn_bytes         bytes; /* of the node                             */
    struct tn_known_context told;
    struct tn_node_known    known;
    struct tn_node_input   *inputs;
};

/* `words` are the lines of a vocabulary that has the node's operator; NULL: it
 * has no definition.  `told` is what the caller knows about the inputs; NULL:
 * nothing. */
static inline void testing_know(struct testing_known *t, const char *node,
                                const char *words, const char *told)
{
    struct tn_interpret_context context = { .inputs = told };
    enum tn_framework           framework;

    *t = (struct testing_known){ .error = TN_ERROR_INIT };
    tn_memory_init(&t->memory, NULL, 0);
    tn_arena_init(&t->arena, &t->memory);
    if (tn_node_bytes(&t->arena, tn_text(node), &framework, &t->bytes,
                      &t->error) != TN_OK ||
        tn_bare_node_open(&t->bare, framework, t->bytes, &t->arena,
                          &t->error) != TN_OK ||
        tn_known_context_fill(&t->told, &context, framework, &t->arena,
                              &t->error) != TN_OK)
        fail_msg("%s: %s", node, t->error.what);
    t->known = (struct tn_node_known){ &t->bare.node, NULL, &t->told.around };
    if (words) {
        if (tn_vocab_load(&t->vocab, &t->arena, tn_text(words), &t->error) ==
            TN_OK)
            t->known.definition =
                tn_vocab_find(&t->vocab, t->bare.node.domain,
                              t->bare.node.op_type, INT64_MAX, &t->error);
        if (!t->known.definition)
            fail_msg("%s: not defined: %s", node, t->error.what);
    }
    assert_int_equal(
        tn_node_inputs(&t->known, &t->arena, &t->inputs, &t->error), TN_OK);
}

static inline void testing_forget(struct testing_known *t)
{
    tn_bare_node_close(&t->bare);
    tn_arena_done(&t->arena);
    assert_int_equal(t->memory.used, 0);
}

#endif
