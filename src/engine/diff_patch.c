/*
 * diff_patch.c - a script of actions that turns the left model into the right
 * one
 *
 * The order within each graph is: removed nodes and tensors; renamed values;
 * new tensors; new and moved nodes, from the last one of the right graph to the
 * first, so that the node they are put in front of is in place; changes of the
 * other nodes; types of values, if the file has them; inputs and outputs of the
 * graph.
 *
 * Then come new graphs inside nodes, and new functions.  Functions are copied
 * from a model beside the script that contains nothing else, because a function
 * has more properties than its nodes.
 *
 * New elements are in a safetensors file beside the script, under their
 * digests.  If no action can express a difference (another opset, another
 * training configuration, a name with a zero byte), the script is one action
 * that takes a copy of the right model.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/expect.h"
#include "base/sized.h"
#include "diff/diff_buckets.h"
#include "diff/diff_report.h"
#include "ir/dialect_facts.h"
#include "engine/diff_models.h"
#include "engine/edit_value.h"
#include "engine/edit_words.h"
#include "engine/patch_tensor.h"
#include "engine/target.h"
#include "engine/texts_now.h"
#include "format/about.h"
#include "format/onnx/onnx.h"
#include "format/registry.h"
#include "io/path.h"
#include "ir/changes.h"
#include "ir/op_slots.h"
#include "ir/value_about.h"

/* Elements that go into the safetensors file. */
struct blob {
    struct tn_elements elements;
    uint8_t            digest[TN_HASH_SIZE];
};

struct patch {
    const struct tn_diff       *diff;
    const struct tn_diff_match *m;
    const struct tn_model      *left, *right;
    struct tn_memory           *memory;
    struct tn_arena             arena; /* decoded attributes of one op        */
    struct tn_arena             kept;  /* of the blobs                        */
    struct tn_vocab             vocab; /* of a dialect with slots            */
    bool                        has_vocab;
    struct tn_error            *error;
    struct tn_buffer            text;
    struct tn_buffer            word;
    const char *file; /* name of the safetensors file                     */
    const char *functions_file; /* that functions are copied from             */
    const char *why_take;       /* what no action can express; NULL: nothing */
    uint64_t    actions;
    uint32_t    unnamed; /* op that the line calls by number; TN_NONE: none  */
    const struct tn_model *unnamed_model;
    uint32_t  in_graph; /* that lines are about: of the left, or new        */
    uint32_t  graph;    /* that is being compared                           */
    uint32_t  added;    /* ops that the script adds                         */
    uint32_t *added_id; /* by op of the right                               */
    uint32_t  added_graphs; /* inside nodes                                   */
    uint32_t *graph_id;   /* by graph of the right that is new                */
    uint8_t  *copies;     /* by graph of the right: a function to be copied   */
    uint32_t  copied;     /* functions                                        */
    uint32_t *renamed;    /* by value of the left: value of the right whose name
                             it gets                                          */
    uint32_t      *votes; /* by value of the left: ends that want that name   */
    struct tn_list changed; /* uint32_t: values of the graph that may get
                               another name                                 */
    uint32_t *tensors[2];   /* by tensor: the next one of its graph           */
    uint32_t *first[2];     /* by graph: its first tensor; of no graph: last  */
    uint32_t *owner;        /* by value of the right: which one gets its name */
    uint8_t  *is_fixed;     /* by value of the left: its name is settled      */
    uint8_t  *moved;    /* by op of the left                                */
    uint8_t  *freed;    /* by op of the left that goes: enum freed          */
    uint8_t  *puts;     /* by tensor of the right                           */
    uint8_t  *goes;     /* by tensor of the left                            */
    uint8_t  *revalued; /* by tensor of the right: of an attribute          */
    struct tn_list         blobs; /* struct blob                             */
    struct tn_diff_buckets blob_index;
    struct tn_diff_buckets names; /* of the ops of one pair of graphs        */
};

/* The name of a removed op, in dialects where ops name their values: another op
 * gets it, and remaining ops may still read it until their inputs are set. */
enum freed { NOT_FREED, FREED, FREED_AND_READ };

static void give_up(struct patch *p, const char *why)
{
    if (!p->why_take)
        p->why_take = why;
}

/* ---- lines -------------------------------------------------------------- */

static bool is_printable(struct tn_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < ' ' || text.data[i] > '~')
            return false;
    return true;
}

static void put(struct patch *p, struct tn_bytes word)
{
    if (memchr(word.data ? (const char *)word.data : "", 0, word.size))
        give_up(p, "a name has a zero byte");
    else
        tn_words_put(&p->text, word);
}

static void put_text(struct patch *p, const char *word)
{
    put(p, tn_text(word));
}

static void begin_line(struct patch *p, const char *action)
{
    if (p->in_graph != p->graph) {
        tn_words_put(&p->text, tn_text("in"));
        if (p->graph < p->m->left.graph_count)
            put_text(p, tn_model_graph_at(p->left, p->graph)->path);
        else
            tn_buffer_format(&p->text, " @%" PRIu32, p->graph);
        tn_buffer_text(&p->text, "\n");
        p->in_graph = p->graph;
    }
    tn_words_put(&p->text, tn_text(action));
    p->actions++;
}

/* Adds a comment about a node that has no name of its own. */
static void end_line(struct patch *p)
{
    if (p->unnamed != TN_NONE) {
        const struct tn_model *model = p->unnamed_model;
        struct tn_bytes        name  = tn_diff_op_name(model, p->unnamed);
        tn_buffer_format(&p->text, "  # %.*s",
                         TN_FMT(tn_model_name(
                             model, tn_model_op_at(model, p->unnamed)->type)));
        if (name.size && name.size < 200 && is_printable(name))
            tn_buffer_format(&p->text, " %.*s", TN_FMT(name));
        p->unnamed = TN_NONE;
    }
    tn_buffer_text(&p->text, "\n");
}

/* ---- words for ops ------------------------------------------------------ */

static uint64_t name_key(struct tn_bytes name)
{
    return tn_diff_hash(name, 101) | 1;
}

static struct tn_bytes op_name(const struct tn_model *model, uint32_t op)
{
    return tn_model_name(model, tn_model_op_at(model, op)->name);
}

/* Names that mean one op only, whatever part of the script has run. */
static void index_names(struct patch *p, const struct tn_graph *x,
                        const struct tn_graph *y)
{
    tn_diff_buckets_done(&p->names);
    if (tn_diff_buckets_init(&p->names, p->memory, x->op_count + y->op_count,
                             p->error) != TN_OK)
        return;
    for (uint64_t i = 0; i < x->op_count; i++)
        tn_diff_buckets_add(
            &p->names, name_key(op_name(p->left, x->first_op + (uint32_t)i)),
            0);
    for (uint64_t i = 0; i < y->op_count; i++) {
        uint32_t op    = y->first_op + (uint32_t)i;
        uint32_t match = p->m->ops[1][op];
        if (match == TN_NONE ||
            !tn_bytes_equal(op_name(p->right, op), op_name(p->left, match)))
            tn_diff_buckets_add(&p->names, name_key(op_name(p->right, op)), 0);
    }
}

static bool is_plain_name(const struct patch *p, struct tn_bytes name)
{
    return name.size > 0 && name.data[0] != '@' && !tn_bytes_is(name, "-") &&
           name.data[name.size - 1] != ']' &&
           !memchr(name.data, 0, name.size) &&
           tn_diff_buckets_count(&p->names, name_key(name)) == 1;
}

static bool is_renamed_op(const struct patch *p, uint32_t op);

static void put_op(struct patch *p, const struct tn_model *model, uint32_t op,
                   uint32_t id)
{
    struct tn_bytes name = op_name(model, op);

    if (is_plain_name(p, name) &&
        !(model == p->left && (is_renamed_op(p, op) || p->freed[op]))) {
        put(p, name);
        return;
    }
    if (p->unnamed == TN_NONE) {
        p->unnamed       = op;
        p->unnamed_model = model;
    }
    tn_buffer_clear(&p->word);
    tn_buffer_format(&p->word, "@%" PRIu32, id);
    put(p, tn_buffer_bytes(&p->word));
}

static void put_left(struct patch *p, uint32_t op)
{
    put_op(p, p->left, op, op);
}

/* An op of the right that is in the draft already; TN_NONE: the end. */
static void put_right(struct patch *p, uint32_t op)
{
    if (op == TN_NONE)
        put_text(p, "-");
    else if (p->m->ops[1][op] != TN_NONE)
        put_left(p, p->m->ops[1][op]);
    else
        put_op(p, p->right, op, p->added_id[op]);
}

static void put_operator(struct patch *p, const struct tn_op *o)
{
    struct tn_bytes type   = tn_model_name(p->right, o->type);
    struct tn_bytes domain = tn_model_name(p->right, o->domain);

    if (tn_bytes_find(type, ':'))
        give_up(p, "an operator has a colon in its name");
    tn_buffer_clear(&p->word);
    if (domain.size)
        tn_buffer_format(&p->word, "%.*s:", TN_FMT(domain));
    tn_buffer_add(&p->word, type);
    put(p, tn_buffer_bytes(&p->word));
}

/* ---- tensors ------------------------------------------------------------ */

static const struct tn_tensor *tensor_at(const struct tn_model *model,
                                         uint64_t               i)
{
    return tn_list_at(&model->tensors, struct tn_tensor, i);
}

/* Attributes are decoded into memory that is used again. */
static void keep_elements(struct patch *p, const struct tn_elements *from,
                          struct tn_elements *to)
{
    uint64_t *dims = tn_new(&p->kept, uint64_t, from->shape.rank, p->error);

    *to = *from;
    if (dims && from->shape.rank)
        memcpy(dims, from->shape.dims, from->shape.rank * sizeof *dims);
    to->shape.dims = dims;
}

/* "fix.patch.safetensors:DIGEST", and the elements go into that file; behind
 * that ":string[2,3]" if safetensors has no such type. */
static void put_tensor(struct patch *p, const struct tn_tensor *tensor)
{
    struct tn_elements elements;
    uint8_t            digest[TN_HASH_SIZE];

    if (p->m->host->digest(p->m->host->context, tensor, digest, p->error) !=
        TN_OK)
        return;
    tn_buffer_clear(&p->word);
    tn_buffer_format(&p->word, "%s:", p->file);
    for (size_t i = 0; i < sizeof digest; i++)
        tn_buffer_format(&p->word, "%02x", digest[i]);
    bool is_plain = tn_patch_is_plain(&tensor->elements);
    if (is_plain)
        keep_elements(p, &tensor->elements, &elements);
    else {
        tn_buffer_text(&p->word, ":");
        tn_patch_pack(&tensor->elements, &p->kept, &elements, &p->word,
                      p->error);
    }
    if (tn_failed(p->error))
        return;
    put(p, tn_buffer_bytes(&p->word));
    uint64_t key = tn_diff_hash(tn_bytes(digest, sizeof digest), 103) | 1;
    if (tn_diff_buckets_count(&p->blob_index, key))
        return;
    tn_diff_buckets_add(&p->blob_index, key, 0);
    struct blob *blob = tn_list_push(&p->blobs, struct blob, p->error);
    if (!blob)
        return;
    memcpy(blob->digest, digest, sizeof digest);
    blob->elements = elements;
}

static bool is_listed(const struct tn_tensor *tensor)
{
    return tensor->node == TN_NONE;
}

static bool is_at_one_place(const struct patch *p, const struct tn_tensor *t,
                            const struct tn_tensor *u)
{
    uint32_t graph = t->graph == TN_NONE || !p->m->left.graph_count
                         ? t->graph
                         : p->m->graphs[0][t->graph];

    return is_listed(t) && is_listed(u) && graph == u->graph &&
           t->role == u->role;
}

