/* diff_report.c - the changes between two matched models, as a list */
#include "diff/diff_report.h"

#include <inttypes.h>

#include "diff/diff_buckets.h"
#include "diff/diff_text.h"
#include "ir/dialect_facts.h"

void tn_diff_report_init(struct tn_diff_report *report,
                         struct tn_diff_match  *match)
{
    *report = (struct tn_diff_report){ .match = match };
    tn_arena_init(&report->arena, match->memory);
    tn_list_init(&report->changes, match->memory,
                 sizeof(struct tn_diff_change));
    tn_list_init(&report->facets, match->memory, sizeof(struct tn_diff_facet));
}

void tn_diff_report_done(struct tn_diff_report *report)
{
    tn_list_done(&report->facets);
    tn_list_done(&report->changes);
    tn_arena_done(&report->arena);
}

struct tn_bytes tn_diff_keep(struct tn_diff_report *report,
                             struct tn_buffer *buffer, struct tn_error *error)
{
    struct tn_bytes kept =
        tn_bytes_dup(&report->arena, tn_buffer_bytes(buffer), error);

    tn_buffer_clear(buffer);
    return kept;
}

struct tn_diff_change *tn_diff_add_change(struct tn_diff_report *report,
                                          enum tn_diff_part      part,
                                          enum tn_diff_kind      kind,
                                          struct tn_error       *error)
{
    struct tn_diff_change *change =
        tn_list_push(&report->changes, struct tn_diff_change, error);

    if (!change)
        return NULL;
    *change = (struct tn_diff_change){ .part  = part,
                                       .kind  = kind,
                                       .left  = TN_NONE,
                                       .right = TN_NONE,
                                       .facet_count =
                                           (uint32_t)report->facets.count };
    if (change->facet_count)
        change->facets = tn_list_keep(&report->facets, struct tn_diff_facet,
                                      &report->arena, error);
    report->facets.count = 0;
    return change;
}

void tn_diff_add_facet(struct tn_diff_report *report, struct tn_bytes name,
                       struct tn_bytes left, struct tn_bytes right,
                       struct tn_error *error)
{
    struct tn_diff_facet *facet =
        tn_list_push(&report->facets, struct tn_diff_facet, error);

    if (facet)
        *facet = (struct tn_diff_facet){ name, left, right };
}

/* ---- inputs and outputs ------------------------------------------------- */

struct io_work {
    struct tn_diff_report *report;
    struct tn_error       *error;
    struct tn_buffer       text;
    enum tn_diff_part      part;
    struct tn_bytes        of; /* the signature they belong to; empty: none   */
};

static struct tn_bytes io_text(struct io_work *w, const struct tn_io *io)
{
    tn_diff_io_text(&w->text, io);
    return tn_diff_keep(w->report, &w->text, w->error);
}

static struct tn_bytes io_name(struct io_work *w, const struct tn_io *io)
{
    if (w->of.size == 0)
        return io->name;
    tn_buffer_format(&w->text, "%.*s.%.*s", TN_FMT(w->of), TN_FMT(io->key));
    return tn_diff_keep(w->report, &w->text, w->error);
}

static bool same_io(const struct tn_io *a, const struct tn_io *b)
{
    if (a->dtype != b->dtype || a->has_rank != b->has_rank ||
        strcmp(a->note ? a->note : "", b->note ? b->note : "") != 0)
        return false;
    if (!a->has_rank)
        return true;
    if (a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i].value != b->dims[i].value ||
            !tn_bytes_equal(a->dims[i].symbol, b->dims[i].symbol))
            return false;
    return true;
}

static void add_io(struct io_work *w, enum tn_diff_kind kind,
                   const struct tn_io *io, uint32_t left, uint32_t right)
{
    struct tn_diff_change *change =
        tn_diff_add_change(w->report, w->part, kind, w->error);

    if (!change)
        return;
    change->name  = io_name(w, io);
    change->type  = io_text(w, io);
    change->left  = left;
    change->right = right;
}

static struct tn_bytes bare_name(const struct io_work *w, struct tn_bytes name);

