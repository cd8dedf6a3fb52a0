/* nd4j_calls.c - which operator of nd4j a call means, and its arguments */
#include "ir/nd4j_calls.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

/* ---- operators ---------------------------------------------------------- */

/* An operator by its identity in a file: the hash of a custom operator's name,
 * or the type and number of a kernel. */
struct tn_nd4j_row {
    struct tn_bytes           kernel; /* empty: custom                        */
    int64_t                   number;
    const struct tn_vocab_op *op;
};

enum tn_status tn_nd4j_book_init(struct tn_nd4j_book *book,
                                 struct tn_arena *arena, struct tn_error *error)
{
    *book = (struct tn_nd4j_book){ .error = error };
    tn_nd4j_hasher_init(&book->hasher);
    return tn_vocab_open(&book->vocab, arena, "nd4j", error);
}

const struct tn_vocab_op *tn_nd4j_named(struct tn_nd4j_book *book,
                                        struct tn_bytes      name)
{
    return tn_vocab_find(&book->vocab, tn_text(""), name, INT64_MAX,
                         book->error);
}

static int compare_rows(const void *left, const void *right)
{
    const struct tn_nd4j_row *l = left, *r = right;

    if (l->number != r->number)
        return l->number < r->number ? -1 : 1;
    return tn_bytes_compare(l->kernel, r->kernel);
}

/* Two operators may have one kernel: then they are ordered by name. */
static int order_rows(const void *left, const void *right, void *context)
{
    const struct tn_nd4j_row *l = left, *r = right;
    int                       order = compare_rows(l, r);

    (void)context;
    return order ? order : tn_bytes_compare(l->op->name, r->op->name);
}

/* Every operator twice: by the hash of its name, and by its kernel if it has
 * one, because files have both. */
static bool make_rows(struct tn_nd4j_book *book)
{
    uint32_t            count = book->vocab.row_count;
    struct tn_nd4j_row *rows  = tn_new(book->vocab.arena, struct tn_nd4j_row,
                                       2 * (uint64_t)count, book->error);

    if (!rows)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_vocab_op *op =
            tn_vocab_at(&book->vocab, i, book->error);
        if (!op)
            return false;
        rows[book->row_count++] = (struct tn_nd4j_row){
            { NULL, 0 }, tn_nd4j_hash(&book->hasher, op->name), op
        };
        if (op->kernel.size)
            rows[book->row_count++] =
                (struct tn_nd4j_row){ op->kernel, op->kernel_number, op };
    }
    tn_sort_items(rows, book->row_count, sizeof *rows, order_rows, NULL);
    book->by_number = rows;
    return true;
}

static const struct tn_vocab_op *find_number(struct tn_nd4j_book *book,
                                             struct tn_bytes      kernel,
                                             int64_t              number)
{
    struct tn_nd4j_row key = { kernel, number, NULL };

    if (!book->by_number && !make_rows(book))
        return NULL;
    const struct tn_nd4j_row *row = bsearch(
        &key, book->by_number, book->row_count, sizeof key, compare_rows);
    return row ? row->op : NULL;
}

const struct tn_vocab_op *tn_nd4j_meant(struct tn_nd4j_book *book,
                                        struct tn_bytes      name,
                                        struct tn_bytes type, int64_t number)
{
    const struct tn_vocab_op *named     = tn_nd4j_named(book, name);
    bool                      is_custom = tn_bytes_is(type, "CUSTOM");

    if (tn_failed(book->error))
        return NULL;
    if (is_custom ? number == 0 || tn_nd4j_hash(&book->hasher, name) == number
                  : named && named->kernel.size &&
                        tn_bytes_equal(named->kernel, type) &&
                        named->kernel_number == number)
        return named;
    const struct tn_vocab_op *found =
        find_number(book, is_custom ? tn_bytes(NULL, 0) : type, number);
    return found ? found : named;
}

/* ---- arguments ---------------------------------------------------------- */

const char *tn_call_list_name(enum tn_vocab_list list)
{
    static const char *const names[] = {
        [TN_VOCAB_IARGS] = "iArgs", [TN_VOCAB_TARGS] = "tArgs",
        [TN_VOCAB_BARGS] = "bArgs", [TN_VOCAB_DARGS] = "dArgs",
        [TN_VOCAB_SARGS] = "sArgs",
    };

    return names[list];
}