/* The report about tensors, as three marks. */
static void sort_tensor(struct patch *p, const struct tn_diff_change *c)
{
    const struct tn_tensor *t =
        c->left == TN_NONE ? NULL : tensor_at(p->left, c->left);
    const struct tn_tensor *u =
        c->right == TN_NONE ? NULL : tensor_at(p->right, c->right);
    bool stays = t && u && is_at_one_place(p, t, u);

    if (c->kind == TN_DIFF_RENAMED && stays)
        return; /* the value gets another name */
    if (c->kind == TN_DIFF_CHANGED && t && u && !is_listed(t) &&
        !is_listed(u)) {
        p->revalued[c->right] = 1;
        return;
    }
    if (c->kind == TN_DIFF_CHANGED && stays && c->new_name.size == 0) {
        p->puts[c->right] = 1;
        return;
    }
    if (t && is_listed(t))
        p->goes[c->left] = 1;
    if (u && is_listed(u)) {
        p->puts[c->right] = 1;
        if (u->role != TN_ROLE_INITIALIZER && u->graph != TN_NONE)
            give_up(p, "a variable or a sparse tensor is new");
    }
    if (u && u->levels)
        give_up(p, "sequences of a tensor are new");
}

static void sort_tensors(struct patch *p)
{
    for (uint64_t i = 0; i < tn_diff_count(p->diff); i++) {
        const struct tn_diff_change *c = tn_diff_change_at(p->diff, i);
        if (c->part == TN_DIFF_TENSOR)
            sort_tensor(p, c);
        for (uint32_t k = 0; k < c->facet_count; k++)
            if (tn_bytes_is(c->facets[k].name, "sequences"))
                give_up(p, "sequences of a tensor changed");
    }
}

/* The number under which the tensors of a graph are listed. */
static uint32_t list_of(const struct tn_diff_side *side, uint32_t graph)
{
    return graph < side->graph_count ? graph : side->graph_count;
}

static void remove_tensors(struct patch *p, uint32_t graph)
{
    for (uint32_t i = p->first[0][list_of(&p->m->left, graph)]; i != TN_NONE;
         i          = p->tensors[0][i])
        if (p->goes[i]) {
                     begin_line(p, "remove-tensor");
                     put(p, tn_tensor_name(tensor_at(p->left, i)));
                     end_line(p);
        }
}

static void add_tensors(struct patch *p, uint32_t graph)
{
    for (uint32_t i = p->first[1][list_of(&p->m->right, graph)];
         i != TN_NONE && !tn_failed(p->error); i = p->tensors[1][i])
        if (p->puts[i]) {
            begin_line(p, "put");
            put(p, tn_tensor_name(tensor_at(p->right, i)));
            put_tensor(p, tensor_at(p->right, i));
            end_line(p);
        }
}

static void list_tensors(struct patch *p)
{
    const struct tn_diff_side *sides[2] = { &p->m->left, &p->m->right };

    for (int side = 0; side < 2; side++)
        for (uint64_t i = sides[side]->tensor_count; i-- > 0;) {
            uint32_t *first     = &p->first[side][list_of(
                    sides[side], tensor_at(sides[side]->model, i)->graph)];
            p->tensors[side][i] = *first;
            *first              = (uint32_t)i;
        }
}

/* ---- names of values ---------------------------------------------------- */

static struct tn_bytes value_name(const struct tn_model *model, uint32_t value)
{
    return tn_model_value_name(model, value);
}

/* The name of a left value after the renames. */
static struct tn_bytes name_now(const struct patch *p, uint32_t value)
{
    if (value == TN_NONE)
        return tn_text("");
    return p->renamed[value] == TN_NONE
               ? value_name(p->left, value)
               : value_name(p->right, p->renamed[value]);
}

/* Whether values are named by their ops, and an op has another name. */
static bool is_renamed_op(const struct patch *p, uint32_t op)
{
    uint32_t match = p->m->ops[0][op];

    return match != TN_NONE && !p->left->dialect->names_outputs &&
           !tn_bytes_equal(op_name(p->left, op), op_name(p->right, match));
}

/* Whether a left value has that name after the renames. */
static bool is_called(const struct patch *p, uint32_t value,
                      struct tn_bytes wanted)
{
    uint32_t op = value == TN_NONE || p->left->dialect->names_outputs
                      ? TN_NONE
                      : tn_model_value_at(p->left, value)->producer;

    if (op != TN_NONE && p->freed[op] == FREED_AND_READ)
        return false;
    if (op == TN_NONE || !is_renamed_op(p, op))
        return tn_bytes_equal(name_now(p, value), wanted);
    struct tn_bytes name = value_name(p->left, value);
    struct tn_bytes old  = op_name(p->left, op);
    struct tn_bytes now  = op_name(p->right, p->m->ops[0][op]);
    if (name.size < old.size || memcmp(name.data, old.data, old.size) != 0)
        return tn_bytes_equal(name, wanted);
    return wanted.size >= now.size &&
           memcmp(wanted.data, now.data, now.size) == 0 &&
           tn_bytes_equal(
               tn_bytes(name.data + old.size, name.size - old.size),
               tn_bytes(wanted.data + now.size, wanted.size - now.size));
}

static uint32_t ref(const struct tn_model *model, uint32_t first, uint32_t i)
{
    return tn_model_ref_at(model, (uint64_t)first + i);
}

/* Each end of a value (its definition, or a use) votes for the name of a right
 * value.  One pass finds the only name that can have a majority; a second pass
 * counts its votes. */
static void vote(struct patch *p, uint32_t value, uint32_t wanted)
{
    if (value == TN_NONE || wanted == TN_NONE || p->is_fixed[value])
        return;
    if (p->votes[value] == 0) {
        if (p->renamed[value] == TN_NONE) {
            uint32_t *row = tn_list_push(&p->changed, uint32_t, p->error);
            if (row)
                *row = value;
        }
        p->renamed[value] = wanted;
        p->votes[value]   = 1;
    } else if (p->renamed[value] == wanted) {
        p->votes[value]++;
    } else {
        p->votes[value]--;
    }
}

/* The second pass: adds votes for the name that was found, and subtracts those
 * for the old one. */
static void recount(struct patch *p, uint32_t value, uint32_t wanted)
{
    if (value == TN_NONE || wanted == TN_NONE || p->is_fixed[value])
        return;
    if (p->renamed[value] == wanted)
        p->votes[value]++;
    else if (tn_bytes_equal(value_name(p->right, wanted),
                            value_name(p->left, value)))
        p->votes[value]--;
}

typedef void on_end(struct patch *p, uint32_t value, uint32_t wanted);

static void each_end(struct patch *p, uint32_t g, uint32_t h, on_end *each)
{
    const struct tn_graph *x = tn_model_graph_at(p->left, g);
    const struct tn_graph *y = tn_model_graph_at(p->right, h);

    for (uint64_t i = 0; i < x->op_count; i++) {
        uint32_t op = x->first_op + (uint32_t)i, match = p->m->ops[0][op];
        if (match == TN_NONE)
            continue;
        const struct tn_op *o = tn_model_op_at(p->left, op);
        const struct tn_op *q = tn_model_op_at(p->right, match);
        for (uint32_t k = 0;
             k < o->output_count && o->output_count == q->output_count; k++)
            each(p, ref(p->left, o->first_output, k),
                 ref(p->right, q->first_output, k));
        for (uint32_t k = 0; k < o->input_count && k < q->input_count; k++)
            each(p, ref(p->left, o->first_input, k),
                 ref(p->right, q->first_input, k));
    }
    for (uint32_t i = 0; i < x->outputs.count && i < y->outputs.count; i++)
        if (!x->outputs.items[i].is_guessed && !y->outputs.items[i].is_guessed)
            each(p, tn_model_find_named(p->left, g, x->outputs.items[i].name),
                 tn_model_find_named(p->right, h, y->outputs.items[i].name));
}

/* Tensors and inputs have the name that the right model gives them. */
static void fix_name(struct patch *p, uint32_t left, uint32_t right)
{
    if (left == TN_NONE || right == TN_NONE || p->is_fixed[left])
        return;
    p->is_fixed[left] = 1;
    p->owner[right]   = left;
    if (tn_bytes_equal(value_name(p->left, left), value_name(p->right, right)))
        return;
    uint32_t *row = tn_list_push(&p->changed, uint32_t, p->error);
    if (row)
        *row = left;
    p->renamed[left] = right;
}

/* A tensor that gets another name keeps its place in the list; the right model
 * must have it there. */
static void keep_order_of_tensors(struct patch *p, uint32_t g, uint32_t h)
{
    uint32_t last = 0, first_new = TN_NONE;

    for (uint32_t k = p->first[1][h]; k != TN_NONE; k = p->tensors[1][k])
        if (p->puts[k] && p->m->tensors[1][k] == TN_NONE && k < first_new)
            first_new = k;
    for (uint32_t i = p->first[0][g]; i != TN_NONE; i = p->tensors[0][i]) {
        uint32_t k = p->m->tensors[0][i];
        if (k == TN_NONE || p->goes[i] || !is_listed(tensor_at(p->left, i)))
            continue;
        bool is_new = !tn_bytes_equal(tn_tensor_name(tensor_at(p->left, i)),
                                      tn_tensor_name(tensor_at(p->right, k)));
        if (is_new && (k < last || k > first_new)) {
            p->goes[i] = 1;
            p->puts[k] = 1;
            if (tensor_at(p->right, k)->role != TN_ROLE_INITIALIZER)
                give_up(p, "a variable or a sparse tensor is new");
        } else {
            last = k > last ? k : last;
        }
    }
}

static void fix_names(struct patch *p, uint32_t g, uint32_t h)
{
    const struct tn_graph *x = tn_model_graph_at(p->left, g);
    const struct tn_graph *y = tn_model_graph_at(p->right, h);

    keep_order_of_tensors(p, g, h);
    for (uint32_t i = p->first[0][g]; i != TN_NONE; i = p->tensors[0][i]) {
        const struct tn_tensor *t = tensor_at(p->left, i);
        if (!is_listed(t) || p->m->tensors[0][i] == TN_NONE || p->goes[i])
            continue;
        const struct tn_tensor *u = tensor_at(p->right, p->m->tensors[0][i]);
        if (is_at_one_place(p, t, u))
            fix_name(p, tn_model_find_named(p->left, g, tn_tensor_name(t)),
                     tn_model_find_named(p->right, h, tn_tensor_name(u)));
    }
    for (uint32_t i = 0;
         i < x->inputs.count && x->inputs.count == y->inputs.count; i++) {
        struct tn_bytes from = x->inputs.items[i].name;
        struct tn_bytes to   = y->inputs.items[i].name;
        if (tn_bytes_equal(from, to) ||
            (tn_model_find_named(p->right, h, from) == TN_NONE &&
             tn_model_find_named(p->left, g, to) == TN_NONE))
            fix_name(p, tn_model_find_named(p->left, g, from),
                     tn_model_find_named(p->right, h, to));
    }
}

/* Whether another value of the graph has the name and keeps it. */
static bool is_taken(const struct patch *p, uint32_t g, uint32_t value)
{
    uint32_t other = tn_model_find_named(
        p->left, g, value_name(p->right, p->renamed[value]));

    return other != TN_NONE && other != value && p->renamed[other] == TN_NONE;
}

static bool is_known(const struct patch *p, uint32_t g, uint32_t value)
{
    return tn_model_find_named(
               p->left, g, value_name(p->right, p->renamed[value])) != TN_NONE;
}

/* A name that is in use cannot be given to another value: instead tensors are
 * removed and added, and ops get other outputs and inputs.  A name that one
 * value keeps cannot be taken by another. */
static void drop_taken(struct patch *p, uint32_t g)
{
    enum { ROUNDS_MOST = 8 };
    bool is_changed = true;

    for (int round = 0; is_changed; round++) {
        is_changed = false;
        for (uint64_t i = 0; i < p->changed.count; i++) {
            uint32_t value = *tn_list_at(&p->changed, uint32_t, i);
            if (p->renamed[value] == TN_NONE ||
                !(round < ROUNDS_MOST ? is_taken(p, g, value)
                                      : is_known(p, g, value)))
                continue;
            uint32_t t = p->m->left.tensor_of[value];
            if (t != TN_NONE && p->m->tensors[0][t] != TN_NONE) {
                p->goes[t]                   = 1;
                p->puts[p->m->tensors[0][t]] = 1;
            }
            p->renamed[value] = TN_NONE;
            is_changed        = true;
        }
    }
}

