/* sized_node.c - a node whose sizes are looked at: its parts, and terms of them
 */
#include "ir/sized_node.h"

#include "ir/attr.h"
#include "ir/element.h"
#include "ir/op_arguments.h"

#define UNKNOWN    TN_SIZE_UNKNOWN
#define ITEM_LIMIT TN_SIZE_LIST_LIMIT

/* Bytes of an attribute that is looked into: lists that go with dimensions are
 * shorter, and those of forests would be millions. */
#define ATTR_LIMIT 65536

/* Decoded attributes are thrown away now and then, not after each. */
#define SCRATCH_USES 1000

/* ---- the parts of a node ------------------------------------------------ */

/* With at most one list that an attribute counts, all others are one value
 * each.  In bodies of functions a value may stand for a list. */
static void find_around_list(struct tn_sized_node *j)
{
    const struct tn_vocab_op *kind = j->kind;
    uint32_t given = j->row->input_count - j->row->control_count;
    uint32_t lists = 0, at = 0;

    for (uint32_t i = 0; i < kind->input_count; i++)
        lists += kind->inputs[i].list.size != 0;
    if (lists > 1 || given + lists < kind->input_count ||
        (lists && tn_model_graph_at(j->s->model, j->row->graph)->kind ==
                      TN_GRAPH_FUNCTION))
        return;
    for (uint32_t i = 0; i < kind->input_count; i++) {
        j->first[i] = at;
        j->count[i] =
            kind->inputs[i].list.size ? given + 1 - kind->input_count : 1;
        at += j->count[i];
    }
}

static void find_inputs(struct tn_sized_node *j)
{
    struct tn_op_arguments a;

    memset(j->count, 0, j->kind->input_count * sizeof *j->count);
    if (j->kind->has_lists && !j->s->model->dialect->next_slot) {
        find_around_list(j);
        return;
    }
    tn_op_arguments_init(&a, j->s->model, j->kind, j->op, false);
    while (tn_op_arguments_next(&a)) {
        uint32_t number = (uint32_t)(a.arg - j->kind->inputs);
        if (j->count[number]++ == 0)
            j->first[number] = a.index;
    }
}

/* One of the values of an input; TN_NONE: it is left out. */
uint32_t tn_sized_input(const struct tn_sized_node *j, uint32_t number,
                        uint32_t index)
{
    return index < j->count[number]
               ? tn_model_ref_at(j->s->model, (uint64_t)j->row->first_input +
                                                  j->first[number] + index)
               : TN_NONE;
}

/* The input, of which there is one. */
static uint32_t input_of(const struct tn_sized_node *j, int64_t number)
{
    return j->count[number] == 1 ? tn_sized_input(j, (uint32_t)number, 0)
                                 : TN_NONE;
}

static void keep_attr(struct tn_sized_node *j, struct tn_bytes name,
                      struct tn_span wire, const struct tn_attr_value *value)
{
    const struct tn_vocab_attr *attr    = tn_vocab_find_attr(j->kind, name);
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr_value       *room;
    uint64_t                    number;

    if (!attr)
        return;
    number = (uint64_t)(attr - j->kind->attrs);
    if (!(j->kind->fact_attrs >> number & 1))
        return;
    j->is_odd[number] = true;
    j->attrs[number]  = value;
    if (!value && wire.length <= ATTR_LIMIT) {
        room = tn_new(&j->s->scratch, struct tn_attr_value, 1, j->s->error);
        if (!room)
            return;
        j->s->model->dialect->decode(j->s->model, j->op, wire, &j->s->scratch,
                                     room, &failure);
        if (failure.status == TN_NO_MEMORY)
            *j->s->error = failure;
        j->attrs[number] = tn_failed(&failure) ? NULL : room;
    }
    j->is_odd[number] =
        !j->attrs[number] || j->attrs[number]->kind == TN_ATTR_REFERENCE;
}

