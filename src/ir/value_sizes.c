/* value_sizes.c - checks the sizes of dimensions */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/attr.h"
#include "ir/element.h"
#include "ir/op_arguments.h"
#include "ir/value_sizes.h"
#include "ir/value_types.h"

/* Arguments and attributes of an operator with facts; vocabularies have fewer.
 */
#define TN_SIZED_PARTS 48

struct tn_sized_node {
    struct tn_sizing         *s;
    uint32_t                  op;
    const struct tn_op       *row;
    const struct tn_vocab_op *kind;
    uint32_t first[TN_SIZED_PARTS]; /* by input: in model->refs              */
    uint32_t count[TN_SIZED_PARTS];
    bool     has_attrs;
    const struct tn_attr_value *attrs[TN_SIZED_PARTS];  /* NULL: not there    */
    bool                        is_odd[TN_SIZED_PARTS]; /* it cannot be said  */
    const struct tn_vocab_term *terms; /* of the fact                         */
    bool is_silent; /* nothing is to be said of it (any more)                 */
};

static void sized_evaluate(struct tn_sized_node *j, uint16_t index,
                           struct tn_size_list *to);
static const struct tn_dims *sizing_dims(struct tn_sizing *s, uint32_t value);

/* ---- numbers, and lists of them, of which some are not known ------------ */

/* What is computed from something unknown is unknown.  Each function leaves its
 * result in its first argument. */

#define UNKNOWN    TN_SIZE_UNKNOWN
#define ITEM_LIMIT TN_SIZE_LIST_LIMIT

/* No number that is computed from sizes reaches this. */
#define SIZE_LIMIT (INT64_C(1) << 62)

static void list_set(struct tn_size_list *to, int64_t number)
{
    to->is_known = number != UNKNOWN;
    to->is_list  = false;
    to->count    = 1;
    to->items[0] = number;
}

static void list_set_all(struct tn_size_list *to, const int64_t *items,
                         uint32_t count)
{
    to->is_known = count <= ITEM_LIMIT;
    to->is_list  = true;
    to->count    = count;
    if (to->is_known && count)
        memcpy(to->items, items, count * sizeof *items);
}

static void list_copy(struct tn_size_list *to, const struct tn_size_list *from)
{
    to->is_known = from->is_known;
    to->is_list  = from->is_list;
    to->count    = from->count;
    memcpy(to->items, from->items, from->count * sizeof *from->items);
}

/* Not even the length of the list is known. */
static void list_forget(struct tn_size_list *to)
{
    list_set(to, UNKNOWN);
    to->is_list = true;
}

static int64_t bounded(int64_t number)
{
    return number > -SIZE_LIMIT && number < SIZE_LIMIT ? number : UNKNOWN;
}

static int64_t compute(enum tn_vocab_term_kind kind, int64_t a, int64_t b)
{
    int64_t result = UNKNOWN;

    if (a == UNKNOWN || b == UNKNOWN)
        return UNKNOWN;
    switch (kind) {
    case TN_TERM_ADD:
        if (__builtin_add_overflow(a, b, &result))
            return UNKNOWN;
        break;
    case TN_TERM_SUBTRACT:
        if (__builtin_sub_overflow(a, b, &result))
            return UNKNOWN;
        break;
    case TN_TERM_MULTIPLY:
        if (__builtin_mul_overflow(a, b, &result))
            return UNKNOWN;
        break;
    case TN_TERM_DIVIDE: result = b > 0 ? a / b : UNKNOWN; break;
    case TN_TERM_REMAINDER: result = b > 0 ? a % b : UNKNOWN; break;
    default: break;
    }
    return bounded(result);
}

/* Item by item; a number goes with each item of a list. */
static void list_compute(enum tn_vocab_term_kind kind, struct tn_size_list *a,
                         const struct tn_size_list *b)
{
    if (!a->is_known || !b->is_known ||
        (a->is_list && b->is_list && a->count != b->count)) {
        a->is_list |= b->is_list;
        a->is_known = false;
        return;
    }
    if (!a->is_list && b->is_list) {
        for (uint32_t i = 1; i < b->count; i++)
            a->items[i] = a->items[0];
        a->is_list = true;
        a->count   = b->count;
    }
    for (uint32_t i = 0; i < a->count; i++)
        a->items[i] = compute(kind, a->items[i], b->items[b->is_list ? i : 0]);
    if (!a->is_list)
        list_set(a, a->items[0]);
}

static void list_fold(struct tn_size_list *a, enum tn_vocab_term_kind kind,
                      int64_t start)
{
    int64_t result = a->is_known ? start : UNKNOWN;

    for (uint32_t i = 0; i < a->count && a->is_known; i++)
        result = compute(kind, result, a->items[i]);
    list_set(a, result);
}

static void list_least(struct tn_size_list *a)
{
    int64_t least = a->is_known && a->count ? a->items[0] : UNKNOWN;

    for (uint32_t i = 0; a->is_known && i < a->count; i++) /* UNKNOWN is less */
        least = a->items[i] < least ? a->items[i] : least;
    list_set(a, least);
}

static void list_reverse(struct tn_size_list *a)
{
    for (uint32_t i = 0; a->is_known && i < a->count / 2; i++) {
        int64_t item               = a->items[i];
        a->items[i]                = a->items[a->count - 1 - i];
        a->items[a->count - 1 - i] = item;
    }
}