static void compare_io(struct io_work *w, const struct tn_io *a,
                       const struct tn_io *b, uint32_t left, uint32_t right)
{
    bool is_same = same_io(a, b);
    bool is_new = !tn_bytes_equal(bare_name(w, a->name), bare_name(w, b->name));

    if (!is_same)
        tn_diff_add_facet(w->report, tn_text("type"), io_text(w, a),
                          io_text(w, b), w->error);
    if (is_same && !is_new && left == right)
        return;
    struct tn_diff_change *change =
        tn_diff_add_change(w->report, w->part,
                           !is_same ? TN_DIFF_CHANGED
                           : is_new ? TN_DIFF_RENAMED
                                    : TN_DIFF_MOVED,
                           w->error);
    if (!change)
        return;
    change->name  = io_name(w, a);
    change->type  = io_text(w, a);
    change->left  = left;
    change->right = right;
    if (is_new)
        change->new_name = io_name(w, b);
}

/* Weights that are also listed as inputs are tensors.  In an edited model the
 * tensor may have been removed. */
static bool counts(const struct io_work *w, bool is_right,
                   const struct tn_io *io)
{
    const struct tn_diff_side *side =
        is_right ? &w->report->match->right : &w->report->match->left;

    if (!io->has_default)
        return true;
    if (!side->graph_count || !side->model->dialect->names_outputs)
        return false;
    uint32_t value = tn_model_find_named(side->model, 0, io->name);
    return value != TN_NONE && side->tensor_of[value] == TN_NONE;
}

/* "x:0" is the value of the op "x", where ops do not name their outputs. */
static struct tn_bytes bare_name(const struct io_work *w, struct tn_bytes name)
{
    const struct tn_dialect *dialect = w->report->match->left.model->dialect;

    if (dialect && dialect->producer_of && name.size > 2 &&
        memcmp(name.data + name.size - 2, ":0", 2) == 0)
        name.size -= 2;
    return name;
}

static uint64_t io_key(const struct io_work *w, const struct tn_io *io)
{
    return tn_diff_hash(w->of.size ? io->key : bare_name(w, io->name), 61) | 1;
}

/* Inputs of the main graph that got other names, by what reads them. */
static void pair_inputs(struct io_work *w, struct tn_io_list a, uint32_t *left,
                        uint32_t *right)
{
    const struct tn_diff_match *m = w->report->match;

    for (uint32_t i = 0; m->left.graph_count && i < a.count; i++) {
        uint32_t value = tn_model_find_named(m->left.model, 0, a.items[i].name);
        uint32_t match = value == TN_NONE ? TN_NONE : m->inputs[0][value];
        uint32_t k     = match == TN_NONE ? TN_NONE : m->right.input_of[match];
        if (k == TN_NONE || left[i] != TN_NONE || right[k] != TN_NONE ||
            !counts(w, false, &a.items[i]))
            continue;
        left[i]  = k;
        right[k] = i;
    }
}

/* By name, then by what reads them, then in order; linear, as every list comes
 * from a file. */
static void compare_io_lists(struct io_work *w, struct tn_io_list a,
                             struct tn_io_list b)
{
    struct tn_memory      *memory = w->report->match->memory;
    struct tn_diff_buckets names;
    uint32_t              *left  = tn_diff_nones(memory, a.count, w->error);
    uint32_t              *right = tn_diff_nones(memory, b.count, w->error);

    if (left && right &&
        tn_diff_buckets_init(&names, memory, b.count, w->error) == TN_OK) {
        for (uint32_t i = b.count; i-- > 0;)
            if (counts(w, true, &b.items[i]))
                tn_diff_buckets_add(&names, io_key(w, &b.items[i]), i);
        for (uint32_t i = 0; i < a.count; i++) {
            uint32_t k = counts(w, false, &a.items[i])
                             ? tn_diff_buckets_first(
                                   &names, io_key(w, &a.items[i]), right)
                             : TN_NONE;
            if (k != TN_NONE) {
                left[i]  = k;
                right[k] = i;
            }
        }
        if (w->of.size == 0 && w->part == TN_DIFF_INPUT)
            pair_inputs(w, a, left, right);
        uint32_t k = 0;
        for (uint32_t i = 0; i < a.count && w->of.size == 0; i++) {
            if (left[i] != TN_NONE || !counts(w, false, &a.items[i]))
                continue;
            while (k < b.count &&
                   (right[k] != TN_NONE || !counts(w, true, &b.items[k])))
                k++;
            if (k < b.count) {
                left[i]  = k;
                right[k] = i;
            }
        }
        for (uint32_t i = 0; i < a.count; i++)
            if (left[i] != TN_NONE)
                compare_io(w, &a.items[i], &b.items[left[i]], i, left[i]);
            else if (counts(w, false, &a.items[i]))
                add_io(w, TN_DIFF_REMOVED, &a.items[i], i, TN_NONE);
        for (uint32_t i = 0; i < b.count; i++)
            if (right[i] == TN_NONE && counts(w, true, &b.items[i]))
                add_io(w, TN_DIFF_ADDED, &b.items[i], TN_NONE, i);
    }
    if (left && right)
        tn_diff_buckets_done(&names);
    if (left)
        tn_memory_free(memory, left, ((uint64_t)a.count + 1) * sizeof *left);
    if (right)
        tn_memory_free(memory, right, ((uint64_t)b.count + 1) * sizeof *right);
}

