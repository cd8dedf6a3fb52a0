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
#include <math.h>
#include <stdio.h>

#include "base/intern.h"
#include "base/number.h"
#include "base/sort.h"
#include "format/paddle/paddle_pir_desc.h"

/* A value, and how its type is written. */
struct tn_pir_bound {
    int64_t         number; /* 0: none                                        */
    struct tn_bytes type;
    bool            stop_gradient;
    uint32_t        element; /* of a tensor                                   */
    uint32_t        rank;
    const int64_t  *dims; /* NULL: not known                                  */
    uint32_t        local; /* the block that declares the name; 0: the first */
    bool            is_array;
};

/* A name that an inner block bound to another value. */
struct tn_pir_undo {
    uint32_t            name;
    struct tn_pir_bound before;
};

struct tn_pir_writer {
    struct tn_arena    *arena;
    struct tn_error    *error;
    struct tn_buffer   *to;
    struct tn_buffer    attrs; /* of the operator being composed            */
    struct tn_buffer    scratch;
    struct tn_pir_rules rules;
    struct tn_desc      desc;
    struct tn_intern    names;
    struct tn_list bounds; /* struct tn_pir_bound, by name: what it is now */
    int64_t        next;
    bool           has_ops;
    tn_on_loss    *loss;
    void          *loss_context;
    uint32_t       region_count, depth;
    int64_t        last_arg; /* numbers of arguments of blocks go down */
    struct tn_list undo;     /* struct tn_pir_undo: what names meant outside */
    bool          *is_entered; /* blocks that were written already */
    uint64_t ragged_inputs; /* that keep their level in an attribute        */
    struct tn_bytes struct_name; /* of the operator, for its constants    */
};

#define TN_PIR_PORT_LIMIT 64

/* What an operator has besides its attributes, which are in w->attrs. */
struct tn_pir_line {
    const char *id;
    int64_t     in[TN_PIR_PORT_LIMIT];
    struct tn_pir_bound
        out[TN_PIR_PORT_LIMIT]; /* type NULL: a result that is missing      */
    uint32_t in_count, out_count;
    bool     is_persistable;
};

static void put_ops(struct tn_pir_writer *w, uint32_t index);

/* ---- operators of PIR as text, and what others need before them --------- */

/* ---- types -------------------------------------------------------------- */

/* Reports what is left behind. */
static void lose(struct tn_pir_writer *w, const char *where, const char *what)
{
    if (w->loss)
        w->loss(w->loss_context, TN_NOWHERE, where, what);
}

static void put_dims(struct tn_buffer *to, const int64_t *dims, uint32_t rank)
{
    tn_buffer_byte(to, '[');
    for (uint32_t i = 0; i < rank; i++)
        tn_buffer_format(to, "%s%" PRId64, i ? "," : "", dims[i]);
    tn_buffer_byte(to, ']');
}

static struct tn_bytes keep_scratch(struct tn_pir_writer *w)
{
    return tn_bytes_dup(w->arena, tn_buffer_bytes(&w->scratch), w->error);
}

static struct tn_bytes tensor_type(struct tn_pir_writer *w, int64_t element,
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

static struct tn_bytes array_type(struct tn_pir_writer       *w,
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

/* The type that our reader kept, printed anew: the file may say anything there.
 * Empty when it is not a type. */
static struct tn_bytes kept_type(struct tn_pir_writer     *w,
                                 const struct tn_desc_var *var)
{
    struct tn_error       failure = TN_ERROR_INIT;
    struct tn_cursor      c       = tn_cursor_bytes(var->kept, 0, &failure);
    const struct tn_tree *tree =
        var->kept.size ? tn_tree_read(&c, w->arena) : NULL;

    if (tn_tree_text(tn_tree_member(tree, "#")).size == 0)
        return tn_bytes("", 0);
    tn_buffer_clear(&w->scratch);
    tn_tree_put(&w->scratch, tree);
    return keep_scratch(w);
}

static struct tn_bytes type_of(struct tn_pir_writer *w, struct tn_desc_var *var)
{
    if (var->type.size == 0)
        var->type = kept_type(w, var);
    if (var->type.size == 0)
        var->type =
            var->var.type == TN_PADDLE_TENSOR_ARRAY
                ? array_type(w, &var->var)
                : tensor_type(w, var->var.has_desc ? var->var.data_type : 255,
                              var->var.dims, var->var.rank);
    return var->type;
}

/* ---- names -------------------------------------------------------------- */

/* The value that a name stands for; NULL: none yet. */
static struct tn_pir_bound *bound_of(struct tn_pir_writer *w,
                                     struct tn_bytes       name)
{
    uint32_t id = tn_intern_find(&w->names, name);

    return id == TN_NO_NAME ? NULL
                            : tn_list_at(&w->bounds, struct tn_pir_bound, id);
}

/* Inside a block it can be undone. */
static void bind(struct tn_pir_writer *w, struct tn_bytes name,
                 struct tn_pir_bound value)
{
    uint32_t id = tn_intern_borrow(&w->names, name, w->error);

    while (!tn_failed(w->error) && w->bounds.count <= id)
        tn_list_push(&w->bounds, struct tn_pir_bound, w->error);
    if (tn_failed(w->error))
        return;
    struct tn_pir_bound *bound =
        tn_list_at(&w->bounds, struct tn_pir_bound, id);
    struct tn_pir_undo *undo =
        w->depth ? tn_list_push(&w->undo, struct tn_pir_undo, w->error) : NULL;
    if (undo)
        *undo = (struct tn_pir_undo){ id, *bound };
    *bound = value;
}

/* Declared, but without a number yet. */
static struct tn_pir_bound unborn(struct tn_pir_writer *w,
                                  struct tn_desc_var   *var)
{
    return (struct tn_pir_bound){ .type          = type_of(w, var),
                                  .stop_gradient = var->stop_gradient,
                                  .element       = var->var.data_type,
                                  .rank          = var->var.rank,
                                  .dims =
                                      var->var.has_desc ? var->var.dims : NULL,
                                  .is_array =
                                      var->var.type == TN_PADDLE_TENSOR_ARRAY };
}

/* The value of a name that is read; fails if it has not been written. */
static struct tn_pir_bound read_name(struct tn_pir_writer *w,
                                     struct tn_bytes       name)
{
    struct tn_pir_bound  none  = { .number = 0 };
    struct tn_pir_bound *bound = bound_of(w, name);

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

/* Begin, operands and results, attributes, end: the numbers of the results are
 * then known.  One at a time: what an operator needs before it comes first. */
static void line_begin(struct tn_pir_writer *w, struct tn_pir_line *line,
                       const char *id)
{
    line->id       = id;
    line->in_count = line->out_count = 0;
    line->is_persistable             = false;
    tn_buffer_clear(&w->attrs);
}

static void line_in(struct tn_pir_writer *w, struct tn_pir_line *line,
                    int64_t number)
{
    if (line->in_count < TN_PIR_PORT_LIMIT)
        line->in[line->in_count++] = number;
    else
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "an operator of more than %d operands", TN_PIR_PORT_LIMIT);
}

static void line_out(struct tn_pir_writer *w, struct tn_pir_line *line,
                     struct tn_pir_bound bound)
{
    if (line->out_count < TN_PIR_PORT_LIMIT)
        line->out[line->out_count++] = bound;
    else
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "an operator of more than %d results", TN_PIR_PORT_LIMIT);
}

/* {"AT":...,"N":name}: the caller writes what is between. */
static void attr_begin(struct tn_pir_writer *w)
{
    tn_buffer_text(&w->attrs, w->attrs.size ? ",{\"AT\":" : "{\"AT\":");
}

static void attr_end(struct tn_pir_writer *w, const char *prefix,
                     struct tn_bytes name)
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

static void attr_text(struct tn_pir_writer *w, const char *name,
                      const char *json)
{
    attr_begin(w);
    tn_buffer_text(&w->attrs, json);
    attr_end(w, "", tn_text(name));
}

static void put_flags(struct tn_pir_writer *w, const struct tn_pir_line *line,
                      const char *name, bool is_persistable)
{
    tn_buffer_text(w->to, "{\"AT\":{\"#\":\"0.a_array\",\"D\":[");
    for (uint32_t i = 0; i < line->out_count; i++)
        tn_buffer_format(
            w->to, "%s{\"#\":\"0.a_bool\",\"D\":%s}", i ? "," : "",
            is_persistable || line->out[i].stop_gradient ? "true" : "false");
    tn_buffer_format(w->to, "]},\"N\":\"%s\"}", name);
}

static void put_outs(struct tn_pir_writer *w, struct tn_pir_line *line)
{
    for (uint32_t i = 0; i < line->out_count; i++) {
        struct tn_pir_bound *out = &line->out[i];
        out->number              = out->type.size ? w->next++ : 0;
        tn_buffer_format(w->to, "%s{\"%%\":%" PRId64 ",\"TT\":", i ? "," : "",
                         out->number);
        if (out->type.size)
            tn_buffer_add(w->to, out->type);
        else
            tn_buffer_text(w->to, "{\"#\":\"NULL\"}");
        tn_buffer_byte(w->to, '}');
    }
}

/* All but the last bracket: regions may follow.  The numbers of the results are
 * then known. */
static void line_open(struct tn_pir_writer *w, struct tn_pir_line *line)
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
    tn_buffer_byte(w->to, ']');
}