/* The item at a place, counted from the end below 0; UNKNOWN: there is none. */
static int64_t item_at(const struct tn_size_list *list, int64_t place)
{
    if (place < 0 && place != UNKNOWN)
        place += list->count;
    return place >= 0 && place < list->count ? list->items[place] : UNKNOWN;
}

static void list_pick(struct tn_size_list *a, const struct tn_size_list *places)
{
    struct tn_size_list result = { .is_known = a->is_known && places->is_known,
                                   .is_list  = places->is_list,
                                   .count    = places->count };

    for (uint32_t i = 0; result.is_known && i < places->count; i++)
        result.items[i] = item_at(a, places->items[i]);
    if (!result.is_list)
        list_set(&result, result.is_known ? result.items[0] : UNKNOWN);
    *a = result;
}

/* A bound of a slice, as a place in the list. */
static uint32_t list_bound(const struct tn_size_list *list,
                           const struct tn_size_list *bound)
{
    int64_t place = bound->items[0];

    if (place < 0)
        place += list->count;
    return place < 0 ? 0 : place > list->count ? list->count : (uint32_t)place;
}

static void list_join(struct tn_size_list *a, const struct tn_size_list *b)
{
    a->is_known = a->is_known && (b->is_known || !b->is_list) &&
                  a->count + b->count <= ITEM_LIMIT;
    for (uint32_t i = 0; a->is_known && i < b->count; i++)
        a->items[a->count++] = b->items[i];
}

/* Dims that two shapes have in common; where they differ, UNKNOWN. */
static void list_broadcast(struct tn_size_list *a, const struct tn_size_list *b)
{
    struct tn_size_list result = { .is_known = a->is_known && b->is_known,
                                   .is_list  = true };

    if (result.is_known)
        result.count = a->count > b->count ? a->count : b->count;
    for (uint32_t i = 1; i <= result.count; i++) {
        int64_t x   = i <= a->count ? a->items[a->count - i] : 1;
        int64_t y   = i <= b->count ? b->items[b->count - i] : 1;
        int64_t one = x == 1 ? y : y == 1 ? x : x == y ? x : UNKNOWN;
        if (one == UNKNOWN && x > 1 && y == UNKNOWN)
            one = x; /* the other is 1 or the same */
        if (one == UNKNOWN && y > 1 && x == UNKNOWN)
            one = y;
        result.items[result.count - i] = one;
    }
    *a = result;
}

/* Places as bits, in a list of `count`; false unless all are known and
 * inside. */
static bool places_of(const struct tn_size_list *places, uint32_t count,
                      uint64_t *bits)
{
    *bits = 0;
    for (uint32_t i = 0; places->is_known && i < places->count; i++) {
        int64_t place = places->items[i];
        if (place == UNKNOWN)
            return false;
        if (place < 0)
            place += count;
        if (place < 0 || place >= count || count > ITEM_LIMIT)
            return false;
        *bits |= UINT64_C(1) << place;
    }
    return places->is_known;
}

/* Squeeze, Unsqueeze and reductions. */
static void list_move(enum tn_vocab_term_kind kind, struct tn_size_list *a,
                      const struct tn_size_list *places, int64_t in_place)
{
    struct tn_size_list result = { .is_known = true, .is_list = true };
    uint32_t            count = a->count, from = 0;
    uint64_t            bits;

    if (kind == TN_TERM_INSERT)
        count += places->count;
    if (!a->is_known || !places->is_known || count > ITEM_LIMIT ||
        !places_of(places, count, &bits)) {
        list_forget(a);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_there = bits >> i & 1;
        if (kind == TN_TERM_INSERT && is_there) {
            result.items[result.count++] = 1;
        } else {
            int64_t item = from < a->count ? a->items[from] : UNKNOWN;
            from++;
            if (kind == TN_TERM_REMOVE && is_there)
                continue;
            result.items[result.count++] =
                kind == TN_TERM_REPLACE && is_there ? in_place : item;
        }
    }
    *a = result;
}

/* ---- a node whose sizes are examined: its parts, and terms of them ----- */

/* The longest attribute that is read, in bytes: lists about dimensions are
 * shorter, and those of decision forests have millions. */
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
static uint32_t sized_input(const struct tn_sized_node *j, uint32_t number,
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
    return j->count[number] == 1 ? sized_input(j, (uint32_t)number, 0)
                                 : TN_NONE;
}

static void keep_attr(struct tn_sized_node *j, struct tn_bytes name,
                      struct tn_span wire, const struct tn_attr_value *value)
{
    const struct tn_vocab_attr *attr = tn_vocab_find_attr(j->kind, name);
    struct tn_error             failure;
    struct tn_attr_value       *room;
    uint64_t                    number;

    tn_error_clear(&failure);
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
        if (tn_call_ended(&failure))
            *j->s->error = failure;
        j->attrs[number] = tn_failed(&failure) ? NULL : room;
    }
    j->is_odd[number] =
        !j->attrs[number] || j->attrs[number]->kind == TN_ATTR_REFERENCE;
}

