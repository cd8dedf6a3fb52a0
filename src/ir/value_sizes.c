/* value_sizes.c - sizes of dimensions: what is given against what is taken */
#include "ir/value_sizes.h"

#include "ir/op_arguments.h"
#include "ir/size_claims.h"
#include "ir/value_types.h"

#define UNKNOWN    TN_SIZE_UNKNOWN
#define ITEM_LIMIT TN_SIZE_LIST_LIMIT

/* No size is as large. */
#define SIZE_LIMIT (INT64_C(1) << 62)

/* Nodes of a kind that are remembered: shapes go round in small circles. */
#define NODE_LIMIT 4

/* Inputs of such a node. */
#define INPUT_LIMIT 8

/* What `makes` told of an output. */
struct tn_made_dims {
    const struct tn_made_dims *next;
    uint32_t                   output;
    const struct tn_dims      *dims;
};

/* All that the verdict on a node depends on. */
struct node_key {
    uint32_t              group, output_count, input_count;
    int64_t               rank;
    const struct tn_dims *dims[INPUT_LIMIT];
    int64_t               ranks[INPUT_LIMIT];
    uint32_t constants[INPUT_LIMIT]; /* whose elements matter     */
};

/* Nodes of a kind with which nothing is wrong. */
struct tn_sized_nodes {
    uint32_t next;
    struct {
        struct node_key            key;
        const struct tn_made_dims *made;
    } rows[NODE_LIMIT];
};

void tn_sizing_init(struct tn_sizing *s, const struct tn_model *model,
                    const struct tn_vocab_use *use,
                    const struct tn_ranking *ranking, struct tn_report *report,
                    struct tn_error *error)
{
    *s = (struct tn_sizing){
        .model    = model,
        .use      = use,
        .ranking  = ranking,
        .findings = { model, report, use->file },
        .error    = error,
    };
    tn_arena_init(&s->arena, model->memory);
    tn_arena_init(&s->scratch, model->memory);
    tn_intern_init(&s->shapes, &s->arena);
    tn_list_init(&s->dims, model->memory, sizeof(struct tn_dims *));
    if (!use->declare_sizes || tn_failed(error))
        return;
    s->told =
        tn_new(&s->arena, const struct tn_dims *, model->values.count, error);
    s->tensors = tn_new(&s->arena, uint32_t, model->values.count, error);
    s->bound =
        tn_new(&s->arena, const struct tn_dims *, model->ops.count, error);
    s->groups = tn_new(&s->arena, uint32_t, model->ops.count, error);
    if (!tn_failed(error))
        use->declare_sizes(use->context, s);
}

void tn_sizing_done(struct tn_sizing *s)
{
    tn_list_done(&s->dims);
    tn_intern_done(&s->shapes);
    tn_arena_done(&s->scratch);
    tn_arena_done(&s->arena);
}

void tn_sizing_note(struct tn_sizing *s, uint32_t op, uint32_t group)
{
    if (s->groups)
        s->groups[op] = group;
}

const struct tn_dims *tn_dims_new(struct tn_arena *arena, uint32_t rank,
                                  const int64_t *sizes, struct tn_error *error)
{
    struct tn_dims *dims = tn_new(arena, struct tn_dims, 1, error);
    int64_t        *own  = tn_new(arena, int64_t, rank, error);

    if (!dims || tn_failed(error))
        return NULL;
    for (uint32_t i = 0; i < rank; i++)
        own[i] = sizes[i] > 0 && sizes[i] < SIZE_LIMIT ? sizes[i] : UNKNOWN;
    *dims = (struct tn_dims){ rank, own };
    return dims;
}

/* The dims of those sizes, of which there is one; NULL on failure. */
static const struct tn_dims *keep_dims(struct tn_sizing *s, uint32_t rank,
                                       const int64_t *sizes)
{
    struct tn_bytes        bytes = tn_bytes(sizes, rank * sizeof *sizes);
    uint32_t               id    = tn_intern_find(&s->shapes, bytes);
    const struct tn_dims **row, *dims;

    if (id != TN_NO_NAME)
        return *tn_list_at(&s->dims, const struct tn_dims *, id);
    dims = tn_dims_new(&s->arena, rank, sizes, s->error);
    row  = tn_list_push(&s->dims, const struct tn_dims *, s->error);
    if (!dims || !row)
        return NULL;
    *row  = dims;
    bytes = tn_bytes(dims->sizes, rank * sizeof *sizes);
    return tn_intern_borrow(&s->shapes, bytes, s->error) == TN_NO_NAME ? NULL
                                                                       : dims;
}

