/* diff_tensors.c - tensors that were added, removed, changed, renamed, moved */
#include "diff/diff_report.h"

#include <inttypes.h>

#include "diff/diff_elements.h"
#include "diff/diff_text.h"
#include "diff/diff_transpose.h"

struct tensor_work {
    struct tn_diff_report *report;
    struct tn_diff_match  *m;
    struct tn_error       *error;
    struct tn_buffer       text;
};

static const struct tn_tensor *tensor_at(const struct tn_model *model,
                                         uint64_t               i)
{
    return tn_list_at(&model->tensors, struct tn_tensor, i);
}

static struct tn_bytes shape_text(struct tensor_work     *w,
                                  const struct tn_tensor *tensor)
{
    tn_diff_shape_text(&w->text, &tensor->elements.shape);
    return tn_diff_keep(w->report, &w->text, w->error);
}

/* A tensor without a name of its own is called by its path. */
static struct tn_bytes label(struct tensor_work     *w,
                             const struct tn_tensor *tensor)
{
    struct tn_bytes name = tn_tensor_name(tensor);
    char            path[512];

    if (name.size)
        return name;
    tn_tensor_path(tensor, path, sizeof path);
    tn_buffer_text(&w->text, path);
    return tn_diff_keep(w->report, &w->text, w->error);
}

/* ---- where it is -------------------------------------------------------- */

static bool has_graph(const struct tn_model *model)
{
    return model->dialect != NULL;
}

/* Of two models with a graph: another graph, role, or op. */
static bool is_moved(const struct tn_diff_match *m, const struct tn_tensor *a,
                     const struct tn_tensor *b)
{
    if (!has_graph(a->model) || !has_graph(b->model) ||
        m->left.graph_count == 0 || m->right.graph_count == 0 ||
        !tn_diff_is_one_dialect(m))
        return false;
    if ((a->graph == TN_NONE) != (b->graph == TN_NONE) || a->role != b->role)
        return true;
    return a->graph != TN_NONE && m->graphs[0][a->graph] != b->graph;
}

static struct tn_bytes path_text(struct tensor_work     *w,
                                 const struct tn_tensor *tensor)
{
    char path[512];

    tn_tensor_path(tensor, path, sizeof path);
    tn_buffer_text(&w->text, path);
    return tn_diff_keep(w->report, &w->text, w->error);
}

/* ---- elements ----------------------------------------------------------- */

/* "[1,0]" */
static struct tn_bytes axes_text(struct tensor_work *w, uint32_t rank,
                                 const uint32_t *axes)
{
    tn_buffer_text(&w->text, "[");
    for (uint32_t i = 0; i < rank; i++)
        tn_buffer_format(&w->text, "%s%" PRIu32, i ? "," : "",
                         axes ? axes[i] : i);
    tn_buffer_text(&w->text, "]");
    return tn_diff_keep(w->report, &w->text, w->error);
}

static void note_axes(struct tensor_work *w, uint32_t rank,
                      const uint32_t axes[TN_DIFF_AXES])
{
    tn_diff_add_facet(w->report, tn_text("axes"), axes_text(w, rank, NULL),
                      axes_text(w, rank, axes), w->error);
}

static bool is_fixed(const struct tn_tensor *tensor)
{
    return tn_dtype_bits(tensor->elements.shape.dtype) != 0;
}

/* Strings, and messages: by their digests. */
static enum tn_status compare_strings(struct tensor_work     *w,
                                      const struct tn_tensor *a,
                                      const struct tn_tensor *b,
                                      struct tn_diff_values  *values)
{
    const struct tn_diff_host *host = w->m->host;
    uint8_t                    left[32], right[32];

    TN_TRY(host->digest(host->context, a, left, w->error));
    TN_TRY(host->digest(host->context, b, right, w->error));
    values->count   = tn_tensor_count(a);
    values->changed = memcmp(left, right, sizeof left) != 0;
    return TN_OK;
}

/* Adds facets for what numbers do not show.  True if the elements differ. */
static bool compare_elements(struct tensor_work *w, const struct tn_tensor *a,
                             const struct tn_tensor *b,
                             struct tn_diff_values  *values)
{
    const struct tn_elements *x = &a->elements, *y = &b->elements;
    uint32_t                  axes[TN_DIFF_AXES];

    *values = (struct tn_diff_values){ 0 };
    if (w->report->skips_values || !w->m->host ||
        (tn_shape_equal(&x->shape, &y->shape) && w->report->is_known_same &&
         w->report->is_known_same(w->report->context, a, b)))
        return false;
    if (w->report->on_tensor &&
        w->report->on_tensor(w->report->context, a, w->error) != TN_OK)
        return false;
    if (is_fixed(a) && is_fixed(b)) {
        if (tn_shape_same_dims(&x->shape, &y->shape)) {
            tn_diff_elements(x, y, w->report->tolerance, w->m->memory, values,
                             w->error);
        } else if (tn_tensor_count(a) == tn_tensor_count(b) &&
                   tn_diff_transposed(x, y, w->m->memory, axes, w->error)) {
            note_axes(w, x->shape.rank, axes);
        }
    } else if (tn_shape_equal(&x->shape, &y->shape)) {
        compare_strings(w, a, b, values);
    }
    if (tn_failed(w->error))
        tn_error_where(w->error, "tensor '%.*s'", TN_FMT(label(w, a)));
    return values->changed != 0;
}

/* Equal dims whose order still changed: a square matrix that was transposed. */
static bool explains_all(struct tensor_work *w, const struct tn_tensor *a,
                         const struct tn_tensor *b,
                         struct tn_diff_values  *values)
{
    uint32_t axes[TN_DIFF_AXES];