static void line_end(struct tn_pir_writer *w, struct tn_pir_line *line)
{
    line_open(w, line);
    tn_buffer_byte(w->to, '}');
}

/* An operator with one result, whose attributes are in w->attrs already. */
static struct tn_pir_bound simple_line(struct tn_pir_writer *w, const char *id,
                                       const int64_t *in, uint32_t in_count,
                                       struct tn_pir_bound out)
{
    struct tn_pir_line line = { .id = id };

    for (uint32_t i = 0; i < in_count; i++)
        line_in(w, &line, in[i]);
    line_out(w, &line, out);
    line_end(w, &line);
    return line.out[0];
}

/* ---- constants and lists ------------------------------------------------ */

static void attr_struct_name(struct tn_pir_writer *w)
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

static int64_t put_list(struct tn_pir_writer      *w,
                        const struct tn_pir_value *value)
{
    int64_t count = value->count;

    tn_buffer_clear(&w->attrs);
    attr_begin(w);
    tn_pir_put_value(&w->attrs, value, TN_PIR_LONGS);
    attr_end(w, "", tn_text("value"));
    attr_text(w, "dtype", "{\"#\":\"1.a_dtype\",\"D\":\"int64\"}");
    attr_text(w, "place", ON_CPU);
    attr_struct_name(w);
    struct tn_pir_bound made = { .type          = tensor_type(w, 3, &count, 1),
                                 .stop_gradient = true };
    return simple_line(w, "1.full_int_array", NULL, 0, made).number;
}

static int64_t put_full(struct tn_pir_writer *w, struct tn_pir_value value)
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
    struct tn_pir_bound made = { .type = tensor_type(w, dtype, &one, 1),
                                 .stop_gradient = true };
    return simple_line(w, "1.full", NULL, 0, made).number;
}

/* Small operators before another; their results are returned. */
static int64_t put_constant(struct tn_pir_writer      *w,
                            const struct tn_pir_value *value)
{
    bool is_list = value->type == TN_DESC_INTS || value->type == TN_DESC_LONGS;

    return is_list ? put_list(w, value) : put_full(w, *value);
}

static struct tn_bytes vector_type(struct tn_pir_writer      *w,
                                   const struct tn_pir_bound *items,
                                   uint32_t                   count)
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

static int64_t put_combine(struct tn_pir_writer      *w,
                           const struct tn_desc_slot *slot)
{
    struct tn_pir_bound *items =
        tn_new(w->arena, struct tn_pir_bound, slot->count, w->error);
    struct tn_pir_line line;

    if (!items)
        return 0;
    line_begin(w, &line, "0.combine");
    for (uint32_t i = 0; i < slot->count; i++) {
        items[i] = read_name(w, tn_desc_arg(slot, i));
        line_in(w, &line, items[i].number);
    }
    line_out(
        w, &line,
        (struct tn_pir_bound){ .type = vector_type(w, items, slot->count) });
    line_end(w, &line);
    return line.out[0].number;
}

/* One tensor out of one for each element. */
static int64_t put_parts(struct tn_pir_writer      *w,
                         const struct tn_desc_slot *slot)
{
    static const int64_t zero  = 0;
    int64_t              count = slot->count;
    struct tn_pir_value  axis  = { .type  = TN_DESC_INT,
                                   .count = 1,
                                   .ints  = &zero };
    int64_t              in[2] = { put_combine(w, slot), put_full(w, axis) };

    tn_buffer_clear(&w->attrs);
    attr_text(w, "legacy.parts", "{\"#\":\"0.a_bool\",\"D\":true}");
    return simple_line(
               w, "1.concat", in, 2,
               (struct tn_pir_bound){ .type = tensor_type(w, 2, &count, 1) })
        .number;
}

/* An empty array of tensors, of that type. */
static int64_t put_array(struct tn_pir_writer      *w,
                         const struct tn_pir_bound *like)
{
    const char *dtype = tn_pir_dtype_word(like->element);

    tn_buffer_clear(&w->attrs);
    attr_begin(w);
    tn_buffer_format(&w->attrs, "{\"#\":\"1.a_dtype\",\"D\":\"%s\"}",
                     dtype ? dtype : "float32");
    attr_end(w, "", tn_text("dtype"));
    return simple_line(w, "1.create_array", NULL, 0, *like).number;
}

/* Y with ones behind, so that it begins at X's dimension `axis`; 0 in a shape
 * is the dimension that is there. */
static int64_t put_aligned(struct tn_pir_writer *w, struct tn_pir_bound y,
                           uint32_t rank, int64_t axis)
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
    struct tn_pir_bound made = { .type = tensor_type(w, y.element, dims,
                                                     list.count),
                                 .stop_gradient = y.stop_gradient };
    return simple_line(w, "1.reshape", in, 2, made).number;
}

/* ---- the attributes of an operator, as its rule says them --------------- */

/* ---- attributes by rule ------------------------------------------------- */

