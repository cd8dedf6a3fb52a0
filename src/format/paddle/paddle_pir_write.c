/*
 * paddle_pir_write.c - from a ProgramDesc to PIR
 *
 * First the parameters, in the order of their variables, then the inputs, the
 * operators, the outputs.  Every write to a variable is a value of its own,
 * numbered in the order of the text.  Attributes that became operands are
 * constants before the operator; a slot of several arguments is a 0.combine
 * before it, or a 0.split behind.  `axis` of element-wise operators is a
 * reshape of Y, marked `legacy.axis`; tensors for the elements of a list are a
 * concat, marked `legacy.parts`: reading takes both away again.
 */
#include "format/paddle/paddle_pir_desc.h"

#include <math.h>
#include <stdio.h>

#include "base/intern.h"
#include "base/number.h"
#include "base/sort.h"

/* A value, and how its type is written. */
struct bound {
    int64_t         number; /* 0: none                                        */
    struct tn_bytes type;
    bool            stop_gradient;
    uint32_t        element; /* of a tensor                                   */
    uint32_t        rank;
    const int64_t  *dims; /* NULL: not known                                  */
};

struct writer {
    struct tn_arena    *arena;
    struct tn_error    *error;
    struct tn_buffer   *to;
    struct tn_buffer    attrs; /* of the operator being composed            */
    struct tn_buffer    scratch;
    struct tn_pir_rules rules;
    struct tn_desc      desc;
    struct tn_intern    names;
    struct tn_list      bounds; /* struct bound, by name: what it is now      */
    int64_t             next;
    bool                has_ops;
    tn_on_loss         *loss;
    void               *loss_context;
    struct tn_bytes     struct_name; /* of the operator, for its constants    */
};

static void lose(struct writer *w, const char *where, const char *what)
{
    if (w->loss)
        w->loss(w->loss_context, TN_NOWHERE, where, what);
}

/* ---- types -------------------------------------------------------------- */

static void put_dims(struct tn_buffer *to, const int64_t *dims, uint32_t rank)
{
    tn_buffer_byte(to, '[');
    for (uint32_t i = 0; i < rank; i++)
        tn_buffer_format(to, "%s%" PRId64, i ? "," : "", dims[i]);
    tn_buffer_byte(to, ']');
}

static struct tn_bytes keep_scratch(struct writer *w)
{
    return tn_bytes_dup(w->arena, tn_buffer_bytes(&w->scratch), w->error);
}

static struct tn_bytes tensor_type(struct writer *w, int64_t element,
                                   const int64_t *dims, uint32_t rank)
{
    const char *id = tn_pir_type_id(element);

    tn_buffer_clear(&w->scratch);
    tn_buffer_format(&w->scratch,
                     "{\"#\":\"0.t_dtensor\",\"D\":[{\"#\":\"%s\"},",
                     id ? id : "0.t_undefined");
    put_dims(&w->scratch, dims, rank);
    tn_buffer_text(&w->scratch, ",\"NCHW\",[],0]}");
    return keep_scratch(w);
}

static struct tn_bytes array_type(struct writer              *w,
                                  const struct tn_paddle_var *var)
{
    const char *id = tn_pir_type_id(var->data_type);

    tn_buffer_clear(&w->scratch);
    tn_buffer_format(&w->scratch,
                     "{\"#\":\"1.t_dense_tensor_array\",\"D\":[{\"#\":\"%s\"},",
                     id ? id : "0.t_undefined");
    put_dims(&w->scratch, var->dims, var->rank);
    tn_buffer_text(&w->scratch, ",\"NCHW\"]}");
    return keep_scratch(w);
}

static struct tn_bytes type_of(struct writer *w, struct tn_desc_var *var)
{
    if (var->type.size == 0)
        var->type =
            var->var.type == TN_PADDLE_TENSOR_ARRAY
                ? array_type(w, &var->var)
                : tensor_type(w, var->var.has_desc ? var->var.data_type : 255,
                              var->var.dims, var->var.rank);
    return var->type;
}

/* ---- names -------------------------------------------------------------- */

static struct bound *bound_of(struct writer *w, struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&w->names, name);

    return id == TN_NO_NAME ? NULL : tn_list_at(&w->bounds, struct bound, id);
}

static void bind(struct writer *w, struct tn_bytes name, struct bound value)
{
    uint32_t id = tn_intern_borrow(&w->names, name, w->error);

    while (!tn_failed(w->error) && w->bounds.count <= id)
        tn_list_push(&w->bounds, struct bound, w->error);
    if (!tn_failed(w->error))
        *tn_list_at(&w->bounds, struct bound, id) = value;
}

/* Declared, but without a number yet. */
static struct bound unborn(struct writer *w, struct tn_desc_var *var)
{
    return (struct bound){ .type          = type_of(w, var),
                           .stop_gradient = var->stop_gradient,
                           .element       = var->var.data_type,
                           .rank          = var->var.rank,
                           .dims = var->var.has_desc ? var->var.dims : NULL };
}

static struct bound read_name(struct writer *w, struct tn_bytes name)
{
    struct bound  none  = { .number = 0 };
    struct bound *bound = bound_of(w, name);

    if (tn_bytes_is(name, "@EMPTY@"))
        return none;
    if (!bound || bound->number == 0) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "'%.*s' is read before it is written", TN_FMT(name));
        return none;
    }
    return *bound;
}

/* ---- operators as text -------------------------------------------------- */

#define PORT_LIMIT 64

/* What an operator is told besides its attributes, which are in w->attrs. */
struct line {
    const char  *id;
    int64_t      in[PORT_LIMIT];
    struct bound out[PORT_LIMIT]; /* type NULL: a result that is missing      */
    uint32_t     in_count, out_count;
    bool         is_persistable;
};