void tn_sizing_tell(struct tn_sizing *s, uint32_t value,
                    const struct tn_dims *dims)
{
    if (s->last_told != dims) {
        s->last_told = dims;
        s->last_kept = keep_dims(s, dims->rank, dims->sizes);
    }
    s->told[value] = s->last_kept;
}

void tn_sizing_tell_constant(struct tn_sizing *s, uint32_t value,
                             uint32_t tensor)
{
    s->tensors[value] = tensor + 1;
}

/* ---- what is known ------------------------------------------------------ */

const struct tn_tensor *tn_sizing_constant(const struct tn_sizing *s,
                                           uint32_t                value)
{
    return s->tensors[value] ? tn_list_at(&s->model->tensors, struct tn_tensor,
                                          s->tensors[value] - 1)
                             : NULL;
}

static const struct tn_dims *dims_of_constant(struct tn_sizing *s,
                                              uint32_t          value)
{
    const struct tn_tensor *tensor = tn_sizing_constant(s, value);
    int64_t                 sizes[ITEM_LIMIT];

    if (!tensor || tensor->elements.shape.rank > ITEM_LIMIT)
        return NULL;
    for (uint32_t i = 0; i < tensor->elements.shape.rank; i++) {
        uint64_t size = tensor->elements.shape.dims[i];
        sizes[i] =
            size && size < (uint64_t)SIZE_LIMIT ? (int64_t)size : UNKNOWN;
    }
    s->told[value] = keep_dims(s, tensor->elements.shape.rank, sizes);
    return s->told[value];
}

/* By the operator that makes it; NULL: it does not tell. */
static const struct tn_dims *made_dims(const struct tn_sizing *s,
                                       uint32_t                value)
{
    const struct tn_value      *row = tn_model_value_at(s->model, value);
    const struct tn_typed_kind *kind;
    const struct tn_made_dims  *made;
    uint32_t                    index;

    if (row->kind != TN_VALUE_OUTPUT || row->producer == TN_NONE || !s->kinds)
        return NULL;
    kind = s->kinds[row->producer];
    if (!kind || !kind->op->output_count || s->model->dialect->next_slot ||
        (kind->op->has_lists && kind->op->output_count > 1))
        return NULL;
    index = tn_op_output_number(s->model, kind->op, row);
    if (index == TN_NONE)
        return NULL;
    if (kind->op->outputs[index].rank.is_shape)
        return s->bound[row->producer];
    made = s->made ? s->made[row->producer] : NULL;
    while (made && made->output != index)
        made = made->next;
    return made ? made->dims : NULL;
}

/* What follows from the producer counts; what it leaves open, the file may
 * know. */
static const struct tn_dims *merge(struct tn_sizing     *s,
                                   const struct tn_dims *made,
                                   const struct tn_dims *told)
{
    int64_t sizes[ITEM_LIMIT];
    bool    is_new = false;

    if (made->rank != told->rank || made->rank > ITEM_LIMIT)
        return made;
    for (uint32_t i = 0; i < made->rank; i++) {
        bool is_open = made->sizes[i] == UNKNOWN && told->sizes[i] != UNKNOWN;
        sizes[i]     = is_open ? told->sizes[i] : made->sizes[i];
        is_new |= is_open;
    }
    return is_new ? keep_dims(s, made->rank, sizes) : made;
}

const struct tn_dims *tn_sizing_dims(struct tn_sizing *s, uint32_t value)
{
    const struct tn_dims *made;

    if (!s->told || value == TN_NONE)
        return NULL;
    value = tn_model_defining_value(s->model, value);
    made  = made_dims(s, value);
    if (made)
        return s->told[value] ? merge(s, made, s->told[value]) : made;
    return s->told[value] ? s->told[value] : dims_of_constant(s, value);
}

/* ---- facts -------------------------------------------------------------- */