static struct tn_desc_attr *kept_attr(struct tn_pir_writer    *w,
                                      const struct tn_desc_op *op,
                                      struct tn_bytes          name)
{
    const char *kept =
        tn_text_format(w->arena, w->error, "pir.%.*s", TN_FMT(name));

    return kept ? tn_desc_attr(op, tn_text(kept)) : NULL;
}

/* If the text that our reader kept still has this value, it is written as it
 * was. */
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
    attr_begin(w);
    tn_tree_put(&w->attrs, tree);
    attr_end(w, "", rule->pir);
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

    attr_begin(w);
    tn_pir_put_value(&w->attrs, value, is_float ? TN_PIR_FLOAT : TN_PIR_DOUBLE);
    attr_end(w, "", name);
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
        attr_begin(w);
        tn_pir_put_value(&w->attrs, &attr->value, lists[i].kind);
        attr_end(w, "", name);
        is_done = true;
    }
    if (!is_done)
        attr_text(w, "values", "{\"#\":\"0.a_array\",\"D\":[]}");
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
    attr_begin(w);
    tn_pir_put_value(&w->attrs, &list, TN_PIR_FLOATS);
    attr_end(w, "", name);
}

static bool is_true(const struct tn_desc_op *op, struct tn_bytes name)
{
    const struct tn_desc_attr *attr = name.size ? tn_desc_attr(op, name) : NULL;

    return attr && attr->value.count == 1 && tn_pir_int_at(&attr->value, 0);
}

/* Of an operator over all axes: none are named, whatever the attribute says,
 * and that is kept under its own name. */
static bool is_over_all(const struct tn_pir_rule *rule,
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

/* As the rule says, marking what it used; then everything that is not used. */
static void put_ruled(struct tn_pir_writer *w, const struct tn_desc_op *op,
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

/* pir.NAME: an attribute that the reader could not translate, as it was. */
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

static void put_others(struct tn_pir_writer *w, const struct tn_desc_op *op,
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

/* ---- blocks of a ProgramDesc as regions of PIR -------------------------- */

/*
 *   while               1.while over all that its block writes of outside
 *   conditional_block   1.if; where the condition does not hold, what it would
 *                       write stays what it was, or is zeros when it was
 *                       nothing: somebody else must choose then
 *   select_input        1.if, whose regions only hand out one of the two
 */

/* The effect of a block on outer variables. */
struct change {
    struct tn_bytes     name;
    struct tn_pir_bound before;
};

struct changes {
    struct change *items;
    uint32_t       count;
};

/* ---- what a block writes ------------------------------------------------ */

static const struct tn_desc_attr *block_attr(const struct tn_desc_op *op)
{
    const struct tn_desc_attr *attr = tn_desc_attr(op, tn_text("sub_block"));

    return attr && attr->value.type == TN_DESC_BLOCK ? attr : NULL;
}

/* Its number; 0 and a failure: it is none, or was written before. */
static uint32_t enter(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    int64_t block = tn_pir_int_at(&block_attr(op)->value, 0);

    if (block <= 0 || block >= w->desc.block_count || w->is_entered[block] ||
        w->depth >= TN_PIR_REGION_LIMIT) {
        tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                     "%.*s: block %" PRId64
                     " is none, is another's, or is too deep inside others",
                     TN_FMT(op->type), block);
        return 0;
    }
    w->is_entered[block] = true;
    return (uint32_t)block;
}

static bool has_change(const struct changes *changes, struct tn_bytes name)
{
    for (uint32_t i = 0; i < changes->count; i++)
        if (tn_bytes_equal(changes->items[i].name, name))
            return true;
    return false;
}

static uint32_t count_outputs(const struct tn_desc_block *block)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < block->op_count; i++)
        for (uint32_t k = 0; k < block->ops[i].out_count; k++)
            count += block->ops[i].out[k].count;
    return count;
}

/* A tensor of outside: scopes and holders are not. */
static bool is_outside(struct tn_pir_writer *w, uint32_t block,
                       struct tn_bytes name)
{
    const struct tn_pir_bound *bound = bound_of(w, name);

    return bound && bound->dims && bound->local != block;
}

/* Blocks inside this one say what they write in `Out`. */
static struct changes find_changes(struct tn_pir_writer *w, uint32_t index,
                                   struct tn_bytes but)
{
    const struct tn_desc_block *block = &w->desc.blocks[index];
    struct changes              found = { NULL, 0 };

    found.items =
        tn_new(w->arena, struct change, count_outputs(block), w->error);

    for (uint32_t i = 0;
         found.items && found.count < TN_PIR_PORT_LIMIT && i < block->op_count;
         i++)
        for (uint32_t k = 0; k < block->ops[i].out_count; k++)
            for (uint32_t n = 0; n < block->ops[i].out[k].count; n++) {
                struct tn_bytes name = tn_desc_arg(&block->ops[i].out[k], n);
                if (tn_bytes_equal(name, but) || has_change(&found, name) ||
                    !is_outside(w, index, name))
                    continue;
                found.items[found.count++] =
                    (struct change){ name, *bound_of(w, name) };
            }
    if (found.count >= TN_PIR_PORT_LIMIT)
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "a block that writes %" PRIu32 " variables of outside",
                     found.count);
    return found;
}

/* ---- regions ------------------------------------------------------------ */

static void region_begin(struct tn_pir_writer *w, const struct changes *args)
{
    tn_buffer_format(w->to,
                     "{\"#\":\"region_%" PRIu32
                     "\",\"blocks\":[{\"#\":\"block_%" PRIu32 "\",\"args\":[",
                     w->region_count, w->region_count);
    w->region_count++;
    for (uint32_t i = 0; args && i < args->count; i++) {
        struct tn_pir_bound bound = args->items[i].before;
        bound.number              = --w->last_arg;
        tn_buffer_format(w->to, "%s{\"#\":%" PRId64 ",\"TT\":", i ? "," : "",
                         bound.number);
        tn_buffer_add(w->to, bound.type);
        tn_buffer_byte(w->to, '}');
        bind(w, args->items[i].name, bound);
    }
    tn_buffer_text(w->to, "],\"ops\":[");
    w->has_ops = false;
}

static void region_end(struct tn_pir_writer *w)
{
    tn_buffer_text(w->to, "]}]}");
}

static void put_yield(struct tn_pir_writer *w, const int64_t *values,
                      uint32_t count)
{
    struct tn_pir_line line;

    line_begin(w, &line, "2.yield");
    for (uint32_t i = 0; i < count; i++)
        line_in(w, &line, values[i]);
    line_end(w, &line);
}

/* From here on, the block's own names are local. */
static void declare_locals(struct tn_pir_writer *w, uint32_t index)
{
    struct tn_desc_block *block = &w->desc.blocks[index];

    for (uint32_t i = 0; i < block->var_count && !tn_failed(w->error); i++) {
        struct tn_pir_bound bound = unborn(w, &block->vars[i]);
        bound.local               = index;
        if (!tn_paddle_var_is_stored(&block->vars[i].var))
            bind(w, block->vars[i].var.name, bound);
    }
}

/* Restores the outer meaning of names.  A name that was written inside, and
 * whose new value is not returned, has no value. */
