/* diff_ops.c - operators that were added, removed, changed, renamed or moved */
#include "diff/diff_report.h"

#include <inttypes.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "base/watch.h"
#include "diff/diff_text.h"
#include "ir/attr_key.h"
#include "ir/op_slots.h"

struct op_work {
    struct tn_diff_report *report;
    struct tn_diff_match  *m;
    struct tn_error       *error;
    struct tn_arena        scratch; /* decoded attributes of one pair         */
    struct tn_list         attrs[2]; /* struct tn_attr_named, sorted          */
    struct tn_buffer       text;
    uint32_t              *alike; /* by number of alikes on the left: those of
                                     the right that were found equal          */
    uint64_t alike_count;
    uint8_t *moved;       /* by op of the left                        */
    uint32_t main_graphs; /* graphs that are not inside a node   */
};

/* ---- attributes --------------------------------------------------------- */

static int compare_attrs(const void *a, const void *b, void *context)
{
    (void)context;
    return tn_bytes_compare(((const struct tn_attr_named *)a)->name,
                            ((const struct tn_attr_named *)b)->name);
}

static enum tn_status list_attrs(struct op_work *w, int side, uint32_t op)
{
    const struct tn_model *model = side ? w->m->right.model : w->m->left.model;
    struct tn_list        *list  = &w->attrs[side];

    list->count = 0;
    TN_TRY(tn_attr_list(model, op, &w->scratch, list, w->error));
    tn_sort_items(list->items, list->count, sizeof(struct tn_attr_named),
                  compare_attrs, NULL);
    return TN_OK;
}

static bool same_shapes(const struct tn_attr_shape *a,
                        const struct tn_attr_shape *b)
{
    return a->has_rank == b->has_rank &&
           (!a->has_rank ||
            (a->rank == b->rank &&
             (a->rank == 0 ||
              memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0)));
}

static bool same_item(const struct tn_diff_match *m,
                      const struct tn_attr_value *a,
                      const struct tn_attr_value *b, uint32_t i)
{
    switch (a->kind) {
    case TN_ATTR_NONE: return true;
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE: return a->of.ints[i] == b->of.ints[i];
    case TN_ATTR_GRAPH:
        return m->graphs[0][a->of.ints[i]] == (uint32_t)b->of.ints[i];
    case TN_ATTR_FLOAT:
        return memcmp(&a->of.floats[i], &b->of.floats[i], sizeof(float)) == 0;
    case TN_ATTR_DOUBLE:
        return memcmp(&a->of.doubles[i], &b->of.doubles[i], sizeof(double)) ==
               0;
    case TN_ATTR_FUNCTION:
        return tn_diff_same_function(m, a->of.strings[i], b->of.strings[i]);
    case TN_ATTR_STRING:
        return tn_diff_same_string(m, a->of.strings[i], b->of.strings[i]);
    case TN_ATTR_REFERENCE:
    case TN_ATTR_OTHER:
        return tn_bytes_equal(a->of.strings[i], b->of.strings[i]);
    case TN_ATTR_SHAPE: return same_shapes(&a->of.shapes[i], &b->of.shapes[i]);
    case TN_ATTR_TENSOR: /* elements: diff_tensors.c */
        return tn_shape_equal(&a->of.tensors[i]->elements.shape,
                              &b->of.tensors[i]->elements.shape);
    }
    return false;
}

bool tn_diff_same_attr(const struct tn_diff_match *m,
                       const struct tn_attr_value *a,
                       const struct tn_attr_value *b)
{
    if (a->kind != b->kind || a->is_list != b->is_list || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!same_item(m, a, b, i))
            return false;
    return true;
}

bool tn_diff_is_implied(const struct tn_diff_match *m, int side, uint32_t op,
                        const struct tn_attr_named *attr)
{
    const struct tn_model *model = side ? m->right.model : m->left.model;

    return m->left.model->dialect != m->right.model->dialect &&
           model->dialect->is_implied &&
           model->dialect->is_implied(model, op, attr, NULL);
}