/* Those that facts speak of. */
static void find_attrs(struct tn_sized_node *j)
{
    const struct tn_model *model = j->s->model;
    struct tn_error        failure;
    struct tn_bytes        name;
    struct tn_span         wire;

    tn_error_clear(&failure);
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
static const struct tn_attr_value *sized_attr(struct tn_sized_node *j,
                                              int64_t               number)
{
    if (!j->has_attrs)
        find_attrs(j);
    return j->is_odd[number] ? NULL : j->attrs[number];
}

/* Which values its inputs are, where there are facts about them. */
static void sized_node_init(struct tn_sized_node *j, struct tn_sizing *s,
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

/* A number of a file.  The number that stands for "unknown" here is just as
 * invalid as its neighbours. */
static int64_t told(int64_t number)
{
    return number == UNKNOWN ? UNKNOWN + 1 : number;
}

/* The sizes in an attribute.  An empty list is treated like a missing one. */
static void take_attr(struct tn_sized_node *j, int64_t number,
                      struct tn_size_list *to)
{
    const struct tn_attr_value *value = sized_attr(j, number);

    list_forget(to);
    if (!value || !value->count ||
        (value->kind != TN_ATTR_INT && value->kind != TN_ATTR_BOOL))
        return;
    if (value->is_list)
        list_set_all(to, value->of.ints, value->count);
    else
        list_set(to, told(value->of.ints[0]));
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

/* Elements of a constant that has few; facts ask for them again and again, so
 * the last ones are kept. */
static const struct tn_size_list *read_elements(struct tn_sizing *s,
                                                uint32_t          number)
{
    struct tn_size_list    *to = &s->elements;
    const struct tn_tensor *tensor;
    struct tn_error         failure;
    uint8_t                 bytes[ITEM_LIMIT * sizeof(int64_t)];
    uint64_t                count = 0;

    if (s->last_read == number)
        return to;
    s->last_read = number;
    tn_error_clear(&failure);
    list_forget(to);
    tensor = tn_list_at(&s->model->tensors, struct tn_tensor, number - 1);
    if (!is_small_constant(tensor, &count) ||
        tn_tensor_read(tensor, 0, bytes, (size_t)tn_tensor_size(tensor),
                       &failure) != TN_OK)
        return to; /* what cannot be read, others say */
    to->is_known = true;
    to->is_list  = tensor->elements.shape.rank == 1;
    to->count    = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++)
        to->items[i] = told(tn_element_int64(
            tensor->elements.shape.dtype,
            bytes + i * tn_dtype_size(tensor->elements.shape.dtype)));
    return to;
}

static void take_elements(struct tn_sized_node *j, int64_t number,
                          struct tn_size_list *to)
{
    uint32_t value    = input_of(j, number);
    uint32_t constant = 0;

    if (value != TN_NONE)
        constant = j->s->tensors[tn_model_defining_value(j->s->model, value)];
    if (constant)
        list_copy(to, read_elements(j->s, constant));
    else
        list_forget(to);
}

/* The first, if there are several. */
static void take_dims(struct tn_sized_node *j, int64_t number,
                      struct tn_size_list *to)
{
    const struct tn_dims *dims =
        sizing_dims(j->s, sized_input(j, (uint32_t)number, 0));

    list_forget(to);
    if (dims)
        list_set_all(to, dims->sizes, dims->rank);
}

/* UNKNOWN: so it is. */
static int64_t sized_rank_of(struct tn_sized_node *j, uint32_t value)
{
    const struct tn_dims *dims = sizing_dims(j->s, value);
    uint8_t               rank;

    if (dims)
        return dims->rank;
    rank = value == TN_NONE ? 0 : tn_ranking_rank(j->s->ranking, value);
    return rank && rank <= TN_VOCAB_RANK_LIMIT ? rank - 1 : UNKNOWN;
}

/* What r stands for. */
static int64_t sized_rank(struct tn_sized_node *j)
{
    uint8_t rank = j->s->ranking->bound ? j->s->ranking->bound[j->op] : 0;

    if (rank)
        return rank <= TN_VOCAB_RANK_LIMIT ? rank - 1 : UNKNOWN;
    for (uint32_t i = 0; i < j->kind->input_count; i++)
        if (j->kind->inputs[i].rank.is_variable &&
            !j->kind->inputs[i].rank.is_up_to && input_of(j, i) != TN_NONE &&
            sized_rank_of(j, input_of(j, i)) != UNKNOWN)
            return sized_rank_of(j, input_of(j, i));
    return UNKNOWN;
}

static int64_t length_of(struct tn_sized_node       *j,
                         const struct tn_vocab_term *of)
{
    const struct tn_attr_value *value;
    const struct tn_dims       *dims;

    if (of->kind == TN_TERM_ATTR) {
        value = sized_attr(j, of->number);
        return value && value->is_list && value->count ? value->count : UNKNOWN;
    }
    dims = sizing_dims(j->s, input_of(j, of->number));
    return dims && dims->rank == 1 ? dims->sizes[0] : UNKNOWN;
}

static int64_t is_given(struct tn_sized_node *j, const struct tn_vocab_term *of)
{
    if (of->kind != TN_TERM_ATTR)
        return j->count[of->number] != 0 &&
               sized_input(j, (uint32_t)of->number, 0) != TN_NONE;
    sized_attr(j, of->number);
    return j->attrs[of->number] || j->is_odd[of->number];
}

/* ---- terms -------------------------------------------------------------- */

static void evaluate_slice(struct tn_sized_node       *j,
                           const struct tn_vocab_term *term,
                           struct tn_size_list        *to)
{
    struct tn_size_list from, last;
    uint32_t            begin, end;

    list_set(&from, 0);
    if (term->right != TN_TERM_NONE)
        sized_evaluate(j, term->right, &from);
    if (term->last != TN_TERM_NONE)
        sized_evaluate(j, term->last, &last);
    else
        list_set(&last, to->count);
    if (!to->is_known || !from.is_known || !last.is_known || from.is_list ||
        last.is_list) {
        list_forget(to);
        return;
    }
    begin     = list_bound(to, &from);
    end       = list_bound(to, &last);
    to->count = end > begin ? end - begin : 0;
    memmove(to->items, to->items + begin, to->count * sizeof *to->items);
}

/* Unknown sizes, up to the rank. */
static void join_rest(struct tn_sized_node *j, struct tn_size_list *to)
{
    int64_t rank = sized_rank(j);

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

    sized_evaluate(j, term->left, to);
    if (j->terms[term->right].kind == TN_TERM_REST) {
        join_rest(j, to);
        return;
    }
    sized_evaluate(j, term->right, &right);
    list_join(to, &right);
}

/* Of two expressions, or three. */
static void evaluate_pair(struct tn_sized_node       *j,
                          const struct tn_vocab_term *term,
                          struct tn_size_list        *to)
{
    struct tn_size_list right, last;

    sized_evaluate(j, term->left, to);
    sized_evaluate(j, term->right, &right);
    switch (term->kind) {
    case TN_TERM_ITEM: list_pick(to, &right); break;
    case TN_TERM_BROADCAST: list_broadcast(to, &right); break;
    case TN_TERM_INSERT:
    case TN_TERM_REMOVE: list_move(term->kind, to, &right, 0); break;
    case TN_TERM_REPLACE:
        sized_evaluate(j, term->last, &last);
        list_move(term->kind, to, &right,
                  last.is_known ? last.items[0] : UNKNOWN);
        break;
    default: list_compute(term->kind, to, &right); break;
    }
}

/* A term of the fact. */
static void sized_evaluate(struct tn_sized_node *j, uint16_t index,
                           struct tn_size_list *to)
{
    const struct tn_vocab_term *term = &j->terms[index];
    struct tn_size_list         zero;

    switch (term->kind) {
    case TN_TERM_NUMBER: list_set(to, term->number); break;
    case TN_TERM_UNKNOWN:
    case TN_TERM_REST: list_forget(to); break;
    case TN_TERM_RANK: list_set(to, sized_rank(j)); break;
    case TN_TERM_ATTR: take_attr(j, term->number, to); break;
    case TN_TERM_ELEMENTS: take_elements(j, term->number, to); break;
    case TN_TERM_DIMS: take_dims(j, term->number, to); break;
    case TN_TERM_LENGTH:
        list_set(to, length_of(j, &j->terms[term->left]));
        break;
    case TN_TERM_RANK_OF:
        list_set(to, sized_rank_of(
                         j, sized_input(
                                j, (uint32_t)j->terms[term->left].number, 0)));
        break;
    case TN_TERM_GIVEN: list_set(to, is_given(j, &j->terms[term->left])); break;
    case TN_TERM_COUNT:
        list_set(to, j->s->model->dialect->names_outputs &&
                             j->row->output_count > term->number
                         ? (int64_t)j->row->output_count - term->number
                         : UNKNOWN);
        break;
    case TN_TERM_NEGATIVE:
        list_set(to, 0);
        sized_evaluate(j, term->left, &zero);
        list_compute(TN_TERM_SUBTRACT, to, &zero);
        break;
    case TN_TERM_SLICE:
        sized_evaluate(j, term->left, to);
        evaluate_slice(j, term, to);
        break;
    case TN_TERM_EMPTY: list_set_all(to, NULL, 0); break;
    case TN_TERM_JOIN: evaluate_join(j, term, to); break;
    case TN_TERM_SUM:
        sized_evaluate(j, term->left, to);
        list_fold(to, TN_TERM_ADD, 0);
        break;
    case TN_TERM_PRODUCT:
        sized_evaluate(j, term->left, to);
        list_fold(to, TN_TERM_MULTIPLY, 1);
        break;
    case TN_TERM_LEAST:
        sized_evaluate(j, term->left, to);
        list_least(to);
        break;
    case TN_TERM_REVERSE:
        sized_evaluate(j, term->left, to);
        list_reverse(to);
        break;
    default: evaluate_pair(j, term, to); break;
    }
}

/* ---- what a vocabulary claims of sizes, and the words for it ------------ */

/* ---- words -------------------------------------------------------------- */

struct words {
    char text[160];
};

/* "[2,?,4]", or "3". */
static struct words numbers_of(const struct tn_size_list *list)
{
    struct words w    = { "" };
    size_t       used = 0;

    for (uint32_t i = 0; i < list->count && used < sizeof w.text - 24; i++) {
        const char *mark = i ? "," : list->is_list ? "[" : "";
        if (list->items[i] == UNKNOWN)
            used += (size_t)snprintf(w.text + used, sizeof w.text - used, "%s?",
                                     mark);
        else
            used += (size_t)snprintf(w.text + used, sizeof w.text - used,
                                     "%s%" PRId64, mark, list->items[i]);
    }
    if (list->is_list)
        snprintf(w.text + used, sizeof w.text - used, "%s]",
                 list->count ? "" : "[");
    return w;
}

static struct tn_bytes part_name(const struct tn_sized_node *j,
                                 const struct tn_vocab_term *term)
{
    return term->kind == TN_TERM_ATTR ? j->kind->attrs[term->number].name
                                      : j->kind->inputs[term->number].name;
}

/* Something that a node has: an attribute, or elements of an input. */
static bool is_part(const struct tn_vocab_term *term)
{
    return term->kind == TN_TERM_ATTR || term->kind == TN_TERM_ELEMENTS;
}

static struct tn_bytes value_name(const struct tn_sized_node *j,
                                  const struct tn_vocab_term *term)
{
    return tn_value_short_name(j->s->model,
                               sized_input(j, (uint32_t)term->number, 0));
}

/* Which dimension an item or slice of dims speaks of. */
static int64_t axis_of(struct tn_sized_node       *j,
                       const struct tn_vocab_term *term, uint32_t place)
{
    struct tn_size_list at, dims;
    int64_t             axis;

    sized_evaluate(j, term->left, &dims);
    list_set(&at, 0);
    if (term->right != TN_TERM_NONE)
        sized_evaluate(j, term->right, &at);
    axis = at.items[at.is_list ? place : 0];
    if (axis < 0)
        axis += dims.count;
    return term->kind == TN_TERM_SLICE ? axis + place : axis;
}

/* "dimension 1 of 'x'"; `place` is the item of a list that is spoken of. */
static struct words words_of(struct tn_sized_node *j, uint16_t index,
                             uint32_t place, struct tn_bytes text)
{
    const struct tn_vocab_term *term = &j->terms[index], *left = NULL;
    struct words                w;

    if (term->left != TN_TERM_NONE)
        left = &j->terms[term->left];
    if ((term->kind == TN_TERM_ITEM || term->kind == TN_TERM_SLICE) &&
        left->kind == TN_TERM_DIMS)
        snprintf(w.text, sizeof w.text, "dimension %" PRId64 " of '%.*s'",
                 axis_of(j, term, place), TN_FMT(value_name(j, left)));
    else if (term->kind == TN_TERM_RANK)
        snprintf(w.text, sizeof w.text, "the rank");
    else if (is_part(term))
        snprintf(w.text, sizeof w.text, "'%.*s'", TN_FMT(part_name(j, term)));
    else if (term->kind == TN_TERM_SUM && is_part(left))
        snprintf(w.text, sizeof w.text, "the sum of '%.*s'",
                 TN_FMT(part_name(j, left)));
    else if (term->kind == TN_TERM_PRODUCT && is_part(left))
        snprintf(w.text, sizeof w.text, "the product of '%.*s'",
                 TN_FMT(part_name(j, left)));
    else if (term->kind == TN_TERM_PRODUCT && left->kind == TN_TERM_SLICE)
        snprintf(w.text, sizeof w.text, "the number of elements of '%.*s'",
                 TN_FMT(value_name(j, &j->terms[left->left])));
    else
        snprintf(w.text, sizeof w.text, "%.*s", TN_FMT(text));
    return w;
}

/* ---- claims ------------------------------------------------------------- */

/* What is compared. */
struct compared {
    const struct tn_vocab_claim *claim;
    struct tn_size_list          left, right, last;
};

/* The item that goes with number i of the other side; UNKNOWN: there is none.
 */
static int64_t item(const struct tn_size_list *list, uint32_t i)
{
    if (!list->is_list)
        i = 0;
    return i < list->count ? list->items[i] : UNKNOWN;
}

static bool holds_at(const struct compared *c, uint32_t i)
{
    int64_t left = item(&c->left, i), right = item(&c->right, i), last;

    if (left == UNKNOWN || right == UNKNOWN)
        return true;
    switch (c->claim->relation) {
    case TN_RELATION_EQUAL: return left == right;
    case TN_RELATION_UNEQUAL: return left != right;
    case TN_RELATION_LEAST: return left >= right;
    case TN_RELATION_MOST: return left <= right;
    case TN_RELATION_WITHIN:
        last = item(&c->last, i);
        return last == UNKNOWN || (left >= right && left <= last);
    default: return true;
    }
}

/* The first item that comes again, when below 0 means from the end; UNKNOWN:
 * none does. */
static int64_t find_twice(const struct tn_size_list *list, int64_t count)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        int64_t place = list->items[i];
        if (place == UNKNOWN || count > ITEM_LIMIT)
            return UNKNOWN;
        place += place < 0 ? count : 0;
        if (place < 0 || place >= count)
            return UNKNOWN;
        if (bits >> place & 1)
            return list->items[i];
        bits |= UINT64_C(1) << place;
    }
    return UNKNOWN;
}

