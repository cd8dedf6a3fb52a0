/* paddle_pir_say.c - the attributes of an operator, as its rule says them */
#include "format/paddle/paddle_pir_writer.h"

#include <math.h>
#include <stdio.h>

#include "base/number.h"

/* ---- attributes by rule ------------------------------------------------- */

static struct tn_desc_attr *kept_attr(struct tn_pir_writer    *w,
                                      const struct tn_desc_op *op,
                                      struct tn_bytes          name)
{
    const char *kept =
        tn_text_format(w->arena, w->error, "pir.%.*s", TN_FMT(name));

    return kept ? tn_desc_attr(op, tn_text(kept)) : NULL;
}

/* What our reader kept of it still says the same: it is written as it was. */
static bool put_as_kept(struct tn_pir_writer *w, const struct tn_desc_op *op,
                        const struct tn_pir_attr_rule *rule,
                        const struct tn_desc_attr     *now)
{
    struct tn_desc_attr *kept    = kept_attr(w, op, rule->pir);
    struct tn_error      failure = TN_ERROR_INIT;
    struct tn_pir_value  value;

    if (!kept || kept->value.type != TN_DESC_STRING)
        return false;
    kept->is_used = true;
    struct tn_cursor c =
        tn_cursor_bytes(tn_pir_text_at(&kept->value, 0), 0, &failure);
    const struct tn_tree *tree = tn_tree_read(&c, w->arena);
    if (tn_tree_text(tn_tree_member(tree, "#")).size == 0)
        return false;
    if (now && tn_pir_value_read(tree, w->arena, &value, &failure) &&
        (!tn_pir_value_as(&value, now->value.type, w->arena, &failure) ||
         !tn_pir_value_equal(&value, &now->value)))
        return false;
    tn_pirw_attr_begin(w);
    tn_tree_put(&w->attrs, tree);
    tn_pirw_attr_end(w, "", rule->pir);
    return true;
}

/* fill_constant: `str_value` is exact, `value` is a float. */
static bool fill_value(struct tn_pir_writer *w, const struct tn_desc_op *op,
                       struct tn_pir_value *value)
{
    struct tn_desc_attr *text  = tn_desc_attr(op, tn_text("str_value"));
    struct tn_desc_attr *plain = tn_desc_attr(op, tn_text("value"));
    double              *real  = tn_new(w->arena, double, 1, w->error);

    if (text)
        text->is_used = true;
    if (plain)
        plain->is_used = true;
    if (!real)
        return false;
    *value = (struct tn_pir_value){ .type  = TN_DESC_DOUBLE,
                                    .count = 1,
                                    .reals = real };
    struct tn_bytes word =
        text ? tn_pir_text_at(&text->value, 0) : tn_bytes("", 0);
    if (word.size) {
        if (tn_double_parse(word, real))
            return true;
        *real = tn_bytes_is(word, "inf")    ? HUGE_VAL
                : tn_bytes_is(word, "-inf") ? -HUGE_VAL
                                            : nan("");
        return true;
    }
    if (plain && plain->value.count == 1)
        *real = tn_pir_real_at(&plain->value, 0);
    return plain != NULL;
}

/* A float, unless that would lose something. */
static void put_fill(struct tn_pir_writer *w, const struct tn_pir_value *value,
                     struct tn_bytes name)
{
    double real     = tn_pir_real_at(value, 0);
    bool   is_float = real != real || (double)tn_double_to_float(real) == real;

    tn_pirw_attr_begin(w);
    tn_pir_put_value(&w->attrs, value, is_float ? TN_PIR_FLOAT : TN_PIR_DOUBLE);
    tn_pirw_attr_end(w, "", name);
}

static void put_values(struct tn_pir_writer *w, const struct tn_desc_op *op,
                       struct tn_bytes name)
{
    static const struct {
        const char      *name;
        enum tn_pir_kind kind;
    } lists[] = {
        { "bool_values", TN_PIR_BOOLS },   { "int32_values", TN_PIR_INTS },
        { "int64_values", TN_PIR_LONGS },  { "fp32_values", TN_PIR_FLOATS },
        { "fp64_values", TN_PIR_DOUBLES }, { "values", TN_PIR_DOUBLES }
    };
    bool is_done = false;

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct tn_desc_attr *attr = tn_desc_attr(op, tn_text(lists[i].name));
        if (!attr)
            continue;
        attr->is_used = true;
        if (attr->value.count == 0 || is_done)
            continue;
        tn_pirw_attr_begin(w);
        tn_pir_put_value(&w->attrs, &attr->value, lists[i].kind);
        tn_pirw_attr_end(w, "", name);
        is_done = true;
    }
    if (!is_done)
        tn_pirw_attr_text(w, "values", "{\"#\":\"0.a_array\",\"D\":[]}");
}

/* One number for both axes; none is an empty list. */
static void put_both(struct tn_pir_writer *w, const struct tn_pir_value *value,
                     struct tn_bytes name)
{
    double              both[2] = { 0, 0 };
    struct tn_pir_value list    = { .type = TN_DESC_FLOATS, .reals = both };

    if (value && tn_pir_real_at(value, 0) > 0) {
        list.count = 2;
        both[0] = both[1] = tn_pir_real_at(value, 0);
    }
    tn_pirw_attr_begin(w);
    tn_pir_put_value(&w->attrs, &list, TN_PIR_FLOATS);
    tn_pirw_attr_end(w, "", name);
}