/* Outputs of the right graph that nothing defines have a name and no value. */
static void recount_outputs(struct patch *p, uint32_t g, uint32_t h)
{
    struct tn_io_list a = tn_model_graph_at(p->left, g)->outputs;
    struct tn_io_list b = tn_model_graph_at(p->right, h)->outputs;

    for (uint32_t i = 0; i < a.count && i < b.count; i++) {
        uint32_t value = tn_model_find_named(p->left, g, a.items[i].name);
        if (value != TN_NONE && !p->is_fixed[value] &&
            tn_bytes_equal(a.items[i].name, b.items[i].name) &&
            tn_model_find_named(p->right, h, b.items[i].name) == TN_NONE)
            p->votes[value]--;
    }
}

static bool is_loss(const struct tn_model *model, struct tn_bytes name)
{
    for (uint32_t i = 0; i < model->loss_count; i++)
        if (tn_bytes_equal(model->losses[i], name))
            return true;
    return false;
}

/* Whether the models call a loss by the name of this value. */
static bool is_loss_after(const struct patch *p, uint32_t value)
{
    struct tn_bytes name = value_name(p->left, value);

    return is_loss(p->left, name) && is_loss(p->right, name);
}

/* Decides which values of the graph get other names. */
static void find_renames(struct patch *p, uint32_t g, uint32_t h)
{
    p->changed.count = 0;
    if (!p->left->dialect->names_outputs)
        return; /* ops do */
    fix_names(p, g, h);
    each_end(p, g, h, vote);
    for (uint64_t i = 0; i < p->changed.count; i++)
        p->votes[*tn_list_at(&p->changed, uint32_t, i)] = 0;
    each_end(p, g, h, recount);
    recount_outputs(p, g, h);
    for (uint64_t i = 0; i < p->changed.count; i++) {
        uint32_t value = *tn_list_at(&p->changed, uint32_t, i);
        if (p->is_fixed[value])
            continue;
        const struct tn_value *v = tn_model_value_at(p->left, value);
        if (v->graph != g || v->kind == TN_VALUE_OUTER ||
            v->kind == TN_VALUE_UNDEFINED ||
            p->m->left.tensor_of[value] != TN_NONE ||
            p->m->left.input_of[value] != TN_NONE || is_loss_after(p, value) ||
            tn_bytes_equal(value_name(p->left, value),
                           value_name(p->right, p->renamed[value])) ||
            (int32_t)p->votes[value] <= 0 ||
            p->owner[p->renamed[value]] != TN_NONE)
            p->renamed[value] = TN_NONE;
        else
            p->owner[p->renamed[value]] = value;
    }
    drop_taken(p, g);
}

/* Whether the op that makes a value is removed. */
static bool is_removed(const struct patch *p, uint32_t value)
{
    uint32_t op = tn_model_value_at(p->left, value)->producer;

    return op != TN_NONE && p->m->ops[0][op] == TN_NONE;
}

/* The names that a value, or an op that names its values, gets. */
static bool next_rename(const struct patch *p, uint32_t g, bool of_removed,
                        uint32_t *at, struct tn_bytes *old,
                        struct tn_bytes *now)
{
    if (!p->left->dialect->names_outputs) {
        if (of_removed)
            return false;
        const struct tn_graph *x = tn_model_graph_at(p->left, g);
        for (; *at < x->op_count; ++*at) {
            uint32_t op = x->first_op + *at;
            if (!is_renamed_op(p, op))
                continue;
            *old = op_name(p->left, op);
            *now = op_name(p->right, p->m->ops[0][op]);
            ++*at;
            return true;
        }
        return false;
    }
    for (; *at < p->changed.count; ++*at) {
        uint32_t value = *tn_list_at(&p->changed, uint32_t, *at);
        if (p->renamed[value] == TN_NONE || is_removed(p, value) != of_removed)
            continue;
        *old = value_name(p->left, value);
        *now = value_name(p->right, p->renamed[value]);
        ++*at;
        return true;
    }
    return false;
}

/* ---- names that ops give up ---------------------------------------------- */

static uint32_t producer_of(const struct tn_model *model, uint32_t value)
{
    return value == TN_NONE ? TN_NONE
                            : tn_model_value_at(model, value)->producer;
}

static void mark_freed(struct patch *p, uint32_t g, const struct tn_graph *x)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < x->op_count; i++) {
        uint32_t op = x->first_op + i;
        if (!is_renamed_op(p, op))
            continue;
        uint32_t other = producer_of(
            p->left, tn_model_find_named(p->left, g,
                                         op_name(p->right, p->m->ops[0][op])));
        if (other != TN_NONE && p->m->ops[0][other] == TN_NONE) {
            p->freed[other] = FREED;
            count++;
        }
    }
    for (uint32_t i = 0; count && i < x->op_count; i++) {
        const struct tn_op *o = tn_model_op_at(p->left, x->first_op + i);
        if (p->m->ops[0][x->first_op + i] == TN_NONE)
            continue;
        for (uint32_t k = 0; k < o->input_count; k++) {
            uint32_t op = producer_of(p->left, ref(p->left, o->first_input, k));
            if (op != TN_NONE && p->freed[op] == FREED)
                p->freed[op] = FREED_AND_READ;
        }
    }
}

/* Before it is removed, such an op gets a name that is not in use. */
static void write_freed(struct patch *p, uint32_t g, const struct tn_graph *x)
{
    if (p->left->dialect->names_outputs)
        return;
    mark_freed(p, g, x);
    for (uint32_t i = 0; i < x->op_count; i++) {
        uint32_t        op   = x->first_op + i;
        struct tn_bytes name = op_name(p->left, op);
        if (p->freed[op] != FREED_AND_READ)
            continue;
        begin_line(p, "rename");
        put(p, name);
        tn_buffer_clear(&p->word);
        tn_buffer_add(&p->word, name);
        do
            tn_buffer_text(&p->word, "_removed");
        while (tn_model_find_named(p->left, g, tn_buffer_bytes(&p->word)) !=
                   TN_NONE ||
               tn_model_find_named(p->right, p->m->graphs[0][g],
                                   tn_buffer_bytes(&p->word)) != TN_NONE);
        put(p, tn_buffer_bytes(&p->word));
        end_line(p);
    }
}

/* One line each, unless a name passes from one value to another, or there are
 * many. */
static void write_renames(struct patch *p, uint32_t g, bool of_removed)
{
    enum { LINES_MOST = 32 };
    uint64_t        count = 0, clashes = 0;
    struct tn_bytes old, now;

    for (uint32_t at = 0; next_rename(p, g, of_removed, &at, &old, &now);
         count++)
        clashes += tn_model_find_named(p->left, g, now) != TN_NONE;
    bool is_one = count > LINES_MOST || clashes > 0;
    if (count && is_one)
        begin_line(p, "rename");
    for (uint32_t at = 0; next_rename(p, g, of_removed, &at, &old, &now);) {
        if (!is_one)
            begin_line(p, "rename");
        put(p, old);
        put(p, now);
        if (!is_one)
            end_line(p);
    }
    if (count && is_one) {
        p->actions += count - 1;
        end_line(p);
    }
}

/* ---- attributes --------------------------------------------------------- */

/* Whether a string of an attribute is that of the right after the renames:
 * "loc:@conv1" names an op, and `rename` changes it, too. */
static bool is_string_now(const struct patch *p, struct tn_bytes old,
                          struct tn_bytes now)
{
    static const char mark[] = "loc:@";
    const size_t      size   = sizeof mark - 1;

    uint32_t value =
        tn_bytes_starts_with(old, mark)
            ? tn_model_find_named(p->left, p->graph,
                                  tn_bytes(old.data + size, old.size - size))
            : TN_NONE;
    if (value == TN_NONE)
        return tn_bytes_equal(old, now);
    return tn_bytes_starts_with(now, mark) &&
           is_called(p, value, tn_bytes(now.data + size, now.size - size));
}

/* Whether an attribute needs no line.  Names count here: the diff may call two
 * names of one function the same. */