/* Whether sizes can be broadcast, from the last on; where not. */
static bool can_broadcast(const struct compared *c, uint32_t *from_end)
{
    bool     fits = c->claim->relation == TN_RELATION_FITS;
    uint32_t count =
        c->left.count < c->right.count ? c->left.count : c->right.count;

    for (uint32_t i = 1; i <= count; i++) {
        int64_t x = c->left.items[c->left.count - i];
        int64_t y = c->right.items[c->right.count - i];
        *from_end = i;
        if (x != y && x > 0 && y > 0 && x != 1 && (fits || y != 1))
            return false;
    }
    return !fits || c->left.count <= c->right.count;
}

/* Whether the inputs are alike but at one place; else which, and where. */
static bool are_alike(struct tn_sized_node *j, const struct compared *c,
                      uint32_t *which, uint32_t *axis)
{
    uint32_t              number = (uint32_t)j->terms[c->claim->left].number;
    const struct tn_dims *first  = NULL;
    int64_t               but =
        c->claim->right == TN_TERM_NONE ? INT64_MAX : item(&c->right, 0);

    if (but == UNKNOWN)
        return true;
    for (*which = 0; *which < j->count[number]; ++*which) {
        const struct tn_dims *dims =
            sizing_dims(j->s, sized_input(j, number, *which));
        if (!first)
            first = dims;
        if (!dims || dims->rank != first->rank)
            continue;
        for (*axis = 0; *axis < dims->rank; ++*axis)
            if (*axis != (but < 0 ? but + dims->rank : but) &&
                dims->sizes[*axis] != UNKNOWN &&
                first->sizes[*axis] != UNKNOWN &&
                dims->sizes[*axis] != first->sizes[*axis])
                return false;
    }
    return true;
}