/* As sizes of something: what is not positive is not known. */
static const struct tn_dims *dims_of(struct tn_sized_node *j,
                                     struct tn_size_list  *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i] <= 0)
            list->items[i] = UNKNOWN;
    return keep_dims(j->s, list->count, list->items);
}

static void make(struct tn_sized_node *j, const struct tn_vocab_fact *fact)
{
    struct tn_sizing    *s = j->s;
    struct tn_made_dims *made;
    struct tn_size_list  list;

    tn_sized_evaluate(j, fact->claim.left, &list);
    if (!list.is_known || !list.is_list)
        return;
    if (!s->made)
        s->made = tn_new(&s->arena, const struct tn_made_dims *,
                         s->model->ops.count, s->error);
    made = tn_new(&s->arena, struct tn_made_dims, 1, s->error);
    if (!made || !s->made)
        return;
    made->next     = s->made[j->op];
    made->output   = fact->output;
    made->dims     = dims_of(j, &list);
    s->made[j->op] = made;
}

static void judge_facts(struct tn_sized_node *j)
{
    for (const struct tn_vocab_fact *fact = j->kind->facts; fact;
         fact                             = fact->next) {
        uint32_t i = 0;
        j->terms   = fact->terms;
        if (fact->output == UINT32_MAX && j->is_silent)
            continue;
        while (i < fact->condition_count &&
               tn_size_claim_is_true(j, &fact->conditions[i]))
            i++;
        if (i < fact->condition_count)
            continue;
        if (fact->output == UINT32_MAX)
            tn_size_claim_judge(j, &fact->claim);
        else
            make(j, fact);
    }
}

/* ---- shapes of arguments ------------------------------------------------ */

static void complain_of_shapes(struct tn_sized_node      *j,
                               const struct tn_vocab_arg *arg, uint32_t first,
                               const struct tn_dims *x, uint32_t second,
                               const struct tn_dims *y, uint32_t from_end)
{
    tn_size_complain(
        j, "size-mismatch",
        "dimension %" PRIu32 " of '%.*s' is %" PRId64 ", and dimension %" PRIu32
        " of '%.*s' is %" PRId64 "; %.*s takes them equal%s",
        y->rank - from_end, TN_FMT(tn_value_short_name(j->s->model, second)),
        y->sizes[y->rank - from_end], x->rank - from_end,
        TN_FMT(tn_value_short_name(j->s->model, first)),
        x->sizes[x->rank - from_end], TN_FMT(j->kind->name),
        arg->rank.is_up_to ? " or 1" : "");
}

/* Whether two shapes go together; else the dimension, from the end. */
static bool go_together(bool is_broadcast, const struct tn_dims *x,
                        const struct tn_dims *y, uint32_t *from_end)
{
    uint32_t count = x->rank < y->rank ? x->rank : y->rank;

    if (!is_broadcast && x->rank != y->rank)
        return true; /* that is told by ranks */
    for (*from_end = 1; *from_end <= count; ++*from_end) {
        int64_t a = x->sizes[x->rank - *from_end];
        int64_t b = y->sizes[y->rank - *from_end];
        if (a != b && a != UNKNOWN && b != UNKNOWN &&
            !(is_broadcast && (a == 1 || b == 1)))
            return false;
    }
    return true;
}

/* The shape of both. */
static const struct tn_dims *combine(struct tn_sized_node *j, bool is_broadcast,
                                     const struct tn_dims *x,
                                     const struct tn_dims *y)
{
    struct tn_size_list a, b;

    if (x == y)
        return x;
    if (x->rank > ITEM_LIMIT || y->rank > ITEM_LIMIT)
        return NULL;
    if (!is_broadcast)
        return merge(j->s, x, y);
    tn_size_set_all(&a, x->sizes, x->rank);
    tn_size_set_all(&b, y->sizes, y->rank);
    tn_size_broadcast(&a, &b);
    return dims_of(j, &a);
}

/* What [s] stands for; what is not known of one input is not known of what is
 * broadcast. */