static void undo(struct tn_pir_writer *w, uint64_t mark, uint32_t block,
                 const struct changes *changes)
{
    while (w->undo.count > mark) {
        struct tn_pir_undo *last =
            tn_list_at(&w->undo, struct tn_pir_undo, --w->undo.count);
        struct tn_pir_bound *bound =
            tn_list_at(&w->bounds, struct tn_pir_bound, last->name);
        bool is_lost =
            bound->local != block &&
            !has_change(changes, tn_intern_text(&w->names, last->name));
        *bound = last->before;
        if (is_lost)
            bound->number = 0;
    }
}

/* The numbers that the names have now. */
static void read_changes(struct tn_pir_writer *w, const struct changes *changes,
                         int64_t *numbers)
{
    for (uint32_t i = 0; i < changes->count && !tn_failed(w->error); i++)
        numbers[i] = read_name(w, changes->items[i].name).number;
}

/* ---- operators ---------------------------------------------------------- */

static struct tn_bytes argument(struct tn_pir_writer    *w,
                                const struct tn_desc_op *op, const char *name,
                                uint32_t index)
{
    const struct tn_desc_slot *slot =
        tn_desc_slot(op->in, op->in_count, tn_text(name));

    if (slot && index < slot->count)
        return tn_desc_arg(slot, index);
    tn_error_set(w->error, TN_MALFORMED, op->offset, "%.*s without %s",
                 TN_FMT(op->type), name);
    return tn_bytes("", 0);
}

/* Behind the regions: the operator is whole, and names are what it made. */
static void finish(struct tn_pir_writer *w, const struct tn_pir_line *line,
                   const struct changes *changes)
{
    tn_buffer_text(w->to, "]}");
    w->has_ops = true;
    for (uint32_t i = 0; i < changes->count && !tn_failed(w->error); i++)
        bind(w, changes->items[i].name, line->out[i]);
}

static void put_while(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    struct tn_bytes    condition = argument(w, op, "Condition", 0);
    uint32_t           block     = tn_failed(w->error) ? 0 : enter(w, op);
    int64_t            numbers[TN_PIR_PORT_LIMIT + 1];
    struct tn_pir_line line;

    if (block == 0)
        return;
    uint64_t mark = w->undo.count;
    w->depth++;
    declare_locals(w, block);
    struct changes changes = find_changes(w, block, condition);
    line_begin(w, &line, "1.while");
    line_in(w, &line, read_name(w, condition).number);
    for (uint32_t i = 0; i < changes.count && !tn_failed(w->error); i++) {
        line_in(w, &line, changes.items[i].before.number);
        line_out(w, &line, changes.items[i].before);
        if (changes.items[i].before.number == 0)
            tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                         "'%.*s' has no value before the loop",
                         TN_FMT(changes.items[i].name));
    }
    if (tn_failed(w->error))
        return;
    line_open(w, &line);
    tn_buffer_text(w->to, ",\"regions\":[");
    region_begin(w, &changes);
    put_ops(w, block);
    numbers[0] = tn_failed(w->error) ? 0 : read_name(w, condition).number;
    read_changes(w, &changes, numbers + 1);
    if (tn_failed(w->error))
        return;
    put_yield(w, numbers, changes.count + 1);
    region_end(w);
    undo(w, mark, block, &changes);
    w->depth--;
    finish(w, &line, &changes);
    /* The condition of the last round is not used outside. */
    struct tn_pir_bound *bound = bound_of(w, condition);
    if (bound)
        bound->number = 0;
}

/* Zeros of that type: a value that must never be chosen. */
static int64_t put_nothing(struct tn_pir_writer      *w,
                           const struct tn_pir_bound *like)
{
    const char        *dtype = tn_pir_dtype_word(like->element);
    struct tn_pir_line line;

    if (like->is_array)
        return put_array(w, like);
    line_begin(w, &line, "1.full");
    attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"1.a_intarray\",\"D\":[");
    for (uint32_t i = 0; i < like->rank; i++)
        tn_buffer_format(&w->attrs, "%s%" PRId64, i ? "," : "",
                         like->dims[i] < 0 ? 1 : like->dims[i]);
    tn_buffer_text(&w->attrs, "]}");
    attr_end(w, "", tn_text("shape"));
    attr_text(w, "value", "{\"#\":\"0.a_f32\",\"D\":0.0}");
    attr_begin(w);
    tn_buffer_format(&w->attrs, "{\"#\":\"1.a_dtype\",\"D\":\"%s\"}",
                     dtype ? dtype : "float32");
    attr_end(w, "", tn_text("dtype"));
    attr_text(w, "place", "{\"#\":\"1.a_place\",\"D\":[0,0,\"\"]}");
    line_out(w, &line, *like);
    line_end(w, &line);
    return line.out[0].number;
}

static void put_other_branch(struct tn_pir_writer *w,
                             const struct changes *changes)
{
    int64_t numbers[TN_PIR_PORT_LIMIT];

    region_begin(w, NULL);
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct tn_pir_bound *before = &changes->items[i].before;
        numbers[i] = before->number ? before->number : put_nothing(w, before);
    }
    put_yield(w, numbers, changes->count);
    region_end(w);
}

static void put_conditional(struct tn_pir_writer    *w,
                            const struct tn_desc_op *op)
{
    struct tn_bytes    condition = argument(w, op, "Cond", 0);
    uint32_t           block     = tn_failed(w->error) ? 0 : enter(w, op);
    int64_t            numbers[TN_PIR_PORT_LIMIT];
    struct tn_pir_line line;

    if (block == 0)
        return;
    uint64_t mark = w->undo.count;
    w->depth++;
    declare_locals(w, block);
    struct changes changes = find_changes(w, block, tn_bytes("", 0));
    line_begin(w, &line, "1.if");
    line_in(w, &line, read_name(w, condition).number);
    for (uint32_t i = 0; i < changes.count && !tn_failed(w->error); i++)
        line_out(w, &line, changes.items[i].before);
    if (tn_failed(w->error))
        return;
    line_open(w, &line);
    tn_buffer_text(w->to, ",\"regions\":[");
    region_begin(w, NULL);
    put_ops(w, block);
    read_changes(w, &changes, numbers);
    if (tn_failed(w->error))
        return;
    put_yield(w, numbers, changes.count);
    region_end(w);
    undo(w, mark, block, &changes);
    w->depth--;
    tn_buffer_byte(w->to, ',');
    put_other_branch(w, &changes);
    finish(w, &line, &changes);
}

/* The mask is a number: 1 is the second of the two. */
static int64_t put_as_bool(struct tn_pir_writer      *w,
                           const struct tn_pir_bound *mask)
{
    struct tn_pir_line  line;
    struct tn_pir_bound made = { .type = tensor_type(w, 0, mask->dims,
                                                     mask->rank) };

    line_begin(w, &line, "1.cast");
    attr_text(w, "dtype", "{\"#\":\"1.a_dtype\",\"D\":\"bool\"}");
    line_in(w, &line, mask->number);
    line_out(w, &line, made);
    line_end(w, &line);
    return line.out[0].number;
}