/* Those that facts speak of. */
static void find_attrs(struct tn_sized_node *j)
{
    const struct tn_model *model   = j->s->model;
    struct tn_error        failure = TN_ERROR_INIT;
    struct tn_bytes        name;
    struct tn_span         wire;

    j->has_attrs = true;
    if (++j->s->scratch_uses % SCRATCH_USES == 0)
        tn_arena_done(&j->s->scratch);
    for (uint32_t i = 0; i < j->kind->attr_count; i++) {
        j->attrs[i] =
            j->kind->attrs[i].has_default ? &j->kind->attrs[i].value : NULL;
        j->is_odd[i] = false;
    }
    if (j->row->first_attr != TN_NONE) {
        for (uint32_t i = 0; i < j->row->attr_count; i++) {
            const struct tn_attr_slot *slot =
                tn_list_at(&model->attrs, struct tn_attr_slot,
                           (uint64_t)j->row->first_attr + i);
            keep_attr(j, tn_model_name(model, slot->name), slot->wire,
                      slot->value);
        }
        return;
    }
    if (!j->row->wire_length)
        return;
    struct tn_cursor node =
        tn_cursor_span(tn_model_op_wire(model, j->row), &failure);
    while (model->dialect->next_attr(&node, &name, &wire))
        keep_attr(j, name, wire, NULL);
}

/* NULL: it is not there, or cannot be said. */
const struct tn_attr_value *tn_sized_attr(struct tn_sized_node *j,
                                          int64_t               number)
{
    if (!j->has_attrs)
        find_attrs(j);
    return j->is_odd[number] ? NULL : j->attrs[number];
}

void tn_sized_node_init(struct tn_sized_node *j, struct tn_sizing *s,
                        const struct tn_vocab_op *kind, uint32_t op)
{
    j->s         = s;
    j->op        = op;
    j->row       = tn_model_op_at(s->model, op);
    j->kind      = kind;
    j->has_attrs = false; /* attrs: when they are asked for */
    if (kind->facts)
        find_inputs(j);
}

/* ---- numbers ------------------------------------------------------------ */

/* A number of a file.  The one that means "not known" is as wrong as the next.
 */
static int64_t told(int64_t number)
{
    return number == UNKNOWN ? UNKNOWN + 1 : number;
}

/* An empty list says no more than one that is left out. */
static void take_attr(struct tn_sized_node *j, int64_t number,
                      struct tn_size_list *to)
{
    const struct tn_attr_value *value = tn_sized_attr(j, number);

    tn_size_forget(to);
    if (!value || (value->kind != TN_ATTR_INT && value->kind != TN_ATTR_BOOL &&
                   value->count))
        return;
    if (value->is_list && value->count)
        tn_size_set_all(to, value->of.ints, value->count);
    else if (!value->is_list)
        tn_size_set(to, told(value->of.ints[0]));
    for (uint32_t i = 0; to->is_known && i < to->count; i++)
        to->items[i] = told(to->items[i]);
}

static bool is_small_constant(const struct tn_tensor *tensor, uint64_t *count)
{
    enum tn_element_kind kind = tn_element_kind(tensor->elements.shape.dtype);

    return (kind == TN_ELEMENT_SIGNED || kind == TN_ELEMENT_UNSIGNED) &&
           tn_shape_count(&tensor->elements.shape, count) &&
           *count <= ITEM_LIMIT && !tensor->is_external &&
           tensor->elements.shape.rank <= 1 &&
           tensor->elements.payload.encoding != TN_ENCODING_VIEW;
}

/* Elements of a constant that has few. */
static void take_elements(struct tn_sized_node *j, int64_t number,
                          struct tn_size_list *to)
{
    uint32_t                value   = input_of(j, number);
    const struct tn_tensor *tensor  = NULL;
    struct tn_error         failure = TN_ERROR_INIT;
    uint8_t                 bytes[ITEM_LIMIT * sizeof(int64_t)];
    uint64_t                count = 0;

    tn_size_forget(to);
    if (value != TN_NONE)
        tensor = tn_sizing_constant(
            j->s, tn_model_defining_value(j->s->model, value));
    if (!tensor || !is_small_constant(tensor, &count))
        return;
    if (tn_tensor_read(tensor, 0, bytes, (size_t)tn_tensor_size(tensor),
                       &failure) != TN_OK)
        return; /* others say so */
    to->is_known = true;
    to->is_list  = tensor->elements.shape.rank == 1;
    to->count    = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++)
        to->items[i] = told(tn_element_int64(
            tensor->elements.shape.dtype,
            bytes + i * tn_dtype_size(tensor->elements.shape.dtype)));
}

