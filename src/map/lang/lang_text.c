/*
 * lang_text.c - functions over texts
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"
#include "map/lang/lang_builtin.h"

static struct tn_item new_text(const struct tn_call *call, const char *text)
{
    char *copy = tn_text_dup(call->eval->scratch, text, call->eval->error);

    return copy ? tn_item_text(tn_text(copy)) : tn_item_none();
}

static struct tn_item run_str(const struct tn_call *call)
{
    struct tn_item x = call->args[0];
    char           text[TN_NUMBER_ROOM];

    switch (x.kind) {
    case TN_ITEM_STRING: return x;
    case TN_ITEM_BOOL:
        return tn_item_text(tn_text(x.of.number ? "true" : "false"));
    case TN_ITEM_INT:
        snprintf(text, sizeof text, "%" PRId64, x.of.number);
        return new_text(call, text);
    case TN_ITEM_FLOAT:
        tn_double_print(text, x.of.real);
        return new_text(call, text);
    case TN_ITEM_DTYPE:
        return tn_item_text(tn_text(tn_dtype_name(tn_item_to_dtype(x))));
    default:
        return tn_builtin_refuse(call,
                                 "this value cannot be converted to text");
    }
}

static struct tn_item run_chars(const struct tn_call *call)
{
    struct tn_bytes text;

    if (!tn_builtin_text_arg(call, 0, &text))
        return tn_item_none();
    struct tn_item *items = tn_builtin_new_list(call, text.size);
    for (size_t i = 0; items && i < text.size; i++)
        items[i] = tn_item_text(tn_bytes(text.data + i, 1));
    return tn_builtin_made(items, text.size);
}

static size_t find_text(struct tn_bytes text, struct tn_bytes part, size_t from)
{
    for (size_t i = from; part.size <= text.size - i; i++)
        if (!part.size || !memcmp(text.data + i, part.data, part.size))
            return i;
    return text.size;
}

static struct tn_item run_find(const struct tn_call *call)
{
    struct tn_bytes text, part;

    if (!tn_builtin_text_arg(call, 0, &text) ||
        !tn_builtin_text_arg(call, 1, &part) ||
        !tn_eval_steps(call->eval, call->expr, (uint64_t)text.size * part.size))
        return tn_item_none();
    size_t at       = find_text(text, part, 0);
    bool   is_found = at < text.size || !part.size;
    return tn_item_int(is_found ? (int64_t)at : -1);
}

static struct tn_item run_split(const struct tn_call *call)
{
    struct tn_bytes text, part;
    uint32_t        count = 0;

    if (!tn_builtin_text_arg(call, 0, &text) ||
        !tn_builtin_text_arg(call, 1, &part) ||
        !tn_eval_steps(call->eval, call->expr, (uint64_t)text.size * part.size))
        return tn_item_none();
    if (!part.size)
        return tn_builtin_refuse(call, "an empty separator");
    struct tn_item *items = tn_builtin_new_list(call, (uint64_t)text.size + 1);
    for (size_t at = 0; items;) {
        size_t end     = find_text(text, part, at);
        items[count++] = tn_item_text(tn_bytes(text.data + at, end - at));
        if (end == text.size)
            break;
        at = end + part.size;
    }
    return tn_builtin_made(items, count);
}

static struct tn_item cased(const struct tn_call *call, char first, char last,
                            int shift)
{
    struct tn_bytes text;

    if (!tn_builtin_text_arg(call, 0, &text) ||
        !tn_eval_steps(call->eval, call->expr, text.size))
        return tn_item_none();
    char *copy = tn_arena_alloc(call->eval->scratch, text.size + 1, 1,
                                call->eval->error);
    for (size_t i = 0; copy && i < text.size; i++) {
        char c  = (char)text.data[i];
        copy[i] = (char)(c >= first && c <= last ? c + shift : c);
    }
    return copy ? tn_item_text(tn_bytes(copy, text.size)) : tn_item_none();
}

static struct tn_item run_upper(const struct tn_call *call)
{
    return cased(call, 'a', 'z', 'A' - 'a');
}

static struct tn_item run_lower(const struct tn_call *call)
{
    return cased(call, 'A', 'Z', 'a' - 'A');
}

/* clang-format off */
const struct tn_builtin tn_builtins_of_texts[] = {
    { "chars", 1, 1, .run = run_chars },
    { "find", 2, 2, .run = run_find },
    { "lower", 1, 1, .run = run_lower },
    { "split", 2, 2, .run = run_split },
    { "str", 1, 1, .run = run_str },
    { "upper", 1, 1, .run = run_upper },
    { NULL, 0, 0, .run = NULL },
};
/* clang-format on */