    if (values->changed < 2 || a->elements.shape.rank < 2 || !is_fixed(a) ||
        a->elements.shape.dtype != b->elements.shape.dtype)
        return false;
    uint64_t left = 0, right = 0;
    if (tn_diff_element_sum(&a->elements, a->elements.shape.dtype, w->m->memory,
                            &left, w->error) != TN_OK ||
        tn_diff_element_sum(&b->elements, b->elements.shape.dtype, w->m->memory,
                            &right, w->error) != TN_OK ||
        left != right ||
        !tn_diff_transposed(&a->elements, &b->elements, w->m->memory, axes,
                            w->error))
        return false;
    note_axes(w, a->elements.shape.rank, axes);
    *values = (struct tn_diff_values){ 0 };
    return true;
}

/* ---- pairs -------------------------------------------------------------- */

static bool same_levels(const struct tn_tensor *a, const struct tn_tensor *b)
{
    return (a->levels ? a->levels->count : 0) ==
           (b->levels ? b->levels->count : 0);
}

static void note_shape(struct tensor_work *w, const struct tn_tensor *a,
                       const struct tn_tensor *b)
{
    if (!tn_shape_equal(&a->elements.shape, &b->elements.shape))
        tn_diff_add_facet(w->report, tn_text("type"), shape_text(w, a),
                          shape_text(w, b), w->error);
    if (!same_levels(a, b))
        tn_diff_add_facet(w->report, tn_text("sequences"),
                          tn_text("other levels"), tn_text("other levels"),
                          w->error);
}

/* The name as the model has it; tensors of attributes have no name that
 * counts. */
static bool is_renamed(const struct tn_tensor *a, const struct tn_tensor *b)
{
    return a->node == TN_NONE && b->node == TN_NONE &&
           !tn_bytes_equal(tn_tensor_name(a), tn_tensor_name(b));
}

static void compare_tensors(struct tensor_work *w, uint32_t left,
                            uint32_t right)
{
    const struct tn_tensor *a = tensor_at(w->m->left.model, left);
    const struct tn_tensor *b = tensor_at(w->m->right.model, right);
    struct tn_diff_values   values;

    w->report->facets.count = 0;
    note_shape(w, a, b);
    if (compare_elements(w, a, b, &values))
        explains_all(w, a, b, &values);
    bool is_changed = w->report->facets.count > 0 || values.changed > 0;
    bool is_new     = is_renamed(a, b);
    bool is_other   = is_moved(w->m, a, b);
    if (is_other)
        tn_diff_add_facet(w->report, tn_text("place"), path_text(w, a),
                          path_text(w, b), w->error);
    if (tn_failed(w->error))
        return;
    if (!is_changed && !is_new && !is_other) {
        w->report->summary.same_tensors++;
        return;
    }
    struct tn_diff_change *change =
        tn_diff_add_change(w->report, TN_DIFF_TENSOR,
                           is_changed ? TN_DIFF_CHANGED
                           : is_new   ? TN_DIFF_RENAMED
                                      : TN_DIFF_MOVED,
                           w->error);
    if (!change)
        return;
    change->left  = left;
    change->right = right;
    change->name  = label(w, a);
    if (is_new)
        change->new_name = label(w, b);
    change->type          = shape_text(w, a);
    change->element_count = values.count;
    change->changed_count = values.changed;
    change->max_absolute  = values.max_absolute;
    change->max_relative  = values.max_relative;
}

static void add_one_sided(struct tensor_work *w, const struct tn_tensor *tensor,
                          enum tn_diff_kind kind, uint32_t index)
{
    w->report->facets.count = 0;
    struct tn_diff_change *change =
        tn_diff_add_change(w->report, TN_DIFF_TENSOR, kind, w->error);
    if (!change)
        return;
    change->left  = kind == TN_DIFF_REMOVED ? index : TN_NONE;
    change->right = kind == TN_DIFF_ADDED ? index : TN_NONE;
    change->name  = label(w, tensor);
    change->type  = shape_text(w, tensor);
}

/* A tensor in an attribute of an op that is itself added or removed. */
static bool goes_with_op(const struct tn_diff_match *m, int side,
                         const struct tn_tensor *t)
{
    const struct tn_diff_side *s = side ? &m->right : &m->left;

    if (t->node == TN_NONE || t->graph >= s->graph_count ||
        !tn_diff_is_one_dialect(m))
        return false;
    uint64_t op =
        (uint64_t)tn_model_graph_at(s->model, t->graph)->first_op + t->node;
    return op < s->op_count && m->ops[side][op] == TN_NONE &&
           tn_tensor_count(t) <= 64;
}

enum tn_status tn_diff_report_tensors(struct tn_diff_report *report,
                                      struct tn_error       *error)
{
    struct tn_diff_match *m = report->match;
    struct tensor_work    w = { .report = report, .m = m, .error = error };

    tn_buffer_init(&w.text, m->memory, error);
    for (uint64_t i = 0; i < m->left.tensor_count && !tn_failed(error); i++) {
        const struct tn_tensor *tensor = tensor_at(m->left.model, i);
        if (m->tensors[0][i] != TN_NONE)
            compare_tensors(&w, (uint32_t)i, m->tensors[0][i]);
        else if (!goes_with_op(m, 0, tensor))
            add_one_sided(&w, tensor, TN_DIFF_REMOVED, (uint32_t)i);
    }
    for (uint64_t i = 0; i < m->right.tensor_count && !tn_failed(error); i++) {
        const struct tn_tensor *tensor = tensor_at(m->right.model, i);
        if (m->tensors[1][i] == TN_NONE && !goes_with_op(m, 1, tensor))
            add_one_sided(&w, tensor, TN_DIFF_ADDED, (uint32_t)i);
    }
    tn_buffer_done(&w.text);
    return error->status;
}