/* ---- signatures --------------------------------------------------------- */

static const struct tn_signature *signature_named(const struct tn_model *model,
                                                  struct tn_bytes        name)
{
    for (uint64_t i = 0; i < model->signatures.count; i++) {
        const struct tn_signature *s =
            tn_list_at(&model->signatures, struct tn_signature, i);
        if (tn_bytes_equal(s->name, name))
            return s;
    }
    return NULL;
}

static void one_signature(struct io_work *w, enum tn_diff_kind kind,
                          const struct tn_signature *signature)
{
    struct tn_diff_change *change =
        tn_diff_add_change(w->report, TN_DIFF_SIGNATURE, kind, w->error);

    if (change)
        change->name = signature->name;
}

static void compare_signatures(struct io_work *w, const struct tn_model *a,
                               const struct tn_model *b)
{
    w->part = TN_DIFF_SIGNATURE;
    if (a->signatures.count == 0 || b->signatures.count == 0)
        return; /* another container, which has no place for them */
    for (uint64_t i = 0; i < a->signatures.count; i++) {
        const struct tn_signature *s =
            tn_list_at(&a->signatures, struct tn_signature, i);
        const struct tn_signature *t = signature_named(b, s->name);
        if (!t) {
            one_signature(w, TN_DIFF_REMOVED, s);
            continue;
        }
        w->of = s->name;
        compare_io_lists(w, s->inputs, t->inputs);
        compare_io_lists(w, s->outputs, t->outputs);
    }
    for (uint64_t i = 0; i < b->signatures.count; i++) {
        const struct tn_signature *s =
            tn_list_at(&b->signatures, struct tn_signature, i);
        if (!signature_named(a, s->name))
            one_signature(w, TN_DIFF_ADDED, s);
    }
    w->of = tn_text("");
}

/* ---- versions and metadata ---------------------------------------------- */

/* What a model was made for, as opposed to who made it. */
static bool is_version(struct tn_bytes key)
{
    static const char *const keys[] = { "opset", "ir_version", "graph_version",
                                        "min_consumer", NULL };

    for (const char *const *known = keys; *known; known++)
        if (tn_bytes_is(key, *known))
            return true;
    return false;
}

/* Facts about the file, not about the model. */
static bool is_about_file(struct tn_bytes key)
{
    static const char *const keys[] = { "tag",
                                        "shards",
                                        "layout",
                                        "deflated",
                                        "records",
                                        "chunks",
                                        "blocks",
                                        "bundled",
                                        "container",
                                        "container_version",
                                        "compression",
                                        "slots",
                                        "byte_order",
                                        "names",
                                        "meta",
                                        "file_metadata",
                                        "parameters",
                                        "variables",
                                        "external",
                                        "sections",
                                        "value_info",
                                        "info",
                                        "storages",
                                        "sharing_tensors",
                                        NULL };

    for (const char *const *known = keys; *known; known++)
        if (tn_bytes_is(key, *known))
            return true;
    return false;
}

/* "ai.onnx 17" is the fact "opset ai.onnx"; other facts that occur several
 * times are told apart by their numbers. */
static struct tn_bytes fact_name(const struct tn_fact *fact,
                                 struct tn_bytes      *value)
{
    const uint8_t *space = tn_bytes_is(fact->key, "opset")
                               ? tn_bytes_find(fact->value, ' ')
                               : NULL;

    *value = fact->value;
    if (!space)
        return fact->key;
    size_t size = (size_t)(space - fact->value.data);
    *value      = tn_bytes(space + 1, fact->value.size - size - 1);
    return tn_bytes(fact->value.data, size);
}

