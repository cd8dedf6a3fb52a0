/*
 * onnx_split.c - splits ONNX models: first weights, then the rest
 *
 *   model     if it is no longer than the limit, it stays whole
 *   weights   raw_data of tensors becomes BYTES chunks, in the order of the
 *             file: all of it, not only what would be enough, so that the
 *             base is a skeleton that is read without touching weights
 *   the rest  if the skeleton is still too long: nodes, functions and
 *             subgraphs, by size
 *
 * Where tensors are:
 *
 *   ModelProto         graph, training_info[], functions[]
 *   TrainingInfoProto  initialization, algorithm
 *   GraphProto         node[], initializer[], sparse_initializer[]
 *   FunctionProto      node[], attribute_proto[]
 *   NodeProto          attribute[]
 *   AttributeProto     t, g, tensors[], graphs[], sparse_tensor,
 *                      sparse_tensors[]
 *   SparseTensorProto  values, indices
 *   TensorProto        raw_data
 *
 * The file is walked once: a message that is shorter than a weight cannot
 * contain one, so only the lengths of a million nodes are read.
 */
#include "format/onnx/onnx_split.h"

#include "base/arith.h"
#include "chunk/splitter.h"
#include "io/rope_source.h"
#include "wire/pb/pb_wire.h"

enum part { MODEL, TRAINING, GRAPH, FUNCTION, NODE, ATTR, SPARSE, TENSOR, RAW };

/* A field that leads to tensors. */
static const struct branch {
    enum part in;
    uint32_t  number;
    bool      is_repeated;
    enum part to;
} branches[] = {
    { MODEL, 7, false, GRAPH },    { MODEL, 20, true, TRAINING },
    { MODEL, 25, true, FUNCTION }, { TRAINING, 1, false, GRAPH },
    { TRAINING, 2, false, GRAPH }, { GRAPH, 1, true, NODE },
    { GRAPH, 5, true, TENSOR },    { GRAPH, 15, true, SPARSE },
    { FUNCTION, 7, true, NODE },   { FUNCTION, 11, true, ATTR },
    { NODE, 5, true, ATTR },       { ATTR, 5, false, TENSOR },
    { ATTR, 6, false, GRAPH },     { ATTR, 10, true, TENSOR },
    { ATTR, 11, true, GRAPH },     { ATTR, 22, false, SPARSE },
    { ATTR, 23, true, SPARSE },    { SPARSE, 1, false, TENSOR },
    { SPARSE, 2, false, TENSOR },  { TENSOR, 9, false, RAW },
};

#define BRANCH_COUNT (sizeof branches / sizeof *branches)

struct walk {
    struct tn_splitter *splitter;
    uint64_t            least; /* that is worth a chunk                       */
    struct tn_error    *error;
    unsigned            depth;
    uint64_t            count; /* of steps                                    */
    struct tn_step      steps[2 * TN_PB_DEPTH_LIMIT];
};

static const struct branch *branch_of(enum part in, uint32_t number)
{
    for (size_t i = 0; i < BRANCH_COUNT; i++)
        if (branches[i].in == in && branches[i].number == number)
            return &branches[i];
    return NULL;
}

static void add_step(struct walk *w, uint64_t number)
{
    w->steps[w->count++] = (struct tn_step)TN_AT((int64_t)number);
}

static void walk_part(struct walk *w, enum part part, struct tn_cursor c);

/* Into one element of the branch. */
static void follow(struct walk *w, const struct branch *branch, uint64_t index,
                   struct tn_cursor body)
{
    uint64_t before = w->count;

    if (w->depth == TN_PB_DEPTH_LIMIT) {
        tn_error_set(w->error, TN_LIMIT, body.offset,
                     "messages nested deeper than %d", TN_PB_DEPTH_LIMIT);
        return;
    }
    w->depth++;
    add_step(w, branch->number);
    if (branch->is_repeated)
        add_step(w, index);
    if (branch->to == RAW)
        tn_splitter_hollow(w->splitter, w->steps, w->count, TN_AT_END,
                           w->error);
    else
        walk_part(w, branch->to, body);
    w->count = before;
    w->depth--;
}

/* A singular message that comes in pieces is one, and indices go on from piece
 * to piece; only the first is examined.  Of content that comes again the last
 * counts: there is one chunk of it. */
static void walk_part(struct walk *w, enum part part, struct tn_cursor c)
{
    uint64_t           counts[BRANCH_COUNT] = { 0 };
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field) && !tn_failed(w->error)) {
        const struct branch *branch =
            field.type == TN_WIRE_LEN ? branch_of(part, field.number) : NULL;
        if (!branch)
            continue;
        uint64_t index = counts[branch - branches]++;
        if (tn_left(&field.body) >= w->least &&
            (branch->is_repeated || index == 0))
            follow(w, branch, index, field.body);
    }
}

static void walk_model(struct tn_splitter *splitter, uint64_t max_size,
                       struct tn_span model, struct tn_error *error)
{
    struct walk w = {
        .splitter = splitter,
        .least    = tn_min(TN_ONNX_WEIGHT_SIZE, max_size / 3 + 1),
        .error    = error,
    };

    walk_part(&w, MODEL, tn_cursor_span(model, error));
}

/* A model inside of another message may come in pieces, or have been changed:
 * it is walked as it would be written. */
static void walk_child(struct tn_splitter *splitter, uint64_t max_size,
                       struct tn_error *error)
{
    struct tn_splitter *root   = splitter->root;
    struct tn_source   *source = NULL;
    struct tn_tag_step  none;
    struct tn_rope      rope;
    struct tn_mosaic   *m =
        tn_mosaic_path(root->base, splitter->path, TN_MOSAIC_FIND, &none);

    tn_rope_init(&rope, &root->arena, &root->failure);
    if (m)
        tn_mosaic_write(m, &rope);
    if (tn_splitter_end(root, error) == TN_OK &&
        tn_source_rope(&source, root->arena.memory, &rope, "", error) == TN_OK)
        walk_model(splitter, max_size,
                   (struct tn_span){ source, 0, source->size }, error);
    tn_source_close(source);
    tn_rope_done(&rope);
}

enum tn_status tn_onnx_split(struct tn_splitter *splitter, uint64_t max_size,
                             struct tn_error *error)
{
    bool     is_root = splitter == splitter->root;
    uint64_t size;

    if (is_root)
        TN_TRY(tn_splitter_keep_base(splitter, error));
    TN_TRY(tn_splitter_size(splitter, NULL, 0, &size, error));
    if (size <= max_size)
        return TN_OK;
    if (is_root)
        walk_model(splitter, max_size, tn_message_span(splitter->message),
                   error);
    else
        walk_child(splitter, max_size, error);
    if (tn_failed(error))
        return error->status;
    return tn_splitter_by_size(splitter, max_size, error);
}