static void put_select(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    const struct tn_desc_slot *out =
        tn_desc_slot(op->out, op->out_count, tn_text("Out"));
    struct tn_bytes     names[2] = { argument(w, op, "X", 0),
                                     argument(w, op, "X", 1) };
    struct tn_bytes     mask     = argument(w, op, "Mask", 0);
    struct tn_pir_bound choice, pair[2];
    struct tn_pir_line  line;

    if (tn_failed(w->error) || !out)
        return;
    choice  = read_name(w, mask);
    pair[0] = read_name(w, names[0]);
    pair[1] = read_name(w, names[1]);
    if (tn_failed(w->error))
        return;
    int64_t condition = put_as_bool(w, &choice);
    line_begin(w, &line, "1.if");
    line_in(w, &line, condition);
    const struct tn_pir_bound *bound = bound_of(w, tn_desc_arg(out, 0));
    line_out(w, &line, bound ? *bound : pair[1]);
    line_open(w, &line);
    tn_buffer_text(w->to, ",\"regions\":[");
    for (int i = 1; i >= 0; i--) {
        region_begin(w, NULL);
        put_yield(w, &pair[i].number, 1);
        region_end(w);
        tn_buffer_text(w->to, i ? "," : "]}");
    }
    w->has_ops = true;
    bind(w, tn_desc_arg(out, 0), line.out[0]);
}

/* An operator that has a block, or chooses between what blocks made; false: it
 * is another operator. */
static bool put_flow(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    bool has_block = block_attr(op) != NULL;

    if (has_block && tn_bytes_is(op->type, "while"))
        put_while(w, op);
    else if (has_block && tn_bytes_is(op->type, "conditional_block"))
        put_conditional(w, op);
    else if (tn_bytes_is(op->type, "select_input"))
        put_select(w, op);
    else
        return false;
    return true;
}

/* ---- which rule --------------------------------------------------------- */

/* All arguments of all slots have a place: one of a port that is not a list is
 * not enough. */
static bool is_covered(const struct tn_desc_slot *slots, uint32_t count,
                       const struct tn_pir_port *ports, uint32_t port_count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_known = slots[i].count == 0;
        for (uint32_t k = 0; k < port_count && !is_known; k++)
            is_known = (tn_bytes_equal(ports[k].slot, slots[i].name) &&
                        (slots[i].count == 1 || ports[k].is_list)) ||
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
    double number = attr->value.reals ? tn_pir_real_at(&attr->value, 0)
                                      : (double)tn_pir_int_at(&attr->value, 0);
    return rule->when_how == '=' ? number == (double)rule->when_value
                                 : number > (double)rule->when_value;
}

static const struct tn_pir_rule *find_rule(struct tn_pir_writer    *w,
                                           const struct tn_desc_op *op)
{
    const struct tn_desc_attr *kept = tn_desc_attr(op, tn_text("pir.op"));
    struct tn_bytes            was =
        kept ? tn_pir_text_at(&kept->value, 0) : tn_bytes("", 0);

    for (uint64_t i = 0; i < w->rules.rows.count; i++) {
        const struct tn_pir_rule *rule =
            tn_list_at(&w->rules.rows, struct tn_pir_rule, i);
        if (!tn_bytes_equal(rule->legacy, op->type) || !holds(rule, op) ||
            !is_covered(op->in, op->in_count, rule->in, rule->in_count) ||
            !is_covered(op->out, op->out_count, rule->out, rule->out_count))
            continue;
        if (was.size < 3 ||
            tn_bytes_equal(rule->pir, tn_bytes(was.data + 2, was.size - 2)))
            return rule;
    }
    return NULL;
}

/* ---- operands ----------------------------------------------------------- */

