/* size_claims.c - what a vocabulary claims of sizes, and the words for it */
#include "ir/size_claims.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define UNKNOWN    TN_SIZE_UNKNOWN
#define ITEM_LIMIT TN_SIZE_LIST_LIMIT

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
                               tn_sized_input(j, (uint32_t)term->number, 0));
}

/* Which dimension an item or slice of dims speaks of. */
static int64_t axis_of(struct tn_sized_node       *j,
                       const struct tn_vocab_term *term, uint32_t place)
{
    struct tn_size_list at, dims;
    int64_t             axis;

    tn_sized_evaluate(j, term->left, &dims);
    tn_size_set(&at, 0);
    if (term->right != TN_TERM_NONE)
        tn_sized_evaluate(j, term->right, &at);
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
            tn_sizing_dims(j->s, tn_sized_input(j, number, *which));
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

void tn_size_complain(struct tn_sized_node *j, const char *rule,
                      const char *format, ...)
{
    char    what[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_value_complain(&j->s->findings, j->op, rule, "%s", what);
    j->is_silent = true; /* more would be echoes */
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
    tn_size_complain(
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
        tn_size_complain(j, rule, "%s is %" PRId64 ", which %.*s cannot take",
                         words, item(&c->left, i), TN_FMT(j->kind->name));
    else
        tn_size_complain(j, rule, "%s is %" PRId64 ", %.*s takes %s%" PRId64,
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
        tn_sized_evaluate(j, left->left, &of);
        tn_sized_evaluate(j, left->right, &by);
        words = words_of(j, left->left, i, claim->left_text);
        tn_size_complain(j, "size-mismatch",
                         "%s is %" PRId64 ", %.*s takes a multiple of %" PRId64,
                         words.text, item(&of, i), TN_FMT(j->kind->name),
                         item(&by, i));
    } else if (is_number(j, claim->right)) {
        complain_of_number(j, c, i, words.text);
    } else {
        tn_size_complain(j, "size-mismatch",
                         "%s is %" PRId64 ", and %s is %" PRId64
                         "; %.*s takes %s",
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

    tn_size_complain(
        j, is_fixed ? "bad-attribute-value" : "bad-axis",
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
        tn_size_complain(
            j, "bad-axis", "%s is %s, %.*s takes no axis twice",
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
    tn_size_complain(j, "size-mismatch",
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
    while (!tn_sizing_dims(j->s, tn_sized_input(j, number, other)))
        other++;
    tn_size_complain(
        j, "size-mismatch",
        "dimension %" PRIu32 " of '%.*s' is %" PRId64
        ", and of '%.*s' it is %" PRId64 "; %.*s takes them equal",
        axis,
        TN_FMT(
            tn_value_short_name(j->s->model, tn_sized_input(j, number, which))),
        tn_sizing_dims(j->s, tn_sized_input(j, number, which))->sizes[axis],
        TN_FMT(
            tn_value_short_name(j->s->model, tn_sized_input(j, number, other))),
        tn_sizing_dims(j->s, tn_sized_input(j, number, other))->sizes[axis],
        TN_FMT(j->kind->name));
}

/* Both sides; false: one is not known. */
static bool look_at(struct tn_sized_node *j, struct compared *c)
{
    const struct tn_vocab_claim *claim = c->claim;

    tn_size_set(&c->right, 0);
    tn_size_set(&c->last, 0);
    if (claim->relation == TN_RELATION_ALIKE)
        tn_size_set(&c->left, 0);
    else
        tn_sized_evaluate(j, claim->left, &c->left);
    if (c->left.is_known && claim->right != TN_TERM_NONE)
        tn_sized_evaluate(j, claim->right, &c->right);
    if (c->right.is_known && claim->last != TN_TERM_NONE)
        tn_sized_evaluate(j, claim->last, &c->last);
    return c->left.is_known && c->right.is_known && c->last.is_known;
}

/* What is not known is not true. */
bool tn_size_claim_is_true(struct tn_sized_node        *j,
                           const struct tn_vocab_claim *claim)
{
    struct compared             c = { .claim = claim };
    const struct tn_attr_value *value;

    if (claim->relation == TN_RELATION_IS) {
        value = tn_sized_attr(j, j->terms[claim->left].number);
        return value && value->kind == TN_ATTR_STRING && value->count == 1 &&
               tn_bytes_equal(value->of.strings[0], claim->right_text);
    }
    return look_at(j, &c) && item(&c.left, 0) != UNKNOWN &&
           item(&c.right, 0) != UNKNOWN && holds_at(&c, 0);
}

void tn_size_claim_judge(struct tn_sized_node        *j,
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
            tn_size_complain(j, "bad-axis",
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