static void line_begin(struct writer *w, struct line *line, const char *id)
{
    line->id       = id;
    line->in_count = line->out_count = 0;
    line->is_persistable             = false;
    tn_buffer_clear(&w->attrs);
}

static void line_in(struct writer *w, struct line *line, int64_t number)
{
    if (line->in_count < PORT_LIMIT)
        line->in[line->in_count++] = number;
    else
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "an operator of more than %d operands", PORT_LIMIT);
}

static void line_out(struct writer *w, struct line *line, struct bound bound)
{
    if (line->out_count < PORT_LIMIT)
        line->out[line->out_count++] = bound;
    else
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "an operator of more than %d results", PORT_LIMIT);
}

/* {"AT":...,"N":name}: the caller writes what stands between. */
static void attr_begin(struct writer *w)
{
    tn_buffer_text(&w->attrs, w->attrs.size ? ",{\"AT\":" : "{\"AT\":");
}

static void attr_end(struct writer *w, const char *prefix, struct tn_bytes name)
{
    tn_buffer_text(&w->attrs, ",\"N\":");
    if (prefix[0]) {
        const char *full =
            tn_text_format(w->arena, w->error, "%s%.*s", prefix, TN_FMT(name));
        name = tn_text(full ? full : "");
    }
    tn_pir_put_string(&w->attrs, name);
    tn_buffer_byte(&w->attrs, '}');
}

static void attr_text(struct writer *w, const char *name, const char *json)
{
    attr_begin(w);
    tn_buffer_text(&w->attrs, json);
    attr_end(w, "", tn_text(name));
}

static void put_flags(struct writer *w, const struct line *line,
                      const char *name, bool is_persistable)
{
    tn_buffer_text(w->to, "{\"AT\":{\"#\":\"0.a_array\",\"D\":[");
    for (uint32_t i = 0; i < line->out_count; i++)
        tn_buffer_format(
            w->to, "%s{\"#\":\"0.a_bool\",\"D\":%s}", i ? "," : "",
            is_persistable || line->out[i].stop_gradient ? "true" : "false");
    tn_buffer_format(w->to, "]},\"N\":\"%s\"}", name);
}

static void put_outs(struct writer *w, struct line *line)
{
    for (uint32_t i = 0; i < line->out_count; i++) {
        struct bound *out = &line->out[i];
        out->number       = out->type.size ? w->next++ : 0;
        tn_buffer_format(w->to, "%s{\"%%\":%" PRId64 ",\"TT\":", i ? "," : "",
                         out->number);
        if (out->type.size)
            tn_buffer_add(w->to, out->type);
        else
            tn_buffer_text(w->to, "{\"#\":\"NULL\"}");
        tn_buffer_byte(w->to, '}');
    }
}

/* Writes it; line->out[].number are then known. */
static void line_end(struct writer *w, struct line *line)
{
    tn_buffer_text(w->to, w->has_ops ? ",{\"#\":" : "{\"#\":");
    w->has_ops = true;
    tn_pir_put_string(w->to, tn_text(line->id));
    tn_buffer_text(w->to, ",\"A\":[");
    tn_buffer_add(w->to, tn_buffer_bytes(&w->attrs));
    tn_buffer_text(w->to, "],\"I\":[");
    for (uint32_t i = 0; i < line->in_count; i++)
        tn_buffer_format(w->to, "%s{\"%%\":%" PRId64 "}", i ? "," : "",
                         line->in[i]);
    tn_buffer_text(w->to, "],\"O\":[");
    put_outs(w, line);
    tn_buffer_text(w->to, "],\"OA\":[");
    if (line->is_persistable) {
        put_flags(w, line, "persistable", true);
        tn_buffer_byte(w->to, ',');
    }
    put_flags(w, line, "stop_gradient", false);
    tn_buffer_text(w->to, "]}");
}

/* An operator with one result, whose attributes are in w->attrs already. */
static struct bound simple_line(struct writer *w, const char *id,
                                const int64_t *in, uint32_t in_count,
                                struct bound out)
{
    struct line line = { .id = id };

    for (uint32_t i = 0; i < in_count; i++)
        line_in(w, &line, in[i]);
    line_out(w, &line, out);
    line_end(w, &line);
    return line.out[0];
}

/* ---- constants and lists ------------------------------------------------ */

static void attr_struct_name(struct writer *w)
{
    if (w->struct_name.size == 0)
        return;
    attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"0.a_str\",\"D\":");
    tn_pir_put_string(&w->attrs, w->struct_name);
    tn_buffer_byte(&w->attrs, '}');
    attr_end(w, "", tn_text("struct_name"));
}

#define ON_CPU "{\"#\":\"1.a_place\",\"D\":[1,0,\"\"]}"

static int64_t put_list(struct writer *w, const struct tn_pir_value *value)
{
    int64_t count = value->count;

    tn_buffer_clear(&w->attrs);
    attr_begin(w);
    tn_pir_put_value(&w->attrs, value, TN_PIR_LONGS);
    attr_end(w, "", tn_text("value"));
    attr_text(w, "dtype", "{\"#\":\"1.a_dtype\",\"D\":\"int64\"}");
    attr_text(w, "place", ON_CPU);
    attr_struct_name(w);
    struct bound made = { .type          = tensor_type(w, 3, &count, 1),
                          .stop_gradient = true };
    return simple_line(w, "1.full_int_array", NULL, 0, made).number;
}