static bool same_attr(const struct patch *p, const struct tn_attr_value *a,
                      const struct tn_attr_value *b)
{
    bool has_texts = a->kind == TN_ATTR_STRING || a->kind == TN_ATTR_FUNCTION;
    bool follows   = !p->left->dialect->names_outputs &&
                   a->kind == TN_ATTR_STRING; /* the names of ops */

    if (!has_texts)
        return tn_diff_same_attr(p->m, a, b);
    if (b->kind != a->kind || a->is_list != b->is_list || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (follows ? !is_string_now(p, a->of.strings[i], b->of.strings[i])
                    : !tn_bytes_equal(a->of.strings[i], b->of.strings[i]))
            return false;
    return true;
}

static void put_value(struct patch *p, const struct tn_attr_value *value)
{
    if (value->kind != TN_ATTR_TENSOR) {
        struct tn_error own = TN_ERROR_INIT;
        if (tn_edit_value_put(&p->text, value, &own) == TN_OK)
            return;
        if (own.status == TN_UNSUPPORTED)
            give_up(p, "an attribute has no form in a script");
        else
            *p->error = own;
        return;
    }
    put_text(p, value->is_list ? "tensors" : "tensor");
    for (uint32_t i = 0; i < value->count && !tn_failed(p->error); i++)
        put_tensor(p, value->of.tensors[i]);
}

static const struct tn_attr_named *attr_named(const struct tn_list *attrs,
                                              struct tn_bytes       name)
{
    for (uint64_t i = 0; i < attrs->count; i++) {
        const struct tn_attr_named *attr =
            tn_list_at(attrs, struct tn_attr_named, i);
        if (tn_bytes_equal(attr->name, name))
            return attr;
    }
    return NULL;
}

/* A tensor in this attribute of the right op has other elements. */
static bool is_revalued(const struct patch *p, uint32_t right,
                        struct tn_bytes name)
{
    for (uint32_t t = p->m->right.op_tensor[right]; t != TN_NONE;
         t          = p->m->right.next_tensor[t])
        if (p->revalued[t] &&
            tn_bytes_equal(tn_diff_attr_name(tensor_at(p->right, t)), name))
            return true;
    return false;
}

/* Graphs that the attribute has are made here, without nodes, so that
 * attributes are in order; write_new_graphs() fills them in. */
static void add_graphs(struct patch *p, uint32_t right,
                       const struct tn_attr_named *attr)
{
    if (!tn_dialect_facts(p->left->dialect->name)->lists_io) {
        give_up(p, "a node has a graph inside that is new");
        return;
    }
    for (uint32_t i = 0; i < attr->value.count; i++) {
        uint32_t graph = (uint32_t)attr->value.of.ints[i];
        if (graph >= p->m->right.graph_count || p->graph_id[graph] != TN_NONE ||
            p->m->graphs[1][graph] != TN_NONE) {
            give_up(p, "a graph is in another attribute");
            return;
        }
        begin_line(p, "add-graph");
        put_right(p, right);
        put(p, attr->name);
        put(p,
            tn_model_name(p->right, tn_model_graph_at(p->right, graph)->name));
        if (attr->value.is_list)
            put_text(p, "list");
        end_line(p);
        p->graph_id[graph] = p->m->left.graph_count + p->added_graphs++;
    }
}

/* Tensors of decoded attributes are not rows of the model, whose digests are
 * remembered; those that were compared are. */
static void set_attr(struct patch *p, uint32_t right,
                     const struct tn_attr_named *attr)
{
    if (attr->value.kind == TN_ATTR_GRAPH) {
        add_graphs(p, right, attr);
        return;
    }
    begin_line(p, "set-attr");
    put_right(p, right);
    put(p, attr->name);
    put_value(p, &attr->value);
    end_line(p);
}

/* Whether the op has the attribute without a line that sets it.  `old`: what a
 * matched op has; NULL: the op is new. */
static bool is_implied(const struct patch *p, uint32_t op,
                       const struct tn_attr_named *attr,
                       const struct tn_attr_value *old)
{
    return p->right->dialect->is_implied &&
           p->right->dialect->is_implied(p->right, op, attr, old);
}

/* Whether a line that sets another operator removes the attribute. */
static bool goes_with_operator(const struct patch *p, uint32_t left,
                               uint32_t right, struct tn_bytes name)
{
    const char *const *one = p->left->dialect->operator_attrs;

    if (!one ||
        tn_bytes_equal(
            tn_model_name(p->left, tn_model_op_at(p->left, left)->type),
            tn_model_name(p->right, tn_model_op_at(p->right, right)->type)))
        return false;
    while (*one && !tn_bytes_is(name, *one))
        one++;
    return *one != NULL;
}

static void compare_attrs(struct patch *p, uint32_t left, uint32_t right)
{
    struct tn_list a, b;

    tn_list_init(&a, p->memory, sizeof(struct tn_attr_named));
    tn_list_init(&b, p->memory, sizeof(struct tn_attr_named));
    if (tn_attr_list(p->left, left, &p->arena, &a, p->error) == TN_OK &&
        tn_attr_list(p->right, right, &p->arena, &b, p->error) == TN_OK) {
        for (uint64_t i = 0; i < a.count; i++) {
            const struct tn_attr_named *attr =
                tn_list_at(&a, struct tn_attr_named, i);
            if (attr_named(&b, attr->name) ||
                goes_with_operator(p, left, right, attr->name) ||
                tn_diff_is_implied(p->m, 0, left, attr))
                continue;
            begin_line(p, "remove-attr");
            put_left(p, left);
            put(p, attr->name);
            end_line(p);
        }
        for (uint64_t i = 0; i < b.count && !tn_failed(p->error); i++) {
            const struct tn_attr_named *attr =
                tn_list_at(&b, struct tn_attr_named, i);
            const struct tn_attr_named *old = attr_named(&a, attr->name);
            bool is_same = goes_with_operator(p, left, right, attr->name)
                               ? is_implied(p, right, attr, NULL)
                           : old ? same_attr(p, &old->value, &attr->value) ||
                                       is_implied(p, right, attr, &old->value)
                                 : tn_diff_is_implied(p->m, 1, right, attr);
            if (!is_same || is_revalued(p, right, attr->name))
                set_attr(p, right, attr);
        }
    }
    tn_list_done(&b);
    tn_list_done(&a);
}

/* ---- nodes -------------------------------------------------------------- */

static void put_input(struct patch *p, const struct tn_model *model,
                      const struct tn_op *o, uint32_t i)
{
    uint32_t        value = ref(model, o->first_input, i);
    struct tn_bytes name =
        value == TN_NONE ? tn_text("") : value_name(model, value);

    if (tn_bytes_is(name, "->"))
        give_up(p, "a value is called ->");
    if (i < o->input_count - o->control_count) {
        put(p, name);
        return;
    }
    tn_buffer_clear(&p->word);
    tn_buffer_format(&p->word, "^%.*s", TN_FMT(name));
    put(p, tn_buffer_bytes(&p->word));
}

static void put_outputs(struct patch *p, const struct tn_op *o)
{
    for (uint32_t i = 0; i < o->output_count; i++) {
        uint32_t value = ref(p->right, o->first_output, i);
        put(p, value == TN_NONE ? tn_text("") : value_name(p->right, value));
    }
}

/* The slots that an op has its arguments in; "?": not known. */
static struct tn_bytes slots_of(struct patch *p, const struct tn_model *model,
                                uint32_t op, bool is_output)
{
    struct tn_buffer text;
    struct tn_bytes  kept;

    if (!model->dialect->next_slot)
        return tn_text("");
    tn_buffer_init(&text, p->memory, p->error);
    kept = tn_op_slots_text(model, op, is_output, &text)
               ? tn_bytes_dup(&p->arena, tn_buffer_bytes(&text), p->error)
               : tn_text("?");
    tn_buffer_done(&text);
    return kept;
}

/* Those of an op of the left after it was given another number of values: each
 * slot has as many as before, and the last one all that are left. */
static struct tn_bytes slots_after(struct patch *p, uint32_t op, bool is_output,
                                   uint32_t left)
{
    const struct tn_op *row = tn_model_op_at(p->left, op);
    struct tn_buffer    text;
    struct tn_bytes     name, last = tn_text(""), kept;
    struct tn_error     none = TN_ERROR_INIT;
    uint32_t            count, in_last = 0;

    if (left == (is_output ? row->output_count : row->input_count) ||
        !p->left->dialect->next_slot || !row->wire_length)
        return slots_of(p, p->left, op, is_output);
    struct tn_cursor c = tn_cursor_span(tn_model_op_wire(p->left, row), &none);
    tn_buffer_init(&text, p->memory, p->error);
    while (p->left->dialect->next_slot(&c, is_output, &name, &count)) {
        tn_op_slot_add(&text, last, in_last);
        last    = name;
        in_last = count < left ? count : left;
        left -= in_last;
    }
    tn_op_slot_add(&text, last, in_last + left);
    kept = tn_bytes_dup(&p->arena, tn_buffer_bytes(&text), p->error);
    tn_buffer_done(&text);
    return kept;
}

/* Those that it would have if an edit added it. */
static struct tn_bytes new_slots_of(struct patch *p, const struct tn_op *op,
                                    bool is_output)
{
    struct tn_error     unknown = TN_ERROR_INIT;
    struct tn_new_slots slots;
    struct tn_buffer    text;
    struct tn_bytes     name, kept;
    uint32_t            count;

    slots = tn_new_slots(
        tn_vocab_find(&p->vocab, tn_bytes(NULL, 0),
                      tn_model_name(p->right, op->type), INT64_MAX, &unknown),
        is_output, is_output ? op->output_count : op->input_count);
    tn_buffer_init(&text, p->memory, p->error);
    while (tn_new_slots_next(&slots, &name, &count))
        tn_op_slot_add(&text, name, count);
    kept = tn_bytes_dup(&p->arena, tn_buffer_bytes(&text), p->error);
    tn_buffer_done(&text);
    return kept;
}

/* A line has the values of an op, and not their slots. */
static void expect_new_slots(struct patch *p, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(p->right, op);

    if (!p->right->dialect->next_slot)
        return;
    if (!p->has_vocab) {
        struct tn_error none = TN_ERROR_INIT;
        p->has_vocab         = true; /* without one, nothing is found in it */
        (void)tn_vocab_open(&p->vocab, &p->kept, p->right->dialect->name,
                            &none);
    }
    for (int is_output = 0; is_output < 2; is_output++)
        if (!tn_bytes_equal(slots_of(p, p->right, op, is_output),
                            new_slots_of(p, row, is_output)))
            give_up(p, "an operator with other slots than usual is new");
}

static void add_op(struct patch *p, uint32_t op, uint32_t before)
{
    const struct tn_op *o = tn_model_op_at(p->right, op);
    struct tn_list      attrs;

    expect_new_slots(p, op);
    begin_line(p, "add-op");
    put(p, op_name(p->right, op));
    put_operator(p, o);
    put_right(p, before);
    for (uint32_t i = 0; i < o->input_count; i++)
        put_input(p, p->right, o, i);
    if (p->right->dialect->names_outputs) {
        put_text(p, "->");
        put_outputs(p, o);
    }
    end_line(p);
    p->added_id[op] = p->m->left.op_count + p->added++;
    tn_list_init(&attrs, p->memory, sizeof(struct tn_attr_named));
    if (tn_attr_list(p->right, op, &p->arena, &attrs, p->error) == TN_OK)
        for (uint64_t i = 0; i < attrs.count && !tn_failed(p->error); i++) {
            const struct tn_attr_named *attr =
                tn_list_at(&attrs, struct tn_attr_named, i);
            if (!is_implied(p, op, attr, NULL))
                set_attr(p, op, attr);
        }
    tn_list_done(&attrs);
}

static void place_ops(struct patch *p, const struct tn_graph *y)
{
    uint32_t before = TN_NONE;

    for (uint64_t i = y->op_count; i-- > 0 && !tn_failed(p->error);) {
        uint32_t op    = y->first_op + (uint32_t)i;
        uint32_t match = p->m->ops[1][op];
        if (match == TN_NONE) {
            tn_arena_rewind(&p->arena);
            add_op(p, op, before);
        } else if (p->moved[match]) {
            begin_line(p, "move-op");
            put_left(p, match);
            put_right(p, before);
            end_line(p);
        }
        before = op;
    }
}

static void compare_inputs(struct patch *p, uint32_t left, uint32_t right)
{
    const struct tn_op *o      = tn_model_op_at(p->left, left);
    const struct tn_op *q      = tn_model_op_at(p->right, right);
    uint32_t            differ = 0, last = 0;

    for (uint32_t i = 0; i < o->input_count && i < q->input_count; i++) {
        uint32_t value = ref(p->right, q->first_input, i);
        if (is_called(p, ref(p->left, o->first_input, i),
                      value == TN_NONE ? tn_text("")
                                       : value_name(p->right, value)))
            continue;
        differ++;
        last = i;
    }
    bool is_whole = o->input_count != q->input_count ||
                    o->control_count != q->control_count;
    if (!is_whole && differ == 0)
        return;
    if (!is_whole && differ == 1 && last < q->input_count - q->control_count) {
        begin_line(p, "set-input");
        put_left(p, left);
        tn_buffer_clear(&p->word);
        tn_buffer_format(&p->word, "%" PRIu32, last);
        put(p, tn_buffer_bytes(&p->word));
        put_input(p, p->right, q, last);
        end_line(p);
        return;
    }
    begin_line(p, "set-inputs");
    put_left(p, left);
    for (uint32_t i = 0; i < q->input_count; i++)
        put_input(p, p->right, q, i);
    end_line(p);
}

static void compare_outputs(struct patch *p, uint32_t left, uint32_t right)
{
    const struct tn_op *o       = tn_model_op_at(p->left, left);
    const struct tn_op *q       = tn_model_op_at(p->right, right);
    bool                is_same = o->output_count == q->output_count;

    if (!p->left->dialect->names_outputs)
        return;
    for (uint32_t i = 0; is_same && i < o->output_count; i++) {
        uint32_t value = ref(p->right, q->first_output, i);
        is_same        = tn_bytes_equal(
                   name_now(p, ref(p->left, o->first_output, i)),
            value == TN_NONE ? tn_text("") : value_name(p->right, value));
    }
    if (is_same)
        return;
    begin_line(p, "set-outputs");
    put_left(p, left);
    put_outputs(p, q);
    end_line(p);
}

static void compare_ops(struct patch *p, uint32_t left, uint32_t right)
{
    const struct tn_op *o = tn_model_op_at(p->left, left);
    const struct tn_op *q = tn_model_op_at(p->right, right);

    for (unsigned k = 0; k < 2; k++)
        if (!tn_bytes_equal(
                slots_after(p, left, k, k ? q->output_count : q->input_count),
                slots_of(p, p->right, right, k)))
            give_up(p, "an operator has its arguments in other slots");
    if (!tn_bytes_equal(tn_model_name(p->left, o->type),
                        tn_model_name(p->right, q->type)) ||
        !tn_bytes_equal(tn_model_name(p->left, o->domain),
                        tn_model_name(p->right, q->domain))) {
        begin_line(p, "set-op");
        put_left(p, left);
        put_operator(p, q);
        end_line(p);
    }
    compare_inputs(p, left, right);
    compare_outputs(p, left, right);
    tn_arena_rewind(&p->arena);
    if (!p->left->dialect->names_outputs || !tn_op_alike(o) ||
        !tn_op_alike(q) || p->m->left.local[left] != p->m->right.local[right] ||
        p->m->right.op_tensor[right] != TN_NONE)
        compare_attrs(p, left, right);
}

/* The last lines about a node, because the lines before them use its old
 * names. */
static void rename_ops(struct patch *p, const struct tn_graph *x)
{
    for (uint64_t i = 0; i < x->op_count; i++) {
        uint32_t op = x->first_op + (uint32_t)i, match = p->m->ops[0][op];
        if (match == TN_NONE || is_renamed_op(p, op) ||
            tn_bytes_equal(op_name(p->left, op), op_name(p->right, match)))
            continue;
        begin_line(p, "rename-node");
        put_left(p, op);
        put(p, op_name(p->right, match));
        end_line(p);
    }
}

/* ---- inputs and outputs of graphs --------------------------------------- */

static bool same_type(const struct tn_io *a, const struct tn_io *b)
{
    if (a->dtype != b->dtype || a->has_rank != b->has_rank ||
        (a->has_rank && a->rank != b->rank) ||
        strcmp(a->note ? a->note : "", b->note ? b->note : "") != 0)
        return false;
    for (uint32_t i = 0; a->has_rank && i < a->rank; i++)
        if (a->dims[i].value != b->dims[i].value ||
            !tn_bytes_equal(a->dims[i].symbol, b->dims[i].symbol))
            return false;
    return true;
}

static void put_dims(struct patch *p, const struct tn_io *io)
{
    tn_buffer_clear(&p->word);
    for (uint32_t i = 0; i < io->rank; i++) {
        struct tn_bytes symbol = io->dims[i].symbol;
        tn_buffer_text(&p->word, i ? "," : "");
        if (symbol.size && (tn_bytes_find(symbol, ',') ||
                            tn_bytes_is(symbol, "?") || symbol.data[0] == '-' ||
                            (symbol.data[0] >= '0' && symbol.data[0] <= '9')))
            give_up(p, "a dimension has a name that reads as a number");
        if (symbol.size)
            tn_buffer_add(&p->word, symbol);
        else if (io->dims[i].value < 0)
            tn_buffer_text(&p->word, "?");
        else
            tn_buffer_format(&p->word, "%" PRId64, io->dims[i].value);
    }
    put(p, io->has_rank ? tn_buffer_bytes(&p->word) : tn_text("..."));
}

static const struct tn_io *io_now(const struct patch *p, uint32_t g,
                                  struct tn_io_list list, struct tn_bytes name)
{
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t value = tn_model_find_named(p->left, g, list.items[i].name);
        if (tn_bytes_equal(value == TN_NONE ? list.items[i].name
                                            : name_now(p, value),
                           name))
            return &list.items[i];
    }
    return NULL;
}