static struct tn_bytes value_text(struct op_work             *w,
                                  const struct tn_attr_value *value)
{
    if (!value)
        return tn_text("");
    tn_diff_value_text(&w->text, value);
    return tn_diff_keep(w->report, &w->text, w->error);
}

static void note_attr(struct op_work *w, const struct tn_attr_named *a,
                      const struct tn_attr_named *b)
{
    struct tn_bytes name =
        tn_bytes_dup(&w->report->arena, a ? a->name : b->name, w->error);

    tn_diff_add_facet(w->report, name, value_text(w, a ? &a->value : NULL),
                      value_text(w, b ? &b->value : NULL), w->error);
}

static void note_one_sided(struct op_work *w, int side, uint32_t op,
                           const struct tn_attr_named *attr)
{
    if (!tn_diff_is_implied(w->m, side, op, attr))
        note_attr(w, side ? NULL : attr, side ? attr : NULL);
}

/* Merges the two sorted lists. */
static void compare_lists(struct op_work *w, uint32_t left, uint32_t right)
{
    uint64_t i = 0, k = 0;

    while (i < w->attrs[0].count || k < w->attrs[1].count) {
        const struct tn_attr_named *a =
            i < w->attrs[0].count
                ? tn_list_at(&w->attrs[0], struct tn_attr_named, i)
                : NULL;
        const struct tn_attr_named *b =
            k < w->attrs[1].count
                ? tn_list_at(&w->attrs[1], struct tn_attr_named, k)
                : NULL;
        int order = !a ? 1 : !b ? -1 : tn_bytes_compare(a->name, b->name);
        if (order < 0)
            note_one_sided(w, 0, left, a);
        else if (order > 0)
            note_one_sided(w, 1, right, b);
        else if (!tn_diff_same_attr(w->m, &a->value, &b->value))
            note_attr(w, a, b);
        i += order <= 0;
        k += order >= 0;
    }
}

/* Equal bytes are equal attributes; long ones have tensors, whose elements are
 * read once, and elsewhere. */
static bool has_same_bytes(const struct op_work *w, uint32_t left,
                           uint32_t right)
{
    enum { BYTES_MOST = 4096 };
    struct tn_bytes a = tn_attr_bytes(w->m->left.model, left);
    struct tn_bytes b = tn_attr_bytes(w->m->right.model, right);

    return a.size > 0 && a.size <= BYTES_MOST && a.size == b.size &&
           memcmp(a.data, b.data, a.size) == 0;
}

static enum tn_status compare_attributes(struct op_work *w, uint32_t left,
                                         uint32_t right)
{
    const struct tn_op *x      = tn_model_op_at(w->m->left.model, left);
    const struct tn_op *y      = tn_model_op_at(w->m->right.model, right);
    uint64_t            before = w->report->facets.count;

    if (x->alike && y->alike && w->alike[x->alike] == y->alike)
        return TN_OK;
    if (w->m->left.graph_count == w->main_graphs &&
        has_same_bytes(w, left, right))
        return TN_OK;
    tn_arena_rewind(&w->scratch);
    TN_TRY(list_attrs(w, 0, left));
    TN_TRY(list_attrs(w, 1, right));
    bool has_graph = false;
    for (uint64_t i = 0; i < w->attrs[0].count; i++)
        has_graph |=
            tn_list_at(&w->attrs[0], struct tn_attr_named, i)->value.kind ==
            TN_ATTR_GRAPH;
    compare_lists(w, left, right);
    if (x->alike && y->alike && !has_graph && w->report->facets.count == before)
        w->alike[x->alike] = (uint32_t)y->alike;
    return w->error->status;
}

/* ---- inputs and outputs ------------------------------------------------- */

static struct tn_bytes slot_text(struct op_work *w, const char *word,
                                 uint32_t index)
{
    tn_buffer_format(&w->text, "%s %" PRIu32, word, index);
    return tn_diff_keep(w->report, &w->text, w->error);
}

/* The name of a value; "-" for an optional one that is not given. */
static struct tn_bytes value_name(const struct tn_model *model,
                                  const struct tn_op *o, bool is_input,
                                  uint32_t i)
{
    if (i >= (is_input ? o->input_count : o->output_count))
        return tn_text("");
    uint32_t value = tn_model_ref_at(
        model, (uint64_t)(is_input ? o->first_input : o->first_output) + i);
    return value == TN_NONE ? tn_text("-") : tn_model_value_name(model, value);
}