static int64_t put_full(struct writer *w, struct tn_pir_value value)
{
    static const int64_t one   = 1;
    int64_t              dtype = value.type == TN_DESC_BOOL   ? 0
                                 : value.type == TN_DESC_INT  ? 2
                                 : value.type == TN_DESC_LONG ? 3
                                                              : 5;
    char                 word[64];

    tn_buffer_clear(&w->attrs);
    attr_text(w, "shape", "{\"#\":\"1.a_intarray\",\"D\":[1]}");
    attr_begin(w);
    tn_pir_value_as(&value, TN_DESC_DOUBLE, w->arena, w->error);
    tn_pir_put_value(&w->attrs, &value, TN_PIR_FLOAT);
    attr_end(w, "", tn_text("value"));
    snprintf(word, sizeof word, "{\"#\":\"1.a_dtype\",\"D\":\"%s\"}",
             tn_pir_dtype_word(dtype));
    attr_text(w, "dtype", word);
    attr_text(w, "place", ON_CPU);
    attr_struct_name(w);
    struct bound made = { .type          = tensor_type(w, dtype, &one, 1),
                          .stop_gradient = true };
    return simple_line(w, "1.full", NULL, 0, made).number;
}

static int64_t put_constant(struct writer *w, const struct tn_pir_value *value)
{
    bool is_list = value->type == TN_DESC_INTS || value->type == TN_DESC_LONGS;

    return is_list ? put_list(w, value) : put_full(w, *value);
}

static struct tn_bytes vector_type(struct writer *w, const struct bound *items,
                                   uint32_t count)
{
    tn_buffer_clear(&w->scratch);
    tn_buffer_text(&w->scratch, "{\"#\":\"0.t_vec\",\"D\":[");
    for (uint32_t i = 0; i < count; i++) {
        tn_buffer_text(&w->scratch, i ? "," : "");
        tn_buffer_add(&w->scratch, items[i].type);
    }
    tn_buffer_text(&w->scratch, "]}");
    return keep_scratch(w);
}

static int64_t put_combine(struct writer *w, const struct tn_desc_slot *slot)
{
    struct bound *items = tn_new(w->arena, struct bound, slot->count, w->error);
    struct line   line;

    if (!items)
        return 0;
    line_begin(w, &line, "0.combine");
    for (uint32_t i = 0; i < slot->count; i++) {
        items[i] = read_name(w, slot->args[i]);
        line_in(w, &line, items[i].number);
    }
    line_out(w, &line,
             (struct bound){ .type = vector_type(w, items, slot->count) });
    line_end(w, &line);
    return line.out[0].number;
}

/* One tensor out of one for each element. */
static int64_t put_parts(struct writer *w, const struct tn_desc_slot *slot)
{
    static const int64_t zero  = 0;
    int64_t              count = slot->count;
    struct tn_pir_value  axis  = { .type  = TN_DESC_INT,
                                   .count = 1,
                                   .ints  = &zero };
    int64_t              in[2] = { put_combine(w, slot), put_full(w, axis) };

    tn_buffer_clear(&w->attrs);
    attr_text(w, "legacy.parts", "{\"#\":\"0.a_bool\",\"D\":true}");
    return simple_line(w, "1.concat", in, 2,
                       (struct bound){ .type = tensor_type(w, 2, &count, 1) })
        .number;
}

/* Y with ones behind, so that it begins at X's dimension `axis`; 0 in a shape
 * is the dimension that is there. */
static int64_t put_aligned(struct writer *w, struct bound y, uint32_t rank,
                           int64_t axis)
{
    int64_t            *shape = tn_new(w->arena, int64_t, rank, w->error);
    int64_t            *dims  = tn_new(w->arena, int64_t, rank, w->error);
    struct tn_pir_value list  = { .type = TN_DESC_LONGS, .ints = shape };
    char                mark[64];

    if (!shape || !dims)
        return 0;
    list.count = rank - (uint32_t)axis;
    for (uint32_t i = 0; i < list.count; i++) {
        dims[i]  = i < y.rank ? y.dims[i] : 1;
        shape[i] = dims[i] < 0 ? 0 : dims[i];
    }
    int64_t in[2] = { y.number, put_list(w, &list) };
    tn_buffer_clear(&w->attrs);
    snprintf(mark, sizeof mark, "{\"#\":\"0.a_i32\",\"D\":%" PRId64 "}", axis);
    attr_text(w, "legacy.axis", mark);
    attr_struct_name(w);
    struct bound made = { .type = tensor_type(w, y.element, dims, list.count),
                          .stop_gradient = y.stop_gradient };
    return simple_line(w, "1.reshape", in, 2, made).number;
}

/* ---- which rule --------------------------------------------------------- */

static bool is_covered(const struct tn_desc_slot *slots, uint32_t count,
                       const struct tn_pir_port *ports, uint32_t port_count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_known = slots[i].count == 0;
        for (uint32_t k = 0; k < port_count && !is_known; k++)
            is_known = tn_bytes_equal(ports[k].slot, slots[i].name) ||
                       tn_bytes_equal(ports[k].parts, slots[i].name);
        if (!is_known)
            return false;
    }
    return true;
}

/* The condition of a row; an attribute that is not there is as it should be
 * for '=', and 0 for '>'. */
static bool holds(const struct tn_pir_rule *rule, const struct tn_desc_op *op)
{
    const struct tn_desc_attr *attr =
        rule->when.size ? tn_desc_attr(op, rule->when) : NULL;

    if (rule->when.size == 0 || (!attr && rule->when_how == '='))
        return true;
    if (!attr || attr->value.count != 1)
        return false;
    double number = attr->value.reals  ? attr->value.reals[0]
                    : attr->value.ints ? (double)attr->value.ints[0]
                                       : 0;
    return rule->when_how == '=' ? number == (double)rule->when_value
                                 : number > (double)rule->when_value;
}