/* "float32", or "sequence(float32)".  `old` is what the left model says of that
 * value, NULL if nothing: what is ragged stays so. */
static void put_type(struct patch *p, const struct tn_io *io,
                     const struct tn_io *old)
{
    const char *note = io->note ? io->note : "";
    const char *type =
        io->dtype == TN_UNDEFINED ? "?" : tn_dtype_name(io->dtype);

    bool is_kept = strcmp(note, "ragged") == 0 && old && old->note &&
                   strcmp(old->note, note) == 0;
    if (!note[0] || is_kept) {
        put_text(p, type);
        return;
    }
    if (strcmp(note, "sequence") != 0 && strcmp(note, "optional") != 0)
        give_up(p, "an input or output is not a tensor");
    tn_buffer_clear(&p->word);
    tn_buffer_format(&p->word, "%s(%s)", note, type);
    put(p, tn_buffer_bytes(&p->word));
}

/* The list `b`, where `a` is the one that is there. */
static void list_ios(struct patch *p, uint32_t g, const char *action,
                     struct tn_io_list a, struct tn_io_list b)
{
    begin_line(p, action);
    for (uint32_t i = 0; i < b.count; i++) {
        const struct tn_io *io  = &b.items[i];
        const struct tn_io *old = io_now(p, g, a, io->name);
        put(p, io->name);
        if (old && same_type(old, io)) {
            put_text(p, "as-it-is");
            put_text(p, "");
            continue;
        }
        put_type(p, io, old);
        put_dims(p, io);
    }
    end_line(p);
}

static bool same_io(const struct patch *p, uint32_t g, const struct tn_io *a,
                    const struct tn_io *b)
{
    uint32_t value = tn_model_find_named(p->left, g, a->name);

    return tn_bytes_equal(value == TN_NONE ? a->name : name_now(p, value),
                          b->name) &&
           same_type(a, b);
}

static void compare_io(struct patch *p, uint32_t g, const char *action,
                       struct tn_io_list a, struct tn_io_list b)
{
    bool is_same = a.count == b.count;

    for (uint32_t i = 0; is_same && i < a.count; i++)
        is_same = same_io(p, g, &a.items[i], &b.items[i]);
    if (is_same)
        return;
    if (!p->left->dialect->names_outputs)
        return; /* they are ops */
    list_ios(p, g, action, a, b);
}

/* ---- types of values ----------------------------------------------------- */

/* Whether the file says the type of every value beside the nodes, and not as
 * inputs and outputs alone. */
static bool declares_types(const struct patch *p)
{
    const struct tn_dialect_facts *facts =
        tn_dialect_facts(p->left->dialect->name);

    return facts->types_values && facts->names_io;
}

static const struct tn_io *listed_io(const struct tn_graph *g,
                                     struct tn_bytes        name)
{
    const struct tn_io_list lists[] = { g->values, g->inputs, g->outputs };

    for (unsigned k = 0; k < (g->has_other_io ? 3 : 1); k++)
        for (uint32_t i = 0; i < lists[k].count; i++)
            if (tn_bytes_equal(lists[k].items[i].name, name))
                return &lists[k].items[i];
    return NULL;
}

static void copy_dims(struct patch *p, struct tn_io *io, const int64_t *dims,
                      uint32_t rank)
{
    struct tn_dim *made = tn_new(&p->arena, struct tn_dim, rank, p->error);

    for (uint32_t i = 0; made && i < rank; i++)
        made[i].value = dims[i] < 0 ? -1 : dims[i];
    io->has_rank = true;
    io->rank     = made ? rank : 0;
    io->dims     = made;
}

/* What a model declares about a value: first by an edit, else by its file.
 * False: nothing. */
static bool declared_type(struct patch *p, const struct tn_model *model,
                          uint32_t graph, struct tn_bytes name,
                          struct tn_io *io, struct tn_value_about *about)
{
    const struct tn_graph *g      = tn_model_graph_at(model, graph);
    const struct tn_io    *listed = listed_io(g, name);

    *about = (struct tn_value_about){ .dtype = TN_UNDEFINED };
    if (model->dialect->describe_value)
        model->dialect->describe_value(model, graph, name, &p->arena, about,
                                       p->error);
    if (listed) {
        *io = *listed;
        return true;
    }
    *io = (struct tn_io){ .name = name, .note = "" };
    if (about->dtype != TN_UNDEFINED) {
        io->dtype = about->dtype;
        if (about->has_rank)
            copy_dims(p, io, about->dims, about->rank);
    }
    return io->dtype != TN_UNDEFINED;
}

/* There is no action that changes quantisation parameters. */
static bool is_plain(const struct tn_value_about *about)
{
    return !about->scale_count && !about->block_size && !about->is_variable &&
           !about->is_sparse;
}

static bool same_scales(const struct tn_value_about *a,
                        const struct tn_value_about *b)
{
    return a->scale_count == b->scale_count && a->block_size == b->block_size &&
           a->is_variable == b->is_variable && a->is_sparse == b->is_sparse &&
           (!a->scale_count ||
            (a->axis == b->axis &&
             !memcmp(a->scales, b->scales,
                     a->scale_count * sizeof *a->scales) &&
             !memcmp(a->zero_points, b->zero_points,
                     a->scale_count * sizeof *a->zero_points)));
}

/* The value of the left graph that has the name of this one in the end. */
static uint32_t value_before(const struct patch *p, uint32_t g, uint32_t value)
{
    struct tn_bytes name = value_name(p->right, value);
    uint32_t        old  = p->owner[value];

    if (old == TN_NONE)
        old = tn_model_find_named(p->left, g, name);
    return old != TN_NONE && tn_bytes_equal(name_now(p, old), name) ? old
                                                                    : TN_NONE;
}

/* One value of the right graph: it is listed if the left graph declares
 * something else about it. */
static void compare_value(struct patch *p, uint32_t g, uint32_t h,
                          uint32_t value, bool *has_line)
{
    const struct tn_value *v    = tn_model_value_at(p->right, value);
    struct tn_bytes        name = value_name(p->right, value);
    uint32_t               old  = value_before(p, g, value);
    struct tn_value_about  was, is;
    struct tn_io           a, b;

    tn_arena_rewind(&p->arena);
    bool had = old != TN_NONE &&
               declared_type(p, p->left, g, value_name(p->left, old), &a, &was);
    bool has = declared_type(p, p->right, h, name, &b, &is);
    if (had ? !same_scales(&was, &is) : !is_plain(&is))
        give_up(p, "a value is quantised in another way");
    if (v->kind == TN_VALUE_INITIALIZER || (had && has && same_type(&a, &b)))
        return;
    if (!has) {
        if (had)
            give_up(p, "the type of a value is gone");
        return;
    }
    if (!*has_line)
        begin_line(p, "list-values");
    *has_line = true;
    put(p, name);
    put_type(p, &b, had ? &a : NULL);
    put_dims(p, &b);
}

static void compare_values(struct patch *p, uint32_t g, uint32_t h,
                           const struct tn_graph *y)
{
    bool has_line = false;

    for (uint64_t i = 0; i < y->op_count && !tn_failed(p->error); i++) {
        uint32_t            op = y->first_op + (uint32_t)i;
        const struct tn_op *o  = tn_model_op_at(p->right, op);
        for (uint32_t k = 0; k < o->input_count; k++) {
            uint32_t value = ref(p->right, o->first_input, k);
            if (value != TN_NONE &&
                tn_model_value_at(p->right, value)->producer == TN_NONE)
                compare_value(p, g, h, value, &has_line);
        }
        for (uint32_t k = 0; k < o->output_count; k++) {
            uint32_t value = ref(p->right, o->first_output, k);
            if (value != TN_NONE &&
                tn_model_value_at(p->right, value)->producer == op)
                compare_value(p, g, h, value, &has_line);
        }
    }
    if (has_line)
        end_line(p);
}

/* ---- graphs ------------------------------------------------------------- */

static void remove_ops(struct patch *p, const struct tn_graph *x)
{
    for (uint64_t i = 0; i < x->op_count; i++) {
        uint32_t op = x->first_op + (uint32_t)i;
        if (p->m->ops[0][op] != TN_NONE)
            continue;
        begin_line(p, "remove-op");
        put_left(p, op);
        end_line(p);
    }
}

static const struct tn_io *output_named(const struct tn_graph *g,
                                        struct tn_bytes        name)
{
    for (uint32_t i = 0; i < g->outputs.count; i++)
        if (tn_bytes_equal(g->outputs.items[i].name, name))
            return &g->outputs.items[i];
    return NULL;
}

/* Whether an op computes what no op uses, and what is not an output. */
static bool has_unused(struct patch *p, const struct tn_model *model,
                       const struct tn_graph *g)
{
    uint64_t count = model->values.count;
    uint8_t *is_used =
        tn_memory_resize(p->memory, NULL, 0, count + 1, p->error);
    bool found = false;

    if (!is_used)
        return false;
    memset(is_used, 0, (size_t)count + 1);
    for (uint32_t i = 0; i < g->op_count; i++) {
        const struct tn_op *o = tn_model_op_at(model, g->first_op + i);
        for (uint32_t k = 0; k < o->input_count; k++) {
            uint32_t value = ref(model, o->first_input, k);
            if (value != TN_NONE)
                is_used[value] = 1;
        }
    }
    for (uint32_t i = 0; i < g->op_count && !found; i++) {
        const struct tn_op *o = tn_model_op_at(model, g->first_op + i);
        for (uint32_t k = 0; k < o->output_count && !found; k++) {
            uint32_t value = ref(model, o->first_output, k);
            found          = value != TN_NONE && !is_used[value] &&
                    !output_named(g, value_name(model, value));
        }
    }
    tn_memory_free(p->memory, is_used, count + 1);
    return found;
}

