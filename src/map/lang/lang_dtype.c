/*
 * lang_dtype.c - functions over types, and what wraps them
 */
#include <stdio.h>

#include "map/lang/lang_builtin.h"

static bool dtype_arg(const struct tn_call *call, enum tn_dtype *dtype)
{
    *dtype = tn_item_to_dtype(call->args[0]);
    if (call->args[0].kind == TN_ITEM_DTYPE)
        return true;
    tn_builtin_refuse(call, "expected a dtype");
    return false;
}

static bool is_signed_int(enum tn_dtype d)
{
    return d >= TN_INT8 && d <= TN_INT2;
}

static struct tn_item run_is_float(const struct tn_call *call)
{
    enum tn_dtype d;

    return dtype_arg(call, &d) ? tn_item_bool(tn_item_is_real(d))
                               : tn_item_none();
}

static struct tn_item run_is_int(const struct tn_call *call)
{
    enum tn_dtype d;

    return dtype_arg(call, &d) ? tn_item_bool(d >= TN_INT8 && d <= TN_UINT2)
                               : tn_item_none();
}

static struct tn_item run_is_signed(const struct tn_call *call)
{
    enum tn_dtype d;

    return dtype_arg(call, &d)
               ? tn_item_bool(is_signed_int(d) || tn_item_is_real(d))
               : tn_item_none();
}

static struct tn_item run_bits(const struct tn_call *call)
{
    enum tn_dtype d;

    return dtype_arg(call, &d) ? tn_item_int(tn_dtype_bits(d)) : tn_item_none();
}

static struct tn_item wrapped(const struct tn_call *call, enum tn_net_wrap wrap)
{
    enum tn_dtype d;

    return dtype_arg(call, &d) ? tn_item_dtype(d, wrap) : tn_item_none();
}

static struct tn_item run_seq(const struct tn_call *call)
{
    return wrapped(call, TN_NET_SEQUENCE);
}

static struct tn_item run_optional(const struct tn_call *call)
{
    return wrapped(call, TN_NET_OPTIONAL);
}

static struct tn_item run_handle(const struct tn_call *call)
{
    return wrapped(call, TN_NET_HANDLE);
}

static struct tn_item run_elem(const struct tn_call *call)
{
    return wrapped(call, TN_NET_TENSOR);
}

static struct tn_item run_is_seq(const struct tn_call *call)
{
    enum tn_dtype d;

    if (!dtype_arg(call, &d))
        return tn_item_none();
    return tn_item_bool(tn_item_to_wrap(call->args[0]) == TN_NET_SEQUENCE);
}

/* The type of a name, as attributes of some dialects give it. */
static struct tn_item run_dtype_named(const struct tn_call *call)
{
    struct tn_bytes text;
    char            name[32];

    if (!tn_builtin_text_arg(call, 0, &text))
        return tn_item_none();
    snprintf(name, sizeof name, "%.*s", TN_FMT(text));
    enum tn_dtype dtype = tn_dtype_find(name);
    if (dtype == TN_UNDEFINED)
        return tn_builtin_refuse(call, "no such type");
    return tn_item_dtype(dtype, TN_NET_TENSOR);
}

const struct tn_builtin tn_builtins_of_dtypes[] = {
    { "bits", 1, 1, .run = run_bits },
    { "dtype_named", 1, 1, .run = run_dtype_named },
    { "elem", 1, 1, .run = run_elem },
    { "handle", 1, 1, .run = run_handle },
    { "is_float", 1, 1, .run = run_is_float },
    { "is_int", 1, 1, .run = run_is_int },
    { "is_seq", 1, 1, .run = run_is_seq },
    { "is_signed", 1, 1, .run = run_is_signed },
    { "optional", 1, 1, .run = run_optional },
    { "seq", 1, 1, .run = run_seq },
    { NULL, 0, 0, .run = NULL },
};