struct tn_bytes tn_arg_name(const struct tn_vocab_op *op,
                            enum tn_vocab_list list, uint32_t slot)
{
    const struct tn_vocab_attr *attr = tn_vocab_find_slot(op, list, slot);

    return attr ? attr->name : tn_bytes(NULL, 0);
}

const char *tn_arg_fault_words(enum tn_arg_fault fault)
{
    switch (fault) {
    case TN_ARG_UNKNOWN: return "is not an argument that the operator has";
    case TN_ARG_TWICE: return "is given twice";
    case TN_ARG_SPLIT: return "is a list with other arguments inside it";
    case TN_ARG_SAME_SLOT:
        return "belongs where an argument without a name stands";
    default: return "is not given, and an argument after it is";
    }
}

struct placing {
    const struct tn_vocab_op *op;
    enum tn_vocab_list        list;
    const struct tn_bytes    *names;
    uint32_t                  count;
    uint32_t                 *slots;
    bool                     *is_taken; /* by slot                            */
    uint32_t                  slot_count;
    bool                      is_good;
    tn_arg_fault_fn          *each;
    void                     *context;
};

static void tell(struct placing *p, enum tn_arg_fault fault, uint32_t index,
                 struct tn_bytes name)
{
    p->is_good = false;
    if (p->each)
        p->each(p->context, fault, index, name);
}

static bool is_named(const struct placing *p, uint32_t index)
{
    return p->names && p->names[index].size > 0;
}

/* Whether it has the name of the slot that it is in, or no name. */
static bool stands_right(const struct placing *p, uint32_t index)
{
    return !is_named(p, index) ||
           tn_bytes_equal(tn_arg_name(p->op, p->list, index), p->names[index]);
}

static const struct tn_vocab_attr *find_named(const struct placing *p,
                                              struct tn_bytes       name)
{
    const struct tn_vocab_attr *attr = tn_vocab_find_attr(p->op, name);

    return attr && attr->list == p->list ? attr : NULL;
}

static void take(struct placing *p, uint32_t index, uint32_t slot,
                 enum tn_arg_fault fault)
{
    p->slots[index] = slot;
    if (slot >= p->slot_count || p->is_taken[slot])
        tell(p, fault, index,
             is_named(p, index) ? p->names[index]
                                : tn_arg_name(p->op, p->list, slot));
    else
        p->is_taken[slot] = true;
}

/* The slot of the first of a list, the one after its neighbour's otherwise. */
static void place_named(struct placing *p, uint32_t index)
{
    const struct tn_vocab_attr *attr = find_named(p, p->names[index]);

    if (!attr)
        tell(p, TN_ARG_UNKNOWN, index, p->names[index]);
    else if (attr->is_rest && index > 0 &&
             tn_bytes_equal(p->names[index - 1], p->names[index]))
        take(p, index, p->slots[index - 1] + 1, TN_ARG_SPLIT);
    else
        take(p, index, attr->slot, attr->is_rest ? TN_ARG_SPLIT : TN_ARG_TWICE);
}

/* Arguments with names first: their names give their positions, while others
 * only follow their neighbours. */
static void place_all(struct placing *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (is_named(p, i))
            place_named(p, i);
    for (uint32_t i = 0; i < p->count; i++)
        if (!is_named(p, i))
            take(p, i, i, TN_ARG_SAME_SLOT);
}

static uint32_t find_missing(struct placing *p)
{
    uint32_t length = p->slot_count;

    while (length > 0 && !p->is_taken[length - 1])
        length--;
    for (uint32_t i = 0; i < length; i++) {
        const struct tn_vocab_attr *attr =
            tn_vocab_find_slot(p->op, p->list, i);
        if (!p->is_taken[i] && (!attr || !attr->has_default || attr->is_rest))
            tell(p, TN_ARG_MISSING, i,
                 attr ? attr->name : tn_text("an argument without a name"));
    }
    return length;
}

/* The highest position of an argument is that after all others. */
static uint32_t count_slots(const struct placing *p)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < p->op->attr_count; i++)
        if (p->op->attrs[i].list == p->list && p->op->attrs[i].slot >= last)
            last = p->op->attrs[i].slot + 1;
    return last + p->count;
}