static const struct tn_pir_rule *find_rule(struct writer           *w,
                                           const struct tn_desc_op *op)
{
    const struct tn_desc_attr *was = tn_desc_attr(op, tn_text("pir.op"));

    for (uint64_t i = 0; i < w->rules.rows.count; i++) {
        const struct tn_pir_rule *rule =
            tn_list_at(&w->rules.rows, struct tn_pir_rule, i);
        if (!tn_bytes_equal(rule->legacy, op->type) || !holds(rule, op) ||
            !is_covered(op->in, op->in_count, rule->in, rule->in_count) ||
            !is_covered(op->out, op->out_count, rule->out, rule->out_count))
            continue;
        if (!was || !was->value.texts || was->value.texts[0].size < 3 ||
            tn_bytes_equal(rule->pir, tn_bytes(was->value.texts[0].data + 2,
                                               was->value.texts[0].size - 2)))
            return rule;
    }
    return NULL;
}

/* ---- attributes by rule ------------------------------------------------- */

static struct tn_desc_attr *kept_attr(struct writer           *w,
                                      const struct tn_desc_op *op,
                                      struct tn_bytes          name)
{
    const char *kept =
        tn_text_format(w->arena, w->error, "pir.%.*s", TN_FMT(name));

    return kept ? tn_desc_attr(op, tn_text(kept)) : NULL;
}

/* What our reader kept of it still says the same: it is written as it was. */
static bool put_as_kept(struct writer *w, const struct tn_desc_op *op,
                        const struct tn_pir_attr_rule *rule,
                        const struct tn_desc_attr     *now)
{
    struct tn_desc_attr *kept    = kept_attr(w, op, rule->pir);
    struct tn_error      failure = TN_ERROR_INIT;
    struct tn_pir_value  value;

    if (!kept || kept->value.type != TN_DESC_STRING)
        return false;
    kept->is_used      = true;
    struct tn_cursor c = tn_cursor_bytes(kept->value.texts[0], 0, &failure);
    const struct tn_tree *tree = tn_tree_read(&c, w->arena);
    if (!tree)
        return false;
    if (now && tn_pir_value_read(tree, w->arena, &value, &failure) &&
        (!tn_pir_value_as(&value, now->value.type, w->arena, &failure) ||
         !tn_pir_value_equal(&value, &now->value)))
        return false;
    attr_begin(w);
    tn_tree_put(&w->attrs, tree);
    attr_end(w, "", rule->pir);
    return true;
}

/* fill_constant: `str_value` is exact, `value` is a float. */
static bool fill_value(struct writer *w, const struct tn_desc_op *op,
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
    if (text && text->value.texts && text->value.texts[0].size) {
        struct tn_bytes word = text->value.texts[0];
        if (tn_double_parse(word, real))
            return true;
        *real = tn_bytes_is(word, "inf")    ? HUGE_VAL
                : tn_bytes_is(word, "-inf") ? -HUGE_VAL
                                            : nan("");
        return true;
    }
    if (plain && plain->value.reals && plain->value.count == 1)
        *real = plain->value.reals[0];
    return plain != NULL;
}

/* A float, unless that would lose something. */
static void put_fill(struct writer *w, const struct tn_pir_value *value,
                     struct tn_bytes name)
{
    double real     = value->reals[0];
    bool   is_float = real != real || (double)tn_double_to_float(real) == real;

    attr_begin(w);
    tn_pir_put_value(&w->attrs, value, is_float ? TN_PIR_FLOAT : TN_PIR_DOUBLE);
    attr_end(w, "", name);
}

static void put_values(struct writer *w, const struct tn_desc_op *op,
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
        attr_begin(w);
        tn_pir_put_value(&w->attrs, &attr->value, lists[i].kind);
        attr_end(w, "", name);
        is_done = true;
    }
    if (!is_done)
        attr_text(w, "values", "{\"#\":\"0.a_array\",\"D\":[]}");
}

/* One number for both axes; none is an empty list. */
static void put_both(struct writer *w, const struct tn_pir_value *value,
                     struct tn_bytes name)
{
    double              both[2] = { 0, 0 };
    struct tn_pir_value list    = { .type = TN_DESC_FLOATS, .reals = both };

    if (value && value->reals && value->count && value->reals[0] > 0) {
        list.count = 2;
        both[0] = both[1] = value->reals[0];
    }
    attr_begin(w);
    tn_pir_put_value(&w->attrs, &list, TN_PIR_FLOATS);
    attr_end(w, "", name);
}

static bool is_true(const struct tn_desc_op *op, struct tn_bytes name)
{
    const struct tn_desc_attr *attr = name.size ? tn_desc_attr(op, name) : NULL;

    return attr && attr->value.ints && attr->value.count == 1 &&
           attr->value.ints[0];
}

/* Of an operator over all axes: none are named, whatever the attribute says,
 * and that is kept under its own name. */
static bool is_over_all(const struct tn_pir_rule *rule,
                        const struct tn_desc_op *op, struct tn_bytes legacy)
{
    return rule->all.size && tn_bytes_is(legacy, "dim") &&
           is_true(op, rule->all);
}