/* Only the first finding about a node is reported: others would follow from
 * it. */
static void size_complain(struct tn_sized_node *j, const char *rule,
                          const char *format, ...)
{
    char    what[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_value_complain(&j->s->findings, j->op, rule, "%s", what);
    j->is_silent = true; /* others would follow from it */
}

static bool is_number(const struct tn_sized_node *j, uint16_t index)
{
    const struct tn_vocab_term *term = &j->terms[index];

    if (term->kind == TN_TERM_NEGATIVE)
        term = &j->terms[term->left];
    return term->kind == TN_TERM_NUMBER;
}

static const char *relation_words(enum tn_vocab_relation relation)
{
    switch (relation) {
    case TN_RELATION_UNEQUAL: return "something else";
    case TN_RELATION_LEAST: return "at least that";
    case TN_RELATION_MOST: return "at most that";
    default: return "them equal";
    }
}

static const char *bound_words(enum tn_vocab_relation relation)
{
    return relation == TN_RELATION_LEAST  ? "at least "
           : relation == TN_RELATION_MOST ? "at most "
                                          : "";
}

static void complain_of_length(struct tn_sized_node  *j,
                               const struct compared *c)
{
    size_complain(
        j, "wrong-length",
        "'%.*s' has %" PRId64 " items, %.*s takes %s%" PRId64 " here",
        TN_FMT(part_name(j, &j->terms[j->terms[c->claim->left].left])),
        c->left.items[0], TN_FMT(j->kind->name),
        bound_words(c->claim->relation), c->right.items[0]);
}

/* Of one that should stand in a relation to a plain number. */
static void complain_of_number(struct tn_sized_node  *j,
                               const struct compared *c, uint32_t i,
                               const char *words)
{
    bool        is_attr = j->terms[c->claim->left].kind == TN_TERM_ATTR;
    const char *rule    = is_attr ? "bad-attribute-value" : "size-mismatch";

    if (c->claim->relation == TN_RELATION_UNEQUAL)
        size_complain(j, rule, "%s is %" PRId64 ", which %.*s cannot take",
                      words, item(&c->left, i), TN_FMT(j->kind->name));
    else
        size_complain(j, rule, "%s is %" PRId64 ", %.*s takes %s%" PRId64,
                      words, item(&c->left, i), TN_FMT(j->kind->name),
                      bound_words(c->claim->relation), item(&c->right, i));
}

/* Of two numbers that should stand in a relation. */
static void complain_of_pair(struct tn_sized_node *j, const struct compared *c,
                             uint32_t i)
{
    const struct tn_vocab_claim *claim = c->claim;
    const struct tn_vocab_term  *left  = &j->terms[claim->left];
    struct words words = words_of(j, claim->left, i, claim->left_text);

    if (left->kind == TN_TERM_LENGTH) {
        complain_of_length(j, c);
    } else if (left->kind == TN_TERM_REMAINDER && is_number(j, claim->right)) {
        struct tn_size_list of, by;
        sized_evaluate(j, left->left, &of);
        sized_evaluate(j, left->right, &by);
        words = words_of(j, left->left, i, claim->left_text);
        size_complain(j, "size-mismatch",
                      "%s is %" PRId64 ", %.*s takes a multiple of %" PRId64,
                      words.text, item(&of, i), TN_FMT(j->kind->name),
                      item(&by, i));
    } else if (is_number(j, claim->right)) {
        complain_of_number(j, c, i, words.text);
    } else {
        size_complain(j, "size-mismatch",
                      "%s is %" PRId64 ", and %s is %" PRId64 "; %.*s takes %s",
                      words.text, item(&c->left, i),
                      words_of(j, claim->right, i, claim->right_text).text,
                      item(&c->right, i), TN_FMT(j->kind->name),
                      relation_words(claim->relation));
    }
}

/* Of one that is outside. */
static void complain_of_range(struct tn_sized_node *j, const struct compared *c,
                              uint32_t i)
{
    bool is_fixed =
        is_number(j, c->claim->right) && is_number(j, c->claim->last);

    size_complain(j, is_fixed ? "bad-attribute-value" : "bad-axis",
                  "%s is %" PRId64 ", %.*s takes %" PRId64 " to %" PRId64 "%s",
                  words_of(j, c->claim->left, i, c->claim->left_text).text,
                  item(&c->left, i), TN_FMT(j->kind->name), item(&c->right, i),
                  item(&c->last, i), is_fixed ? "" : " here");
}

/* Relations of numbers, item by item. */
static void judge_items(struct tn_sized_node *j, const struct compared *c)
{
    uint32_t count = c->left.is_list ? c->left.count : c->right.count;
    int64_t  twice;

    if (c->left.is_list && c->right.is_list && c->left.count != c->right.count)
        return; /* lengths have facts of their own */
    for (uint32_t i = 0; i < count; i++)
        if (!holds_at(c, i)) {
            if (c->claim->relation == TN_RELATION_WITHIN)
                complain_of_range(j, c, i);
            else
                complain_of_pair(j, c, i);
            return;
        }
    if (!c->claim->is_once || item(&c->last, 0) == UNKNOWN)
        return;
    twice = find_twice(&c->left, item(&c->last, 0) + 1);
    if (twice != UNKNOWN)
        size_complain(j, "bad-axis", "%s is %s, %.*s takes no axis twice",
                      words_of(j, c->claim->left, 0, c->claim->left_text).text,
                      numbers_of(&c->left).text, TN_FMT(j->kind->name));
}

static bool is_permutation(const struct compared *c)
{
    int64_t count = item(&c->right, 0);

    if (count == UNKNOWN)
        return true;
    if (c->left.count != count)
        return false;
    for (uint32_t i = 0; i < c->left.count; i++)
        if (c->left.items[i] != UNKNOWN &&
            (c->left.items[i] < 0 || c->left.items[i] >= count))
            return false;
    return find_twice(&c->left, count) == UNKNOWN;
}

static void judge_broadcast(struct tn_sized_node *j, const struct compared *c)
{
    uint32_t from_end = 0;

    if (!c->left.is_list || !c->right.is_list || can_broadcast(c, &from_end))
        return;
    size_complain(j, "size-mismatch",
                  "%.*s is %s, which %.*s cannot broadcast %s %s",
                  TN_FMT(c->claim->left_text), numbers_of(&c->left).text,
                  TN_FMT(j->kind->name),
                  c->claim->relation == TN_RELATION_FITS ? "to" : "with",
                  numbers_of(&c->right).text);
}

static void judge_alike(struct tn_sized_node *j, const struct compared *c)
{
    uint32_t number = (uint32_t)j->terms[c->claim->left].number;
    uint32_t which, axis, other = 0;

    if (are_alike(j, c, &which, &axis))
        return;
    while (!sizing_dims(j->s, sized_input(j, number, other)))
        other++;
    size_complain(
        j, "size-mismatch",
        "dimension %" PRIu32 " of '%.*s' is %" PRId64
        ", and of '%.*s' it is %" PRId64 "; %.*s takes them equal",
        axis,
        TN_FMT(tn_value_short_name(j->s->model, sized_input(j, number, which))),
        sizing_dims(j->s, sized_input(j, number, which))->sizes[axis],
        TN_FMT(tn_value_short_name(j->s->model, sized_input(j, number, other))),
        sizing_dims(j->s, sized_input(j, number, other))->sizes[axis],
        TN_FMT(j->kind->name));
}

/* Both sides; false: one is not known. */
static bool look_at(struct tn_sized_node *j, struct compared *c)
{
    const struct tn_vocab_claim *claim = c->claim;

    list_set(&c->right, 0);
    list_set(&c->last, 0);
    if (claim->relation == TN_RELATION_ALIKE)
        list_set(&c->left, 0);
    else
        sized_evaluate(j, claim->left, &c->left);
    if (c->left.is_known && claim->right != TN_TERM_NONE)
        sized_evaluate(j, claim->right, &c->right);
    if (c->right.is_known && claim->last != TN_TERM_NONE)
        sized_evaluate(j, claim->last, &c->last);
    return c->left.is_known && c->right.is_known && c->last.is_known;
}

/* A claim about something unknown does not count as true. */
static bool size_claim_is_true(struct tn_sized_node        *j,
                               const struct tn_vocab_claim *claim)
{
    struct compared             c = { .claim = claim };
    const struct tn_attr_value *value;

    if (claim->relation == TN_RELATION_IS) {
        value = sized_attr(j, j->terms[claim->left].number);
        return value && value->kind == TN_ATTR_STRING && value->count == 1 &&
               tn_bytes_equal(value->of.strings[0], claim->right_text);
    }
    return look_at(j, &c) && item(&c.left, 0) != UNKNOWN &&
           item(&c.right, 0) != UNKNOWN && holds_at(&c, 0);
}

/* Reports what is wrong. What is unknown is not reported. */
static void size_claim_judge(struct tn_sized_node        *j,
                             const struct tn_vocab_claim *claim)
{
    struct compared c = { .claim = claim };

    if (!look_at(j, &c))
        return;
    switch (claim->relation) {
    case TN_RELATION_FITS:
    case TN_RELATION_MEETS: judge_broadcast(j, &c); break;
    case TN_RELATION_ALIKE: judge_alike(j, &c); break;
    case TN_RELATION_PERMUTES:
        if (c.left.is_list && !is_permutation(&c))
            size_complain(j, "bad-axis",
                          "%s is %s, %.*s takes each of 0 to %" PRId64
                          " once here",
                          words_of(j, claim->left, 0, claim->left_text).text,
                          numbers_of(&c.left).text, TN_FMT(j->kind->name),
                          item(&c.right, 0) - 1);
        break;
    case TN_RELATION_IS: break;
    default: judge_items(j, &c); break;
    }
}

/* Nodes of a kind that are remembered: models repeat a few shapes. */
#define NODE_LIMIT 4

/* Inputs of such a node, and elements of constants among them. */
#define INPUT_LIMIT   8
#define ELEMENT_LIMIT 16

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
    uint32_t constants[INPUT_LIMIT]; /* whose elements matter, where they are
                                        too many to stand here               */
    uint32_t element_count;
    int64_t  elements[ELEMENT_LIMIT]; /* of the others: which input, how many,
                                         and they                             */
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
        .findings = { model, report, use->file, false },
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

/* The tensor that a value is, a constant; NULL: none. */
static const struct tn_tensor *sizing_constant(const struct tn_sizing *s,
                                               uint32_t                value)
{
    return s->tensors[value] ? tn_list_at(&s->model->tensors, struct tn_tensor,
                                          s->tensors[value] - 1)
                             : NULL;
}

static const struct tn_dims *dims_of_constant(struct tn_sizing *s,
                                              uint32_t          value)
{
    const struct tn_tensor *tensor = sizing_constant(s, value);
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

/* By the operator that makes it; NULL if unknown. */
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

/* What is known of a value; NULL: nothing. */
static const struct tn_dims *sizing_dims(struct tn_sizing *s, uint32_t value)
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

const struct tn_dims *tn_sizing_made(struct tn_sizing *s, uint32_t value)
{
    if (!s->told || value == TN_NONE)
        return NULL;
    value = tn_model_defining_value(s->model, value);
    return s->tensors[value] ? dims_of_constant(s, value) : made_dims(s, value);
}

/* ---- facts -------------------------------------------------------------- */

/* As sizes: numbers that are not positive are unknown. */
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

    sized_evaluate(j, fact->claim.left, &list);
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
               size_claim_is_true(j, &fact->conditions[i]))
            i++;
        if (i < fact->condition_count)
            continue;
        if (fact->output == UINT32_MAX)
            size_claim_judge(j, &fact->claim);
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
    size_complain(
        j, "size-mismatch",
        "dimension %" PRIu32 " of '%.*s' is %" PRId64 ", and dimension %" PRIu32
        " of '%.*s' is %" PRId64 "; %.*s takes them equal%s",
        y->rank - from_end, TN_FMT(tn_value_short_name(j->s->model, second)),
        y->sizes[y->rank - from_end], x->rank - from_end,
        TN_FMT(tn_value_short_name(j->s->model, first)),
        x->sizes[x->rank - from_end], TN_FMT(j->kind->name),
        arg->rank.is_up_to ? " or 1" : "");
}