/* Where a value comes from, if its name does not tell the two apart. */
static struct tn_bytes source_text(struct op_work        *w,
                                   const struct tn_model *model,
                                   const struct tn_op *o, uint32_t i)
{
    struct tn_bytes name = value_name(model, o, true, i);
    uint32_t value       = tn_model_ref_at(model, (uint64_t)o->first_input + i);
    const struct tn_value *v =
        value == TN_NONE ? NULL : tn_model_value_at(model, value);

    if (!v)
        return name;
    tn_buffer_add(&w->text, name);
    if (v->producer != TN_NONE) {
        tn_buffer_text(&w->text, " of ");
        tn_buffer_add(
            &w->text,
            tn_model_name(model, tn_model_op_at(model, v->producer)->type));
    } else {
        const struct tn_diff_side *side =
            model == w->m->left.model ? &w->m->left : &w->m->right;
        tn_buffer_text(&w->text, side->tensor_of[value] != TN_NONE
                                     ? " (tensor)"
                                     : " (input)");
    }
    return tn_diff_keep(w->report, &w->text, w->error);
}

static void compare_inputs(struct op_work *w, uint32_t left, uint32_t right)
{
    const struct tn_model *a = w->m->left.model, *b = w->m->right.model;
    const struct tn_op    *x = tn_model_op_at(a, left);
    const struct tn_op    *y = tn_model_op_at(b, right);
    uint32_t               most =
        x->input_count > y->input_count ? x->input_count : y->input_count;

    for (uint32_t i = 0; i < most; i++) {
        if (i < x->input_count && i < y->input_count &&
            tn_diff_same_value(
                w->m, tn_model_ref_at(a, (uint64_t)x->first_input + i),
                tn_model_ref_at(b, (uint64_t)y->first_input + i)))
            continue;
        struct tn_bytes from = value_name(a, x, true, i);
        struct tn_bytes to   = value_name(b, y, true, i);
        if (tn_bytes_equal(from, to)) {
            from = source_text(w, a, x, i);
            to   = source_text(w, b, y, i);
        }
        tn_diff_add_facet(w->report, slot_text(w, "input", i), from, to,
                          w->error);
    }
    if (x->control_count != y->control_count)
        tn_diff_add_facet(w->report, tn_text("control inputs"),
                          tn_text("other"), tn_text("other"), w->error);
}

/* The same values may be in other slots, where the dialect has these. */
static void compare_slots(struct op_work *w, uint32_t left, uint32_t right,
                          bool is_output)
{
    if (!w->m->left.model->dialect->next_slot)
        return;
    bool is_known =
        tn_op_slots_text(w->m->left.model, left, is_output, &w->text);
    struct tn_bytes from = tn_diff_keep(w->report, &w->text, w->error);
    is_known &= tn_op_slots_text(w->m->right.model, right, is_output, &w->text);
    struct tn_bytes to = tn_diff_keep(w->report, &w->text, w->error);
    if (is_known && !tn_bytes_equal(from, to))
        tn_diff_add_facet(
            w->report,
            tn_text(is_output ? "slots of outputs" : "slots of inputs"), from,
            to, w->error);
}

/* Whether names of outputs differ; their number is a change. */
static bool compare_outputs(struct op_work *w, uint32_t left, uint32_t right)
{
    const struct tn_model *a = w->m->left.model, *b = w->m->right.model;
    const struct tn_op    *x          = tn_model_op_at(a, left);
    const struct tn_op    *y          = tn_model_op_at(b, right);
    bool                   is_renamed = false;

    if (!a->dialect->names_outputs)
        return false; /* they follow from the name of the op */
    for (uint32_t i = 0; i < x->output_count || i < y->output_count; i++) {
        struct tn_bytes from = value_name(a, x, false, i);
        struct tn_bytes to   = value_name(b, y, false, i);
        if (tn_bytes_equal(from, to))
            continue;
        if (i < x->output_count && i < y->output_count)
            is_renamed = true;
        tn_diff_add_facet(w->report, slot_text(w, "output", i), from, to,
                          w->error);
    }
    return is_renamed;
}