static void add_fact(struct io_work *w, const struct tn_fact *a,
                     const struct tn_fact *b)
{
    struct tn_bytes left = tn_text(""), right = tn_text(""), name;

    name = a ? fact_name(a, &left) : fact_name(b, &right);
    if (a && b)
        fact_name(b, &right);
    if (a && b && tn_bytes_equal(left, right))
        return;
    struct tn_bytes key = a ? a->key : b->key;
    tn_diff_add_facet(w->report, tn_text("value"), left, right, w->error);
    struct tn_diff_change *change = tn_diff_add_change(w->report, w->part,
                                                       !a   ? TN_DIFF_ADDED
                                                       : !b ? TN_DIFF_REMOVED
                                                            : TN_DIFF_CHANGED,
                                                       w->error);
    if (!change)
        return;
    change->name = name;
    change->type = key;
}

static uint64_t fact_key(const struct tn_fact *fact)
{
    struct tn_bytes value;
    struct tn_bytes name = fact_name(fact, &value);

    return tn_diff_hash(name, tn_diff_hash(fact->key, 67)) | 1;
}

static bool is_told(const struct io_work *w, const struct tn_fact *fact)
{
    return is_version(fact->key) == (w->part == TN_DIFF_VERSION) &&
           !is_about_file(fact->key);
}

/* Between two formats, only facts that both of them have are compared. */
static void compare_facts(struct io_work *w, const struct tn_model *a,
                          const struct tn_model *b)
{
    struct tn_memory      *memory = w->report->match->memory;
    bool                   is_one = a->format == b->format;
    struct tn_diff_buckets facts;
    uint32_t *right = tn_diff_nones(memory, b->facts.count, w->error);

    if (right && tn_diff_buckets_init(&facts, memory, b->facts.count,
                                      w->error) == TN_OK) {
        for (uint64_t i = b->facts.count; i-- > 0;) {
            const struct tn_fact *fact =
                tn_list_at(&b->facts, struct tn_fact, i);
            if (is_told(w, fact))
                tn_diff_buckets_add(&facts, fact_key(fact), (uint32_t)i);
        }
        for (uint64_t i = 0; i < a->facts.count; i++) {
            const struct tn_fact *fact =
                tn_list_at(&a->facts, struct tn_fact, i);
            if (!is_told(w, fact))
                continue;
            uint32_t k = tn_diff_buckets_first(&facts, fact_key(fact), right);
            if (k != TN_NONE) {
                right[k] = (uint32_t)i;
                add_fact(w, fact, tn_list_at(&b->facts, struct tn_fact, k));
            } else if (is_one) {
                add_fact(w, fact, NULL);
            }
        }
        for (uint64_t i = 0; i < b->facts.count && is_one; i++) {
            const struct tn_fact *fact =
                tn_list_at(&b->facts, struct tn_fact, i);
            if (right[i] == TN_NONE && is_told(w, fact))
                add_fact(w, NULL, fact);
        }
    }
    if (right) {
        tn_diff_buckets_done(&facts);
        tn_memory_free(memory, right, (b->facts.count + 1) * sizeof *right);
    }
}

/* The training configuration is a document; facts show only its main points. */
static void compare_training(struct io_work *w, const struct tn_model *a,
                             const struct tn_model *b)
{
    if (tn_bytes_equal(a->training, b->training) || !a->dialect ||
        !tn_diff_is_one_dialect(w->report->match))
        return;
    struct tn_diff_change *change =
        tn_diff_add_change(w->report, TN_DIFF_METADATA,
                           a->training.size == 0   ? TN_DIFF_ADDED
                           : b->training.size == 0 ? TN_DIFF_REMOVED
                                                   : TN_DIFF_CHANGED,
                           w->error);
    if (change)
        change->name = tn_text("training configuration");
}

/* ---- graphs ------------------------------------------------------------- */

static struct tn_bytes graph_label(const struct tn_model *model, uint32_t g)
{
    const struct tn_graph *graph = tn_model_graph_at(model, g);
    struct tn_bytes        name  = tn_model_name(model, graph->name);

    return graph->kind == TN_GRAPH_FUNCTION && name.size ? name
                                                         : tn_text(graph->path);
}

static void one_graph(struct io_work *w, const struct tn_model *model,
                      uint32_t g, bool is_left)
{
    struct tn_diff_change *change =
        tn_diff_add_change(w->report, TN_DIFF_GRAPH,
                           is_left ? TN_DIFF_REMOVED : TN_DIFF_ADDED, w->error);

    if (!change)
        return;
    change->name  = graph_label(model, g);
    change->type  = tn_model_graph_at(model, g)->kind == TN_GRAPH_FUNCTION
                        ? tn_text("function")
                        : tn_text("graph");
    change->left  = is_left ? g : TN_NONE;
    change->right = is_left ? TN_NONE : g;
}