/* Whether the file names the outputs of the graph.  Otherwise they are what no
 * op uses, losses, and inputs that are named as outputs. */
static bool names_outputs_of_graph(struct patch          *p,
                                   const struct tn_model *model, uint32_t graph)
{
    const struct tn_graph *g = tn_model_graph_at(model, graph);

    for (uint32_t i = 0; i < g->outputs.count; i++)
        if (g->outputs.items[i].is_guessed)
            return false;
    for (uint32_t i = 0; i < g->outputs.count; i++) {
        struct tn_bytes name  = g->outputs.items[i].name;
        uint32_t        value = tn_model_find_named(model, graph, name);
        if (value != TN_NONE &&
            tn_model_value_at(model, value)->producer != TN_NONE &&
            !is_loss(model, name))
            return true;
    }
    return has_unused(p, model, g);
}

/* Whether a graph that lists no outputs has this one. */
static bool follows(const struct tn_model *model, const struct tn_io *output)
{
    return output->is_guessed || is_loss(model, output->name);
}

/* Whether the outputs that do not follow from the ops are the same. */
static bool same_chosen(const struct patch *p, uint32_t g, struct tn_io_list a,
                        struct tn_io_list b)
{
    uint32_t i = 0, k = 0;

    for (;; i++, k++) {
        while (i < a.count && follows(p->left, &a.items[i]))
            i++;
        while (k < b.count && follows(p->right, &b.items[k]))
            k++;
        if (i == a.count || k == b.count)
            return i == a.count && k == b.count;
        if (!same_io(p, g, &a.items[i], &b.items[k]))
            return false;
    }
}

/* Whether a value has this type without a line, in the file or as a new one. */
static bool is_declared_so(const struct patch *p, uint32_t g, uint32_t h,
                           const struct tn_io *io)
{
    uint32_t value = tn_model_find_named(p->right, h, io->name);
    uint32_t old   = value == TN_NONE ? TN_NONE : value_before(p, g, value);
    struct tn_declared was = { .dtype = TN_FLOAT32, .has_type = true };

    if (!p->left->dialect->declared || (io->note && io->note[0]))
        return false;
    p->left->dialect->declared(
        p->left, g, old == TN_NONE ? io->name : value_name(p->left, old), &was);
    if (was.is_list || was.levels || was.has_type != io->has_rank ||
        (was.has_type && (was.dtype != io->dtype || was.rank != io->rank)))
        return false;
    for (uint32_t i = 0; io->has_rank && i < io->rank; i++)
        if (was.dims[i] != io->dims[i].value || io->dims[i].symbol.size)
            return false;
    return true;
}

/* Where operators say what inputs and outputs are, variables say what type they
 * have. */
static void declare_ios(struct patch *p, uint32_t g, uint32_t h,
                        struct tn_io_list a, struct tn_io_list b,
                        bool *has_line)
{
    for (uint32_t i = 0; i < b.count; i++) {
        const struct tn_io *io  = &b.items[i];
        const struct tn_io *old = io_now(p, g, a, io->name);
        if (old ? same_type(old, io) : is_declared_so(p, g, h, io))
            continue;
        if (!*has_line)
            begin_line(p, "list-values");
        *has_line = true;
        put(p, io->name);
        put_type(p, io, old);
        put_dims(p, io);
    }
}

static void compare_ios(struct patch *p, uint32_t g, uint32_t h,
                        const struct tn_graph *x, const struct tn_graph *y)
{
    const struct tn_dialect_facts *facts =
        tn_dialect_facts(p->left->dialect->name);
    bool has_line = false;

    if (facts->has_inputs_as_ops && g == 0) {
        declare_ios(p, g, h, x->inputs, y->inputs, &has_line);
        declare_ios(p, g, h, x->outputs, y->outputs, &has_line);
    }
    if (has_line)
        end_line(p);
    if (!facts->lists_io && !(facts->names_io && g == 0))
        return; /* they follow from the nodes */
    compare_io(p, g, "list-inputs", x->inputs, y->inputs);
    if (names_outputs_of_graph(p, p->left, g) ||
        names_outputs_of_graph(p, p->right, h) ||
        !same_chosen(p, g, x->outputs, y->outputs))
        compare_io(p, g, "list-outputs", x->outputs, y->outputs);
}

static void compare_graphs(struct patch *p, uint32_t g, uint32_t h)
{
    const struct tn_graph *x = tn_model_graph_at(p->left, g);
    const struct tn_graph *y = tn_model_graph_at(p->right, h);

    p->graph = g;
    index_names(p, x, y);
    if (tn_failed(p->error))
        return;
    find_renames(p, g, h);
    write_renames(p, g, true); /* while they are there */
    write_freed(p, g, x);
    remove_ops(p, x);
    remove_tensors(p, g);
    write_renames(p, g, false);
    add_tensors(p, h);
    place_ops(p, y);
    for (uint64_t i = 0; i < x->op_count && !tn_failed(p->error); i++) {
        uint32_t op = x->first_op + (uint32_t)i;
        if (p->m->ops[0][op] != TN_NONE)
            compare_ops(p, op, p->m->ops[0][op]);
    }
    rename_ops(p, x);
    if (declares_types(p))
        compare_values(p, g, h, y);
    compare_ios(p, g, h, x, y);
}

/* ---- new graphs --------------------------------------------------------- */

/* Graphs inside nodes, each with its own after it. */
static void write_new_graph(struct patch *p, uint32_t h)
{
    static const struct tn_graph   none      = { .first_op = 0 };
    static const struct tn_io_list no_values = { 0, NULL };
    const struct tn_graph         *y         = tn_model_graph_at(p->right, h);

    p->graph = p->graph_id[h];
    index_names(p, &none, y);
    if (y->inputs.count)
        list_ios(p, p->graph, "list-inputs", no_values, y->inputs);
    if (y->outputs.count)
        list_ios(p, p->graph, "list-outputs", no_values, y->outputs);
    add_tensors(p, h);
    for (uint64_t i = 0; i < y->op_count && !tn_failed(p->error); i++) {
        tn_arena_rewind(&p->arena);
        add_op(p, y->first_op + (uint32_t)i, TN_NONE);
    }
}

static void write_new_graphs(struct patch *p)
{
    for (uint32_t h = 0; h < p->m->right.graph_count && !tn_failed(p->error);
         h++)
        if (p->graph_id[h] != TN_NONE)
            write_new_graph(p, h);
}

/* ---- functions ---------------------------------------------------------- */

static bool is_function(const struct tn_model *model, uint32_t graph)
{
    return tn_model_graph_at(model, graph)->kind == TN_GRAPH_FUNCTION;
}

static bool same_ios(struct tn_io_list a, struct tn_io_list b)
{
    for (uint32_t i = 0; i < a.count && i < b.count; i++)
        if (!tn_bytes_equal(a.items[i].name, b.items[i].name) ||
            !same_type(&a.items[i], &b.items[i]))
            return false;
    return a.count == b.count;
}

/* The same for results of a function where ops name their values. */
static bool same_results(const struct patch *p, uint32_t g, struct tn_io_list a,
                         struct tn_io_list b)
{
    for (uint32_t i = 0; i < a.count && a.count == b.count; i++) {
        const struct tn_io *x = &a.items[i], *y = &b.items[i];
        uint32_t            value = tn_model_find_named(p->left, g, x->name);
        uint32_t            op    = producer_of(p->left, value);
        bool is_same = op == TN_NONE ? tn_bytes_equal(x->name, y->name)
                                     : p->m->ops[0][op] != TN_NONE &&
                                           is_called(p, value, y->name);
        if (!is_same || !tn_bytes_equal(x->key, y->key) || !same_type(x, y))
            return false;
    }
    return a.count == b.count;
}

/* Whether actions on its nodes turn a function of the left into that of the
 * right: no action changes its name, or inputs that are more than names. */
static bool can_stay(const struct patch *p, uint32_t g, uint32_t h)
{
    const struct tn_graph *x = tn_model_graph_at(p->left, g);
    const struct tn_graph *y = tn_model_graph_at(p->right, h);

    if (x->kind != TN_GRAPH_FUNCTION)
        return true;
    return tn_bytes_equal(tn_model_name(p->left, x->name),
                          tn_model_name(p->right, y->name)) &&
           tn_bytes_equal(tn_model_name(p->left, x->domain),
                          tn_model_name(p->right, y->domain)) &&
           (p->left->dialect->names_outputs ||
            (same_ios(x->inputs, y->inputs) &&
             same_results(p, g, x->outputs, y->outputs)));
}

/* Of the graph, or of the function around it. */
static uint32_t outermost(const struct tn_model *model, uint32_t graph)
{
    while (tn_model_graph_at(model, graph)->parent_graph != TN_NONE)
        graph = tn_model_graph_at(model, graph)->parent_graph;
    return graph;
}

static void remove_function(struct patch *p, uint32_t g)
{
    begin_line(p, "remove-function");
    put_text(p, tn_model_graph_at(p->left, g)->path);
    end_line(p);
}

static void add_function(struct patch *p, uint32_t h)
{
    const struct tn_graph *y = tn_model_graph_at(p->right, h);

    if (!tn_dialect_facts(p->right->dialect->name)->function_format)
        give_up(p, "a function is new");
    begin_line(p, "add-function");
    put_text(p, p->functions_file);
    put(p, tn_model_name(p->right, y->name));
    if (tn_model_name(p->right, y->domain).size)
        put(p, tn_model_name(p->right, y->domain));
    tn_buffer_format(&p->text, "  # %" PRIu64 " node%s", y->op_count,
                     y->op_count == 1 ? "" : "s");
    end_line(p);
    p->copied++;
}

static void write_functions(struct patch *p)
{
    p->graph = p->in_graph; /* lines about functions are about no graph */
    for (uint32_t g = 0; g < p->m->left.graph_count; g++) {
        uint32_t h = p->m->graphs[0][g];
        if (is_function(p->left, g) && (h == TN_NONE || p->copies[h]))
            remove_function(p, g);
    }
    for (uint32_t h = 0; h < p->m->right.graph_count; h++) {
        if (is_function(p->right, h) &&
            (p->copies[h] || p->m->graphs[1][h] == TN_NONE)) {
            p->copies[h] = 1;
            add_function(p, h);
        } else if (p->m->graphs[1][h] == TN_NONE && p->graph_id[h] == TN_NONE &&
                   !p->copies[outermost(p->right, h)])
            give_up(p, "a graph is new that is in no node");
    }
}

static void compare_all_graphs(struct patch *p)
{
    const struct tn_diff_match *m = p->m;

    for (uint32_t g = 0; g < m->left.graph_count; g++)
        if (m->graphs[0][g] != TN_NONE && !can_stay(p, g, m->graphs[0][g]))
            p->copies[m->graphs[0][g]] = 1;
    for (uint32_t g = 0; g < m->left.graph_count && !tn_failed(p->error); g++)
        if (m->graphs[0][g] != TN_NONE &&
            !p->copies[outermost(p->right, m->graphs[0][g])])
            compare_graphs(p, g, m->graphs[0][g]);
    write_new_graphs(p);
    write_functions(p);
}

/* ---- what no action changes ---------------------------------------------- */