/* ---- ops ---------------------------------------------------------------- */

static struct tn_bytes operator_text(struct op_work        *w,
                                     const struct tn_model *model,
                                     const struct tn_op    *o)
{
    struct tn_bytes type   = tn_model_name(model, o->type);
    struct tn_bytes domain = tn_model_name(model, o->domain);

    if (domain.size == 0)
        return type;
    tn_buffer_format(&w->text, "%.*s:%.*s", TN_FMT(domain), TN_FMT(type));
    return tn_diff_keep(w->report, &w->text, w->error);
}

static void fill_change(struct op_work *w, struct tn_diff_change *change,
                        uint32_t left, uint32_t right)
{
    const struct tn_model *a = w->m->left.model, *b = w->m->right.model;

    change->left  = left;
    change->right = right;
    if (left != TN_NONE) {
        change->name = tn_diff_op_name(a, left);
        change->type = operator_text(w, a, tn_model_op_at(a, left));
    } else {
        change->name = tn_diff_op_name(b, right);
        change->type = operator_text(w, b, tn_model_op_at(b, right));
    }
    if (left != TN_NONE && right != TN_NONE &&
        !tn_bytes_equal(change->name, tn_diff_op_name(b, right)))
        change->new_name = tn_diff_op_name(b, right);
}

static void compare_ops(struct op_work *w, uint32_t left, uint32_t right)
{
    const struct tn_model *a = w->m->left.model, *b = w->m->right.model;
    const struct tn_op    *x = tn_model_op_at(a, left);
    const struct tn_op    *y = tn_model_op_at(b, right);

    w->report->facets.count = 0;
    if (!tn_diff_same_function(w->m, tn_model_name(a, x->type),
                               tn_model_name(b, y->type)) ||
        !tn_bytes_equal(tn_model_name(a, x->domain),
                        tn_model_name(b, y->domain)))
        tn_diff_add_facet(w->report, tn_text("operator"),
                          operator_text(w, a, x), operator_text(w, b, y),
                          w->error);
    if (compare_attributes(w, left, right) != TN_OK)
        return;
    compare_inputs(w, left, right);
    compare_slots(w, left, right, false);
    compare_slots(w, left, right, true);
    bool is_changed = w->report->facets.count > 0;
    bool is_renamed =
        !tn_bytes_equal(tn_model_name(a, x->name), tn_model_name(b, y->name));
    if (x->output_count != y->output_count && a->dialect->names_outputs)
        is_changed = true;
    is_renamed |= compare_outputs(w, left, right);
    if (!is_changed && !is_renamed && !w->moved[left]) {
        w->report->summary.same_ops++;
        return;
    }
    struct tn_diff_change *change =
        tn_diff_add_change(w->report, TN_DIFF_OPERATOR,
                           is_changed   ? TN_DIFF_CHANGED
                           : is_renamed ? TN_DIFF_RENAMED
                                        : TN_DIFF_MOVED,
                           w->error);
    if (change)
        fill_change(w, change, left, right);
}

static void add_one_sided(struct op_work *w, uint32_t left, uint32_t right)
{
    w->report->facets.count       = 0;
    struct tn_diff_change *change = tn_diff_add_change(
        w->report, TN_DIFF_OPERATOR,
        left == TN_NONE ? TN_DIFF_ADDED : TN_DIFF_REMOVED, w->error);
    if (change)
        fill_change(w, change, left, right);
}

/* ---- order -------------------------------------------------------------- */

/* Marks the fewest ops of a graph that must move so that the rest is in the
 * order of the right side: all but a longest increasing run of places. */