static int64_t operand_constant(struct tn_pir_writer     *w,
                                const struct tn_desc_op  *op,
                                const struct tn_pir_rule *rule,
                                const struct tn_pir_port *port)
{
    struct tn_desc_attr *now   = tn_desc_attr(op, port->attr);
    uint8_t              type  = tn_pir_kind_type(port->kind);
    struct tn_pir_value  value = { .type = type };

    if (now && now->value.type == TN_DESC_VAR) {
        now->is_used = true;
        return read_name(w, tn_pir_text_at(&now->value, 0)).number;
    }
    if (now && now->value.type == TN_DESC_VARS && now->value.count) {
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

static int64_t operand_aligned(struct tn_pir_writer    *w,
                               const struct tn_desc_op *op,
                               struct tn_pir_bound      y)
{
    struct tn_desc_attr       *attr = tn_desc_attr(op, tn_text("axis"));
    const struct tn_desc_slot *x =
        tn_desc_slot(op->in, op->in_count, tn_text("X"));
    struct tn_pir_bound *first = x ? bound_of(w, tn_desc_arg(x, 0)) : NULL;

    if (!attr || !attr->value.ints || attr->value.count != 1 || !first ||
        !first->dims || !y.dims)
        return y.number;
    int64_t axis = tn_pir_int_at(&attr->value, 0);
    if (axis < 0 || first->rank <= y.rank ||
        axis >= (int64_t)first->rank - (int64_t)y.rank)
        return y.number;
    attr->is_used = true;
    return put_aligned(w, y, first->rank, axis);
}

/* The array that is written to; the first to write to it makes it. */
static int64_t operand_over(struct tn_pir_writer     *w,
                            const struct tn_desc_op  *op,
                            const struct tn_pir_port *port)
{
    const struct tn_desc_slot *slot =
        tn_desc_slot(op->out, op->out_count, port->slot);
    const struct tn_pir_bound *bound =
        slot ? bound_of(w, tn_desc_arg(slot, 0)) : NULL;

    if (!bound)
        return 0;
    return bound->number ? bound->number : put_array(w, bound);
}

static int64_t operand(struct tn_pir_writer *w, const struct tn_desc_op *op,
                       const struct tn_pir_rule *rule, uint32_t index)
{
    const struct tn_pir_port  *port = &rule->in[index];
    const struct tn_desc_slot *parts =
        port->parts.size ? tn_desc_slot(op->in, op->in_count, port->parts)
                         : NULL;
    const struct tn_desc_slot *slot =
        port->slot.size ? tn_desc_slot(op->in, op->in_count, port->slot) : NULL;

    if (port->is_over)
        return operand_over(w, op, port);
    if (parts)
        return put_parts(w, parts);
    if (slot && port->is_list)
        return put_combine(w, slot);
    if (slot && rule->is_aligned && index == 1)
        return operand_aligned(w, op, read_name(w, tn_desc_arg(slot, 0)));
    if (slot)
        return read_name(w, tn_desc_arg(slot, 0)).number;
    return port->attr.size ? operand_constant(w, op, rule, port) : 0;
}

/* ---- results ------------------------------------------------------------ */

static struct tn_pir_bound result_of(struct tn_pir_writer *w,
                                     struct tn_bytes       name)
{
    struct tn_pir_bound *bound = bound_of(w, name);

    if (bound)
        return *bound;
    return (struct tn_pir_bound){ .type = tensor_type(w, 255, NULL, 0) };
}

static struct tn_pir_bound list_result(struct tn_pir_writer      *w,
                                       const struct tn_desc_slot *slot)
{
    struct tn_pir_bound *items =
        tn_new(w->arena, struct tn_pir_bound, slot->count, w->error);

    for (uint32_t i = 0; items && i < slot->count; i++)
        items[i] = result_of(w, tn_desc_arg(slot, i));
    return (struct tn_pir_bound){
        .type = items ? vector_type(w, items, slot->count) : tn_bytes(NULL, 0)
    };
}

/* 0.split, after the operator that made the list. */
static void put_split(struct tn_pir_writer *w, const struct tn_desc_slot *slot,
                      int64_t list)
{
    struct tn_pir_line line;

    line_begin(w, &line, "0.split");
    line_in(w, &line, list);
    for (uint32_t i = 0; i < slot->count; i++)
        line_out(w, &line, result_of(w, tn_desc_arg(slot, i)));
    if (tn_failed(w->error))
        return;
    line_end(w, &line);
    for (uint32_t i = 0; i < slot->count; i++)
        bind(w, tn_desc_arg(slot, i), line.out[i]);
}

static void bind_results(struct tn_pir_writer *w, const struct tn_desc_op *op,
                         const struct tn_pir_rule *rule,
                         const struct tn_pir_line *line)
{
    for (uint32_t i = 0; i < line->out_count && !tn_failed(w->error); i++) {
        const struct tn_desc_slot *slot =
            tn_desc_slot(op->out, op->out_count, rule->out[i].slot);
        if (slot && rule->out[i].is_list)
            put_split(w, slot, line->out[i].number);
        else if (slot)
            bind(w, tn_desc_arg(slot, 0), line->out[i]);
    }
}

static void put_by_rule(struct tn_pir_writer *w, const struct tn_desc_op *op,
                        const struct tn_pir_rule *rule)
{
    const char *id =
        tn_text_format(w->arena, w->error, "1.%.*s", TN_FMT(rule->pir));
    int64_t            in[TN_PIR_PORT_LIMIT];
    struct tn_pir_line line;

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
        struct tn_pir_bound made = { .number = 0 };
        if (slot)
            made = rule->out[i].is_list ? list_result(w, slot)
                                        : result_of(w, tn_desc_arg(slot, 0));
        if (rule->out[i].alias.size && line.out_count)
            made.stop_gradient = line.out[0].stop_gradient; /* the variable's
                                                    flag is the input's */
        line_out(w, &line, made);
    }
    line_end(w, &line);
    bind_results(w, op, rule, &line);
}

/* ---- operators without a rule ------------------------------------------- */

static void put_slot_names(struct tn_pir_writer      *w,
                           const struct tn_desc_slot *slots, uint32_t count,
                           const char *name)
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
static void put_legacy(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    const char *id =
        tn_text_format(w->arena, w->error, "legacy.%.*s", TN_FMT(op->type));
    struct tn_pir_line line;

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
            line_in(w, &line, read_name(w, tn_desc_arg(&op->in[i], k)).number);
    for (uint32_t i = 0; i < op->out_count; i++)
        for (uint32_t k = 0; k < op->out[i].count; k++)
            line_out(w, &line, result_of(w, tn_desc_arg(&op->out[i], k)));
    put_slot_names(w, op->in, op->in_count, "legacy.inputs");
    put_slot_names(w, op->out, op->out_count, "legacy.outputs");
    put_others(w, op, NULL);
    if (tn_failed(w->error))
        return;
    line_end(w, &line);
    uint32_t next = 0;
    for (uint32_t i = 0; i < op->out_count; i++)
        for (uint32_t k = 0; k < op->out[i].count; k++)
            bind(w, tn_desc_arg(&op->out[i], k), line.out[next++]);
}

/* pir.1.foo, as our reader named its slots: I0, V1, ... and O0, W1, ...  The
 * slot of every number; those that are missing stay without arguments. */
struct numbered {
    struct tn_desc_slot slots[TN_PIR_PORT_LIMIT];
    uint32_t            count;
};

static bool is_numbered(const struct tn_desc_slot *slot, const char *letters,
                        int64_t *number)
{
    struct tn_bytes name = slot->name;

    return name.size >= 2 && strchr(letters, name.data[0]) && name.data[0] &&
           tn_int64_parse(tn_bytes(name.data + 1, name.size - 1), number) &&
           *number >= 0 && *number < TN_PIR_PORT_LIMIT;
}

static void find_numbered(struct tn_pir_writer *w, const struct tn_desc_op *op,
                          const struct tn_desc_slot *slots, uint32_t count,
                          const char *letters, struct numbered *found)
{
    int64_t at;

    memset(found, 0, sizeof *found);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++) {
        if (slots[i].count == 0)
            continue;
        if (!is_numbered(&slots[i], letters, &at) || found->slots[at].count) {
            tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                         "%.*s: slot '%.*s' is not %c or %c and a number of "
                         "its own below %d",
                         TN_FMT(op->type), TN_FMT(slots[i].name), letters[0],
                         letters[1], TN_PIR_PORT_LIMIT);
            return;
        }
        found->slots[at] = slots[i];
        if (found->count <= (uint32_t)at)
            found->count = (uint32_t)at + 1;
    }
}

static bool is_vector_slot(const struct tn_desc_slot *slot, char letter)
{
    return slot->count && slot->name.data[0] == letter;
}

static void put_unknown(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    const char *id =
        tn_text_format(w->arena, w->error, "%.*s", (int)(op->type.size - 4),
                       (const char *)op->type.data + 4);
    int64_t            in[TN_PIR_PORT_LIMIT];
    struct numbered    from, to;
    struct tn_pir_line line;

    find_numbered(w, op, op->in, op->in_count, "IV", &from);
    find_numbered(w, op, op->out, op->out_count, "OW", &to);
    for (uint32_t i = 0; i < from.count && !tn_failed(w->error); i++)
        in[i] = is_vector_slot(&from.slots[i], 'V')
                    ? put_combine(w, &from.slots[i])
                : from.slots[i].count
                    ? read_name(w, tn_desc_arg(&from.slots[i], 0)).number
                    : 0;
    if (tn_failed(w->error))
        return;
    line_begin(w, &line, id);
    for (uint32_t i = 0; i < from.count; i++)
        line_in(w, &line, in[i]);
    put_others(w, op, NULL);
    for (uint32_t i = 0; i < to.count; i++)
        line_out(
            w, &line,
            is_vector_slot(&to.slots[i], 'W') ? list_result(w, &to.slots[i])
            : to.slots[i].count ? result_of(w, tn_desc_arg(&to.slots[i], 0))
                                : (struct tn_pir_bound){ .number = 0 });
    if (tn_failed(w->error))
        return;
    line_end(w, &line);
    for (uint32_t i = 0; i < to.count; i++)
        if (is_vector_slot(&to.slots[i], 'W'))
            put_split(w, &to.slots[i], line.out[i].number);
        else if (to.slots[i].count)
            bind(w, tn_desc_arg(&to.slots[i], 0), line.out[i]);
}

/* ---- parameters, inputs, outputs ---------------------------------------- */

/* Whole numbers between spaces, as many as there are; the others stay. */
static void read_flags(struct tn_bytes text, int64_t flags[5])
{
    for (uint32_t i = 0; i < 5 && text.size; i++) {
        size_t size = 0;
        while (size < text.size && text.data[size] != ' ')
            size++;
        tn_int64_parse(tn_bytes(text.data, size), &flags[i]);
        size += size < text.size;
        text = tn_bytes(text.data + size, text.size - size);
    }
}