static void judge_shapes(struct tn_sized_node *j)
{
    const struct tn_dims  *bound   = NULL, *dims;
    uint32_t               told_by = TN_NONE, from_end;
    bool                   is_open = false;
    struct tn_op_arguments a;

    tn_op_arguments_init(&a, j->s->model, j->kind, j->op, false);
    while (tn_op_arguments_next(&a)) {
        bool is_broadcast = a.arg->rank.is_up_to;
        if (!a.arg->rank.is_shape)
            continue;
        dims = tn_sizing_dims(j->s, a.value);
        is_open |= !dims && is_broadcast;
        if (!dims || !bound) {
            bound   = dims ? dims : bound;
            told_by = dims ? a.value : told_by;
            continue;
        }
        if (!go_together(is_broadcast, bound, dims, &from_end)) {
            if (!j->is_silent)
                complain_of_shapes(j, a.arg, told_by, bound, a.value, dims,
                                   from_end);
            j->s->bound[j->op] = NULL;
            return;
        }
        bound = combine(j, is_broadcast, bound, dims);
        if (!bound)
            return;
    }
    j->s->bound[j->op] = is_open ? NULL : bound;
}

/* ---- nodes that are alike ----------------------------------------------- */

/* False: more goes into the verdict than a key holds. */
static bool look_at_node(struct tn_sized_node *j, struct node_key *key)
{
    uint32_t count = j->row->input_count - j->row->control_count;

    memset(key, 0, sizeof *key); /* compared as bytes */
    key->group        = j->s->groups[j->op];
    key->output_count = j->row->output_count;
    key->input_count  = count;
    if (!key->group || count > INPUT_LIMIT || j->kind->input_count < count ||
        j->kind->has_lists || j->s->model->dialect->next_slot)
        return false;
    key->rank = tn_sized_rank(j);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value =
            tn_model_ref_at(j->s->model, (uint64_t)j->row->first_input + i);
        key->ranks[i] = UNKNOWN;
        if (value == TN_NONE) {
            key->ranks[i] = -1;
            continue;
        }
        key->dims[i] = tn_sizing_dims(j->s, value);
        if (!key->dims[i])
            key->ranks[i] = tn_sized_rank_of(j, value);
        if (j->kind->fact_elements >> i & 1)
            key->constants[i] =
                j->s->tensors[tn_model_defining_value(j->s->model, value)];
    }
    return true;
}

/* Whether there was one with which nothing was wrong: this gives the same. */
static bool is_remembered(struct tn_sized_node        *j,
                          const struct tn_sized_nodes *nodes,
                          const struct node_key       *key)
{
    for (uint32_t i = 0; nodes && i < NODE_LIMIT; i++) {
        if (memcmp(&nodes->rows[i].key, key, sizeof *key) != 0)
            continue;
        if (j->s->made)
            j->s->made[j->op] = nodes->rows[i].made;
        return true;
    }
    return false;
}

static void remember(struct tn_sized_node *j, struct tn_typed_kind *kind,
                     const struct node_key *key)
{
    struct tn_sized_nodes *nodes = kind->sized;
    uint32_t               at;

    if (!nodes)
        nodes = kind->sized =
            tn_new(&j->s->arena, struct tn_sized_nodes, 1, j->s->error);
    if (!nodes)
        return;
    at = nodes->next++ % NODE_LIMIT;
    memcpy(&nodes->rows[at].key, key, sizeof *key); /* with what is between */
    nodes->rows[at].made = j->s->made ? j->s->made[j->op] : NULL;
}

void tn_sizing_judge(struct tn_sizing *s, struct tn_typed_kind *kind,
                     uint32_t op, bool is_silent)
{
    const struct tn_vocab_op *what = kind->op;
    struct tn_sized_node      j;
    struct node_key           key;
    bool                      has_key;

    if (!s->told || (!what->has_shapes && !what->facts) ||
        what->input_count > TN_SIZED_PARTS || what->attr_count > TN_SIZED_PARTS)
        return;
    tn_sized_node_init(&j, s, what, op);
    j.is_silent = is_silent;
    if (what->has_shapes)
        judge_shapes(&j);
    if (!what->facts)
        return;
    has_key = !is_silent && look_at_node(&j, &key);
    if (has_key && is_remembered(&j, kind->sized, &key))
        return;
    if (s->made)
        s->made[op] = NULL;
    judge_facts(&j);
    if (has_key && !j.is_silent && !tn_failed(s->error))
        remember(&j, kind, &key);
}