/* Whether types differ and, with `has_names`, names. */
static bool same_io_lists(struct tn_io_list a, struct tn_io_list b,
                          bool has_names)
{
    if (a.count != b.count)
        return false;
    for (uint32_t i = 0; i < a.count; i++)
        if ((has_names && !tn_bytes_equal(a.items[i].name, b.items[i].name)) ||
            !same_io(&a.items[i], &b.items[i]))
            return false;
    return true;
}

/* "x float32 [2], y int64 []"; long lists are cut. */
static struct tn_bytes list_text(struct io_work *w, struct tn_io_list list)
{
    enum { ITEMS_MOST = 4 };

    for (uint32_t i = 0; i < list.count && i < ITEMS_MOST; i++) {
        tn_buffer_text(&w->text, i ? ", " : "");
        tn_diff_plain_text(&w->text, list.items[i].name, 80);
        if (list.items[i].dtype == TN_UNDEFINED && !list.items[i].has_rank)
            continue;
        tn_buffer_text(&w->text, " ");
        tn_diff_io_text(&w->text, &list.items[i]);
    }
    if (list.count > ITEMS_MOST)
        tn_buffer_format(&w->text, " and %" PRIu32 " more",
                         list.count - ITEMS_MOST);
    if (list.count == 0)
        tn_buffer_text(&w->text, "none");
    return tn_diff_keep(w->report, &w->text, w->error);
}

/* Functions that were renamed, and other inputs and outputs of functions. */
static void two_graphs(struct io_work *w, uint32_t left, uint32_t right)
{
    const struct tn_model *a = w->report->match->left.model;
    const struct tn_model *b = w->report->match->right.model;
    const struct tn_graph *x = tn_model_graph_at(a, left);
    const struct tn_graph *y = tn_model_graph_at(b, right);
    bool                   is_new =
        x->kind == TN_GRAPH_FUNCTION &&
        !tn_bytes_equal(tn_model_name(a, x->name), tn_model_name(b, y->name));

    if (!same_io_lists(x->inputs, y->inputs, true))
        tn_diff_add_facet(w->report, tn_text("inputs"), list_text(w, x->inputs),
                          list_text(w, y->inputs), w->error);
    if (!same_io_lists(x->outputs, y->outputs, true))
        tn_diff_add_facet(w->report, tn_text("outputs"),
                          list_text(w, x->outputs), list_text(w, y->outputs),
                          w->error);
    if (!is_new && w->report->facets.count == 0)
        return;
    bool is_same = same_io_lists(x->inputs, y->inputs, false) &&
                   same_io_lists(x->outputs, y->outputs, false);
    struct tn_diff_change *change = tn_diff_add_change(
        w->report, TN_DIFF_GRAPH, is_same ? TN_DIFF_RENAMED : TN_DIFF_CHANGED,
        w->error);
    if (!change)
        return;
    change->name = graph_label(a, left);
    change->type =
        x->kind == TN_GRAPH_FUNCTION ? tn_text("function") : tn_text("graph");
    change->left  = left;
    change->right = right;
    if (is_new)
        change->new_name = graph_label(b, right);
}

static void compare_graphs(struct io_work *w)
{
    const struct tn_diff_match *m = w->report->match;

    for (uint32_t g = 1; g < m->left.graph_count; g++)
        if (m->graphs[0][g] == TN_NONE)
            one_graph(w, m->left.model, g, true);
        else
            two_graphs(w, g, m->graphs[0][g]);
    for (uint32_t g = 1; g < m->right.graph_count; g++)
        if (m->graphs[1][g] == TN_NONE)
            one_graph(w, m->right.model, g, false);
}

/* ---- groups ------------------------------------------------------------- */

/* A text in which every run of digits counts as the same. */
static uint64_t pattern_hash(struct tn_bytes text, uint64_t seed)
{
    uint64_t hash = tn_diff_join(seed, 71);

    for (size_t i = 0; i < text.size; i++) {
        bool is_digit = text.data[i] >= '0' && text.data[i] <= '9';
        if (is_digit && i > 0 && text.data[i - 1] >= '0' &&
            text.data[i - 1] <= '9')
            continue;
        hash = tn_diff_join(hash, is_digit ? 256u : text.data[i]);
    }
    return hash;
}