/* If variables are beside the graph, the graph lists them. */
static void compare_variables(struct patch *p)
{
    if (!p->right->has_variables_apart)
        return;
    for (uint64_t i = 0; i < p->right->tensors.count; i++)
        if (tensor_at(p->right, i)->graph == TN_NONE &&
            p->m->tensors[1][i] == TN_NONE)
            give_up(p, "a variable is new");
    for (uint64_t i = 0; i < p->left->tensors.count; i++)
        if (tensor_at(p->left, i)->graph == TN_NONE &&
            p->m->tensors[0][i] == TN_NONE)
            give_up(p, "a variable is gone");
}

/* No action says how a model is trained. */
static void compare_training(struct patch *p)
{
    bool is_same = tn_bytes_equal(p->left->training, p->right->training) &&
                   p->left->loss_count == p->right->loss_count;

    for (uint32_t i = 0; is_same && i < p->left->loss_count; i++) {
        uint32_t value = tn_model_find_named(p->left, 0, p->left->losses[i]);
        is_same        = value != TN_NONE &&
                  tn_bytes_equal(name_now(p, value), p->right->losses[i]);
    }
    if (!is_same)
        give_up(p, "the model is trained in another way");
}

/* Of no graph: a set of tensors, or what lies beside a graph. */
static void compare_bare(struct patch *p)
{
    p->graph = p->in_graph;
    remove_tensors(p, TN_NONE);
    for (uint32_t i = p->first[0][list_of(&p->m->left, TN_NONE)]; i != TN_NONE;
         i          = p->tensors[0][i]) {
        const struct tn_tensor *t = tensor_at(p->left, i);
        uint32_t                k = p->m->tensors[0][i];
        if (k == TN_NONE || p->goes[i] ||
            tn_bytes_equal(tn_tensor_name(t),
                           tn_tensor_name(tensor_at(p->right, k))))
            continue;
        begin_line(p, "rename");
        put(p, tn_tensor_name(t));
        put(p, tn_tensor_name(tensor_at(p->right, k)));
        end_line(p);
    }
    add_tensors(p, TN_NONE);
}

/* ---- texts about the model ---------------------------------------------- */

/* A text with another value; .data NULL: it goes. */
static void set_text(struct patch *p, uint32_t places, struct tn_bytes key,
                     struct tn_bytes value)
{
    bool has_fields = places >> TN_TEXT_PRODUCER & 1;
    bool is_tflite  = tn_bytes_starts_with(key, "tflite.");
    const struct tn_text_field *own =
        has_fields || is_tflite ? tn_text_field_of(key) : NULL;

    if (own) {
        if (!(places >> own->kind & 1))
            return; /* the format has no place */
        begin_line(p, own->action);
        put(p, value.data ? value : tn_text("")); /* which is not written */
        end_line(p);
    } else if ((places >> TN_TEXT_METADATA & 1) &&
               !(has_fields && tn_bytes_starts_with(key, "onnx."))) {
        begin_line(p, value.data ? "metadata" : "remove-metadata");
        put(p, key);
        if (value.data)
            put(p, value);
        end_line(p);
    }
}

static void compare_graph_names(struct patch *p, uint32_t places)
{
    if (!(places >> TN_TEXT_GRAPH_NAME & 1) || !p->left->graphs.count ||
        !p->right->graphs.count)
        return;
    struct tn_bytes a =
        tn_model_name(p->left, tn_model_graph_at(p->left, 0)->name);
    struct tn_bytes b =
        tn_model_name(p->right, tn_model_graph_at(p->right, 0)->name);
    if (!b.size || tn_bytes_equal(a, b))
        return; /* no action takes a name away */
    p->graph = 0;
    begin_line(p, "graph-name");
    put(p, b);
    end_line(p);
}

static const struct tn_fact *text_named(const struct tn_about *about,
                                        struct tn_bytes        key)
{
    uint32_t id = tn_intern_find(&about->keys, key);

    return id == TN_NO_NAME || id >= about->items.count
               ? NULL
               : tn_list_at(&about->items, struct tn_fact, id);
}

/* Of files that were read, in one format: an edit's own texts are in no file.
 */
static void compare_texts(struct patch *p)
{
    const struct tn_format *format = tn_opened_of(p->left)->format;
    struct tn_about         a, b;

    if (!format || !format->describe || !format->texts ||
        format != tn_opened_of(p->right)->format || p->left->is_edited ||
        p->right->is_edited)
        return;
    p->graph = p->in_graph;
    compare_graph_names(p, format->texts);
    tn_about_init(&a, &p->kept, p->error);
    tn_about_init(&b, &p->kept, p->error);
    format->describe(p->left, &a);
    format->describe(p->right, &b);
    for (uint64_t i = 0; i < a.items.count && !tn_failed(p->error); i++) {
        const struct tn_fact *fact = tn_list_at(&a.items, struct tn_fact, i);
        if (!text_named(&b, fact->key))
            set_text(p, format->texts, fact->key, tn_bytes(NULL, 0));
    }
    for (uint64_t i = 0; i < b.items.count && !tn_failed(p->error); i++) {
        const struct tn_fact *fact = tn_list_at(&b.items, struct tn_fact, i);
        const struct tn_fact *old  = text_named(&a, fact->key);
        if (!old || !tn_bytes_equal(old->value, fact->value))
            set_text(p, format->texts, fact->key,
                     fact->value.data ? fact->value : tn_text(""));
    }
    tn_about_done(&b);
    tn_about_done(&a);
}

/* ---- opsets ------------------------------------------------------------- */

/* Whether an operator of the model is of this domain. */
static bool has_domain(const struct tn_model *model, struct tn_bytes domain)
{
    for (uint32_t i = 0; i < model->ops.count; i++)
        if (tn_bytes_equal(
                tn_model_name(model, tn_model_op_at(model, i)->domain), domain))
            return true;
    return false;
}

/* The opset that a model names for a domain; 1, as for new operators, if it
 * names none. */
static uint64_t opset_of(const struct tn_model *model, struct tn_bytes domain)
{
    for (uint64_t i = 0; i < model->facts.count; i++) {
        const struct tn_fact *fact =
            tn_list_at(&model->facts, struct tn_fact, i);
        struct tn_bytes found;
        uint64_t        version;
        if (tn_bytes_is(fact->key, "opset") &&
            tn_onnx_opset_read(fact->value, &found, &version) &&
            tn_bytes_equal(found, domain))
            return version;
    }
    return 1;
}

/* The meaning of operators depends on their opset.  The action for it would
 * convert them, and the lines above have already made them those of the
 * right. */
static void compare_opsets(struct patch *p)
{
    for (uint64_t i = 0; i < p->right->facts.count; i++) {
        const struct tn_fact *fact =
            tn_list_at(&p->right->facts, struct tn_fact, i);
        struct tn_bytes domain;
        uint64_t        version;
        if (tn_bytes_is(fact->key, "opset") &&
            tn_onnx_opset_read(fact->value, &domain, &version) &&
            version != opset_of(p->left, domain) &&
            has_domain(p->right, domain))
            give_up(p, "the operators are of another opset");
    }
}

/* ---- signatures --------------------------------------------------------- */

static const struct tn_signature *signature_named(const struct tn_model *model,
                                                  struct tn_bytes        name)
{
    for (uint32_t i = 0; i < model->signatures.count; i++)
        if (tn_bytes_equal(tn_model_signature(model, i)->name, name))
            return tn_model_signature(model, i);
    return NULL;
}

/* "x:0" of the left is "x:0" of the right, or has the new name of x. */
static bool same_end(const struct patch *p, struct tn_bytes a,
                     struct tn_bytes b)
{
    const struct tn_dialect *dialect    = p->left->dialect;
    uint32_t                 outputs[2] = { 0, 0 };
    struct tn_bytes          x = a, y = b;

    if (dialect && dialect->producer_of) {
        x = dialect->producer_of(a, &outputs[0]);
        y = dialect->producer_of(b, &outputs[1]);
    }
    uint32_t value = tn_model_find_named(p->left, 0, x);
    return outputs[0] == outputs[1] &&
           (value == TN_NONE ? tn_bytes_equal(x, y) : is_called(p, value, y));
}

static bool same_arguments(const struct patch *p, struct tn_io_list a,
                           struct tn_io_list b)
{
    for (uint32_t i = 0; i < a.count && a.count == b.count; i++)
        if (!tn_bytes_equal(a.items[i].key, b.items[i].key) ||
            !same_end(p, a.items[i].name, b.items[i].name) ||
            !same_type(&a.items[i], &b.items[i]))
            return false;
    return a.count == b.count;
}

static void put_arguments(struct patch *p, struct tn_io_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        const struct tn_io *io = &list.items[i];

        if (io->note && io->note[0])
            give_up(p, "a signature takes or gives what is not a tensor");
        put(p, io->key);
        put(p, io->name);
        put_text(p, io->dtype == TN_UNDEFINED ? "?" : tn_dtype_name(io->dtype));
        put_dims(p, io);
    }
}

static void set_signature(struct patch *p, const struct tn_signature *one)
{
    begin_line(p, "set-signature");
    put(p, one->name);
    put(p, one->method);
    put_arguments(p, one->inputs);
    put_text(p, "->");
    put_arguments(p, one->outputs);
    end_line(p);
}

/* Whether actions can change them. */
static bool can_set_signatures(const struct patch *p)
{
    const struct tn_format *format = tn_opened_of(p->left)->format;

    return format && (format->texts >> TN_TEXT_SIGNATURE & 1) &&
           format == tn_opened_of(p->right)->format;
}

static void compare_signatures(struct patch *p)
{
    uint64_t before = p->actions;

    p->graph = p->in_graph;
    for (uint32_t i = 0; i < p->left->signatures.count; i++) {
        struct tn_bytes name = tn_model_signature(p->left, i)->name;

        if (signature_named(p->right, name))
            continue;
        begin_line(p, "remove-signature");
        put(p, name);
        end_line(p);
    }
    for (uint32_t i = 0; i < p->right->signatures.count; i++) {
        const struct tn_signature *b = tn_model_signature(p->right, i);
        const struct tn_signature *a = signature_named(p->left, b->name);

        if (!a || !tn_bytes_equal(a->method, b->method) ||
            !same_arguments(p, a->inputs, b->inputs) ||
            !same_arguments(p, a->outputs, b->outputs))
            set_signature(p, b);
    }
    if (p->actions > before && !can_set_signatures(p))
        give_up(p, "a signature changed");
}

/* ---- files -------------------------------------------------------------- */

static enum tn_status fill_text(void *context, struct tn_sink *to,
                                struct tn_error *error)
{
    const struct patch *p = context;

    return tn_sink_write(to, tn_buffer_bytes(&p->text), error);
}

/* A model that consists of the new tensors, under their digests. */
static enum tn_status write_blobs(struct patch *p, const char *path,
                                  const struct tn_target  *target,
                                  const struct tn_options *options)
{
    struct tn_convert_options convert = TN_CONVERT_OPTIONS_INIT;
    struct tn_target          place   = *target;
    struct tn_opened         *made;

    TN_TRY(tn_opened_new(&made, options, p->error));
    made->format       = &tn_format_safetensors;
    made->model.format = made->format->name;
    made->model.title  = made->format->title;
    tn_opened_hold(made, tn_opened_of(p->right), p->error);
    for (uint64_t i = 0; i < p->blobs.count && !tn_failed(p->error); i++) {
        const struct blob *from = tn_list_at(&p->blobs, struct blob, i);
        char               hex[2 * TN_HASH_SIZE + 1];
        struct tn_tensor  *to = tn_model_add_tensor(&made->model, p->error);
        if (!to)
            break;
        for (size_t k = 0; k < TN_HASH_SIZE; k++)
            snprintf(hex + 2 * k, 3, "%02x", from->digest[k]);
        to->name  = tn_intern_copy(&made->model.names, tn_text(hex), p->error);
        to->graph = TN_NONE;
        to->node  = TN_NONE;
        to->slot  = TN_NONE;
        to->part  = TN_NONE;
        to->elements = from->elements;
    }
    place.path = path;
    if (!tn_failed(p->error) &&
        tn_model_finish(&made->model, p->error) == TN_OK) {
        convert.to = "safetensors";
        tn_convert(&made->model, &convert, &place, options, NULL, p->error);
    }
    tn_opened_release(made);
    return p->error->status;
}