static void put_parameter(struct tn_pir_writer *w, struct tn_desc_var *var)
{
    int64_t             flags[5] = { 0, 1, 1, 1, !var->stop_gradient };
    struct tn_pir_bound bound    = unborn(w, var);

    read_flags(var->flags, flags);
    bound.number = w->next++;
    tn_buffer_format(
        w->to, "%s{\"#\":\"p\",\"A\":[%" PRId64 ",%" PRId64 ",%" PRId64 ",",
        w->has_ops ? "," : "", flags[0], flags[1], flags[2]);
    w->has_ops = true;
    tn_pir_put_string(w->to, var->var.name);
    tn_buffer_format(
        w->to, "],\"DA\":[],\"O\":{\"%%\":%" PRId64 ",\"TT\":", bound.number);
    tn_buffer_add(w->to, bound.type);
    tn_buffer_format(w->to, "},\"OA\":[%" PRId64 ",%d,%" PRId64 "],\"QA\":[]}",
                     flags[3], var->stop_gradient, flags[4]);
    bind(w, var->var.name, bound);
}

static struct tn_desc_var *find_var(struct tn_pir_writer *w,
                                    struct tn_bytes       name)
{
    struct tn_desc_block *block = &w->desc.blocks[0];

    for (uint32_t i = 0; i < block->var_count; i++)
        if (tn_bytes_equal(block->vars[i].var.name, name))
            return &block->vars[i];
    return NULL;
}

static void put_string_attr(struct tn_pir_writer *w, const char *name,
                            struct tn_bytes text)
{
    attr_begin(w);
    tn_buffer_text(&w->attrs, "{\"#\":\"0.a_str\",\"D\":");
    tn_pir_put_string(&w->attrs, text);
    tn_buffer_byte(&w->attrs, '}');
    attr_end(w, "", tn_text(name));
}

/* `op` is the feed operator; NULL if there is none, it is only declared. */
static void put_data(struct tn_pir_writer *w, struct tn_desc_var *var,
                     const struct tn_desc_op *op)
{
    const char        *dtype = tn_pir_dtype_word(var->var.data_type);
    struct tn_pir_line line;
    char               text[80];

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
        w->ragged_inputs++;
        lose(w, "", "an input of ragged sequences: Paddle 3 knows none");
    }
    if (op)
        put_others(w, op, NULL);
    if (var->var.has_desc && !tn_pir_type_id(var->var.data_type))
        lose(w, "",
             "the shape of an input whose element type PIR has "
             "no word for");
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
    return tn_pir_int_at(&col->value, 0);
}

static void put_fetch(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    const struct tn_desc_slot *slot =
        tn_desc_slot(op->in, op->in_count, tn_text("X"));
    struct tn_desc_attr *kept = tn_desc_attr(op, tn_text("pir.name"));
    struct tn_pir_line   line;
    char                 text[64];

    if (!slot || slot->count != 1) {
        tn_error_set(w->error, TN_MALFORMED, op->offset,
                     "a fetch has one argument in the slot X, not %" PRIu32,
                     slot ? slot->count : 0);
        return;
    }
    struct tn_pir_bound bound = read_name(w, tn_desc_arg(slot, 0));
    struct tn_bytes     name  = tn_desc_arg(slot, 0);
    if (kept && kept->value.texts && kept->value.count)
        name = tn_pir_text_at(&kept->value, 0);
    line_begin(w, &line, "1.fetch");
    put_string_attr(w, "name", name);
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
static const struct tn_desc_op **ports(struct tn_pir_writer *w,
                                       const char *type, uint32_t *count)
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

static void put_inputs(struct tn_pir_writer *w)
{
    struct tn_desc_block     *block = &w->desc.blocks[0];
    uint32_t                  count;
    const struct tn_desc_op **feeds = ports(w, "feed", &count);

    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++) {
        const struct tn_desc_slot *slot =
            tn_desc_slot(feeds[i]->out, feeds[i]->out_count, tn_text("Out"));
        struct tn_desc_var *var = find_var(w, tn_desc_arg(slot, 0));
        if (var && slot->count == 1)
            put_data(w, var, feeds[i]);
        else
            tn_error_set(w->error, TN_MALFORMED, feeds[i]->offset,
                         "a feed gives one variable of the first block in the "
                         "slot Out, not '%.*s'",
                         TN_FMT(tn_desc_arg(slot, 0)));
    }
    for (uint32_t i = 0; count == 0 && i < block->var_count; i++)
        if (block->vars[i].var.needs_feed && !tn_failed(w->error))
            put_data(w, &block->vars[i], NULL);
}

/* PIR cannot express slots and attributes without names, or two slots of one
 * name. */
static void check_slots(struct tn_pir_writer *w, const struct tn_desc_op *op,
                        const struct tn_desc_slot *slots, uint32_t count)
{
    if (count > TN_PIR_PORT_LIMIT)
        tn_error_set(w->error, TN_LIMIT, op->offset,
                     "%.*s has %" PRIu32 " slots, limit %d", TN_FMT(op->type),
                     count, TN_PIR_PORT_LIMIT);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++) {
        if (slots[i].count == 0)
            continue;
        if (slots[i].name.size == 0)
            tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                         "%.*s has a slot without a name, which cannot be "
                         "written as PIR",
                         TN_FMT(op->type));
        else if (tn_desc_slot(slots, i, slots[i].name))
            tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                         "%.*s has the slot '%.*s' twice, which cannot be "
                         "written as PIR",
                         TN_FMT(op->type), TN_FMT(slots[i].name));
    }
}

static bool is_sayable(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    if (op->type.size == 0)
        tn_error_set(w->error, TN_MALFORMED, op->offset,
                     "an operator without a type");
    check_slots(w, op, op->in, op->in_count);
    check_slots(w, op, op->out, op->out_count);
    for (uint32_t i = 0; i < op->attr_count && !tn_failed(w->error); i++)
        if (op->attrs[i].name.size == 0)
            tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                         "%.*s has an attribute without a name, which cannot "
                         "be written as PIR",
                         TN_FMT(op->type));
    return !tn_failed(w->error);
}

static void put_op(struct tn_pir_writer *w, const struct tn_desc_op *op)
{
    const struct tn_desc_attr *module =
        tn_desc_attr(op, tn_text("struct_name"));

    bool is_port =
        tn_bytes_is(op->type, "feed") || tn_bytes_is(op->type, "fetch");

    if (is_port && w->depth)
        tn_error_set(w->error, TN_UNSUPPORTED, op->offset,
                     "a %.*s in a block inside cannot be written as PIR",
                     TN_FMT(op->type));
    if (!is_sayable(w, op) || is_port)
        return;
    w->struct_name =
        module ? tn_pir_text_at(&module->value, 0) : tn_bytes("", 0);
    if (put_flow(w, op))
        return;
    const struct tn_pir_rule *rule = find_rule(w, op);
    if (rule && !has_block(op))
        put_by_rule(w, op, rule);
    else if (tn_pir_is_reserved(op->type, "pir."))
        put_unknown(w, op);
    else
        put_legacy(w, op);
}