static uint64_t group_key(const struct tn_diff_change *change)
{
    uint64_t hash = tn_diff_join(change->part, change->kind);

    hash = pattern_hash(change->name, hash);
    hash = pattern_hash(change->new_name, hash);
    hash = tn_diff_hash(change->type, hash);
    for (uint32_t i = 0; i < change->facet_count; i++) {
        const struct tn_diff_facet *facet = &change->facets[i];
        bool is_name = tn_bytes_starts_with(facet->name, "input ") ||
                       tn_bytes_starts_with(facet->name, "output ") ||
                       tn_bytes_is(facet->name, "place");
        hash = tn_diff_hash(facet->name, hash);
        hash = is_name ? pattern_hash(facet->left, hash)
                       : tn_diff_hash(facet->left, hash);
        hash = is_name ? pattern_hash(facet->right, hash)
                       : tn_diff_hash(facet->right, hash);
    }
    return hash | 1;
}

static enum tn_status find_groups(struct tn_diff_report *report,
                                  struct tn_error       *error)
{
    struct tn_memory      *memory = report->match->memory;
    struct tn_diff_buckets groups;
    uint64_t               count = report->changes.count;
    uint32_t              *taken = tn_diff_nones(memory, count, error);

    if (taken && tn_diff_buckets_init(&groups, memory, count, error) == TN_OK) {
        for (uint64_t i = 0; i < count; i++) {
            struct tn_diff_change *change =
                tn_list_at(&report->changes, struct tn_diff_change, i);
            uint64_t key   = group_key(change);
            uint32_t first = tn_diff_buckets_first(&groups, key, taken);
            if (first == TN_NONE) {
                first = (uint32_t)i;
                tn_diff_buckets_add(&groups, key, first);
            }
            change->group = first;
            tn_list_at(&report->changes, struct tn_diff_change, first)
                ->group_count++;
        }
        for (uint64_t i = 0; i < count; i++) {
            struct tn_diff_change *change =
                tn_list_at(&report->changes, struct tn_diff_change, i);
            change->group_count =
                tn_list_at(&report->changes, struct tn_diff_change,
                           change->group)
                    ->group_count;
        }
    }
    if (taken) {
        tn_diff_buckets_done(&groups);
        tn_memory_free(memory, taken, (count + 1) * sizeof *taken);
    }
    return error->status;
}

/* ---- all of it ---------------------------------------------------------- */

static struct tn_io_list main_io(const struct tn_model *model, bool is_input)
{
    return is_input ? tn_model_inputs(model) : tn_model_outputs(model);
}

static void compare_main_io(struct io_work *w, const struct tn_model *a,
                            const struct tn_model *b)
{
    /* Without signatures, inputs and outputs are guessed from the graph. */
    bool is_called = a->signatures.count > 0;
    if (!a->dialect || !b->dialect ||
        (is_called != (b->signatures.count > 0) &&
         tn_diff_is_one_dialect(w->report->match)))
        return;
    w->part = TN_DIFF_INPUT;
    compare_io_lists(w, main_io(a, true), main_io(b, true));
    w->part = TN_DIFF_OUTPUT;
    compare_io_lists(w, main_io(a, false), main_io(b, false));
}

enum tn_status tn_diff_report_make(struct tn_diff_report *report,
                                   struct tn_error       *error)
{
    const struct tn_diff_match *m = report->match;
    const struct tn_model      *a = m->left.model, *b = m->right.model;
    struct io_work              w = { .report = report, .error = error };
    bool has_ops                  = a->dialect && tn_diff_is_one_dialect(m) &&
                   m->left.graph_count && m->right.graph_count;

    report->summary = (struct tn_diff_summary){
        .left_ops      = m->left.op_count,
        .right_ops     = m->right.op_count,
        .left_tensors  = m->left.tensor_count,
        .right_tensors = m->right.tensor_count,
        .has_ops       = has_ops,
    };
    tn_buffer_init(&w.text, m->memory, error);
    compare_main_io(&w, a, b);
    w.part = TN_DIFF_VERSION;
    compare_facts(&w, a, b);
    compare_signatures(&w, a, b);
    if (has_ops) {
        compare_graphs(&w);
        if (!tn_failed(error))
            tn_diff_report_ops(report, error);
    }
    if (!tn_failed(error))
        tn_diff_report_tensors(report, error);
    w.part = TN_DIFF_METADATA;
    if (!tn_failed(error)) {
        compare_facts(&w, a, b);
        compare_training(&w, a, b);
    }
    tn_buffer_done(&w.text);
    return tn_failed(error) ? error->status : find_groups(report, error);
}