static void put_plain(struct writer *w, const struct tn_desc_op *op,
                      const struct tn_pir_rule      *row,
                      const struct tn_pir_attr_rule *rule)
{
    struct tn_desc_attr *now       = tn_desc_attr(op, rule->legacy);
    struct tn_pir_value  value     = { .type = TN_DESC_NONE };
    bool                 has_value = false;

    if (is_over_all(row, op, rule->legacy)) {
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
    attr_begin(w);
    tn_pir_put_value(&w->attrs, &value, rule->kind);
    attr_end(w, "", rule->pir);
}

static void put_ruled(struct writer *w, const struct tn_desc_op *op,
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
        attr_begin(w);
        tn_buffer_text(&w->attrs, "{\"#\":\"1.a_place\",\"D\":");
        tn_tree_put(&w->attrs, rule->fallback);
        tn_buffer_byte(&w->attrs, '}');
        attr_end(w, "", rule->pir);
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

static bool begins(struct tn_bytes text, const char *with)
{
    return text.size > strlen(with) &&
           memcmp(text.data, with, strlen(with)) == 0;
}

/* pir.NAME: what the reader had no word for, as it was. */
static bool put_reserved(struct writer *w, const struct tn_desc_attr *attr)
{
    struct tn_error failure = TN_ERROR_INIT;
    struct tn_bytes name    = attr->name;

    if (!begins(name, "pir.") || attr->value.type != TN_DESC_STRING)
        return false;
    name = tn_bytes(name.data + 4, name.size - 4);
    if (tn_bytes_is(name, "op") || tn_bytes_is(name, "name"))
        return true;
    struct tn_cursor c = tn_cursor_bytes(attr->value.texts[0], 0, &failure);
    const struct tn_tree *tree = tn_tree_read(&c, w->arena);
    if (!tree || !tn_tree_member(tree, "#"))
        return false;
    attr_begin(w);
    tn_tree_put(&w->attrs, tree);
    attr_end(w, "", name);
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

static void put_others(struct writer *w, const struct tn_desc_op *op,
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
        attr_begin(w);
        tn_pir_put_value(&w->attrs, &attr->value, TN_PIR_KIND_COUNT);
        attr_end(w, prefix, attr->name);
    }
}

/* ---- operands ----------------------------------------------------------- */

static int64_t operand_constant(struct writer *w, const struct tn_desc_op *op,
                                const struct tn_pir_rule *rule,
                                const struct tn_pir_port *port)
{
    struct tn_desc_attr *now   = tn_desc_attr(op, port->attr);
    uint8_t              type  = tn_pir_kind_type(port->kind);
    struct tn_pir_value  value = { .type = type };

    if (now && now->value.type == TN_DESC_VAR) {
        now->is_used = true;
        return read_name(w, now->value.texts[0]).number;
    }
    if (now && now->value.type == TN_DESC_VARS) {
        struct tn_desc_slot list = { .args  = now->value.texts,
                                     .count = now->value.count };
        now->is_used             = true;
        return put_parts(w, &list);
    }
    if (is_over_all(rule, op, port->attr))
        return put_constant(w, &value);
    if (now)
        value = now->value;
    bool has_value = now && tn_pir_value_as(&value, type, w->arena, w->error);
    if (now)
        now->is_used = has_value;
    if (!has_value && port->fallback)
        has_value = tn_pir_value_bare(port->fallback, port->kind, w->arena,
                                      &value, w->error) &&
                    tn_pir_value_as(&value, type, w->arena, w->error);
    return has_value ? put_constant(w, &value) : 0;
}

static int64_t operand_aligned(struct writer *w, const struct tn_desc_op *op,
                               struct bound y)
{
    struct tn_desc_attr       *attr = tn_desc_attr(op, tn_text("axis"));
    const struct tn_desc_slot *x =
        tn_desc_slot(op->in, op->in_count, tn_text("X"));
    struct bound *first = x ? bound_of(w, x->args[0]) : NULL;

    if (!attr || !attr->value.ints || attr->value.count != 1 || !first ||
        !first->dims || !y.dims)
        return y.number;
    int64_t axis = attr->value.ints[0];
    if (axis < 0 || first->rank <= y.rank ||
        axis >= (int64_t)first->rank - (int64_t)y.rank)
        return y.number;
    attr->is_used = true;
    return put_aligned(w, y, first->rank, axis);
}

static int64_t operand(struct writer *w, const struct tn_desc_op *op,
                       const struct tn_pir_rule *rule, uint32_t index)
{
    const struct tn_pir_port  *port = &rule->in[index];
    const struct tn_desc_slot *parts =
        port->parts.size ? tn_desc_slot(op->in, op->in_count, port->parts)
                         : NULL;
    const struct tn_desc_slot *slot =
        port->slot.size ? tn_desc_slot(op->in, op->in_count, port->slot) : NULL;

    if (parts)
        return put_parts(w, parts);
    if (slot && port->is_list)
        return put_combine(w, slot);
    if (slot && rule->is_aligned && index == 1)
        return operand_aligned(w, op, read_name(w, slot->args[0]));
    if (slot)
        return read_name(w, slot->args[0]).number;
    return port->attr.size ? operand_constant(w, op, rule, port) : 0;
}

/* ---- results ------------------------------------------------------------ */

static struct bound result_of(struct writer *w, struct tn_bytes name)
{
    struct bound *bound = bound_of(w, name);

    if (bound)
        return *bound;
    return (struct bound){ .type = tensor_type(w, 255, NULL, 0) };
}

static struct bound list_result(struct writer             *w,
                                const struct tn_desc_slot *slot)
{
    struct bound *items = tn_new(w->arena, struct bound, slot->count, w->error);

    for (uint32_t i = 0; items && i < slot->count; i++)
        items[i] = result_of(w, slot->args[i]);
    return (struct bound){ .type = items ? vector_type(w, items, slot->count)
                                         : tn_bytes(NULL, 0) };
}

/* 0.split, behind the operator that made the list. */
static void put_split(struct writer *w, const struct tn_desc_slot *slot,
                      int64_t list)
{
    struct line line;

    line_begin(w, &line, "0.split");
    line_in(w, &line, list);
    for (uint32_t i = 0; i < slot->count; i++)
        line_out(w, &line, result_of(w, slot->args[i]));
    if (tn_failed(w->error))
        return;
    line_end(w, &line);
    for (uint32_t i = 0; i < slot->count; i++)
        bind(w, slot->args[i], line.out[i]);
}

static void bind_results(struct writer *w, const struct tn_desc_op *op,
                         const struct tn_pir_rule *rule,
                         const struct line        *line)
{
    for (uint32_t i = 0; i < line->out_count && !tn_failed(w->error); i++) {
        const struct tn_desc_slot *slot =
            tn_desc_slot(op->out, op->out_count, rule->out[i].slot);
        if (slot && rule->out[i].is_list)
            put_split(w, slot, line->out[i].number);
        else if (slot)
            bind(w, slot->args[0], line->out[i]);
    }
}

static void put_by_rule(struct writer *w, const struct tn_desc_op *op,
                        const struct tn_pir_rule *rule)
{
    const char *id =
        tn_text_format(w->arena, w->error, "1.%.*s", TN_FMT(rule->pir));
    int64_t     in[PORT_LIMIT];
    struct line line;

    for (uint32_t i = 0; i < rule->in_count && !tn_failed(w->error); i++)
        in[i] = operand(w, op, rule, i);
    line_begin(w, &line, id);
    if (tn_failed(w->error))
        return;
    for (uint32_t i = 0; i < rule->in_count; i++)
        line_in(w, &line, in[i]);
    for (uint32_t i = 0; i < rule->attr_count; i++)
        put_ruled(w, op, rule, &rule->attrs[i]);
    put_others(w, op, rule);
    if (rule->is_also) {
        attr_begin(w);
        tn_buffer_text(&w->attrs, "{\"#\":\"0.a_str\",\"D\":");
        tn_pir_put_string(&w->attrs, rule->legacy);
        tn_buffer_byte(&w->attrs, '}');
        attr_end(w, "", tn_text("legacy.type"));
    }
    for (uint32_t i = 0; i < rule->out_count && !rule->out[i].is_made; i++) {
        const struct tn_desc_slot *slot =
            tn_desc_slot(op->out, op->out_count, rule->out[i].slot);
        struct bound made = { .number = 0 };
        if (slot)
            made = rule->out[i].is_list ? list_result(w, slot)
                                        : result_of(w, slot->args[0]);
        if (rule->out[i].alias.size) /* the variable's flag is the input's */
            made.stop_gradient = line.out[0].stop_gradient;
        line_out(w, &line, made);
    }
    line_end(w, &line);
    bind_results(w, op, rule, &line);
}

/* ---- operators without a rule ------------------------------------------- */

static void put_slot_names(struct writer *w, const struct tn_desc_slot *slots,
                           uint32_t count, const char *name)
{
    bool has_any = false;

    attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"0.a_array\",\"D\":[");
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < slots[i].count; k++) {
            tn_buffer_text(&w->attrs, has_any ? "," : "");
            tn_buffer_text(&w->attrs, "{\"#\":\"0.a_str\",\"D\":");
            tn_pir_put_string(&w->attrs, slots[i].name);
            tn_buffer_byte(&w->attrs, '}');
            has_any = true;
        }
    tn_buffer_text(&w->attrs, "]}");
    attr_end(w, "", tn_text(name));
}

