/*
 * lang_einsum.c - the dims that an equation of einsum gives
 *
 *   einsum_dims("ij,jk->ik", [shape(A), shape(B)])
 *
 * Every letter is a dim, "..." are all that have no letter.  Without an arrow
 * the result has what "..." stands for, then the letters that occur once.
 */
#include "map/lang/lang_shape.h"

/* Dims of the letters of an equation, and of what "..." stands for. */
struct letters {
    struct tn_item dims[256];
    bool           is_in[256];
    uint32_t       uses[256];
    struct tn_item rest; /* a list, or none */
};

static struct tn_item merge_dim(struct tn_item a, struct tn_item b)
{
    struct tn_item out;

    return tn_shape_broadcast_dim(a, b, &out) ? out : a;
}

static uint32_t letter_count(struct tn_bytes term)
{
    uint32_t count = 0;

    for (size_t i = 0; i < term.size; i++)
        count += term.data[i] != ' ' && term.data[i] != '.';
    return count;
}

static bool read_term(const struct tn_call *call, struct letters *letters,
                      struct tn_bytes term, struct tn_item shape)
{
    uint32_t count = letter_count(term), at = 0;

    if (shape.kind != TN_ITEM_LIST || shape.count < count)
        return false;
    for (size_t i = 0; i < term.size; i++) {
        uint8_t c = term.data[i];
        if (c == ' ')
            continue;
        if (c == '.') {
            if (i + 2 >= term.size)
                return false;
            uint32_t       extra = shape.count - count;
            struct tn_item rest  = tn_item_list(shape.of.items + at, extra);
            letters->rest        = letters->rest.kind == TN_ITEM_LIST
                                       ? tn_shape_broadcast(call, letters->rest, rest)
                                       : rest;
            at += extra;
            i += 2;
            continue;
        }
        struct tn_item dim = shape.of.items[at++];
        letters->dims[c] =
            letters->is_in[c] ? merge_dim(letters->dims[c], dim) : dim;
        letters->is_in[c] = true;
        letters->uses[c]++;
    }
    return !tn_eval_stopped(call->eval);
}

static struct tn_item write_term(const struct tn_call *call,
                                 const struct letters *letters,
                                 struct tn_bytes       term)
{
    uint32_t rest =
        letters->rest.kind == TN_ITEM_LIST ? letters->rest.count : 0;
    struct tn_item *items = tn_builtin_new_list(call, term.size + rest);
    uint32_t        count = 0;

    for (size_t i = 0; items && i < term.size; i++) {
        uint8_t c = term.data[i];
        if (c == '.' && i + 2 < term.size) {
            for (uint32_t k = 0; k < rest; k++)
                items[count++] = letters->rest.of.items[k];
            i += 2;
        } else if (c != ' ' && c != '.') {
            items[count++] = letters->dims[c].kind == TN_ITEM_UNSET
                                 ? tn_builtin_unknown(call)
                                 : letters->dims[c];
        }
    }
    return tn_builtin_made(items, count);
}

static struct tn_item implied_term(const struct tn_call *call,
                                   const struct letters *letters)
{
    char   term[300] = "...";
    size_t size      = letters->rest.kind == TN_ITEM_LIST ? 3 : 0;

    for (unsigned c = 0; c < 256; c++)
        if (letters->uses[c] == 1)
            term[size++] = (char)c;
    return write_term(call, letters, tn_bytes(term, size));
}

static size_t arrow_of(struct tn_bytes equation)
{
    for (size_t i = 0; i + 1 < equation.size; i++)
        if (equation.data[i] == '-' && equation.data[i + 1] == '>')
            return i;
    return equation.size;
}

struct tn_item tn_shape_einsum(const struct tn_call *call)
{
    struct tn_bytes equation;
    struct tn_item  shapes;
    struct letters  letters = { .rest = tn_item_none() };

    if (!tn_builtin_text_arg(call, 0, &equation) ||
        !tn_builtin_list_arg(call, 1, &shapes))
        return tn_item_none();
    size_t arrow = arrow_of(equation), begin = 0;
    for (uint32_t i = 0; i < shapes.count; i++) {
        size_t end = begin;
        while (end < arrow && equation.data[end] != ',')
            end++;
        if (!read_term(call, &letters,
                       tn_bytes(equation.data + begin, end - begin),
                       shapes.of.items[i]))
            return tn_builtin_unknown(call);
        begin = end < arrow ? end + 1 : end;
    }
    if (arrow == equation.size)
        return implied_term(call, &letters);
    return write_term(
        call, &letters,
        tn_bytes(equation.data + arrow + 2, equation.size - arrow - 2));
}