/* Every operator of a block but feed and fetch. */
static void put_ops(struct tn_pir_writer *w, uint32_t index)
{
    struct tn_desc_block *block = &w->desc.blocks[index];

    for (uint32_t i = 0; i < block->op_count && !tn_failed(w->error); i++) {
        put_op(w, &block->ops[i]);
        if (tn_failed(w->error))
            tn_error_where(w->error, "blocks[%" PRIu32 "].ops[%" PRIu32 "]",
                           index, i);
    }
}

/* All variables have names, and parameters are the program's. */
static void check_vars(struct tn_pir_writer *w)
{
    for (uint32_t i = 0; i < w->desc.block_count; i++)
        for (uint32_t k = 0; k < w->desc.blocks[i].var_count; k++) {
            const struct tn_paddle_var *var = &w->desc.blocks[i].vars[k].var;
            if (var->name.size == 0)
                tn_error_set(w->error, TN_MALFORMED, var->wire.offset,
                             "a variable without a name");
            else if (i > 0 && tn_paddle_var_is_stored(var))
                tn_error_set(w->error, TN_UNSUPPORTED, var->wire.offset,
                             "'%.*s' is a parameter of a block inside: PIR has "
                             "parameters in the outermost alone",
                             TN_FMT(var->name));
            if (tn_failed(w->error)) {
                tn_error_where(w->error,
                               "blocks[%" PRIu32 "].vars[%" PRIu32 "]", i, k);
                return;
            }
        }
}

static void put_block(struct tn_pir_writer *w)
{
    struct tn_desc_block *block = &w->desc.blocks[0];

    check_vars(w);
    for (uint32_t i = 0; i < block->var_count && !tn_failed(w->error); i++) {
        struct tn_desc_var *var = &block->vars[i];
        if (tn_paddle_var_is_stored(&var->var))
            put_parameter(w, var);
        else if (var->var.type != TN_PADDLE_FEED &&
                 var->var.type != TN_PADDLE_FETCH)
            bind(w, var->var.name, unborn(w, var));
    }
    if (tn_failed(w->error))
        return;
    put_inputs(w);
    put_ops(w, 0);
    if (tn_failed(w->error))
        return;
    uint32_t                  count;
    const struct tn_desc_op **fetches = ports(w, "fetch", &count);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++)
        put_fetch(w, fetches[i]);
}

/* A value that an operator makes has no attribute to keep its level in. */
static uint64_t count_ragged(const struct tn_pir_writer *w)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < w->desc.block_count; i++)
        for (uint32_t k = 0; k < w->desc.blocks[i].var_count; k++)
            count += w->desc.blocks[i].vars[k].var.lod_level != 0;
    return count > w->ragged_inputs ? count - w->ragged_inputs : 0;
}

static void say_losses(struct tn_pir_writer *w)
{
    char     what[120];
    uint64_t ragged = count_ragged(w);

    if (ragged) {
        snprintf(what, sizeof what,
                 "left behind: LoDTensorDesc.lod_level (%" PRIu64 " times)",
                 ragged);
        lose(w, "", what);
    }

    for (uint32_t i = 1; i < w->desc.block_count; i++)
        if (!w->is_entered[i]) {
            snprintf(what, sizeof what, "blocks[%" PRIu32 "]", i);
            lose(w, what, "no operator has this block");
        }
    if (w->desc.callstack_count) {
        snprintf(what, sizeof what,
                 "%" PRIu64 " attributes that quote source code are left out",
                 w->desc.callstack_count);
        lose(w, "op_callstack", what);
    }
    if (w->desc.has_op_versions)
        lose(w, "op_version_map", "PIR has no versions of operators");
}

static void put_program(struct tn_pir_writer *w)
{
    tn_buffer_text(w->to,
                   "{\"base_code\":{\"magic\":\"pir\",\"trainable\":true,"
                   "\"version\":1},\"program\":{\"regions\":[{\"#\":"
                   "\"region_0\",\"blocks\":[{\"#\":\"block_0\",\"args\":[],"
                   "\"ops\":[");
    put_block(w);
    tn_buffer_text(w->to, "]}]}]}}");
}

/* clang-format off */
#define TAKEN(fields)                                                                                                                  \
    { TN_PADDLE_MESSAGE, NULL, fields },                                                                                               \
    { "paddle.framework.proto.BlockDesc", NULL, "idx! parent_idx! vars ops" },                                                         \
    { "paddle.framework.proto.VarDesc", NULL, "name! type! persistable! is_parameter! stop_gradient! need_check_feed!" },              \
    { "paddle.framework.proto.OpDesc", NULL, "inputs! outputs! type! attrs!" },                                                        \
    { NULL, NULL, NULL }
static const struct tn_rest_row taken[] = { TAKEN("blocks op_version_map!") };
/* A program that was PIR has the version of all of them, which is in no file. */
static const struct tn_rest_row taken_of_pir[] = { TAKEN("blocks op_version_map! version!") };
/* clang-format on */

static void say_rest(struct tn_pir_writer *w, struct tn_span program,
                     struct tn_memory *memory)
{
    struct tn_rest rest = { .schema  = TN_PB_PADDLE,
                            .message = TN_PADDLE_MESSAGE,
                            .taken   = w->desc.version == TN_PIR_PROGRAM_VERSION
                                           ? taken_of_pir
                                           : taken,
                            .path    = "",
                            .loss    = w->loss,
                            .loss_context = w->loss_context };

    if (w->loss && !tn_failed(w->error))
        tn_rest_report(&rest, program, memory, w->error);
}

enum tn_status tn_pir_from_program(struct tn_span    program,
                                   struct tn_memory *memory,
                                   struct tn_buffer *to, tn_on_loss *loss,
                                   void *loss_context, struct tn_error *error)
{
    struct tn_arena      arena;
    struct tn_pir_writer w = { .arena        = &arena,
                               .error        = error,
                               .to           = to,
                               .next         = 1,
                               .loss         = loss,
                               .loss_context = loss_context };

    tn_arena_init(&arena, memory);
    tn_buffer_init(&w.attrs, memory, error);
    tn_buffer_init(&w.scratch, memory, error);
    tn_intern_init(&w.names, &arena);
    tn_list_init(&w.bounds, memory, sizeof(struct tn_pir_bound));
    tn_list_init(&w.undo, memory, sizeof(struct tn_pir_undo));
    if (tn_pir_rules_read(&w.rules, &arena, tn_pir_rules_text(&arena, error),
                          error) == TN_OK &&
        tn_desc_read(&w.desc, program, &arena, error) == TN_OK &&
        (w.is_entered = tn_new(&arena, bool, w.desc.block_count, error))) {
        w.region_count = 1;
        put_program(&w);
        if (!tn_failed(error)) {
            say_losses(&w);
            say_rest(&w, program, memory);
        }
    }
    tn_pir_rules_done(&w.rules);
    tn_list_done(&w.undo);
    tn_list_done(&w.bounds);
    tn_intern_done(&w.names);
    tn_buffer_done(&w.scratch);
    tn_buffer_done(&w.attrs);
    tn_arena_done(&arena);
    return error->status;
}