/* Whether two shapes can be broadcast; else which dimension differs, from the
 * end. */
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
    list_set_all(&a, x->sizes, x->rank);
    list_set_all(&b, y->sizes, y->rank);
    list_broadcast(&a, &b);
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
        dims = sizing_dims(j->s, a.value);
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

/* Constants with the same elements are alike: every node has one of its own. */
static void look_at_constant(struct tn_sized_node *j, uint32_t input,
                             uint32_t constant, struct node_key *key)
{
    const struct tn_size_list *list;

    if (!constant)
        return;
    list = read_elements(j->s, constant);
    if (list->count >= ELEMENT_LIMIT - key->element_count) {
        key->constants[input] = constant;
        return;
    }
    int64_t *to = &key->elements[key->element_count];
    *to         = (int64_t)(input + 1) << 32 | (int64_t)list->count << 2 |
          list->is_list << 1 | list->is_known;
    memcpy(to + 1, list->items, list->count * sizeof *to);
    key->element_count += list->count + 1;
}

/* False: the result depends on more than a key can hold. */
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
    key->rank = sized_rank(j);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value =
            tn_model_ref_at(j->s->model, (uint64_t)j->row->first_input + i);
        key->ranks[i] = UNKNOWN;
        if (value == TN_NONE) {
            key->ranks[i] = -1;
            continue;
        }
        key->dims[i] = sizing_dims(j->s, value);
        if (!key->dims[i])
            key->ranks[i] = sized_rank_of(j, value);
        if (j->kind->fact_elements >> i & 1)
            look_at_constant(
                j, i,
                j->s->tensors[tn_model_defining_value(j->s->model, value)],
                key);
    }
    return true;
}

/* Whether an equal node was found to be correct: then this one is, too. */
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
    memcpy(&nodes->rows[at].key, key, sizeof *key); /* with the padding */
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
    sized_node_init(&j, s, what, op);
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