bool tn_args_assign(const struct tn_vocab_op *op, enum tn_vocab_list list,
                    const struct tn_bytes *names, uint32_t count,
                    struct tn_arena *arena, struct tn_arg_slots *places,
                    tn_arg_fault_fn *each, void *context,
                    struct tn_error *error)
{
    struct placing p     = { .op      = op,
                             .list    = list,
                             .names   = names,
                             .count   = count,
                             .is_good = true,
                             .each    = each,
                             .context = context };
    uint32_t       right = 0;

    while (right < count && stands_right(&p, right))
        right++;
    *places = (struct tn_arg_slots){ .count        = count,
                                     .length       = count,
                                     .are_in_order = right == count };
    if (places->are_in_order)
        return true;
    p.slot_count = count_slots(&p);
    p.slots      = tn_new(arena, uint32_t, count, error);
    p.is_taken   = tn_new(arena, bool, p.slot_count, error);
    if (!p.slots || !p.is_taken)
        return false;
    place_all(&p);
    places->slots  = p.slots;
    places->length = find_missing(&p);
    return p.is_good;
}

/* ---- values ------------------------------------------------------------- */

static size_t value_size(enum tn_attr_kind kind)
{
    return kind == TN_ATTR_DOUBLE   ? sizeof(double)
           : kind == TN_ATTR_STRING ? sizeof(struct tn_bytes)
                                    : sizeof(int64_t);
}

static const void *values_of(const struct tn_attr_value *value)
{
    return value->kind == TN_ATTR_DOUBLE   ? (const void *)value->of.doubles
           : value->kind == TN_ATTR_STRING ? (const void *)value->of.strings
                                           : (const void *)value->of.ints;
}

static void set_values(struct tn_attr_value *value, const void *values)
{
    if (value->kind == TN_ATTR_DOUBLE)
        value->of.doubles = values;
    else if (value->kind == TN_ATTR_STRING)
        value->of.strings = values;
    else
        value->of.ints = values;
}

/* A default is written as the vocabulary writes it: 1 may be one of tArgs. */
static void put_default(const struct tn_attr_value *from,
                        enum tn_attr_kind kind, int64_t (*code)(enum tn_dtype),
                        uint8_t          *to)
{
    bool is_real = from->kind == TN_ATTR_FLOAT || from->kind == TN_ATTR_DOUBLE;
    int64_t whole =
        is_real || from->kind == TN_ATTR_STRING ? 0 : from->of.ints[0];
    double real = from->kind == TN_ATTR_FLOAT    ? (double)from->of.floats[0]
                  : from->kind == TN_ATTR_DOUBLE ? from->of.doubles[0]
                                                 : (double)whole;

    if (from->kind == TN_ATTR_DTYPE && code)
        whole = code((enum tn_dtype)whole);
    if (kind == TN_ATTR_DOUBLE)
        memcpy(to, &real, sizeof real);
    else if (kind == TN_ATTR_STRING)
        memcpy(to, from->of.strings, sizeof *from->of.strings);
    else
        memcpy(to, &whole, sizeof whole);
}

static void first_fault(void *context, enum tn_arg_fault fault, uint32_t index,
                        struct tn_bytes name)
{
    (void)index;
    tn_error_set(context, TN_MALFORMED, TN_NOWHERE, "'%.*s' %s", TN_FMT(name),
                 tn_arg_fault_words(fault));
}

enum tn_status tn_args_in_order(const struct tn_vocab_op *op,
                                enum tn_vocab_list        list,
                                const struct tn_bytes    *names,
                                struct tn_attr_value     *values,
                                int64_t (*code)(enum tn_dtype),
                                struct tn_arena *arena, struct tn_error *error)
{
    size_t              size = value_size(values->kind);
    struct tn_arg_slots places;

    if (!tn_args_assign(op, list, names, values->count, arena, &places,
                        first_fault, error, error) ||
        places.are_in_order)
        return error->status;
    uint8_t       *to   = tn_arena_alloc(arena, (uint64_t)places.length * size,
                                         alignof(max_align_t), error);
    const uint8_t *from = values_of(values);
    if (!to)
        return error->status;
    for (uint32_t i = 0; i < places.length; i++) {
        const struct tn_vocab_attr *attr = tn_vocab_find_slot(op, list, i);
        if (attr && attr->has_default)
            put_default(&attr->value, values->kind, code, to + i * size);
    }
    for (uint32_t i = 0; i < places.count; i++)
        memcpy(to + places.slots[i] * size, from + i * size, size);
    values->count = places.length;
    set_values(values, to);
    return TN_OK;
}