static bool has_block(const struct tn_desc_op *op)
{
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (op->attrs[i].value.type == TN_DESC_BLOCK ||
            op->attrs[i].value.type == TN_DESC_BLOCKS)
            return true;
    return false;
}

/* All arguments of all slots, one by one; two attributes say which is where. */
static void put_legacy(struct writer *w, const struct tn_desc_op *op)
{
    const char *id =
        tn_text_format(w->arena, w->error, "legacy.%.*s", TN_FMT(op->type));
    struct line line;

    if (has_block(op)) {
        tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                     "%.*s has a block of its own, which is not written as PIR",
                     TN_FMT(op->type));
        return;
    }
    lose(w, id ? id : "",
         "Paddle 3 has no such operator; it is written under this name, for "
         "reading back only");
    line_begin(w, &line, id);
    for (uint32_t i = 0; i < op->in_count; i++)
        for (uint32_t k = 0; k < op->in[i].count; k++)
            line_in(w, &line, read_name(w, op->in[i].args[k]).number);
    for (uint32_t i = 0; i < op->out_count; i++)
        for (uint32_t k = 0; k < op->out[i].count; k++)
            line_out(w, &line, result_of(w, op->out[i].args[k]));
    put_slot_names(w, op->in, op->in_count, "legacy.inputs");
    put_slot_names(w, op->out, op->out_count, "legacy.outputs");
    put_others(w, op, NULL);
    if (tn_failed(w->error))
        return;
    line_end(w, &line);
    uint32_t next = 0;
    for (uint32_t i = 0; i < op->out_count; i++)
        for (uint32_t k = 0; k < op->out[i].count; k++)
            bind(w, op->out[i].args[k], line.out[next++]);
}