/* Of several the first. */
static void take_dims(struct tn_sized_node *j, int64_t number,
                      struct tn_size_list *to)
{
    const struct tn_dims *dims =
        tn_sizing_dims(j->s, tn_sized_input(j, (uint32_t)number, 0));

    tn_size_forget(to);
    if (dims)
        tn_size_set_all(to, dims->sizes, dims->rank);
}

/* UNKNOWN: so it is. */
int64_t tn_sized_rank_of(struct tn_sized_node *j, uint32_t value)
{
    const struct tn_dims *dims = tn_sizing_dims(j->s, value);
    uint8_t               rank;

    if (dims)
        return dims->rank;
    rank = value == TN_NONE ? 0 : tn_ranking_rank(j->s->ranking, value);
    return rank && rank <= TN_VOCAB_RANK_LIMIT ? rank - 1 : UNKNOWN;
}

/* What r stands for. */
int64_t tn_sized_rank(struct tn_sized_node *j)
{
    uint8_t rank = j->s->ranking->bound ? j->s->ranking->bound[j->op] : 0;

    if (rank)
        return rank <= TN_VOCAB_RANK_LIMIT ? rank - 1 : UNKNOWN;
    for (uint32_t i = 0; i < j->kind->input_count; i++)
        if (j->kind->inputs[i].rank.is_variable &&
            !j->kind->inputs[i].rank.is_up_to && input_of(j, i) != TN_NONE &&
            tn_sized_rank_of(j, input_of(j, i)) != UNKNOWN)
            return tn_sized_rank_of(j, input_of(j, i));
    return UNKNOWN;
}

static int64_t length_of(struct tn_sized_node       *j,
                         const struct tn_vocab_term *of)
{
    const struct tn_attr_value *value;
    const struct tn_dims       *dims;

    if (of->kind == TN_TERM_ATTR) {
        value = tn_sized_attr(j, of->number);
        return value && value->is_list && value->count ? value->count : UNKNOWN;
    }
    dims = tn_sizing_dims(j->s, input_of(j, of->number));
    return dims && dims->rank == 1 ? dims->sizes[0] : UNKNOWN;
}

static int64_t is_given(struct tn_sized_node *j, const struct tn_vocab_term *of)
{
    if (of->kind != TN_TERM_ATTR)
        return j->count[of->number] != 0 &&
               tn_sized_input(j, (uint32_t)of->number, 0) != TN_NONE;
    tn_sized_attr(j, of->number);
    return j->attrs[of->number] || j->is_odd[of->number];
}

/* ---- terms -------------------------------------------------------------- */

static void evaluate_slice(struct tn_sized_node       *j,
                           const struct tn_vocab_term *term,
                           struct tn_size_list        *to)
{
    struct tn_size_list from, last;
    uint32_t            begin, end;

    tn_size_set(&from, 0);
    if (term->right != TN_TERM_NONE)
        tn_sized_evaluate(j, term->right, &from);
    if (term->last != TN_TERM_NONE)
        tn_sized_evaluate(j, term->last, &last);
    else
        tn_size_set(&last, to->count);
    if (!to->is_known || !from.is_known || !last.is_known || from.is_list ||
        last.is_list) {
        tn_size_forget(to);
        return;
    }
    begin     = tn_size_bound(to, &from);
    end       = tn_size_bound(to, &last);
    to->count = end > begin ? end - begin : 0;
    memmove(to->items, to->items + begin, to->count * sizeof *to->items);
}

/* Unknown sizes, up to the rank. */
static void join_rest(struct tn_sized_node *j, struct tn_size_list *to)
{
    int64_t rank = tn_sized_rank(j);

    to->is_known = to->is_known && rank != UNKNOWN && rank >= to->count &&
                   rank <= ITEM_LIMIT;
    while (to->is_known && to->count < rank)
        to->items[to->count++] = UNKNOWN;
}

