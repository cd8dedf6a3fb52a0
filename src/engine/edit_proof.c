/* edit_proof.c - proves by ONNX that a model computes the same at another size
 */
#include "engine/edit_proof.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/convert_dialect.h"
#include "format/registry.h"

static enum tn_status to_onnx(struct tn_conversion *c, struct tn_edit *edit,
                              const struct tn_model *model,
                              struct tn_error       *error)
{
    *c = (struct tn_conversion){ .options = &edit->options,
                                 .format  = &tn_format_onnx };
    return tn_conversion_make(c, model, error);
}

/* The input of the ONNX graph that is this one: it has the name of the value or
 * of the argument, or the same position. */
static struct tn_bytes onnx_input(const struct tn_model *from,
                                  const struct tn_model *onnx,
                                  struct tn_bytes        name)
{
    struct tn_io_list a = tn_model_inputs(from), b = tn_model_inputs(onnx);
    uint32_t          at = 0;

    while (at < a.count && !tn_bytes_equal(a.items[at].name, name))
        at++;
    for (uint32_t i = 0; i < b.count; i++)
        if (tn_bytes_equal(b.items[i].name, name) ||
            (at < a.count && tn_bytes_equal(b.items[i].name, a.items[at].key)))
            return b.items[i].name;
    return at < a.count && a.count == b.count ? b.items[at].name : name;
}

/* The graph before, with the new size; *made is the caller's to close. */
static enum tn_status change_onnx(const struct tn_model      *from,
                                  const struct tn_model      *onnx,
                                  const struct tn_dim_change *how, int64_t size,
                                  struct tn_bytes   symbol,
                                  struct tn_model **made,
                                  struct tn_error  *error)
{
    struct tn_edit *edit;

    TN_TRY(tn_edit_open(&edit, onnx, NULL, error));
    if (how) {
        struct tn_dim_change same = *how;
        same.size                 = size;
        if (same.input.size)
            same.input = onnx_input(from, onnx, how->input);
        tn_edit_change_dim(edit, &same, error);
    } else {
        tn_edit_change_rows(edit, size, symbol, error);
    }
    if (!tn_failed(error))
        tn_edit_commit(edit, made, error);
    tn_edit_close(edit);
    return error->status;
}

static void put_shape(char *to, size_t size, const struct tn_io *io)
{
    int at = snprintf(to, size, "[");

    for (uint32_t i = 0; i < io->rank && at > 0 && (size_t)at < size; i++)
        at += io->dims[i].value < 0
                  ? snprintf(to + at, size - (size_t)at, i ? ", ?" : "?")
                  : snprintf(to + at, size - (size_t)at, "%s%" PRId64,
                             i ? ", " : "", io->dims[i].value);
    if (at > 0 && (size_t)at < size)
        snprintf(to + at, size - (size_t)at, "]");
}

static bool has_same_dims(const struct tn_io *a, const struct tn_io *b)
{
    if (a->has_rank != b->has_rank || a->rank != b->rank)
        return false;
    for (uint32_t i = 0; a->has_rank && i < a->rank; i++)
        if ((a->dims[i].value < 0 ? -1 : a->dims[i].value) !=
            (b->dims[i].value < 0 ? -1 : b->dims[i].value))
            return false;
    return true;
}

static enum tn_status compare(struct tn_io_list want, struct tn_io_list got,
                              const char *what, struct tn_error *error)
{
    char a[80], b[80];

    if (want.count != got.count)
        return tn_error_because(
            error, TN_UNSUPPORTED, TN_REASON_RULE_REFUSED, TN_NOWHERE,
            "the graph does not work with another size: it "
            "would have %" PRIu32 " %ss instead of %" PRIu32,
            got.count, what, want.count);
    for (uint32_t i = 0; i < want.count; i++) {
        if (has_same_dims(&want.items[i], &got.items[i]))
            continue;
        put_shape(a, sizeof a, &want.items[i]);
        put_shape(b, sizeof b, &got.items[i]);
        return tn_error_because(
            error, TN_UNSUPPORTED, TN_REASON_RULE_REFUSED, TN_NOWHERE,
            "the %s '%.*s' cannot follow: it should become %s, and is %s", what,
            TN_FMT(want.items[i].name), a, b);
    }
    return TN_OK;
}

/* A node of ONNX that is in the way is told by what is wrong with it. */
static enum tn_status convert_after(struct tn_conversion *c,
                                    struct tn_edit       *edit,
                                    struct tn_error      *error)
{
    struct tn_error own = TN_ERROR_INIT;

    if (to_onnx(c, edit, edit->draft.base, &own) == TN_OK)
        return TN_OK;
    if (own.status == TN_NO_MEMORY || own.status == TN_CANCELLED) {
        *error = own;
        return own.status;
    }
    return tn_error_because(
        error, TN_UNSUPPORTED, TN_REASON_RULE_REFUSED, TN_NOWHERE,
        "the graph does not work with another size: %s", own.what);
}

/* An open size proves little: it is also tried with a number, in an edit of its
 * own. */
static enum tn_status try_number(const struct tn_model      *base,
                                 const struct tn_dim_change *how, int64_t size,
                                 struct tn_error *error)
{
    struct tn_dim_change same =
        how ? *how : (struct tn_dim_change){ .axis = 0 };
    struct tn_edit *trial;

    TN_TRY(tn_edit_open(&trial, base, NULL, error));
    same.size   = size;
    same.symbol = (struct tn_bytes){ NULL, 0 };
    if (how)
        tn_edit_change_dim(trial, &same, error);
    else
        tn_edit_change_rows(trial, size, same.symbol, error);
    tn_edit_close(trial);
    return error->status;
}

enum tn_status tn_edit_prove_dims(struct tn_edit             *edit,
                                  const struct tn_dim_change *how, int64_t size,
                                  struct tn_bytes symbol, int64_t number,
                                  struct tn_error *error)
{
    const struct tn_model *base = edit->draft.base;
    struct tn_conversion   before, after;
    struct tn_model       *want = NULL;

    edit->is_changed = true;
    after            = (struct tn_conversion){ .how = NULL };
    if (to_onnx(&before, edit, base, error) == TN_OK &&
        change_onnx(base, before.model, how, size, symbol, &want, error) ==
            TN_OK &&
        (size >= 0 || try_number(base, how, number, error) == TN_OK) &&
        tn_edit_settle(edit, error) == TN_OK &&
        convert_after(&after, edit, error) == TN_OK &&
        compare(tn_model_inputs(want), tn_model_inputs(after.model), "input",
                error) == TN_OK)
        compare(tn_model_outputs(want), tn_model_outputs(after.model), "output",
                error);
    tn_conversion_done(&after);
    tn_model_close(want);
    tn_conversion_done(&before);
    return error->status;
}