/* pir.1.foo, as our reader named it: I0, V1, ... and O0, W1, ... */
static void put_unknown(struct writer *w, const struct tn_desc_op *op)
{
    const char *id =
        tn_text_format(w->arena, w->error, "%.*s", (int)(op->type.size - 4),
                       (const char *)op->type.data + 4);
    int64_t     in[PORT_LIMIT];
    uint32_t    in_count = 0;
    struct line line;

    for (uint32_t i = 0; i < op->in_count; i++) {
        struct tn_bytes number =
            tn_bytes(op->in[i].name.data + 1, op->in[i].name.size - 1);
        int64_t at;
        if (op->in[i].name.size < 2 || !tn_int64_parse(number, &at) || at < 0 ||
            at >= PORT_LIMIT || op->in[i].count == 0)
            continue;
        for (; in_count <= (uint32_t)at; in_count++)
            in[in_count] = 0;
        in[at] = op->in[i].name.data[0] == 'V'
                     ? put_combine(w, &op->in[i])
                     : read_name(w, op->in[i].args[0]).number;
    }
    line_begin(w, &line, id);
    for (uint32_t i = 0; i < in_count; i++)
        line_in(w, &line, in[i]);
    put_others(w, op, NULL);
    for (uint32_t i = 0; i < op->out_count; i++)
        line_out(w, &line,
                 op->out[i].name.size && op->out[i].name.data[0] == 'W'
                     ? list_result(w, &op->out[i])
                 : op->out[i].count ? result_of(w, op->out[i].args[0])
                                    : (struct bound){ .number = 0 });
    if (tn_failed(w->error))
        return;
    line_end(w, &line);
    for (uint32_t i = 0; i < op->out_count; i++)
        if (op->out[i].name.data[0] == 'W')
            put_split(w, &op->out[i], line.out[i].number);
        else if (op->out[i].count)
            bind(w, op->out[i].args[0], line.out[i]);
}

/* ---- parameters, inputs, outputs ---------------------------------------- */

static void put_parameter(struct writer *w, struct tn_desc_var *var)
{
    int          a[3] = { 0, 1, 1 }, kept = 1, trained = !var->stop_gradient;
    struct bound bound = unborn(w, var);
    char         flags[64];

    snprintf(flags, sizeof flags, "%.*s", TN_FMT(var->flags));
    sscanf(flags, "%d %d %d %d %d", &a[0], &a[1], &a[2], &kept, &trained);
    bound.number = w->next++;
    tn_buffer_format(w->to, "%s{\"#\":\"p\",\"A\":[%d,%d,%d,",
                     w->has_ops ? "," : "", a[0], a[1], a[2]);
    w->has_ops = true;
    tn_pir_put_string(w->to, var->var.name);
    tn_buffer_format(
        w->to, "],\"DA\":[],\"O\":{\"%%\":%" PRId64 ",\"TT\":", bound.number);
    tn_buffer_add(w->to, bound.type);
    tn_buffer_format(w->to, "},\"OA\":[%d,%d,%d],\"QA\":[]}", kept,
                     var->stop_gradient, trained);
    bind(w, var->var.name, bound);
}

static struct tn_desc_var *find_var(struct writer *w, struct tn_bytes name)
{
    struct tn_desc_block *block = &w->desc.blocks[0];

    for (uint32_t i = 0; i < block->var_count; i++)
        if (tn_bytes_equal(block->vars[i].var.name, name))
            return &block->vars[i];
    return NULL;
}

static void put_string_attr(struct writer *w, const char *name,
                            struct tn_bytes text)
{
    attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"0.a_str\",\"D\":");
    tn_pir_put_string(&w->attrs, text);
    tn_buffer_byte(&w->attrs, '}');
    attr_end(w, "", tn_text(name));
}

/* `op` is the feed operator; NULL: there is none, it is only declared. */
static void put_data(struct writer *w, struct tn_desc_var *var,
                     const struct tn_desc_op *op)
{
    const char *dtype = tn_pir_dtype_word(var->var.data_type);
    struct line line;
    char        text[80];

    line_begin(w, &line, "1.data");
    put_string_attr(w, "name", var->var.name);
    attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"1.a_intarray\",\"D\":");
    put_dims(&w->attrs, var->var.dims, var->var.rank);
    tn_buffer_byte(&w->attrs, '}');
    attr_end(w, "", tn_text("shape"));
    snprintf(text, sizeof text, "{\"#\":\"1.a_dtype\",\"D\":\"%s\"}",
             dtype ? dtype : "Undefined(ALL_DTYPE)");
    attr_text(w, "dtype", text);
    if (!op || !tn_desc_attr(op, tn_text("pir.place")))
        attr_text(w, "place", "{\"#\":\"1.a_place\",\"D\":[0,0,\"\"]}");
    if (var->var.lod_level) {
        snprintf(text, sizeof text, "{\"#\":\"0.a_i32\",\"D\":%d}",
                 var->var.lod_level);
        attr_text(w, "legacy.lod_level", text);
        lose(w, "", "an input of ragged sequences: Paddle 3 knows none");
    }
    if (op)
        put_others(w, op, NULL);
    line_out(w, &line, unborn(w, var));
    line_end(w, &line);
    bind(w, var->var.name, line.out[0]);
}

static int64_t col_of(const struct tn_desc_op *op)
{
    struct tn_desc_attr *col = tn_desc_attr(op, tn_text("col"));

    if (!col || !col->value.ints || col->value.count != 1)
        return 0;
    col->is_used = true;
    return col->value.ints[0];
}

static void put_fetch(struct writer *w, const struct tn_desc_op *op)
{
    const struct tn_desc_slot *slot =
        tn_desc_slot(op->in, op->in_count, tn_text("X"));
    struct tn_desc_attr *kept = tn_desc_attr(op, tn_text("pir.name"));
    struct line          line;
    char                 text[64];

    if (!slot)
        return;
    struct bound bound = read_name(w, slot->args[0]);
    line_begin(w, &line, "1.fetch");
    put_string_attr(w, "name",
                    kept && kept->value.texts ? kept->value.texts[0]
                                              : slot->args[0]);
    snprintf(text, sizeof text, "{\"#\":\"0.a_i32\",\"D\":%" PRId64 "}",
             col_of(op));
    attr_text(w, "col", text);
    put_others(w, op, NULL);
    line_in(w, &line, bound.number);
    line_out(w, &line, bound);
    line.is_persistable = true;
    if (!tn_failed(w->error))
        line_end(w, &line);
}