static bool is_true(const struct tn_desc_op *op, struct tn_bytes name)
{
    const struct tn_desc_attr *attr = name.size ? tn_desc_attr(op, name) : NULL;

    return attr && attr->value.count == 1 && tn_pir_int_at(&attr->value, 0);
}

/* Of an operator over all axes: none are named, whatever the attribute says,
 * and that is kept under its own name. */
bool tn_pirw_is_over_all(const struct tn_pir_rule *rule,
                         const struct tn_desc_op *op, struct tn_bytes legacy)
{
    return rule->all.size && tn_bytes_is(legacy, "dim") &&
           is_true(op, rule->all);
}

static void put_plain(struct tn_pir_writer *w, const struct tn_desc_op *op,
                      const struct tn_pir_rule      *row,
                      const struct tn_pir_attr_rule *rule)
{
    struct tn_desc_attr *now       = tn_desc_attr(op, rule->legacy);
    struct tn_pir_value  value     = { .type = TN_DESC_NONE };
    bool                 has_value = false;

    if (tn_pirw_is_over_all(row, op, rule->legacy)) {
        value.type = tn_pir_kind_type(rule->kind);
        has_value  = true;
    } else if (now) {
        value        = now->value;
        has_value    = tn_pir_value_as(&value, tn_pir_kind_type(rule->kind),
                                       w->arena, w->error);
        now->is_used = has_value;
    }
    if (!has_value && rule->fallback)
        has_value = tn_pir_value_bare(rule->fallback, rule->kind, w->arena,
                                      &value, w->error) &&
                    tn_pir_value_as(&value, tn_pir_kind_type(rule->kind),
                                    w->arena, w->error);
    if (!has_value)
        return;
    tn_pirw_attr_begin(w);
    tn_pir_put_value(&w->attrs, &value, rule->kind);
    tn_pirw_attr_end(w, "", rule->pir);
}

void tn_pirw_put_ruled(struct tn_pir_writer *w, const struct tn_desc_op *op,
                       const struct tn_pir_rule      *row,
                       const struct tn_pir_attr_rule *rule)
{
    struct tn_desc_attr *now = tn_desc_attr(op, rule->legacy);
    struct tn_pir_value  value;

    if (put_as_kept(w, op, rule, rule->kind == TN_PIR_FILL ? NULL : now)) {
        if (rule->kind == TN_PIR_FILL)
            fill_value(w, op, &value);
        if (now)
            now->is_used = true;
    } else if (rule->kind == TN_PIR_PLACE) {
        tn_pirw_attr_begin(w);
        tn_buffer_text(&w->attrs, "{\"#\":\"1.a_place\",\"D\":");
        tn_tree_put(&w->attrs, rule->fallback);
        tn_buffer_byte(&w->attrs, '}');
        tn_pirw_attr_end(w, "", rule->pir);
    } else if (rule->kind == TN_PIR_FILL) {
        if (fill_value(w, op, &value))
            put_fill(w, &value, rule->pir);
    } else if (rule->kind == TN_PIR_VALUES) {
        put_values(w, op, rule->pir);
    } else if (rule->kind == TN_PIR_FLOAT_PLUS) {
        if (now)
            now->is_used = true;
        put_both(w, now ? &now->value : NULL, rule->pir);
    } else {
        put_plain(w, op, row, rule);
    }
}

/* ---- the other attributes ----------------------------------------------- */

/* pir.NAME: what the reader had no word for, as it was. */
static bool put_reserved(struct tn_pir_writer      *w,
                         const struct tn_desc_attr *attr)
{
    struct tn_error failure = TN_ERROR_INIT;
    struct tn_bytes name    = attr->name;

    if (!tn_pir_is_reserved(name, "pir.") || attr->value.type != TN_DESC_STRING)
        return false;
    name = tn_bytes(name.data + 4, name.size - 4);
    if (tn_bytes_is(name, "op") || tn_bytes_is(name, "name"))
        return true;
    struct tn_cursor c =
        tn_cursor_bytes(tn_pir_text_at(&attr->value, 0), 0, &failure);
    const struct tn_tree *tree = tn_tree_read(&c, w->arena);
    if (tn_tree_text(tn_tree_member(tree, "#")).size == 0)
        return false;
    tn_pirw_attr_begin(w);
    tn_tree_put(&w->attrs, tree);
    tn_pirw_attr_end(w, "", name);
    return true;
}

/* Taken by an attribute of PIR that means something else. */
static bool is_taken(const struct tn_pir_rule *rule, struct tn_bytes name)
{
    for (uint32_t i = 0; rule && i < rule->attr_count; i++)
        if (tn_bytes_equal(rule->attrs[i].pir, name))
            return true;
    return false;
}

void tn_pirw_put_others(struct tn_pir_writer *w, const struct tn_desc_op *op,
                        const struct tn_pir_rule *rule)
{
    char prefix[32];

    for (uint32_t i = 0; i < op->attr_count && !tn_failed(w->error); i++) {
        const struct tn_desc_attr *attr = &op->attrs[i];
        if (attr->is_used || put_reserved(w, attr))
            continue;
        prefix[0] = 0;
        if (attr->value.count == 0) /* a list of which sort? */
            snprintf(prefix, sizeof prefix, "legacy.empty.%02u.",
                     attr->value.type);
        else if (is_taken(rule, attr->name))
            snprintf(prefix, sizeof prefix, "legacy.");
        tn_pirw_attr_begin(w);
        tn_pir_put_value(&w->attrs, &attr->value, TN_PIR_KIND_COUNT);
        tn_pirw_attr_end(w, prefix, attr->name);
    }
}