static void find_moved(struct op_work *w, const struct tn_graph *graph,
                       uint32_t *tails, uint32_t *before)
{
    const uint32_t *to   = w->m->ops[0];
    uint32_t        end  = graph->first_op + (uint32_t)graph->op_count;
    uint32_t        size = 0, last = TN_NONE;
    bool            is_sorted = true;

    for (uint32_t op = graph->first_op; op < end && is_sorted; op++) {
        if (to[op] == TN_NONE)
            continue;
        is_sorted = last == TN_NONE || to[op] > last;
        last      = to[op];
    }
    if (is_sorted)
        return;
    for (uint32_t op = graph->first_op; op < end; op++) {
        if (to[op] == TN_NONE)
            continue;
        uint64_t at;
        TN_BISECT(at, 0, size, to[tails[at]] < to[op]);
        before[op]   = at ? tails[at - 1] : TN_NONE;
        tails[at]    = op;
        size         = at == size ? size + 1 : size;
        w->moved[op] = 1;
    }
    for (uint32_t op = size ? tails[size - 1] : TN_NONE; op != TN_NONE;
         op          = before[op])
        w->moved[op] = 0;
}

enum tn_status tn_diff_find_moved(const struct tn_diff_match *m, uint8_t *moved,
                                  struct tn_error *error)
{
    struct op_work w     = { .m     = (struct tn_diff_match *)(uintptr_t)m,
                             .moved = moved };
    uint64_t       size  = ((uint64_t)m->left.op_count + 1) * sizeof(uint32_t);
    uint32_t      *tails = tn_memory_resize(m->memory, NULL, 0, size, error);
    uint32_t      *before =
        tails ? tn_memory_resize(m->memory, NULL, 0, size, error) : NULL;

    memset(moved, 0, m->left.op_count);
    for (uint32_t g = 0; before && g < m->left.graph_count; g++)
        if (m->graphs[0][g] != TN_NONE)
            find_moved(&w, tn_model_graph_at(m->left.model, g), tails, before);
    if (tails)
        tn_memory_free(m->memory, tails, size);
    if (before)
        tn_memory_free(m->memory, before, size);
    return error->status;
}

/* ---- all of them -------------------------------------------------------- */

static void report_all(struct op_work *w)
{
    struct tn_diff_match *m = w->m;

    for (uint32_t op = 0; op < m->left.op_count && !tn_failed(w->error); op++) {
        if (m->ops[0][op] == TN_NONE)
            add_one_sided(w, op, TN_NONE);
        else
            compare_ops(w, op, m->ops[0][op]);
        if ((op & 0xffff) == 0)
            (void)tn_watch_poll(m->memory, w->error);
    }
    for (uint32_t op = 0; op < m->right.op_count && !tn_failed(w->error); op++)
        if (m->ops[1][op] == TN_NONE)
            add_one_sided(w, TN_NONE, op);
}

enum tn_status tn_diff_report_ops(struct tn_diff_report *report,
                                  struct tn_error       *error)
{
    struct tn_diff_match *m = report->match;
    struct op_work        w = { .report = report, .m = m, .error = error };
    uint64_t              moved_size = (uint64_t)m->left.op_count + 1;

    for (uint32_t g = 0; g < m->left.graph_count; g++)
        w.main_graphs +=
            tn_model_graph_at(m->left.model, g)->kind != TN_GRAPH_SUBGRAPH;
    w.alike_count = tn_diff_most_alike(m->left.model) + 1;
    w.alike       = tn_diff_nones(m->memory, w.alike_count, error);
    w.moved       = tn_memory_resize(m->memory, NULL, 0, moved_size, error);
    tn_arena_init(&w.scratch, m->memory);
    tn_buffer_init(&w.text, m->memory, error);
    for (int side = 0; side < 2; side++)
        tn_list_init(&w.attrs[side], m->memory, sizeof(struct tn_attr_named));
    if (!tn_failed(error) && tn_diff_find_moved(m, w.moved, error) == TN_OK)
        report_all(&w);
    for (int side = 0; side < 2; side++)
        tn_list_done(&w.attrs[side]);
    tn_buffer_done(&w.text);
    tn_arena_done(&w.scratch);
    if (w.alike)
        tn_memory_free(m->memory, w.alike,
                       (w.alike_count + 1) * sizeof *w.alike);
    if (w.moved)
        tn_memory_free(m->memory, w.moved, moved_size);
    return error->status;
}