/* ---- the program -------------------------------------------------------- */

static bool is_left_of(const void *left, const void *right)
{
    const struct tn_desc_op *a = left, *b = right;
    int64_t                  x = col_of(a), y = col_of(b);

    return x != y ? x < y : a < b;
}

/* The feed or fetch operators, by their column. */
static const struct tn_desc_op **ports(struct writer *w, const char *type,
                                       uint32_t *count)
{
    struct tn_desc_block     *block = &w->desc.blocks[0];
    const struct tn_desc_op **list =
        tn_new(w->arena, const struct tn_desc_op *, block->op_count, w->error);

    *count = 0;
    for (uint32_t i = 0; list && i < block->op_count; i++)
        if (tn_bytes_is(block->ops[i].type, type)) {
            col_of(&block->ops[i]); /* said by the order */
            list[(*count)++] = &block->ops[i];
        }
    if (list)
        tn_sort((const void **)(void *)list, *count, is_left_of);
    return list;
}

static void put_inputs(struct writer *w)
{
    struct tn_desc_block     *block = &w->desc.blocks[0];
    uint32_t                  count;
    const struct tn_desc_op **feeds = ports(w, "feed", &count);

    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++) {
        const struct tn_desc_slot *slot =
            tn_desc_slot(feeds[i]->out, feeds[i]->out_count, tn_text("Out"));
        struct tn_desc_var *var = slot ? find_var(w, slot->args[0]) : NULL;
        if (var)
            put_data(w, var, feeds[i]);
    }
    for (uint32_t i = 0; count == 0 && i < block->var_count; i++)
        if (block->vars[i].var.needs_feed && !tn_failed(w->error))
            put_data(w, &block->vars[i], NULL);
}

static void put_op(struct writer *w, const struct tn_desc_op *op)
{
    const struct tn_desc_attr *module =
        tn_desc_attr(op, tn_text("struct_name"));

    if (tn_bytes_is(op->type, "feed") || tn_bytes_is(op->type, "fetch"))
        return;
    w->struct_name = module && module->value.texts ? module->value.texts[0]
                                                   : tn_bytes(NULL, 0);
    const struct tn_pir_rule *rule = find_rule(w, op);
    if (rule && !has_block(op))
        put_by_rule(w, op, rule);
    else if (begins(op->type, "pir."))
        put_unknown(w, op);
    else
        put_legacy(w, op);
}

static void put_block(struct writer *w)
{
    struct tn_desc_block *block = &w->desc.blocks[0];

    for (uint32_t i = 0; i < block->var_count && !tn_failed(w->error); i++) {
        struct tn_desc_var *var = &block->vars[i];
        if (tn_paddle_var_is_stored(&var->var))
            put_parameter(w, var);
        else if (var->var.type != TN_PADDLE_FEED &&
                 var->var.type != TN_PADDLE_FETCH)
            bind(w, var->var.name, unborn(w, var));
    }
    put_inputs(w);
    for (uint32_t i = 0; i < block->op_count && !tn_failed(w->error); i++) {
        put_op(w, &block->ops[i]);
        if (tn_failed(w->error))
            tn_error_where(w->error, "blocks[0].ops[%" PRIu32 "]", i);
    }
    uint32_t                  count;
    const struct tn_desc_op **fetches = ports(w, "fetch", &count);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++)
        put_fetch(w, fetches[i]);
}

static void say_losses(struct writer *w)
{
    char what[120];

    if (w->desc.callstack_count) {
        snprintf(what, sizeof what,
                 "%" PRIu64 " attributes that quote source code are left out",
                 w->desc.callstack_count);
        lose(w, "op_callstack", what);
    }
    if (w->desc.has_op_versions)
        lose(w, "op_version_map", "PIR has no versions of operators");
}

static void put_program(struct writer *w)
{
    tn_buffer_text(w->to,
                   "{\"base_code\":{\"magic\":\"pir\",\"trainable\":true,"
                   "\"version\":1},\"program\":{\"regions\":[{\"#\":"
                   "\"region_0\",\"blocks\":[{\"#\":\"block_0\",\"args\":[],"
                   "\"ops\":[");
    put_block(w);
    tn_buffer_text(w->to, "]}]}]}}");
}

enum tn_status tn_pir_from_program(struct tn_span    program,
                                   struct tn_memory *memory,
                                   struct tn_buffer *to, tn_on_loss *loss,
                                   void *loss_context, struct tn_error *error)
{
    struct tn_arena arena;
    struct writer   w = { .arena        = &arena,
                          .error        = error,
                          .to           = to,
                          .next         = 1,
                          .loss         = loss,
                          .loss_context = loss_context };

    tn_arena_init(&arena, memory);
    tn_buffer_init(&w.attrs, memory, error);
    tn_buffer_init(&w.scratch, memory, error);
    tn_intern_init(&w.names, &arena);
    tn_list_init(&w.bounds, memory, sizeof(struct bound));
    if (tn_pir_rules_read(&w.rules, &arena, tn_pir_rules_text(), error) ==
            TN_OK &&
        tn_desc_read(&w.desc, program, &arena, error) == TN_OK) {
        put_program(&w);
        say_losses(&w);
    }
    tn_pir_rules_done(&w.rules);
    tn_list_done(&w.bounds);
    tn_intern_done(&w.names);
    tn_buffer_done(&w.scratch);
    tn_buffer_done(&w.attrs);
    tn_arena_done(&arena);
    return error->status;
}