/* What is left of the right model if its functions are copied from it. */
static enum tn_status leave_functions(struct patch *p, struct tn_edit *edit)
{
    struct tn_draft *draft = tn_edit_draft(edit);

    for (uint32_t i = 0; i < draft->graphs.count; i++) {
        struct tn_draft_graph *g = tn_draft_graph_at(draft, i);
        if (g->kind == TN_GRAPH_FUNCTION && !p->copies[i])
            g->is_removed = true;
    }
    for (uint32_t i = 0; i < draft->ops.count; i++) {
        struct tn_draft_op *op = tn_draft_op_at(draft, i);
        if (!is_function(p->right, outermost(p->right, op->graph)))
            TN_TRY(tn_draft_remove_op(draft, i, p->error));
    }
    for (uint64_t i = 0; i < draft->tensors.count; i++) {
        struct tn_draft_tensor *t =
            tn_list_at(&draft->tensors, struct tn_draft_tensor, i);
        if (t->row.graph == TN_NONE ||
            !is_function(p->right, outermost(p->right, t->row.graph)))
            t->is_removed = true;
    }
    return TN_OK;
}

/* A model of nothing but the functions. */
static enum tn_status write_copied(struct patch *p, const char *path,
                                   const struct tn_target  *target,
                                   const struct tn_options *options)
{
    struct tn_convert_options convert = TN_CONVERT_OPTIONS_INIT;
    struct tn_target          place   = *target;
    struct tn_edit           *edit;
    struct tn_model          *made = NULL;

    place.path = path;
    convert.to = tn_dialect_facts(p->right->dialect->name)->function_format;
    convert.force_invalid = true;
    TN_TRY(tn_edit_open(&edit, p->right, options, p->error));
    if (leave_functions(p, edit) == TN_OK &&
        tn_edit_commit(edit, &made, p->error) == TN_OK)
        tn_convert(made, &convert, &place, options, NULL, p->error);
    tn_model_close(made);
    tn_edit_close(edit);
    return p->error->status;
}

/* The whole model beside the script. */
static enum tn_status write_take(struct patch *p, const char *path,
                                 const struct tn_target  *target,
                                 const struct tn_options *options)
{
    struct tn_convert_options convert = TN_CONVERT_OPTIONS_INIT;
    struct tn_target          place   = *target;

    place.path = path;
    convert.to = p->right->format;
    return tn_convert(p->right, &convert, &place, options, NULL, p->error);
}

static void write_head(struct patch *p, uint64_t actions)
{
    tn_buffer_text(&p->text, "# tenon patch 1\n");
    tn_buffer_format(&p->text,
                     "# %" PRIu64 " action%s; 'tenon apply' runs them\n",
                     actions, actions == 1 ? "" : "s");
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* A file beside the script: TARGET and a suffix. */
struct side_file {
    char path[4096];
    bool is_new; /* made by us; it did not exist before */
};

static enum tn_status write_side(
    struct patch *p, struct side_file *side, const char *suffix,
    enum tn_status (*write)(struct patch *, const char *,
                            const struct tn_target *,
                            const struct tn_options *),
    const struct tn_target *target, const struct tn_options *options)
{
    snprintf(side->path, sizeof side->path, "%s%s", target->path, suffix);
    bool was_there = tn_path_exists(side->path);
    TN_TRY(write(p, side->path, target, options));
    side->is_new = !was_there && !target->is_dry_run;
    return TN_OK;
}

/* A side file without its script is an incomplete patch. */
static void remove_side(const struct side_file *side)
{
    struct tn_error own = TN_ERROR_INIT;

    if (side->is_new)
        (void)tn_path_remove(side->path, &own);
}

/* Whether the script can be written is checked before side files are
 * written. */
static enum tn_status check_script(const struct tn_target *target,
                                   struct tn_error        *error)
{
    if (target->can_replace || !tn_path_exists(target->path))
        return TN_OK;
    return tn_error_because(error, TN_EXISTS, TN_REASON_TARGET_EXISTS,
                            TN_NOWHERE, "%.300s already exists", target->path);
}

static enum tn_status write_files(struct patch            *p,
                                  const struct tn_target  *target,
                                  const struct tn_options *options)
{
    struct tn_buffer script   = p->text;
    struct side_file sides[2] = { 0 };
    char             path[4096];

    tn_buffer_init(&p->text, p->memory, p->error);
    if (p->why_take) {
        p->actions = 1;
        write_head(p, 1);
        tn_buffer_format(&p->text, "# %s\n", p->why_take);
        tn_words_put(&p->text, tn_text("take"));
        snprintf(path, sizeof path, "%s.model", last_part(target->path));
        tn_words_put(&p->text, tn_text(path));
        tn_buffer_text(&p->text, "\n");
        if (check_script(target, p->error) == TN_OK)
            write_side(p, &sides[0], ".model", write_take, target, options);
    } else {
        write_head(p, p->actions);
        tn_buffer_add(&p->text, tn_buffer_bytes(&script));
        check_script(target, p->error);
        if (p->blobs.count && !tn_failed(p->error))
            write_side(p, &sides[0], ".safetensors", write_blobs, target,
                       options);
        if (p->copied && !tn_failed(p->error))
            write_side(p, &sides[1], ".functions", write_copied, target,
                       options);
    }
    tn_buffer_done(&script);
    if (!tn_failed(p->error))
        tn_target_write(target, options, 0, p->memory, fill_text, p, NULL,
                        p->error);
    for (int i = 0; i < 2 && tn_failed(p->error); i++)
        remove_side(&sides[i]);
    return p->error->status;
}

/* ---- the whole ---------------------------------------------------------- */

static enum tn_status check(const struct tn_diff   *diff,
                            const struct tn_target *target,
                            struct tn_error        *error)
{
    const struct tn_diff_match *m = tn_diff_matching(diff);

    if (!tn_diff_is_one_dialect(m))
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "a patch needs two models of one framework, not %s and "
            "%s",
            tn_model_format(m->left.model), tn_model_format(m->right.model));
    if (!m->host || !tn_diff_is_exact(diff))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a patch needs all elements compared, without a "
                            "tolerance");
    if (strcmp(target->path, "-") == 0 || strlen(target->path) > 4000)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a patch is written to a file, with new tensors "
                            "beside it");
    return TN_OK;
}

static uint8_t *marks(struct patch *p, uint64_t count)
{
    uint8_t *made = tn_memory_resize(p->memory, NULL, 0, count + 1, p->error);

    if (made)
        memset(made, 0, (size_t)count + 1);
    return made;
}

static void begin(struct patch *p)
{
    const struct tn_diff_match *m = p->m;

    tn_arena_init(&p->arena, p->memory);
    tn_buffer_init(&p->text, p->memory, p->error);
    tn_buffer_init(&p->word, p->memory, p->error);
    tn_arena_init(&p->kept, p->memory);
    tn_list_init(&p->blobs, p->memory, sizeof(struct blob));
    tn_diff_buckets_init(&p->blob_index, p->memory,
                         m->right.tensor_count + m->right.op_count, p->error);
    p->added_id = tn_diff_nones(p->memory, m->right.op_count, p->error);
    p->graph_id = tn_diff_nones(p->memory, m->right.graph_count, p->error);
    p->copies   = marks(p, m->right.graph_count);
    p->renamed  = tn_diff_nones(p->memory, m->left.value_count, p->error);
    p->votes    = tn_diff_nones(p->memory, m->left.value_count, p->error);
    if (p->votes)
        memset(p->votes, 0,
               ((size_t)m->left.value_count + 1) * sizeof *p->votes);
    tn_list_init(&p->changed, p->memory, sizeof(uint32_t));
    for (int side = 0; side < 2; side++) {
        const struct tn_diff_side *s = side ? &m->right : &m->left;
        p->first[side]   = tn_diff_nones(p->memory, s->graph_count, p->error);
        p->tensors[side] = tn_diff_nones(p->memory, s->tensor_count, p->error);
    }
    p->owner    = tn_diff_nones(p->memory, m->right.value_count, p->error);
    p->is_fixed = marks(p, m->left.value_count);
    p->moved    = marks(p, m->left.op_count);
    p->freed    = marks(p, m->left.op_count);
    p->puts     = marks(p, m->right.tensor_count);
    p->revalued = marks(p, m->right.tensor_count);
    p->goes     = marks(p, m->left.tensor_count);
}

static void release(struct patch *p, void *block, uint64_t size)
{
    if (block)
        tn_memory_free(p->memory, block, size);
}

static void end(struct patch *p)
{
    const struct tn_diff_match *m = p->m;

    release(p, p->added_id, ((uint64_t)m->right.op_count + 1) * 4);
    release(p, p->graph_id, ((uint64_t)m->right.graph_count + 1) * 4);
    release(p, p->copies, (uint64_t)m->right.graph_count + 1);
    release(p, p->renamed, ((uint64_t)m->left.value_count + 1) * 4);
    release(p, p->votes, ((uint64_t)m->left.value_count + 1) * 4);
    for (int side = 0; side < 2; side++) {
        const struct tn_diff_side *s = side ? &m->right : &m->left;
        release(p, p->first[side], ((uint64_t)s->graph_count + 1) * 4);
        release(p, p->tensors[side], (s->tensor_count + 1) * 4);
    }
    tn_list_done(&p->changed);
    release(p, p->owner, ((uint64_t)m->right.value_count + 1) * 4);
    release(p, p->is_fixed, (uint64_t)m->left.value_count + 1);
    release(p, p->moved, (uint64_t)m->left.op_count + 1);
    release(p, p->freed, (uint64_t)m->left.op_count + 1);
    release(p, p->puts, m->right.tensor_count + 1);
    release(p, p->revalued, m->right.tensor_count + 1);
    release(p, p->goes, m->left.tensor_count + 1);
    tn_diff_buckets_done(&p->names);
    tn_diff_buckets_done(&p->blob_index);
    tn_list_done(&p->blobs);
    tn_buffer_done(&p->word);
    tn_buffer_done(&p->text);
    tn_arena_done(&p->kept);
    tn_arena_done(&p->arena);
}

enum tn_status tn_diff_write_patch(const struct tn_diff    *diff,
                                   const struct tn_target  *target,
                                   const struct tn_options *options,
                                   struct tn_patch_summary *summary,
                                   struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_TARGET(target, error);
    TN_TAKE_OPTIONS(options);
    char name[4096], functions[4096];

    TN_TRY(check(diff, target, error));
    const struct tn_diff_match *m = tn_diff_matching(diff);
    snprintf(name, sizeof name, "%s.safetensors", last_part(target->path));
    snprintf(functions, sizeof functions, "%s.functions",
             last_part(target->path));
    struct patch p = { .diff           = diff,
                       .m              = m,
                       .left           = m->left.model,
                       .right          = m->right.model,
                       .memory         = m->memory,
                       .error          = error,
                       .unnamed        = TN_NONE,
                       .file           = name,
                       .functions_file = functions };
    if (strchr(name, ':'))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the name of a patch has no colon");
    begin(&p);
    if (!tn_failed(error))
        tn_diff_find_moved(m, p.moved, error);
    if (!tn_failed(error)) {
        list_tensors(&p);
        sort_tensors(&p);
        if (p.left->dialect)
            compare_all_graphs(&p);
        compare_training(&p);
        compare_variables(&p);
        compare_bare(&p);
        compare_texts(&p);
        compare_opsets(&p);
        compare_signatures(&p);
    }
    if (!tn_failed(error))
        write_files(&p, target, options);
    if (!tn_failed(error) && summary)
        *summary = (struct tn_patch_summary){ .actions  = p.actions,
                                              .tensors  = p.blobs.count,
                                              .is_whole = p.why_take != NULL };
    end(&p);
    return error->status;
}