static void evaluate_join(struct tn_sized_node       *j,
                          const struct tn_vocab_term *term,
                          struct tn_size_list        *to)
{
    struct tn_size_list right;

    tn_sized_evaluate(j, term->left, to);
    if (j->terms[term->right].kind == TN_TERM_REST) {
        join_rest(j, to);
        return;
    }
    tn_sized_evaluate(j, term->right, &right);
    tn_size_join(to, &right);
}

/* Of two expressions, or three. */
static void evaluate_pair(struct tn_sized_node       *j,
                          const struct tn_vocab_term *term,
                          struct tn_size_list        *to)
{
    struct tn_size_list right, last;

    tn_sized_evaluate(j, term->left, to);
    tn_sized_evaluate(j, term->right, &right);
    switch (term->kind) {
    case TN_TERM_ITEM: tn_size_pick(to, &right); break;
    case TN_TERM_BROADCAST: tn_size_broadcast(to, &right); break;
    case TN_TERM_INSERT:
    case TN_TERM_REMOVE: tn_size_move(term->kind, to, &right, 0); break;
    case TN_TERM_REPLACE:
        tn_sized_evaluate(j, term->last, &last);
        tn_size_move(term->kind, to, &right,
                     last.is_known ? last.items[0] : UNKNOWN);
        break;
    default: tn_size_compute(term->kind, to, &right); break;
    }
}

void tn_sized_evaluate(struct tn_sized_node *j, uint16_t index,
                       struct tn_size_list *to)
{
    const struct tn_vocab_term *term = &j->terms[index];
    struct tn_size_list         zero;

    switch (term->kind) {
    case TN_TERM_NUMBER: tn_size_set(to, term->number); break;
    case TN_TERM_UNKNOWN:
    case TN_TERM_REST: tn_size_forget(to); break;
    case TN_TERM_RANK: tn_size_set(to, tn_sized_rank(j)); break;
    case TN_TERM_ATTR: take_attr(j, term->number, to); break;
    case TN_TERM_ELEMENTS: take_elements(j, term->number, to); break;
    case TN_TERM_DIMS: take_dims(j, term->number, to); break;
    case TN_TERM_LENGTH:
        tn_size_set(to, length_of(j, &j->terms[term->left]));
        break;
    case TN_TERM_RANK_OF:
        tn_size_set(
            to, tn_sized_rank_of(
                    j, tn_sized_input(j, (uint32_t)j->terms[term->left].number,
                                      0)));
        break;
    case TN_TERM_GIVEN:
        tn_size_set(to, is_given(j, &j->terms[term->left]));
        break;
    case TN_TERM_COUNT:
        tn_size_set(to, j->s->model->dialect->names_outputs &&
                                j->row->output_count > term->number
                            ? (int64_t)j->row->output_count - term->number
                            : UNKNOWN);
        break;
    case TN_TERM_NEGATIVE:
        tn_size_set(to, 0);
        tn_sized_evaluate(j, term->left, &zero);
        tn_size_compute(TN_TERM_SUBTRACT, to, &zero);
        break;
    case TN_TERM_SLICE:
        tn_sized_evaluate(j, term->left, to);
        evaluate_slice(j, term, to);
        break;
    case TN_TERM_EMPTY: tn_size_set_all(to, NULL, 0); break;
    case TN_TERM_JOIN: evaluate_join(j, term, to); break;
    case TN_TERM_SUM:
        tn_sized_evaluate(j, term->left, to);
        tn_size_fold(to, TN_TERM_ADD, 0);
        break;
    case TN_TERM_PRODUCT:
        tn_sized_evaluate(j, term->left, to);
        tn_size_fold(to, TN_TERM_MULTIPLY, 1);
        break;
    case TN_TERM_LEAST:
        tn_sized_evaluate(j, term->left, to);
        tn_size_least(to);
        break;
    case TN_TERM_REVERSE:
        tn_sized_evaluate(j, term->left, to);
        tn_size_reverse(to);
        break;
    default: evaluate_pair(j, term, to); break;
    }
}
