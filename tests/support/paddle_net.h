/*
 * paddle_net.h - programs of Paddle as text, and the nets that they become
 */
#ifndef TN_TESTS_PADDLE_NET_H
#define TN_TESTS_PADDLE_NET_H

#include "map/net/net_build.h"
#include "map/net/net_load.h"

#include "support/hostile.h"
#include "support/little_models.h"

#define TENSOR(name, type, dims) SEQUENCES(name, type, dims, "0")
#define SEQUENCES(name, type, dims, levels)                                    \
    "vars { name: \"" name "\" type { type: LOD_TENSOR lod_tensor { tensor {"  \
    " data_type: " type " " dims " } lod_level: " levels " } } }\n"
#define ARG(name) "arguments: \"" name "\" "
#define SLOT(way, name, arguments)                                             \
    way " { parameter: \"" name "\" " arguments " }\n"
#define OP(type, slots) "ops { type: \"" type "\"\n" slots "}\n"
#define UNARY(type, x, y)                                                      \
    OP(type, SLOT("inputs", "X", ARG(x)) SLOT("outputs", "Out", ARG(y)))
#define COL(n) "attrs { name: \"col\" type: INT i: " n " }\n"
#define FEED(name, col)                                                        \
    OP("feed", SLOT("inputs", "X", ARG("feed"))                                \
                   SLOT("outputs", "Out", ARG(name)) COL(col))
#define FETCH(name)                                                            \
    OP("fetch", SLOT("inputs", "X", ARG(name))                                 \
                    SLOT("outputs", "Out", ARG("fetch")) COL("0"))

/* The first block: variables and ops. */
#define MAIN(body)                                                             \
    "blocks { idx: 0 parent_idx: -1\n"                                         \
    "vars { name: \"feed\" type { type: FEED_MINIBATCH } persistable: true }"  \
    "\nvars { name: \"fetch\" type { type: FETCH_LIST } persistable: true "    \
    "}\n" body "}\n"

struct bench {
    struct tn_scratch scratch;
    struct tn_model  *model;
    struct tn_error   error;
    struct tn_memory  memory;
    struct tn_arena   arena;
    struct tn_net     net;
    struct tn_list    notes; /* of who tidies, and says what a note is        */
};

/* The program, read; the net is empty. */
static inline void open_program(struct bench *b, const char *program)
{
    static const struct tn_options with_graph = { .wants_graph = true };

    b->scratch = tn_scratch_open();
    b->error   = (struct tn_error)TN_ERROR_INIT;
    tn_write_text(&b->scratch, "model.pdmodel.txt", program);
    if (tn_model_open(&b->model,
                      tn_in_scratch(&b->scratch, "model.pdmodel.txt"),
                      &with_graph, &b->error) != TN_OK)
        fail_msg("%s: %s", b->error.where, b->error.what);
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, "paddle", &b->error);
    tn_list_init(&b->notes, &b->memory, 1);
}

static inline void tear_down(struct bench *b)
{
    tn_list_done(&b->notes);
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
    tn_model_close(b->model);
    tn_scratch_close(&b->scratch);
}

/* What is done to a model when memory runs out. */
struct again {
    const struct tn_model *model;
    enum tn_status (*tidy)(struct tn_net *net, struct tn_list *notes);
};

/* The bytes are those of a struct again. */
static inline enum tn_status load_again(struct tn_bytes   input,
                                        struct tn_memory *memory,
                                        struct tn_error  *error)
{
    struct again    again;
    struct tn_arena arena;
    struct tn_net   net;

    memcpy(&again, input.data, sizeof again);
    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "paddle", error);
    if (tn_net_load(&net, again.model, NULL) == TN_OK && again.tidy)
        again.tidy(&net, NULL);
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

/* `tidy` may be NULL. */
static inline void survive_no_memory(const struct bench *b,
                                     enum tn_status (*tidy)(struct tn_net *net,
                                                            struct tn_list *))
{
    struct again again = { b->model, tidy };

    tn_survives_no_memory(load_again, tn_bytes(&again, sizeof again));
}

#endif
